"""Location of chunks made by another program in their text, with remarks on inexact matches."""

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from chunkers.adapters.piece_location import count_characters_outside, find_span_of_each_piece, quotable_beginning
from chunkers.building_blocks.gaps_and_pieces import add_uncut_gaps, build_cut_gaps_only
from chunkers.files.external_chunks import GivenChunk
from chunkers.results import Chunk, Chunking, Reason, Verdict
from chunkers.support import unescape_csv_cell
from chunkers.text import (
    CONTEXT_CHARACTERS,
    SHORTEST_ALTERED_EXCERPT,
    Document,
    Match,
    Quotation,
    SearchableText,
    Span,
    drop_spaces_and_simplify_signs,
)

# The passage of a chunk with something around it: the part that occurs in the text; the rest is its context.

LEAST_PASSAGE_SHARE = 0.5
"""Share of a chunk's characters that its passage must have, for the rest to be context."""

LEAST_WHOLE_LINE_PASSAGE_SHARE = 0.25
"""The same where a line break separates the context, which then may well be longer than the passage."""


class PassageInContext(NamedTuple):
    """The part of a chunk that occurs in the text, and the rest of the chunk as its context.

    Attributes
    ----------
    text
        The passage, as the chunk has it.
    context
        The rest of the chunk: in front, behind, or both with a line break between.
    span
        Span of the passage if the chunk states it; None if it must be searched for.
    """

    text: str
    context: str
    span: Span | None = None


def find_first_lines_all_share(chunk_texts: Sequence[str]) -> str:
    """Return the whole lines that all of the texts share at the beginning; empty if there are none."""
    if len(chunk_texts) < 2:
        return ""
    alphabetically_first_text, alphabetically_last_text = min(chunk_texts), max(chunk_texts)
    shared_prefix_character_count = next(
        (
            place
            for place, (one, other) in enumerate(zip(alphabetically_first_text, alphabetically_last_text, strict=False))
            if one != other
        ),
        len(alphabetically_first_text),
    )
    return alphabetically_first_text[: alphabetically_first_text.rfind("\n", 0, shared_prefix_character_count) + 1]


def find_chunk_passage_and_context(
    searchable_document_text: SearchableText,
    chunk_text: str,
    stated_spans: Sequence[Span],
    shared_beginning: str,
    searched_range: Span,
) -> PassageInContext | None:
    """Find the part of a chunk that occurs in the text; None if too little of the chunk occurs, or the whole chunk.

    Parameters
    ----------
    stated_spans
        Spans that the chunk states; empty if it states none.
    shared_beginning
        Lines with which all chunks begin; see `find_first_lines_all_share`.
    searched_range
        Range of the text in which to search for the passage.
    """
    return (
        _passage_at_stated_place(searchable_document_text, chunk_text, stated_spans)
        or _passage_after_first_lines(searchable_document_text, chunk_text, shared_beginning)
        or _longest_passage(searchable_document_text, chunk_text, searched_range)
    )


def _passage_at_stated_place(
    searchable_document_text: SearchableText, chunk_text: str, stated_spans: Sequence[Span]
) -> PassageInContext | None:
    """Return the passage at the place that the chunk names."""
    if len(stated_spans) != 1:
        return None
    stated_start, stated_end = stated_spans[0]
    stated_text = searchable_document_text.text[stated_start:stated_end].strip()
    if (
        stated_text
        and (document_text_match_in_chunk := SearchableText(chunk_text).typographic_match(Quotation(stated_text)))
        is not None
    ):
        follows_context_line = (
            "\n" in _whitespace_before_offset(chunk_text, document_text_match_in_chunk.span.start)
            and not chunk_text[document_text_match_in_chunk.span.end :].strip()
        )
        stated_text_folded_length = len(drop_spaces_and_simplify_signs(stated_text))
        if (
            follows_context_line
            or stated_text_folded_length >= SHORTEST_ALTERED_EXCERPT
            or stated_text_folded_length >= LEAST_PASSAGE_SHARE * len(drop_spaces_and_simplify_signs(chunk_text))
        ):
            return _separate_passage_from_context(
                chunk_text,
                document_text_match_in_chunk.span,
                Span(stated_start, stated_end).trimmed(searchable_document_text.text),
            )
    # The end of a chunk that names its start alone is that of its text, which is too long by the context.
    suffix_span = searchable_document_text.find_longest_suffix_span_at(chunk_text, stated_start)
    return None if suffix_span is None else _separate_passage_from_context(chunk_text, suffix_span)


