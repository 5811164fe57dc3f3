"""Places among a question's retrieved chunks that near-duplicates of better-ranked chunks take, and their cost in recall.

Chunks are compared as they are indexed, headings or contexts in front included.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chunkers import Tools
from chunkers.support.arrays import FloatArray, IntArray
from chunkers.support.errors import stop_if
from evaluation.questions.corpus import Ruler, measuring
from evaluation.questions.reading import Question
from evaluation.retrieval.budget import AtBudgets, evaluate_each
from evaluation.retrieval.measures import Evaluation, excerpt_ranges, found_scores, value_or_nan
from evaluation.search.index import QUERY_BLOCK, Index, Queries
from evaluation.search.near_duplicates import ALIKE, near_duplicates
from evaluation.search.ranking import Bm25
from evaluation.statistics.paired import Difference, compare


@dataclass(frozen=True, eq=False)
class RepeatCost:
    """Cost of near-duplicates in the top k or at a budget.

    Attributes
    ----------
    near
        Number of chunks with a near-duplicate.
    retrieved
        Number of retrieved chunks, shape (questions,).
    taken
        Number of retrieved chunks that are near-duplicates of a better-ranked one, shape (questions,).
    recall, without
        Recall as it is, and with those chunks left out and the next ones moved up, each of shape (questions,), NaN where
        undefined.
    difference
        Paired difference in recall, above 0 if leaving those chunks out helps; None if there are too few questions.
    """

    near: int
    retrieved: IntArray
    taken: IntArray
    recall: FloatArray
    without: FloatArray
    difference: Difference | None


@dataclass(frozen=True, eq=False)
class Repeats:
    """Near-duplicates of better-ranked chunks among the chunks that questions retrieve.

    Attributes
    ----------
    near, groups
        Number of chunks with a near-duplicate, and of the groups that they form.
    places
        For every question that retrieves such chunks, by its number, their ranks, counted from 0 and ascending, within the
        top k and the largest budgets.
    ranked
        Best chunks of these questions with near-duplicates behind all other chunks, shape (len(places), top k).
    at
        Results of these questions at budgets, with near-duplicates behind all other chunks.
    """

    near: int
    groups: int
    places: Mapping[int, tuple[int, ...]]
    ranked: IntArray
    at: tuple[AtBudgets, ...] = ()

    def in_top_k(self, evaluation: Evaluation, unit: str, ruler: Ruler) -> RepeatCost:
        """Return the cost in the top k of an evaluation, with recall in ``unit``."""
        length = measuring(unit, ruler)
        retrieved = np.full(len(evaluation.search.questions), evaluation.search.ranked[:, : evaluation.top_k].shape[1])
        recall = evaluation.values("recall", unit)
        without = recall.copy()
        for (number, places), row in zip(self.places.items(), self.ranked.tolist(), strict=True):
            if np.searchsorted(places, evaluation.top_k):
                excerpts = excerpt_ranges(evaluation.index.corpus, evaluation.search.questions[number])
                spans = [span for given in evaluation.index.given(row[: evaluation.top_k]) for span in given]
                without[number] = value_or_nan(found_scores(excerpts, spans, length)["recall"])
        return self._cost(retrieved, recall, without)

    def at_budget(self, at: AtBudgets, size: int, unit: str) -> RepeatCost:
        """Return the cost at one budget of ``at``, the results with near-duplicates in place, with recall in ``unit``."""
        budgets = at.budgets
        retrieved = at.taken[budgets.sizes.index(size)]
        recall = at.values("recall", size, unit)
        without = recall.copy()
        behind = next((other for other in self.at if other.budgets == budgets), None)
        if behind is not None:
            without[[*self.places]] = behind.values("recall", size, unit)
        return self._cost(retrieved, recall, without)

    def _cost(self, retrieved: IntArray, recall: FloatArray, without: FloatArray) -> RepeatCost:
        taken = np.zeros(len(retrieved), dtype=np.intp)
        for number, places in self.places.items():
            taken[number] = np.searchsorted(places, retrieved[number])
        return RepeatCost(self.near, retrieved, taken, recall, without, compare(without, recall))


def repeats_by_words(texts: Sequence[str], language: str, questions: Sequence[str], top_k: int, alike: float) -> IntArray:
    """Return the number of the best ``top_k`` chunks by BM25 that repeat a better-ranked one, shape (questions,).

    Parameters
    ----------
    texts
        Texts of the chunks of a document.
    language
        Language of the document, as in `Bm25`.
    alike
        Minimum Jaccard similarity of near-duplicates, above 0 and at most 1.
    """
    near, bm25 = near_duplicates(texts, alike), Bm25(texts, language)
    repeats = []
    for question in questions:
        scores = bm25.scores(question)
        best = np.argsort(-scores, kind="stable")[: min(top_k, np.count_nonzero(scores))]
        repeats.append(len(near.repeats(best.tolist())))
    return np.array(repeats, dtype=np.intp)


def find_repeats(
    index: Index,
    questions: Sequence[Question],
    tools: Tools,
    ruler: Ruler,
    top_k: int,
    at: Sequence[AtBudgets] = (),
    alike: float = ALIKE,
) -> Repeats:
    """Return the near-duplicates of better-ranked chunks that questions retrieve.

    Parameters
    ----------
    top_k
        Largest number of best chunks of interest.
    at
        Results at budgets with near-duplicates in place, measured with the same index and questions.
    alike
        Minimum Jaccard similarity of near-duplicates, above 0 and at most 1.

    Raises
    ------
    Cancelled
        If the user asked to stop.
    ChunkingError
        As in `Tools.embed`.
    """
    near = near_duplicates(index.texts, alike)
    places: dict[int, tuple[int, ...]] = {}
    if near.pairs and questions:
        depths = np.max([np.full(len(questions), top_k), *(at_budgets.taken[-1] for at_budgets in at)], axis=0)
        queries = Queries.of(index, [question.text for question in questions], tools)
        for start in range(0, len(questions), QUERY_BLOCK):
            stop_if(tools.cancelled)
            numbers = np.arange(start, min(start + QUERY_BLOCK, len(questions)))
            for number, row in zip(numbers.tolist(), queries.ranked(numbers, int(depths[numbers].max())), strict=True):
                repeats = near.repeats(row[: depths[number]].tolist())
                if repeats:
                    places[number] = tuple(np.flatnonzero(np.isin(row, repeats)).tolist())
    ranked = np.zeros((0, top_k), dtype=np.intp)
    if places:
        affected = [questions[number] for number in places]
        index = replace(index, behind=near)
        queries = Queries.of(index, [question.text for question in affected], tools)
        numbers = np.arange(len(affected))
        ranked = np.vstack(
            [queries.ranked(numbers[first : first + QUERY_BLOCK], top_k) for first in range(0, len(affected), QUERY_BLOCK)]
        )
        at = evaluate_each(index, affected, tools, ruler, [at_budgets.budgets for at_budgets in at])
    return Repeats(sum(map(len, near.groups)), len(near.groups), places, ranked, tuple(at) if places else ())
