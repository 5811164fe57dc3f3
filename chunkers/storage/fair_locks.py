"""Turns for each embedder, in order of arrival, so that no two runs compute the same vectors.

The order is determined by `next_arrival_number`, which a job calls when it is created. A job may spend some time counting
and looking up texts before it needs its turn; waiting jobs are served in the order of their arrival.
"""

import threading
from bisect import insort
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

from chunkers.support import raise_if_cancelled

_SECONDS_BETWEEN_CHECKS = 0.05
"""Seconds between two looks at whether a waiting run was cancelled."""


_arrival_number_counter = count()


def next_arrival_number() -> int:
    """Return the next arrival number, which determines the caller's position in queues."""
    return next(_arrival_number_counter)


@dataclass(eq=False, order=False)
class _Ticket:
    """A place in a queue."""

    arrival: int


@dataclass
class _Queue:
    """Tickets waiting for a turn; ``depth`` counts how often the thread of the first ticket has taken it."""

    tickets: list[_Ticket] = field(default_factory=list)
    holder: int | None = None
    depth: int = 0


class FairLocks:
    """First-come, first-served locks, one per key."""

    def __init__(self) -> None:
        self._queues: dict[Hashable, _Queue] = {}
        self._changed = threading.Condition()

    @contextmanager
    def acquire(
        self,
        key: Hashable,
        cancelled: Callable[[], bool] = bool,
        report_queue_place: Callable[[int], None] = lambda ahead: None,
        arrival_number: int | None = None,
    ) -> Iterator[None]:
        """Return a context manager that waits for the lock of ``key`` and holds it; a thread may take the lock repeatedly.

        Parameters
        ----------
        cancelled
            Called while waiting; returns true to end the wait.
        report_queue_place
            Called with the number of callers ahead, whenever it changes, and with 0 when the turn has come.
        arrival_number
            The caller's number from `next_arrival_number`; None for a new arrival number.

        Raises
        ------
        Cancelled
            If ``cancelled`` becomes true before the turn has come.
        """
        lock_queue_ticket = self._take_ticket_and_wait(
            key, cancelled, report_queue_place, next_arrival_number() if arrival_number is None else arrival_number
        )
        try:
            yield
        finally:
            self._release_lock(key, lock_queue_ticket)

    def _take_ticket_and_wait(
        self, key: Hashable, cancelled: Callable[[], bool], report_queue_place: Callable[[int], None], arrival_number: int
    ) -> _Ticket:
        own_ticket, own_thread_id = _Ticket(arrival_number), threading.get_ident()
        with self._changed:
            lock_queue_of_key = self._queues.setdefault(key, _Queue())
            if lock_queue_of_key.holder == own_thread_id:
                lock_queue_of_key.depth += 1
                return lock_queue_of_key.tickets[0]
            # By its arrival number, behind the ticket that holds the lock.
            insort(
                lock_queue_of_key.tickets,
                own_ticket,
                lo=lock_queue_of_key.holder is not None,
                key=lambda queued: queued.arrival,
            )
        last_reported_queue_place = None
        try:
            while True:
                with self._changed:
                    callers_ahead_count = lock_queue_of_key.tickets.index(own_ticket)
                    if callers_ahead_count == 0:
                        lock_queue_of_key.holder, lock_queue_of_key.depth = own_thread_id, 1
                        break
                # Called without the lock: the caller's code may take its time.
                if callers_ahead_count != last_reported_queue_place:
                    report_queue_place(callers_ahead_count)
                    last_reported_queue_place = callers_ahead_count
                raise_if_cancelled(cancelled)
                with self._changed:
                    if lock_queue_of_key.tickets[0] is not own_ticket:
                        self._changed.wait(_SECONDS_BETWEEN_CHECKS)
        except BaseException:
            with self._changed:
                lock_queue_of_key.tickets.remove(own_ticket)
                self._forget_empty_queue(key, lock_queue_of_key)
            raise
        if last_reported_queue_place is not None:
            report_queue_place(0)
        return own_ticket

    def _release_lock(self, key: Hashable, ticket: _Ticket) -> None:
        with self._changed:
            lock_queue_of_key = self._queues[key]
            lock_queue_of_key.depth -= 1
            if lock_queue_of_key.depth == 0:
                lock_queue_of_key.holder = None
                lock_queue_of_key.tickets.remove(ticket)
                self._forget_empty_queue(key, lock_queue_of_key)

    def _forget_empty_queue(self, key: Hashable, queue: _Queue) -> None:
        if not queue.tickets:
            self._queues.pop(key, None)
        self._changed.notify_all()
