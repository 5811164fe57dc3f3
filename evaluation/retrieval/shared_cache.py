"""A cache in which one thread computes what several need."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Entry(Generic[Value]):
    """A value, or the lock on which threads wait for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.values: list[Value] = []


class SharedCache(Generic[Key, Value]):
    """Thread-safe LRU cache that holds up to ``most`` values.

    If several threads request the same key, one thread computes the value and the others wait. Requests for other keys do
    not wait.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._entries: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """Return the cached value of ``key``, computing it if it is missing.

        If computing fails, the next call computes again.
        """
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > self.most:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.values:
                entry.values.append(compute())
            return entry.values[0]
