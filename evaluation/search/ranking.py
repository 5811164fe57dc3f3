"""Rankings of chunks for one question: by embeddings, by words, and both fused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from chunkers.support.arrays import FloatArray, IntArray, VectorArray
from chunkers.support.errors import InputError, shown
from evaluation.search.nearest import nearest

Method = Literal["embedding", "bm25", "hybrid"]

METHODS: tuple[Method, ...] = ("embedding", "bm25", "hybrid")


def checked_method(method: object) -> Method:
    """Return ``method`` if it is a valid search method. Raise InputError otherwise."""
    for known in METHODS:
        if known == method:
            return known
    raise InputError(f"The search method must be one of {', '.join(METHODS)}; got {shown(method)}.")


RRF_K = 60
"""The constant of reciprocal rank fusion, as its authors chose it."""


class Ranking(NamedTuple):
    """Chunk numbers, best first, with their scores; chunks without a score are left out."""

    order: IntArray
    scores: FloatArray

    def places(self) -> dict[int, int]:
        """Return each chunk's rank, counted from 1, by chunk number."""
        return {int(chunk): rank for rank, chunk in enumerate(self.order, start=1)}


def by_embedding(query: VectorArray, vectors: VectorArray) -> Ranking:
    """Rank all chunks by their exact cosine with the question's unit vector, shape (dimension,)."""
    if not len(vectors):
        return Ranking(np.zeros(0, np.intp), np.zeros(0))
    order = nearest(query[np.newaxis], vectors, len(vectors))[0]
    return Ranking(order, np.asarray(vectors[order] @ query, dtype=float))


def by_score(scores: FloatArray) -> Ranking:
    """Rank the chunks that have a positive score, best first.

    ``scores`` has shape (chunks,). Ties go to the earlier chunk.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > 0]
    return Ranking(order, scores[order])


def fused(rankings: Sequence[Ranking], count: int) -> Ranking:
    """Combine rankings by reciprocal rank fusion: a chunk's score is the sum of 1 / (60 + rank).

    ``count`` is the number of chunks.

    Cormack, Clarke and Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
    SIGIR, with their k of 60. Ties go to the earlier chunk.
    """
    scores = np.zeros(count)
    for ranking in rankings:
        scores[ranking.order] += 1 / (RRF_K + np.arange(1, len(ranking.order) + 1))
    return by_score(scores)


def reranked(ranking: Ranking, scores: FloatArray) -> Ranking:
    """Reorder the first chunks of a ranking by their new ``scores``, and keep the others in their order.

    The scores of the other chunks become NaN, since they are in another unit.
    """
    count = len(scores)
    order = np.argsort(-scores, kind="stable")
    without_score = np.full(len(ranking.order) - count, np.nan)
    return Ranking(
        np.concatenate([ranking.order[:count][order], ranking.order[count:]]), np.concatenate([scores[order], without_score])
    )
