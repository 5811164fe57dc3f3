"""TF-IDF with singular values, fitted on the document's own sentences: no model, any language."""

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkers.embedders.base import Embedder, unit
from chunkers.support.arrays import FloatArray, VectorArray
from chunkers.support.errors import ModelError
from chunkers.support.extras import need
from chunkers.support.recently_used import RecentlyUsed

if TYPE_CHECKING:
    from chunkers.text.document import Document

COMPONENTS = 50
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
        self._fitted: RecentlyUsed[str, _Fitted] = RecentlyUsed(4)

    def for_document(self, document: "Document") -> Embedder:
        """Return an embedder for this document's sentences, fitted on them at its first use."""
        need("clustering", self.name)
        sentences = document.sentence_texts
        revision = _revision(sentences)
        with self._lock:
            return self._fitted.setdefault(revision, _Fitted(sentences, revision))

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Raise ModelError: TF-IDF must be fitted on a document before it can embed."""
        raise ModelError("tfidf must be fitted on a document before it can embed; call for_document first.")


class _Fitted(Embedder):
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

    def load(self) -> None:
        """Load scikit-learn; the model is fitted at the first call of ``encode``, so that fitting counts as embedding."""
        import sklearn.decomposition
        import sklearn.feature_extraction.text  # noqa: F401

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), dimension); zeros for a text without known n-grams."""
        with self._lock:
            if self._transform is None:
                self._transform = _fit(self._sentences)
                # An embedder may outlive the session whose text it is.
                self._sentences = ()
        return unit(self._transform(texts))


def _revision(sentences: Sequence[str]) -> str:
    """Return a hash of all that the vectors depend on."""
    digest = hashlib.sha256(f"{metadata.version('scikit-learn')}\0{COMPONENTS}".encode())
    for sentence in sentences:
        digest.update(sentence.encode() + b"\0")
    return digest.hexdigest()


def _fit(sentences: Sequence[str]) -> Callable[[Sequence[str]], FloatArray]:
    """Return the function from texts to rows of vectors, fitted on the sentences.

    Character n-grams within words need no list of a language's words and endings, and suit Chinese, which does not
    separate words. On the bundled documents the mean area under the curve of the known boundaries by distance is 0.73
    with n-grams of 2 to 4 and 50 components, 0.71 with 3 to 5, 0.67 with words; 0.69 without reduction to components.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    try:
        weights = vectorizer.fit_transform(sentences)
    except ValueError:
        # Nothing but white space: there are no n-grams.
        return lambda texts: np.zeros((len(texts), 1))
    directions = TruncatedSVD(min(COMPONENTS, *weights.shape), random_state=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The share of explained variance, which it also computes, divides by 0 for sentences that are all alike.
        directions.fit(weights)
    return lambda texts: np.asarray(directions.transform(vectorizer.transform(texts)))
