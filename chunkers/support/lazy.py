"""A tuple that is computed when it is first read."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


class LazyTuple(Sequence[T_co]):
    """A sequence that is computed when it is first read, and is equal to the tuple of its items.

    This is for parts of a result that take longer than the cutting, such as the ledger of a chunker that cuts by a
    count: callers who want only the chunks never read it. Comparing, hashing and pickling read it.
    """

    def __init__(self, compute: Callable[[], tuple[T_co, ...]]) -> None:
        self._compute = compute

    @cached_property
    def _items(self) -> tuple[T_co, ...]:
        return self._compute()

    @overload
    def __getitem__(self, place: int) -> T_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, place: int | slice) -> T_co | tuple[T_co, ...]:
        return self._items[place]

    def __add__(self, others: object) -> tuple[T_co, ...]:
        return self._items + tuple(others) if isinstance(others, tuple | LazyTuple) else NotImplemented

    def __radd__(self, others: object) -> tuple[T_co, ...]:
        return others + self._items if isinstance(others, tuple) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LazyTuple):
            return self is other or bool(self._items == other._items)
        return self._items == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._items)

    def __reduce__(self) -> tuple[type[tuple[T_co, ...]], tuple[tuple[T_co, ...]]]:
        return tuple, (self._items,)

    def __iter__(self) -> Iterator[T_co]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)
