"""Types of arrays."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
"""Numbers to compute with: distances, scores, joint distances."""

VectorArray = npt.NDArray[np.float32]
"""Embeddings as embedders return them and the cache keeps them, one row per text."""

IntArray = npt.NDArray[np.intp]
"""Counts and positions."""
