"""The bootstrap over questions: how certain a mean is, and whether two chunkers differ on the same questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

import numpy as np

from chunkers.arrays import FloatArray
from chunkers.numbers import signed

RESAMPLES = 10_000
LEVEL = 0.95
_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_AT_ONCE = 1000
FEWEST = 5
"""Number of questions below which an interval would mean nothing."""
POWER = 0.8
"""The chance with which a difference should be told by as many questions as `questions_to_tell` says."""


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
        """True if the interval excludes 0."""
        return self.low > 0 or self.high < 0

    def reversed(self) -> Difference:
        """Return the difference of the second to the first."""
        return Difference(-self.mean, -self.high, -self.low, self.p, self.questions)

    @property
    def points(self) -> str:
        """The mean in percentage points, with its sign."""
        return signed(100 * self.mean, "+.1f")

    @property
    def interval(self) -> str:
        """Between what the mean lies, in percentage points: ``95 % between −1.2 and +3.4``."""
        return f"95 % between {signed(100 * self.low, '+.1f')} and {signed(100 * self.high, '+.1f')}"

    def words(self, name: str, baseline: str, measure: str, adjusted: float | None = None) -> str:
        """Return the difference as a sentence, in percentage points, with the ``adjusted`` p if it is given."""
        p = f"p = {self.p:.2g}" if adjusted is None else f"adjusted p = {adjusted:.2g}"
        if not self.told:
            return (
                f"{name}: no difference in {measure} from {baseline} can be told from {self.questions:,} questions "
                f"({self.points} points, {self.interval}, {p})."
            )
        side = "higher" if self.mean > 0 else "lower"
        return (
            f"{name}: {measure} is {100 * abs(self.mean):.1f} points {side} than with {baseline} over "
            f"{self.questions:,} questions ({self.interval}, {p})."
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
    return _difference(differences, _resampled_means(differences, seed))


def paired_all(differences: FloatArray, seed: int = 0, resamples: int = RESAMPLES) -> list[Difference | None]:
    """Return what `paired` would of each of many differences, shape (comparisons, questions), at much less cost.

    Comparisons that are undefined on the same questions share their ``resamples``. Of many comparisons, more resamples are
    needed: the least p-value is 2 / (resamples + 1).
    """
    found: list[Difference | None] = [None] * len(differences)
    for number, values, means in _all_resampled_means(differences, seed, resamples):
        # Sums in another order may miss 0 by a rounding.
        found[number] = _difference(values, np.where(np.abs(means) < 1e-12, 0.0, means))
    return found


def _all_resampled_means(rows: FloatArray, seed: int, resamples: int) -> Iterator[tuple[int, FloatArray, FloatArray]]:
    """Yield each row's number, its defined values, and the means of their resamples, which equally defined rows share.

    Rows with fewer than `FEWEST` defined values are left out.
    """
    groups: dict[bytes, list[int]] = {}
    for number, one in enumerate(rows):
        groups.setdefault((~np.isnan(one)).tobytes(), []).append(number)
    for numbers in groups.values():
        shared = rows[numbers]
        shared = shared[:, ~np.isnan(shared[0])]
        count = shared.shape[1]
        if count < FEWEST:
            continue
        random = np.random.default_rng(seed)
        parts = []
        for start in range(0, resamples, _AT_ONCE):
            size = min(_AT_ONCE, resamples - start)
            drawn = random.integers(0, count, (size, count)) + count * np.arange(size)[:, None]
            times = np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count)
            parts.append(times @ shared.T / count)
        yield from zip(numbers, shared, np.concatenate(parts).T, strict=True)


def _difference(differences: FloatArray, means: FloatArray) -> Difference:
    """Return the difference with these resampled means."""
    low, high = np.quantile(means, _TAILS)
    # The sample itself counts as one more resample, so that p is never 0.
    side = min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0)) + 1
    p = min(1.0, 2 * side / (len(means) + 1))
    return Difference(float(differences.mean()), float(low), float(high), p, len(differences))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted for their number by Holm's step-down, in the order given.

    The i-th smallest of m, from 0 on, is multiplied by m - i; no adjusted p-value is less than that of a smaller one, or
    more than 1. Whoever takes those below 5 % for differences errs with even one of them in at most 5 % of cases, however
    the p-values depend on each other.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
    """
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for place, number in enumerate(sorted(range(len(p_values)), key=lambda number: p_values[number])):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[number]))
        adjusted[number] = least
    return adjusted


def questions_to_tell(differences: FloatArray) -> int | None:
    """Return how many questions it would take to tell a mean difference as large as that of these, shape (questions,).

    For a two-sided test at 5 % that tells it with a chance of 80 %, by the normal approximation:
    n = ((z_0.975 + z_0.8) s / d)², with d the mean of the paired differences and s their standard deviation (of a sample,
    with n - 1 in the denominator), undefined ones left out.
    Returns None if d is 0, or there are fewer than `FEWEST` questions; never fewer than `FEWEST`.

    Source: Lachin, Introduction to sample size determination and power analysis for clinical trials, Controlled Clinical
    Trials 2 (1981), the paired difference of means.
    """
    kept = differences[~np.isnan(differences)]
    if len(kept) < FEWEST or abs(kept.mean()) < 1e-12:
        return None
    normal = NormalDist()
    quantiles = normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(POWER)
    return max(FEWEST, ceil((quantiles * float(kept.std(ddof=1)) / float(kept.mean())) ** 2))


def interval(values: FloatArray, seed: int = 0) -> tuple[float, float] | None:
    """Return the interval that holds 95 % of the resampled means of a measure, undefined values left out.

    Returns None with fewer than `FEWEST` questions.
    """
    kept = values[~np.isnan(values)]
    if len(kept) < FEWEST:
        return None
    low, high = np.quantile(_resampled_means(kept, seed), _TAILS)
    return float(low), float(high)


def interval_all(rows: FloatArray, seed: int = 0) -> list[tuple[float, float] | None]:
    """Return what `interval` would of each of many measures, shape (measures, questions), at much less cost."""
    found: list[tuple[float, float] | None] = [None] * len(rows)
    for number, _, means in _all_resampled_means(rows, seed, RESAMPLES):
        low, high = np.quantile(means, _TAILS)
        found[number] = float(low), float(high)
    return found


def _resampled_means(values: FloatArray, seed: int) -> FloatArray:
    """Return the means of `RESAMPLES` samples, each with as many values as ``values``, shape (RESAMPLES,)."""
    random = np.random.default_rng(seed)
    count = len(values)
    parts = [values[random.integers(0, count, (_AT_ONCE, count))].mean(axis=1) for _ in range(RESAMPLES // _AT_ONCE)]
    return np.concatenate(parts)
