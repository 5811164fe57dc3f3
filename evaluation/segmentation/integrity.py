"""Block integrity: which lists, tables, code blocks, formulas and headings a chunking leaves whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest

from chunkers import Chunking, Span
from chunkers.text.outline import blocks, special_blocks


@dataclass(frozen=True)
class Whole:
    """Number of blocks that chunks keep whole, and number of all blocks."""

    count: int
    of: int

    @property
    def share(self) -> float | None:
        """Share of blocks that chunks keep whole, from 0 to 1; None if there are no blocks."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True)
class Integrity:
    """Numbers of blocks that a chunking keeps whole, by kind.

    A heading is whole if it stays with the start of the next block.
    """

    kinds: Mapping[str, Whole]

    @property
    def all(self) -> Whole:
        """Number of blocks of any kind that chunks keep whole, and number of all blocks."""
        return Whole(sum(whole.count for whole in self.kinds.values()), sum(whole.of for whole in self.kinds.values()))

    def words(self) -> str:
        """Return the counts as a phrase, such as “1 of 2 tables, 3 of 3 lists”; empty if there are no blocks."""
        return ", ".join(
            f"{whole.count:,} of {whole.of:,} {kind}{'s' * (whole.of != 1)}" for kind, whole in self.kinds.items()
        )


def integrity(chunking: Chunking) -> Integrity:
    """Count the blocks of each kind, such as tables, that lie whole inside one span of a chunk.

    Source: block integrity of Moura Junior, Lelong and Blangero, “Adaptive Chunking: Optimizing Chunking-Method Selection
    for RAG” (LREC 2026): the share of blocks that are not split. Their measure counts paragraphs and tolerates cuts up to 5
    characters from a block's end; here paragraphs may be cut, and there is no tolerance.
    """
    return whole_among(wanted_whole(chunking.document.text), [span for chunk in chunking.chunks for span in chunk.spans])


def wanted_whole(text: str) -> list[tuple[str, Span]]:
    """Return the spans of blocks that chunks should keep whole, such as tables, each with the kind of block.

    The spans are those of lists, tables, code blocks and formulas, and of headings. A heading's span includes the first
    character of the next block, so that a heading at the end of a chunk is not whole. There are no spans for texts that
    `chunkers.text.outline` does not parse.
    """
    outer = blocks(text)
    stretches = [(block.kind, block.span) for block in special_blocks(text)]
    for block, after in zip_longest(outer, outer[1:]):
        if block.kind == "heading":
            end = block.span.end if after is None else after.span.start + 1
            stretches.append((block.kind, Span(block.span.start, end)))
    return stretches


def whole_among(stretches: Sequence[tuple[str, Span]], pieces: Sequence[Span]) -> Integrity:
    """Count the spans of each kind that lie whole inside one of the ``pieces``, which may overlap."""
    ordered = sorted(pieces)
    starts = [piece.start for piece in ordered]
    # How far the pieces reach that begin no later than each.
    reach = [*accumulate((piece.end for piece in ordered), max)]
    kinds: dict[str, Whole] = {}
    for kind, (start, end) in stretches:
        begun = bisect_right(starts, start)
        held = begun > 0 and reach[begun - 1] >= end
        before = kinds.get(kind, Whole(0, 0))
        kinds[kind] = Whole(before.count + held, before.of + 1)
    return Integrity(kinds)
