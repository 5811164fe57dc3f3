"""Retrieval at an equal budget: the best chunks until so many tokens, or characters, are full.

With a fixed number of chunks a chunker is rewarded for its sizes: long chunks hold more of an excerpt, and more of all else.
A context window is a budget of tokens, and at an equal budget every chunker gives its reader equally much.

What counts is the text of the chunks' spans, as it is given to the reader: a passage in two chunks that overlap, or that is
retrieved twice, fills the budget twice, as it counts twice in |t_r|. What a chunker repeats beside a chunk, as the header of
a table, and the headings that are embedded in front of it are not in its spans and do not count, nor does what a prompt puts
between chunks. Tokens are those of the whole corpus, as `TokenRuler` counts them; a chunk that begins within a word may
have one more by itself.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Literal, NamedTuple

import numpy as np

from chunkers import InputError, Span, Tools
from chunkers.support import FloatArray, IntArray, raise_if_cancelled
from evaluation.questions import (
    AnyRuler,
    CharacterRuler,
    Question,
    TokenRuler,
    intersection_of_ranges,
    numbers_of_overlapping_chunks,
    union_of_ranges,
)
from evaluation.retrieval.measures import RANGE_UNITS, RETRIEVED_TEXT_MEASURES, excerpt_ranges
from evaluation.search import QUERIES_PER_BLOCK, Index, PreparedQuestions

LastChunkChoice = Literal["cut", "left_out"]

LAST_CHUNK_CHOICES: tuple[LastChunkChoice, ...] = ("cut", "left_out")
"""Treatment of the chunk that exceeds the budget: cut off at the budget, or left out with all after it."""

MOST_BUDGETS = 100
"""Maximum number of budgets per measurement."""

_RANKS_AT_ONCE = 1 << 22
"""Maximum number of ranks in memory at a time, over as many questions as fit."""


class Limit(NamedTuple):
    """Retrieval limit per question: a ``budget`` in ``unit``, or the ``top`` chunks if ``budget`` is 0."""

    budget: int = 0
    top: int = 0
    unit: str = "tokens"
    last: LastChunkChoice = "cut"


@dataclass(frozen=True)
class Budgets:
    """Budgets, in characters or tokens, at which retrieval is measured.

    Attributes
    ----------
    sizes
        Ascending positive integers.
    unit
        One of `RANGE_UNITS`.
    last
        One of `LAST_CHUNK_CHOICES`.

    Raises
    ------
    InputError
        If there are no or too many sizes, if they are not positive and ascending, or if ``unit`` or ``last`` does not exist.
    """

    sizes: tuple[int, ...]
    unit: str = "tokens"
    last: LastChunkChoice = "cut"

    def __post_init__(self) -> None:
        if not self.sizes or len(self.sizes) > MOST_BUDGETS:
            raise InputError(f"The number of budgets must be from 1 to {MOST_BUDGETS}; got {len(self.sizes):,}.")
        if self.sizes[0] < 1:
            raise InputError(f"A budget must be at least 1; got {self.sizes[0]:,}.")
        if any(one >= other for one, other in zip(self.sizes, self.sizes[1:], strict=False)):
            raise InputError(f"Budgets must be in ascending order, each once; got {', '.join(map(str, self.sizes))}.")
        if self.unit not in RANGE_UNITS:
            raise InputError(f"The unit of budgets must be one of {', '.join(RANGE_UNITS)}; got {self.unit!r}.")
        if self.last not in LAST_CHUNK_CHOICES:
            raise InputError(
                f"The treatment of a budget's last chunk must be one of {', '.join(LAST_CHUNK_CHOICES)}; got {self.last!r}."
            )


def fill_budget(
    chunks: Iterable[Sequence[Span]], budget: int, ruler: AnyRuler, last_chunk_choice: LastChunkChoice = "cut"
) -> list[tuple[Span, ...]]:
    """Return the spans of each of the best chunks up to a budget; a chunk that exceeds it is cut off or left out.

    Filling ends at the first chunk that does not fit, even if a later chunk would fit. If even the best chunk does not fit,
    the result is its beginning, or empty if the last chunk is left out.
    """
    spans_of_tried_chunks: list[tuple[Span, ...]] = []
    cumulative_lengths = [0]
    for spans_of_current_chunk in chunks:
        if cumulative_lengths[-1] >= budget:
            break
        spans_of_tried_chunks.append(tuple(spans_of_current_chunk))
        cumulative_lengths.append(cumulative_lengths[-1] + ruler(spans_of_current_chunk))
    whole_chunk_count, last_chunk_beginning_spans = count_fitting_chunks_and_cut_next(
        spans_of_tried_chunks.__getitem__, cumulative_lengths, budget, ruler, last_chunk_choice
    )
    return spans_of_tried_chunks[:whole_chunk_count] + [tuple(last_chunk_beginning_spans)] * bool(last_chunk_beginning_spans)


def count_fitting_chunks_and_cut_next(
    get_spans_of_rank: Callable[[int], Sequence[Span]],
    cumulative_lengths: Sequence[int] | IntArray,
    budget: int,
    ruler: AnyRuler,
    last_chunk_choice: LastChunkChoice,
) -> tuple[int, list[Span]]:
    """Return the number of chunks that fit whole into a budget, and the beginning of the next one if it is cut off.

    Parameters
    ----------
    get_spans_of_rank
        Returns the spans of the chunk of a rank, counted from 0.
    cumulative_lengths
        Length of all chunks up to each rank, from 0 on, shape (ranks + 1,).
    budget
        The budget, at least 0.
    """
    # The first chunks whose sum reaches the budget; where it passes it, the last of them does not fit.
    chunk_count_reaching_budget = min(bisect_left(cumulative_lengths, budget), len(cumulative_lengths) - 1)
    if cumulative_lengths[chunk_count_reaching_budget] <= budget:
        return chunk_count_reaching_budget, []
    remaining_length = int(budget - cumulative_lengths[chunk_count_reaching_budget - 1])
    return chunk_count_reaching_budget - 1, chunk_beginning_up_to_length(
        get_spans_of_rank(chunk_count_reaching_budget - 1), remaining_length, ruler
    ) if last_chunk_choice == "cut" else []


def chunk_beginning_up_to_length(spans: Sequence[Span], max_length: int, ruler: AnyRuler) -> list[Span]:
    """Return the beginning of a chunk as spans with a total length of at most ``max_length``."""
    chunk_beginning_spans = []
    for span in spans:
        span_part_within_budget = ruler.shorten_span(span, max_length)
        if span_part_within_budget.start < span_part_within_budget.end:
            chunk_beginning_spans.append(span_part_within_budget)
        if span_part_within_budget != span:
            break
        max_length -= ruler([span_part_within_budget])
    return chunk_beginning_spans


@dataclass(frozen=True, eq=False)
class BudgetResults:
    """Retrieval results of all questions at every budget.

    Attributes
    ----------
    taken
        Number of chunks that a question receives, including one that is cut off, shape (budgets, questions).
    cut_chunk_length
        Length of the beginning that is kept of the chunk that is cut off, in the unit of the budgets; 0 if no chunk is cut
        off. Same shape as ``taken``.
    given
        Length of the retrieved text, shape (units, budgets, questions), in the order of `RANGE_UNITS`.
    retrieved_excerpt_length
        Length of the excerpts' retrieved part, same shape as ``given``.
    excerpt_length
        Length of the excerpts, shape (units, questions).
    """

    budgets: Budgets
    taken: IntArray
    cut_chunk_length: IntArray
    given: IntArray
    retrieved_excerpt_length: IntArray
    excerpt_length: IntArray

    @cached_property
    def scores(self) -> FloatArray:
        """Recall, precision and IoU at every budget, shape (units, budgets, scores, questions), NaN where undefined.

        The order is that of `RANGE_UNITS` and `RETRIEVED_TEXT_MEASURES`.
        """
        retrieved_lengths, retrieved_excerpt_length_per_question = (
            self.given.astype(float),
            self.retrieved_excerpt_length.astype(float),
        )
        excerpt_length_per_question = np.where(self.excerpt_length, self.excerpt_length, np.nan)[:, None, :]
        precision_at_budgets = retrieved_excerpt_length_per_question / np.where(
            (excerpt_length_per_question > 0) & (retrieved_lengths > 0), retrieved_lengths, np.nan
        )
        return np.stack(
            [
                retrieved_excerpt_length_per_question / excerpt_length_per_question,
                precision_at_budgets,
                retrieved_excerpt_length_per_question
                / (retrieved_lengths + excerpt_length_per_question - retrieved_excerpt_length_per_question),
            ],
            axis=2,
        )

    def budgets_giving_all_chunks(self, chunk_count: int) -> tuple[int, ...]:
        """Return the budgets within which every question receives all ``chunk_count`` chunks in full."""
        if not self.taken.shape[1]:
            return ()
        all_chunks_given_mask = ((self.taken == chunk_count) & (self.cut_chunk_length == 0)).all(axis=1)
        return tuple(
            size for size, all_of_it in zip(self.budgets.sizes, all_chunks_given_mask.tolist(), strict=True) if all_of_it
        )

    def question_values_at_budget(self, measure: str, budget_size: int, unit: str = "characters") -> FloatArray:
        """Return each question's value of a measure at budget ``budget_size``, shape (questions,), NaN where undefined."""
        return np.asarray(
            self.scores[
                RANGE_UNITS.index(unit), self.budgets.sizes.index(budget_size), RETRIEVED_TEXT_MEASURES.index(measure)
            ]
        )


