"""The chunks that a question is given, the top k or the best until a budget is full, and the excerpts that it lacks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import nan
from typing import NamedTuple

from chunkers import Span
from chunkers.support import IntArray
from evaluation.questions import TokenRuler, difference, numbers_of_overlapping_chunks, ruler_for
from evaluation.retrieval.budget import BudgetResults, Last, Limit, spans_up_to
from evaluation.retrieval.budget_ladder_and_repeats import BudgetLadder, chunks_holding_most
from evaluation.retrieval.measures import RANGE_UNITS, Evaluation, excerpt_ranges


class RankedChunk(NamedTuple):
    """Ranked chunk, and the part of it that is retrieved for a question.

    Attributes
    ----------
    rank
        Rank of the chunk, counted from 1.
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
    more
        Number of further retrieved chunks whose ranks the run did not keep.
    budget, unit
        The budget and its unit; 0 if the limit is the top k.
    filled
        Used part of the budget, in its unit.
    """

    chunks: tuple[RankedChunk, ...]
    more: int
    budget: int
    unit: str
    filled: int

    @property
    def spans(self) -> list[Span]:
        """Spans retrieved for the question, except those of chunks whose ranks were not kept."""
        return [span for chunk in self.chunks for span in chunk.given]


def given_chunks_in_top_k(evaluation: Evaluation, question: int) -> GivenChunks:
    """Return the top k chunks for the question with the zero-based number ``question``."""
    top_k_chunk_numbers = evaluation.search.ranked[question, : evaluation.top_k].tolist()
    chunks_with_returned_spans = zip(
        top_k_chunk_numbers, evaluation.index.returned_spans_without_repeats(top_k_chunk_numbers), strict=True
    )
    return GivenChunks(
        tuple(
            RankedChunk(rank, number, spans, spans)
            for rank, (number, spans) in enumerate(chunks_with_returned_spans, start=1)
        ),
        0,
        0,
        "",
        0,
    )


def given_chunks_at_budget(
    evaluation: Evaluation, ladder: BudgetLadder, question: int, budget: int, unit: str, last: Last, ruler: TokenRuler
) -> GivenChunks:
    """Return the chunks that fill a budget for the question with the zero-based number ``question``."""
    budget_results = ladder.results_in_unit(unit, last)
    budget_index = budget_results.budgets.sizes.index(budget)
    taken_chunk_count, cut_off_length = (
        int(budget_results.taken[budget_index, question]),
        int(budget_results.part[budget_index, question]),
    )
    unit_length_function = ruler_for(unit, ruler)
    ranked_chunk_numbers = [number for number in ladder.ranked[question].tolist() if number >= 0]
    ranked_chunks = []
    given_chunk_numbers = ranked_chunk_numbers[: taken_chunk_count + (last == "left_out")]
    for rank, (chunk_number, returned_chunk_spans) in enumerate(
        zip(given_chunk_numbers, evaluation.index.returned_spans_without_repeats(given_chunk_numbers), strict=True), start=1
    ):
        is_whole = rank < taken_chunk_count or (rank == taken_chunk_count and not cut_off_length)
        chunk_spans_within_budget = (
            returned_chunk_spans
            if is_whole
            else tuple(spans_up_to(returned_chunk_spans, cut_off_length, unit_length_function))
        )
        ranked_chunks.append(
            RankedChunk(
                rank, chunk_number, returned_chunk_spans, chunk_spans_within_budget if rank <= taken_chunk_count else ()
            )
        )
    budget_filled_length = int(budget_results.given[RANGE_UNITS.index(unit), budget_index, question])
    if ranked_chunks and not ranked_chunks[-1].given and budget_filled_length == budget:
        ranked_chunks.pop()  # The budget is full: nothing is left out for want of room.
    return GivenChunks(
        tuple(ranked_chunks), max(0, taken_chunk_count - len(ranked_chunk_numbers)), budget, unit, budget_filled_length
    )


# Excerpts that are not given in full: their missing parts, the cuts inside them, and the chunk that holds most.


class MeasuredChunker(NamedTuple):
    """Chunker's retrieval evaluation, with its results at budgets if they were measured."""

    evaluation: Evaluation
    ladder: BudgetLadder | None


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


