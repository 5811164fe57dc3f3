"""Base and helpers of the clustering chunkers, whose chunks may be non-contiguous."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from chunkers.building_blocks.sentence_distances import gap_distances
from chunkers.contract import Chunker, Tools
from chunkers.results import Chunk, Chunking, Clusters, Curve, Gap, Line, Merge, Reason, Verdict, combine_reasons
from chunkers.support import FloatArray, InputError
from chunkers.text import Document, Span

MOST_SENTENCES = 7_000
"""Maximum number of sentences that are compared with each other: 1.8 GB at worst."""

ROWS_PER_BLOCK = 256
"""Number of sentences compared with all others in one block."""

DISTANCE_ROUNDING_ERROR = 1e-6
"""Cosine distances below this are rounding, and decide nothing: the sentences are the same to the model."""


def compute_joint_distances_in_blocks(vectors: FloatArray, position_weight: float) -> Iterator[tuple[int, FloatArray]]:
    """Yield the joint distances of Qu et al. between all pairs of sentences, as blocks of matrix rows.

    Parameters
    ----------
    vectors
        Unit vectors of the n sentences of a text, shape (n, dimension).
    position_weight
        λ, from 0 to 1: how much position counts.

    Yields
    ------
    first, block
        The number of the first row, and a matrix of shape (rows, n): λ |a - b| / n + (1 - λ) (1 - max(cos(e_a, e_b), 0)).
    """
    sentence_count = len(vectors)
    sentence_indices = np.arange(sentence_count)
    for first_row_index in range(0, sentence_count, ROWS_PER_BLOCK):
        block_sentence_vectors = vectors[first_row_index : first_row_index + ROWS_PER_BLOCK]
        position_distances = (
            np.abs(
                sentence_indices[first_row_index : first_row_index + len(block_sentence_vectors), None] - sentence_indices
            )
            / sentence_count
        )
        yield (
            first_row_index,
            position_weight * position_distances
            + (1 - position_weight) * _clip_distances_to_unit_range(1 - block_sentence_vectors @ vectors.T),
        )


def _clip_distances_to_unit_range(distances: FloatArray) -> FloatArray:
    """Return cosine distances as distances of meaning, from 0, of sentences with the same tokens, to 1."""
    return np.where(distances < DISTANCE_ROUNDING_ERROR, 0, np.minimum(distances, 1))


class JointDistanceChunker(Chunker):
    """Base class for chunkers that use the joint distance of Qu et al., which weighs position against meaning.

    d(a, b) = λ |a - b| / n + (1 - λ) (1 - max(cos(e_a, e_b), 0)) for the sentences a and b of n.
    """

    embeds: ClassVar[bool] = True

    position_weight: float = Field(
        0.5,
        ge=0,
        le=1,
        title="Position weight λ",
        description="0: only the meaning counts; 1: only the position, as with fixed-size chunks.",
        json_schema_extra={"step": 0.05, "offered": [0, 1], "main": True},
    )

    def _sentence_vectors(self, document: Document, tools: Tools) -> FloatArray:
        """Embed the sentences; raise InputError if there are too many to compare them all."""
        sentence_count = len(document.sentences)
        if sentence_count > MOST_SENTENCES:
            raise InputError(
                f"{self.name}: a text may have at most {MOST_SENTENCES:,} sentences, because every pair of them is "
                f"compared; this text has {sentence_count:,}. Divide the text, or choose another chunker."
            )
        return tools.embed(document.sentence_texts).astype(np.float64)

    def _neighbour_joint_distances(self, vectors: FloatArray) -> FloatArray:
        """Return the joint distance at each gap, shape (n - 1,)."""
        semantic_distances = _clip_distances_to_unit_range(gap_distances(vectors))
        return np.asarray(self.position_weight / max(len(vectors), 1) + (1 - self.position_weight) * semantic_distances)


def chunking_from_labels(
    document: Document,
    cluster_labels: Sequence[int] | npt.NDArray[np.integer],
    gap_scores: FloatArray,
    score_name: str,
    curve_threshold_lines: tuple[Line, ...],
    cluster_details: Clusters,
    merges: Sequence[Merge] = (),
) -> Chunking:
    """Build a result with one chunk per cluster label, in order of the chunks' first sentences.

    Parameters
    ----------
    cluster_labels
        The cluster of every sentence.
    gap_scores
        The distance at each gap, for the ledger and the curve; the distances alone do not determine the clusters.
    cluster_details
        Further details of the clustering.
    """
    chunk_number_by_label = {
        label: number for number, label in enumerate(dict.fromkeys(int(label) for label in cluster_labels))
    }
    sentence_chunk_numbers = [chunk_number_by_label[int(label)] for label in cluster_labels]
    chunk_span_lists: list[list[Span]] = [[] for _ in chunk_number_by_label]
    run_start_sentence_index = 0
    for chunk_number, equal_chunk_numbers in groupby(sentence_chunk_numbers):
        next_run_start_index = run_start_sentence_index + len(list(equal_chunk_numbers))
        chunk_span_lists[chunk_number].append(document.slice(run_start_sentence_index, next_run_start_index))
        run_start_sentence_index = next_run_start_index
    cut_threshold_level = curve_threshold_lines[0].level if curve_threshold_lines else None
    sentence_roles = cluster_details.roles

    def gap_after_sentence(sentence_index: int, score: float) -> Gap:
        own_chunk_number, next_chunk_number = (
            sentence_chunk_numbers[sentence_index],
            sentence_chunk_numbers[sentence_index + 1],
        )
        chunks_phrase = (
            f"both in chunk {own_chunk_number + 1}"
            if own_chunk_number == next_chunk_number
            else f"chunk {own_chunk_number + 1}, then chunk {next_chunk_number + 1}"
        )
        noise_sentence_numbers = [
            str(sentence + 1)
            for sentence in (sentence_index, sentence_index + 1)
            if sentence_roles and sentence_roles[sentence] == "noise"
        ]
        gap_reasons = [Reason(remark=chunks_phrase), Reason(score_name, score)]
        gap_reasons += (
            [Reason(remark=f"sentence {' and '.join(noise_sentence_numbers)}", heading="noise")]
            if noise_sentence_numbers
            else []
        )
        return Gap(
            sentence_index,
            score,
            cut_threshold_level,
            Verdict.KEPT if own_chunk_number == next_chunk_number else Verdict.CUT,
            combine_reasons(*gap_reasons),
        )

    gaps_between_sentences = tuple(gap_after_sentence(index, score) for index, score in enumerate(gap_scores.tolist()))
    score_curve = Curve(
        f"{score_name} of neighbours", tuple(gap_scores.tolist()), curve_threshold_lines, cut_above=True, live=False
    )
    cluster_chunks = tuple(Chunk.of(document, *parts) for parts in chunk_span_lists)
    return Chunking(
        document, cluster_chunks, gaps_between_sentences, tuple(merges), (score_curve,), clusters=cluster_details
    )
