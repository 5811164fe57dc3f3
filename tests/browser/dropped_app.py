"""An app of widgets and nothing else, whose first run comes to its end but never reaches the browser.

Streamlit sends nothing while its event loop is busy, and drops what it has not sent when the next run begins.
"""

import time
from functools import partial

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

from viz.controls.widgets import (
    build_widget_key_and_callback,
    draw_segmented_control_storing_setting,
    draw_setting_select_box,
)

WORDS = {"first": "First", "second": "Second", "third": "Third"}

context = get_script_run_ctx()
assert context is not None
first = "words" not in st.session_state
words = st.session_state.setdefault("words", {"selected": "second", "switched": "third"})
kept = st.session_state.setdefault("kept", {"slider": 7, "number": 9, "toggle": True, "text": "own", "many": ["second"]})


def change() -> None:
    words.update(selected="third", switched="first")
    kept.update(slider=2, number=3, toggle=False, text="another", many=["third"])


if first:
    get_instance()._get_async_objs().eventloop.call_soon_threadsafe(time.sleep, 1)
draw_setting_select_box("Selected", words, "selected", WORDS, "selected")
draw_segmented_control_storing_setting("Switched", words, "switched", WORDS, "switched")
told = {name: build_widget_key_and_callback(value, name, partial(kept.__setitem__, name)) for name, value in kept.items()}
st.slider("Slider", 0, 10, kept["slider"], **told["slider"])
st.number_input("Number", 0, 10, kept["number"], **told["number"])
st.toggle("Toggle", kept["toggle"], **told["toggle"])
st.text_input("Text", kept["text"], **told["text"])
st.multiselect("Many", list(WORDS), kept["many"], **told["many"])
st.button("Again")
st.button("Change", on_click=change)
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
st.code(f"run {st.session_state['runs']}: {words} {kept}")
if first and context.script_requests is not None:
    states = WidgetStates()  # of a browser that has no widget yet
    context.script_requests.request_rerun(
        RerunData(context.query_string, widget_states=states, page_script_hash=context.page_script_hash)
    )
