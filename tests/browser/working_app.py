"""An app of two pages, each of which can be told to work until a request waits; the first then asks for a rerun."""

import os
import time

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from tests.fixtures.streamlit_client import LIMIT
from viz.server.streamlit_patches import keep_requested_page, rerun_page_for_lost_fragment
from viz.state.session_state import went_back_or_forward

if "AS_IT_CAME" not in os.environ:
    keep_requested_page()
    rerun_page_for_lost_fragment()


def works_until_a_request_waits(page: str) -> bool:
    """Return whether a page was told to work; if so, return only when a request waits.

    The link says that the page works.
    """
    context = get_script_run_ctx()
    if st.session_state.get("working_page") != page or context is None or context.script_requests is None:
        return False
    del st.session_state["working_page"]
    st.query_params["works"] = page
    deadline = time.monotonic() + LIMIT
    while context.script_requests._state is not ScriptRequestType.RERUN and time.monotonic() < deadline:
        time.sleep(0.01)
    return True


def tell_to_work(page: str) -> None:
    """Tell a page to work in the next run that draws it."""
    st.session_state["working_page"] = page


def first() -> None:
    """Draw the page that has a fragment, and asks for a rerun after its work."""
    if went_back_or_forward():
        st.session_state["word"] = st.query_params["word"]
    st.button("Work here", on_click=tell_to_work, args=("first",))
    st.button("Work there", on_click=tell_to_work, args=("second",))
    st.query_params["word"] = st.text_area("Word", key="word")
    st.fragment(st.text_area)("Inside", key="inside")
    if works_until_a_request_waits("first"):
        st.rerun()


def second() -> None:
    """Draw the other page, after its work."""
    works_until_a_request_waits("second")
    st.query_params["another"] = st.text_area("Another", key="another")


st.navigation([first, second]).run()
