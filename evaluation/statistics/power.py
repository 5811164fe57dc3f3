"""Number of questions that a difference would need to become significant."""

from __future__ import annotations

from math import ceil
from statistics import NormalDist

import numpy as np

from chunkers.support.arrays import FloatArray
from evaluation.statistics.significance import FEWEST, LEVEL

POWER = 0.8
"""The chance that a difference is significant with as many questions as `questions_needed` says."""


def questions_needed(differences: FloatArray) -> int | None:
    """Return the number of questions needed to detect a mean paired difference with a power of 80 %.

    For a two-sided test at 5 % with a power of 80 %, by the normal approximation:
    n = ((z_0.975 + z_0.8) s / d)², with d the mean of the paired differences and s their standard deviation (of a sample,
    with n - 1 in the denominator), undefined ones left out.
    Returns None if d is 0 or there are fewer than `FEWEST` questions. The result is at least `FEWEST`.

    Source: Lachin, Introduction to sample size determination and power analysis for clinical trials, Controlled Clinical
    Trials 2 (1981), the paired difference of means.
    """
    kept = differences[~np.isnan(differences)]
    if len(kept) < FEWEST or abs(kept.mean()) < 1e-12:
        return None
    normal = NormalDist()
    quantiles = normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(POWER)
    return max(FEWEST, ceil((quantiles * float(kept.std(ddof=1)) / float(kept.mean())) ** 2))
