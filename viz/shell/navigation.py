"""The pages, their menu, and navigation between them."""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from chunkers import register_installed_chunkers
from viz.shell import lecture_mode
from viz.state import PageArrival, session


@dataclass(frozen=True)
class PageEntry:
    """A page in the menu.

    Attributes
    ----------
    title, file
        The page's title, and the file that draws it.
    drawn_columns
        Columns that are drawn on paper and in pictures, for a lecture's scenes on this page.
    """

    title: str
    file: str
    drawn_columns: Literal["none", "selected", "all"] = "none"


PAGES = {
    "compare": PageEntry("Compare", "pages/compare.py", "all"),
    "breakpoints": PageEntry("Breakpoints", "pages/breakpoints.py", "all"),
    "double_pass": PageEntry("Double pass", "pages/double_pass.py", "all"),
    "clustering": PageEntry("Clustering", "pages/clustering.py", "selected"),
    "failures": PageEntry("Failures", "pages/failures.py"),
    "tune": PageEntry("Tune", "pages/tune.py"),
    "retrieval": PageEntry("Retrieval", "pages/retrieval.py"),
    "answers": PageEntry("Answers", "pages/answers.py"),
    "guide": PageEntry("Guide", "pages/guide.py"),
}
"""All pages by key, under which the session keeps their choices; the first is the app's default page."""


def which_columns_are_printed(page_key: str) -> Literal["none", "selected", "all"]:
    """Return the columns of a page that are drawn outside the app, too; an empty key is the default page."""
    page_entry = PAGES.get(page_key or next(iter(PAGES)))
    return "none" if page_entry is None else page_entry.drawn_columns


def draw_menu_and_get_page() -> st.Page:
    """Draw the menu of all pages and return the requested page."""
    # Pages and links refer to chunkers by name, so those of other packages are loaded first.
    register_installed_chunkers()
    session.entered = True
    return _draw_page_menu()


def rerun_if_app_file_skipped() -> None:
    """Draw the menu and rerun if the session has not run ``app.py`` yet.

    If the first request to a new server is a link to a page, Streamlit finds the folder ``pages`` and runs the page's file
    directly, without the app. It stops doing so once there is a menu.
    """
    if not session.entered:
        _draw_page_menu()
        st.rerun()


def open_page_at_next_run(page_key: str) -> None:
    """Request a switch to a page on the next run; for callbacks, which cannot switch pages themselves."""
    session.arriving = PageArrival(page_key, session.page)


def switch_to_requested_page(shown_page: str) -> None:
    """Switch to the page that the session requests, if it was requested on ``shown_page``.

    The request stands until the page is drawn or the user opens another page, since the user's actions in the meantime
    rerun the page before.
    """
    requested_page_and_link = session.arriving
    if requested_page_and_link is None or requested_page_and_link.page == shown_page:
        return
    # A text stored by another version may name a page that no longer exists.
    if requested_page_and_link.previous_page == shown_page and requested_page_and_link.page in PAGES:
        st.switch_page(PAGES[requested_page_and_link.page].file, query_params=requested_page_and_link.link)
    session.arriving = None


def _draw_page_menu() -> st.Page:
    default_page_key = next(iter(PAGES))
    return st.navigation(
        [st.Page(entry.file, title=entry.title, default=key == default_page_key) for key, entry in PAGES.items()],
        # Lecture mode has no side bar, so the menu moves to the top.
        position="top" if lecture_mode.is_lecture_mode_on() else "sidebar",
    )
