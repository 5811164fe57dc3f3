"""Numbers about chunks that the page shows: sizes, changes, agreement with known boundaries."""

from __future__ import annotations

import statistics
from bisect import bisect_right
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from chunkers import Chunking, Document, Embedder, InputError, Tokenizer, load_tokenizer
from evaluation.segmentation.measures import cuts_of


@dataclass(frozen=True)
class Sizes:
    """Minimum, median, mean and maximum of one measure over the chunks."""

    unit: str
    least: float
    median: float
    mean: float
    most: float


def sizes(chunking: Chunking, tokenizer: Tokenizer) -> tuple[Sizes, ...]:
    """Return the sizes of the chunks in sentences, words, characters and tokens; empty without chunks.

    Where the tokenizer's files are missing, the tokens are left out.
    """
    texts = [chunk.text for chunk in chunking.chunks]
    if not texts:
        return ()
    measured = {
        "sentences": sentence_counts(chunking),
        "words": load_tokenizer("words").count(texts),
        "characters": [len(text) for text in texts],
    }
    with suppress(InputError):
        measured["tokens"] = tokenizer.count(texts)
    return tuple(
        Sizes(unit, min(values), statistics.median(values), statistics.fmean(values), max(values))
        for unit, values in measured.items()
    )


def sentence_counts(chunking: Chunking) -> list[int]:
    """Count the sentences that each chunk touches, each sentence once per chunk."""
    document = chunking.document
    counts = []
    for chunk in chunking.chunks:
        count, next_new = 0, 0
        for start, end in chunk.spans:
            first, last = document.sentence_at(start), document.sentence_at(end - 1)
            count += max(last + 1 - max(first, next_new), 0)
            next_new = last + 1
        counts.append(count)
    return counts


def mixed_sections(chunking: Chunking, known: Sequence[int]) -> dict[int, int]:
    """Return the chunks that hold text of several sections, each with the number of these sections.

    Parameters
    ----------
    known
        The offsets at which the sections after the first begin, ascending, in code points.
    """
    found = {}
    for number, chunk in enumerate(chunking.chunks):
        held: set[int] = set()
        for start, end in chunk.spans:
            held.update(range(bisect_right(known, start), bisect_right(known, end - 1) + 1))
        if len(held) > 1:
            found[number] = len(held)
    return found


@dataclass(frozen=True)
class Pieces:
    """The non-contiguous chunks of a result.

    Attributes
    ----------
    chunks
        How many there are.
    breaks
        How often the order of the text breaks within a chunk.
    """

    chunks: int
    breaks: int

    @classmethod
    def of(cls, chunking: Chunking) -> Pieces:
        """Return the counts for a result."""
        further = [len(chunk.spans) - 1 for chunk in chunking.chunks if len(chunk.spans) > 1]
        return cls(len(further), sum(further))

    def words(self, chunks: int) -> str:
        """Return the counts in words, out of ``chunks`` chunks."""
        breaks = "1 order break" if self.breaks == 1 else f"{self.breaks:,} order breaks"
        return f"{self.chunks:,} of {chunks:,} chunks, {breaks}"


@dataclass(frozen=True)
class BeyondReach:
    """Share of the chunks that exceeds an embedder's maximum input.

    Attributes
    ----------
    chunks
        How many are longer than it can read.
    share
        Of the tokens of those chunks, the share beyond what is read, from 0 to 1.
    """

    chunks: int
    share: float

    @classmethod
    def of(cls, chunking: Chunking, embedder: Embedder | None) -> BeyondReach | None:
        """Return the counts; None if the embedder reads everything, or cannot count because its files are missing."""
        most = embedder.max_tokens if embedder is not None else None
        if embedder is None or most is None:
            return None
        try:
            lengths = embedder.lengths([chunk.text for chunk in chunking.chunks])
        except InputError:
            return None
        long = [length for length in lengths if length > most]
        return cls(len(long), 1 - most * len(long) / sum(long)) if long else None

    def words(self, embedder: Embedder) -> str:
        """Describe the chunks that exceed the embedder's input."""
        what, whose = ("chunk", "its") if self.chunks == 1 else ("chunks", "their")
        return (
            f"{self.chunks:,} {what} longer than the {embedder.max_tokens:,} tokens that {embedder.name} reads: "
            f"{percent(self.share)} of {whose} tokens not seen"
        )


@dataclass(frozen=True)
class Facts:
    """Facts about a result in the head of its column."""

    cuts: tuple[int, ...]
    sizes: tuple[Sizes, ...]
    pieces: Pieces
    unread: BeyondReach | None

    @classmethod
    def of(cls, chunking: Chunking, tokenizer: Tokenizer, embedder: Embedder | None) -> Facts:
        """Return the facts of a result; tokenizes the whole text."""
        cuts = tuple(cuts_of(chunking))
        return cls(cuts, sizes(chunking, tokenizer), Pieces.of(chunking), BeyondReach.of(chunking, embedder))


@dataclass(frozen=True)
class Change:
    """Boundaries that a change of parameters added, removed and moved."""

    added: int
    removed: int
    moved: int

    def words(self) -> str:
        """Describe the counts."""
        parts = [f"{count} {what}" for what, count in vars(self).items() if count]
        return ", ".join(parts) if parts else "no boundary"


NEAR = 2
"""The most sentences that a boundary may shift and still count as moved."""


def change(document: Document, before: Sequence[int], after: Sequence[int]) -> Change:
    """Compare two lists of boundaries; one removed and one added within `NEAR` sentences count as moved."""
    gone = [document.sentence_at(offset) for offset in sorted(set(before) - set(after))]
    come = [document.sentence_at(offset) for offset in sorted(set(after) - set(before))]
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
    """Count the known boundaries found, those missed, and the cuts at no known boundary."""
    found = len(set(cuts) & set(known))
    return found, len(known) - found, len(set(cuts)) - found


def percent(share: float) -> str:
    """Format a share that is neither 0 nor 1 in whole per cent."""
    return f"{min(max(round(share * 100), 1), 99)}\N{NO-BREAK SPACE}%"
