"""Lecture mode: large type and no side bar, for a projector; what is set stays set, and the link carries it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.state.keys import session

WORD = "lecture"
"""What the link calls it."""


def is_on() -> bool:
    """Whether the session is in lecture mode; a link may begin it so."""
    if session.lecture is None:
        session.lecture = st.query_params.get(WORD) == "1"
    return bool(session.lecture)


def show_way_out() -> None:
    """Draw the large type and the way out, or nothing."""
    if is_on():
        st.html(Path(__file__).with_suffix(".css"))
        st.button("Leave lecture mode", on_click=_leave, type="tertiary")


def control() -> None:
    """Draw the switch, at the end of the side bar."""
    st.button("Lecture mode", on_click=_enter, width="stretch", help="Large type and no side bar. The link keeps it.")


def _enter() -> None:
    session.lecture = True


def _leave() -> None:
    session.lecture = False
