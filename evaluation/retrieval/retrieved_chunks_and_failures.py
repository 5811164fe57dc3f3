"""Chunks that a question is given, top k or within a budget, the fate of an answer, and excerpts that a run misses."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from math import nan
from typing import Literal, NamedTuple

from chunkers import Span
from chunkers.support import IntArray
from evaluation.questions import (
    TokenRuler,
    difference_of_ranges,
    intersection_of_ranges,
    numbers_of_overlapping_chunks,
    ruler_for_unit,
    total_length_of_ranges,
)
from evaluation.retrieval.budget import Limit, chunk_beginning_up_to_length
from evaluation.retrieval.budgets_and_near_duplicates import BudgetLadder
from evaluation.retrieval.measures import RANGE_UNITS, Evaluation, excerpt_ranges


class RankedChunk(NamedTuple):
    """Chunk with its rank, and the part of it that is retrieved for a question.

    Attributes
    ----------
    rank
        Rank of the chunk, counted from 1; 0 if it was not ranked.
    number
        Number of the chunk.
    spans
        Spans of the chunk in corpus-wide offsets, or of the text that it returns, without text that better chunks return;
        possibly empty.
    given
        Spans retrieved for the question: the chunk's beginning if the budget cuts it off, nothing if it is left out.
    score
        Cosine, BM25, sum of reciprocal ranks, or score of the cross-encoder; NaN if the cross-encoder did not score the
        chunk, or if the scores were not kept.
    """

    rank: int
    number: int
    spans: tuple[Span, ...]
    given: tuple[Span, ...]
    score: float = nan

    @property
    def is_wholly_retrieved(self) -> bool:
        """True if the whole chunk is retrieved for the question."""
        return self.given == self.spans


@dataclass(frozen=True)
class RetrievedChunks:
    """Chunks retrieved for a question, within the top k or a budget.

    Attributes
    ----------
    chunks
        Chunks, best first; the last one may be cut off or left out.
    taken_count
        Number of retrieved chunks, including one that is cut off and those whose ranks the run did not keep.
    filled_length
        Used part of the budget, in its unit; 0 if the limit is the top k.
    """

    chunks: tuple[RankedChunk, ...]
    taken_count: int
    limit: Limit
    filled_length: int

    @property
    def chunk_count_beyond_kept_ranks(self) -> int:
        """Number of further retrieved chunks whose ranks the run did not keep."""
        return max(0, self.taken_count - len(self.chunks))

    @property
    def retrieved_spans(self) -> list[Span]:
        """Spans retrieved for the question, except those of chunks whose ranks were not kept."""
        return [span for chunk in self.chunks for span in chunk.given]


class MeasuredChunker(NamedTuple):
    """Chunker's retrieval evaluation, with its results at budgets if they were measured."""

    evaluation: Evaluation
    ladder: BudgetLadder | None


