"""Measures of a run besides the top k: near-duplicates, a ladder of budgets, and the chunk with most of each excerpt."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chunkers import Tools
from chunkers.support import FloatArray, IntArray, raise_if_cancelled
from evaluation.questions import (
    Corpus,
    Question,
    TokenRuler,
    intersection_of_ranges,
    numbers_of_overlapping_chunks,
    ruler_for_unit,
    total_length_of_ranges,
)
from evaluation.retrieval.budget import LAST_CHUNK_CHOICES, BudgetResults, Budgets, LastChunkChoice, evaluate_at_budget_sets
from evaluation.retrieval.measures import (
    RANGE_UNITS,
    Evaluation,
    excerpt_ranges,
    score_value_or_nan,
    scores_of_retrieved_ranges,
)
from evaluation.search import (
    NEAR_DUPLICATE_SIMILARITY,
    QUERIES_PER_BLOCK,
    Bm25,
    Index,
    Indexed,
    PreparedQuestions,
    find_near_duplicate_texts,
)
from evaluation.statistics import Difference, paired_difference

# Near-duplicates of better-ranked chunks, and their cost in recall. Chunks are compared as they are indexed, headings or
# contexts in front included.


@dataclass(frozen=True, eq=False)
class RepeatCost:
    """Cost of near-duplicates in the top k or at a budget.

    Attributes
    ----------
    near_duplicate_count
        Number of chunks with a near-duplicate.
    retrieved
        Number of retrieved chunks, shape (questions,).
    taken
        Number of retrieved chunks that are near-duplicates of a better-ranked one, shape (questions,).
    recall, recall_without_repeats
        Recall as it is, and with those chunks left out and the next ones moved up, each of shape (questions,), NaN where
        undefined.
    difference
        Paired difference in recall, above 0 if leaving those chunks out helps; None if there are too few questions.
    """

    near_duplicate_count: int
    retrieved: IntArray
    taken: IntArray
    recall: FloatArray
    recall_without_repeats: FloatArray
    difference: Difference | None


@dataclass(frozen=True, eq=False)
class RetrievedDuplicates:
    """Near-duplicates of better-ranked chunks among the chunks that questions retrieve.

    Attributes
    ----------
    near_duplicate_count, group_count
        Number of chunks with a near-duplicate, and of the groups that they form.
    repeat_ranks_by_question
        For every question that retrieves such chunks, by its number, their ranks, counted from 0 and ascending, within the
        top k and the largest budgets.
    ranked
        Best chunks of these questions with near-duplicates behind all other chunks, shape (these questions, top k).
    at
        Results of these questions at budgets, with near-duplicates behind all other chunks.
    """

    near_duplicate_count: int
    group_count: int
    repeat_ranks_by_question: Mapping[int, tuple[int, ...]]
    ranked: IntArray
    at: tuple[BudgetResults, ...] = ()

    def repeat_cost_in_top_k(self, evaluation: Evaluation, recall_unit: str, ruler: TokenRuler) -> RepeatCost:
        """Return the cost of near-duplicates in an evaluation's top k, with recall measured in ``recall_unit``."""
        unit_length_function = ruler_for_unit(recall_unit, ruler)
        retrieved_chunk_counts = np.full(
            len(evaluation.search.questions), evaluation.search.ranked[:, : evaluation.top_k].shape[1]
        )
        recall_with_repeats = evaluation.values("recall", recall_unit)
        recall_without_repeats = recall_with_repeats.copy()
        for (question_number, repeat_ranks), ranked_chunk_numbers in zip(
            self.repeat_ranks_by_question.items(), self.ranked.tolist(), strict=True
        ):
            if np.searchsorted(repeat_ranks, evaluation.top_k):
                question_excerpt_ranges = excerpt_ranges(
                    evaluation.searched_index.corpus, evaluation.search.questions[question_number]
                )
                top_k_spans = [
                    span
                    for given in evaluation.searched_index.returned_spans_without_repeats(
                        ranked_chunk_numbers[: evaluation.top_k]
                    )
                    for span in given
                ]
                recall_without_repeats[question_number] = score_value_or_nan(
                    scores_of_retrieved_ranges(question_excerpt_ranges, top_k_spans, unit_length_function)["recall"]
                )
        return self._cost_in_recall(retrieved_chunk_counts, recall_with_repeats, recall_without_repeats)

    def repeat_cost_at_budget(self, budget_results: BudgetResults, budget: int, recall_unit: str) -> RepeatCost:
        """Return the cost at a budget, recall in ``recall_unit``; ``budget_results`` has the near-duplicates in place."""
        measured_budgets = budget_results.budgets
        retrieved_chunk_counts = budget_results.taken[measured_budgets.sizes.index(budget)]
        recall_with_repeats = budget_results.question_values_at_budget("recall", budget, recall_unit)
        recall_without_repeats = recall_with_repeats.copy()
        results_with_repeats_last = next((other for other in self.at if other.budgets == measured_budgets), None)
        if results_with_repeats_last is not None:
            recall_without_repeats[[*self.repeat_ranks_by_question]] = results_with_repeats_last.question_values_at_budget(
                "recall", budget, recall_unit
            )
        return self._cost_in_recall(retrieved_chunk_counts, recall_with_repeats, recall_without_repeats)

    def _cost_in_recall(
        self, retrieved_chunk_counts: IntArray, recall_with_repeats: FloatArray, recall_without_repeats: FloatArray
    ) -> RepeatCost:
        retrieved_repeat_counts = np.zeros(len(retrieved_chunk_counts), dtype=np.intp)
        for question_number, repeat_ranks in self.repeat_ranks_by_question.items():
            retrieved_repeat_counts[question_number] = np.searchsorted(repeat_ranks, retrieved_chunk_counts[question_number])
        return RepeatCost(
            self.near_duplicate_count,
            retrieved_chunk_counts,
            retrieved_repeat_counts,
            recall_with_repeats,
            recall_without_repeats,
            paired_difference(recall_without_repeats, recall_with_repeats),
        )