def _passage_after_first_lines(
    searchable_document_text: SearchableText, chunk_text: str, shared_beginning: str
) -> PassageInContext | None:
    """Return the passage that follows the lines in front of every chunk."""
    if not shared_beginning.strip() or not searchable_document_text.contains(chunk_text[len(shared_beginning) :]):
        return None
    return _separate_passage_from_context(chunk_text, Span(len(shared_beginning), len(chunk_text)))


def _longest_passage(
    searchable_document_text: SearchableText, chunk_text: str, searched_range: Span
) -> PassageInContext | None:
    """Return the longest stretch of the chunk that stands in the text, in whole words."""
    shared_passage = searchable_document_text.longest_common_passage(chunk_text, searched_range)
    if shared_passage is None or shared_passage.is_altered:
        return None
    passage_start_in_chunk, passage_end_in_chunk = shared_passage.quotation_range
    if passage_start_in_chunk > 0:
        passage_start_in_chunk = _passage_start_offset_in_chunk(
            searchable_document_text.text, chunk_text, shared_passage.span, shared_passage.quotation_range
        )
    if passage_end_in_chunk < len(chunk_text) and not chunk_text[passage_end_in_chunk].isspace():
        passage_end_in_chunk = max(
            (place for place in range(passage_start_in_chunk, passage_end_in_chunk) if chunk_text[place].isspace()),
            default=passage_start_in_chunk,
        )
    passage_length, chunk_length = (
        len(drop_spaces_and_simplify_signs(chunk_text[passage_start_in_chunk:passage_end_in_chunk])),
        len(drop_spaces_and_simplify_signs(chunk_text)),
    )
    consists_of_whole_lines = (
        "\n" in _whitespace_before_offset(chunk_text, passage_start_in_chunk) or passage_start_in_chunk == 0
    )
    consists_of_whole_lines &= (
        "\n" in _whitespace_after_offset(chunk_text, passage_end_in_chunk) or not chunk_text[passage_end_in_chunk:].strip()
    )
    least_share = LEAST_WHOLE_LINE_PASSAGE_SHARE if consists_of_whole_lines else LEAST_PASSAGE_SHARE
    return (
        _separate_passage_from_context(chunk_text, Span(passage_start_in_chunk, passage_end_in_chunk))
        if passage_length >= max(SHORTEST_ALTERED_EXCERPT, least_share * chunk_length)
        else None
    )


def _passage_start_offset_in_chunk(document_text: str, chunk_text: str, span_in_document: Span, span_in_chunk: Span) -> int:
    """Return the start of the passage's first word in the chunk.

    The end of a context may be what stands before the passage in the text too, such as a heading: where the passage begins
    inside a line of both, it begins with the next line of the chunk if that is near.
    """
    word_starts = [
        place
        for place in range(span_in_chunk.start, span_in_chunk.end)
        if not chunk_text[place].isspace() and chunk_text[place - 1].isspace()
    ]
    if not word_starts:
        return span_in_chunk.end
    passage_word_offset_in_chunk = word_starts[0]
    characters_to_skip = len(drop_spaces_and_simplify_signs(chunk_text[span_in_chunk.start : passage_word_offset_in_chunk]))
    first_word_document_offset = span_in_document.start
    while characters_to_skip > 0:
        characters_to_skip -= len(drop_spaces_and_simplify_signs(document_text[first_word_document_offset]))
        first_word_document_offset += 1
    first_word_document_offset += (
        len(document_text[first_word_document_offset:]) - len(document_text[first_word_document_offset:].lstrip())
        if document_text[first_word_document_offset : first_word_document_offset + 1].isspace()
        else 0
    )
    if (
        "\n" in _whitespace_before_offset(chunk_text, passage_word_offset_in_chunk)
        or first_word_document_offset == 0
        or "\n" in _whitespace_before_offset(document_text, first_word_document_offset)
    ):
        return passage_word_offset_in_chunk
    nearby_line_starts = (
        start
        for start in word_starts
        if start - span_in_chunk.start <= CONTEXT_CHARACTERS and "\n" in _whitespace_before_offset(chunk_text, start)
    )
    return next(nearby_line_starts, passage_word_offset_in_chunk)


