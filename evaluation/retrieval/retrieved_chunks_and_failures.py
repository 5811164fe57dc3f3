"""Chunks that a question is given, top k or within a budget, the fate of an answer, and excerpts that a run misses."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
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
)
from evaluation.retrieval.budget import Limit, spans_up_to_length
from evaluation.retrieval.budgets_and_near_duplicates import BudgetLadder, best_ranked_chunk, chunks_holding_most_excerpt
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
    def whole(self) -> bool:
        """True if the whole chunk is retrieved for the question."""
        return self.given == self.spans


@dataclass(frozen=True)
class GivenChunks:
    """Chunks retrieved for a question, within the top k or a budget.

    Attributes
    ----------
    chunks
        Chunks, best first; the last one may be cut off or left out.
    unkept_chunk_count
        Number of further retrieved chunks whose ranks the run did not keep.
    filled_length
        Used part of the budget, in its unit; 0 if the limit is the top k.
    """

    chunks: tuple[RankedChunk, ...]
    unkept_chunk_count: int
    limit: Limit
    filled_length: int

    @property
    def spans(self) -> list[Span]:
        """Spans retrieved for the question, except those of chunks whose ranks were not kept."""
        return [span for chunk in self.chunks for span in chunk.given]


class MeasuredChunker(NamedTuple):
    """Chunker's retrieval evaluation, with its results at budgets if they were measured."""

    evaluation: Evaluation
    ladder: BudgetLadder | None


