"""Patches that keep user input which Streamlit would lose when another run interferes."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import wraps
from inspect import unwrap
from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequest, ScriptRequests
from streamlit.runtime.state.safe_session_state import SafeSessionState
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


def interrupt_where_drawn() -> None:
    """Make Streamlit interrupt a run only where it draws an element, and not where it reads or writes the session state.

    A page notes that it has taken an event, and then changes the session as the event asks. An interruption in between
    lost the user's action. A second call has no effect.
    """
    begin = unwrap(SafeSessionState.__init__)

    @wraps(begin)
    def begin_undisturbed(self: SafeSessionState, state: SessionState, yield_callback: object) -> None:
        begin(self, state, lambda: None)

    SafeSessionState.__init__ = begin_undisturbed  # type: ignore[method-assign]


def keep_values_until_drawn() -> None:
    """Make Streamlit forget the values of widgets only after a run that finished.

    Streamlit also forgets them before a run for which the browser names no values, such as that of ``st.switch_page``. Input
    from the page that is being left may interrupt that run, and names the values of all widgets there. Streamlit took each
    for the user's change, as it knew no value before: the callback of an empty text box chose its text, or ended in an
    exception if the next page had drawn a widget with the same key. A second call has no effect.
    """
    finish = unwrap(SafeSessionState.on_script_finished)

    @wraps(finish)
    def finish_drawn(self: SafeSessionState, *widgets: frozenset[str], **given: Any) -> None:
        # Only the end of a run says whether to forget.
        finish(self, *widgets, **{"remove_stale_widgets": False, **given})

    SafeSessionState.on_script_finished = finish_drawn  # type: ignore[method-assign]


def keep_inputs_of_fragments() -> None:
    """Rerun the whole page on input to a fragment that was just replaced; Streamlit drops such input.

    A run of the page replaces a fragment if elements above it appeared or disappeared, and the user may click before the
    browser has received the new fragment, or while the run that replaces it is in progress. Input from a page that the user
    has left is still dropped, and so are automatic reruns of a fragment. A second call has no effect.
    """
    request, run = unwrap(AppSession.request_rerun), unwrap(ScriptRunner._run_script)

    @wraps(request)
    def request_page(self: AppSession, client_state: ClientState | None) -> None:
        if (
            client_state is not None
            and client_state.fragment_id
            and not client_state.is_auto_rerun
            and client_state.page_script_hash == self.page_script_hash
            and not self.has_fragment(client_state.fragment_id)
        ):
            whole = ClientState()
            whole.CopyFrom(client_state)
            whole.fragment_id = ""
            client_state = whole
        request(self, client_state)

    @wraps(run)
    def run_page(self: ScriptRunner, rerun_data: RerunData) -> None:
        replaced = not all(map(self._fragment_storage.contains, rerun_data.fragment_id_queue))
        same_page = rerun_data.page_script_hash == self._get_script_run_ctx().page_script_hash
        # Of several requests that waited, this flag is that of the last.
        automatic = rerun_data.is_auto_rerun and len(rerun_data.fragment_id_queue) == 1
        if replaced and same_page and not automatic:
            rerun_data = replace(rerun_data, fragment_id_queue=[], is_fragment_scoped_rerun=False)
        run(self, rerun_data)

    AppSession.request_rerun = request_page  # type: ignore[method-assign]
    ScriptRunner._run_script = run_page  # type: ignore[method-assign]
