"""Background clean-up: release ended sessions and everything cached for them."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

from streamlit.runtime import get_instance

_log = logging.getLogger(__name__)

EVERY_S = 20.0
"""Seconds between two checks; Streamlit keeps a disconnected session for two minutes, in case its page reconnects."""

LONGEST_WAIT = 15
"""Most checks in a row that postpone garbage collection because a page is being drawn."""


async def keep_house() -> None:
    """Release ended sessions every `EVERY_S` seconds, until cancelled."""
    house = Housekeeper()
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            house.look()
        except Exception:
            # The server continues without it; the next check may succeed.
            _log.exception("Sessions that have ended could not be released.")


class Housekeeper:
    """A recurring check that releases the memory of ended sessions.

    Streamlit drops ended sessions only when another session connects or ends. Much of a session is in reference cycles,
    which only the garbage collector frees. The collector stops all threads, so it runs only after sessions have ended and,
    if possible, while no page is being drawn.
    """

    def __init__(self) -> None:
        self._ended = 0
        self._owed = 0

    def look(self) -> None:
        """Check for sessions that have ended since the last check, and collect garbage if there are any."""
        manager: Any = get_instance()._session_mgr
        drop_expired(manager)
        ended = manager._connect_count - len(manager.list_sessions())
        if self._owed or ended > self._ended:
            self._owed += 1
        self._ended = ended
        if self._owed > LONGEST_WAIT or (self._owed and not is_drawing()):
            # The server starts before these are imported; by now they are loaded.
            from viz.jobs.background import registry
            from viz.jobs.resources import collect_garbage, give_back_memory
            from viz.jobs.texts import forget_gone

            collect_garbage()
            # Only now is it known that their cached values are unused.
            forget_gone()
            registry().forget_left()
            give_back_memory()
            self._owed = 0


def is_drawing() -> bool:
    """Return whether a page's script is running."""
    return any(thread.name == "ScriptRunner.scriptThread" for thread in threading.enumerate())


def drop_expired(manager: Any) -> None:
    """Make Streamlit drop expired sessions, for which Streamlit has no public function."""
    manager._session_storage._cache.expire()
