"""Questions won and lost, by recall, where one way to cut documents replaces another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunker, Tools
from chunkers.results.embedded import EmbeddedAs
from chunkers.support.arrays import FloatArray
from evaluation.questions.corpus import Ruler
from evaluation.questions.reading import Question
from evaluation.retrieval.budget import Budgets, evaluate_at
from evaluation.retrieval.measures import evaluate
from evaluation.search.index import Index
from evaluation.search.ranking import Method
from evaluation.statistics.paired import Difference, compare_all


def recalls(
    index: Index, questions: Sequence[Question], tools: Tools, ruler: Ruler, top_k: int | None, budgets: Budgets | None
) -> dict[str, FloatArray]:
    """Return the recall of each question by the amount of text, such as ``k = 5``, each of shape (questions,).

    Amounts are the top k, unless ``top_k`` is None, and every budget. Recall is measured in the budgets' unit, or else in
    tokens. Raises the same errors as `Tools.embed`.
    """
    unit = "tokens" if budgets is None else budgets.unit
    by_amount = {}
    if top_k is not None:
        by_amount[f"k = {top_k:,}"] = evaluate(index, questions, tools, ruler, top_k).values("recall", unit)
    if budgets is not None:
        at = evaluate_at(index, questions, tools, ruler, budgets)
        by_amount |= {f"{size:,} {unit}": at.values("recall", size, unit) for size in budgets.sizes}
    return by_amount


def tokens_to_embed(tokens: int, chunker: Chunker, method: Method, embedded_as: EmbeddedAs) -> int:
    """Estimate the tokens embedded to index documents of ``tokens`` tokens: for search and, if the chunker embeds, to cut.

    By late chunking, windows that overlap by half read a document twice. A sentence that is compared together with its
    ``buffer`` neighbours on either side is read with each of them. Overlaps of chunks, and headings and contexts in front of
    them, do not count; texts in a cache count.
    """
    to_search = 0 if method == "bm25" else 2 if embedded_as == "late" else 1
    to_cut = 2 * int(getattr(chunker, "buffer", 0)) + 1 if chunker.embeds else 0
    return tokens * (to_search + to_cut)


@dataclass(frozen=True, eq=False)
class WonAndLost:
    """Recall of each question on both sides, by the amount of text.

    Attributes
    ----------
    before, after
        Results of `recalls` for the same questions and amounts.
    """

    before: Mapping[str, FloatArray]
    after: Mapping[str, FloatArray]

    def differences(self) -> dict[str, Difference | None]:
        """Return the difference of the mean recalls, after minus before, at each amount; None with too few questions."""
        rows = np.array([self.after[amount] - before for amount, before in self.before.items()])
        return dict(zip(self.before, compare_all(rows), strict=True))

    def changed(self, amount: str) -> tuple[list[int], list[int]]:
        """Return the numbers of the questions that are won by the change, and of those that are lost."""
        before, after = self.before[amount], self.after[amount]
        return [*np.flatnonzero(after > before + 1e-9).tolist()], [*np.flatnonzero(after < before - 1e-9).tolist()]
