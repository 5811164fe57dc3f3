"""Mapping of another library's chunk texts to exact ranges of the original text."""

from collections.abc import Iterable, Sequence

import numpy as np

from chunkers.building_blocks.gaps_and_pieces import add_uncut_gaps, build_cut_gaps_only
from chunkers.results import Chunk, Chunking, Reason, Verdict
from chunkers.text import Document, Span, non_space_character_mask

_MAX_LEFT_OUT_PIECE_NOTES = 8
"""Maximum number of left-out chunks that are named one by one; the rest are counted."""


def chunking_of_pieces(
    document: Document, piece_texts: Sequence[str], library_name: str, contexts: Sequence[str] = ()
) -> Chunking:
    """Locate another library's chunks in the original text; return a result with notes on lost and altered text.

    Parameters
    ----------
    document
        The document that the library cut.
    piece_texts
        The chunks' texts, in the order of the text.
    library_name
        Name of the library, for reasons and notes.
    contexts
        Text that the library repeats before each piece, such as the header of a table that it cut; none by default.
    """
    text = document.text
    piece_spans = find_span_of_each_piece(text, piece_texts)
    found_piece_contexts = [
        context for context, span in zip(contexts or [""] * len(piece_spans), piece_spans, strict=True) if span is not None
    ]
    found_piece_spans = [span for span in piece_spans if span is not None]
    cut_reason = Reason(remark=f"{library_name} begins a chunk here")
    cut_gaps = build_cut_gaps_only(
        document, [span.start for span in found_piece_spans[1:]], Verdict.CUT, lambda _: cut_reason
    )
    return Chunking(
        document,
        tuple(
            Chunk.of(document, span)._replace(context=context)
            for span, context in zip(found_piece_spans, found_piece_contexts, strict=True)
        ),
        add_uncut_gaps(document, cut_gaps, Reason(remark=f"{library_name} begins no chunk here")),
        notes=tuple(_lost_and_altered_text_notes(text, piece_texts, piece_spans, library_name)),
    )


def find_span_of_each_piece(text: str, piece_texts: Sequence[str]) -> list[Span | None]:
    """Return each piece's span in the text, in code points and without surrounding white space; None for pieces not found.

    White space is ignored: a library may have stripped it, or joined sentences with spaces of its own. The pieces are
    located in order, each beginning after the beginning of the piece before. If a passage is repeated in the text, a
    piece is matched with the occurrence that begins where the previous piece ends; else with an occurrence that begins
    inside the previous piece and ends after it, an overlap; else with the next occurrence, preferably one with identical
    white space. This last search is skipped if the following piece begins at the end of the previous piece: then nothing
    was left out there, and the piece is not part of the text.

    In periodic text the first overlapping occurrence may be one period too early. If pieces are not found or text is left
    uncovered, the pieces are spread evenly instead, provided that more pieces are found or, with equally many, less text
    is left uncovered.
    """
    text_without_whitespace = _TextWithoutWhitespace(text)
    pieces_without_whitespace = ["".join(piece.split()) for piece in piece_texts]
    piece_spans_without_whitespace = _locate_in_order(text_without_whitespace, piece_texts, pieces_without_whitespace)
    missing_and_uncovered_counts = _count_missing_and_uncovered(
        text_without_whitespace, pieces_without_whitespace, piece_spans_without_whitespace
    )
    if any(missing_and_uncovered_counts):
        evenly_spread_spans = _locate_in_order(
            text_without_whitespace, piece_texts, pieces_without_whitespace, spreads_repeated_pieces=True
        )
        if (
            _count_missing_and_uncovered(text_without_whitespace, pieces_without_whitespace, evenly_spread_spans)
            < missing_and_uncovered_counts
        ):
            piece_spans_without_whitespace = evenly_spread_spans
    return [None if span is None else text_without_whitespace.original_span(span) for span in piece_spans_without_whitespace]


def _locate_in_order(
    text_without_whitespace: "_TextWithoutWhitespace",
    piece_texts: Sequence[str],
    pieces_without_whitespace: Sequence[str],
    *,
    spreads_repeated_pieces: bool = False,
) -> list[Span | None]:
    """Return the spans of pieces in the text without white space; ``spreads_repeated_pieces`` spreads repeats far apart."""
    piece_spans: list[Span | None] = []
    last_found_span = Span(-1, 0)
    last_piece_latest_start = (
        text_without_whitespace.length - len(pieces_without_whitespace[-1]) if pieces_without_whitespace else 0
    )
    for piece_index, (piece_text, piece_without_whitespace, next_piece_without_whitespace) in enumerate(
        zip(piece_texts, pieces_without_whitespace, [*pieces_without_whitespace, ""][1:], strict=True)
    ):
        found_piece_start = -1
        if spreads_repeated_pieces and piece_without_whitespace and last_found_span.start >= 0:
            distance_between_even_starts = (last_piece_latest_start - last_found_span.start) / (
                len(pieces_without_whitespace) - piece_index
            )
            found_piece_start = text_without_whitespace.nearest_piece_start(
                piece_without_whitespace, last_found_span, last_found_span.start + round(distance_between_even_starts)
            )
        if found_piece_start < 0 and piece_without_whitespace:
            found_piece_start = text_without_whitespace.find_piece_start(
                piece_text, piece_without_whitespace, last_found_span, next_piece_without_whitespace
            )
        if found_piece_start < 0:
            piece_spans.append(None)
            continue
        last_found_span = Span(found_piece_start, found_piece_start + len(piece_without_whitespace))
        piece_spans.append(last_found_span)
    return piece_spans


