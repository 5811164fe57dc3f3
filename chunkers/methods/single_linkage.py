"""Single linkage: the closest sentences are joined first, into clusters of a bounded size."""

import math
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from chunkers.building_blocks.clustering import JointDistanceChunker, chunking_from_labels, compute_joint_distances_in_blocks
from chunkers.contract import Reach, Tools
from chunkers.results import Chunking, Clusters, Line, Merge, Refusal
from chunkers.support import FloatArray, IntArray
from chunkers.text import Document, Span


class DisjointSets:
    """Disjoint sets of items; each item starts in its own group."""

    def __init__(self, count: int) -> None:
        self.label = [*range(count)]
        self._items_by_label = [[item] for item in range(count)]

    def members(self, item: int) -> list[int]:
        """Return all items in the group of ``item``."""
        return self._items_by_label[self.label[item]]

    def join(self, left: int, right: int) -> bool:
        """Merge the groups of two items; return False if the items were already in the same group."""
        kept_label, absorbed_label = self.label[left], self.label[right]
        if kept_label == absorbed_label:
            return False
        if len(self._items_by_label[kept_label]) < len(self._items_by_label[absorbed_label]):
            kept_label, absorbed_label = absorbed_label, kept_label
        for relabelled_item in self._items_by_label[absorbed_label]:
            self.label[relabelled_item] = kept_label
        self._items_by_label[kept_label] += self._items_by_label[absorbed_label]
        self._items_by_label[absorbed_label] = []
        return True


class LinkageResult(NamedTuple):
    """Clusters of items, with the joins that formed them and the joins that were refused.

    Attributes
    ----------
    labels
        The cluster of every item.
    joins
        Positions in the list of pairs at which two clusters were joined.
    refused
        Positions in the list of pairs at which a join was refused because of the size, each with the number of joins
        before and the combined size of both clusters; only between clusters that no earlier joins and refusals had
        linked.
    refusals
        Number of pairs whose clusters were too large to join.
    """

    labels: list[int]
    joins: list[int]
    refused: list[tuple[int, int, int]]
    refusals: int


def join_closest_pairs(pair_codes: IntArray, item_count: int, cluster_size_cap: int) -> LinkageResult:
    """Join the clusters of each pair of items in turn, unless the result would have more than ``cluster_size_cap`` items.

    Parameters
    ----------
    pair_codes
        Items a and b of ``item_count``, encoded as the number a * item_count + b, in the order in which to join them.
    """
    size_capped_clusters, uncapped_clusters = DisjointSets(item_count), DisjointSets(item_count)
    joined_pair_positions: list[int] = []
    refused_joins: list[tuple[int, int, int]] = []
    refused_join_count = 0
    pair_block_length = 1024
    pair_block_start = 0
    while pair_block_start < len(pair_codes) and len(joined_pair_positions) < item_count - 1:
        pair_code_block = pair_codes[pair_block_start : pair_block_start + pair_block_length]
        cluster_labels, uncapped_cluster_labels = np.array(size_capped_clusters.label), np.array(uncapped_clusters.label)
        cluster_size_by_label = np.bincount(cluster_labels, minlength=item_count)
        pair_left_items, pair_right_items = pair_code_block // item_count, pair_code_block % item_count
        pairs_apart_mask = cluster_labels[pair_left_items] != cluster_labels[pair_right_items]
        allowed_joins_mask = (
            cluster_size_by_label[cluster_labels[pair_left_items]] + cluster_size_by_label[cluster_labels[pair_right_items]]
            <= cluster_size_cap
        )
        # As clusters only grow, a pair that is one, or too much, stays so; it is looked at only where its refusal is new.
        refused_join_count += int(np.count_nonzero(pairs_apart_mask & ~allowed_joins_mask))
        for pair_position_in_block in np.flatnonzero(
            pairs_apart_mask
            & (allowed_joins_mask | (uncapped_cluster_labels[pair_left_items] != uncapped_cluster_labels[pair_right_items]))
        ).tolist():
            left_item, right_item = (
                int(pair_left_items[pair_position_in_block]),
                int(pair_right_items[pair_position_in_block]),
            )
            if size_capped_clusters.label[left_item] == size_capped_clusters.label[right_item]:
                continue
            joined_cluster_size = len(size_capped_clusters.members(left_item)) + len(
                size_capped_clusters.members(right_item)
            )
            if joined_cluster_size <= cluster_size_cap:
                size_capped_clusters.join(left_item, right_item)
                uncapped_clusters.join(left_item, right_item)
                joined_pair_positions.append(pair_block_start + pair_position_in_block)
                continue
            refused_join_count += int(allowed_joins_mask[pair_position_in_block])
            if uncapped_clusters.join(left_item, right_item):
                refused_joins.append(
                    (pair_block_start + pair_position_in_block, len(joined_pair_positions), joined_cluster_size)
                )
        pair_block_start += pair_block_length
        pair_block_length = min(2 * pair_block_length, 1 << 20)
    return LinkageResult(size_capped_clusters.label, joined_pair_positions, refused_joins, refused_join_count)