def _separate_passage_from_context(
    chunk_text: str, passage_in_chunk: Span, passage_span_in_document: Span | None = None
) -> PassageInContext | None:
    surrounding_texts = (chunk_text[: passage_in_chunk.start].strip(), chunk_text[passage_in_chunk.end :].strip())
    context_text_in_chunk = "\n".join(part for part in surrounding_texts if part)
    return (
        PassageInContext(
            chunk_text[passage_in_chunk.start : passage_in_chunk.end].strip(),
            context_text_in_chunk,
            passage_span_in_document,
        )
        if context_text_in_chunk
        else None
    )


def _whitespace_before_offset(text: str, offset: int) -> str:
    space_start_offset = offset
    while space_start_offset > 0 and text[space_start_offset - 1].isspace():
        space_start_offset -= 1
    return text[space_start_offset:offset]


def _whitespace_after_offset(text: str, offset: int) -> str:
    space_end_offset = offset
    while space_end_offset < len(text) and text[space_end_offset].isspace():
        space_end_offset += 1
    return text[offset:space_end_offset]


OddityKind = Literal["lost", "altered", "ambiguous", "elsewhere", "context", "spaced"]
"""Kinds of remark about a chunk: not found; found with small changes; found more than once; not where it says it is;
surrounded by a context that is not in the text; with other white space."""

ODDITY_KINDS: tuple[OddityKind, ...] = ("lost", "altered", "ambiguous", "elsewhere", "context", "spaced")
"""The gravest first."""

MAX_SCANNED_CHARACTERS = 4_000_000_000
"""Maximum number of characters that are read to see whether chunks stand in the text more than once, and as many to tell
chunks from the contexts around them: some 2 seconds.
"""

CHARACTERS_AROUND_LIKELY_PLACE = 50_000
"""Characters after the beginning of the chunk before, and around the place that a chunk names, in which what a chunk with a
context has of the text is looked for before all of the text is."""

_SKIPPED_ALTERED_SEARCH_NOTE = "Not every chunk was looked for with small changes: that would take too long."
_SKIPPED_REPEAT_SEARCH_NOTE = (
    "Whether each chunk stands in the text only once was not looked into: that would take too long."
)
_SKIPPED_CONTEXT_SEARCH_NOTE = "Not every chunk was looked for with a context around it: that would take too long."
_MAX_QUOTED_CHARACTERS = 300
_MAX_NAMED_CHUNKS = 8
_SECONDS_BETWEEN_REPORTS = 0.2
"""Seconds between two reports of how far it is; what takes less reports nothing."""


class Oddity(NamedTuple):
    """A remark about a chunk that does not match the text exactly.

    Attributes
    ----------
    number
        The chunk's number among the given chunks, counted from 1.
    explanation
        Phrase or sentence on the mismatch.
    text_beginning
        The beginning of the chunk's given text; empty if it has no text.
    span
        Span in the text; for a lost chunk, the place that it states or the end of the chunk before it, with length 0.
    """

    number: int
    kind: OddityKind
    explanation: str
    text_beginning: str
    span: Span


