"""Patches for uploads: none is lost when the page is redrawn, and each session has a size limit."""

from __future__ import annotations

from functools import wraps
from inspect import unwrap

from starlette.exceptions import HTTPException
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

MOST_UPLOADED = 200_000_000
"""Most bytes of all files that a session has uploaded, enough for ten of the largest; Streamlit keeps them all."""


def keep_upload_addresses() -> None:
    """Stop Streamlit from dropping its replies to browsers that ask for an upload address.

    When a run of the page begins, Streamlit drops the unsent messages of the previous run, and with them these replies,
    which do not belong to a run. The browser then waits forever, and the file that the user dropped on the page is lost
    silently. This is likely on a busy server, or while a job reruns the page. A second call has no effect.
    """
    clear = unwrap(ForwardMsgQueue.clear)

    @wraps(clear)
    def clear_but_addresses(
        self: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: list[str] | None = None
    ) -> None:
        # Messages that were sent are not retained.
        queue = self._queue if retain_lifecycle_msgs else []
        waiting = [msg for msg in queue if msg.WhichOneof("type") == "file_urls_response"]
        clear(self, retain_lifecycle_msgs, fragment_ids_this_run)
        self._queue += [msg for msg in waiting if all(msg is not kept for kept in self._queue)]

    ForwardMsgQueue.clear = clear_but_addresses  # type: ignore[method-assign]


def limit_uploads() -> None:
    """Make Streamlit refuse files that would exceed the session's upload limit; a second call has no effect.

    Streamlit keeps every file until the browser removes it or the session ends, even if no widget shows it.
    """
    add = unwrap(MemoryUploadedFileManager.add_file)

    @wraps(add)
    def add_within_limit(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
        kept = self.file_storage.get(session_id, {})
        size = len(file.data) + sum(len(other.data) for number, other in [*kept.items()] if number != file.file_id)
        if size > MOST_UPLOADED:
            raise HTTPException(
                413,
                f"The files of a session may have at most {MOST_UPLOADED:,} bytes; with this one they would have {size:,}. "
                "Remove others, or reload the page.",
            )
        add(self, session_id, file)

    MemoryUploadedFileManager.add_file = add_within_limit  # type: ignore[method-assign]