def count_bm25_duplicates_per_question(
    texts: Sequence[str], language: str, questions: Sequence[str], top_k: int, min_similarity: float
) -> IntArray:
    """Return the number of the best ``top_k`` chunks by BM25 that repeat a better-ranked one, shape (questions,).

    Parameters
    ----------
    texts
        Texts of the chunks of a document.
    language
        Language of the document, as in `Bm25`.
    min_similarity
        Minimum Jaccard similarity of near-duplicates, above 0 and at most 1.
    """
    near_duplicate_texts, bm25 = find_near_duplicate_texts(texts, min_similarity), Bm25(texts, language)
    repeat_counts_by_question = []
    for question in questions:
        bm25_chunk_scores = bm25.scores(question)
        best_chunk_numbers = np.argsort(-bm25_chunk_scores, kind="stable")[: min(top_k, np.count_nonzero(bm25_chunk_scores))]
        repeat_counts_by_question.append(
            len(near_duplicate_texts.repeats_of_better_ranked_chunks(best_chunk_numbers.tolist()))
        )
    return np.array(repeat_counts_by_question, dtype=np.intp)


def find_retrieved_duplicates(
    index: Index,
    questions: Sequence[Question],
    tools: Tools,
    ruler: TokenRuler,
    top_k: int,
    budget_results: Sequence[BudgetResults] = (),
    min_similarity: float = NEAR_DUPLICATE_SIMILARITY,
) -> RetrievedDuplicates:
    """Return the near-duplicates of better-ranked chunks that questions retrieve.

    Parameters
    ----------
    top_k
        Largest number of best chunks of interest.
    budget_results
        Results at budgets with near-duplicates in place, measured with the same index and questions.
    min_similarity
        Minimum Jaccard similarity of near-duplicates, above 0 and at most 1.

    Raises
    ------
    Cancelled
        If the user asked to stop.
    ModelError
        As in `Tools.embed`.
    """
    near_duplicates = find_near_duplicate_texts(index.texts, min_similarity)
    repeat_ranks_by_question: dict[int, tuple[int, ...]] = {}
    if near_duplicates.pairs and questions:
        retrieved_chunk_counts = np.max(
            [np.full(len(questions), top_k), *(at_budgets.taken[-1] for at_budgets in budget_results)], axis=0
        )
        prepared_questions = PreparedQuestions.of(index, [question.text for question in questions], tools)
        for batch_start in range(0, len(questions), QUERIES_PER_BLOCK):
            raise_if_cancelled(tools.cancelled)
            question_number_batch = np.arange(batch_start, min(batch_start + QUERIES_PER_BLOCK, len(questions)))
            for question_number, ranked_chunk_numbers in zip(
                question_number_batch.tolist(),
                prepared_questions.ranked(question_number_batch, int(retrieved_chunk_counts[question_number_batch].max())),
                strict=True,
            ):
                repeating_chunk_numbers = near_duplicates.repeats_of_better_ranked_chunks(
                    ranked_chunk_numbers[: retrieved_chunk_counts[question_number]].tolist()
                )
                if repeating_chunk_numbers:
                    repeat_ranks_by_question[question_number] = tuple(
                        np.flatnonzero(np.isin(ranked_chunk_numbers, repeating_chunk_numbers)).tolist()
                    )
    rankings_with_repeats_last = np.zeros((0, top_k), dtype=np.intp)
    if repeat_ranks_by_question:
        questions_retrieving_repeats = [questions[number] for number in repeat_ranks_by_question]
        index = replace(index, demoted_near_duplicates=near_duplicates)
        prepared_questions = PreparedQuestions.of(index, [question.text for question in questions_retrieving_repeats], tools)
        question_number_batch = np.arange(len(questions_retrieving_repeats))
        rankings_with_repeats_last = np.vstack(
            [
                prepared_questions.ranked(question_number_batch[first : first + QUERIES_PER_BLOCK], top_k)
                for first in range(0, len(questions_retrieving_repeats), QUERIES_PER_BLOCK)
            ]
        )
        budget_results = evaluate_at_budget_sets(
            index, questions_retrieving_repeats, tools, ruler, [at_budgets.budgets for at_budgets in budget_results]
        )
    return RetrievedDuplicates(
        sum(map(len, near_duplicates.groups)),
        len(near_duplicates.groups),
        repeat_ranks_by_question,
        rankings_with_repeats_last,
        tuple(budget_results) if repeat_ranks_by_question else (),
    )