class LocatedChunks(NamedTuple):
    """A result with the located chunks, the number of chunks searched for, and remarks, most serious first."""

    chunking: Chunking
    given_chunk_count: int
    oddities: tuple[Oddity, ...]


def locate_chunks(
    document: Document,
    given_chunks: Sequence[GivenChunk],
    maker_name: str,
    report_progress: Callable[[int, int], None] = lambda done, total: None,
) -> LocatedChunks:
    """Locate given chunks in a document; return the located chunks as a result, with remarks on inexact matches.

    Parameters
    ----------
    maker_name
        Name of the program that made the chunks, for reasons and notes.
    report_progress
        Called with (done, to do) at intervals during a long search; an exception that it raises ends the search.
    """
    text = document.text
    last_report_time = time.monotonic()

    def report_progress_if_due(searched_chunk_count: int) -> None:
        nonlocal last_report_time
        if time.monotonic() - last_report_time > _SECONDS_BETWEEN_REPORTS:
            report_progress(searched_chunk_count, len(given_chunks))
            last_report_time = time.monotonic()

    stated_spans_by_chunk = [find_stated_spans_matching_text(text, given_chunk) for given_chunk in given_chunks]
    searchable_document_text = SearchableText(text)
    span_by_chunk_index = _locate_chunks_without_position(text, given_chunks)
    passage_finder = _ContextSeparator(searchable_document_text, given_chunks)
    added_context_by_chunk_index: dict[int, str] = {}
    chunks_stripped_of_context = list(given_chunks)
    for chunk_index, (given_chunk, stated_chunk_spans) in enumerate(zip(given_chunks, stated_spans_by_chunk, strict=True)):
        if (
            not stated_chunk_spans
            and span_by_chunk_index.get(chunk_index) is None
            and given_chunk.text is not None
            and given_chunk.text.strip()
        ):
            report_progress_if_due(chunk_index)
            chunk_passage_and_context = passage_finder.find_passage_in_text(given_chunk)
            if chunk_passage_and_context is not None:
                added_context_by_chunk_index[chunk_index] = chunk_passage_and_context.context
                chunks_stripped_of_context[chunk_index] = given_chunk._replace(text=chunk_passage_and_context.text)
                stated_spans_by_chunk[chunk_index] = (
                    () if chunk_passage_and_context.span is None else (chunk_passage_and_context.span,)
                )
    if added_context_by_chunk_index:
        span_by_chunk_index = _locate_chunks_without_position(text, chunks_stripped_of_context)
    chunk_search = _ChunkSearch(searchable_document_text, span_by_chunk_index)
    chunk_search.unsure.update(passage_finder.unsure)
    located_chunks: list[Chunk] = []
    reason_phrase_by_start: dict[int, str] = {}
    chunk_oddities: list[Oddity] = []
    last_chunk_end = 0
    for chunk_index, (given_chunk, stated_chunk_spans) in enumerate(
        zip(chunks_stripped_of_context, stated_spans_by_chunk, strict=True)
    ):
        report_progress_if_due(chunk_index)
        spans_of_found_chunk, way_found_phrase, chunk_remarks = (
            (stated_chunk_spans, "at the place that it names", [])
            if stated_chunk_spans
            else chunk_search.find(chunk_index, given_chunk)
        )
        chunk_context_text = added_context_by_chunk_index.get(chunk_index, "")
        if spans_of_found_chunk:
            chunk_remarks += (
                [("context", f"“{quotable_beginning(chunk_context_text)}” is around it")] if chunk_context_text else []
            )
            located_chunks.append(Chunk.of(document, *spans_of_found_chunk)._replace(context=chunk_context_text))
            last_chunk_end = spans_of_found_chunk[-1].end
            for span in spans_of_found_chunk:
                reason_phrase_by_start.setdefault(
                    span.start, f"{maker_name} begins chunk {chunk_index + 1:,} here, found {way_found_phrase}"
                )
        oddity_span = (
            Span(spans_of_found_chunk[0].start, spans_of_found_chunk[-1].end)
            if spans_of_found_chunk
            else _build_empty_lost_chunk_span(given_chunk, last_chunk_end, len(text))
        )
        quoted_chunk_beginning = _first_words(given_chunks[chunk_index].text or "")
        chunk_oddities += [
            Oddity(chunk_index + 1, kind, remark, quoted_chunk_beginning, oddity_span) for kind, remark in chunk_remarks
        ]
    located_chunks.sort(key=lambda chunk: (chunk.start, chunk.end))
    cut_gaps = build_cut_gaps_only(
        document, sorted(reason_phrase_by_start)[1:], Verdict.CUT, lambda start: Reason(remark=reason_phrase_by_start[start])
    )
    chunk_oddities.sort(key=lambda odd: (ODDITY_KINDS.index(odd.kind), odd.number))
    chunking = Chunking(
        document,
        tuple(located_chunks),
        add_uncut_gaps(document, cut_gaps, Reason(remark=f"{maker_name} begins no chunk here")),
        notes=(
            *_oddity_notes(maker_name, given_chunks, chunk_oddities, chunk_search.unsure),
            *_uncovered_character_notes(text, located_chunks),
        ),
    )
    return LocatedChunks(chunking, len(given_chunks), tuple(chunk_oddities))


