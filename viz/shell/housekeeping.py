"""Clean-up in the background: release sessions that have ended, with everything cached for them."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

from streamlit.runtime import get_instance

_log = logging.getLogger(__name__)

EVERY_S = 20.0
"""Seconds between two looks; Streamlit keeps a session that was left for two minutes, in case its page comes back."""

LONGEST_WAIT = 15
"""Looks at which garbage is not collected because a page is being drawn; at the next it is all the same."""


async def keep_house() -> None:
    """Release ended sessions every `EVERY_S` seconds, until cancelled."""
    house = Housekeeper()
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            house.look()
        except Exception:
            # The server works on without it; the next look may succeed.
            _log.exception("Sessions that have ended could not be released.")


class Housekeeper:
    """Releases sessions that have ended.

    Streamlit drops them only when another session comes or goes. What refers to itself in a circle, as much of a session
    does, is freed by the garbage collector, which stops all threads: it is called when sessions have ended, and if possible
    while no page is being drawn.
    """

    def __init__(self) -> None:
        self._ended = 0
        self._owed = 0

    def look(self) -> None:
        """Look whether sessions have ended since the last time."""
        manager: Any = get_instance()._session_mgr
        drop_expired(manager)
        ended = manager._connect_count - len(manager.list_sessions())
        if self._owed or ended > self._ended:
            self._owed += 1
        self._ended = ended
        if self._owed > LONGEST_WAIT or (self._owed and not is_drawing()):
            # The server answers before these are imported; by now they are.
            from viz.jobs.background import registry
            from viz.jobs.resources import collect_garbage, give_back_memory
            from viz.jobs.texts import forget_gone

            collect_garbage()
            # What was kept for them is known to be of no use only now.
            forget_gone()
            registry().forget_left()
            give_back_memory()
            self._owed = 0


def is_drawing() -> bool:
    """Return whether the script of a page is running."""
    return any(thread.name == "ScriptRunner.scriptThread" for thread in threading.enumerate())


def drop_expired(manager: Any) -> None:
    """Make Streamlit drop the sessions whose time is over, which it has no public way to ask for."""
    manager._session_storage._cache.expire()