def cuts_inside(parts: Iterable[tuple[Span, int]], answer: Span, reasons: Mapping[int, str]) -> tuple[Seam, ...]:
    """Return the places inside an answer at which a chunk begins that does not hold the text before them.

    Parameters
    ----------
    parts
        Spans of chunks, each with the number of its chunk.
    reasons
        Reasons for cuts, by the offset at which the later chunk begins.
    """
    parts_touching_answer = sorted(part for part in parts if part[0].start < answer.end and part[0].end > answer.start)
    return tuple(
        Seam(span.start, before, after, reasons.get(span.start, ""))
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
    all_measured: Mapping[int, MeasuredChunker], limit: Limit, ruler: TokenRuler
) -> dict[int, list[FailedExcerpt]]:
    """Return, for each chunker, the excerpts that it failed to retrieve in full, most missing text first.

    Excerpts with equally much missing text are in the order of their questions.
    """
    failures_by_chunker: dict[int, list[FailedExcerpt]] = {number: [] for number in all_measured}
    if not all_measured:
        return failures_by_chunker
    first_evaluation = next(iter(all_measured.values())).evaluation
    corpus_text = first_evaluation.index.corpus.whole.text
    given_text_by_chunker = {number: _GivenText(measured, limit, ruler) for number, measured in all_measured.items()}
    overall_excerpt_number = -1
    for question_number, question in enumerate(first_evaluation.search.questions):
        for excerpt in excerpt_ranges(first_evaluation.index.corpus, question):
            overall_excerpt_number += 1
            missing_count_by_chunker = {
                chunker: count_missing_characters(corpus_text, excerpt, giver.given_spans_near(question_number, excerpt))
                for chunker, giver in given_text_by_chunker.items()
            }
            for chunker, missing_character_count in missing_count_by_chunker.items():
                if missing_character_count:
                    holder_chunk_number, rank, held_character_count = _best_holder_with_rank(
                        all_measured[chunker], question_number, overall_excerpt_number, excerpt
                    )
                    search_index, budget_ladder = all_measured[chunker].evaluation.index, all_measured[chunker].ladder
                    span_chunk_pairs = [
                        (span, chunk)
                        for chunk in numbers_of_overlapping_chunks(search_index.edges, [excerpt])
                        for span in search_index.chunks[chunk]
                    ]
                    # Where one chunk holds all of it, no cut split it.
                    is_split = held_character_count < excerpt.end - excerpt.start
                    cuts_in_split_excerpt = (
                        cuts_inside(span_chunk_pairs, excerpt, {} if budget_ladder is None else budget_ladder.reasons)
                        if is_split
                        else ()
                    )
                    characters_outside_chunks = count_missing_characters(
                        corpus_text, excerpt, [span for span, _ in span_chunk_pairs]
                    )
                    failures_by_chunker[chunker].append(
                        FailedExcerpt(
                            question_number,
                            excerpt,
                            missing_count_by_chunker,
                            cuts_in_split_excerpt,
                            holder_chunk_number,
                            rank,
                            held_character_count,
                            characters_outside_chunks,
                        )
                    )
    for chunker, failures_of_chunker in failures_by_chunker.items():
        failures_of_chunker.sort(key=lambda failure: -failure.missed[chunker])
    return failures_by_chunker


def count_missing_characters(text: str, excerpt: Span, spans: Iterable[Span]) -> int:
    """Count the characters of an excerpt or answer in none of the spans, not counting pieces of white space alone."""
    return sum(end - start for start, end in difference([excerpt], spans) if text[start:end].strip())


class _GivenText:
    """Lookup of the part of an excerpt that a chunker gives."""

    def __init__(self, measured: MeasuredChunker, limit: Limit, ruler: TokenRuler) -> None:
        self._index = measured.evaluation.index
        self._length = ruler_for(limit.unit, ruler)
        self._beyond: dict[int, list[tuple[int, int]]] = {}
        self._at: BudgetResults | None = None
        if limit.budget and measured.ladder is not None:
            self._at = measured.ladder.results_in_unit(limit.unit, limit.last)
            self._row = self._at.budgets.sizes.index(limit.budget)
            self._ranked = measured.ladder.ranked
            for question, chunk, rank in measured.ladder.beyond.tolist():
                self._beyond.setdefault(question, []).append((rank, chunk))
        else:
            self._ranked = measured.evaluation.search.ranked[:, : limit.top]

    def given_spans_near(self, question: int, excerpt: Span) -> list[Span]:
        """Return the ranges retrieved for a question from the chunks that overlap an excerpt.

        If chunks return other text than their own, all retrieved ranges are returned, since any may contain the excerpt.
        """
        taken_chunk_count = self._ranked.shape[1] if self._at is None else int(self._at.taken[self._row, question])
        partial_chunk_length = 0 if self._at is None else int(self._at.part[self._row, question])
        ranked_chunk_numbers: IntArray = self._ranked[question, :taken_chunk_count]
        chunks_return_themselves = self._index.returns is None
        rank_indexes = (
            numbers_of_overlapping_chunks(self._index.edges[ranked_chunk_numbers], [excerpt])
            if chunks_return_themselves
            else range(len(ranked_chunk_numbers))
        )
        rank_chunk_pairs = [(place + 1, int(ranked_chunk_numbers[place])) for place in rank_indexes]
        rank_chunk_pairs += [pair for pair in self._beyond.get(question, []) if pair[0] <= taken_chunk_count]
        given_spans: list[Span] = []
        for (rank, _), returned_chunk_spans in zip(
            rank_chunk_pairs,
            self._index.returned_spans_without_repeats(number for _, number in rank_chunk_pairs),
            strict=True,
        ):
            given_spans += (
                spans_up_to(returned_chunk_spans, partial_chunk_length, self._length)
                if partial_chunk_length and rank == taken_chunk_count
                else returned_chunk_spans
            )
        return given_spans


def _best_holder_with_rank(measured: MeasuredChunker, question: int, place: int, excerpt: Span) -> tuple[int, int, int]:
    """Return the chunk that holds most of an excerpt, the ``place``-th of all, its rank, and how much it holds."""
    chunker_search_index = measured.evaluation.index
    holder_chunk_numbers, held_character_count = chunks_holding_most(chunker_search_index, excerpt)
    if not holder_chunk_numbers:
        return -1, 0, 0
    if measured.ladder is not None:
        best_holder_number, rank = measured.ladder.holders[place].tolist()
        return best_holder_number, rank, held_character_count
    ranked_chunk_numbers = measured.evaluation.search.ranked[question].tolist()
    rank_chunk_pairs = [
        (ranked_chunk_numbers.index(chunk) + 1, chunk) for chunk in holder_chunk_numbers if chunk in ranked_chunk_numbers
    ]
    return (
        (min(rank_chunk_pairs)[1], min(rank_chunk_pairs)[0], held_character_count)
        if rank_chunk_pairs
        else (holder_chunk_numbers[0], 0, held_character_count)
    )