def evaluate_at_budgets(
    index: Index, questions: Sequence[Question], tools: Tools, ruler: TokenRuler, budgets: Budgets
) -> BudgetResults:
    """Measure retrieval for all questions at every budget, with one search for all budgets.

    The search is exact, as in `PreparedQuestions`. For questions whose budgets are not full, it is repeated twice as
    deep. Only the ranks of some questions are in memory at a time, and no ranks are kept.

    Raises
    ------
    Cancelled
        If the user asked to stop.
    ModelError
        As in `Tools.embed`.
    """
    return evaluate_at_budget_sets(index, questions, tools, ruler, [budgets])[0]


def evaluate_at_budget_sets(
    index: Index,
    questions: Sequence[Question],
    tools: Tools,
    ruler: TokenRuler,
    budget_sets: Sequence[Budgets],
    receive_ranking_of_question: Callable[[int, IntArray], None] = lambda number, ranked: None,
) -> tuple[BudgetResults, ...]:
    """Measure retrieval at several sets of budgets, with one search for all of them.

    Raises the same errors as `evaluate_at_budgets`.

    ``receive_ranking_of_question`` is called with every question's number and its ranked chunks, as deep as the largest
    budget of any unit needs.
    """
    results_per_budget_set = tuple(_zero_filled_results(budgets, len(questions)) for budgets in budget_sets)
    if not results_per_budget_set or not questions:
        return results_per_budget_set
    ruler_per_length_unit: tuple[AnyRuler, ...] = (CharacterRuler(), ruler)
    lengths_by_unit = [chunk_lengths(index.chunks, length) for length in ruler_per_length_unit]
    prepared_questions = PreparedQuestions.of(index, [question.text for question in questions], tools)
    chunk_lengths_and_largest_budgets = [
        (lengths_by_unit[RANGE_UNITS.index(budgets.unit)], budgets.sizes[-1]) for budgets in budget_sets
    ]
    for question_number, ranked_chunk_numbers in _ranked_chunks_by_question(
        prepared_questions, chunk_lengths_and_largest_budgets, tools
    ):
        excerpts_of_question = excerpt_ranges(index.corpus, questions[question_number])
        if index.returns is None:
            returned_text_pieces = _Pieces.of_chunks(index, ranked_chunk_numbers, excerpts_of_question, lengths_by_unit)
        else:
            returned_text_pieces = _Pieces.of_returned(
                index, ranked_chunk_numbers, excerpts_of_question, ruler_per_length_unit, budget_sets
            )
            while len(ranked_chunk_numbers) < len(index.chunks) and not returned_text_pieces.has_filled_budgets(budget_sets):
                # What is not given twice may be less than the chunks.
                ranked_chunk_numbers = prepared_questions.ranked(np.array([question_number]), 2 * len(ranked_chunk_numbers))[
                    0
                ]
                returned_text_pieces = _Pieces.of_returned(
                    index, ranked_chunk_numbers, excerpts_of_question, ruler_per_length_unit, budget_sets
                )
        receive_ranking_of_question(question_number, ranked_chunk_numbers)
        for budget_results in results_per_budget_set:
            _store_question_results(
                budget_results, question_number, excerpts_of_question, returned_text_pieces, ruler_per_length_unit
            )
    return results_per_budget_set


