"""Patch that runs every callback to its end; Streamlit aborts it on the user's next input."""

from __future__ import annotations

import threading
from functools import wraps
from inspect import unwrap
from typing import Any

from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequest, ScriptRequests
from streamlit.runtime.state.session_state import SessionState


def let_callbacks_end() -> None:
    """Let a page's thread take up the browser's next request only when its callbacks have been run.

    Streamlit takes it up at a callback's next access to the session, by an error, which it then mistakes for a rerun that
    the callback itself has asked for: the rest of the callback is not run. Nothing runs it later, as the widget's value is
    not new any more. So what a user does is lost if the next thing comes within milliseconds: a text that is pasted, where
    the box is closed right after. It holds for the threads that are there already, too; a second call changes nothing.

    It does so only where the next request waits for a thread's turn: where ``runner.fastReruns`` is off, as in config.toml.
    """
    dispatch = unwrap(SessionState._call_callbacks)
    take_up = unwrap(ScriptRequests.on_scriptrunner_yield)
    thread = threading.local()

    @wraps(dispatch)
    def dispatch_undisturbed(self: SessionState, **given: Any) -> None:
        thread.calls_back = True
        try:
            dispatch(self, **given)
        finally:
            thread.calls_back = False

    @wraps(take_up)
    def take_up_between(self: ScriptRequests) -> ScriptRequest | None:
        return None if getattr(thread, "calls_back", False) else take_up(self)

    SessionState._call_callbacks = dispatch_undisturbed  # type: ignore[method-assign]
    ScriptRequests.on_scriptrunner_yield = take_up_between  # type: ignore[method-assign]
