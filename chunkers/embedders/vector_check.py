"""The check that all embeddings pass: valid output becomes unit vectors, anything else an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkers.support.arrays import VectorArray
from chunkers.support.errors import InputError, ModelError, shown
from chunkers.support.limits import MOST_VECTOR_NUMBERS
from chunkers.support.numbers import counted

LENGTH_TOLERANCE = 0.01
"""Accepted deviation of a vector's length from 1; rounding to half precision stays below it."""

_EXACT = 1e-6
"""Deviation from length 1 up to which a vector is left unscaled; vectors scaled in single precision stay below it."""


def check_size(name: str, texts: int, dimension: int) -> None:
    """Raise InputError if the vectors of ``texts`` texts would exceed the memory limit."""
    if texts * dimension > MOST_VECTOR_NUMBERS:
        raise InputError(
            f"{name}: texts × dimensions must be at most {MOST_VECTOR_NUMBERS:,}, because all vectors are in memory at "
            f"once; this text has {texts:,} × {dimension:,}. Divide the document, or choose an embedder with fewer "
            "dimensions."
        )


def checked_vectors(name: str, given: object, texts: Sequence[str]) -> VectorArray:
    """Check an embedder's output and return unit vectors in single precision, shape (len(texts), dimension).

    Arrays and tensors of any numeric type, lists of numbers and lists of such rows are converted. A vector of length
    about 1, as in half precision, is scaled to length 1. A row of zeros is kept, and stands for a text without known
    tokens.

    Raises
    ------
    ModelError
        If the output is not one row of finite numbers per text, all of the same dimension and of length 1 or 0; the
        message begins with ``name`` and says what was returned instead.
    """
    vectors = _array(name, given)
    if vectors.ndim != 2:
        raise ModelError(
            f"{name}: encode must return a two-dimensional array, with one row for each text; it returned an array of "
            f"shape {vectors.shape}."
        )
    if len(vectors) != len(texts):
        raise ModelError(
            f"{name}: encode must return one row for each text; it returned {counted(len(vectors), 'row')} for "
            f"{counted(len(texts), 'text')}."
        )
    if not vectors.shape[1]:
        raise ModelError(f"{name}: encode must return at least one number for each text; it returned empty rows.")
    if not np.isfinite(vectors).all():
        row, column = np.argwhere(~np.isfinite(vectors))[0]
        raise ModelError(
            f"{name}: encode must return finite numbers; for the text {shown(texts[row])} it returned "
            f"{vectors[row, column]}."
        )
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(vectors.astype(np.float64, copy=False), axis=1)
    # The largest finite numbers have no finite length.
    off = np.abs(lengths - 1)
    wrong = np.flatnonzero((off > LENGTH_TOLERANCE) & (lengths > 0))
    if len(wrong):
        row = wrong[0]
        raise ModelError(
            f"{name}: encode must return vectors of length 1, or zeros for a text without known words; the vector of "
            f"{shown(texts[row])} has length {lengths[row]:.4g}. Divide every vector by its length."
        )
    inexact = np.flatnonzero((off > _EXACT) & (lengths > 0))
    if len(inexact):
        vectors = vectors.astype(np.float64)
        vectors[inexact] /= lengths[inexact, None]
    return np.ascontiguousarray(vectors, dtype=np.float32)


def _array(name: str, given: object) -> np.ndarray[Any, np.dtype[Any]]:
    """Convert the output of an embedder to an array of real numbers."""
    try:
        array = np.asarray(_without_torch(given))
        if array.dtype == object:
            # A list of tensors or of arrays; those of different dimensions make no array.
            rows = [np.asarray(_without_torch(row)) for row in _rows(given)]
            array = np.stack(rows) if rows else np.empty((0, 1))
    except (TypeError, ValueError, AttributeError, RuntimeError):
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fiu":
        raise ModelError(
            f"{name}: encode must return one row of numbers for each text, all of the same dimensions, as an array, a "
            f"tensor or lists; it returned {shown(given)}."
        )
    return array


def _rows(given: object) -> list[Any]:
    if not isinstance(given, list | tuple | np.ndarray):
        raise TypeError
    return list(given)


def _without_torch(given: Any) -> Any:
    """Return a tensor of torch as an array, without importing torch: anything else as it is."""
    if isinstance(given, list | tuple) and given and hasattr(given[0], "detach"):
        return [_without_torch(row) for row in given]
    if not hasattr(given, "detach"):
        return given
    # NumPy has no bfloat16, and reads neither gradients nor another device's memory.
    tensor = given.detach().cpu()
    return (tensor.float() if tensor.is_floating_point() else tensor).numpy()
