"""Requests with a deadline, which the user can also cancel while a server hangs."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from chunkers.support.errors import Cancelled, InputError

if TYPE_CHECKING:
    import httpx2

Answer = TypeVar("Answer")

_POLL_S = 0.05
"""Seconds between checks for whether the user has stopped."""

_NOT_REACHED = {"connection.connect_tcp.failed", "connection.start_tls.failed"}
"""Events in the client's trace for a connection that could not be made."""

EVENTS = "text/event-stream"
"""Content type of an answer that is sent piece by piece."""

LARGEST_REFUSAL = 100_000
"""Maximum number of bytes that are read of an answer that is no success; only its status and the setting it names are
looked at.
"""

_FIRST_LOOK, _GROWTH = 4_000, 1.25
"""Bytes after which a stream of events is first looked at, and the factor by which it grows until the next look."""

_cancelled: ContextVar[Callable[[], bool]] = ContextVar("_cancelled", default=bool)
_thread = threading.local()


class TooLate(Exception):
    """Error for a request that missed its deadline."""


class TooLarge(Exception):
    """Error for an answer that is larger than allowed, or compressed and therefore of unknown size."""


@contextmanager
def cancellable(cancelled: Callable[[], bool]) -> Iterator[None]:
    """Return a context manager in which requests are abandoned as soon as ``cancelled`` returns true."""
    token = _cancelled.set(cancelled)
    try:
        yield
    finally:
        _cancelled.reset(token)


def _always(before: int) -> None:
    """Let a request be sent."""


def never_enough(body: bytes) -> bool:
    """Return False, so that every answer is read to its end."""
    return False


@dataclass
class Attempts:
    """Counts of one call's requests and their outcomes, including retries.

    Attributes
    ----------
    allow
        Called before each request with the number of earlier requests; an exception that it raises ends the call.
    sent
        Number of requests begun, including requests that failed to connect.
    refused
        Number of requests that were answered with an error or never reached the server.
    whole
        Number of requests whose answer arrived completely.
    """

    allow: Callable[[int], None] = _always
    sent: int = 0
    refused: int = 0
    whole: int = 0

    @property
    def unanswered(self) -> int:
        """Number of requests whose outcome on the server is unknown."""
        return self.sent - self.refused - self.whole


class _Call:
    """A request that runs in a thread of its own; once it is abandoned, nobody waits for it."""

    def __init__(self, largest: int, attempts: Attempts, is_enough: Callable[[bytes], bool]) -> None:
        self.largest = largest
        self.is_enough = is_enough
        self.attempts = attempts
        self.abandoned = False
        self.ended = threading.Event()
        self.outcome: tuple[Any, BaseException | None] = (None, None)
        self._lock = threading.Lock()

    def check(self, received: int = 0) -> None:
        if self.abandoned:
            raise Cancelled
        if received > self.largest:
            raise TooLarge

    def begin(self) -> None:
        """Count a request that is about to be sent. Raise an error if the call was abandoned."""
        with self._lock:
            self.check()
            self.attempts.allow(self.attempts.sent)
            self.attempts.sent += 1

    def hear(self, event: str, _: object) -> None:
        """Count a request that failed to connect and so never reached the server."""
        self.attempts.refused += event in _NOT_REACHED

    def abandon(self) -> None:
        with self._lock:
            self.abandoned = True


def ask(
    work: Callable[[], Answer],
    deadline: float,
    largest: int,
    attempts: Attempts | None = None,
    is_enough: Callable[[bytes], bool] = never_enough,
) -> Answer:
    """Run ``work`` in a thread with a deadline; return its result or raise its error.

    ``work`` sends requests through a client with `HOOKS`. An abandoned thread ends with the next byte that arrives or,
    if the server sends nothing, with the client's own time-out.

    Parameters
    ----------
    deadline
        Maximum duration in seconds, retries included.
    largest
        Maximum size of an answer in bytes.
    attempts
        Counters of the requests; they may refuse a request before it is sent.
    is_enough
        Called now and then with a stream of server-sent events as far as it has arrived; if it returns true, the
        connection is closed, and the answer ends there.

    Raises
    ------
    Cancelled
        If the user stops while it runs.
    TooLate
        If the deadline passes.
    """
    cancelled = _cancelled.get()
    call = _Call(largest, Attempts() if attempts is None else attempts, is_enough)

    def run() -> None:
        _thread.call = call
        try:
            call.outcome = work(), None
        except BaseException as error:
            if isinstance(error, InputError):
                # What led to it holds the request, and so the key; ``from None`` only keeps that from being printed.
                error.__context__ = error.__cause__ = None
            call.outcome = None, error
        finally:
            call.ended.set()

    latest = time.monotonic() + deadline
    threading.Thread(target=run, daemon=True, name="request").start()
    try:
        while not call.ended.wait(_POLL_S):
            if cancelled() or time.monotonic() > latest:
                raise TooLate if time.monotonic() > latest else Cancelled
    except BaseException:
        # A terminal's interruption comes here too; no retry may follow it.
        call.abandon()
        raise
    answer, error = call.outcome
    if error is not None:
        raise error
    result: Answer = answer
    return result


@cache
def _watched() -> type[Any]:
    """Return the class of a body that is looked at while it comes; httpx2 is imported when a server is first asked."""
    import httpx2

    class Watched(httpx2.SyncByteStream):
        def __init__(self, stream: Any, call: _Call, success: bool, events: bool) -> None:
            self._stream, self._call, self._success, self._events = stream, call, success, events

        def __iter__(self) -> Iterator[bytes]:
            received, next_look, body = 0, float(_FIRST_LOOK), bytearray()
            for part in self._stream:
                received += len(part)
                self._call.check(received if self._success else 0)
                yield part
                if received > LARGEST_REFUSAL and not self._success:
                    return
                if self._success and self._events:
                    body += part
                    if received >= next_look:
                        next_look = received * _GROWTH
                        if self._call.is_enough(bytes(body)):
                            return
            self._call.attempts.whole += self._success

        def close(self) -> None:
            self._stream.close()

    return Watched


def _before_request(request: "httpx2.Request") -> None:
    call: _Call = _thread.call
    call.begin()
    request.extensions["trace"] = call.hear


def _after_response(response: "httpx2.Response") -> None:
    call: _Call = _thread.call
    call.attempts.refused += not response.is_success
    length = response.headers.get("content-length", "") if response.is_success else ""
    call.check(int(length) if length.isdecimal() and len(length) < 20 else 0)
    if response.headers.get("content-encoding", "identity") != "identity":
        raise TooLarge
    events = response.headers.get("content-type", "").startswith(EVENTS)
    response.stream = _watched()(response.stream, call, response.is_success, events)


HOOKS: dict[str, list[Callable[..., Any]]] = {"request": [_before_request], "response": [_after_response]}
"""Callbacks of a client, run before each request and after the head of each answer."""
