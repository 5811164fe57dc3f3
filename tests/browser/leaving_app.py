"""An app of two pages with a box of the same key; a button of the first leads to the second, which is drawn slowly."""

import os
import time

import streamlit as st

from viz.server.streamlit_patches import (
    interrupt_only_when_drawing,
    make_streamlit_finish_callbacks,
    stop_forgetting_widget_values_early,
)

make_streamlit_finish_callbacks()
interrupt_only_when_drawing()
if "AS_IT_CAME" not in os.environ:
    stop_forgetting_widget_values_early()


def note(key: str) -> None:
    """Note what was written."""
    st.session_state["noted"] = [*st.session_state.get("noted", []), f"{key}={st.session_state[key]}"]


def leave() -> None:
    """Go to the second page in the run that follows."""
    st.session_state["leaving"] = True


def first() -> None:
    """Draw the first page."""
    st.text_area("Word", key="word", on_change=note, args=("word",))
    st.text_area("Another", key="another", on_change=note, args=("another",))
    st.button("Leave", on_click=leave)


def second() -> None:
    """Draw the second page."""
    st.text_area("Word", key="word", on_change=note, args=("word",))
    time.sleep(0.5)
    st.text_area("Third", key="third")


pages = [st.Page(first), st.Page(second)]
page = st.navigation(pages)
if st.session_state.get("leaving"):
    st.session_state["leaving"] = False
    st.switch_page(pages[1])
page.run()
st.query_params["noted"] = " ".join(st.session_state.get("noted", []))