def _locate_chunks_without_position(text: str, given_chunks: Sequence[GivenChunk]) -> dict[int, Span | None]:
    """Locate the chunks that give no position, by number; the order of the chunks tells repeated passages apart."""
    indices_of_chunks_without_position = [number for number, chunk in enumerate(given_chunks) if not chunk.spans]
    return dict(
        zip(
            indices_of_chunks_without_position,
            find_span_of_each_piece(
                text, [given_chunks[number].text or "" for number in indices_of_chunks_without_position]
            ),
            strict=True,
        )
    )


class _ContextSeparator:
    """Tells chunks from the contexts that something put around them."""

    def __init__(self, searchable_document_text: SearchableText, given_chunks: Sequence[GivenChunk]) -> None:
        self._searchable_texts = searchable_document_text
        self._shared_beginning = find_first_lines_all_share([chunk.text for chunk in given_chunks if chunk.text is not None])
        self._characters_left = MAX_SCANNED_CHARACTERS
        self._reached_offset = 0
        self.unsure: dict[str, None] = {}

    def find_passage_in_text(self, chunk: GivenChunk) -> PassageInContext | None:
        """Return the part of a chunk that occurs in the text; None if that part cannot be separated from the rest."""
        chunk_text, document_length = chunk.text or "", len(self._searchable_texts.text)
        search_start_in_document = (
            max(0, chunk.spans[0].start - CHARACTERS_AROUND_LIKELY_PLACE) if chunk.spans else self._reached_offset
        )
        likely_range = Span(
            min(search_start_in_document, document_length),
            min(document_length, search_start_in_document + 2 * CHARACTERS_AROUND_LIKELY_PLACE),
        )
        for search_range in dict.fromkeys([likely_range, Span(0, document_length)]):
            if self._characters_left < 0:
                self.unsure[_SKIPPED_CONTEXT_SEARCH_NOTE] = None
                return None
            # A stretch is halved until its length is found, at the end, the beginning and both sides of the middle.
            self._characters_left -= 4 * len(chunk_text).bit_length() * (search_range.end - search_range.start)
            passage_with_context = find_chunk_passage_and_context(
                self._searchable_texts, chunk_text, chunk.spans, self._shared_beginning, search_range
            )
            if passage_with_context is not None:
                passage_start_in_document = self._searchable_texts.text.find(
                    passage_with_context.text[:_MAX_QUOTED_CHARACTERS], search_range.start
                )
                self._reached_offset = max(self._reached_offset, passage_start_in_document)
                return passage_with_context
        return None


