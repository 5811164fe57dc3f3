"""Caches of values derived from texts, each kept only while a session shows the text."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Hashable
from typing import Any, ParamSpec, TypeVar

from chunkers.support.recently_used import RecentlyUsed, kept_in
from chunkers.text.fitness import forget_texts
from chunkers.text.outline import forget_outlines

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")

CACHED_BYTES = 64 * 2**20
"""Size limit of each cache of data prepared for the browser; the least recently used entries are evicted first."""

_shown: Counter[str] = Counter()
_gone: deque[str] = deque()
_lock = threading.Lock()
_forgetters: list[Callable[[str], None]] = []


class Showing:
    """A marker in a session's state; while it exists, the session shows the text ``identity``.

    Parameters
    ----------
    identity
        The identity of the text's document.
    """

    def __init__(self, identity: str) -> None:
        self._identity = identity
        with _lock:
            _shown[identity] += 1

    def __del__(self) -> None:
        # Python may call this at any moment, in a thread that holds any lock, so it only appends to a queue.
        _gone.append(self._identity)


def forget_gone() -> None:
    """Drop the cached values of texts that no session shows any more."""
    while True:
        try:
            identity = _gone.popleft()
        except IndexError:
            return
        with _lock:
            _shown[identity] -= 1
            if _shown[identity] > 0:
                continue
            del _shown[identity]
        for forget in _forgetters:
            forget(identity)


def forget_by(forget: Callable[[str], None]) -> None:
    """Register a function to call with the identity of each text that no session shows any more."""
    _forgetters.append(forget)


def kept(
    size: float, key: Callable[..., tuple[Hashable, ...]], getsizeof: Callable[[Any], float] | None = None
) -> Callable[[Callable[Arguments, Made]], Callable[Arguments, Made]]:
    """Return a decorator that caches values derived from a text until no session shows the text.

    Parameters
    ----------
    size
        The maximum number of entries, or maximum sum of ``getsizeof``; the least recently used are dropped first.
    key
        Called with the function's arguments; returns the cache key, whose first element is the text's identity.
    """
    entries: RecentlyUsed[tuple[Hashable, ...], Any] = RecentlyUsed(size, getsizeof)
    # Callers that need a value being computed wait for it.
    changed = threading.Condition()

    def forget(identity: str) -> None:
        with changed:
            for stale_key in [cached_key for cached_key in entries if cached_key[0] == identity]:
                del entries[stale_key]

    def decorate(make: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
        forget_by(forget)
        return kept_in(entries, key, changed)(make)

    return decorate


forget_by(lambda _: forget_texts())
forget_by(lambda _: forget_outlines())
