"""The bootstrap over questions: how certain a mean is, and whether two chunkers differ on the same questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunkers.arrays import FloatArray

RESAMPLES = 10_000
LEVEL = 0.95
_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_AT_ONCE = 1000
FEWEST = 5
"""Number of questions below which an interval would mean nothing."""


@dataclass(frozen=True)
class Difference:
    """The difference of two chunkers' means over the same questions.

    Attributes
    ----------
    mean
        The mean difference; above 0 where the first is higher.
    low, high
        The interval that holds 95 % of the resampled means.
    p
        The two-sided p-value: twice the smaller share of resampled means on one side of 0.
    questions
        The number of questions on which both are defined.
    """

    mean: float
    low: float
    high: float
    p: float
    questions: int

    @property
    def told(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0

    def words(self, name: str, baseline: str, measure: str) -> str:
        """Return the difference as a sentence, in percentage points."""
        if not self.told:
            return (
                f"{name}: no difference in {measure} from {baseline} can be told from {self.questions} questions "
                f"({100 * self.mean:+z.1f} points, 95 % between {100 * self.low:+z.1f} and {100 * self.high:+z.1f}, "
                f"p = {self.p:.2g})."
            )
        side = "higher" if self.mean > 0 else "lower"
        return (
            f"{name}: {measure} is {100 * abs(self.mean):.1f} points {side} than with {baseline} over {self.questions} "
            f"questions (95 % between {100 * self.low:+z.1f} and {100 * self.high:+z.1f}, p = {self.p:.2g})."
        )


def paired(values: FloatArray, baseline: FloatArray, seed: int = 0) -> Difference | None:
    """Compare two measures of the same questions, shape (questions,); a question with NaN is left out.

    Percentile bootstrap over questions, `RESAMPLES` times; equal seeds give equal numbers. Returns None with fewer than
    `FEWEST` questions.
    """
    differences = values - baseline
    differences = differences[~np.isnan(differences)]
    count = len(differences)
    if count < FEWEST:
        return None
    means = _resampled_means(differences, seed)
    low, high = np.quantile(means, _TAILS)
    # The sample itself counts as one more resample, so that p is never 0.
    side = min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0)) + 1
    return Difference(float(differences.mean()), float(low), float(high), min(1.0, 2 * side / (RESAMPLES + 1)), count)


def interval(values: FloatArray, seed: int = 0) -> tuple[float, float] | None:
    """Return the interval that holds 95 % of the resampled means of a measure, undefined values left out.

    Returns None with fewer than `FEWEST` questions.
    """
    kept = values[~np.isnan(values)]
    if len(kept) < FEWEST:
        return None
    low, high = np.quantile(_resampled_means(kept, seed), _TAILS)
    return float(low), float(high)


def _resampled_means(values: FloatArray, seed: int) -> FloatArray:
    """Return the means of `RESAMPLES` samples, each with as many values as ``values``, shape (RESAMPLES,)."""
    random = np.random.default_rng(seed)
    count = len(values)
    parts = [values[random.integers(0, count, (_AT_ONCE, count))].mean(axis=1) for _ in range(RESAMPLES // _AT_ONCE)]
    return np.concatenate(parts)
