"""k-means: sentences are gathered around a few centres."""

from __future__ import annotations

import warnings
from typing import ClassVar

import numpy as np
from pydantic import Field

from chunkers.arrays import FloatArray, IntArray
from chunkers.base import Chunker
from chunkers.building_blocks.clustering import from_labels
from chunkers.building_blocks.distances import gap_distances
from chunkers.result import Chunking, Clusters
from chunkers.text.document import Document
from chunkers.tools import Tools


class KMeans(Chunker):
    """Cluster sentences around a number of centres; included to show how it loses the order of the text.

    Source: the article on double-pass merging, which tries it and rejects it; scikit-learn's k-means on the embeddings.
    """

    name: ClassVar[str] = "kmeans"
    title: ClassVar[str] = "k-means"
    idea: ClassVar[str] = "Gathers the sentences around a few centres of meaning, whatever their order."
    source: ClassVar[str] = "the article on double-pass merging"
    formula: ClassVar[str] = r"\min \; \sum_{k} \sum_{i \in C_k} \lVert e_i - \mu_k \rVert^2"
    failure: ClassVar[str] = "Loses the order of the text, and has to be told the number of subjects."
    embeds: ClassVar[bool] = True

    clusters: int = Field(
        3,
        ge=1,
        le=1000,
        title="Clusters",
        description="The number of centres, and of chunks; no more than there are different sentences.",
        json_schema_extra={"unit": "clusters", "step": 1, "offered": [1, 20], "main": True},
    )
    seed: int = Field(
        0,
        ge=0,
        le=2**31 - 1,
        title="Seed",
        description="Where the search for the centres begins; the same seed gives the same chunks.",
        json_schema_extra={"step": 1, "offered": [0, 20]},
    )

    def describe(self) -> str:
        """Say the settings in a few words."""
        return f"{self.clusters} clusters, seed {self.seed}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document."""
        texts = document.sentence_texts
        if not texts:
            return Chunking(document, (), ())
        with tools.loading():
            from sklearn.cluster import KMeans as Search
            from sklearn.exceptions import ConvergenceWarning

        vectors = tools.embed(texts).astype(np.float64)
        search = Search(n_clusters=min(self.clusters, len(set(texts))), n_init=10, random_state=self.seed)
        with warnings.catch_warnings():
            # Different sentences may have the same vector; then there are fewer clusters than requested.
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = search.fit_predict(vectors)
        return from_labels(
            document, labels, gap_distances(vectors), "distance", (), _to_centres(search.transform(vectors), labels)
        )


def _to_centres(distances: FloatArray, labels: IntArray) -> Clusters:
    """Return every sentence's distances to its own and the next nearest centre, from those to all, shape (n, k)."""
    rows = np.arange(len(labels))
    own = distances[rows, labels]
    # Centres without sentences occur where different sentences have the same vector.
    numbers = {int(label): number for number, label in enumerate(dict.fromkeys(labels.tolist()))}
    if len(numbers) == 1:
        return Clusters(own=tuple(own.tolist()))
    others = np.full_like(distances, np.inf)
    others[:, [*numbers]] = distances[:, [*numbers]]
    others[rows, labels] = np.inf
    nearest = others.argmin(axis=1)
    return Clusters(
        own=tuple(own.tolist()),
        other=tuple(others[rows, nearest].tolist()),
        other_chunk=tuple(numbers[int(label)] for label in nearest),
    )