@dataclass(frozen=True)
class _Pieces:
    """Text that the ranked chunks give, one after another.

    Attributes
    ----------
    spans
        The spans of what the chunk of a rank gives, counted from 0.
    holding
        The ranks of those that may hold part of an excerpt.
    sums
        For every unit, the length of all up to each rank, from 0 on, shape (ranks + 1,).
    """

    spans: Callable[[int], Sequence[Span]]
    holding: Sequence[int]
    sums: Sequence[Sequence[int] | IntArray]

    @classmethod
    def of_chunks(
        cls,
        index: Index,
        ranked_chunk_numbers: IntArray,
        excerpts: Sequence[Span],
        chunk_lengths_by_unit: Sequence[IntArray],
    ) -> "_Pieces":
        """Return the ranked chunks as pieces of text, for an index that returns the chunks themselves."""
        cumulative_lengths_by_unit = [
            np.concatenate([[0], np.cumsum(sizes[ranked_chunk_numbers])]) for sizes in chunk_lengths_by_unit
        ]
        return cls(
            lambda place: index.chunks[ranked_chunk_numbers[place]],
            numbers_of_overlapping_chunks(index.edges[ranked_chunk_numbers], excerpts),
            cumulative_lengths_by_unit,
        )

    @classmethod
    def of_returned(
        cls,
        search_index: Index,
        ranked_chunk_numbers: IntArray,
        excerpts: Sequence[Span],
        rulers: Sequence[AnyRuler],
        budget_sets: Sequence[Budgets],
    ) -> "_Pieces":
        """Return the text that each ranked chunk adds to the text already returned, until all budgets are full."""
        added_spans_by_rank: list[Sequence[Span]] = []
        ranks_holding_excerpts: list[int] = []
        cumulative_lengths_by_unit: list[list[int]] = [[0] for _ in rulers]
        newly_returned_text_pieces = cls(added_spans_by_rank.__getitem__, ranks_holding_excerpts, cumulative_lengths_by_unit)
        for rank_index, spans in enumerate(search_index.returned_spans_without_repeats(ranked_chunk_numbers.tolist())):
            added_spans_by_rank.append(spans)
            if intersection_of_ranges(excerpts, spans):
                ranks_holding_excerpts.append(rank_index)
            for cumulative_unit_lengths, measure_text_length in zip(cumulative_lengths_by_unit, rulers, strict=True):
                cumulative_unit_lengths.append(cumulative_unit_lengths[-1] + measure_text_length(spans))
            if newly_returned_text_pieces.has_filled_budgets(budget_sets):
                break
        return newly_returned_text_pieces

    def has_filled_budgets(self, budget_sets: Sequence[Budgets]) -> bool:
        """Return whether the pieces of text fill the largest budget of every set."""
        return all(self.sums[RANGE_UNITS.index(budgets.unit)][-1] >= budgets.sizes[-1] for budgets in budget_sets)


