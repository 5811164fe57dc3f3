"""Index of short runs of characters in several texts, to search for a passage only where it can be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunkers.support.arrays import IntArray
from chunkers.text.document import Span

SIZE = 12
"""Characters of a run."""

STEP = 4
"""Distance of the runs that are indexed: a passage of this many characters more than a run has one of them in any place."""

SHORTEST_INDEXED = SIZE + STEP - 1
"""Minimum number of characters of a text that can be located by the runs of characters it shares with a document."""

MOST_SHARED = 20_000
"""Maximum number of places of runs with which a changed passage is searched for, the rarest runs first."""

EVERY = 200
"""Characters of a changed passage for which it shares one more run with where it is searched for."""

_FACTOR = 0x9E3779B97F4A7C15


class SharedRuns:
    """Runs of `SIZE` characters at every `STEP` characters of some texts, by hash."""

    def __init__(self, texts: Sequence[str]) -> None:
        hashes = [_hashes(text)[::STEP] for text in texts]
        counts = np.array([len(own) for own in hashes], dtype=np.intp)
        everything = np.concatenate(hashes) if hashes else np.empty(0, dtype=np.uint64)
        order = np.argsort(everything, kind="stable")
        self._hashes = everything[order]
        self._order = order.astype(np.uint32)
        self._first = np.cumsum(counts) - counts

    def holders(self, text: str) -> list[int]:
        """Return the numbers of the texts that may contain ``text``, which has at least `SHORTEST_INDEXED` characters."""
        first, counts = self._looked_up(text)
        # A text that contains it has all runs of one of the alignments, and so the rarest of them.
        rarest = [start + STEP * int(counts[start::STEP].argmin()) for start in range(STEP)]
        numbers, _ = self._occurrences(first[rarest], counts[rarest])
        return [int(number) for number in np.unique(numbers)]

    def near(self, text: str, reach: int) -> dict[int, list[Span]]:
        """Return the ranges that share runs with ``text``, by the number of their text, disjoint and in order.

        A range is as long as ``text`` and ``reach`` characters more on both sides. It shares one run, and another for every
        `EVERY` characters of ``text``.
        """
        first, counts = self._looked_up(text)
        order = np.argsort(counts, kind="stable")
        rare = np.sort(order[np.cumsum(counts[order]) <= MOST_SHARED])
        numbers, starts = self._occurrences(first[rare], counts[rare])
        starts -= np.repeat(rare, counts[rare])
        ranges: dict[int, list[Span]] = {}
        shared: dict[int, list[int]] = {}
        for at in np.lexsort((starts, numbers)).tolist():
            own, counted = ranges.setdefault(int(numbers[at]), []), shared.setdefault(int(numbers[at]), [])
            start, end = max(0, int(starts[at]) - reach), int(starts[at]) + len(text) + reach
            if own and start <= own[-1].end:
                own[-1] = Span(own[-1].start, max(own[-1].end, end))
                counted[-1] += 1
            else:
                own.append(Span(start, end))
                counted.append(1)
        least = 1 + len(text) // EVERY
        return {
            number: near
            for number, own in ranges.items()
            if (near := [span for span, count in zip(own, shared[number], strict=True) if count >= least])
        }

    def _looked_up(self, text: str) -> tuple[IntArray, IntArray]:
        """Return the first place of each run of a text among the sorted runs, and the number of its places."""
        hashes = _hashes(text)
        first = np.searchsorted(self._hashes, hashes, "left")
        return first, np.searchsorted(self._hashes, hashes, "right") - first

    def _occurrences(self, first: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the text and the place in it of every occurrence of some runs."""
        before = np.cumsum(counts) - counts
        places = np.arange(counts.sum()) + np.repeat(first - before, counts)
        starts = self._order[places].astype(np.intp)
        numbers = np.searchsorted(self._first, starts, "right") - 1
        return numbers, (starts - self._first[numbers]) * STEP


def _hashes(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return the hash of every run of a text, shape (characters - `SIZE` + 1,)."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    if len(codes) < SIZE:
        return np.empty(0, dtype=np.uint64)
    factor = np.uint64(_FACTOR)
    hashes = codes[: len(codes) - SIZE + 1].copy()
    for at in range(1, SIZE):
        hashes *= factor
        hashes += codes[at : len(codes) - SIZE + 1 + at]
    return hashes
