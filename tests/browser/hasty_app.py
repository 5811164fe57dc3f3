"""An app that is slow in a callback and after taking an event; Streamlit is unpatched where the environment says so."""

import os
import time

import streamlit as st

from viz.server.streamlit_patches import (
    interrupt_only_when_drawing,
    make_streamlit_finish_callbacks,
    rerun_page_for_lost_fragment,
)

if "AS_IT_CAME" not in os.environ:
    make_streamlit_finish_callbacks()
    interrupt_only_when_drawing()
    rerun_page_for_lost_fragment()


def count() -> None:
    """Note the word that was written."""
    word = st.session_state["word"]
    time.sleep(0.5)
    st.session_state["noted"] = [*st.session_state.get("noted", []), word]


st.text_area("Word", key="word", on_change=count)
st.text_area("Another", key="another")
if st.session_state["word"]:
    st.caption("It moves the fragment to another place")


@st.fragment
def draw_fragment() -> None:
    """Draw a widget in a fragment."""
    st.text_area("Inside", key="inside")


draw_fragment()
word, taken, acted = (st.session_state.get(name, "") for name in ("word", "taken", "acted"))
if word != taken:
    st.session_state["taken"] = word
    time.sleep(0.5)
    st.session_state["acted"] = f"{acted} {word}".strip()
st.query_params["acted"] = st.session_state.get("acted", "")
st.query_params["noted"] = " ".join(st.session_state.get("noted", []))
st.query_params["another"] = st.session_state["another"]
st.query_params["inside"] = st.session_state["inside"]
