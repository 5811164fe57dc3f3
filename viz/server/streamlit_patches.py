"""The app's uses of Streamlit's private parts: patches that replace them, and functions that read them.

Patches keep user input from being lost, limit uploads, and start and answer sooner. Calling one again has no effect. Private
is a name that begins with an underscore, or that Streamlit neither documents nor exports from a package. The docstring of
each function ends with the same facts, for whoever updates Streamlit:

- Symbol: what is replaced or read.
- Reason: what Streamlit does otherwise, or why its public names do not suffice.
- Issue: the thread that reports it, or “none known”.
- Seen with: the version of Streamlit that was pinned when this was written.
- Loss: what the app loses without the function.

`viz.state.session_state` and `viz.shell.page` import ``get_script_run_ctx``, ``RerunException`` and ``StopException``
themselves. ``streamlit.runtime.scriptrunner`` exports all three, and `viz.state` may not import this package.
``DeltaGenerator``, the type of a container, and ``streamlit.web.cli``, which starts the server, are imported where used.
"""

import socket
import threading
from asyncio import AbstractEventLoop, Server
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import unwrap
from typing import Any
from weakref import WeakKeyDictionary

from starlette.exceptions import HTTPException
from streamlit import delta_generator, file_util, get_option
from streamlit.components.v2 import manifest_scanner
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime import get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequest, ScriptRequests, ScriptRequestType
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.web.server import server_util


def _build_method_replacing_decorator(patched_class: type, method_name: str) -> Callable[[Callable[..., Any]], None]:
    """Return a decorator that puts a function in place of a method, which the function gets as its first argument."""

    def replace_method(function: Callable[..., Any]) -> None:
        # An earlier replacement is replaced, not wrapped.
        replaced_method = unwrap(getattr(patched_class, method_name))

        @wraps(replaced_method)
        def replacement(*given: Any, **named: Any) -> Any:
            return function(replaced_method, *given, **named)

        setattr(patched_class, method_name, replacement)

    return replace_method


# Input that Streamlit would lose when another run interferes.


def make_streamlit_finish_callbacks() -> None:
    """Make Streamlit finish a page's callbacks before it handles the browser's next request.

    The patch also applies to existing threads. It requires ``runner.fastReruns`` to be off, as in config.toml, so that
    requests wait for the running thread.

    - Symbol: `streamlit.runtime.state.session_state.SessionState._call_callbacks`,
      `streamlit.runtime.scriptrunner_utils.script_requests.ScriptRequests.on_scriptrunner_yield`.
    - Reason: Streamlit handles a request at a callback's next access to the session state, by raising an exception. It then
      mistakes the exception for a rerun requested by the callback, and skips the rest of the callback. Nothing runs it
      later, since the widget's value is no longer new.
    - Issue: none known. streamlit/streamlit#16158 prevents the same loss only for reruns that a callback itself requests.
    - Seen with: Streamlit 1.67.0.
    - Loss: a user's action, if the next follows within milliseconds, such as a pasted text when the box is closed right
      after.
    """
    callback_running_flag_of_thread = threading.local()

    @_build_method_replacing_decorator(SessionState, "_call_callbacks")
    def run_callbacks_without_interruption(original_method: Callable[..., None], self: SessionState, **given: Any) -> None:
        callback_running_flag_of_thread.calls_back = True
        try:
            original_method(self, **given)
        finally:
            callback_running_flag_of_thread.calls_back = False

    @_build_method_replacing_decorator(ScriptRequests, "on_scriptrunner_yield")
    def take_request_after_callbacks(
        original_method: Callable[[ScriptRequests], ScriptRequest | None], self: ScriptRequests
    ) -> ScriptRequest | None:
        return None if getattr(callback_running_flag_of_thread, "calls_back", False) else original_method(self)


def interrupt_only_when_drawing() -> None:
    """Make Streamlit interrupt a run only where it draws an element, and not where it reads or writes the session state.

    - Symbol: `streamlit.runtime.state.safe_session_state.SafeSessionState.__init__`.
    - Reason: a page notes that it has taken an event, and then changes the session as the event asks. Streamlit may
      interrupt it in between.
    - Issue: streamlit/streamlit#10578, open; its maintainers call it a price of fast answers.
    - Seen with: Streamlit 1.67.0.
    - Loss: the user's action, if the next one interrupts it.
    """

    @_build_method_replacing_decorator(SafeSessionState, "__init__")
    def init_uninterruptible_session_state(
        original_method: Callable[..., None], self: SafeSessionState, session_state: SessionState, yield_callback: object
    ) -> None:
        original_method(self, session_state, lambda: None)


