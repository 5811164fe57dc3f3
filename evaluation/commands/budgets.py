"""Output of ``retrieval`` at equal budgets: tables next to the top k, the leader at each budget, and the same as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkers import InputError
from chunkers.support.arrays import FloatArray
from evaluation.retrieval.budget import LAST, AtBudgets, Budgets
from evaluation.retrieval.leads import Leads
from evaluation.retrieval.measures import CALLED, FOUND_SCORES, UNITS, mean_and_deviation
from evaluation.statistics.means import mean_interval
from evaluation.statistics.paired import Difference
from evaluation.statistics.significance import FALSE_VERDICTS

_LAST = {one.replace("_", "-"): one for one in LAST}


def add_budgets(command: argparse.ArgumentParser) -> None:
    """Add the options for measuring retrieval at equal budgets to an argument parser."""
    command.add_argument(
        "--budget", metavar="N,N...", help="measure what fills budgets of so many tokens too, and say who is ahead where"
    )
    command.add_argument("--budget-unit", choices=UNITS, help="the unit of the budgets (default: tokens)")
    command.add_argument(
        "--last", choices=[*_LAST], help="what is done with the chunk that passes a budget (default: cut, where it is full)"
    )


def budgets_of(options: argparse.Namespace) -> Budgets | None:
    """Return the budgets given on the command line; None if there are none.

    Raises
    ------
    InputError
        If the budgets are not positive integers, if there are too many, or if another budget option is given without them.
    """
    if options.budget is None:
        for name, given in (("--budget-unit", options.budget_unit), ("--last", options.last)):
            if given is not None:
                raise InputError(f"{name} works only with --budget, which is missing. Add --budget, or leave {name} out.")
        return None
    parts = [part.strip() for part in options.budget.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) <= 12 for part in parts):
        raise InputError(
            f"--budget must be a list of whole numbers separated by commas, such as 1000,2000; got {options.budget[:60]!r}."
        )
    return Budgets(tuple(sorted(set(map(int, parts)))), options.budget_unit or "tokens", _LAST[options.last or "cut"])


@dataclass(frozen=True, eq=False)
class Measured:
    """Retrieval results of a recipe, for the top k and at every budget.

    Attributes
    ----------
    top_k
        Measures over the top k, by name, each of shape (questions,), in the unit of the budgets.
    top_k_given
        Mean length of the top k chunks' text.
    """

    name: str
    top_k: Mapping[str, FloatArray]
    top_k_given: float
    at: AtBudgets


def printed(measured: Sequence[Measured], k: int) -> str:
    """Return a text table for each measure, with sentences on the leading recipe at each budget."""
    budgets = measured[0].at.budgets
    ends = "the last chunk cut off" if budgets.last == "cut" else "the chunk that does not fit left out"
    heads = [f"k = {k:,}", *(f"{size:,} {budgets.unit}" for size in budgets.sizes)]
    parts = []
    for measure in FOUND_SCORES:
        title = f"{CALLED[measure]} in {budgets.unit}, 95 % confidence intervals in brackets; {ends}"
        rows = [[one.name, *map(_cell, (one.top_k[measure], *_at(one, measure)))] for one in measured]
        parts.append(_table(title, heads, rows))
        if len(measured) > 1:
            parts.append(leads(measured, measure).words())
    if len(measured) > 1:
        parts.append(FALSE_VERDICTS)
    place = UNITS.index(budgets.unit)
    given = [
        [one.name, f"{one.top_k_given:,.0f}", *(f"{row.mean():,.0f}" for row in one.at.given[place])] for one in measured
    ]
    parts.append(_table(f"{budgets.unit} that a question is given", heads, given))
    return "\n\n".join(parts)


def leads(measured: Sequence[Measured], measure: str) -> Leads:
    """Return the leading recipe at each budget, by one measure."""
    budgets = measured[0].at.budgets
    values = {size: [one.at.values(measure, size, budgets.unit) for one in measured] for size in budgets.sizes}
    return Leads.of([one.name for one in measured], CALLED[measure], budgets.unit, values)


def _at(one: Measured, measure: str) -> list[FloatArray]:
    return [one.at.values(measure, size, one.at.budgets.unit) for size in one.at.budgets.sizes]


def _cell(values: FloatArray) -> str:
    found, ends = mean_and_deviation(values), mean_interval(values)
    if found is None:
        return "undefined"
    return f"{100 * found[0]:.1f}" + ("" if ends is None else f" ({100 * ends[0]:.1f} to {100 * ends[1]:.1f})")


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(["", *heads], *rows, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))])
        for row in (["", *heads], *rows)
    ]
    return "\n".join([f"{title}:", *lines])


def as_json(at: AtBudgets) -> dict[str, Any]:
    """Return a recipe's mean results at every budget as JSON-compatible values, without individual questions."""
    return {
        "unit": at.budgets.unit,
        "last": at.budgets.last,
        "at": [
            {
                "budget": size,
                "chunks": _mean(at.taken[row]),
                "given": {unit: _mean(at.given[place, row]) for place, unit in enumerate(UNITS)},
                **{unit: {name: _summary(at.values(name, size, unit)) for name in FOUND_SCORES} for unit in UNITS},
            }
            for row, size in enumerate(at.budgets.sizes)
        ],
    }


def question_as_json(at: AtBudgets, number: int) -> list[dict[str, Any]]:
    """Return one question's results at every budget as JSON-compatible values."""
    return [
        {
            "budget": size,
            "chunks": int(at.taken[row, number]),
            **{
                unit: {name: _defined(at.values(name, size, unit)[number]) for name in FOUND_SCORES}
                | {"given": int(at.given[place, row, number])}
                for place, unit in enumerate(UNITS)
            },
        }
        for row, size in enumerate(at.budgets.sizes)
    ]


def leads_as_json(measured: Sequence[Measured]) -> dict[str, Any]:
    """Return the leader at each budget, for every measure, as JSON-compatible values."""
    return {"leads": {measure: _leads_as_json(leads(measured, measure)) for measure in FOUND_SCORES}}


def _leads_as_json(found: Leads) -> dict[str, Any]:
    rows = []
    for size, lead in found.leads.items():
        rows.append(
            {
                "budget": size,
                "best": found.names[lead.best],
                "mean": lead.mean,
                "behind": [found.names[other] for other in lead.behind],
                "rival": found.names[lead.rival],
                "told": lead.significant,
                "difference": difference_as_json(lead.difference),
                "questions_to_tell": lead.needed,
            }
        )
    return {"comparisons": found.comparisons, "at": rows, "words": found.words()}


def difference_as_json(found: Difference | None) -> dict[str, float] | None:
    """Return a difference with its interval and p-values as JSON-compatible values; None if it was not tested."""
    if found is None:
        return None
    return {
        "mean": found.mean,
        "low": found.low,
        "high": found.high,
        "level": 1 - found.alpha,
        "p": found.p,
        "adjusted_p": found.adjusted,
        "questions": found.count,
    }


def _summary(values: FloatArray) -> dict[str, float | None] | None:
    found = mean_and_deviation(values)
    if found is None:
        return None
    low, high = mean_interval(values) or (None, None)
    return {"mean": found[0], "standard_deviation": found[1], "low": low, "high": high}


def _mean(values: Any) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