def _count_missing_and_uncovered(
    text_without_whitespace: "_TextWithoutWhitespace",
    pieces_without_whitespace: Sequence[str],
    piece_spans: Sequence[Span | None],
) -> tuple[int, int]:
    """Count the pieces that are not found, and the characters of the text, without white space, in no piece."""
    missing_piece_count = sum(span is None for span, key in zip(piece_spans, pieces_without_whitespace, strict=True) if key)
    covered_character_count = covered_end_offset = 0
    for span in piece_spans:
        if span is not None and span.end > covered_end_offset:
            covered_character_count += span.end - max(span.start, covered_end_offset)
            covered_end_offset = span.end
    return missing_piece_count, text_without_whitespace.length - covered_character_count


class _TextWithoutWhitespace:
    """A text without its white space, and the way back to the original."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._visible_characters = "".join(text.split())
        self._original_offsets = np.flatnonzero(non_space_character_mask(text))

    @property
    def length(self) -> int:
        """Number of characters in the text, not counting white space."""
        return len(self._visible_characters)

    def nearest_piece_start(self, piece_without_whitespace: str, previous_piece_span: Span, preferred_start: int) -> int:
        """Return the start of a piece that is nearest to ``preferred_start``; -1 if it is not found.

        Only starts inside the previous piece's span, or just after it, are considered.
        """
        preferred_start = min(max(preferred_start, previous_piece_span.start + 1), previous_piece_span.end)
        start_after_preferred = self._visible_characters.find(
            piece_without_whitespace, preferred_start, previous_piece_span.end + len(piece_without_whitespace)
        )
        start_before_preferred = self._visible_characters.rfind(
            piece_without_whitespace, previous_piece_span.start + 1, preferred_start + len(piece_without_whitespace)
        )
        if start_after_preferred < 0 or start_before_preferred < 0:
            return max(start_after_preferred, start_before_preferred)
        return (
            start_before_preferred
            if preferred_start - start_before_preferred <= start_after_preferred - preferred_start
            else start_after_preferred
        )

    def original_span(self, span: Span) -> Span:
        """Convert a span of the text without white space to the corresponding span of the original text."""
        return Span(int(self._original_offsets[span.start]), int(self._original_offsets[span.end - 1]) + 1)

    def find_piece_start(
        self, piece_text: str, piece_without_whitespace: str, previous_piece_span: Span, next_piece_without_whitespace: str
    ) -> int:
        """Return the start of a piece that begins after the beginning of the previous one; -1 if it is not found.

        Positions do not count white space; see `find_span_of_each_piece` for the order of the search.
        """
        if self._visible_characters.startswith(piece_without_whitespace, previous_piece_span.end):
            return previous_piece_span.end
        piece_length = len(piece_without_whitespace)
        overlapping_piece_start = self._visible_characters.find(
            piece_without_whitespace,
            max(previous_piece_span.start, previous_piece_span.end - piece_length) + 1,
            previous_piece_span.end + piece_length - 1,
        )
        if overlapping_piece_start >= 0:
            return overlapping_piece_start
        if previous_piece_span.end == len(self._visible_characters) or (
            next_piece_without_whitespace
            and self._visible_characters.startswith(next_piece_without_whitespace, previous_piece_span.end)
        ):
            return -1
        original_piece_start = self._text.find(piece_text.strip(), self._original_offsets[previous_piece_span.end])
        return (
            self._visible_characters.find(piece_without_whitespace, previous_piece_span.end)
            if original_piece_start < 0
            else int(np.searchsorted(self._original_offsets, original_piece_start))
        )


def _lost_and_altered_text_notes(
    text: str, piece_texts: Sequence[str], piece_spans: Sequence[Span | None], library_name: str
) -> list[str]:
    """Return notes on pieces that are not found, on text in no piece, and on altered white space."""
    location_notes = []
    for piece_number, (piece_text, span) in enumerate(zip(piece_texts, piece_spans, strict=True), start=1):
        if span is None:
            beginning_quote = quotable_beginning(piece_text)
            left_out_reason_phrase = f", “{beginning_quote}”, is not found in the text" if beginning_quote else " is empty"
            location_notes.append(f"Chunk {piece_number} of {library_name}{left_out_reason_phrase}; it is left out.")
    surplus_left_out_note_count = len(location_notes) - _MAX_LEFT_OUT_PIECE_NOTES
    if surplus_left_out_note_count > 1:
        location_notes[_MAX_LEFT_OUT_PIECE_NOTES:] = [
            f"Further chunks of {library_name} that are left out, empty or not found: {surplus_left_out_note_count:,}."
        ]
    if uncovered_character_count := count_characters_outside(text, filter(None, piece_spans)):
        location_notes.append(
            f"Lost characters, which lie in no chunk, white space not counted: {uncovered_character_count:,}."
        )
    altered_piece_count = sum(
        span is not None and text[span.start : span.end] != piece.strip()
        for piece, span in zip(piece_texts, piece_spans, strict=True)
    )
    if altered_piece_count:
        location_notes.append(
            f"{library_name} altered the white space of {altered_piece_count:,} "
            f"chunk{'s' if altered_piece_count > 1 else ''}."
        )
    return location_notes


def count_characters_outside(text: str, spans: Iterable[tuple[int, int]]) -> int:
    """Count the characters of a text that lie outside all spans, ignoring white space."""
    outside_character_count = covered_end_offset = 0
    for span_start, span_end in [*sorted(spans), (len(text), len(text))]:
        outside_character_count += sum(map(len, text[covered_end_offset:span_start].split()))
        covered_end_offset = max(covered_end_offset, span_end)
    return outside_character_count


def quotable_beginning(text: str) -> str:
    """Return the first 40 characters of a text on one line, for a message to quote."""
    one_line_text = " ".join(text.split())
    return one_line_text if len(one_line_text) <= 40 else one_line_text[:39] + "…"
