"""The browser's Back and Forward."""

from __future__ import annotations

from streamlit.runtime.scriptrunner import get_script_run_ctx


def came_through_history() -> bool:
    """Return whether the page runs because the user went back or forward in the browser's history.

    Streamlit writes an entry of the history for each link that a page writes, so each entry is a state to go back to. That a
    run's link is older than the last one written is no sign of it: a widget that is moved quickly sends the link of before.
    """
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation
