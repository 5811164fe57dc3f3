"""A cross-encoder from a folder of this machine, which reads the question together with each chunk."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chunkers.support.arrays import FloatArray
from chunkers.support.errors import ModelError
from chunkers.support.extras import need

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

RERANKED = 50
"""Number of best chunks passed to a cross-encoder, which takes time for each."""


class Reranker:
    """Local sentence-transformers cross-encoder, loaded on first use.

    Parameters
    ----------
    folder
        Folder of the model.
    """

    def __init__(self, folder: str) -> None:
        self.name = folder
        self._lock = threading.Lock()
        self._model: CrossEncoder | None = None

    def load(self) -> None:
        """Load the cross-encoder unless it is already loaded.

        Raises
        ------
        ModelError
            If the folder does not exist or contains no cross-encoder with one score per pair, or if a required package is
            missing.
        """
        with self._lock:
            if self._model is not None:
                return
            folder = Path(self.name).expanduser()
            if not folder.is_dir():
                raise ModelError(
                    f"{self.name}: a cross-encoder must be a folder on this machine; this folder does not exist. Check its "
                    "path."
                )
            need("models", f"{self.name}: a cross-encoder")
            from sentence_transformers import CrossEncoder

            try:
                model = CrossEncoder(str(folder.resolve()), trust_remote_code=False, local_files_only=True)
            except Exception as error:
                # Depending on what is in the folder, loading raises errors of any type.
                raise ModelError(
                    f"{self.name}: the folder must contain a cross-encoder of sentence-transformers without custom code; "
                    f"loading it failed with {type(error).__name__}. Choose another folder."
                ) from error
            if model.num_labels != 1:
                raise ModelError(
                    f"{self.name}: a cross-encoder must return one score for each pair of texts; this one returns "
                    f"{model.num_labels}. Choose another model."
                )
            self._model = model

    def scores(self, question: str, texts: Sequence[str]) -> FloatArray:
        """Return each text's relevance to the question, shape (texts,); higher is better.

        Raises the same errors as `load`.
        """
        self.load()
        if not texts:
            return np.zeros(0)
        with self._lock:
            assert self._model is not None
            given = self._model.predict([(question, text) for text in texts], show_progress_bar=False)
        scores = np.asarray(given, dtype=float)
        if scores.shape != (len(texts),) or not np.isfinite(scores).all():
            raise ModelError(
                f"{self.name}: a cross-encoder must return one finite score for each pair of texts; this one does not. "
                "Choose another model."
            )
        return scores
