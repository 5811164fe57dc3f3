"""A measure over a ladder of budgets, for every chunker with its interval, and who is ahead where."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from chunkers.support.arrays import FloatArray
from evaluation.retrieval.budget import AtBudgets, Budgets
from evaluation.retrieval.leads import Leads
from evaluation.retrieval.measures import CALLED, mean_and_deviation
from evaluation.statistics.means import mean_interval


@dataclass(frozen=True, eq=False)
class Curve:
    """A retrieval measure as a function of the budget, for every chunker.

    Attributes
    ----------
    means
        Mean at every budget by chunker number, shape (budgets,), NaN where undefined.
    bounds
        The 95 % confidence interval of each mean by chunker number, shape (2, budgets), NaN with too few questions.
    leads
        The leading chunker at each budget, with the chunkers in the order of their numbers.
    """

    budgets: Budgets
    means: Mapping[int, FloatArray]
    bounds: Mapping[int, FloatArray]
    leads: Leads

    @classmethod
    def of(
        cls, by_column: Mapping[int, AtBudgets], names: Mapping[int, str], measure: str, everything: Collection[int] = ()
    ) -> Curve:
        """Return the curve of a retrieval measure over the budgets, measured in the budgets' unit.

        The measure is one of `FOUND_SCORES`.

        At the budgets in ``everything``, every chunker returns the whole text.
        """
        budgets = next(iter(by_column.values())).budgets
        values = {
            number: np.array([at_budgets.values(measure, size, budgets.unit) for size in budgets.sizes])
            for number, at_budgets in by_column.items()
        }
        bounds = {
            number: np.array([mean_interval(row) or (np.nan, np.nan) for row in rows]).T for number, rows in values.items()
        }
        means = {
            number: np.array([(mean_and_deviation(row) or (np.nan,))[0] for row in rows]) for number, rows in values.items()
        }
        by_size = {size: [rows[row] for rows in values.values()] for row, size in enumerate(budgets.sizes)}
        leads = Leads.of(
            [names[number] for number in by_column], CALLED[measure], budgets.unit, by_size, everything=everything
        )
        return cls(budgets, means, bounds, leads)
