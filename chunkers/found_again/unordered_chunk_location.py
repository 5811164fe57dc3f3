"""Location of chunks that come in no order, such as retrieved ones, in several documents, with an index of these."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from chunkers.adapters.piece_location import quotable_beginning
from chunkers.files.external_chunks import GivenChunk
from chunkers.found_again.chunk_location import (
    MAX_SCANNED_CHARACTERS,
    PassageInContext,
    find_chunk_passage_and_context,
    find_first_lines_all_share,
    find_stated_spans_matching_text,
)
from chunkers.found_again.inspection_of_given_chunks import DocumentNames
from chunkers.support import IntArray, short_repr
from chunkers.text import (
    CONTEXT_CHARACTERS,
    MOST_CHARACTER_COMPARISONS,
    SHORTEST_ALTERED_EXCERPT,
    ComparisonBudget,
    Document,
    Quotation,
    SearchableText,
    Span,
    drop_spaces_and_simplify_signs,
    max_edit_distance,
)

CHARACTERS_PER_RUN = 12
"""Characters of a run by which a passage is searched for; see `SharedCharacterRuns`."""

INDEXED_RUN_DISTANCE = 4
"""Distance of the runs that are indexed: a passage of this many characters more than a run has one of them in any place."""

SHORTEST_INDEXED_TEXT = CHARACTERS_PER_RUN + INDEXED_RUN_DISTANCE - 1
"""Minimum number of characters of a text that can be located by the runs of characters it shares with a document."""

MAX_SEARCHED_RUN_PLACES = 20_000
"""Maximum number of places of runs with which a changed passage is searched for, the rarest runs first."""

TEXT_CHARACTERS_PER_NEEDED_RUN = 200
"""Characters of a changed passage for which it shares one more run with where it is searched for."""

_HASH_FACTOR = 0x9E3779B97F4A7C15

MOST_PLACES_PER_CHUNK = 20
"""Maximum number of places of one chunk that are looked for."""

MAX_WHOLLY_COMPARED_CHARACTERS = 100_000
"""Maximum number of characters of all documents together that a changed text is compared with from beginning to end.

In larger ones it is compared with what shares runs of characters with it; see `SharedCharacterRuns`.
"""

# What a program writes where it cuts a text short.
_CUT_SHORT_MARK_PATTERN = re.compile(r"\s*(?:…|\.\.\.|\[(?:…|\.\.\.|truncated)\])\s*\Z", re.IGNORECASE)


class Place(NamedTuple):
    """Place of a passage: the number of its document, and its span there."""

    document: int
    span: Span


@dataclass(frozen=True)
class Placement:
    """Possible places of a chunk.

    Attributes
    ----------
    places
        One place if the chunk is located; several if nothing tells them apart; none if the chunk is missing.
    remark
        Remark on an inexact match, on several places, or on a missing chunk; empty if it stands word for word in one place.
    is_cut_short
        True if the chunk ends with a mark that something shortened it.
    """

    places: tuple[Place, ...]
    remark: str = ""
    is_cut_short: bool = False

    @property
    def only_place(self) -> Place | None:
        """The chunk's place; None if it is missing or there are several."""
        return self.places[0] if len(self.places) == 1 else None


