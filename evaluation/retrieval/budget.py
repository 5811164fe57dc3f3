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
from typing import Literal

import numpy as np

from chunkers import InputError, Span, Tools
from chunkers.support import FloatArray, IntArray, raise_if_cancelled
from evaluation.questions import AnyRuler, CharacterRuler, Question, TokenRuler, intersection, overlapping_chunks, union
from evaluation.retrieval.measures import FOUND_SCORES, RANGE_UNITS, excerpt_ranges
from evaluation.search import QUERY_BLOCK, Index, PreparedQuestions

Last = Literal["cut", "left_out"]

LAST_CHUNK_CHOICES: tuple[Last, ...] = ("cut", "left_out")
"""Treatment of the chunk that exceeds the budget: cut off at the budget, or left out with all after it."""

MOST_BUDGETS = 100
"""Maximum number of budgets per measurement."""

_RANKS_AT_ONCE = 1 << 22
"""Maximum number of ranks in memory at a time, over as many questions as fit."""


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
    last: Last = "cut"

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


def fill_budget(chunks: Iterable[Sequence[Span]], size: int, length: AnyRuler, last: Last = "cut") -> list[tuple[Span, ...]]:
    """Return the spans of each of the best chunks up to a budget; a chunk that exceeds it is cut off or left out.

    Filling ends at the first chunk that does not fit, even if a later chunk would fit. If even the best chunk does not fit,
    the result is its beginning, or empty if the last chunk is left out.
    """
    taken: list[tuple[Span, ...]] = []
    sums = [0]
    for spans in chunks:
        if sums[-1] >= size:
            break
        taken.append(tuple(spans))
        sums.append(sums[-1] + length(spans))
    whole_count, beginning = budget_end(taken.__getitem__, sums, size, length, last)
    return taken[:whole_count] + [tuple(beginning)] * bool(beginning)


def budget_end(
    spans_at: Callable[[int], Sequence[Span]], sums: Sequence[int] | IntArray, size: int, length: AnyRuler, last: Last
) -> tuple[int, list[Span]]:
    """Return the number of chunks that fit whole into a budget, and the beginning of the next one if it is cut off.

    Parameters
    ----------
    spans_at
        Returns the spans of the chunk of a rank, counted from 0.
    sums
        Length of all chunks up to each rank, from 0 on, shape (ranks + 1,).
    """
    # The first chunks whose sum reaches the budget; where it passes it, the last of them does not fit.
    reaching_count = min(bisect_left(sums, size), len(sums) - 1)
    if sums[reaching_count] <= size:
        return reaching_count, []
    room = int(size - sums[reaching_count - 1])
    return reaching_count - 1, spans_up_to(spans_at(reaching_count - 1), room, length) if last == "cut" else []


def spans_up_to(spans: Sequence[Span], most: int, length: AnyRuler) -> list[Span]:
    """Return the beginning of a chunk as spans with a total length of at most ``most``."""
    chunk_beginning_spans = []
    for span in spans:
        span_part_within_budget = length.prefix(span, most)
        if span_part_within_budget.start < span_part_within_budget.end:
            chunk_beginning_spans.append(span_part_within_budget)
        if span_part_within_budget != span:
            break
        most -= length([span_part_within_budget])
    return chunk_beginning_spans