def stop_forgetting_widget_values_early() -> None:
    """Make Streamlit forget the values of widgets only after a run that finished.

    - Symbol: `streamlit.runtime.state.safe_session_state.SafeSessionState.on_script_finished`.
    - Reason: Streamlit also forgets them before a run for which the browser names no values, such as that of
      ``st.switch_page``. Input from the page that is being left may interrupt that run, and names the values of all widgets
      there. Streamlit takes each for the user's change, as it knew no value before.
    - Issue: none known. streamlit/streamlit#8425 made Streamlit forget values when the page changes.
    - Seen with: Streamlit 1.67.0.
    - Loss: the user's choice of text, which the callback of an empty text box replaces; or the page, if that callback ends
      in an exception because the next page has drawn a widget with the same key.
    """

    @_build_method_replacing_decorator(SafeSessionState, "on_script_finished")
    def forget_widgets_only_if_asked(
        original_method: Callable[..., None], self: SafeSessionState, *widgets: frozenset[str], **given: Any
    ) -> None:
        # Only the end of a run says whether to forget.
        original_method(self, *widgets, **{"remove_stale_widgets": False, **given})


def rerun_page_for_lost_fragment() -> None:
    """Rerun the whole page on input to a fragment that was just replaced; Streamlit drops such input.

    Input from a fragment is still dropped once another page is being drawn, and so are automatic reruns of a fragment.

    - Symbol: `streamlit.runtime.app_session.AppSession.request_rerun`,
      `streamlit.runtime.scriptrunner.script_runner.ScriptRunner._run_script`,
      `streamlit.runtime.scriptrunner.script_runner.ScriptRunner._fragment_storage`,
      `streamlit.runtime.scriptrunner.script_runner.ScriptRunner._get_script_run_ctx`.
    - Reason: a run of the page replaces a fragment if elements above it appeared or disappeared, and the user may click
      before the browser has received the new fragment, or while the run that replaces it is in progress. If another page is
      drawn meanwhile, Streamlit takes the fragment for a part of the page before, and the browser clears the new page.
    - Issue: streamlit/streamlit#9921, closed; since streamlit/streamlit#10130 such input is dropped instead of an error.
    - Seen with: Streamlit 1.67.0.
    - Loss: the user's click or text, silently; or the page, which stays empty.
    """

    @_build_method_replacing_decorator(AppSession, "request_rerun")
    def request_whole_page_rerun_instead(
        original_method: Callable[..., None], self: AppSession, client_state: ClientState | None
    ) -> None:
        if (
            client_state is not None
            and client_state.fragment_id
            and not client_state.is_auto_rerun
            and client_state.page_script_hash == self.page_script_hash
            and not self.has_fragment(client_state.fragment_id)
        ):
            whole_page_client_state = ClientState()
            whole_page_client_state.CopyFrom(client_state)
            whole_page_client_state.fragment_id = ""
            client_state = whole_page_client_state
        original_method(self, client_state)

    @_build_method_replacing_decorator(ScriptRunner, "_run_script")
    def run_page_if_fragment_lost(original_method: Callable[..., None], self: ScriptRunner, rerun_data: RerunData) -> None:
        if rerun_data.fragment_id_queue and rerun_data.page_script_hash != self._get_script_run_ctx().page_script_hash:
            return
        has_lost_fragment = not all(map(self._fragment_storage.contains, rerun_data.fragment_id_queue))
        # Of several requests that waited, this flag is that of the last.
        is_automatic = rerun_data.is_auto_rerun and len(rerun_data.fragment_id_queue) == 1
        if has_lost_fragment and not is_automatic:
            rerun_data = replace(rerun_data, fragment_id_queue=[], is_fragment_scoped_rerun=False)
        original_method(self, rerun_data)


_pages_manager_by_requests: WeakKeyDictionary[ScriptRequests, PagesManager] = WeakKeyDictionary()


