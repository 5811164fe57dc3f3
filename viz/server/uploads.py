"""Uploads: none is lost because the page is drawn again, and no session has more kept than there is room for."""

from __future__ import annotations

from functools import wraps
from inspect import unwrap

from starlette.exceptions import HTTPException
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

MOST_UPLOADED = 200_000_000
"""Bytes of all files that a session has uploaded, which Streamlit keeps as long as the session: ten of the largest."""


def keep_upload_addresses() -> None:
    """Make the queue keep its answers to browsers that ask where to send a file.

    When a run of the page begins, Streamlit drops what it has not sent of the run before, and with it these answers, which
    belong to no run. The browser then waits for good, and the file that the user has dropped on the page is lost without a
    word: likely on a busy server, or while a job has the page drawn again. A second call changes nothing.
    """
    clear = unwrap(ForwardMsgQueue.clear)

    @wraps(clear)
    def clear_but_addresses(
        self: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: list[str] | None = None
    ) -> None:
        # Whatever was sent is not retained.
        queue = self._queue if retain_lifecycle_msgs else []
        waiting = [msg for msg in queue if msg.WhichOneof("type") == "file_urls_response"]
        clear(self, retain_lifecycle_msgs, fragment_ids_this_run)
        self._queue += [msg for msg in waiting if all(msg is not kept for kept in self._queue)]

    ForwardMsgQueue.clear = clear_but_addresses  # type: ignore[method-assign]


def limit_uploads() -> None:
    """Refuse the file with which the files of a session would have too many bytes; a second call changes nothing.

    Streamlit keeps every file until the browser takes it back or the session ends, whether a widget shows it or none.
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
