"""The best partition of a sequence into runs of bounded length, by dynamic programming, and the gain of each cut.

A run is rewarded with the sum, over its ordered pairs of pieces, of their similarity less the mean similarity of all pairs.
Time and memory grow with the number of pieces times the longest run; no matrix of all pairs is made.
"""

from __future__ import annotations

import numpy as np

from chunkers.support.arrays import FloatArray, IntArray, VectorArray

NOISE = 1e-6
"""The rounding error of single precision in a similarity equal to the mean; it must not decide a tie."""

_BLOCK = 256
"""Pieces whose similarities are computed at a time; a larger block of them leaves the processor's caches."""


def mean_similarity(vectors: VectorArray) -> float:
    """Return the mean dot product over all pairs of different rows; at least two rows are required."""
    count = len(vectors)
    total = vectors.sum(axis=0, dtype=np.float64)
    own = float(np.einsum("ij,ij->i", vectors, vectors).sum(dtype=np.float64))
    return (float(total @ total) - own) / (count * (count - 1))


def run_rewards(vectors: VectorArray, longest: int) -> FloatArray:
    """Return the reward of each run of 1 to ``longest`` pieces by start, shape (n, longest); -inf for runs past the end."""
    count = len(vectors)
    rewards = np.full((count, longest), -np.inf)
    rewards[:, 0] = 0.0
    mean = mean_similarity(vectors) if count > 1 else 0.0
    for start in reversed(range(0, count, _BLOCK)):
        # The pairs of a run are those of the run that begins one piece later, and its first piece's with each of the others.
        with_first = np.cumsum(_above(vectors, mean, start, longest), axis=1)
        for first in range(min(start + _BLOCK, count - 1) - 1, start - 1, -1):
            reach = min(longest, count - first)
            rewards[first, 1:reach] = rewards[first + 1, : reach - 1] + 2 * with_first[first - start, : reach - 1]
    return rewards


def _above(vectors: VectorArray, mean: float, start: int, longest: int) -> FloatArray:
    """Return the similarities of each piece to the pieces after it minus the mean, shape (block, longest - 1).

    Each product is added up in the same order wherever its pieces are, as no product of matrices promises: of pieces that
    are repeated, all must have the same.
    """
    stop = min(start + _BLOCK, len(vectors))
    above = np.zeros((stop - start, longest - 1))
    for k in range(1, min(longest, len(vectors) - start)):
        last = min(stop, len(vectors) - k)
        above[: last - start, k - 1] = np.einsum("ij,ij->i", vectors[start:last], vectors[start + k : last + k])
        above[: last - start, k - 1] -= mean
    above[abs(above) < NOISE] = 0.0
    return above


def best_totals(rewards: FloatArray) -> FloatArray:
    """Return, for each i from 0 to n, the greatest total reward of the pieces from i to the end, shape (n + 1,)."""
    count, longest = rewards.shape
    totals = np.zeros(count + 1)
    for i in range(count - 1, -1, -1):
        reach = min(longest, count - i)
        totals[i] = (rewards[i, :reach] + totals[i + 1 : i + 1 + reach]).max()
    return totals


def best_cuts(rewards: FloatArray, totals: FloatArray) -> IntArray:
    """Return the index of the first piece of each run but the first in the best partition; ties take the shorter run."""
    count, longest = rewards.shape
    cuts = []
    at = 0
    while at < count:
        reach = min(longest, count - at)
        at += 1 + int(np.argmax(rewards[at, :reach] + totals[at + 1 : at + 1 + reach] >= totals[at]))
        cuts.append(at)
    return np.array(cuts[:-1], dtype=np.intp)


def cut_gains(rewards: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the gain in total reward from a cut before each piece from 1 to n - 1, shape (n - 1,).

    A gain is above 0 at the cuts of a unique best partition, below 0 elsewhere, and 0 if cutting and not cutting are
    equally good; +inf where every partition must cut.
    """
    count, longest = rewards.shape
    before = np.full(count + 1, -np.inf)
    before[0] = 0.0
    without = np.full(count + 1, -np.inf)
    for first in range(count):
        reach = min(longest, count - first)
        until = before[first] + rewards[first, :reach]
        ends = slice(first + 1, first + 1 + reach)
        np.maximum(before[ends], until, out=before[ends])
        # The best total through the run of k + 1 pieces or more from here: those are the runs that span first + k.
        best = np.maximum.accumulate((until + totals[ends])[::-1])[::-1]
        spanned = slice(first + 1, first + reach)
        np.maximum(without[spanned], best[1:], out=without[spanned])
    return (before + totals - without)[1:count]