class _ChunkSearch:
    """Search for chunks that are not where they say they are, or that do not say where they are.

    ``span_by_chunk_index`` has the spans of the chunks that do not say, as far as a search in order has found them.
    """

    def __init__(self, searched: SearchableText, span_by_chunk_index: dict[int, Span | None]) -> None:
        self._searchable_texts = searched
        self._span_by_chunk_number = span_by_chunk_index
        located_chunk_spans = [span for span in span_by_chunk_index.values() if span is not None]
        self._spans_behind_gaps = _select_spans_after_skipped_text(searched.text, located_chunk_spans)
        self._possibly_shifted_spans = _select_ambiguous_spans(searched.text, located_chunk_spans)
        self._characters_left = MAX_SCANNED_CHARACTERS
        self.unsure: dict[str, None] = {}

    def find(self, chunk_index: int, chunk: GivenChunk) -> tuple[tuple[Span, ...], str, list[tuple[OddityKind, str]]]:
        """Return a chunk's spans in the text, the way in which they were found, and remarks on the match."""
        document_text, ordered_chunk_span = self._searchable_texts.text, self._span_by_chunk_number.get(chunk_index)
        if ordered_chunk_span is not None:
            match_remarks: list[tuple[OddityKind, str]] = []
            if ordered_chunk_span in self._spans_behind_gaps and self._is_repeated(
                document_text[ordered_chunk_span.start : ordered_chunk_span.end]
            ):
                match_remarks.append(
                    ("ambiguous", "it is there more than once; this is the first place after the one before")
                )
            elif ordered_chunk_span in self._possibly_shifted_spans:
                match_remarks.append(("ambiguous", "the text repeats itself here; it may begin a period earlier or later"))
            return (
                (ordered_chunk_span,),
                "in the order of the chunks",
                match_remarks + _spacing_remarks(chunk, document_text, ordered_chunk_span),
            )
        chunk_text = (chunk.text or "").strip()
        if not chunk_text:
            loss_reason = (
                f"nothing is at {chunk.spans[0].start:,} to {chunk.spans[-1].end:,}" if chunk.spans else "it is empty"
            )
            return (), "", [("lost", loss_reason)]
        chunk_text_as_quotation = Quotation(chunk_text, start=chunk.spans[0].start if chunk.spans else None)
        chunk_text_match = (
            self._searchable_texts.exact_match(chunk_text_as_quotation)
            or self._searchable_texts.typographic_match(chunk_text_as_quotation)
            or self._altered_match(chunk_text_as_quotation)
        )
        if chunk_text_match is None:
            return (), "", [("lost", "nothing in the text is like it")]
        stated_start, found_start = chunk_text_as_quotation.start, chunk_text_match.span.start
        is_away_from_stated_place = stated_start is not None and (
            stated_start > len(document_text)
            or document_text[min(stated_start, found_start) : max(stated_start, found_start)].strip() != ""
        )
        way_found_phrase = "out of the order of the chunks" if stated_start is None else "at the place that it names"
        way_found_phrase = "at another place than it names" if is_away_from_stated_place else way_found_phrase
        match_remarks = []
        if chunk_text_match.kind == "altered":
            similarity_phrase = f"{int(100 * chunk_text_match.similarity)} % alike"
            way_found_phrase = f"where the text is most like it, {similarity_phrase}"
            match_remarks.append(("altered", similarity_phrase))
        elif "".join(chunk_text.split()) != "".join(
            document_text[chunk_text_match.span.start : chunk_text_match.span.end].split()
        ):
            match_remarks.append(("altered", "other quotation marks, dashes or the like"))
        if chunk_text_match.is_ambiguous:
            match_remarks.append(("ambiguous", "it is there more than once; this is the first place"))
        if is_away_from_stated_place:
            match_remarks.append(("elsewhere", f"it is at {found_start:,}; the place that it names is {stated_start:,}"))
        return (
            (chunk_text_match.span,),
            way_found_phrase,
            match_remarks + _spacing_remarks(chunk, document_text, chunk_text_match.span),
        )

    def _altered_match(self, quotation_to_find: Quotation) -> Match | None:
        budget_was_spent = self._searchable_texts.comparison_budget.is_used_up
        altered_match = self._searchable_texts.altered_match(quotation_to_find)
        if altered_match is None and budget_was_spent:
            self.unsure[_SKIPPED_ALTERED_SEARCH_NOTE] = None
        return altered_match

    def _is_repeated(self, passage: str) -> bool:
        document_text = self._searchable_texts.text
        if self._characters_left < 0:
            self.unsure[_SKIPPED_REPEAT_SEARCH_NOTE] = None
            return False
        first_occurrence_start = document_text.find(passage)
        second_occurrence_start = document_text.find(passage, first_occurrence_start + 1)
        self._characters_left -= second_occurrence_start if second_occurrence_start >= 0 else len(document_text)
        return second_occurrence_start >= 0


