"""The pages, and the way into them."""

from __future__ import annotations

import streamlit as st

from viz.shell import lecture
from viz.state.keys import session


def navigation() -> st.Page:
    """Draw the menu of all pages, and return the page that was asked for."""
    session.entered = True
    return _menu()


def enter_through_app() -> None:
    """Go in through the app, if the session did not.

    Where a link to a page is the first thing that a fresh server is asked for, Streamlit finds the folder ``pages`` and runs
    the page's file alone, without the app. Once there is a menu it does so no more.
    """
    if not session.entered:
        _menu()
        st.rerun()


def _menu() -> st.Page:
    return st.navigation(
        [
            st.Page("pages/compare.py", title="Compare", default=True),
            st.Page("pages/breakpoints.py", title="Breakpoints"),
            st.Page("pages/double_pass.py", title="Double pass"),
            st.Page("pages/clustering.py", title="Clustering"),
            st.Page("pages/failures.py", title="Failures"),
            st.Page("pages/tune.py", title="Tune"),
            st.Page("pages/retrieval.py", title="Retrieval"),
            st.Page("pages/guide.py", title="Guide"),
        ],
        # Lecture mode has no side bar, and its pages stay within reach.
        position="top" if lecture.is_on() else "sidebar",
    )
