"""The browser's Back and Forward buttons."""

from __future__ import annotations

from streamlit.runtime.scriptrunner import get_script_run_ctx


def came_through_history() -> bool:
    """Return whether the page runs because the user went back or forward in the browser's history.

    Streamlit adds a history entry for each link that a page writes, so that users can go back to each state. An outdated
    link does not imply this navigation: a widget that is moved quickly also sends the previous link.
    """
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation
