"""Patches of Streamlit that keep user input from being lost, limit uploads, and start and answer sooner.

Calling the function of a patch again has no effect.
"""

import socket
import threading
from asyncio import AbstractEventLoop, Server
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import unwrap
from typing import Any

from starlette.exceptions import HTTPException
from streamlit import delta_generator
from streamlit.components.v2 import manifest_scanner
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequest, ScriptRequests
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec


def _in_place_of(owner: type, name: str) -> Callable[[Callable[..., Any]], None]:
    """Return a decorator that puts a function in place of a method, which the function gets as its first argument."""

    def replace_method(function: Callable[..., Any]) -> None:
        # An earlier replacement is replaced, not wrapped.
        replaced_method = unwrap(getattr(owner, name))

        @wraps(replaced_method)
        def replacement(*given: Any, **named: Any) -> Any:
            return function(replaced_method, *given, **named)

        setattr(owner, name, replacement)

    return replace_method


# Input that Streamlit would lose when another run interferes.


def let_callbacks_end() -> None:
    """Make Streamlit finish a page's callbacks before it handles the browser's next request.

    Streamlit handles a request at a callback's next access to the session state, by raising an exception. It then mistakes
    the exception for a rerun requested by the callback, and skips the rest of the callback. Nothing runs it later, since
    the widget's value is no longer new. A user's action is therefore lost if the next follows within milliseconds, such as
    a pasted text when the box is closed right after. The patch also applies to existing threads.

    It requires ``runner.fastReruns`` to be off, as in config.toml, so that requests wait for the running thread.
    """
    thread_state = threading.local()

    @_in_place_of(SessionState, "_call_callbacks")
    def dispatch_undisturbed(dispatch: Callable[..., None], self: SessionState, **given: Any) -> None:
        thread_state.calls_back = True
        try:
            dispatch(self, **given)
        finally:
            thread_state.calls_back = False

    @_in_place_of(ScriptRequests, "on_scriptrunner_yield")
    def take_up_after_callbacks(
        take_up: Callable[[ScriptRequests], ScriptRequest | None], self: ScriptRequests
    ) -> ScriptRequest | None:
        return None if getattr(thread_state, "calls_back", False) else take_up(self)


def interrupt_where_drawn() -> None:
    """Make Streamlit interrupt a run only where it draws an element, and not where it reads or writes the session state.

    A page notes that it has taken an event, and then changes the session as the event asks. An interruption in between
    lost the user's action.
    """

    @_in_place_of(SafeSessionState, "__init__")
    def init_without_yield(
        begin: Callable[..., None], self: SafeSessionState, state: SessionState, yield_callback: object
    ) -> None:
        begin(self, state, lambda: None)


def keep_values_until_drawn() -> None:
    """Make Streamlit forget the values of widgets only after a run that finished.

    Streamlit also forgets them before a run for which the browser names no values, such as that of ``st.switch_page``. Input
    from the page that is being left may interrupt that run, and names the values of all widgets there. Streamlit took each
    for the user's change, as it knew no value before: the callback of an empty text box chose its text, or ended in an
    exception if the next page had drawn a widget with the same key.
    """

    @_in_place_of(SafeSessionState, "on_script_finished")
    def finish_drawn(finish: Callable[..., None], self: SafeSessionState, *widgets: frozenset[str], **given: Any) -> None:
        # Only the end of a run says whether to forget.
        finish(self, *widgets, **{"remove_stale_widgets": False, **given})


