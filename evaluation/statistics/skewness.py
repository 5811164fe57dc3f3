"""Test and interval of a mean whose values are skewed: Student's statistic with its skewness removed.

A few skewed values mostly lack the rare ones far from 0, so that their mean is too close to the common ones and their spread
too small. With n values, their mean m, standard deviation s and sample skewness g, and t = √n (m - μ) / s,

    h(t) = t + g (2 t² + 1) / (6 √n) + g² t³ / (27 n)

is closer to a standard normal variable than t. It increases with t, so the means that its test does not reject are an
interval, whose ends are known in closed form.

Source: Hall, On the removal of skewness by transformation, Journal of the Royal Statistical Society B 54 (1992). Without the
cubic term it is the test of Johnson, Modified t tests and confidence intervals for asymmetrical populations, Journal of the
American Statistical Association 73 (1978).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cbrt, erfc, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from chunkers.arrays import FloatArray


class SkewedMean(NamedTuple):
    """The mean of a sample, as its test and interval need it.

    Attributes
    ----------
    mean
        The sample's.
    error
        Its standard error; 0 where all values are equal.
    bend
        The sample skewness divided by the root of the sample's size.
    """

    mean: float
    error: float
    bend: float

    def tails(self) -> tuple[float, float]:
        """Return the one-sided p-values of a true mean of at most 0, and of at least 0."""
        if not self.error:
            return float(self.mean <= 0), float(self.mean >= 0)
        t = self.mean / self.error
        h = t + self.bend * (2 * t * t + 1) / 6 + self.bend**2 * t**3 / 27
        return erfc(h / sqrt(2)) / 2, erfc(-h / sqrt(2)) / 2

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the interval of the means that a two-sided test at level ``alpha`` does not reject."""
        z = NormalDist().inv_cdf(1 - alpha / 2)
        return self.mean - self.error * self._t_where_h_is(z), self.mean - self.error * self._t_where_h_is(-z)

    def _t_where_h_is(self, value: float) -> float:
        """Return the inverse of h, in a form that subtracts no nearly equal numbers."""
        rest = value - self.bend / 6
        root = cbrt(1 + self.bend * rest)
        return 3 * rest / (root * root + root + 1)


def skewed_means(rows: FloatArray) -> Iterator[SkewedMean]:
    """Yield the mean of each row of at least three values, shape (samples, values)."""
    count = rows.shape[1]
    # Cubes of very small values would vanish.
    scale = np.abs(rows).max(axis=1, initial=0)
    scale[scale == 0] = 1
    scaled = rows / scale[:, None]
    means = scaled.mean(axis=1)
    away = scaled - means[:, None]
    squares = away * away
    variances = squares.sum(axis=1) / (count - 1)
    # As products, the cubes of negative values are exactly the negative ones.
    cubes = (squares * away).sum(axis=1) * count / ((count - 1) * (count - 2))
    skewness = np.divide(cubes, variances**1.5, out=np.zeros(len(rows)), where=variances > 0)
    errors = np.sqrt(variances / count)
    yield from map(SkewedMean, (means * scale).tolist(), (errors * scale).tolist(), (skewness / sqrt(count)).tolist())