def keep_requested_page() -> None:
    """Open the page that the user has asked for, even if the page before asks for a rerun in the meantime.

    A click on the menu entry of the page that is being left counts as input to that page: the requests look the same.

    - Symbol: `streamlit.runtime.scriptrunner_utils.script_requests.ScriptRequests._request_rerun_locked`,
      `streamlit.runtime.scriptrunner_utils.script_requests.ScriptRequests._rerun_data`,
      `streamlit.runtime.scriptrunner_utils.script_requests.ScriptRequests._state`,
      `streamlit.runtime.scriptrunner.script_runner.ScriptRunner.__init__`,
      `streamlit.runtime.scriptrunner.script_runner.ScriptRunner._requests`,
      `streamlit.runtime.scriptrunner.script_runner.ScriptRunner._pages_manager`,
      `streamlit.runtime.pages_manager.PagesManager.current_page_script_hash`.
    - Reason: a request waits until the run in progress reaches a yield point. Streamlit merges the next into it, with the
      page and the link of the next, even if that is an ``st.rerun`` of the page that the user has left.
    - Issue: none known.
    - Seen with: Streamlit 1.67.0.
    - Loss: a click in the menu, or a step back, silently, if a job ends at that moment.
    """

    @_build_method_replacing_decorator(ScriptRunner, "__init__")
    def note_pages_manager(original_method: Callable[..., None], self: ScriptRunner, *given: Any, **named: Any) -> None:
        original_method(self, *given, **named)
        _pages_manager_by_requests[self._requests] = self._pages_manager

    @_build_method_replacing_decorator(ScriptRequests, "_request_rerun_locked")
    def merge_into_waiting_page(
        original_method: Callable[[ScriptRequests, RerunData], bool], self: ScriptRequests, new_data: RerunData
    ) -> bool:
        waiting_data = self._rerun_data
        # A thread that began before the patch applied is unknown.
        pages_manager = _pages_manager_by_requests.get(self)
        shown_page = pages_manager.current_page_script_hash if pages_manager else ""
        # A fragment that waits belongs to the page that was left.
        opens_other_page = waiting_data.page_script_hash not in {"", shown_page} and not waiting_data.fragment_id_queue
        # Only the browser names the values of widgets.
        goes_back = waiting_data.is_history_navigation and new_data.widget_states is None
        if (
            self._state is ScriptRequestType.RERUN
            and (opens_other_page or goes_back)
            and new_data.page_script_hash == shown_page
            and not new_data.is_history_navigation
        ):
            new_data = replace(
                new_data,
                query_string=waiting_data.query_string,
                page_script_hash=waiting_data.page_script_hash,
                page_name=waiting_data.page_name,
                is_history_navigation=waiting_data.is_history_navigation,
            )
        return original_method(self, new_data)


# Sending without delay.


def disable_send_delay(loop: AbstractEventLoop) -> None:
    """Disable Nagle's algorithm for servers that ``loop`` creates from now on.

    Connections inherit the option of the listening socket.

    - Symbol: `streamlit.web.server.starlette.starlette_server._bind_socket`, whose socket is changed.
    - Reason: asyncio does so only for connections whose socket names TCP as its protocol. Streamlit creates its socket with
      the family alone, which leaves the protocol 0 for every connection.
    - Issue: none known in Streamlit; Kludex/uvicorn#3149, open, is the same fault in the socket that uvicorn creates.
    - Seen with: Streamlit 1.67.0.
    - Loss: about 40 ms at each answer, because the body of a response, and the second of two messages, wait until the
      browser acknowledges the first part. Thirty files over one connection took 1.3 s, and take 0.03 s.
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

    - Symbol: `streamlit.components.v2.manifest_scanner.scan_component_manifests`,
      `streamlit.delta_generator._use_warning_has_been_displayed`.
    - Reason: the search reads the metadata of every installed package before the first response. The check, which would warn
      users of a prompt to use ``streamlit run``, reads the source of every stack frame and resolves the paths of a thousand
      modules when the first element is drawn.
    - Issue: none known.
    - Seen with: Streamlit 1.67.0.
    - Loss: a quarter of a second before the first response, and a tenth before the first element.
    """
    manifest_scanner.scan_component_manifests = lambda max_workers=None: []
    delta_generator._use_warning_has_been_displayed = True


# Uploads.

MOST_UPLOADED_BYTES = 200_000_000
"""Most bytes of all files that a session has uploaded, enough for ten of the largest; Streamlit keeps them all."""


