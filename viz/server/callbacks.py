"""A callback is run to its end: what Streamlit breaks off when the user does the next thing while it runs."""

from __future__ import annotations

import threading
from functools import wraps
from inspect import unwrap
from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state.session_state import SessionState


def let_callbacks_end() -> None:
    """Let a page's thread take up the browser's next request only when its callbacks have been run.

    Streamlit takes it up at a callback's next access to the session, by an error, which it then mistakes for a rerun that
    the callback itself has asked for: the rest of the callback is not run. Nothing runs it later, as the widget's value is
    not new any more. So what a user does is lost if the next thing comes within milliseconds: a text that is pasted, where
    the box is closed right after. A second call changes nothing.

    It does so only where the next request waits for a thread's turn: where ``runner.fastReruns`` is off, as in config.toml.
    """
    dispatch = unwrap(SessionState._call_callbacks)
    take_up = unwrap(ScriptRunner._maybe_handle_execution_control_request)
    thread = threading.local()

    @wraps(dispatch)
    def dispatch_undisturbed(self: SessionState, **given: Any) -> None:
        thread.calls_back = True
        try:
            dispatch(self, **given)
        finally:
            thread.calls_back = False

    @wraps(take_up)
    def take_up_between(self: ScriptRunner) -> None:
        if not getattr(thread, "calls_back", False):
            take_up(self)

    SessionState._call_callbacks = dispatch_undisturbed  # type: ignore[method-assign]
    ScriptRunner._maybe_handle_execution_control_request = take_up_between  # type: ignore[method-assign]