def rerun_for_replaced_fragments() -> None:
    """Rerun the whole page on input to a fragment that was just replaced; Streamlit drops such input.

    A run of the page replaces a fragment if elements above it appeared or disappeared, and the user may click before the
    browser has received the new fragment, or while the run that replaces it is in progress. Input from a page that the user
    has left is still dropped, and so are automatic reruns of a fragment.
    """

    @_in_place_of(AppSession, "request_rerun")
    def request_whole_page(request: Callable[..., None], self: AppSession, client_state: ClientState | None) -> None:
        if (
            client_state is not None
            and client_state.fragment_id
            and not client_state.is_auto_rerun
            and client_state.page_script_hash == self.page_script_hash
            and not self.has_fragment(client_state.fragment_id)
        ):
            page_request_state = ClientState()
            page_request_state.CopyFrom(client_state)
            page_request_state.fragment_id = ""
            client_state = page_request_state
        request(self, client_state)

    @_in_place_of(ScriptRunner, "_run_script")
    def run_whole_page(run: Callable[..., None], self: ScriptRunner, rerun_data: RerunData) -> None:
        has_lost_fragment = not all(map(self._fragment_storage.contains, rerun_data.fragment_id_queue))
        same_page = rerun_data.page_script_hash == self._get_script_run_ctx().page_script_hash
        # Of several requests that waited, this flag is that of the last.
        is_automatic = rerun_data.is_auto_rerun and len(rerun_data.fragment_id_queue) == 1
        if has_lost_fragment and same_page and not is_automatic:
            rerun_data = replace(rerun_data, fragment_id_queue=[], is_fragment_scoped_rerun=False)
        run(self, rerun_data)


# Sending without delay.


def disable_send_delay(loop: AbstractEventLoop) -> None:
    """Disable Nagle's algorithm for servers that ``loop`` creates from now on.

    asyncio does so only for connections whose socket names TCP as its protocol. Streamlit creates its socket with the family
    alone, which leaves the protocol 0 for every connection. The body of a response, and the second of two messages, then
    wait about 40 ms until the browser acknowledges the first part. Connections inherit the option of the listening socket.
    """
    original_create_server = loop.create_server

    @wraps(original_create_server)
    async def create_nodelay_server(*given: Any, **named: Any) -> Server:
        listening_socket = named.get("sock")
        if isinstance(listening_socket, socket.socket) and listening_socket.family in (socket.AF_INET, socket.AF_INET6):
            listening_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return await original_create_server(*given, **named)

    loop.create_server = create_nodelay_server  # type: ignore[method-assign]


# Startup work that this app does not need.


def skip_needless_startup() -> None:
    """Skip Streamlit's search for components of other packages, and its check for an interactive prompt.

    The search reads the metadata of every installed package before the first response. The check, which would warn users of
    a prompt to use ``streamlit run``, reads the source of every stack frame and resolves the paths of a thousand modules
    when the first element is drawn.
    """
    manifest_scanner.scan_component_manifests = lambda max_workers=None: []
    delta_generator._use_warning_has_been_displayed = True


# Uploads.

MOST_UPLOADED = 200_000_000
"""Most bytes of all files that a session has uploaded, enough for ten of the largest; Streamlit keeps them all."""


def keep_upload_address_replies() -> None:
    """Stop Streamlit from dropping its replies to browsers that ask for an upload address.

    When a run of the page begins, Streamlit drops the unsent messages of the previous run, and with them these replies,
    which do not belong to a run. The browser then waits forever, and the file that the user dropped on the page is lost
    silently. This is likely on a busy server, or while a job reruns the page.
    """

    @_in_place_of(ForwardMsgQueue, "clear")
    def clear_but_addresses(
        clear: Callable[..., None],
        self: ForwardMsgQueue,
        retain_lifecycle_msgs: bool = False,
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        # Messages that were sent are not retained.
        queued_browser_messages = self._queue if retain_lifecycle_msgs else []
        unsent_address_replies = [msg for msg in queued_browser_messages if msg.WhichOneof("type") == "file_urls_response"]
        clear(self, retain_lifecycle_msgs, fragment_ids_this_run)
        self._queue += [msg for msg in unsent_address_replies if all(msg is not kept for kept in self._queue)]


def limit_uploads() -> None:
    """Make Streamlit refuse files that would exceed the session's upload limit.

    Streamlit keeps every file until the browser removes it or the session ends, even if no widget shows it.
    """

    @_in_place_of(MemoryUploadedFileManager, "add_file")
    def add_within_limit(
        add: Callable[..., None], self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec
    ) -> None:
        session_file_by_id = self.file_storage.get(session_id, {})
        session_upload_byte_count = len(file.data) + sum(
            len(other.data) for number, other in [*session_file_by_id.items()] if number != file.file_id
        )
        if session_upload_byte_count > MOST_UPLOADED:
            raise HTTPException(
                413,
                f"The files of a session may have at most {MOST_UPLOADED:,} bytes; with this one they would have "
                f"{session_upload_byte_count:,}. "
                "Remove others, or reload the page.",
            )
        add(self, session_id, file)
