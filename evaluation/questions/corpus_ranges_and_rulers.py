"""Corpora with offsets over all their documents, ranges of these offsets, and rulers that measure ranges."""

import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from unicodedata import category

import numpy as np

from chunkers import Document, InputError, Span, Tokenizer
from chunkers.support import IntArray
from evaluation.questions.question_rows import DOCUMENT_TEXT_SEPARATOR

# Arithmetic of half-open ranges on one axis.


def union_of_ranges(ranges: Iterable[tuple[int, int]]) -> list[Span]:
    """Return the union of ranges as ascending spans that neither overlap nor touch."""
    merged_spans: list[Span] = []
    for start, next_range_end in sorted(ranges):
        if start >= next_range_end:
            continue
        if merged_spans and start <= merged_spans[-1].end:
            merged_spans[-1] = Span(merged_spans[-1].start, max(merged_spans[-1].end, next_range_end))
        else:
            merged_spans.append(Span(start, next_range_end))
    return merged_spans


def intersection_of_ranges(left: Iterable[tuple[int, int]], right: Iterable[tuple[int, int]]) -> list[Span]:
    """Return the overlap of two sets of ranges as ascending spans that neither overlap nor touch."""
    merged_right_spans = union_of_ranges(right)
    right_span_start_offsets, right_span_end_offsets = (
        [span.start for span in merged_right_spans],
        [span.end for span in merged_right_spans],
    )
    return [
        Span(max(start, first), min(end, last))
        for start, end in union_of_ranges(left)
        for first, last in merged_right_spans[
            bisect_right(right_span_end_offsets, start) : bisect_left(right_span_start_offsets, end)
        ]
    ]


def difference_of_ranges(left: Iterable[tuple[int, int]], right: Iterable[tuple[int, int]]) -> list[Span]:
    """Return the parts of ``left`` outside ``right`` as ascending spans that neither overlap nor touch."""
    # The bounds of what lies between, before and after the ranges on the right.
    edges_outside_right_ranges = [0, *chain.from_iterable(union_of_ranges(right)), sys.maxsize]
    return intersection_of_ranges(left, zip(edges_outside_right_ranges[::2], edges_outside_right_ranges[1::2], strict=True))


class CoveredRanges:
    """Union of ranges that grows as ranges are added."""

    def __init__(self) -> None:
        # The bounds of ascending ranges that do not overlap.
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add_and_return_new_parts(self, ranges: Iterable[tuple[int, int]]) -> list[Span]:
        """Add ranges, and return the parts of them that were not yet covered."""
        return union_of_ranges(
            part for start, end in ranges if start < end for part in self._cover_range_yielding_new_parts(start, end)
        )

    def _cover_range_yielding_new_parts(self, start: int, end: int) -> Iterator[Span]:
        first_touched_index, index_after_last_touched = bisect_right(self._ends, start), bisect_left(self._starts, end)
        uncovered_start = start
        for covered_start, already_covered_range_end in zip(
            self._starts[first_touched_index:index_after_last_touched],
            self._ends[first_touched_index:index_after_last_touched],
            strict=True,
        ):
            if covered_start > uncovered_start:
                yield Span(uncovered_start, covered_start)
            uncovered_start = already_covered_range_end
        if uncovered_start < end:
            yield Span(uncovered_start, end)
        if first_touched_index < index_after_last_touched:
            start, end = min(start, self._starts[first_touched_index]), max(end, self._ends[index_after_last_touched - 1])
        (
            self._starts[first_touched_index:index_after_last_touched],
            self._ends[first_touched_index:index_after_last_touched],
        ) = (
            [start],
            [end],
        )


def total_length_of_ranges(separately_counted_ranges: Sequence[tuple[int, int]]) -> int:
    """Return the total length of ranges, counting text once for each range that contains it."""
    return sum(end - start for start, end in separately_counted_ranges)


def numbers_of_overlapping_chunks(chunk_edges: IntArray, ranges: Iterable[tuple[int, int]]) -> list[int]:
    """Return the numbers of the chunks that overlap any of the ranges; ``chunk_edges`` has shape (chunks, 2)."""
    overlapping_chunk_mask = np.zeros(len(chunk_edges), dtype=bool)
    # One by one: a question may have as many excerpts as there are documents.
    for start, end in ranges:
        overlapping_chunk_mask |= (chunk_edges[:, 0] < end) & (chunk_edges[:, 1] > start)
    return np.flatnonzero(overlapping_chunk_mask).tolist()


def trim_spaces_and_punctuation(text: str, span: Span) -> Span:
    """Trim white space and punctuation from a span; return the span unchanged if nothing would be left."""
    start, end = span
    while start < end and _is_trimmable(text[start]):
        start += 1
    while end > start and _is_trimmable(text[end - 1]):
        end -= 1
    return Span(start, end) if start < end else span


def _is_trimmable(character: str) -> bool:
    """Return whether a character at an end of an excerpt does not matter; a percent sign belongs to its number."""
    return character.isspace() or (category(character).startswith("P") and character not in "%‰")


