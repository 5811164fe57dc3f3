"""Lecture mode: large type and no side bar, for projectors; settings are kept, and the link includes the mode."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.state.history import came_through_history
from viz.state.keys import session

WORD = "lecture"
"""The name of the link's parameter."""


def is_on() -> bool:
    """Whether the session is in lecture mode; a link can start a session in it."""
    if session.lecture is None or came_through_history():
        session.lecture = st.query_params.get(WORD) == "1"
    return bool(session.lecture)


def show_way_out() -> None:
    """In lecture mode, apply the large type and draw the button that leaves the mode."""
    if is_on():
        st.html(Path(__file__).with_suffix(".css"))
        st.button("Leave lecture mode", on_click=_leave, type="tertiary")


def control() -> None:
    """Draw the button that enters lecture mode, at the end of the side bar."""
    st.button("Lecture mode", on_click=_enter, width="stretch", help="Large type and no side bar. The link keeps it.")


def _enter() -> None:
    session.lecture = True


def _leave() -> None:
    session.lecture = False
