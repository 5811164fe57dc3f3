"""The best partition of a sequence into runs of bounded length, by dynamic programming, and what each cut gains.

A run is rewarded with the sum, over its ordered pairs of pieces, of their similarity less the mean similarity of all pairs.
Time and memory grow with the number of pieces times the longest run; no matrix of all pairs is made. The functions are
compiled: they are loops in which every step needs the one before.
"""

from __future__ import annotations

import numpy as np

from chunkers.arrays import FloatArray, IntArray, VectorArray
from chunkers.building_blocks.compiled import compiled

NOISE = 1e-6
"""The rounding error of single precision in a similarity equal to the mean; it must not decide a tie."""


@compiled("float32(float32[::1], float32[::1])", any_order=True)
def similarity(left: VectorArray, right: VectorArray) -> np.float32:
    """Return the product of two vectors, in single precision."""
    total = np.float32(0)
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@compiled("float64(float32[:, ::1])", any_order=True)
def mean_similarity(vectors: VectorArray) -> float:
    """Return the mean of e_i · e_j over all pairs i ≠ j of at least two rows, from |Σ e|² = Σ_ij e_i · e_j."""
    count, width = vectors.shape
    total = np.zeros(width)
    own = 0.0
    for row in range(count):
        own += float(similarity(vectors[row], vectors[row]))
        for i in range(width):
            total[i] += vectors[row, i]
    mean: float = ((total * total).sum() - own) / (count * (count - 1))
    return mean


@compiled("float64[:, ::1](float32[:, ::1], int64)")
def run_rewards(vectors: VectorArray, longest: int) -> FloatArray:
    """Return the reward of the run of k + 1 pieces that begins at piece i, shape (n, longest); -inf beyond the end."""
    count = len(vectors)
    rewards = np.full((count, longest), -np.inf)
    rewards[:, 0] = 0.0
    mean = mean_similarity(vectors) if count > 1 else 0.0
    for first in range(count - 2, -1, -1):
        # The pairs of a run are those of the run that begins one piece later, and its first piece's with each of the others.
        with_first = 0.0
        for k in range(1, min(longest, count - first)):
            above = float(similarity(vectors[first], vectors[first + k])) - mean
            if abs(above) >= NOISE:
                with_first += above
            rewards[first, k] = rewards[first + 1, k - 1] + 2 * with_first
    return rewards


@compiled("float64[::1](float64[:, ::1])")
def best_totals(rewards: FloatArray) -> FloatArray:
    """Return the greatest total reward of the pieces from i on, for i = 0..n."""
    count, longest = rewards.shape
    totals = np.zeros(count + 1)
    for i in range(count - 1, -1, -1):
        totals[i] = max([rewards[i, k] + totals[i + k + 1] for k in range(min(longest, count - i))])
    return totals


@compiled("int64[::1](float64[:, ::1], float64[::1])")
def best_cuts(rewards: FloatArray, totals: FloatArray) -> IntArray:
    """Return the pieces that begin a run of the best partition, except the first; ties take the shorter run."""
    count = len(rewards)
    cuts = np.empty(count, np.int64)
    found = at = 0
    while at < count:
        k = 0
        while rewards[at, k] + totals[at + k + 1] < totals[at]:
            k += 1
        at += k + 1
        cuts[found] = at
        found += 1
    return cuts[: max(found - 1, 0)]


@compiled("float64[::1](float64[:, ::1], float64[::1])")
def cut_gains(rewards: FloatArray, totals: FloatArray) -> FloatArray:
    """Return what a cut before piece p = 1..n-1 adds to the best total of the partitions without it, shape (n - 1,).

    It is above 0 at the cuts of the one best partition, below 0 elsewhere, and 0 where both are as good; +inf where every
    partition has to cut.
    """
    count, longest = rewards.shape
    before = np.full(count + 1, -np.inf)
    before[0] = 0.0
    without = np.full(count + 1, -np.inf)
    for first in range(count):
        best = -np.inf
        # The best total through the run of k + 1 pieces or more from here: those are the runs that span first + k.
        for k in range(min(longest, count - first) - 1, -1, -1):
            until = before[first] + rewards[first, k]
            before[first + k + 1] = max(before[first + k + 1], until)
            best = max(best, until + totals[first + k + 1])
            if k > 0:
                without[first + k] = max(without[first + k], best)
    return (before + totals - without)[1:count]