def _select_spans_after_skipped_text(text: str, chunk_spans: Sequence[Span]) -> frozenset[Span]:
    """Return the spans after a gap: only these might also occur elsewhere."""
    consecutive_span_pairs = pairwise([Span(0, 0), *chunk_spans])
    return frozenset(
        span for before, span in consecutive_span_pairs if span.start > before.end and text[before.end : span.start].strip()
    )


def _select_ambiguous_spans(text: str, chunk_spans: Sequence[Span]) -> frozenset[Span]:
    """Return the spans whose text occurs at several places inside the previous span or at its end.

    If every chunk begins at or after the end of the previous one, there is no doubt.
    """
    consecutive_span_pairs = list(pairwise(chunk_spans))
    if all(span.start >= before.end for before, span in consecutive_span_pairs):
        return frozenset()
    ambiguous_spans = set()
    for previous_span, span in consecutive_span_pairs:
        passage_text, latest_start = text[span.start : span.end], max(previous_span.end, span.start)
        first_occurrence_start = text.find(passage_text, previous_span.start + 1, latest_start + len(passage_text))
        other_occurrence_start = (
            text.find(passage_text, first_occurrence_start + 1, latest_start + len(passage_text))
            if first_occurrence_start == span.start
            else first_occurrence_start
        )
        if span.start <= previous_span.end + 1 and other_occurrence_start >= 0:
            ambiguous_spans.add(span)
    return frozenset(ambiguous_spans)


def find_stated_spans_matching_text(document_text: str, chunk: GivenChunk) -> tuple[Span, ...]:
    """Return the spans at which a chunk says it is, without white space at their ends; none if its text is not there."""
    if not chunk.spans or chunk.spans[-1].end > len(document_text):
        return ()
    if chunk.text is not None:
        text_at_stated_span = document_text[chunk.spans[0].start : chunk.spans[0].end]
        # A table for spreadsheets has an apostrophe before what would be a formula; see `escape_csv_cell`.
        if text_at_stated_span.strip() not in (chunk.text.strip(), unescape_csv_cell(chunk.text).strip()):
            return ()
    trimmed_spans = [span.trimmed(document_text) for span in chunk.spans]
    disjoint_spans: list[Span] = []
    for span in sorted(span for span in trimmed_spans if span.start < span.end):
        # What two spans of a chunk share is in it once.
        if disjoint_spans and span.start < disjoint_spans[-1].end:
            disjoint_spans[-1] = Span(disjoint_spans[-1].start, max(disjoint_spans[-1].end, span.end))
        else:
            disjoint_spans.append(span)
    return tuple(disjoint_spans)


def _spacing_remarks(chunk: GivenChunk, text: str, span: Span) -> list[tuple[OddityKind, str]]:
    passage, chunk_text = text[span.start : span.end], (chunk.text or "").strip()
    is_spacing_remark_needless = chunk_text == passage or "".join(chunk_text.split()) != "".join(passage.split())
    return [] if is_spacing_remark_needless else [("spaced", "the text has other white space")]


