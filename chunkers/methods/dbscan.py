"""DBSCAN: dense neighbourhoods of sentences are gathered."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from chunkers.building_blocks.clustering import JointDistanceChunker, chunking_from_labels, compute_joint_distances_in_blocks
from chunkers.contract import Reach, Tools
from chunkers.results import Chunking, Clusters, DbscanRole, Line
from chunkers.support import FloatArray, IntArray
from chunkers.text import Document


class Dbscan(JointDistanceChunker):
    """Chunker that clusters sentences by density; a sentence in no dense neighbourhood is a chunk of its own.

    Source: Qu et al., section 2, DBSCAN on the joint distance; scikit-learn's, where a sentence counts among its own
    neighbours.
    """

    name: ClassVar[str] = "dbscan"
    title: ClassVar[str] = "DBSCAN"
    idea: ClassVar[str] = "Gathers sentences that have enough others close by; the rest stand alone."
    source: ClassVar[str] = "Qu et al., section 2"
    formula: ClassVar[str] = (
        r"\begin{aligned} &a \text{ is a core where} \\ &\left| \{\, b : d(a, b) \le \varepsilon \,\} \right| \ge m "
        r"\end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$d(a, b)$ joint distance of two sentences, as in single linkage; $\varepsilon$ neighbourhood; $m$ neighbours "
        "for a core"
    )
    failure: ClassVar[str] = "Has one ε for the whole text: where it fits one part, another is all noise or all one cluster."

    eps: float = Field(
        0.3,
        ge=0.001,
        le=1,
        title="Neighbourhood radius ε",
        description="Sentences at most this far apart are neighbours.",
        json_schema_extra={"step": 0.01, "offered": [0.01, 1], "main": True},
    )
    min_samples: int = Field(
        2,
        ge=1,
        le=1000,
        title="Minimum samples",
        description="Minimum number of sentences in a core sentence's neighbourhood, itself included.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [1, 10], "main": True},
    )

    def reach(self) -> Reach:
        """Return the neighbourhood radius ε as the limit on joint distances."""
        return Reach(self.position_weight, "ε", self.eps)

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        return f"λ {self.position_weight:g}, ε {self.eps:g}, {self.min_samples} for a core"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document into the clusters that DBSCAN finds by joint distance.

        Raises
        ------
        InputError
            If the text has too many sentences to compare them all.
        """
        sentence_vectors = self._sentence_vectors(document, tools)
        if not len(sentence_vectors):
            return Chunking(document, (), ())
        distance_matrix = np.empty((len(sentence_vectors), len(sentence_vectors)))
        for first_row_index, distance_rows in compute_joint_distances_in_blocks(sentence_vectors, self.position_weight):
            distance_matrix[first_row_index : first_row_index + len(distance_rows)] = distance_rows
        np.fill_diagonal(distance_matrix, 0)
        near_pairs_mask = distance_matrix <= self.eps
        core_sentences_mask = near_pairs_mask.sum(axis=1) >= self.min_samples
        cluster_by_sentence = _density_clusters(near_pairs_mask, core_sentences_mask)
        noise_sentence_indices = np.flatnonzero(cluster_by_sentence < 0)
        chunk_label_by_sentence = cluster_by_sentence.copy()
        chunk_label_by_sentence[noise_sentence_indices] = (
            cluster_by_sentence.max() + 1 + np.arange(len(noise_sentence_indices))
        )
        sentence_roles: list[DbscanRole] = [
            "core" if core else "noise" if label < 0 else "border"
            for core, label in zip(core_sentences_mask, cluster_by_sentence, strict=True)
        ]
        sentence_roles_and_core_size = Clusters(roles=tuple(sentence_roles), core_size=self.min_samples)
        epsilon_level_lines = (Line("ε", self.eps, "eps"),)
        return chunking_from_labels(
            document,
            chunk_label_by_sentence,
            self._neighbour_joint_distances(sentence_vectors),
            "joint distance",
            epsilon_level_lines,
            sentence_roles_and_core_size,
        )


def _density_clusters(near_pairs_mask: npt.NDArray[np.bool_], core_sentences_mask: npt.NDArray[np.bool_]) -> IntArray:
    """Return the cluster of every sentence, -1 for noise: of several that reach one, the first.

    Parameters
    ----------
    near_pairs_mask
        True where two sentences are neighbours, shape (n, n).
    core_sentences_mask
        True for sentences with enough neighbours, shape (n,).
    """
    cluster_labels = np.full(len(near_pairs_mask), -1)
    current_cluster_number = 0
    for seed_core_sentence in np.flatnonzero(core_sentences_mask):
        if cluster_labels[seed_core_sentence] >= 0:
            continue
        frontier_core_sentences = np.array([seed_core_sentence])
        while len(frontier_core_sentences):
            newly_reached_sentences = np.flatnonzero(
                near_pairs_mask[frontier_core_sentences].any(axis=0) & (cluster_labels < 0)
            )
            cluster_labels[newly_reached_sentences] = current_cluster_number
            frontier_core_sentences = newly_reached_sentences[core_sentences_mask[newly_reached_sentences]]
        current_cluster_number += 1
    return cluster_labels


def core_distances(vectors: FloatArray, position_weight: float, min_samples: int) -> FloatArray:
    """Return, for each sentence, the smallest ε at which it is a DBSCAN core point, shape (n,); infinite if it never is."""
    sentence_count = len(vectors)
    if min_samples > sentence_count:
        return np.full(sentence_count, np.inf)
    core_distance_by_sentence = np.empty(sentence_count)
    for first_row_index, distance_rows in compute_joint_distances_in_blocks(vectors, position_weight):
        distance_rows[np.arange(len(distance_rows)), first_row_index + np.arange(len(distance_rows))] = 0
        core_distance_by_sentence[first_row_index : first_row_index + len(distance_rows)] = np.partition(
            distance_rows, min_samples - 1, axis=1
        )[:, min_samples - 1]
    return core_distance_by_sentence