def _zero_filled_results(budgets: Budgets, question_count: int) -> BudgetResults:
    """Return results filled with zeros, to be set question by question."""
    result_array_shape = len(budgets.sizes), question_count
    taken_chunk_counts, last_chunk_beginning_lengths = np.zeros((2, *result_array_shape), dtype=np.intp)
    retrieved_lengths, retrieved_excerpt_lengths = np.zeros((2, len(RANGE_UNITS), *result_array_shape), dtype=np.intp)
    return BudgetResults(
        budgets,
        taken_chunk_counts,
        last_chunk_beginning_lengths,
        retrieved_lengths,
        retrieved_excerpt_lengths,
        np.zeros((len(RANGE_UNITS), question_count), dtype=np.intp),
    )


def chunk_lengths(chunks: Sequence[Sequence[Span]], ruler: AnyRuler) -> IntArray:
    """Return the length of every chunk, shape (chunks,)."""
    span_counts_of_chunks = np.array([len(spans) for spans in chunks], dtype=np.intp)
    if not len(span_counts_of_chunks):
        return span_counts_of_chunks
    return np.asarray(
        np.add.reduceat(
            ruler.range_lengths([span for spans in chunks for span in spans]),
            span_counts_of_chunks.cumsum() - span_counts_of_chunks,
        )
    )


