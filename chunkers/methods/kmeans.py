"""k-means: sentences are gathered around a few centres."""

import warnings
from typing import ClassVar

import numpy as np
from pydantic import Field

from chunkers.building_blocks import chunking_from_labels, gap_distances
from chunkers.contract import Chunker, Tools
from chunkers.results import Chunking, Clusters
from chunkers.support import MOST_CLUSTERING_WORK, FloatArray, InputError, IntArray, raise_if_extra_missing
from chunkers.text import Document

RANDOM_START_COUNT = 10
"""Number of random starts; the best result is kept."""

ROUND_COST_IN_CLUSTERS = 25
"""Measured cost of one pass over the sentences apart from comparing centres, expressed as a number of centres."""

REPORTED_WORK_SHARE = 0.1
"""The share of the greatest work from which the search takes so long that its progress is reported."""


class KMeans(Chunker):
    """Chunker that clusters sentences with k-means, included to show that clustering ignores the order of the text.

    Source: the article on double-pass merging, which tries it and rejects it; scikit-learn's k-means on the embeddings.
    """

    name: ClassVar[str] = "kmeans"
    title: ClassVar[str] = "k-means"
    idea: ClassVar[str] = "Gathers the sentences around a few centres of meaning, whatever their order."
    source: ClassVar[str] = "the article on double-pass merging"
    formula: ClassVar[str] = r"\min \; \sum_{k} \sum_{i \in C_k} \lVert e_i - \mu_k \rVert^2"
    symbols: ClassVar[str] = r"$C_k$ cluster $k$; $e_i$ vector of sentence $i$; $\mu_k$ mean of the vectors of the cluster"
    failure: ClassVar[str] = "Loses the order of the text, and has to be told the number of subjects."
    embeds: ClassVar[bool] = True
    extra: ClassVar[str] = "clustering"

    clusters: int = Field(
        3,
        ge=1,
        le=1000,
        title="Number of clusters",
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
        """Return the chunker's main settings as a short phrase."""
        return f"{self.clusters} clusters, seed {self.seed}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document into the clusters that k-means finds on the sentence embeddings.

        Raises
        ------
        InputError
            If the number of clusters and sentences makes the search too much work.
        Cancelled
            If the user asked to stop.
        """
        all_sentence_texts = document.sentence_texts
        if not all_sentence_texts:
            return Chunking(document, (), ())
        raise_if_extra_missing(self.extra, self.name)
        cluster_count = min(self.clusters, len(set(all_sentence_texts)))
        # One vector tells the dimensions.
        clustering_work_amount = _checked_clustering_work(
            len(all_sentence_texts), cluster_count, tools.embed(all_sentence_texts[:1]).shape[1]
        )
        sentence_vectors = tools.embed(all_sentence_texts).astype(np.float64)
        sentence_cluster_labels, all_centre_distances = self._find_labels_and_centre_distances(
            sentence_vectors,
            cluster_count,
            tools,
            reports_progress=clustering_work_amount > REPORTED_WORK_SHARE * MOST_CLUSTERING_WORK,
        )
        return chunking_from_labels(
            document,
            sentence_cluster_labels,
            gap_distances(sentence_vectors),
            "distance",
            (),
            _own_and_next_centre_distances(all_centre_distances, sentence_cluster_labels),
        )

    def _find_labels_and_centre_distances(
        self, vectors: FloatArray, cluster_count: int, tools: Tools, reports_progress: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return each sentence's label and distances to all centres, shape (n, clusters), of the best random start.

        They are those of scikit-learn's search with as many starts, which could not be stopped between two of them.
        """
        with tools.measure_loading_time():
            from sklearn.cluster import KMeans as Search
            from sklearn.exceptions import ConvergenceWarning

        random_state = np.random.RandomState(self.seed)
        random_start_searches = []
        for random_start_number in range(RANDOM_START_COUNT):
            if reports_progress:
                tools.decided(random_start_number, RANDOM_START_COUNT)
            with warnings.catch_warnings():
                # Different sentences may have the same vector; then there are fewer clusters than requested.
                warnings.simplefilter("ignore", ConvergenceWarning)
                random_start_searches.append(
                    Search(n_clusters=cluster_count, n_init=1, random_state=random_state).fit(vectors)
                )
        lowest_inertia_search = min(random_start_searches, key=lambda search: search.inertia_)
        return lowest_inertia_search.labels_, lowest_inertia_search.transform(vectors)


def _checked_clustering_work(sentence_count: int, cluster_count: int, dimension: int) -> int:
    """Return the work of the search as `MOST_CLUSTERING_WORK` counts it; raise InputError if it is too much."""
    clustering_work = sentence_count * (cluster_count + ROUND_COST_IN_CLUSTERS) * dimension
    if clustering_work > MOST_CLUSTERING_WORK:
        raise InputError(
            f"kmeans: sentences × (clusters + {ROUND_COST_IN_CLUSTERS}) × dimensions must be at most "
            f"{MOST_CLUSTERING_WORK:,}; "
            f"this text has {sentence_count:,} sentences, {cluster_count:,} clusters and vectors with {dimension:,} "
            "dimensions. Choose fewer "
            "clusters, or an embedder with fewer dimensions."
        )
    return clustering_work


def _own_and_next_centre_distances(centre_distances: FloatArray, cluster_labels: IntArray) -> Clusters:
    """Return every sentence's distances to its own and the next nearest centre; ``centre_distances`` has shape (n, k)."""
    sentence_indices = np.arange(len(cluster_labels))
    own_centre_distances = centre_distances[sentence_indices, cluster_labels]
    # Centres without sentences occur where different sentences have the same vector.
    chunk_number_by_label = {int(label): number for number, label in enumerate(dict.fromkeys(cluster_labels.tolist()))}
    if len(chunk_number_by_label) == 1:
        return Clusters(own=tuple(own_centre_distances.tolist()))
    other_centre_distances = np.full_like(centre_distances, np.inf)
    other_centre_distances[:, [*chunk_number_by_label]] = centre_distances[:, [*chunk_number_by_label]]
    other_centre_distances[sentence_indices, cluster_labels] = np.inf
    nearest_other_centre_indices = other_centre_distances.argmin(axis=1)
    return Clusters(
        own=tuple(own_centre_distances.tolist()),
        other=tuple(other_centre_distances[sentence_indices, nearest_other_centre_indices].tolist()),
        other_chunk=tuple(chunk_number_by_label[int(label)] for label in nearest_other_centre_indices),
    )