class SingleLinkage(JointDistanceChunker):
    """Chunker that joins the closest sentences first, as long as each cluster stays within the size cap.

    Pairs are taken in ascending joint distance, ties in the order of the text, up to the maximum distance; a pair joins its
    two clusters where both together stay within the cap. Sources: Qu et al., section 2 (the cap ceil(n / chunks)); Kreileder
    et al. (the cap ceil(target x slack)).
    """

    name: ClassVar[str] = "single_linkage"
    title: ClassVar[str] = "Single linkage"
    idea: ClassVar[str] = "Joins the two closest sentences, then the next closest, wherever in the text they stand."
    source: ClassVar[str] = "Qu et al., section 2; Kreileder et al."
    formula: ClassVar[str] = (
        r"\begin{aligned} &d(a, b) = \lambda \, \frac{|a - b|}{n} + (1 - \lambda) \, t(a, b) \\ "
        r"&t(a, b) = 1 - \max(\cos(e_a, e_b), 0) \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$a$, $b$ numbers of two sentences of $n$, joined in ascending order of $d$; $t$ their distance in meaning; "
        r"$e_a$ vector of sentence $a$; $\lambda$ position weight"
    )
    failure: ClassVar[str] = "Sentences from far apart end up in one chunk, and one close pair chains two subjects together."

    target_sentences: int = Field(
        3,
        ge=1,
        le=10_000,
        title="Sentences per chunk",
        description="Multiplied by the slack and rounded up, the most sentences that a chunk may hold.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [1, 20], "main": True},
    )
    max_distance: float = Field(
        0.5,
        ge=0,
        le=1,
        title="Maximum distance",
        description="Sentences further apart are not joined.",
        json_schema_extra={"step": 0.01, "offered": [0, 1], "main": True},
    )
    chunks: int | None = Field(
        None,
        ge=1,
        le=10_000,
        title="Number of chunks",
        description="If set, the cap is the number of sentences divided by it, rounded up; 1 means no cap.",
        json_schema_extra={"unit": "chunks", "step": 1, "offered": [2, 10]},
    )
    slack: float = Field(
        1.2,
        ge=1,
        le=10,
        title="Size slack",
        description="How far a chunk may pass the sentences per chunk.",
        json_schema_extra={"step": 0.1, "offered": [1, 3]},
    )

    def cluster_size_cap(self, sentence_count: int) -> int:
        """Return the maximum number of sentences in a chunk, for a text of ``sentence_count`` sentences."""
        # Rounded first, so that 1.1 times 10 is 11 and not a little more.
        return (
            math.ceil(sentence_count / self.chunks)
            if self.chunks
            else math.ceil(round(self.target_sentences * self.slack, 9))
        )

    def idle(self) -> frozenset[str]:
        """Return the names of the parameters that have no effect: target size and slack, if the number of chunks is set."""
        return super().idle() | ({"target_sentences", "slack"} if self.chunks else set())

    def reach(self) -> Reach:
        """Return the maximum joint distance of a pair of sentences that joins two clusters."""
        return Reach(self.position_weight, "the maximum", self.max_distance)

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        cluster_size_phrase = (
            f"a cap for {self.chunks} chunks" if self.chunks else f"at most {self.cluster_size_cap(0)} sentences"
        )
        return f"λ {self.position_weight:g}, {cluster_size_phrase}, distance {self.max_distance:g}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document into clusters by joining the closest pairs of sentences within the size cap.

        Raises
        ------
        InputError
            If the text has too many sentences to compare them all.
        """
        sentence_vectors = self._sentence_vectors(document, tools)
        pair_codes, close_pair_distances = self._pairs_within_distance(sentence_vectors)
        sentence_count = len(sentence_vectors)
        linkage_result = join_closest_pairs(pair_codes, sentence_count, self.cluster_size_cap(sentence_count))
        least_similarity = 1 - self.max_distance
        linkage_merges = [
            Merge(Span(a, a + 1), Span(b, b + 1), 1 - float(close_pair_distances[at]), least_similarity, "linkage")
            for at, (a, b) in ((join, divmod(int(pair_codes[join]), sentence_count)) for join in linkage_result.joins)
        ]
        join_refusals = [
            Refusal(*divmod(int(pair_codes[at]), sentence_count), float(close_pair_distances[at]), joins, size)
            for at, joins, size in linkage_result.refused
        ]
        maximum_distance_chart_lines = (Line("maximum", self.max_distance, "max_distance"),)
        linkage_cluster_details = Clusters(
            refused=tuple(join_refusals), refusals=linkage_result.refusals, cap=self.cluster_size_cap(sentence_count)
        )
        neighbour_joint_distances = self._neighbour_joint_distances(sentence_vectors)
        chunking = chunking_from_labels(
            document,
            linkage_result.labels,
            neighbour_joint_distances,
            "joint distance",
            maximum_distance_chart_lines,
            linkage_cluster_details,
            linkage_merges,
        )
        return replace(chunking, notes=self._missed_chunk_count_note(chunking))

    def _missed_chunk_count_note(self, chunking: Chunking) -> tuple[str, ...]:
        """Return a note if there are not as many chunks as were asked for."""
        if self.chunks is None or len(chunking.chunks) in (0, self.chunks):
            return ()
        cluster_size_cap = self.cluster_size_cap(len(chunking.document.sentences))
        return (
            f"Asked for {self.chunks:,} chunk{'s' * (self.chunks != 1)}, made {len(chunking.chunks):,}: the number only "
            "caps a "
            f"chunk, here at {cluster_size_cap:,} sentence{'s' * (cluster_size_cap != 1)}, and the maximum distance joins "
            "no more.",
        )

    def _pairs_within_distance(self, vectors: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the pairs a < b within the maximum distance, nearest first, as numbers a * n + b, and their distances."""
        sentence_count = len(vectors)
        pair_code_arrays: list[IntArray] = [np.zeros(0, np.intp)]
        distance_arrays: list[FloatArray] = [np.zeros(0)]
        for first_row_index, distance_rows in compute_joint_distances_in_blocks(vectors, self.position_weight):
            close_pairs_mask = np.triu(distance_rows <= self.max_distance, k=first_row_index + 1)
            near_row_indices, near_column_indices = np.nonzero(close_pairs_mask)
            pair_code_arrays.append((near_row_indices + first_row_index) * sentence_count + near_column_indices)
            distance_arrays.append(distance_rows[close_pairs_mask])
        pair_codes, pair_distances = np.concatenate(pair_code_arrays), np.concatenate(distance_arrays)
        nearest_first_pair_order = np.argsort(pair_distances, kind="stable")
        return pair_codes[nearest_first_pair_order], pair_distances[nearest_first_pair_order]