def given_chunks(
    measured_chunker: MeasuredChunker,
    retrieval_limit: Limit,
    question_number: int,
    ruler: TokenRuler,
    overlapped_excerpt: Span | None = None,
) -> RetrievedChunks:
    """Return the chunks retrieved for question ``question_number``, counted from 0.

    With ``overlapped_excerpt``, only the chunks that overlap this excerpt are returned, including those whose ranks the run
    keeps for excerpts alone. If chunks return other text than their own, all are returned, since any may contain the
    excerpt.
    """
    search_index, all_budget_results = measured_chunker.evaluation.searched_index, measured_chunker.ladder
    rows_beyond_kept_ranks: list[list[int]] = []
    if retrieval_limit.budget and all_budget_results is not None:
        results_at_budgets = all_budget_results.results_in_unit(retrieval_limit.unit, retrieval_limit.last)
        budget_and_question_indexes = results_at_budgets.budgets.sizes.index(retrieval_limit.budget), question_number
        taken_chunk_count, last_chunk_beginning_length = (
            int(results_at_budgets.taken[budget_and_question_indexes]),
            int(results_at_budgets.cut_chunk_length[budget_and_question_indexes]),
        )
        filled_length = int(results_at_budgets.given[RANGE_UNITS.index(retrieval_limit.unit)][budget_and_question_indexes])
        ranked_chunk_numbers = all_budget_results.ranked[question_number][all_budget_results.ranked[question_number] >= 0]
        rows_beyond_kept_ranks = all_budget_results.lower_ranked_excerpt_chunks[
            all_budget_results.lower_ranked_excerpt_chunks[:, 0] == question_number
        ].tolist()
    else:
        ranked_chunk_numbers = measured_chunker.evaluation.search.ranked[question_number, : retrieval_limit.top]
        taken_chunk_count, last_chunk_beginning_length, filled_length = len(ranked_chunk_numbers), 0, 0
    # A chunk that does not fit is shown as well, unless the budget is full.
    is_unfitting_chunk_shown = retrieval_limit.last == "left_out" and filled_length < retrieval_limit.budget
    shown_chunk_numbers: IntArray = ranked_chunk_numbers[: taken_chunk_count + is_unfitting_chunk_shown]
    zero_based_ranks: Sequence[int] = range(len(shown_chunk_numbers))
    if overlapped_excerpt is not None and search_index.returns is None:
        zero_based_ranks = numbers_of_overlapping_chunks(search_index.edges[shown_chunk_numbers], [overlapped_excerpt])
    ranks_and_chunk_numbers = [(place + 1, int(shown_chunk_numbers[place])) for place in zero_based_ranks]
    if overlapped_excerpt is not None:
        ranks_and_chunk_numbers += [
            (rank, number) for _, number, rank in rows_beyond_kept_ranks if rank <= taken_chunk_count
        ]
    returned_spans_per_chunk = search_index.returned_spans_without_repeats(number for _, number in ranks_and_chunk_numbers)

    def retrieved_part_of_chunk(rank: int, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        if rank == taken_chunk_count and last_chunk_beginning_length:
            return tuple(
                chunk_beginning_up_to_length(spans, last_chunk_beginning_length, ruler_for_unit(retrieval_limit.unit, ruler))
            )
        return spans if rank <= taken_chunk_count else ()

    return RetrievedChunks(
        tuple(
            RankedChunk(rank, number, spans, retrieved_part_of_chunk(rank, spans))
            for (rank, number), spans in zip(ranks_and_chunk_numbers, returned_spans_per_chunk, strict=True)
        ),
        taken_chunk_count,
        retrieval_limit,
        filled_length,
    )


# The fate of one answer: given whole, or lost on the way.


@dataclass(frozen=True)
class Seam:
    """Cut inside an excerpt, with the chunks on either side and the reason for the cut.

    Attributes
    ----------
    place
        Start of the later chunk, as a corpus-wide offset; of a trace, as an offset in its document.
    before, after
        Numbers of the chunks that end and begin at the cut, counted from 0.
    reason
        The chunker's reason for the cut; empty if it gives none.
    """

    place: int
    before: int
    after: int
    reason: str


ExcerptFate = Literal["whole", "split", "cut off", "not retrieved", "in no chunk"]


@dataclass(frozen=True)
class AnswerRetrieval:
    """Retrieval outcome for an answer: whether it was retrieved whole, and the chunks that contain it.

    Pieces of white space alone do not count.

    Attributes
    ----------
    answer
        Span of the answer.
    fate
        ``whole`` if a retrieved chunk contains the whole answer; ``cut off`` if the budget ends inside the answer; ``split``
        if no chunk contains the whole answer; ``not retrieved`` if a chunk contains it, but lies beyond the limit;
        ``in no chunk`` if no chunk contains any of it.
    chunks
        The chunks that contain the answer or its parts, best ranked first; the rank of a chunk that was not ranked is 0.
    missed_character_count
        Number of characters of the answer that no retrieved text contains.
    outside_character_count
        Number of characters of the answer that no chunk contains. They are not searched, though returned text may contain
        them.
    """

    answer: Span
    fate: ExcerptFate
    chunks: tuple[RankedChunk, ...]
    missed_character_count: int
    outside_character_count: int

    @property
    def answer_character_count(self) -> int:
        """Length of the answer in characters."""
        return self.answer.end - self.answer.start

    @property
    def chunk_with_most_answer(self) -> RankedChunk | None:
        """The chunk with most of the answer, the best ranked in case of ties; None if no chunk contains any of it."""
        return max(self.chunks, key=self.count_answer_characters_in_chunk, default=None)

    def count_answer_characters_in_chunk(self, chunk: RankedChunk) -> int:
        """Return the number of characters of the answer that a chunk contains."""
        return total_length_of_ranges(intersection_of_ranges([self.answer], chunk.spans))

    def cuts_inside(self, cut_reason_by_offset: Mapping[int, str]) -> tuple[Seam, ...]:
        """Return the places inside a split answer at which a chunk begins that does not hold the text before them.

        ``cut_reason_by_offset`` holds reasons for cuts, by the offset at which the later chunk begins.
        """
        parts_touching_answer = sorted(
            (span, chunk.number)
            for chunk in self.chunks
            for span in chunk.spans
            if span.start < self.answer.end and span.end > self.answer.start
        )
        return tuple(
            Seam(span.start, before, after, cut_reason_by_offset.get(span.start, ""))
            for (_, before), (span, after) in pairwise(parts_touching_answer)
            if self.fate == "split" and self.answer.start < span.start and before != after
        )


def judge_answer_retrieval(
    document_text: str,
    spans_by_overlapping_chunk: Mapping[int, tuple[Span, ...]],
    rank_by_chunk: Mapping[int, int],
    given_spans_by_chunk: Mapping[int, Sequence[Span]],
    answer_span: Span,
) -> AnswerRetrieval:
    """Return the outcome of any retrieval from the chunks of a text or corpus for an answer. White space is ignored.

    Parameters
    ----------
    spans_by_overlapping_chunk
        The chunks that overlap the answer, by their numbers.
    rank_by_chunk
        Ranks, from 1, of the chunks that were ranked, by their numbers.
    given_spans_by_chunk
        The retrieved part of each retrieved chunk.
    """
    whole_answer_chunks = [
        number
        for number, spans in spans_by_overlapping_chunk.items()
        if not count_missing_characters(document_text, answer_span, spans)
    ]
    retrieved_chunks_with_whole_answer = [number for number in whole_answer_chunks if number in given_spans_by_chunk]
    chunk_numbers_by_fate: dict[ExcerptFate, list[int]] = {
        "whole": [
            number
            for number in retrieved_chunks_with_whole_answer
            if not count_missing_characters(document_text, answer_span, given_spans_by_chunk[number])
        ],
        "cut off": retrieved_chunks_with_whole_answer,
        "not retrieved": whole_answer_chunks,
        "split": [
            number
            for number, spans in spans_by_overlapping_chunk.items()
            if any(document_text[start:end].strip() for start, end in intersection_of_ranges([answer_span], spans))
        ],
    }
    fate: ExcerptFate = next((fate for fate, numbers in chunk_numbers_by_fate.items() if numbers), "in no chunk")
    chunks_deciding_answer_fate = sorted(
        (
            RankedChunk(
                rank_by_chunk.get(number, 0),
                number,
                spans_by_overlapping_chunk[number],
                tuple(given_spans_by_chunk.get(number, ())),
            )
            for number in chunk_numbers_by_fate.get(fate, ())
        ),
        key=lambda chunk: (not chunk.rank, chunk.rank, chunk.number),
    )
    return AnswerRetrieval(
        answer_span,
        fate,
        tuple(chunks_deciding_answer_fate),
        count_missing_characters(document_text, answer_span, chain.from_iterable(given_spans_by_chunk.values())),
        count_missing_characters(document_text, answer_span, chain.from_iterable(spans_by_overlapping_chunk.values())),
    )


def whole_answer_chunk_numbers(document_text: str, chunks: Sequence[Sequence[Span]], answer_span: Span) -> list[int]:
    """Return the numbers of the chunks that contain a whole answer, ignoring white space."""
    return [
        number
        for number, spans in enumerate(chunks)
        if spans[0].start < answer_span.end
        and answer_span.start < spans[-1].end
        and not count_missing_characters(document_text, answer_span, spans)
    ]


# Excerpts that are not given in full.


@dataclass(frozen=True)
class MissedExcerpt:
    """Excerpt that a chunker failed to retrieve in full.

    Attributes
    ----------
    question
        Number of the question, from 0.
    missed_characters_by_chunker
        Number of characters of the excerpt that were not retrieved, by chunker number; white space alone does not count.
    retrieval
        Outcome for the excerpt at the chunker that missed it, in corpus-wide offsets. The rank of a chunk is also 0 if the
        run did not keep it.
    """

    question: int
    missed_characters_by_chunker: Mapping[int, int]
    retrieval: AnswerRetrieval

    def other_successful_chunkers(self, excluded_chunker_number: int) -> tuple[int, ...]:
        """Return the numbers of the chunkers other than ``excluded_chunker_number`` that retrieved the whole excerpt."""
        return tuple(
            other
            for other, missed in self.missed_characters_by_chunker.items()
            if other != excluded_chunker_number and not missed
        )


def list_missed_excerpts_per_chunker(
    measured_by_chunker_number: Mapping[int, MeasuredChunker], retrieval_limit: Limit, ruler: TokenRuler
) -> dict[int, list[MissedExcerpt]]:
    """Return, for each chunker, the excerpts that it failed to retrieve in full, most missing text first.

    Excerpts with equally much missing text are in the order of their questions.
    """
    missed_excerpts_by_chunker: dict[int, list[MissedExcerpt]] = {number: [] for number in measured_by_chunker_number}
    if not measured_by_chunker_number:
        return missed_excerpts_by_chunker
    first_evaluation = next(iter(measured_by_chunker_number.values())).evaluation
    corpus_text = first_evaluation.searched_index.corpus.joined_document.text
    overall_excerpt_number = -1
    for question_number, question in enumerate(first_evaluation.search.questions):
        for excerpt in excerpt_ranges(first_evaluation.searched_index.corpus, question):
            overall_excerpt_number += 1
            given_chunks_by_chunker = {
                chunker: given_chunks(measured, retrieval_limit, question_number, ruler, excerpt)
                for chunker, measured in measured_by_chunker_number.items()
            }
            missing_character_count_by_chunker = {
                chunker: count_missing_characters(corpus_text, excerpt, given.retrieved_spans)
                for chunker, given in given_chunks_by_chunker.items()
            }
            for chunker_number, missing_character_count in missing_character_count_by_chunker.items():
                if missing_character_count:
                    excerpt_retrieval_outcome = _judge_missed_excerpt(
                        measured_by_chunker_number[chunker_number],
                        given_chunks_by_chunker[chunker_number],
                        question_number,
                        overall_excerpt_number,
                        excerpt,
                    )
                    missed_excerpts_by_chunker[chunker_number].append(
                        MissedExcerpt(question_number, missing_character_count_by_chunker, excerpt_retrieval_outcome)
                    )
    for missed_excerpts_of_chunker in missed_excerpts_by_chunker.values():
        missed_excerpts_of_chunker.sort(key=lambda missed_excerpt: -missed_excerpt.retrieval.missed_character_count)
    return missed_excerpts_by_chunker


def _judge_missed_excerpt(
    measured: MeasuredChunker,
    chunks_given_for_question: RetrievedChunks,
    question_number: int,
    overall_excerpt_number: int,
    excerpt: Span,
) -> AnswerRetrieval:
    (evaluation, all_budget_results), search_index = measured, measured.evaluation.searched_index
    # Of the ranks that a run does not keep, a ladder has that of the chunk with most of the excerpt.
    rank_by_chunk: dict[int, int] = (
        {} if all_budget_results is None else dict([all_budget_results.best_holders[overall_excerpt_number].tolist()])
    )
    rank_by_chunk |= {
        number: rank for rank, number in enumerate(evaluation.search.ranked[question_number].tolist(), start=1)
    }
    rank_by_chunk |= {chunk.number: chunk.rank for chunk in chunks_given_for_question.chunks}
    return judge_answer_retrieval(
        search_index.corpus.joined_document.text,
        {number: search_index.chunks[number] for number in numbers_of_overlapping_chunks(search_index.edges, [excerpt])},
        rank_by_chunk,
        {
            chunk.number: chunk.given
            for chunk in chunks_given_for_question.chunks
            if chunk.rank <= chunks_given_for_question.taken_count
        },
        excerpt,
    )


def count_missing_characters(text: str, excerpt: Span, spans: Iterable[Span]) -> int:
    """Count the characters of an excerpt or answer in none of the spans, not counting pieces of white space alone."""
    return sum(end - start for start, end in difference_of_ranges([excerpt], spans) if text[start:end].strip())
