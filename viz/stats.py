"""Numbers about chunks that the page shows: sizes, changes, agreement with known boundaries."""

from __future__ import annotations

import statistics
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from chunkers import Chunking, Document


@dataclass(frozen=True)
class Sizes:
    """Minimum, median, mean and maximum of one measure over the chunks."""

    unit: str
    least: float
    median: float
    mean: float
    most: float


def sizes(chunking: Chunking, count_tokens: Callable[[Sequence[str]], list[int]]) -> list[Sizes]:
    """Return the sizes of the chunks in sentences, words, characters and tokens; empty without chunks."""
    texts = [chunk.text for chunk in chunking.chunks]
    if not texts:
        return []
    measured = {
        "sentences": sentence_counts(chunking),
        "words": [len(text.split()) for text in texts],
        "characters": [len(text) for text in texts],
        "tokens": count_tokens(texts),
    }
    return [
        Sizes(unit, min(values), statistics.median(values), statistics.fmean(values), max(values))
        for unit, values in measured.items()
    ]


def sentence_counts(chunking: Chunking) -> list[int]:
    """Return how many sentences each chunk touches."""
    starts = [span.start for span in chunking.document.sentences]
    return [
        sum(bisect_right(starts, end - 1) - max(bisect_right(starts, start) - 1, 0) for start, end in chunk.spans)
        for chunk in chunking.chunks
    ]


def boundaries(chunking: Chunking) -> list[int]:
    """Return the code points at which every chunk but the first begins."""
    return [chunk.start for chunk in chunking.chunks[1:]]


@dataclass(frozen=True)
class Change:
    """Boundaries that a change of parameters added, removed and moved."""

    added: int
    removed: int
    moved: int

    def words(self) -> str:
        """Say it."""
        parts = [f"{count} {what}" for what, count in vars(self).items() if count]
        return ", ".join(parts) if parts else "no boundary"


NEAR = 2
"""Sentences that a boundary may shift and still count as moved."""


def change(document: Document, before: Sequence[int], after: Sequence[int]) -> Change:
    """Compare two lists of boundaries; one that went and one that came within `NEAR` sentences moved."""
    starts = [span.start for span in document.sentences]
    gone = [bisect_right(starts, offset) for offset in sorted(set(before) - set(after))]
    come = [bisect_right(starts, offset) for offset in sorted(set(after) - set(before))]
    moved = 0
    new = 0
    for old in gone:
        while new < len(come) and come[new] < old - NEAR:
            new += 1
        if new < len(come) and abs(come[new] - old) <= NEAR:
            moved += 1
            new += 1
    return Change(len(come) - moved, len(gone) - moved, moved)


def against_known(cuts: Collection[int], known: Collection[int]) -> tuple[int, int, int]:
    """Return how many known boundaries were found, how many missed, and how many cuts are none."""
    found = len(set(cuts) & set(known))
    return found, len(known) - found, len(set(cuts)) - found


def figures(value: float) -> str:
    """Write a number with at most three significant figures, thousands grouped."""
    if value >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def milliseconds(value: float) -> str:
    """Write a time with two significant figures below ten, and none of a false precision below a hundredth."""
    if value < 0.01:
        return "<0.01"
    if value < 10:
        return f"{float(f'{value:.2g}'):g}"
    return f"{float(f'{value:.3g}'):,.0f}"
