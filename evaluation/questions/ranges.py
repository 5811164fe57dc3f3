"""Arithmetic of half-open ranges on one axis."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from chunkers import Span


def union(ranges: Iterable[tuple[int, int]]) -> list[Span]:
    """Return the union of ranges as ascending spans that neither overlap nor touch."""
    spans: list[Span] = []
    for start, end in sorted(ranges):
        if start >= end:
            continue
        if spans and start <= spans[-1].end:
            spans[-1] = Span(spans[-1].start, max(spans[-1].end, end))
        else:
            spans.append(Span(start, end))
    return spans


def intersection(left: Iterable[tuple[int, int]], right: Iterable[tuple[int, int]]) -> list[Span]:
    """Return the overlap of two sets of ranges as ascending spans that neither overlap nor touch."""
    one, other = union(left), union(right)
    spans = []
    i = j = 0
    while i < len(one) and j < len(other):
        start, end = max(one[i].start, other[j].start), min(one[i].end, other[j].end)
        if start < end:
            spans.append(Span(start, end))
        if one[i].end < other[j].end:
            i += 1
        else:
            j += 1
    return spans


def difference(left: Iterable[tuple[int, int]], right: Iterable[tuple[int, int]]) -> list[Span]:
    """Return the parts of ``left`` outside ``right`` as ascending spans that neither overlap nor touch."""
    spans = []
    removed = union(right)
    for start, end in union(left):
        at = start
        for first, last in removed:
            if last <= at or first >= end:
                continue
            if first > at:
                spans.append(Span(at, first))
            at = last
        if at < end:
            spans.append(Span(at, end))
    return spans


class Covered:
    """Union of ranges that grows as ranges are added."""

    def __init__(self) -> None:
        # The bounds of ascending ranges that do not overlap.
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, ranges: Iterable[tuple[int, int]]) -> list[Span]:
        """Add ranges, and return the parts of them that were not yet covered."""
        return union(part for start, end in ranges if start < end for part in self._add(start, end))

    def _add(self, start: int, end: int) -> Iterator[Span]:
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        at = start
        for begin, stop in zip(self._starts[first:last], self._ends[first:last], strict=True):
            if begin > at:
                yield Span(at, begin)
            at = stop
        if at < end:
            yield Span(at, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last], self._ends[first:last] = [start], [end]


def characters(ranges: Sequence[tuple[int, int]]) -> int:
    """Return the total length of ranges, counting text once for each range that contains it."""
    return sum(end - start for start, end in ranges)