@dataclass(frozen=True)
class Corpus:
    """Corpus of distinctly named documents, joined into one text with corpus-wide offsets.

    Attributes
    ----------
    exact_ends
        True if white space and punctuation at the ends of an excerpt count, as in published tables.

    Raises
    ------
    InputError
        If there is no document, or if two documents have the same name.
    """

    documents: tuple[Document, ...]
    exact_ends: bool = False

    def __post_init__(self) -> None:
        if not self.documents:
            raise InputError("A corpus must have at least one document; got none.")
        if repeated_document_name := next((name for name, times in Counter(self.names).items() if times > 1), None):
            raise InputError(
                f"The documents of a corpus must have different names; {repeated_document_name!r} appears twice."
            )

    @cached_property
    def names(self) -> list[str]:
        """Names of the documents in the corpus, in order."""
        return [document.name for document in self.documents]

    @cached_property
    def offsets(self) -> list[int]:
        """Corpus-wide offset at which each document begins."""
        joined_document_lengths = [len(document.text) + len(DOCUMENT_TEXT_SEPARATOR) for document in self.documents]
        return [0, *accumulate(joined_document_lengths[:-1])]

    @cached_property
    def joined_document(self) -> Document:
        """All documents joined into one, with all their sentences; a corpus of one document returns that document."""
        if len(self.documents) == 1:
            return self.documents[0]
        corpus_sentence_spans = [
            Span(offset + start, offset + end)
            for offset, document in zip(self.offsets, self.documents, strict=True)
            for start, end in document.sentences
        ]
        return Document(
            DOCUMENT_TEXT_SEPARATOR.join(document.text for document in self.documents),
            tuple(corpus_sentence_spans),
            "corpus",
        )

    @cached_property
    def sentence_ends(self) -> list[int]:
        """Corpus-wide offset at which each sentence ends."""
        return [span.end for span in self.joined_document.sentences]

    def span_in_corpus(self, document_number: int, span: tuple[int, int]) -> Span:
        """Convert a span of document ``document_number`` to corpus-wide offsets."""
        document_offset_in_corpus = self.offsets[document_number]
        return Span(document_offset_in_corpus + span[0], document_offset_in_corpus + span[1])

    def document_number_at(self, corpus_offset: int) -> int:
        """Return the number of the document that contains a corpus-wide offset."""
        return bisect_right(self.offsets, corpus_offset) - 1


class TokenRuler:
    """Token counter for ranges of a text.

    A token belongs to the range that contains its first character other than white space. The space at the start of a
    byte-pair token therefore does not decide to which range a word belongs.
    """

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        token_starts = tokenizer.starts(text)
        # For each place the next one, itself included, that is not white space; the end of the text where there is none.
        visible_offsets = np.array([place for place, character in enumerate(text) if not character.isspace()] + [len(text)])
        self._token_offsets = np.sort(visible_offsets[np.searchsorted(visible_offsets, token_starts)])

    def __call__(self, ranges: Sequence[tuple[int, int]]) -> int:
        """Return the number of tokens in the ranges; overlaps count once per range."""
        return int(self.range_lengths(ranges).sum())

    def range_lengths(self, ranges: Sequence[tuple[int, int]]) -> IntArray:
        """Return the number of tokens in each range, shape (ranges,)."""
        range_edge_positions = np.searchsorted(self._token_offsets, np.asarray(ranges, dtype=np.intp).reshape(-1, 2))
        return np.asarray(range_edge_positions[:, 1] - range_edge_positions[:, 0])

    def shorten_span(self, span: Span, most: int) -> Span:
        """Return the longest prefix of a range with at most ``most`` tokens.

        A character of several tokens is included whole or not at all.
        """
        if most <= 0:
            return Span(span.start, span.start)
        first_excluded_token_index = int(np.searchsorted(self._token_offsets, span.start)) + most
        return (
            span
            if first_excluded_token_index >= len(self._token_offsets)
            else Span(span.start, min(span.end, int(self._token_offsets[first_excluded_token_index])))
        )


class CharacterRuler:
    """Character counter for ranges of a text, with the same interface as `TokenRuler`."""

    def __call__(self, ranges: Sequence[tuple[int, int]]) -> int:
        """Return the number of characters in the ranges; overlaps count once per range."""
        return total_length_of_ranges(ranges)

    def range_lengths(self, ranges: Sequence[tuple[int, int]]) -> IntArray:
        """Return the number of characters in each range, shape (ranges,)."""
        range_edges = np.asarray(ranges, dtype=np.intp).reshape(-1, 2)
        return np.asarray(range_edges[:, 1] - range_edges[:, 0])

    def shorten_span(self, span: Span, most: int) -> Span:
        """Return the prefix of a range with at most ``most`` characters."""
        return Span(span.start, min(span.end, span.start + max(0, most)))


AnyRuler = TokenRuler | CharacterRuler
"""Ruler for ranges of a text, in tokens or in characters."""


def ruler_for_unit(unit: str, ruler: AnyRuler) -> AnyRuler:
    """Return the ruler for a unit: ``ruler`` if it is tokens, else one that counts characters."""
    return ruler if unit == "tokens" else CharacterRuler()