@dataclass(frozen=True, eq=False)
class BudgetResults:
    """Retrieval results of all questions at every budget.

    Attributes
    ----------
    taken
        Number of chunks that a question receives, including one that is cut off, shape (budgets, questions).
    part
        Length of the beginning that is kept of the chunk that is cut off, in the unit of the budgets; 0 if no chunk is cut
        off. Same shape as ``taken``.
    given
        Length of the retrieved text, shape (units, budgets, questions), in the order of `RANGE_UNITS`.
    hit
        Length of the excerpts' retrieved part, same shape as ``given``.
    wanted
        Length of the excerpts, shape (units, questions).
    """

    budgets: Budgets
    taken: IntArray
    part: IntArray
    given: IntArray
    hit: IntArray
    wanted: IntArray

    @cached_property
    def scores(self) -> FloatArray:
        """Recall, precision and IoU at every budget, shape (units, budgets, scores, questions), NaN where undefined.

        The order is that of `RANGE_UNITS` and `FOUND_SCORES`.
        """
        given, hit = self.given.astype(float), self.hit.astype(float)
        excerpt_lengths = np.where(self.wanted, self.wanted, np.nan)[:, None, :]
        precision_at_budgets = hit / np.where((excerpt_lengths > 0) & (given > 0), given, np.nan)
        return np.stack([hit / excerpt_lengths, precision_at_budgets, hit / (given + excerpt_lengths - hit)], axis=2)

    def budgets_giving_all_chunks(self, chunks: int) -> tuple[int, ...]:
        """Return the budgets within which every question receives all ``chunks`` chunks in full."""
        if not self.taken.shape[1]:
            return ()
        is_full = ((self.taken == chunks) & (self.part == 0)).all(axis=1)
        return tuple(size for size, all_of_it in zip(self.budgets.sizes, is_full.tolist(), strict=True) if all_of_it)

    def values(self, measure: str, size: int, unit: str = "characters") -> FloatArray:
        """Return each question's value of a measure at budget ``size``, shape (questions,), NaN where undefined."""
        return np.asarray(self.scores[RANGE_UNITS.index(unit), self.budgets.sizes.index(size), FOUND_SCORES.index(measure)])


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
    on_ranked: Callable[[int, IntArray], None] = lambda number, ranked: None,
) -> tuple[BudgetResults, ...]:
    """Measure retrieval at several sets of budgets, with one search for all of them.

    Raises the same errors as `evaluate_at_budgets`.

    ``on_ranked`` is called with every question's number and its ranks, as deep as the largest budget of any unit needs.
    """
    at_budgets = tuple(_empty_results(budgets, len(questions)) for budgets in budget_sets)
    if not at_budgets or not questions:
        return at_budgets
    rulers: tuple[AnyRuler, ...] = (CharacterRuler(), ruler)
    lengths_by_unit = [chunk_lengths(index.chunks, length) for length in rulers]
    prepared_questions = PreparedQuestions.of(index, [question.text for question in questions], tools)
    lengths_and_sizes = [(lengths_by_unit[RANGE_UNITS.index(budgets.unit)], budgets.sizes[-1]) for budgets in budget_sets]
    for number, ranked in _ranked_chunks(prepared_questions, lengths_and_sizes, tools):
        excerpts_of_question = excerpt_ranges(index.corpus, questions[number])
        if index.returns is None:
            returned_text_pieces = _Pieces.of_chunks(index, ranked, excerpts_of_question, lengths_by_unit)
        else:
            returned_text_pieces = _Pieces.of_returned(index, ranked, excerpts_of_question, rulers, budget_sets)
            while len(ranked) < len(index.chunks) and not returned_text_pieces.has_filled_budgets(budget_sets):
                # What is not given twice may be less than the chunks.
                ranked = prepared_questions.ranked(np.array([number]), 2 * len(ranked))[0]
                returned_text_pieces = _Pieces.of_returned(index, ranked, excerpts_of_question, rulers, budget_sets)
        on_ranked(number, ranked)
        for at in at_budgets:
            _measure_question(at, number, excerpts_of_question, returned_text_pieces, rulers)
    return at_budgets


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
    def of_chunks(cls, index: Index, ranked: IntArray, excerpts: Sequence[Span], lengths: Sequence[IntArray]) -> "_Pieces":
        """Return the ranked chunks as pieces of text, for an index that returns the chunks themselves."""
        cumulative_lengths_by_unit = [np.concatenate([[0], np.cumsum(sizes[ranked])]) for sizes in lengths]
        return cls(
            lambda place: index.chunks[ranked[place]],
            overlapping_chunks(index.edges[ranked], excerpts),
            cumulative_lengths_by_unit,
        )

    @classmethod
    def of_returned(
        cls,
        index: Index,
        ranked: IntArray,
        excerpts: Sequence[Span],
        rulers: Sequence[AnyRuler],
        budget_sets: Sequence[Budgets],
    ) -> "_Pieces":
        """Return the text that each ranked chunk adds to the text already returned, until all budgets are full."""
        given: list[Sequence[Span]] = []
        holding: list[int] = []
        sums: list[list[int]] = [[0] for _ in rulers]
        added_text_pieces = cls(given.__getitem__, holding, sums)
        for place, spans in enumerate(index.returned_spans(ranked.tolist())):
            given.append(spans)
            if intersection(excerpts, spans):
                holding.append(place)
            for unit_sums, length in zip(sums, rulers, strict=True):
                unit_sums.append(unit_sums[-1] + length(spans))
            if added_text_pieces.has_filled_budgets(budget_sets):
                break
        return added_text_pieces

    def has_filled_budgets(self, budget_sets: Sequence[Budgets]) -> bool:
        """Return whether the pieces of text fill the largest budget of every set."""
        return all(self.sums[RANGE_UNITS.index(budgets.unit)][-1] >= budgets.sizes[-1] for budgets in budget_sets)