def _build_empty_lost_chunk_span(chunk: GivenChunk, reached_offset: int, document_length: int) -> Span:
    stated_or_reached_offset = min(chunk.spans[0].start, document_length) if chunk.spans else reached_offset
    return Span(stated_or_reached_offset, stated_or_reached_offset)


def _first_words(text: str) -> str:
    one_line_beginning = " ".join(text[: 2 * _MAX_QUOTED_CHARACTERS].split())
    return (
        one_line_beginning
        if len(one_line_beginning) <= _MAX_QUOTED_CHARACTERS
        else one_line_beginning[: _MAX_QUOTED_CHARACTERS - 1] + "…"
    )


def _oddity_notes(
    maker_name: str,
    given_chunks: Sequence[GivenChunk],
    chunk_oddities: Sequence[Oddity],
    unfinished_search_notes: Iterable[str],
) -> list[str]:
    """Return notes on the oddities."""
    oddities_by_kind = {kind: [odd for odd in chunk_oddities if odd.kind == kind] for kind in ODDITY_KINDS}
    altered_chunk_labels = [
        f"{odd.number:,} ({odd.explanation}, at {odd.span.start:,})" for odd in oddities_by_kind["altered"]
    ]
    labels_of_misplaced_chunks = [
        f"{odd.number:,} (at {odd.span.start:,}, not {given_chunks[odd.number - 1].spans[0].start:,})"
        for odd in oddities_by_kind["elsewhere"]
    ]
    ambiguous_chunk_labels = [f"{odd.number:,} (at {odd.span.start:,})" for odd in oddities_by_kind["ambiguous"]]
    context_chunk_labels = [
        f"{odd.number:,} ({odd.explanation.removesuffix(' is around it')})" for odd in oddities_by_kind["context"]
    ]
    lost_chunk_labels = [
        _format_chunk_number_and_beginning(odd.number, given_chunks[odd.number - 1]) for odd in oddities_by_kind["lost"]
    ]
    chunk_oddity_notes = [
        _note_with_list(f"Chunks of {maker_name} that are not found in the text and left out", lost_chunk_labels),
        _note_with_list(
            f"Chunks of {maker_name} that are altered, and found where the text is most like them", altered_chunk_labels
        ),
        _note_with_list(
            f"Chunks of {maker_name} that stand in the text more than once, and may be at another place",
            ambiguous_chunk_labels,
        ),
        _note_with_list(f"Chunks of {maker_name} that are not at the place that they name", labels_of_misplaced_chunks),
        _note_with_list(
            f"Chunks of {maker_name} with a context around them that the text does not have there", context_chunk_labels
        ),
        f"Chunks of {maker_name} with other white space than the text: {len(oddities_by_kind['spaced']):,}."
        if oddities_by_kind["spaced"]
        else "",
        *unfinished_search_notes,
    ]
    return [note for note in chunk_oddity_notes if note]


def _note_with_list(note_beginning: str, chunk_labels: Sequence[str]) -> str:
    if not chunk_labels:
        return ""
    chunk_labels_phrase = ", ".join(chunk_labels[:_MAX_NAMED_CHUNKS]) + (
        " and more" if len(chunk_labels) > _MAX_NAMED_CHUNKS else ""
    )
    return f"{note_beginning}: {len(chunk_labels):,}: {chunk_labels_phrase}."


def _format_chunk_number_and_beginning(chunk_number: int, chunk: GivenChunk) -> str:
    if chunk.text is None:
        return f"{chunk_number:,} ({chunk.spans[0].start:,} to {chunk.spans[-1].end:,})"
    return f"{chunk_number:,} (“{quotable_beginning(chunk.text)}”)"


def _uncovered_character_notes(text: str, chunks: Sequence[Chunk]) -> list[str]:
    uncovered_character_count = count_characters_outside(text, [span for chunk in chunks for span in chunk.spans])
    return (
        [f"Characters that lie in no chunk, white space not counted: {uncovered_character_count:,}."]
        if uncovered_character_count
        else []
    )
