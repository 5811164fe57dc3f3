"""Embedders without a neural network: the word vectors of an installed spaCy pipeline, and TF-IDF of a document."""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkers.embedders.base import Embedder, scale_to_unit_length
from chunkers.support import (
    MAX_PARAGRAPH_CHARACTERS,
    FloatArray,
    InputError,
    LRUDict,
    ModelError,
    ModelName,
    VectorArray,
    raise_if_extra_missing,
)
from chunkers.text import check_spacy_length, load_named_spacy_pipeline, tokenize_with_spacy

if TYPE_CHECKING:
    from spacy.language import Language

    from chunkers.text import Document


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
        self._pipeline_name = ModelName.parse(name).name_at_required_provider("spacy", "embedder", "an installed pipeline")
        self.name = name
        self._lock = threading.Lock()
        self._pipeline: Language | None = None

    def ensure_loaded(self) -> None:
        """Load the spaCy pipeline unless it is already in memory.

        Raises
        ------
        ModelError
            If the pipeline is not installed, is not a spaCy pipeline, or has no word vectors.
        """
        with self._lock:
            if self._pipeline is not None:
                return
            try:
                spacy_pipeline = load_named_spacy_pipeline(self._pipeline_name, "embedder")
            except InputError as error:
                raise ModelError(str(error)) from error
            spacy_pipeline.max_length = MAX_PARAGRAPH_CHARACTERS
            if not spacy_pipeline.vocab.vectors.size:
                raise ModelError(
                    f"embedder: the spaCy pipeline {self._pipeline_name!r} must have word vectors; it has none. Choose a "
                    "pipeline with word vectors, such as one whose name ends in _md or _lg."
                )
            self.revision = _hash_pipeline_name_and_vectors(spacy_pipeline)
            self._pipeline = spacy_pipeline

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), dimension); zeros for a text without known words."""
        self.ensure_loaded()
        check_spacy_length(max(map(len, texts), default=0))
        with self._lock:
            assert self._pipeline is not None
            # Tokenized only: word vectors do not depend on a tagger or a parser.
            spacy_text_vectors = [tokenize_with_spacy(self._pipeline, text).vector for text in texts]
        return scale_to_unit_length(np.stack(spacy_text_vectors)) if spacy_text_vectors else np.zeros((0, 1), np.float32)


def _hash_pipeline_name_and_vectors(pipeline: "Language") -> str:
    """Return a hash of the pipeline's name, version and vectors."""
    vocabulary_vectors = pipeline.vocab.vectors
    identifying_pipeline_metadata = {key: pipeline.meta.get(key) for key in ("lang", "name", "version", "vectors")}
    pipeline_hasher = hashlib.sha256(json.dumps(identifying_pipeline_metadata, sort_keys=True, default=str).encode())
    pipeline_hasher.update(np.array(sorted(vocabulary_vectors.key2row.items()), dtype=np.uint64).tobytes())
    pipeline_hasher.update(np.ascontiguousarray(vocabulary_vectors.data).tobytes())
    return pipeline_hasher.hexdigest()


# TF-IDF with singular values, fitted on the document's own sentences, for any language.


MAX_TFIDF_DIMENSIONS = 50
"""Maximum number of dimensions of a vector."""


class TfIdf(Embedder):
    """TF-IDF embedder that fits a model to each document and keeps the most recent models."""

    name = "tfidf"
    packages = ("scikit-learn",)
    # Two sentences share few n-grams. In a grid search on the six bundled documents with known boundaries these give the
    # best mean F1 of exact boundaries, 0.32, where the declared thresholds give 0.17; their neighbours on the grid give
    # 0.27 to 0.30. The thresholds of the other chunkers fit as they are: single_linkage has 0.29 at a distance of 0.5 and
    # 0.31 at the best, dbscan 0.16 at each ε up to 0.4.
    defaults: Mapping[str, Mapping[str, Any]] = {
        "double_pass": {"initial_threshold": 0.08, "appending_threshold": 0.25, "merging_threshold": 0.3},
    }

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fitted_models: LRUDict[str, _FittedTfIdf] = LRUDict(4)

    def for_document(self, document: "Document") -> Embedder:
        """Return an embedder for this document's sentences, fitted on them at its first use."""
        raise_if_extra_missing("clustering", self.name)
        document_sentence_texts = document.sentence_texts
        sentences_revision = _sentences_hash(document_sentence_texts)
        with self._lock:
            return self._fitted_models.setdefault(
                sentences_revision, _FittedTfIdf(document_sentence_texts, sentences_revision)
            )

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Raise ModelError: TF-IDF must be fitted on a document before it can embed."""
        raise ModelError("tfidf must be fitted on a document before it can embed; call for_document first.")


class _FittedTfIdf(Embedder):
    """TF-IDF of character n-grams, and the strongest directions in the sentences (latent semantic analysis).

    A text that shares no n-gram with the document is a row of zeros; so is every text where the sentences have none.
    """

    name = TfIdf.name
    packages = TfIdf.packages
    defaults = TfIdf.defaults
    batch = 1024

    def __init__(self, sentences: Sequence[str], revision: str) -> None:
        self.revision = revision
        self._sentences = sentences
        self._lock = threading.Lock()
        self._transform: Any = None

    def ensure_loaded(self) -> None:
        """Load scikit-learn; the model is fitted at the first call of ``encode``, so that fitting counts as embedding."""
        import sklearn.decomposition
        import sklearn.feature_extraction.text  # noqa: F401

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), dimension); zeros for a text without known n-grams."""
        with self._lock:
            if self._transform is None:
                self._transform = _fit_tfidf(self._sentences)
                # An embedder may outlive the session whose text it is.
                self._sentences = ()
        return scale_to_unit_length(self._transform(texts))


def _sentences_hash(sentences: Sequence[str]) -> str:
    """Return a hash of all that the vectors depend on."""
    sentences_hasher = hashlib.sha256(f"{metadata.version('scikit-learn')}\0{MAX_TFIDF_DIMENSIONS}".encode())
    for sentence in sentences:
        sentences_hasher.update(sentence.encode() + b"\0")
    return sentences_hasher.hexdigest()


def _fit_tfidf(sentences: Sequence[str]) -> Callable[[Sequence[str]], FloatArray]:
    """Return the function from texts to rows of vectors, fitted on the sentences.

    Character n-grams within words need no list of a language's words and endings, and suit Chinese, which does not
    separate words. On the bundled documents the mean area under the curve of the known boundaries by distance is 0.73
    with n-grams of 2 to 4 and 50 components, 0.71 with 3 to 5, 0.67 with words; 0.69 without reduction to components.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    character_ngram_vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    try:
        sentence_tfidf_weights = character_ngram_vectorizer.fit_transform(sentences)
    except ValueError:
        # Nothing but white space: there are no n-grams.
        return lambda texts: np.zeros((len(texts), 1))
    tfidf_svd_projection = TruncatedSVD(min(MAX_TFIDF_DIMENSIONS, *sentence_tfidf_weights.shape), random_state=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The share of explained variance, which it also computes, divides by 0 for sentences that are all alike.
        tfidf_svd_projection.fit(sentence_tfidf_weights)
    return lambda texts: np.asarray(tfidf_svd_projection.transform(character_ngram_vectorizer.transform(texts)))