# A ladder of budgets, and the chunk with most of each excerpt.


_TOKEN_BUDGETS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2000, 4000, 8000, 16_000)

BUDGETS_BY_UNIT: Mapping[str, tuple[int, ...]] = {
    "tokens": _TOKEN_BUDGETS,
    "characters": tuple(4 * size for size in _TOKEN_BUDGETS),
}
"""The possible budgets by unit; a token of English has some four characters."""

MOST_BUDGETS_PER_UNIT = 6
"""Maximum number of budgets that are measured in a unit."""

KEPT_RANK_COUNT = 400
"""Maximum number of ranks kept per question, out of the ranks that the largest budget needs."""

MOST_RANKS_IN_ALL = 500_000
"""Maximum number of ranks kept over all questions."""

LEAST_KEPT_RANK_COUNT = 20
"""Minimum number of ranks kept per question, however many questions there are."""

_SCORES_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class BudgetLadder:
    """Retrieval results of all questions at a series of budgets, with the data needed to display them.

    Attributes
    ----------
    at
        Results for each set of budgets of `standard_budget_sets`.
    ranked
        Numbers of the best chunks for each question, best first, padded with -1. There are as many as the question's largest
        budget needs, at most `KEPT_RANK_COUNT`, and fewer with thousands of questions. Shape (questions, at most
        `KEPT_RANK_COUNT`).
    lower_ranked_excerpt_chunks
        Lower-ranked chunks with part of an excerpt that still fit into the largest budget: number of the question, number of
        the chunk, and rank, counted from 1. Shape (any, 3).
    best_holders
        For every excerpt, question by question, the chunk with most of the excerpt and its rank, counted from 1; in case of
        ties, the best-ranked chunk. The chunk is -1 if no chunk contains any of the excerpt. Shape (excerpts, 2).
    reasons
        Reasons for cuts inside excerpts, by corpus-wide offset, if the chunker gives reasons.
    repeats
        Near-duplicates of better-ranked chunks; None if they were not looked for, as by earlier versions.
    """

    at: tuple[BudgetResults, ...]
    ranked: IntArray
    lower_ranked_excerpt_chunks: IntArray
    best_holders: IntArray
    reasons: Mapping[int, str]
    repeats: RetrievedDuplicates | None = field(default=None, kw_only=True)

    @property
    def budgets_by_unit(self) -> dict[str, tuple[int, ...]]:
        """Budgets by unit, in ascending order."""
        return {at_budgets.budgets.unit: at_budgets.budgets.sizes for at_budgets in self.at}

    def results_in_unit(self, unit: str, last_chunk_choice: LastChunkChoice) -> BudgetResults:
        """Return the results at the budgets in ``unit``; ``last_chunk_choice`` says if the last chunk is cut or left out."""
        return next(
            at_budgets
            for at_budgets in self.at
            if (at_budgets.budgets.unit, at_budgets.budgets.last) == (unit, last_chunk_choice)
        )


