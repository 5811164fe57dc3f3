"""An upload is not lost because the page is drawn again: what Streamlit's queue of messages drops too much of."""

from __future__ import annotations

from functools import wraps
from inspect import unwrap

from streamlit.runtime.forward_msg_queue import ForwardMsgQueue


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
