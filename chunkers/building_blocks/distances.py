"""Distances between neighbours, which the semantic chunkers share."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from chunkers.support.arrays import FloatArray

_ROWS_AT_ONCE = 4_096


def gap_distances(embeddings: npt.NDArray[np.floating]) -> FloatArray:
    """Return the cosine distance from each row to the next, from 0 to 2, shape (n - 1,).

    The computation uses double precision, so that a percentile that falls on a distance is equal to the distance.
    """
    distances = np.empty(max(0, len(embeddings) - 1))
    # A long text's vectors take gigabytes: only some of them are converted at a time.
    for start in range(0, len(distances), _ROWS_AT_ONCE):
        rows = embeddings[start : start + _ROWS_AT_ONCE + 1].astype(np.float64)
        distances[start : start + _ROWS_AT_ONCE] = 1.0 - row_cosines(rows[:-1], rows[1:])
    return distances


def row_cosines(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the cosine between corresponding rows of two matrices, shape (n,)."""
    if len(left) == 0 or len(right) == 0:
        return np.zeros(0)
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosines: FloatArray = np.einsum("ij,ij->i", left, right) / np.maximum(norms, 1e-12)
    return cosines


def buffered(sentences: Sequence[str], buffer: int) -> list[str]:
    """Join each sentence with the ``buffer`` sentences before and after it, separated by spaces, as LangChain does."""
    if buffer == 0:
        return list(sentences)
    return [" ".join(sentences[max(0, i - buffer) : i + buffer + 1]) for i in range(len(sentences))]