def budgets_for_length(corpus_length: int, unit: str) -> tuple[int, ...]:
    """Return budgets suited to the length of a corpus: the largest of `BUDGETS_BY_UNIT` up to half that length.

    A budget for most of the text measures nothing, since any chunker would then retrieve nearly everything.
    """
    standard_budgets_in_unit = BUDGETS_BY_UNIT[unit]
    return (
        tuple(size for size in standard_budgets_in_unit if size <= corpus_length / 2)[-MOST_BUDGETS_PER_UNIT:]
        or standard_budgets_in_unit[:1]
    )


def standard_budget_sets(corpus: Corpus, ruler: TokenRuler) -> tuple[Budgets, ...]:
    """Return two sets of budgets per unit to measure at: with the last chunk cut off, and with it left out."""
    whole_text_ranges = [(0, len(corpus.joined_document.text))]
    corpus_length_by_unit = {"characters": total_length_of_ranges(whole_text_ranges), "tokens": ruler(whole_text_ranges)}
    return tuple(
        Budgets(budgets_for_length(corpus_length_by_unit[unit], unit), unit, last)
        for unit in RANGE_UNITS
        for last in LAST_CHUNK_CHOICES
    )


def measure_at_standard_budgets(
    index: Index, questions: Sequence[Question], tools: Tools, ruler: TokenRuler, top_k: int = 0
) -> BudgetLadder:
    """Measure retrieval at all budgets of a ladder, with one search for all of them.

    Near-duplicates are looked for in the ``top_k`` and at the budgets; not at all if ``top_k`` is 0.

    Raises the same errors as `evaluate_at_budgets`.
    """
    ranked_chunks_by_question: list[IntArray] = [np.zeros(0, dtype=np.intp)] * len(questions)
    question_chunk_rank_triples: list[tuple[int, int, int]] = []

    kept_rank_count = min(KEPT_RANK_COUNT, max(LEAST_KEPT_RANK_COUNT, MOST_RANKS_IN_ALL // max(1, len(questions))))

    def store_ranked_chunks(question_index: int, question_ranking: IntArray) -> None:
        ranked_chunks_by_question[question_index] = question_ranking[:kept_rank_count].copy()
        chunks_after_kept_ranks = question_ranking[kept_rank_count:]
        positions_of_excerpt_chunks = numbers_of_overlapping_chunks(
            index.returned_edges[chunks_after_kept_ranks], excerpt_ranges(index.corpus, questions[question_index])
        )
        question_chunk_rank_triples.extend(
            (question_index, int(chunks_after_kept_ranks[place]), kept_rank_count + place + 1)
            for place in positions_of_excerpt_chunks
        )

    results_per_budget_set = evaluate_at_budget_sets(
        index, questions, tools, ruler, standard_budget_sets(index.corpus, ruler), store_ranked_chunks
    )
    needed_rank_counts = (
        np.max([at.taken[-1] for at in results_per_budget_set], axis=0) if questions else np.zeros(0, dtype=np.intp)
    )
    # One more than is given, as the chunk that does not fit is shown as well.
    ranked_chunks_by_question = [
        row[: most + 1] for row, most in zip(ranked_chunks_by_question, needed_rank_counts.tolist(), strict=True)
    ]
    ranked_chunk_matrix = np.full(
        (len(ranked_chunks_by_question), max(map(len, ranked_chunks_by_question), default=0)), -1, dtype=np.intp
    )
    for question_number, ranked_chunk_numbers in enumerate(ranked_chunks_by_question):
        ranked_chunk_matrix[question_number, : len(ranked_chunk_numbers)] = ranked_chunk_numbers
    chunk_triples_within_largest_budgets = np.array(
        [triple for triple in question_chunk_rank_triples if triple[2] <= needed_rank_counts[triple[0]]], dtype=np.intp
    ).reshape(-1, 3)
    retrieved_near_duplicates = (
        find_retrieved_duplicates(index, questions, tools, ruler, top_k, results_per_budget_set) if top_k else None
    )
    best_chunk_of_each_excerpt = _largest_part_chunks_with_ranks(index, questions, tools, ranked_chunks_by_question)
    return BudgetLadder(
        results_per_budget_set,
        ranked_chunk_matrix,
        chunk_triples_within_largest_budgets,
        best_chunk_of_each_excerpt,
        _cut_reasons_inside_excerpts(index, questions),
        repeats=retrieved_near_duplicates,
    )


def _cut_reasons_inside_excerpts(search_index: Index, questions: Sequence[Question]) -> dict[int, str]:
    """Return the reasons of the cuts inside excerpts."""
    all_cut_offsets = np.array(sorted(search_index.reasons), dtype=np.intp)
    inside_excerpt_mask = np.zeros(len(all_cut_offsets), dtype=bool)
    for question in questions:
        for start, end in excerpt_ranges(search_index.corpus, question):
            inside_excerpt_mask[np.searchsorted(all_cut_offsets, start, "right") : np.searchsorted(all_cut_offsets, end)] = (
                True
            )
    return {place: search_index.reasons[place] for place in all_cut_offsets[inside_excerpt_mask].tolist()}


def chunks_with_largest_excerpt_part(index: Indexed, excerpt: tuple[int, int]) -> list[int]:
    """Return the numbers of the chunks with the largest part of an excerpt."""
    held_length_by_chunk = {
        number: total_length_of_ranges(intersection_of_ranges([excerpt], index.chunks[number]))
        for number in numbers_of_overlapping_chunks(index.edges, [excerpt])
    }
    largest_held_length = max(held_length_by_chunk.values(), default=0)
    return [number for number, size in held_length_by_chunk.items() if size == largest_held_length and largest_held_length]


def _best_ranked_candidate_and_rank(candidates: Sequence[int], ranked: Iterable[int]) -> tuple[int, int]:
    """Return the best ranked of some chunks, with its rank, counted from 1.

    If none of them is ranked, the result is the first of them and 0; if there are none, -1 and 0.
    """
    ranks_of_candidates = ((chunk, rank) for rank, chunk in enumerate(ranked, start=1) if chunk in candidates)
    return next(ranks_of_candidates, (candidates[0] if candidates else -1, 0))


def _largest_part_chunks_with_ranks(
    index: Index, questions: Sequence[Question], tools: Tools, chunk_rankings: Sequence[IntArray]
) -> IntArray:
    """Return the chunk with most of each excerpt, and its rank, which is looked for where ``chunk_rankings`` lacks it."""
    holders_and_ranks: list[tuple[int, int]] = []
    excerpts_with_unranked_holders: list[tuple[int, int, list[int]]] = []
    for question_number, question in enumerate(questions):
        ranked_chunk_numbers = chunk_rankings[question_number].tolist()
        for excerpt in excerpt_ranges(index.corpus, question):
            holder_candidates = chunks_with_largest_excerpt_part(index, excerpt)
            holder_and_rank = _best_ranked_candidate_and_rank(holder_candidates, ranked_chunk_numbers)
            if holder_candidates and not holder_and_rank[1]:
                excerpts_with_unranked_holders.append((question_number, len(holders_and_ranks), holder_candidates))
            holders_and_ranks.append(holder_and_rank)
    if excerpts_with_unranked_holders:
        questions_with_unranked_holders = PreparedQuestions.of(
            index, [questions[number].text for number, _, _ in excerpts_with_unranked_holders], tools
        )
        questions_per_batch = max(1, _SCORES_AT_ONCE // len(index.chunks))
        for batch_start in range(0, len(excerpts_with_unranked_holders), questions_per_batch):
            raise_if_cancelled(tools.cancelled)
            batch_index_range = range(
                batch_start, min(batch_start + questions_per_batch, len(excerpts_with_unranked_holders))
            )
            for chunk_scores, (_, overall_excerpt_index, holder_candidates) in zip(
                questions_with_unranked_holders.scores(batch_index_range),
                excerpts_with_unranked_holders[batch_start : batch_index_range.stop],
                strict=True,
            ):
                holder_chunk = max(holder_candidates, key=lambda candidate: (chunk_scores[candidate], -candidate))
                # As in the search, the earlier of equals comes first.
                better_chunk_count = np.count_nonzero(chunk_scores > chunk_scores[holder_chunk]) + np.count_nonzero(
                    chunk_scores[:holder_chunk] == chunk_scores[holder_chunk]
                )
                holders_and_ranks[overall_excerpt_index] = (holder_chunk, int(better_chunk_count) + 1)
    return np.array(holders_and_ranks, dtype=np.intp).reshape(-1, 2)
