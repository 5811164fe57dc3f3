"""The best partition of a sequence into runs of bounded length, by dynamic programming, and the gain of each cut.

A run is rewarded with the sum, over its ordered pairs of pieces, of their similarity less the mean similarity of all pairs.
Time and memory grow with the number of pieces times the longest run; no matrix of all pairs is made.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, eq=False)
class PartitionTable:
    """The best partitions of the first i pieces, for each i from 0 to n: the table of the dynamic program.

    Attributes
    ----------
    rewards
        Reward of each run by start and length, shape (n, longest); -inf where there is no such run.
    totals
        Greatest total reward of the first i pieces, shape (n + 1,).
    lasts
        First piece of the last run in the best partition of the first i pieces, shape (n + 1,).
    """

    rewards: FloatArray
    totals: FloatArray
    lasts: IntArray

    @classmethod
    def filled(cls, rewards: FloatArray) -> PartitionTable:
        """Fill the table from left to right; of equally good last runs, it takes the shortest."""
        count = len(rewards)
        totals, lasts = np.full(count + 1, -np.inf), np.zeros(count + 1, np.intp)
        totals[0] = 0.0
        for first in range(count):
            until = totals[first] + rewards[first, : count - first]
            ends = slice(first + 1, first + 1 + len(until))
            better = until >= totals[ends]
            totals[ends][better] = until[better]
            lasts[ends][better] = first
        return cls(rewards, totals, lasts)

    def cuts(self) -> IntArray:
        """Return the first piece of each run but the first in the best partition, read off from right to left."""
        cuts = []
        at = int(self.lasts[-1])
        while at:
            cuts.append(at)
            at = int(self.lasts[at])
        return np.array(cuts[::-1], dtype=np.intp)

    def last_runs(self, end: int) -> list[tuple[int, float]]:
        """Return each possible last run of the first ``end`` pieces, best first: its first piece and the total with it."""
        starts = np.arange(max(0, end - self.rewards.shape[1]), end)[::-1]
        totals = self.totals[starts] + self.rewards[starts, end - 1 - starts]
        order = np.argsort(-totals, kind="stable")
        return [(int(starts[at]), float(totals[at])) for at in order if totals[at] > -np.inf]

    def gains(self) -> FloatArray:
        """Return the gain in total reward from a cut before each piece from 1 to n - 1, shape (n - 1,).

        A gain is above 0 at the cuts of a unique best partition, below 0 elsewhere, and 0 if cutting and not cutting are
        equally good; +inf where every partition must cut.
        """
        count = len(self.rewards)
        after = np.zeros(count + 1)
        without = np.full(count + 1, -np.inf)
        for first in range(count - 1, -1, -1):
            runs = self.rewards[first, : count - first]
            following = runs + after[first + 1 : first + 1 + len(runs)]
            after[first] = following.max()
            # The best total through the run of k + 1 pieces or more from here: those are the runs that span first + k.
            best = np.maximum.accumulate((self.totals[first] + following)[::-1])[::-1]
            spanned = slice(first + 1, first + len(runs))
            np.maximum(without[spanned], best[1:], out=without[spanned])
        gains: FloatArray = (self.totals + after - without)[1:count]
        return gains
