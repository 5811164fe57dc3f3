"""Exact search for the vectors nearest to others, in blocks."""

from __future__ import annotations

import numpy as np

from chunkers.arrays import IntArray, VectorArray

BLOCK = 8192
"""How many chunks are compared at once."""


def nearest(queries: VectorArray, vectors: VectorArray, count: int, block: int = BLOCK) -> IntArray:
    """Return the indices of the rows with the greatest products, best first, shape (queries, min(count, rows)).

    The result is exact; of equals the earlier row comes first. ``vectors`` are compared ``block`` rows at a time.
    """
    count = min(count, len(vectors))
    scores = np.zeros((len(queries), 0), np.float32)
    rows = np.zeros((len(queries), 0), np.intp)
    for start in range(0, len(vectors), block):
        part = queries @ vectors[start : start + block].T
        scores = np.hstack([scores, part])
        rows = np.hstack([rows, np.broadcast_to(np.arange(start, start + part.shape[1]), part.shape)])
        keep = min(count, scores.shape[1])
        limit = -np.partition(-scores, keep - 1, axis=1)[:, keep - 1]
        chosen = np.empty((len(queries), keep), np.intp)
        for query, line in enumerate(scores):
            candidates = np.flatnonzero(line >= limit[query])
            chosen[query] = candidates[np.argsort(-line[candidates], kind="stable")][:keep]
        scores, rows = np.take_along_axis(scores, chosen, axis=1), np.take_along_axis(rows, chosen, axis=1)
    return rows