def _ranked_chunks_by_question(
    prepared_questions: PreparedQuestions, lengths_and_budgets: Sequence[tuple[IntArray, int]], tools: Tools
) -> Iterator[tuple[int, IntArray]]:
    """Yield every question's number and the best chunks for it, best first: at least as many as fill the budgets, or all.

    ``lengths_and_budgets`` pairs the length of every chunk, in a budget's unit, with the budget. Questions whose budgets
    are not yet full are searched for again, twice as deep.
    """
    unfilled_question_numbers = np.arange(len(prepared_questions.texts))
    index_chunk_count = len(prepared_questions.index.chunks)
    chunks_ranked_per_question = min(
        index_chunk_count,
        max(4 + ceil(1.25 * size * index_chunk_count / max(1, int(lengths.sum()))) for lengths, size in lengths_and_budgets),
    )
    while len(unfilled_question_numbers):
        still_unfilled_numbers = []
        questions_per_batch = max(1, min(QUERIES_PER_BLOCK, _RANKS_AT_ONCE // max(1, chunks_ranked_per_question)))
        for batch_start in range(0, len(unfilled_question_numbers), questions_per_batch):
            raise_if_cancelled(tools.cancelled)
            question_number_batch = unfilled_question_numbers[batch_start : batch_start + questions_per_batch]
            chunk_rankings = prepared_questions.ranked(question_number_batch, chunks_ranked_per_question)
            is_filled_by_question = np.logical_and.reduce(
                [lengths[chunk_rankings].sum(axis=1) >= size for lengths, size in lengths_and_budgets]
            )
            for question_number, chunk_ranking, is_budget_filled in zip(
                question_number_batch.tolist(), chunk_rankings, is_filled_by_question.tolist(), strict=True
            ):
                if is_budget_filled or chunks_ranked_per_question == index_chunk_count:
                    yield question_number, chunk_ranking
                else:
                    still_unfilled_numbers.append(question_number)
        unfilled_question_numbers = np.array(still_unfilled_numbers, dtype=np.intp)
        chunks_ranked_per_question = min(index_chunk_count, 2 * chunks_ranked_per_question)


def _store_question_results(
    budget_results: BudgetResults,
    question_number: int,
    excerpts: Sequence[Span],
    returned_text_pieces: _Pieces,
    rulers: Sequence[AnyRuler],
) -> None:
    """Write the results of question ``question_number`` at every budget."""
    unit_index = RANGE_UNITS.index(budget_results.budgets.unit)
    ruler, cumulative_lengths = rulers[unit_index], returned_text_pieces.sums[unit_index]
    budget_results.excerpt_length[:, question_number] = [length(union_of_ranges(excerpts)) for length in rulers]
    for budget_index, budget_size in enumerate(budget_results.budgets.sizes):
        whole_chunk_count, last_chunk_beginning_spans = count_fitting_chunks_and_cut_next(
            returned_text_pieces.spans, cumulative_lengths, budget_size, ruler, budget_results.budgets.last
        )
        whole_chunk_spans = [
            span
            for place in returned_text_pieces.holding
            if place < whole_chunk_count
            for span in returned_text_pieces.spans(place)
        ]
        budget_results.taken[budget_index, question_number] = whole_chunk_count + bool(last_chunk_beginning_spans)
        budget_results.cut_chunk_length[budget_index, question_number] = ruler(last_chunk_beginning_spans)
        for length_unit_index, measure_text_length in enumerate(rulers):
            budget_results.given[length_unit_index, budget_index, question_number] = int(
                returned_text_pieces.sums[length_unit_index][whole_chunk_count]
            ) + measure_text_length(last_chunk_beginning_spans)
            budget_results.retrieved_excerpt_length[length_unit_index, budget_index, question_number] = measure_text_length(
                intersection_of_ranges(excerpts, whole_chunk_spans + last_chunk_beginning_spans)
            )