def _empty_results(budgets: Budgets, questions: int) -> BudgetResults:
    """Return room for what questions find."""
    budgets_by_questions_shape = len(budgets.sizes), questions
    taken, part = np.zeros((2, *budgets_by_questions_shape), dtype=np.intp)
    given, hit = np.zeros((2, len(RANGE_UNITS), *budgets_by_questions_shape), dtype=np.intp)
    return BudgetResults(budgets, taken, part, given, hit, np.zeros((len(RANGE_UNITS), questions), dtype=np.intp))


def chunk_lengths(chunks: Sequence[Sequence[Span]], length: AnyRuler) -> IntArray:
    """Return the length of every chunk, shape (chunks,)."""
    span_counts_of_chunks = np.array([len(spans) for spans in chunks], dtype=np.intp)
    if not len(span_counts_of_chunks):
        return span_counts_of_chunks
    return np.asarray(
        np.add.reduceat(
            length.lengths([span for spans in chunks for span in spans]),
            span_counts_of_chunks.cumsum() - span_counts_of_chunks,
        )
    )


def _ranked_chunks(
    queries: PreparedQuestions, needs: Sequence[tuple[IntArray, int]], tools: Tools
) -> Iterator[tuple[int, IntArray]]:
    """Yield every question's number and the best chunks for it, best first: at least as many as fill the budgets, or all.

    ``needs`` have the length of every chunk in a budget's unit, and the budget. Those whose budget is not full yet are
    searched for again, twice as deep.
    """
    open_questions = np.arange(len(queries.texts))
    index_chunk_count = len(queries.index.chunks)
    chunks_ranked_per_question = min(
        index_chunk_count,
        max(4 + ceil(1.25 * size * index_chunk_count / max(1, int(lengths.sum()))) for lengths, size in needs),
    )
    while len(open_questions):
        still_open = []
        at_once = max(1, min(QUERY_BLOCK, _RANKS_AT_ONCE // max(1, chunks_ranked_per_question)))
        for start in range(0, len(open_questions), at_once):
            raise_if_cancelled(tools.cancelled)
            question_number_batch = open_questions[start : start + at_once]
            chunk_rankings = queries.ranked(question_number_batch, chunks_ranked_per_question)
            is_filled = np.logical_and.reduce([lengths[chunk_rankings].sum(axis=1) >= size for lengths, size in needs])
            for number, row, enough in zip(question_number_batch.tolist(), chunk_rankings, is_filled.tolist(), strict=True):
                if enough or chunks_ranked_per_question == index_chunk_count:
                    yield number, row
                else:
                    still_open.append(number)
        open_questions = np.array(still_open, dtype=np.intp)
        chunks_ranked_per_question = min(index_chunk_count, 2 * chunks_ranked_per_question)


def _measure_question(
    at: BudgetResults, number: int, excerpts: Sequence[Span], pieces: _Pieces, rulers: Sequence[AnyRuler]
) -> None:
    """Write the results of question ``number`` at every budget."""
    unit_index = RANGE_UNITS.index(at.budgets.unit)
    ruler, sums = rulers[unit_index], pieces.sums[unit_index]
    at.wanted[:, number] = [length(union(excerpts)) for length in rulers]
    for row, size in enumerate(at.budgets.sizes):
        whole_count, beginning = budget_end(pieces.spans, sums, size, ruler, at.budgets.last)
        whole_spans = [span for place in pieces.holding if place < whole_count for span in pieces.spans(place)]
        at.taken[row, number] = whole_count + bool(beginning)
        at.part[row, number] = ruler(beginning)
        for place, length in enumerate(rulers):
            at.given[place, row, number] = int(pieces.sums[place][whole_count]) + length(beginning)
            at.hit[place, row, number] = length(intersection(excerpts, whole_spans + beginning))