def given_chunks(
    measured: MeasuredChunker, limit: Limit, question_number: int, ruler: TokenRuler, overlapped_excerpt: Span | None = None
) -> GivenChunks:
    """Return the chunks retrieved for question ``question_number``, counted from 0.

    With ``overlapped_excerpt``, only the chunks that overlap this excerpt are returned, including those whose ranks the run
    keeps for excerpts alone. If chunks return other text than their own, all are returned, since any may contain the
    excerpt.
    """
    index, standard_budget_results = measured.evaluation.index, measured.ladder
    rows_beyond_kept_ranks: list[list[int]] = []
    if limit.budget and standard_budget_results is not None:
        results_at_budgets = standard_budget_results.results_in_unit(limit.unit, limit.last)
        budget_and_question_indexes = results_at_budgets.budgets.sizes.index(limit.budget), question_number
        taken_chunk_count, cut_off_length = (
            int(results_at_budgets.taken[budget_and_question_indexes]),
            int(results_at_budgets.cut_chunk_length[budget_and_question_indexes]),
        )
        filled_length = int(results_at_budgets.given[RANGE_UNITS.index(limit.unit)][budget_and_question_indexes])
        ranked_chunk_numbers = standard_budget_results.ranked[question_number][
            standard_budget_results.ranked[question_number] >= 0
        ]
        rows_beyond_kept_ranks = standard_budget_results.lower_ranked_excerpt_chunks[
            standard_budget_results.lower_ranked_excerpt_chunks[:, 0] == question_number
        ].tolist()
    else:
        ranked_chunk_numbers = measured.evaluation.search.ranked[question_number, : limit.top]
        taken_chunk_count, cut_off_length, filled_length = len(ranked_chunk_numbers), 0, 0
    # A chunk that does not fit is shown as well, unless the budget is full.
    is_next_shown = limit.last == "left_out" and filled_length < limit.budget
    shown_chunk_numbers: IntArray = ranked_chunk_numbers[: taken_chunk_count + is_next_shown]
    zero_based_ranks: Sequence[int] = range(len(shown_chunk_numbers))
    if overlapped_excerpt is not None and index.returns is None:
        zero_based_ranks = numbers_of_overlapping_chunks(index.edges[shown_chunk_numbers], [overlapped_excerpt])
    ranks_and_chunk_numbers = [(place + 1, int(shown_chunk_numbers[place])) for place in zero_based_ranks]
    if overlapped_excerpt is not None:
        ranks_and_chunk_numbers += [
            (rank, number) for _, number, rank in rows_beyond_kept_ranks if rank <= taken_chunk_count
        ]
    returned_spans = index.returned_spans_without_repeats(number for _, number in ranks_and_chunk_numbers)

    def retrieved_part_of_chunk(rank: int, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        if rank == taken_chunk_count and cut_off_length:
            return tuple(spans_up_to_length(spans, cut_off_length, ruler_for_unit(limit.unit, ruler)))
        return spans if rank <= taken_chunk_count else ()

    return GivenChunks(
        tuple(
            RankedChunk(rank, number, spans, retrieved_part_of_chunk(rank, spans))
            for (rank, number), spans in zip(ranks_and_chunk_numbers, returned_spans, strict=True)
        ),
        max(0, taken_chunk_count - len(ranked_chunk_numbers)),
        limit,
        filled_length,
    )


# The fate of one answer: given whole, or lost on the way.


ExcerptFate = Literal["whole", "split", "cut off", "not retrieved", "in no chunk"]


@dataclass(frozen=True)
class AnswerRetrieval:
    """Retrieval outcome for an answer: whether it was retrieved whole, and the chunks that contain it.

    Attributes
    ----------
    fate
        ``whole`` if a retrieved chunk contains the whole answer; ``cut off`` if the budget ends inside the answer; ``split``
        if no chunk contains the whole answer; ``not retrieved`` if a chunk contains it, but lies beyond the limit;
        ``in no chunk`` if no chunk contains any of it.
    chunks
        The chunks that contain the answer or its parts, best ranked first; the rank of a chunk that was not ranked is 0.
    together
        True if what is retrieved of these chunks contains all of it.
    """

    fate: ExcerptFate
    chunks: tuple[RankedChunk, ...]
    together: bool


def judge_answer_retrieval(
    text: str,
    chunks: Sequence[tuple[Span, ...]],
    rank_by_chunk: Mapping[int, int],
    given_spans_by_chunk: Mapping[int, Sequence[Span]],
    answer: Span,
) -> AnswerRetrieval:
    """Return the outcome of any retrieval from the chunks of a text or corpus for an answer. White space is ignored.

    Parameters
    ----------
    rank_by_chunk
        Ranks, from 1, of the chunks that were ranked, by their numbers.
    given_spans_by_chunk
        The retrieved part of each retrieved chunk.
    """
    whole_chunks = whole_answer_chunk_numbers(text, chunks, answer)
    retrieved_whole_chunks = [number for number in whole_chunks if number in given_spans_by_chunk]
    chunks_by_fate: dict[ExcerptFate, list[int]] = {
        "whole": [
            number
            for number in retrieved_whole_chunks
            if not count_missing_characters(text, answer, given_spans_by_chunk[number])
        ],
        "cut off": retrieved_whole_chunks,
        "not retrieved": whole_chunks,
        "split": [
            number
            for number, spans in enumerate(chunks)
            if spans[0].start < answer.end
            and answer.start < spans[-1].end
            and any(text[start:end].strip() for start, end in intersection_of_ranges([answer], spans))
        ],
    }
    fate: ExcerptFate = next((fate for fate, numbers in chunks_by_fate.items() if numbers), "in no chunk")
    judged_chunks = sorted(
        (
            RankedChunk(rank_by_chunk.get(number, 0), number, chunks[number], tuple(given_spans_by_chunk.get(number, ())))
            for number in chunks_by_fate.get(fate, ())
        ),
        key=lambda chunk: (chunk.rank or len(chunks) + 1, chunk.number),
    )
    given_spans = [span for chunk in judged_chunks for span in chunk.given]
    return AnswerRetrieval(fate, tuple(judged_chunks), not count_missing_characters(text, answer, given_spans))


def whole_answer_chunk_numbers(text: str, chunks: Sequence[Sequence[Span]], answer: Span) -> list[int]:
    """Return the numbers of the chunks that contain a whole answer, ignoring white space."""
    return [
        number
        for number, spans in enumerate(chunks)
        if spans[0].start < answer.end and answer.start < spans[-1].end and not count_missing_characters(text, answer, spans)
    ]


# Excerpts that are not given in full: their missing parts, the cuts inside them, and the chunk that holds most.


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


def cuts_inside_answer(
    spans_with_chunk_numbers: Iterable[tuple[Span, int]], answer: Span, cut_reason_by_offset: Mapping[int, str]
) -> tuple[Seam, ...]:
    """Return the places inside an answer at which a chunk begins that does not hold the text before them.

    Parameters
    ----------
    spans_with_chunk_numbers
        Spans of chunks, each with the number of its chunk.
    cut_reason_by_offset
        Reasons for cuts, by the offset at which the later chunk begins.
    """
    parts_touching_answer = sorted(
        part for part in spans_with_chunk_numbers if part[0].start < answer.end and part[0].end > answer.start
    )
    return tuple(
        Seam(span.start, before, after, cut_reason_by_offset.get(span.start, ""))
        for (_, before), (span, after) in pairwise(parts_touching_answer)
        if answer.start < span.start and before != after
    )


@dataclass(frozen=True)
class FailedExcerpt:
    """Excerpt that at least one chunker failed to retrieve in full.

    Attributes
    ----------
    question
        Number of the question, from 0.
    span
        Span of the excerpt, in corpus-wide offsets.
    missed
        Number of characters of the excerpt that were not retrieved, by chunker number; white space alone does not count.
    seams
        The cuts inside the excerpt, in order.
    holder, rank
        Number of the chunk with most of the excerpt, the best ranked in case of ties, and its rank, counted from 1; -1 and 0
        if no chunk contains any of the excerpt. The rank is also 0 if the run did not keep it.
    held
        Number of characters of the excerpt in that chunk.
    outside
        Number of characters of the excerpt that no chunk contains. They are not searched, though returned text may contain
        them. White space alone does not count.
    """

    question: int
    span: Span
    missed: Mapping[int, int]
    seams: tuple[Seam, ...]
    holder: int
    rank: int
    held: int
    outside: int = 0

    @property
    def size(self) -> int:
        """Length of the excerpt in characters."""
        return self.span.end - self.span.start

    def other_successful_chunkers(self, number: int) -> tuple[int, ...]:
        """Return the numbers of the chunkers other than ``number`` that retrieved the whole excerpt."""
        return tuple(other for other, missed in self.missed.items() if other != number and not missed)


def retrieval_failures(
    measured_by_chunker_number: Mapping[int, MeasuredChunker], limit: Limit, ruler: TokenRuler
) -> dict[int, list[FailedExcerpt]]:
    """Return, for each chunker, the excerpts that it failed to retrieve in full, most missing text first.

    Excerpts with equally much missing text are in the order of their questions.
    """
    failures_by_chunker: dict[int, list[FailedExcerpt]] = {number: [] for number in measured_by_chunker_number}
    if not measured_by_chunker_number:
        return failures_by_chunker
    first_evaluation = next(iter(measured_by_chunker_number.values())).evaluation
    corpus_text = first_evaluation.index.corpus.whole.text
    overall_excerpt_number = -1
    for question_number, question in enumerate(first_evaluation.search.questions):
        for excerpt in excerpt_ranges(first_evaluation.index.corpus, question):
            overall_excerpt_number += 1
            missing_count_by_chunker = {
                chunker: count_missing_characters(
                    corpus_text, excerpt, given_chunks(measured, limit, question_number, ruler, excerpt).spans
                )
                for chunker, measured in measured_by_chunker_number.items()
            }
            for chunker_number, missing_character_count in missing_count_by_chunker.items():
                if missing_character_count:
                    evaluation, standard_budget_results = measured_by_chunker_number[chunker_number]
                    holder_candidates, held_character_count = chunks_holding_most_excerpt(evaluation.index, excerpt)
                    holder_chunk_number, rank = (
                        best_ranked_chunk(holder_candidates, evaluation.search.ranked[question_number].tolist())
                        if standard_budget_results is None
                        else standard_budget_results.best_holders[overall_excerpt_number].tolist()
                    )
                    spans_with_chunk_numbers = [
                        (span, chunk)
                        for chunk in numbers_of_overlapping_chunks(evaluation.index.edges, [excerpt])
                        for span in evaluation.index.chunks[chunk]
                    ]
                    # Where one chunk holds all of it, no cut split it.
                    is_excerpt_split = held_character_count < excerpt.end - excerpt.start
                    cut_reason_by_offset = {} if standard_budget_results is None else standard_budget_results.reasons
                    failures_by_chunker[chunker_number].append(
                        FailedExcerpt(
                            question_number,
                            excerpt,
                            missing_count_by_chunker,
                            cuts_inside_answer(spans_with_chunk_numbers, excerpt, cut_reason_by_offset)
                            if is_excerpt_split
                            else (),
                            holder_chunk_number,
                            rank,
                            held_character_count,
                            count_missing_characters(corpus_text, excerpt, [span for span, _ in spans_with_chunk_numbers]),
                        )
                    )
    for chunker_number, failures_of_chunker in failures_by_chunker.items():
        failures_of_chunker.sort(key=lambda failure: -failure.missed[chunker_number])
    return failures_by_chunker


def count_missing_characters(text: str, excerpt: Span, spans: Iterable[Span]) -> int:
    """Count the characters of an excerpt or answer in none of the spans, not counting pieces of white space alone."""
    return sum(end - start for start, end in difference_of_ranges([excerpt], spans) if text[start:end].strip())
