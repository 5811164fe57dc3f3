"""Pieces of a text that become chunks, each with the reason for the cut before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from chunkers.building_blocks.ledger import cuts_to_gaps, gap_order
from chunkers.results.reason import Reason
from chunkers.results.result import Chunk, Gap, Verdict
from chunkers.text.document import Document, Span


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
