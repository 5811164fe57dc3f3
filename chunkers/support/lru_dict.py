"""Dictionaries that drop the least recently used entries."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, MutableMapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")


class LRUDict(MutableMapping[Key, Value]):
    """A bounded dictionary that drops the least recently used entries; not thread-safe.

    Parameters
    ----------
    max_total_size
        Maximum number of entries, or maximum total size of their values. A value larger than the maximum is not kept.
    size_of_value
        Function that returns the size of a value; None for a size of 1.
    """

    def __init__(self, max_total_size: float, size_of_value: Callable[[Value], float] | None = None) -> None:
        self.maxsize = max_total_size
        self.total_size: float = 0
        self._size_of_value = size_of_value or (lambda _: 1)
        self._entries: OrderedDict[Key, Value] = OrderedDict()

    def __getitem__(self, key: Key) -> Value:
        cached_entry_value = self._entries[key]
        self._entries.move_to_end(key)
        return cached_entry_value

    def __setitem__(self, key: Key, value: Value) -> None:
        self.pop(key, None)
        entry_size = self._size_of_value(value)
        if entry_size > self.maxsize:
            return
        self._entries[key] = value
        self.total_size += entry_size
        while self.total_size > self.maxsize:
            del self[next(iter(self._entries))]

    def __delitem__(self, key: Key) -> None:
        self.total_size -= self._size_of_value(self._entries.pop(key))

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()
        self.total_size = 0

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[Key]:
        return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)


def cache_results_in(
    cache: LRUDict[Any, Any],
    key_function: Callable[..., Hashable],
    cache_lock_condition: threading.Condition | None = None,
) -> Callable[[Callable[Arguments, Value]], Callable[Arguments, Value]]:
    """Return a decorator that caches a function's results; concurrent callers wait for the first caller's result.

    Parameters
    ----------
    key_function
        Function from the arguments to the cache key.
    cache_lock_condition
        Condition held while the entries are read or changed; other threads must hold it too.
    """
    key_completion_condition = cache_lock_condition or threading.Condition()
    keys_in_progress: set[Hashable] = set()

    def decorate(decorated_function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
        @wraps(decorated_function)
        def call_function_through_cache(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
            cache_key = key_function(*args, **kwargs)
            with key_completion_condition:
                key_completion_condition.wait_for(lambda: cache_key not in keys_in_progress)
                if cache_key in cache:
                    cached_value: Value = cache[cache_key]
                    return cached_value
                keys_in_progress.add(cache_key)
            try:
                computed_function_result = decorated_function(*args, **kwargs)
                with key_completion_condition:
                    cache[cache_key] = computed_function_result
                return computed_function_result
            finally:
                with key_completion_condition:
                    keys_in_progress.discard(cache_key)
                    key_completion_condition.notify_all()

        def cache_clear() -> None:
            with key_completion_condition:
                cache.clear()

        call_function_through_cache.cache_clear = cache_clear  # type: ignore[attr-defined]
        return call_function_through_cache

    return decorate
