"""Differences of a statistic that is no mean, such as F1 over the sections of a text: the test that swaps sections.

What each of two chunkers does in a section is swapped, as if both were one chunker; p is the share of swaps whose difference
is at least the observed one (the paired permutation test: Noreen, Computer-Intensive Methods for Testing Hypotheses, 1989).
For a mean this is the sign-flip test of `evaluation.statistics.paired`. The interval is the observed difference plus and
minus the one that would just be significant.
"""

from collections.abc import Callable, Sequence
from math import ceil, sqrt

import numpy as np

from chunkers.support.arrays import FloatArray, IntArray
from evaluation.statistics.paired import Difference, largest_share, subsets_of
from evaluation.statistics.significance import Corrected, draws_for, fewest_values, holm, students_t

Statistic = Callable[[FloatArray], FloatArray]
"""From summed counts, shape (..., k), to values, shape (...)."""

_ROUNDING = 1e-12


def swap_all(
    counts: Sequence[IntArray], pairs: Sequence[tuple[int, int]], statistic: Statistic, width: float = 1.0, seed: int = 0
) -> list[Difference | None]:
    """Test differences between chunkers for significance by swapping text sections between them.

    The difference is in a statistic of counts summed over the sections.

    If up to 16 sections differ, all swaps are tried; with more, at least 10,000 random ones. Equal seeds give equal results.

    Parameters
    ----------
    counts
        Counts in every section for each chunker, shape (sections, k).
    pairs
        Numbers of the two chunkers of each comparison.
    width
        The largest possible difference.

    Returns
    -------
    The difference for each comparison; None if there are too few sections for significance.
    """
    sections = len(counts[0]) if counts else 0
    if not pairs or sections < fewest_values(len(pairs)):
        return [None] * len(pairs)
    sums = [table.sum(axis=0) for table in counts]
    observed = [float(statistic(sums[one]) - statistic(sums[other])) for one, other in pairs]
    gaps = np.stack([counts[other] - counts[one] for one, other in pairs]).astype(float)
    differences = _swapped(gaps, [(sums[one], sums[other]) for one, other in pairs], statistic, seed)
    total = differences.shape[1]
    far = [np.abs(difference) - _ROUNDING <= swapped for difference, swapped in zip(observed, differences, strict=True)]
    p_values = [float(np.count_nonzero(mask)) / total for mask in far]
    outcomes: list[Difference | None] = []
    for number, corrected in enumerate(holm(p_values)):
        place = total - ceil(corrected.alpha * total)
        critical = float(np.partition(differences[number], place)[place])
        floor = _floor(gaps[number], width, corrected.alpha)
        low, high = _interval(observed[number], critical, floor, corrected, width)
        outcomes.append(
            Difference(observed[number], low, high, p_values[number], corrected.p, corrected.alpha, sections, len(pairs))
        )
    return outcomes


def _swapped(gaps: FloatArray, sums: Sequence[tuple[IntArray, IntArray]], statistic: Statistic, seed: int) -> FloatArray:
    """Return the absolute differences of every pair in all swaps, shape (pairs, swaps), one without any swap among them."""
    # Where no pair differs, a swap changes nothing.
    gaps = gaps[:, gaps.any(axis=(0, 2))]
    pairs, sections, k = gaps.shape
    moves = gaps.transpose(1, 0, 2).reshape(sections, pairs * k)
    parts = []
    for swaps in subsets_of(sections, draws_for(pairs), seed):
        moved = (swaps @ moves).reshape(-1, pairs, k)
        parts.append(
            [
                np.abs(statistic(one + moved[:, number]) - statistic(other - moved[:, number]))
                for number, (one, other) in enumerate(sums)
            ]
        )
    return np.concatenate(parts, axis=1)


def _interval(observed: float, critical: float, floor: float, corrected: Corrected, width: float) -> tuple[float, float]:
    """Return the interval of a difference; where values are equal it has the width of ``floor``, as far as 0 permits."""
    if not corrected.significant:
        low = high = max(critical, floor, abs(observed))
    else:
        low = critical if observed > 0 else max(critical, floor)
        high = critical if observed < 0 else max(critical, floor)
    return max(-width, observed - low), min(width, observed + high)


def _floor(gaps: FloatArray, width: float, alpha: float) -> float:
    """Return half the width of Student's interval of equal values among which the largest differences are added."""
    count = len(gaps)
    unseen = width * largest_share(gaps)
    return students_t(1 - alpha / 2, count + 1) * unseen * sqrt(2 / ((count + 1) * (count + 2)))
