"""Ledgers for chunkers that have a reason for each cut, but none for the gaps that they do not cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from chunkers.results.reason import Reason, chain
from chunkers.results.result import Chunk, Gap, Verdict
from chunkers.text.document import Document, Span


def cuts_to_gaps(document: Document, offsets: Sequence[int], verdict: Verdict, why: Callable[[int], Reason]) -> list[Gap]:
    """Return a gap for each offset at which a chunk begins, between two sentences or inside a sentence."""
    gaps = []
    for offset in offsets:
        index = document.sentence_at(offset)
        if document.starts[index] == offset and index > 0:
            gaps.append(Gap(index - 1, None, None, verdict, why(offset)))
        else:
            gaps.append(Gap(index, None, None, verdict, inside_sentence(index, why(offset)), offset))
    return gaps


def inside_sentence(index: int, why: Reason) -> Reason:
    """Return the reason for a cut, reworded for a cut inside sentence ``index``."""
    first, *others = why.steps()
    return chain(first._replace(heading=f"inside sentence {index + 1}"), *others)


def ledger(document: Document, cuts: Sequence[Gap], kept: str) -> tuple[Gap, ...]:
    """Return all gaps: the given cuts and, wherever there is no cut, an uncut gap with the reason ``kept``.

    ``cuts`` are in the order of `cuts_to_gaps`: by position.
    """
    why = Reason(remark=kept)
    gaps: list[Gap] = []
    after = 0
    for cut in cuts:
        gaps += [Gap(index, None, None, Verdict.KEPT, why) for index in range(after, cut.index)]
        gaps.append(cut)
        after = cut.index if cut.offset is not None else cut.index + 1
    gaps += [Gap(index, None, None, Verdict.KEPT, why) for index in range(after, len(document.sentences) - 1)]
    return tuple(gaps)


def gap_order(gap: Gap) -> tuple[int, float]:
    """Return a gap's sort key, which puts cuts inside a sentence before the gap after that sentence."""
    return gap.index, float("inf") if gap.offset is None else gap.offset


# Pieces of a text that become chunks, each with the reason for the cut before it.


class Piece(NamedTuple):
    """A range of the text that becomes a chunk; the reason is for the cut before it."""

    start: int
    end: int
    why: Reason
    context: str = ""


def chunks_of_pieces(text: str, pieces: Iterable[Piece]) -> tuple[Chunk, ...]:
    """Return the chunks of a text, each with the context of its piece."""
    return tuple([Chunk((Span(piece.start, piece.end),), text[piece.start : piece.end], piece.context) for piece in pieces])


def ledger_of_pieces(document: Document, pieces: Sequence[Piece], kept: Callable[[int], Reason]) -> tuple[Gap, ...]:
    """Return the cuts between pieces, and a gap for each other pair of neighbouring sentences.

    ``kept`` is called with the start of a sentence, and returns the reason why there is no cut.
    """
    reasons = {piece.start: piece.why for piece in pieces}
    cuts = cuts_to_gaps(document, [piece.start for piece in pieces[1:]], Verdict.CUT, reasons.__getitem__)
    cut = {gap.index for gap in cuts if gap.offset is None}
    others = [
        Gap(index, None, None, Verdict.KEPT, kept(place))
        for index, place in enumerate(document.starts[1:])
        if index not in cut
    ]
    return tuple(sorted([*others, *cuts], key=gap_order))
