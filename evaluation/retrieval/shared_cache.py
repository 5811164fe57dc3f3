"""What several threads need and one computes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Entry(Generic[Value]):
    """A value, or the place that one waits for it at."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.values: list[Value] = []


class SharedCache(Generic[Key, Value]):
    """The values that were used last, at most ``most`` of them; safe to share between threads.

    Of several threads that ask for one key, one computes and the others wait; those that ask for another key don't wait.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._entries: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """Return the value of ``key``; ``compute`` is called where there is none, and again next time where it raises."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > self.most:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.values:
                entry.values.append(compute())
            return entry.values[0]
