"""The best partition of a sequence into runs of bounded length, by dynamic programming, and what each cut gains.

A run is rewarded with the sum, over its ordered pairs of pieces, of their similarity less the mean similarity of all pairs.
Time and memory grow with the number of pieces times the longest run; no matrix of all pairs is made.
"""

from __future__ import annotations

from collections import deque
from operator import add

import numpy as np
import numpy.typing as npt

from chunkers.distances import FloatArray

BLOCK = 16
"""Rows multiplied at once with the rows after them: enough for the matrix product, few products in vain."""

NOISE = 1e-6
"""What single precision leaves of a similarity that equals the mean; it must not decide a tie."""


def mean_similarity(vectors: npt.NDArray[np.float32]) -> float:
    """Return the mean of e_i · e_j over all pairs i ≠ j of at least two rows, from |Σ e|² = Σ_ij e_i · e_j."""
    count = len(vectors)
    total = vectors.sum(axis=0, dtype=np.float64)
    return float((total @ total - np.vdot(vectors, vectors)) / (count * (count - 1)))


def following_similarities(vectors: npt.NDArray[np.float32], width: int) -> FloatArray:
    """Return e_i · e_(i+j) for j = 1..width, shape (n, width); 0 beyond the last row."""
    count = len(vectors)
    band = np.zeros((count, width))
    whole = max(0, (count - width) // BLOCK)
    rows, columns = vectors.strides
    left = vectors[: whole * BLOCK].reshape(whole, BLOCK, vectors.shape[1])
    right = np.lib.stride_tricks.as_strided(
        vectors, (whole, BLOCK + width, vectors.shape[1]), (BLOCK * rows, rows, columns), writeable=False
    )
    band[: whole * BLOCK] = _diagonals(left @ right.transpose(0, 2, 1), width).reshape(whole * BLOCK, width)
    rest = np.zeros((1, count - whole * BLOCK + width, vectors.shape[1]), vectors.dtype)
    rest[0, : -width or None] = vectors[whole * BLOCK :]
    products = rest[:, : count - whole * BLOCK] @ rest.transpose(0, 2, 1)
    band[whole * BLOCK :] = _diagonals(products, width)[0]
    return band


def _diagonals(products: npt.NDArray[np.float32], width: int) -> npt.NDArray[np.float32]:
    """Return ``products[b, i, i + 1 + j]`` for j below ``width``, shape (blocks, rows, width)."""
    blocks, rows, _ = products.shape
    block, row, column = products.strides
    return np.lib.stride_tricks.as_strided(
        products[:, :, 1:], (blocks, rows, width), (block, row + column, column), writeable=False
    )


def run_rewards(vectors: npt.NDArray[np.float32], longest: int) -> FloatArray:
    """Return the reward of the run of k + 1 pieces that begins at piece i, shape (n, longest); -inf beyond the end."""
    count = len(vectors)
    rewards = np.full((count, longest), -np.inf)
    rewards[:, 0] = 0.0
    if longest == 1 or count < 2:
        return rewards
    above = following_similarities(vectors, longest - 1) - mean_similarity(vectors)
    above[np.abs(above) < NOISE] = 0.0
    # The pairs of a run are those of the run that begins one piece later, and its first piece's with each of the others.
    first = 2 * np.cumsum(above, axis=1)
    for length in range(1, min(longest, count)):
        rewards[: count - length, length] = rewards[1 : count - length + 1, length - 1] + first[: count - length, length - 1]
    return rewards


def best_totals(rewards: FloatArray) -> list[float]:
    """Return the greatest total reward of the pieces from i on, for i = 0..n."""
    window = deque([0.0] * rewards.shape[1], maxlen=rewards.shape[1])
    totals = [0.0]
    for row in rewards[::-1].tolist():
        total = max(map(add, row, window))
        window.appendleft(total)
        totals.append(total)
    return totals[::-1]


def best_cuts(rewards: FloatArray, totals: list[float]) -> list[int]:
    """Return the pieces that begin a run of the best partition, but for the first; a tie takes the shorter run."""
    count, longest = rewards.shape
    later = np.concatenate([totals[1:], np.zeros(longest)])
    windows = np.lib.stride_tricks.sliding_window_view(later, longest)[:count]
    lengths = (1 + np.argmax(rewards + windows, axis=1)).tolist()
    cuts = []
    at = lengths[0] if lengths else 0
    while at < count:
        cuts.append(at)
        at += lengths[at]
    return cuts


def cut_gains(rewards: FloatArray, totals: list[float]) -> FloatArray:
    """Return what a cut before piece p, p = 1..n-1, adds to the best total of all partitions without it, shape (n - 1,).

    It is above 0 at the cuts of the one best partition, below 0 elsewhere, and 0 where both are as good; +inf where every
    partition has to cut.
    """
    count, longest = rewards.shape
    before = np.array(best_totals(_by_end(rewards)))[::-1]
    after = np.array(totals)
    # The best total through the run that begins at i with k + 1 pieces or more, then the best of those that span p.
    through = before[:-1, None] + rewards
    for length in range(min(longest, count)):
        through[: count - length, length] += after[length + 1 :]
    through = np.maximum.accumulate(through[:, ::-1], axis=1)[:, ::-1]
    spanning = np.full(count, -np.inf)
    for distance in range(1, min(longest, count)):
        np.maximum(spanning[distance:], through[:-distance, distance], out=spanning[distance:])
    return np.asarray((before[:-1] + after[:-1] - spanning)[1:])


def _by_end(rewards: FloatArray) -> FloatArray:
    """Return the rewards of the mirrored sequence, whose runs begin where ours end."""
    count, longest = rewards.shape
    mirrored = np.full_like(rewards, -np.inf)
    for length in range(min(longest, count)):
        mirrored[: count - length, length] = rewards[: count - length, length][::-1]
    return mirrored
