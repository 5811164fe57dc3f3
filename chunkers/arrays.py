"""The types of arrays, once for all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
"""Numbers that are computed with: distances, scores, joint distances."""

VectorArray = npt.NDArray[np.float32]
"""Embeddings as embedders give them and the cache keeps them, a row a text."""

IntArray = npt.NDArray[np.intp]
"""Counts and places."""
