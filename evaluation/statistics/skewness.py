"""Test of a mean whose values are skewed: Student's statistic with its skewness removed.

A few skewed values mostly lack the rare ones far from the others, so that their mean and their spread are both too small.
With n values, their mean m, standard deviation s and sample skewness g, and t = √n m / s,

    h = t + g (2 t² + 1) / (6 √n) + g² t³ / (27 n)

is closer to a standard normal variable than t, and grows with t.

Source: Hall, On the removal of skewness by transformation, Journal of the Royal Statistical Society B 54 (1992). Without the
cubic term it is the test of Johnson, Modified t tests and confidence intervals for asymmetrical populations, Journal of the
American Statistical Association 73 (1978).
"""

from __future__ import annotations

from math import erfc, sqrt
from typing import NamedTuple

import numpy as np

from chunkers.support.arrays import FloatArray

_CERTAIN = 1e9
"""Standard normal value whose tail is 0."""


class Sides(NamedTuple):
    """One-sided p-values of a sample's mean, against a true mean of at most 0 and of at least 0.

    Attributes
    ----------
    below
        The p-value of the null hypothesis that the true mean is 0 or below; small if the sample's mean is clearly above 0.
    above
        The p-value of the null hypothesis that the true mean is 0 or above; small if the sample's mean is clearly below 0.
    """

    below: float
    above: float


def skewed_sides(rows: FloatArray) -> list[Sides]:
    """Return Hall's one-sided p-values of the mean of each sample, a row of at least three values.

    ``rows`` has shape (samples, values).
    """
    count = rows.shape[1]
    # Cubes of very small values would vanish.
    scale = np.abs(rows).max(axis=1, initial=0, keepdims=True)
    scaled = rows / np.where(scale > 0, scale, 1)
    means = scaled.mean(axis=1)
    away = scaled - means[:, None]
    squares = away * away
    variances = squares.sum(axis=1) / (count - 1)
    # As products, the cubes of negative values are exactly the negative ones.
    cubes = (squares * away).sum(axis=1) * count / ((count - 1) * (count - 2))
    spread = variances > 0
    t = np.divide(means, np.sqrt(variances / count), out=_CERTAIN * np.sign(means), where=spread)
    bend = np.divide(cubes, variances**1.5 * sqrt(count), out=np.zeros(len(rows)), where=spread)
    h = t + bend * (2 * t * t + 1) / 6 + bend**2 * t**3 / 27
    return [Sides(erfc(z_score / sqrt(2)) / 2, erfc(-z_score / sqrt(2)) / 2) for z_score in h.tolist()]