class UnorderedLocator:
    """Documents in which each chunk is located by itself, in any order.

    Parameters
    ----------
    chunks
        All chunks to locate: lines with which each of them begins are taken for context.
    has_documents
        False if the documents are put together from chunks, so that remarks speak of these.
    """

    def __init__(
        self, documents: Sequence[Document], chunks: Sequence[GivenChunk] = (), *, has_documents: bool = True
    ) -> None:
        comparison_budget = ComparisonBudget()
        self._comparison_budget = comparison_budget
        self._documents = documents
        self._searchable_texts = [SearchableText(document.text, comparison_budget) for document in documents]
        self._shared_beginning = find_first_lines_all_share([chunk.text for chunk in chunks if chunk.text is not None])
        self._characters_left = MAX_SCANNED_CHARACTERS
        self._source_noun = "document" if has_documents else "chunk"
        self._placement_by_chunk: dict[GivenChunk, Placement] = {}

    @cached_property
    def _shared_run_lookup_table(self) -> "SharedCharacterRuns | None":
        """The runs of the documents; None if the documents are small."""
        if sum(len(document.text) for document in self._documents) <= MAX_WHOLLY_COMPARED_CHARACTERS:
            return None
        return SharedCharacterRuns([searched.spaceless_simplified_text for searched in self._searchable_texts])

    def _possible_document_numbers(self, folded_texts: Sequence[str], document_numbers: Sequence[int]) -> Sequence[int]:
        """Return the documents that may have one of some folded texts."""
        if self._shared_run_lookup_table is None or any(len(text) < SHORTEST_INDEXED_TEXT for text in folded_texts):
            return document_numbers
        possible_document_numbers = {
            number for text in folded_texts for number in self._shared_run_lookup_table.possible_text_numbers(text)
        }
        return [number for number in document_numbers if number in possible_document_numbers]

    @cached_property
    def _matchable_document_names(self) -> DocumentNames:
        return DocumentNames(document.name for document in self._documents)

    def document_numbers_for_name(self, name: str | None) -> list[int]:
        """Return the numbers of the documents that a name may mean; all of them if there is no name."""
        if name is None:
            return [*range(len(self._documents))]
        matching_document_names = self._matchable_document_names.names_matching(name)
        return [number for number, document in enumerate(self._documents) if document.name in matching_document_names]

    def occurrences(self, text: str, document_numbers: Sequence[int] | None = None) -> list[Place]:
        """Return up to `MOST_PLACES_PER_CHUNK` places of a text: word for word, else ignoring white space and typography."""
        document_numbers_to_search = self._possible_document_numbers(
            [drop_spaces_and_simplify_signs(text)],
            range(len(self._documents)) if document_numbers is None else document_numbers,
        )
        text_occurrence_places = [
            Place(number, span)
            for number in document_numbers_to_search
            for span in self._searchable_texts[number].occurrences(text, MOST_PLACES_PER_CHUNK)
        ]
        # Word for word in one document outweighs other white space in another.
        verbatim_places = [place for place in text_occurrence_places if self._text_at_place(place) == text]
        return (verbatim_places or text_occurrence_places)[:MOST_PLACES_PER_CHUNK]

    def most_similar_places(self, text: str, document_numbers: Sequence[int] | None = None) -> tuple[list[Place], float]:
        """Return the places most like a text, if any, and how much alike they are; see `SearchableText.altered_match`."""
        searched_document_numbers = range(len(self._documents)) if document_numbers is None else document_numbers
        quotation, folded_text = Quotation(text), drop_spaces_and_simplify_signs(text)
        searched_ranges_by_document: Mapping[int, Sequence[Span] | None] = dict.fromkeys(searched_document_numbers)
        if self._shared_run_lookup_table is not None and len(folded_text) >= SHORTEST_INDEXED_TEXT:
            searched_ranges_by_document = self._shared_run_lookup_table.find_ranges_by_text_number(
                folded_text, max_edit_distance(len(folded_text))
            )
        document_match_pairs = [
            (
                number,
                self._searchable_texts[number].altered_match(quotation, searched_ranges=searched_ranges_by_document[number]),
            )
            for number in searched_document_numbers
            if number in searched_ranges_by_document
        ]
        successful_document_match_pairs = [(number, match) for number, match in document_match_pairs if match is not None]
        highest_similarity = max((match.similarity for _, match in successful_document_match_pairs), default=0.0)
        return [
            Place(number, match.span)
            for number, match in successful_document_match_pairs
            if match.similarity == highest_similarity
        ], highest_similarity

    def renew_comparison_budget(self) -> None:
        """Allow as many comparisons again, for texts of another kind."""
        self._comparison_budget.remaining = MOST_CHARACTER_COMPARISONS

    @property
    def is_comparison_budget_spent(self) -> bool:
        """True if so many texts were compared with small changes that no more are."""
        return self._comparison_budget.is_used_up

    def find(self, chunk: GivenChunk) -> Placement:
        """Locate a chunk; a result for an equal chunk is reused.

        The chunk is looked for at the place that it states, word for word, with other white space and typography, cut
        short, behind or before a context, and with small changes, in this order; first in the document that it names.
        """
        chunk_without_id = chunk._replace(id=None)
        if chunk_without_id not in self._placement_by_chunk:
            self._placement_by_chunk[chunk_without_id] = self._find_placement(chunk_without_id)
        return self._placement_by_chunk[chunk_without_id]

    def _find_placement(self, chunk: GivenChunk) -> Placement:
        named_document_numbers = self.document_numbers_for_name(chunk.document)
        if (
            chunk.spans
            and len(named_document_numbers) == 1
            and (
                stated_chunk_spans := find_stated_spans_matching_text(self._documents[named_document_numbers[0]].text, chunk)
            )
        ):
            return Placement(
                (Place(named_document_numbers[0], Span(stated_chunk_spans[0].start, stated_chunk_spans[-1].end)),)
            )
        chunk_text = (chunk.text or "").strip()
        if not chunk_text:
            return Placement((), "it has no text, and nothing stands at the place that it states")
        missing_source_clause = "is not among the documents" if self._source_noun == "document" else "has no chunks at hand"
        absent_document_phrase = (
            f"{short_repr(chunk.document)} {missing_source_clause}" if not named_document_numbers else ""
        )
        text_without_cut_mark = _CUT_SHORT_MARK_PATTERN.sub("", chunk_text)
        chunk_text_variants_with_remarks = [(chunk_text, "")] + [(text_without_cut_mark, "cut short")] * (
            text_without_cut_mark != chunk_text
            and len(drop_spaces_and_simplify_signs(text_without_cut_mark)) >= SHORTEST_ALTERED_EXCERPT
        )
        for chunk_text_variant, exactness_remark in chunk_text_variants_with_remarks:
            if placement := self._verbatim_placement(
                chunk_text_variant, chunk, named_document_numbers, exactness_remark, absent_document_phrase
            ):
                return placement
        if absent_document_phrase:
            return Placement((), absent_document_phrase)
        if (passage := self._longest_passage_in_documents(text_without_cut_mark, chunk, named_document_numbers)) is not None:
            context_remark = f"“{quotable_beginning(passage.context)}” is around it"
            exactness_remark = context_remark + ("; cut short" if text_without_cut_mark != chunk_text else "")
            if placement := self._verbatim_placement(
                passage.text, chunk, named_document_numbers, exactness_remark, absent_document_phrase
            ):
                return placement
        places, similarity = self.most_similar_places(chunk_text, named_document_numbers)
        if places:
            return _placement_with_remarks(
                places, [f"altered, {int(100 * similarity)} % alike"], text_without_cut_mark != chunk_text
            )
        if self.is_comparison_budget_spent or self._characters_left < 0:
            return Placement(
                (), f"it stands in no {self._source_noun} word for word; with changes it was not compared with all passages"
            )
        shared_runs_phrase = (
            ""
            if self._shared_run_lookup_table is None
            else f" that has runs of {SHORTEST_INDEXED_TEXT} characters in common with it"
        )
        return Placement((), f"nothing in the {self._source_noun}s{shared_runs_phrase} is like it")

    def _verbatim_placement(
        self,
        text: str,
        chunk: GivenChunk,
        named_document_numbers: Sequence[int],
        match_remark: str,
        absent_document_remark: str,
    ) -> Placement | None:
        placement_remarks = [match_remark] if match_remark else []
        whole_word_places = self._places_at_whole_words(text, self.occurrences(text, named_document_numbers))
        if not whole_word_places and len(named_document_numbers) < len(self._documents):
            whole_word_places = self._places_at_whole_words(text, self.occurrences(text))
            placement_remarks += [absent_document_remark or "in another document than it names"] if whole_word_places else []
        if not whole_word_places:
            return None
        if chunk.spans and len(whole_word_places) > 1:
            # One nearest to the stated start; two at the same distance stay two.
            distances_to_stated_start = [abs(place.span.start - chunk.spans[0].start) for place in whole_word_places]
            whole_word_places = [
                place
                for place, distance in zip(whole_word_places, distances_to_stated_start, strict=True)
                if distance == min(distances_to_stated_start)
            ]
        if text != self._text_at_place(whole_word_places[0]):
            placement_remarks.append("other white space or signs")
        return _placement_with_remarks(whole_word_places, placement_remarks, match_remark.endswith("cut short"))

    def _places_at_whole_words(self, sought_text: str, places: list[Place]) -> list[Place]:
        """Return the places; of a very short text only those that are not inside a word."""
        if len(drop_spaces_and_simplify_signs(sought_text)) >= SHORTEST_ALTERED_EXCERPT:
            return places
        return [place for place in places if not self._has_edge_inside_word(place)]

    def _has_edge_inside_word(self, place: Place) -> bool:
        document_text, (place_start, place_end) = self._documents[place.document].text, place.span
        return any(
            0 < edge < len(document_text) and document_text[edge - 1 : edge + 1].isalnum()
            for edge in (place_start, place_end)
        )

    def _text_at_place(self, place: Place) -> str:
        return self._documents[place.document].text[place.span.start : place.span.end]

    def _longest_passage_in_documents(
        self, text: str, chunk: GivenChunk, named_document_numbers: Sequence[int]
    ) -> PassageInContext | None:
        """Return the longest part of a chunk with a context that occurs in one of the documents; None if there is none."""
        passages: list[PassageInContext] = []
        folded_text = drop_spaces_and_simplify_signs(text)
        # Many documents share a few words, such as a heading, with a chunk of none of them.
        least_passage_length = min(CONTEXT_CHARACTERS, len(folded_text) // 2)
        # A passage at the end, at the beginning or around the middle has one of these.
        folded_text_middle_index, half_least_passage_length = len(folded_text) // 2, least_passage_length // 2
        chunk_text_probes = (
            folded_text[-least_passage_length:],
            folded_text[:least_passage_length],
            folded_text[folded_text_middle_index - half_least_passage_length : folded_text_middle_index],
            folded_text[folded_text_middle_index : folded_text_middle_index + half_least_passage_length],
        )
        for document_number in (
            named_document_numbers
            if chunk.spans
            else self._possible_document_numbers(chunk_text_probes, named_document_numbers)
        ):
            searchable_document_text = self._searchable_texts[document_number]
            if not chunk.spans and not any(map(searchable_document_text.contains, chunk_text_probes)):
                continue
            if self._characters_left < 0:
                break
            self._characters_left -= 4 * len(text).bit_length() * len(searchable_document_text.text)
            passage_in_document = find_chunk_passage_and_context(
                searchable_document_text,
                text,
                chunk.spans,
                self._shared_beginning,
                Span(0, len(searchable_document_text.text)),
            )
            if (
                passage_in_document is not None
                and len(drop_spaces_and_simplify_signs(passage_in_document.text)) >= least_passage_length
            ):
                passages.append(passage_in_document)
        return max(passages, key=lambda candidate: len(candidate.text), default=None)


def _placement_with_remarks(places: Sequence[Place], match_remarks: Sequence[str], is_chunk_cut_short: bool) -> Placement:
    several_places_remarks = (
        [f"stands in {'at least ' * (len(places) == MOST_PLACES_PER_CHUNK)}{len(places)} places"] if len(places) > 1 else []
    )
    return Placement(tuple(places), "; ".join([*match_remarks, *several_places_remarks]), is_chunk_cut_short)


class SharedCharacterRuns:
    """Index by hash of runs of `CHARACTERS_PER_RUN` characters of texts, `INDEXED_RUN_DISTANCE` characters apart."""

    def __init__(self, texts: Sequence[str]) -> None:
        hashes_by_text = [_hashes_of_character_runs(text)[::INDEXED_RUN_DISTANCE] for text in texts]
        indexed_run_count_by_text = np.array([len(own) for own in hashes_by_text], dtype=np.intp)
        all_run_hashes = np.concatenate(hashes_by_text) if hashes_by_text else np.empty(0, dtype=np.uint64)
        sorted_run_indices = np.argsort(all_run_hashes, kind="stable")
        self._hashes = all_run_hashes[sorted_run_indices]
        self._run_order = sorted_run_indices.astype(np.uint32)
        self._run_number_starts = np.cumsum(indexed_run_count_by_text) - indexed_run_count_by_text

    def possible_text_numbers(self, text: str) -> list[int]:
        """Return the numbers of texts that may contain ``text``, which has at least `SHORTEST_INDEXED_TEXT` characters."""
        first_sorted_positions, run_occurrence_counts = self._find_index_ranges_of_runs(text)
        # A text that contains it has all runs of one of the alignments, and so the rarest of them.
        rarest_run_starts = [
            start + INDEXED_RUN_DISTANCE * int(run_occurrence_counts[start::INDEXED_RUN_DISTANCE].argmin())
            for start in range(INDEXED_RUN_DISTANCE)
        ]
        text_numbers, _ = self._run_occurrences(
            first_sorted_positions[rarest_run_starts], run_occurrence_counts[rarest_run_starts]
        )
        return [int(number) for number in np.unique(text_numbers)]

    def find_ranges_by_text_number(self, text: str, range_margin: int) -> dict[int, list[Span]]:
        """Return the ranges that share runs with ``text``, by the number of their text, disjoint and in order.

        A range is as long as ``text``, with a margin of ``range_margin`` characters on both sides. It shares one run, and
        another for every `TEXT_CHARACTERS_PER_NEEDED_RUN` characters of ``text``.
        """
        first_sorted_position_by_run, occurrence_counts = self._find_index_ranges_of_runs(text)
        run_starts_by_rarity = np.argsort(occurrence_counts, kind="stable")
        rare_run_starts = np.sort(
            run_starts_by_rarity[np.cumsum(occurrence_counts[run_starts_by_rarity]) <= MAX_SEARCHED_RUN_PLACES]
        )
        text_number_by_occurrence, occurrence_starts = self._run_occurrences(
            first_sorted_position_by_run[rare_run_starts], occurrence_counts[rare_run_starts]
        )
        occurrence_starts -= np.repeat(rare_run_starts, occurrence_counts[rare_run_starts])
        ranges_by_text: dict[int, list[Span]] = {}
        range_run_counts_by_text: dict[int, list[int]] = {}
        for occurrence_index in np.lexsort((occurrence_starts, text_number_by_occurrence)).tolist():
            text_ranges, shared_run_counts_of_ranges = (
                ranges_by_text.setdefault(int(text_number_by_occurrence[occurrence_index]), []),
                range_run_counts_by_text.setdefault(int(text_number_by_occurrence[occurrence_index]), []),
            )
            range_start, range_end = (
                max(0, int(occurrence_starts[occurrence_index]) - range_margin),
                int(occurrence_starts[occurrence_index]) + len(text) + range_margin,
            )
            if text_ranges and range_start <= text_ranges[-1].end:
                text_ranges[-1] = Span(text_ranges[-1].start, max(text_ranges[-1].end, range_end))
                shared_run_counts_of_ranges[-1] += 1
            else:
                text_ranges.append(Span(range_start, range_end))
                shared_run_counts_of_ranges.append(1)
        least_shared_run_count = 1 + len(text) // TEXT_CHARACTERS_PER_NEEDED_RUN
        return {
            number: near
            for number, own in ranges_by_text.items()
            if (
                near := [
                    span
                    for span, count in zip(own, range_run_counts_by_text[number], strict=True)
                    if count >= least_shared_run_count
                ]
            )
        }

    def _find_index_ranges_of_runs(self, text: str) -> tuple[IntArray, IntArray]:
        """Return the first place of each run of a text among the sorted runs, and the number of its places."""
        text_run_hashes = _hashes_of_character_runs(text)
        first_sorted_positions = np.searchsorted(self._hashes, text_run_hashes, "left")
        return first_sorted_positions, np.searchsorted(self._hashes, text_run_hashes, "right") - first_sorted_positions

    def _run_occurrences(
        self, first_positions_in_sorted_hashes: IntArray, occurrence_counts: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Return the text and the place in it of every occurrence of some runs."""
        occurrences_of_preceding_runs = np.cumsum(occurrence_counts) - occurrence_counts
        sorted_run_positions = np.arange(occurrence_counts.sum()) + np.repeat(
            first_positions_in_sorted_hashes - occurrences_of_preceding_runs, occurrence_counts
        )
        run_indices = self._run_order[sorted_run_positions].astype(np.intp)
        text_numbers = np.searchsorted(self._run_number_starts, run_indices, "right") - 1
        return text_numbers, (run_indices - self._run_number_starts[text_numbers]) * INDEXED_RUN_DISTANCE


def _hashes_of_character_runs(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return the hash of every run of a text, shape (characters - `CHARACTERS_PER_RUN` + 1,)."""
    character_codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    if len(character_codes) < CHARACTERS_PER_RUN:
        return np.empty(0, dtype=np.uint64)
    hash_factor = np.uint64(_HASH_FACTOR)
    character_run_hashes = character_codes[: len(character_codes) - CHARACTERS_PER_RUN + 1].copy()
    for offset_inside_run in range(1, CHARACTERS_PER_RUN):
        character_run_hashes *= hash_factor
        character_run_hashes += character_codes[
            offset_inside_run : len(character_codes) - CHARACTERS_PER_RUN + 1 + offset_inside_run
        ]
    return character_run_hashes
