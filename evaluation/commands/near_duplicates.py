"""Output of ``retrieval`` on near-duplicates: the places that they take, and recall without them."""

from __future__ import annotations

from typing import Any

import numpy as np

from evaluation.commands.budgets import difference_as_json
from evaluation.questions.corpus import Ruler
from evaluation.retrieval.budget import AtBudgets
from evaluation.retrieval.measures import UNITS, Evaluation, mean_and_deviation
from evaluation.retrieval.repeats import RepeatCost, Repeats


def repeats_in_words(repeats: Repeats, evaluation: Evaluation, ruler: Ruler, at: AtBudgets | None) -> str:
    """Return the cost of near-duplicates in the top k and at every budget as lines of text."""
    chunks = len(evaluation.index.chunks)
    if not repeats.near:
        return f"none of {chunks:,} chunks has one"
    lines = [f"{repeats.near:,} of {chunks:,} chunks have one"]
    lines.append(_words(f"top {evaluation.top_k:,}", repeats.in_top_k(evaluation, UNITS[0], ruler), UNITS[0]))
    if at is not None:
        unit = at.budgets.unit
        lines += [_words(f"{size:,} {unit}", repeats.at_budget(at, size, unit), unit) for size in at.budgets.sizes]
    return "\n    ".join(lines)


def _words(limit: str, cost: RepeatCost, unit: str) -> str:
    difference = cost.difference
    means = [mean_and_deviation(values) for values in (cost.recall, cost.without)]
    before, after = ("undefined" if mean is None else f"{100 * mean[0]:.1f}" for mean in means)
    gain = "too few questions for an interval" if difference is None else f"{difference.points}, {difference.interval}"
    return (
        f"{limit}: {cost.taken.mean():.2f} of {cost.retrieved.mean():.1f} chunks repeat a better one, in "
        f"{np.count_nonzero(cost.taken):,} of {len(cost.taken):,} questions; recall in {unit} {before}, without them "
        f"{after} ({gain})"
    )


def repeats_as_json(repeats: Repeats, evaluation: Evaluation, ruler: Ruler, at: AtBudgets | None) -> dict[str, Any]:
    """Return the cost of near-duplicates in the top k and at every budget as JSON-compatible values."""
    in_top_k = {unit: repeats.in_top_k(evaluation, unit, ruler) for unit in UNITS}
    as_json = {"chunks": repeats.near, "groups": repeats.groups, "top_k": _as_json(in_top_k)}
    if at is not None:
        as_json["budgets"] = [
            {"budget": size} | _as_json({unit: repeats.at_budget(at, size, unit) for unit in UNITS})
            for size in at.budgets.sizes
        ]
    return as_json


def _as_json(costs: dict[str, RepeatCost]) -> dict[str, Any]:
    cost = next(iter(costs.values()))
    return {
        "retrieved": float(cost.retrieved.mean()),
        "taken": float(cost.taken.mean()),
        "questions": int(np.count_nonzero(cost.taken)),
        **{unit: _recalls(cost) for unit, cost in costs.items()},
    }


def _recalls(cost: RepeatCost) -> dict[str, Any]:
    means = [mean_and_deviation(values) for values in (cost.recall, cost.without)]
    recall, without = (None if mean is None else mean[0] for mean in means)
    return {"recall": recall, "recall_without": without, "difference": difference_as_json(cost.difference)}
