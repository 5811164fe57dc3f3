"""Turns: who came first computes first, one at a time for each embedder, so that none computes what another is computing."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from chunkers.errors import Cancelled

_POLL_S = 0.05
"""Seconds between two looks at whether a waiting run was cancelled."""


def _not_told(ahead: int) -> None:
    """Tell nobody."""


@dataclass
class _Queue:
    """Those that wait for a turn, the first of which has it; ``depth`` counts how often its thread has taken it."""

    tickets: deque[object] = field(default_factory=deque)
    holder: int | None = None
    depth: int = 0


class Turns:
    """First come, first served, for each key by itself."""

    def __init__(self) -> None:
        self._queues: dict[Hashable, _Queue] = {}
        self._changed = threading.Condition()

    @contextmanager
    def take(
        self, key: Hashable, cancelled: Callable[[], bool] = bool, waiting: Callable[[int], None] = _not_told
    ) -> Iterator[None]:
        """Wait for the turn of ``key`` and hold it inside; a thread that holds it may take it again.

        Parameters
        ----------
        cancelled
            Asked while it waits.
        waiting
            Called with the number of those ahead, whenever that changes, and with 0 when the turn has come.

        Raises
        ------
        Cancelled
            If ``cancelled`` becomes true before the turn has come.
        """
        ticket = self._wait(key, cancelled, waiting)
        try:
            yield
        finally:
            self._leave(key, ticket)

    def _wait(self, key: Hashable, cancelled: Callable[[], bool], waiting: Callable[[int], None]) -> object:
        ticket, me = object(), threading.get_ident()
        with self._changed:
            queue = self._queues.setdefault(key, _Queue())
            if queue.holder == me:
                queue.depth += 1
                return queue.tickets[0]
            queue.tickets.append(ticket)
        told = None
        try:
            while True:
                with self._changed:
                    ahead = queue.tickets.index(ticket)
                    if ahead == 0:
                        queue.holder, queue.depth = me, 1
                        break
                # Called without the lock: the caller's code may take its time.
                if ahead != told:
                    waiting(ahead)
                    told = ahead
                if cancelled():
                    raise Cancelled
                with self._changed:
                    if queue.tickets[0] is not ticket:
                        self._changed.wait(_POLL_S)
        except BaseException:
            with self._changed:
                queue.tickets.remove(ticket)
                self._forget(key, queue)
            raise
        if told is not None:
            waiting(0)
        return ticket

    def _leave(self, key: Hashable, ticket: object) -> None:
        with self._changed:
            queue = self._queues[key]
            queue.depth -= 1
            if queue.depth == 0:
                queue.holder = None
                queue.tickets.remove(ticket)
                self._forget(key, queue)

    def _forget(self, key: Hashable, queue: _Queue) -> None:
        if not queue.tickets:
            self._queues.pop(key, None)
        self._changed.notify_all()
