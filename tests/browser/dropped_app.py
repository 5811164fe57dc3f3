"""An app of widgets and nothing else, whose first run comes to its end but never reaches the browser.

Streamlit sends nothing while its event loop is busy, and drops what it has not sent when the next run begins. After
"Change", one more message comes from a browser that has not received the changed values.
"""

import time

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

from viz.controls.link_widgets import key_showing, select, switch

WORDS = {"first": "First", "second": "Second", "third": "Third"}

context = get_script_run_ctx()
assert context is not None
first = "words" not in st.session_state
sent = WidgetStates(widgets=[one for one in context.session_state.get_widget_states() if not one.trigger_value])
words = st.session_state.setdefault("words", {"selected": "second", "switched": "third"})
kept = st.session_state.setdefault("kept", {"slider": 7, "number": 9, "toggle": True, "text": "own", "many": ["second"]})


def keep(name: str) -> None:
    kept[name] = st.session_state[keys[name]]


def change() -> None:
    words.update(selected="third", switched="first")
    kept.update(slider=2, number=3, toggle=False, text="another", many=["third"])


if first:
    get_instance()._get_async_objs().eventloop.call_soon_threadsafe(time.sleep, 1)
select("Selected", words, "selected", WORDS, "selected")
switch("Switched", words, "switched", WORDS, "switched")
keys = {name: key_showing(value, name) for name, value in kept.items()}
st.slider("Slider", 0, 10, kept["slider"], key=keys["slider"], on_change=keep, args=("slider",))
st.number_input("Number", 0, 10, kept["number"], key=keys["number"], on_change=keep, args=("number",))
st.toggle("Toggle", kept["toggle"], key=keys["toggle"], on_change=keep, args=("toggle",))
st.text_input("Text", kept["text"], key=keys["text"], on_change=keep, args=("text",))
st.multiselect("Many", list(WORDS), kept["many"], key=keys["many"], on_change=keep, args=("many",))
st.button("Again")
changed = st.button("Change", on_click=change)
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
st.code(f"run {st.session_state['runs']}: {words} {kept}")
if (first or changed) and context.script_requests is not None:
    # Of a browser that has no widget yet, or has them with the values of before.
    states = WidgetStates() if first else sent
    context.script_requests.request_rerun(
        RerunData(context.query_string, widget_states=states, page_script_hash=context.page_script_hash)
    )
