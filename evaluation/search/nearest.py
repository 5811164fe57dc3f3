"""Exact search for the vectors nearest to others, in blocks."""

from __future__ import annotations

import numpy as np

from chunkers.support.arrays import FloatArray, IntArray, VectorArray

BLOCK = 8192
"""Number of chunks compared in one block."""

ROUNDING = 2e-6
"""Tolerance for equal products in single precision: each was off by 6e-7 at most, over 384 to 4,096 numbers."""


def nearest(queries: VectorArray, vectors: VectorArray, count: int, block: int = BLOCK) -> IntArray:
    """Return the indices of the vectors with the greatest dot products with each query, best first.

    The result has shape (queries, min(count, rows)).

    The result is exact, and ties go to the earlier row. ``vectors`` are compared ``block`` rows at a time; the block size
    does not affect the result, since `settled` recomputes near-ties.
    """
    count = min(count, len(vectors))
    scores = np.zeros((len(queries), 0))
    rows = np.zeros((len(queries), 0), np.intp)
    for start in range(0, len(vectors), block):
        part = queries @ vectors[start : start + block].T
        scores = np.hstack([scores, part])
        rows = np.hstack([rows, np.broadcast_to(np.arange(start, start + part.shape[1]), part.shape)])
        keep = min(count, scores.shape[1])
        limit = -np.partition(-scores, keep - 1, axis=1)[:, keep - 1]
        chosen = np.empty((len(queries), keep), np.intp)
        for query, line in enumerate(scores):
            candidates = np.flatnonzero(line >= limit[query] - ROUNDING)
            line[candidates] = settled(line[candidates], rows[query, candidates], queries[query], vectors)
            chosen[query] = candidates[np.argsort(-line[candidates], kind="stable")][:keep]
        scores, rows = np.take_along_axis(scores, chosen, axis=1), np.take_along_axis(rows, chosen, axis=1)
    return rows


def settled(scores: FloatArray, rows: IntArray, query: VectorArray, vectors: VectorArray) -> FloatArray:
    """Return the scores with near-ties recomputed, so that rounding errors cannot change the ranking.

    The last digits of a matrix product depend on the position of a row and on the other queries. Without this function, two
    copies of the same text could come in any order.
    """
    order = np.argsort(scores)
    near = np.flatnonzero(np.diff(scores[order]) <= ROUNDING)
    if not len(near):
        return scores
    doubtful = order[np.union1d(near, near + 1)]
    # Row by row, and not as a product of matrices: equal rows have equal sums.
    settled = scores.copy()
    settled[doubtful] = (vectors[rows[doubtful]].astype(float) * query).sum(axis=1)
    return settled
