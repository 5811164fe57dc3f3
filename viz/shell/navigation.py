"""The pages, and the way into them."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from viz.shell import lecture
from viz.state.keys import session


@dataclass(frozen=True)
class PageEntry:
    """A page in the menu: what it is called, and the file that draws it."""

    title: str
    file: str


PAGES = {
    "compare": PageEntry("Compare", "pages/compare.py"),
    "breakpoints": PageEntry("Breakpoints", "pages/breakpoints.py"),
    "double_pass": PageEntry("Double pass", "pages/double_pass.py"),
    "clustering": PageEntry("Clustering", "pages/clustering.py"),
    "failures": PageEntry("Failures", "pages/failures.py"),
    "tune": PageEntry("Tune", "pages/tune.py"),
    "retrieval": PageEntry("Retrieval", "pages/retrieval.py"),
    "guide": PageEntry("Guide", "pages/guide.py"),
}
"""All pages by their keys, under which the session keeps their choices; the first is the one that the app opens with."""


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


def go_at_next_run(page: str) -> None:
    """Let the next run go to the page of that key; for what a button does, as a callback cannot go by itself."""
    session.next_page = page


def go_where_asked() -> None:
    """Go to the page that `go_at_next_run` named, once."""
    page, session.next_page = session.next_page, ""
    if page:
        st.switch_page(PAGES[page].file)


def _menu() -> st.Page:
    first = next(iter(PAGES))
    return st.navigation(
        [st.Page(entry.file, title=entry.title, default=key == first) for key, entry in PAGES.items()],
        # Lecture mode has no side bar, and its pages stay within reach.
        position="top" if lecture.is_on() else "sidebar",
    )
