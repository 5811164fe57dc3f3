"""All gaps of a text from the decisions on some of them, and the pieces of a text that become chunks."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chunkers.contract import Tools
from chunkers.results import Chunk, Gap, Reason, Verdict, combine_reasons
from chunkers.text import Document, Span


class Piece(NamedTuple):
    """A range of the text that becomes a chunk or part of one.

    Attributes
    ----------
    start, end
        Half-open range in code points.
    why
        The reason for the cut before the piece.
    context
        Text from elsewhere that the piece needs, such as the header of a table; empty for most.
    """

    start: int
    end: int
    why: Reason
    context: str = ""


@dataclass
class PieceCutter:
    """Base of the cutting of a document into pieces, with the reasons for parts that are joined with the piece before.

    ``most`` is the maximum number of tokens in a chunk.
    """

    document: Document
    tools: Tools
    most: int
    join_reasons: dict[int, Reason] = field(default_factory=dict, init=False)

    def count_context_tokens(self, context: str) -> int:
        """Return the number of tokens of a context."""
        return self.tools.count_tokens([context])[0] if context else 0

    def context_with_tokens_if_fitting(self, context: str) -> tuple[str, int]:
        """Return a context and its number of tokens; none if it would take more than half of a chunk."""
        context_token_count = self.count_context_tokens(context)
        return (context, context_token_count) if context_token_count <= self.most // 2 else ("", 0)

    def trimmed_end_offset(self, start: int, end: int) -> int:
        """Return the offset at which the text from ``start`` to ``end`` ends, leaving out trailing white space."""
        return start + len(self.document.text[start:end].rstrip())


def make_one_chunk_per_piece(text: str, pieces: Iterable[Piece]) -> tuple[Chunk, ...]:
    """Return the chunks of a text, each with the context of its piece."""
    return tuple([Chunk((Span(piece.start, piece.end),), text[piece.start : piece.end], piece.context) for piece in pieces])


def build_cut_gaps_only(
    document: Document, cut_offsets: Sequence[int], verdict: Verdict, reason_at_offset: Callable[[int], Reason]
) -> list[Gap]:
    """Return a gap for each offset at which a chunk begins, between two sentences or inside a sentence."""
    gaps_at_offsets = []
    for cut_offset in cut_offsets:
        index_of_sentence_containing_cut = document.sentence_at(cut_offset)
        if document.starts[index_of_sentence_containing_cut] == cut_offset and index_of_sentence_containing_cut > 0:
            gaps_at_offsets.append(
                Gap(index_of_sentence_containing_cut - 1, None, None, verdict, reason_at_offset(cut_offset))
            )
        else:
            gaps_at_offsets.append(
                Gap(
                    index_of_sentence_containing_cut,
                    None,
                    None,
                    verdict,
                    _reason_inside_sentence(index_of_sentence_containing_cut, reason_at_offset(cut_offset)),
                    cut_offset,
                )
            )
    return gaps_at_offsets


def _reason_inside_sentence(sentence_index: int, cut_reason: Reason) -> Reason:
    """Return the reason for a cut, reworded for a cut inside sentence ``sentence_index``."""
    first_step, *further_reason_steps = cut_reason.steps()
    return combine_reasons(first_step._replace(heading=f"inside sentence {sentence_index + 1}"), *further_reason_steps)


def add_uncut_gaps(
    document: Document, decided_gaps: Sequence[Gap], uncut_reason: Reason | Callable[[int], Reason]
) -> tuple[Gap, ...]:
    """Return all gaps in order: the given ones and, for each other pair of neighbouring sentences, an uncut gap.

    Parameters
    ----------
    document
        The document that the gaps belong to.
    decided_gaps
        Gaps with a decision: cuts between sentences and inside them, and uncut gaps that have a reason of their own.
    uncut_reason
        The reason for the uncut gaps, or a function that returns the reason from the start of the sentence after the gap.
    """
    decided_gap_indices = {gap.index for gap in decided_gaps if gap.offset is None}
    uncut_gaps = [
        Gap(index, None, None, Verdict.KEPT, uncut_reason if isinstance(uncut_reason, Reason) else uncut_reason(start))
        for index, start in enumerate(document.starts[1:])
        if index not in decided_gap_indices
    ]
    return tuple(sorted([*decided_gaps, *uncut_gaps], key=gap_position_sort_key))


def build_all_gaps_of_pieces(
    document: Document, pieces: Sequence[Piece], uncut_reason: Callable[[int], Reason]
) -> tuple[Gap, ...]:
    """Return all gaps of chunks made from pieces; ``uncut_reason`` is that of `add_uncut_gaps`."""
    cut_reason_by_piece_start = {piece.start: piece.why for piece in pieces}
    cut_gaps_between_pieces = build_cut_gaps_only(
        document, [piece.start for piece in pieces[1:]], Verdict.CUT, cut_reason_by_piece_start.__getitem__
    )
    return add_uncut_gaps(document, cut_gaps_between_pieces, uncut_reason)


def gap_position_sort_key(gap: Gap) -> tuple[int, float]:
    """Return a gap's sort key, which puts cuts inside a sentence before the gap after that sentence."""
    return gap.index, float("inf") if gap.offset is None else gap.offset
