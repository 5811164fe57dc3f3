"""An app of two pages; the first has a fragment, and a button after which it works for a while and asks for a rerun."""

import os
import time

import streamlit as st

from viz.server.streamlit_patches import keep_requested_page, rerun_page_for_lost_fragment
from viz.state.session_state import went_back_or_forward

if "AS_IT_CAME" not in os.environ:
    keep_requested_page()
    rerun_page_for_lost_fragment()


def work() -> None:
    """Work in the run that follows."""
    st.session_state["works"] = True


def first() -> None:
    """Draw the first page."""
    if went_back_or_forward():
        st.session_state["word"] = st.query_params["word"]
    st.button("Work", on_click=work)
    st.query_params["word"] = st.text_area("Word", key="word")
    st.fragment(st.text_area)("Inside", key="inside")
    if st.session_state.pop("works", False):
        time.sleep(0.5)
        st.rerun()


def second() -> None:
    """Draw the second page."""
    time.sleep(0.5)
    st.query_params["another"] = st.text_area("Another", key="another")


st.navigation([first, second]).run()
