"""A patch that runs every callback to its end; Streamlit aborts it on the user's next input."""

from __future__ import annotations

import threading
from functools import wraps
from inspect import unwrap
from typing import Any

from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequest, ScriptRequests
from streamlit.runtime.state.session_state import SessionState


def let_callbacks_end() -> None:
    """Make Streamlit finish a page's callbacks before it handles the browser's next request.

    Streamlit handles a request at a callback's next access to the session state, by raising an exception. It then mistakes
    the exception for a rerun requested by the callback, and skips the rest of the callback. Nothing runs it later, since
    the widget's value is no longer new. A user's action is therefore lost if the next follows within milliseconds, such as
    a pasted text when the box is closed right after. The patch also applies to existing threads, and a second call has no
    effect.

    It requires ``runner.fastReruns`` to be off, as in config.toml, so that requests wait for the running thread.
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
