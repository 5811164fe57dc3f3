"""The word vectors of an installed spaCy pipeline."""

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkers.embedders.base import Embedder, unit
from chunkers.support.arrays import VectorArray
from chunkers.support.errors import InputError, ModelError
from chunkers.support.limits import MAX_PARAGRAPH
from chunkers.text.sentences import check_paragraph, load_pipeline, spacy_document

if TYPE_CHECKING:
    from spacy.language import Language


class SpacyVectors(Embedder):
    """Embedder that averages a spaCy pipeline's word vectors, as ``doc.vector`` does, and scales the mean to length 1.

    Words that the pipeline does not know count as zeros; a text without any known word is a row of zeros.
    """

    packages = ("spacy",)
    # No model runs; the vectors are looked up in a table.
    batch = 1024
    # The thresholds of the article that introduced double-pass merging, chosen for en_core_web_md.
    defaults: Mapping[str, Mapping[str, Any]] = {
        "double_pass": {"initial_threshold": 0.7, "appending_threshold": 0.8, "merging_threshold": 0.7},
    }

    def __init__(self, name: str) -> None:
        self._pipeline_name = name.partition(":")[2]
        if not self._pipeline_name.strip():
            raise InputError("embedder must be spacy: followed by the name of an installed pipeline; got 'spacy:'.")
        self.name = name
        self._lock = threading.Lock()
        self._pipeline: Language | None = None

    def load(self) -> None:
        """Load the spaCy pipeline unless it is already in memory.

        Raises
        ------
        ModelError
            If the pipeline is not installed, is not a spaCy pipeline, or has no word vectors.
        """
        with self._lock:
            if self._pipeline is None:
                pipeline = self._read()
                self.revision = _revision(pipeline)
                self._pipeline = pipeline

    def _read(self) -> "Language":
        name = self._pipeline_name
        try:
            pipeline = load_pipeline(name, "embedder")
        except InputError as error:
            raise ModelError(str(error)) from error
        pipeline.max_length = MAX_PARAGRAPH
        if not pipeline.vocab.vectors.size:
            raise ModelError(
                f"embedder: the spaCy pipeline {name!r} must have word vectors; it has none. Choose a pipeline with word "
                "vectors, such as one whose name ends in _md or _lg."
            )
        return pipeline

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), dimension); zeros for a text without known words."""
        self.load()
        check_paragraph(max(map(len, texts), default=0))
        with self._lock:
            assert self._pipeline is not None
            # Tokenized only: word vectors do not depend on a tagger or a parser.
            vectors = [spacy_document(self._pipeline, text).vector for text in texts]
        return unit(np.stack(vectors)) if vectors else np.zeros((0, 1), np.float32)


def _revision(pipeline: "Language") -> str:
    """Return a hash of the pipeline's name, version and vectors."""
    vectors = pipeline.vocab.vectors
    meta = {key: pipeline.meta.get(key) for key in ("lang", "name", "version", "vectors")}
    digest = hashlib.sha256(json.dumps(meta, sort_keys=True, default=str).encode())
    digest.update(np.array(sorted(vectors.key2row.items()), dtype=np.uint64).tobytes())
    digest.update(np.ascontiguousarray(vectors.data).tobytes())
    return digest.hexdigest()