def stop_dropping_upload_address_replies() -> None:
    """Stop Streamlit from dropping its replies to browsers that ask for an upload address.

    - Symbol: `streamlit.runtime.forward_msg_queue.ForwardMsgQueue.clear`,
      `streamlit.runtime.forward_msg_queue.ForwardMsgQueue._queue`.
    - Reason: when a run of the page begins, Streamlit drops the unsent messages of the previous run, and with them these
      replies, which do not belong to a run. This is likely on a busy server, or while a job reruns the page.
    - Issue: streamlit/streamlit#17030, open, reports the same fault for another reply, ``heartbeat_ack``.
    - Seen with: Streamlit 1.67.0.
    - Loss: the file that the user dropped on the page, silently: the browser waits forever.
    """

    @_build_method_replacing_decorator(ForwardMsgQueue, "clear")
    def clear_except_upload_address_replies(
        original_method: Callable[..., None],
        self: ForwardMsgQueue,
        retain_lifecycle_msgs: bool = False,
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        # Messages that were sent are not retained.
        queued_browser_messages = self._queue if retain_lifecycle_msgs else []
        unsent_upload_address_replies = [
            msg for msg in queued_browser_messages if msg.WhichOneof("type") == "file_urls_response"
        ]
        original_method(self, retain_lifecycle_msgs, fragment_ids_this_run)
        self._queue += [msg for msg in unsent_upload_address_replies if all(msg is not queued for queued in self._queue)]


def limit_uploads() -> None:
    """Make Streamlit refuse files that would exceed the session's upload limit.

    - Symbol: `streamlit.runtime.memory_uploaded_file_manager.MemoryUploadedFileManager.add_file`,
      `streamlit.runtime.memory_uploaded_file_manager.MemoryUploadedFileManager.file_storage`.
    - Reason: Streamlit keeps every file until the browser removes it or the session ends, even if no widget shows it.
    - Issue: streamlit/streamlit#3553, open.
    - Seen with: Streamlit 1.67.0.
    - Loss: the server's memory, which one session can fill.
    """

    @_build_method_replacing_decorator(MemoryUploadedFileManager, "add_file")
    def add_file_within_limit(
        original_method: Callable[..., None], self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec
    ) -> None:
        uploaded_file_by_id = self.file_storage.get(session_id, {})
        session_upload_byte_count = len(file.data) + sum(
            len(other.data) for number, other in [*uploaded_file_by_id.items()] if number != file.file_id
        )
        if session_upload_byte_count > MOST_UPLOADED_BYTES:
            raise HTTPException(
                413,
                f"The files of a session may have at most {MOST_UPLOADED_BYTES:,} bytes; with this one they would have "
                f"{session_upload_byte_count:,}. "
                "Remove others, or reload the page.",
            )
        original_method(self, session_id, file)


# What only private parts of Streamlit tell, or do.


def drop_expired_and_count_ended_sessions() -> int:
    """Drop the sessions that ended too long ago to reconnect, and return how many sessions have ended so far.

    - Symbol: `streamlit.runtime.runtime.Runtime._session_mgr`,
      `streamlit.runtime.websocket_session_manager.WebsocketSessionManager._connect_count`,
      `streamlit.runtime.websocket_session_manager.WebsocketSessionManager._session_storage`,
      `streamlit.runtime.memory_session_storage.MemorySessionStorage._cache`.
    - Reason: Streamlit drops ended sessions only when another session connects or ends, and has no function for it.
    - Issue: none known. streamlit/streamlit#8083 added a timer for it, and streamlit/streamlit#8281 removed it.
    - Seen with: Streamlit 1.67.0.
    - Loss: the memory of ended sessions, until another session connects or ends.
    """
    session_manager: Any = get_instance()._session_mgr
    session_manager._session_storage._cache.expire()
    return session_manager._connect_count - len(session_manager.list_sessions())  # type: ignore[no-any-return]


def is_page_script_running() -> bool:
    """Return whether a page's script is running.

    - Symbol: `streamlit.runtime.scriptrunner.script_runner.ScriptRunner.start`, which names the thread.
    - Reason: Streamlit tells this only of a single session, and only in its private state.
    - Issue: none known.
    - Seen with: Streamlit 1.67.0.
    - Loss: a quarter of a second at some clicks, in which the garbage collector stops every thread.
    """
    return any(thread.name == "ScriptRunner.scriptThread" for thread in threading.enumerate())


def server_host_and_page_address() -> tuple[str, str]:
    """Return the host at which a browser on this machine reaches the server, and the page's address.

    - Symbol: `streamlit.web.server.server_util.get_display_address`, `streamlit.web.server.server_util.get_url`.
    - Reason: the address depends on several options, and is to be the one that Streamlit prints.
    - Issue: none known.
    - Seen with: Streamlit 1.67.0.
    - Loss: the browser that opens with the server.
    """
    server_display_host = server_util.get_display_address(get_option("server.address") or "localhost")
    return server_display_host.strip("[]"), server_util.get_url(server_display_host)


def streamlit_static_folder() -> str:
    """Return the folder with the page and the scripts that Streamlit sends to browsers.

    - Symbol: `streamlit.file_util.get_static_dir`.
    - Reason: the style sheet is added to the page, and the scripts are sent from memory. Streamlit has neither a public name
      for the folder nor an option for either.
    - Issue: none known.
    - Seen with: Streamlit 1.67.0.
    - Loss: a page in the app's colours at its first paint, and the earlier arrival of the scripts; the hashes of the page's
      scripts, without which a content security policy blocks these.
    """
    return file_util.get_static_dir()
