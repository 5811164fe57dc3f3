"""Cohesion inside chunks: against similarity across cuts, against the surroundings, and of two ways to cut a stretch."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from chunkers import Chunking, Span
from chunkers.support import FloatArray, IntArray

SURROUNDING_SENTENCES = 10
"""Sentences before a chunk, and as many after it, that are its surroundings."""


@dataclass(frozen=True)
class Contrast:
    """Mean cosines of sentence pairs inside chunks and across the cuts between neighbouring chunks.

    Attributes
    ----------
    inside
        Mean cosine of all pairs of sentences that share a chunk; None if every sentence is a chunk of its own.
    across
        Mean cosine of all pairs of sentences in neighbouring chunks; None if there is only one chunk.
    pairs, crossing_pair_count
        Number of pairs inside chunks and across cuts.
    """

    inside: float | None
    across: float | None
    pairs: int
    crossing_pair_count: int

    @property
    def difference(self) -> float | None:
        """Mean cosine inside chunks minus mean cosine across cuts, from -2 to 2; None if either is undefined."""
        return None if self.inside is None or self.across is None else self.inside - self.across


def mean_cosines_inside_and_across(
    vectors: npt.NDArray[np.floating], chunk_of_each_sentence: Sequence[int | None]
) -> Contrast:
    """Return the mean cosine of sentence pairs inside chunks, and of pairs across the cuts between chunks.

    Shorter chunks raise both values, since neighbouring sentences are more similar, so compare chunkings of similar chunk
    sizes. Source: cohesion and separation as in silhouettes (Rousseeuw 1987), with neighbouring chunks in place of the
    nearest cluster, and with cosines.

    Parameters
    ----------
    vectors
        One vector per sentence, shape (n, dimension), of any length but 0.
    chunk_of_each_sentence
        Number of each sentence's chunk, as `chunk_number_per_sentence` returns them; None for sentences in no chunk.
    """
    chunked_sentence_numbers = [place for place, chunk in enumerate(chunk_of_each_sentence) if chunk is not None]
    if not chunked_sentence_numbers:
        return Contrast(None, None, 0, 0)
    chunked_sentence_vectors = _unit_vectors(vectors)[chunked_sentence_numbers]
    _, chunk_number_by_sentence = np.unique(
        [chunk_of_each_sentence[place] for place in chunked_sentence_numbers], return_inverse=True
    )
    chunk_vector_sums, chunk_sentence_counts = _sum_and_count_vectors_by_chunk(
        chunked_sentence_vectors, chunk_number_by_sentence
    )
    squared_length_sums_by_chunk = np.bincount(
        chunk_number_by_sentence,
        np.einsum("ij,ij->i", chunked_sentence_vectors, chunked_sentence_vectors),
        len(chunk_vector_sums),
    )
    pair_cosine_sums_by_chunk = (
        np.einsum("ij,ij->i", chunk_vector_sums, chunk_vector_sums) - squared_length_sums_by_chunk
    ) / 2
    pair_count_inside_chunks = int((chunk_sentence_counts * (chunk_sentence_counts - 1) // 2).sum())
    pair_count_across_cuts = int((chunk_sentence_counts[:-1] * chunk_sentence_counts[1:]).sum())
    return Contrast(
        float(pair_cosine_sums_by_chunk.sum() / pair_count_inside_chunks) if pair_count_inside_chunks else None,
        float(np.einsum("ij,ij->", chunk_vector_sums[:-1], chunk_vector_sums[1:]) / pair_count_across_cuts)
        if pair_count_across_cuts
        else None,
        pair_count_inside_chunks,
        pair_count_across_cuts,
    )


def cosine_of_chunks_with_surroundings(
    vectors: npt.NDArray[np.floating],
    chunk_of_each_sentence: Sequence[int | None],
    surrounding_sentence_count: int = SURROUNDING_SENTENCES,
) -> float | None:
    """Return the mean cosine between chunks and the sentences around them, from -1 to 1; None without such sentences.

    A chunk's vector is the sum of its sentences' unit vectors. The vector of its surroundings is the sum over all other
    sentences that are at most ``surrounding_sentence_count`` places before or after one of its own. Chunks without
    surroundings are left out.

    Source: contextual coherence of Moura Junior et al., “Adaptive Chunking” (LREC 2026), who embed windows of 3,000 tokens
    around the chunk. Most models read fewer tokens, so vectors are summed instead. The surroundings exclude the chunk
    itself, since otherwise the longest chunk would fit best. A higher value is not better in itself: self-contained chunks
    have a lower value.

    Parameters
    ----------
    vectors, chunk_of_each_sentence
        As in `mean_cosines_inside_and_across`.
    """
    unit_vectors, chunk_number_by_sentence = (
        _unit_vectors(vectors),
        np.asarray([-1 if chunk is None else chunk for chunk in chunk_of_each_sentence], dtype=np.intp),
    )
    cumulative_vector_sums = np.concatenate([np.zeros((1, unit_vectors.shape[1])), np.cumsum(unit_vectors, axis=0)])
    chunk_surroundings_cosines = []
    sentences_sorted_by_chunk = np.argsort(chunk_number_by_sentence, kind="stable")
    chunk_starts_in_sorted_sentences = np.flatnonzero(
        np.diff(chunk_number_by_sentence[sentences_sorted_by_chunk], prepend=-1)
    )
    for chunk_sentence_numbers in np.split(sentences_sorted_by_chunk, chunk_starts_in_sorted_sentences)[1:]:
        chunk_and_surrounding_ranges = _widened_sentence_ranges(
            chunk_sentence_numbers, len(unit_vectors), surrounding_sentence_count
        )
        chunk_vector_sum = unit_vectors[chunk_sentence_numbers].sum(axis=0)
        surroundings_vector_sum = (
            np.sum(
                [cumulative_vector_sums[end] - cumulative_vector_sums[start] for start, end in chunk_and_surrounding_ranges],
                axis=0,
            )
            - chunk_vector_sum
        )
        if sum(end - start for start, end in chunk_and_surrounding_ranges) > len(chunk_sentence_numbers):
            chunk_surroundings_cosines.append(
                chunk_vector_sum
                @ surroundings_vector_sum
                / max(np.linalg.norm(chunk_vector_sum) * np.linalg.norm(surroundings_vector_sum), 1e-12)
            )
    return float(np.mean(chunk_surroundings_cosines)) if chunk_surroundings_cosines else None


def _widened_sentence_ranges(
    chunk_sentences: IntArray, document_sentence_count: int, surrounding_sentence_count: int
) -> list[tuple[int, int]]:
    """Return disjoint ranges of ``chunk_sentences`` and of sentences up to ``surrounding_sentence_count`` places off."""
    run_break_indexes = np.flatnonzero(np.diff(chunk_sentences) > 2 * surrounding_sentence_count + 1) + 1
    return [
        (
            max(int(run[0]) - surrounding_sentence_count, 0),
            min(int(run[-1]) + surrounding_sentence_count + 1, document_sentence_count),
        )
        for run in np.split(chunk_sentences, run_break_indexes)
    ]


def _unit_vectors(vectors: npt.NDArray[np.floating]) -> FloatArray:
    unit_vectors: FloatArray = vectors.astype(np.float64)
    unit_vectors /= np.maximum(np.linalg.norm(unit_vectors, axis=1, keepdims=True), 1e-12)
    return unit_vectors


def _sum_and_count_vectors_by_chunk(vectors: FloatArray, chunk_of_each_vector: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the sum of the vectors of each chunk, shape (chunks, dimension), and how many they are."""
    vector_counts_by_chunk = np.bincount(chunk_of_each_vector)
    vector_indexes_sorted_by_chunk = np.argsort(chunk_of_each_vector, kind="stable")
    chunk_start_positions = np.concatenate([[0], np.cumsum(vector_counts_by_chunk)[:-1]])
    return np.add.reduceat(vectors[vector_indexes_sorted_by_chunk], chunk_start_positions, axis=0), vector_counts_by_chunk


# Compare how similar the sentences within chunks are under two ways to cut the same stretch.


EQUAL_COHESION_TOLERANCE = 0.005
"""The difference of mean similarities below which both ways count as equally good."""


@dataclass(frozen=True)
class Cohesion:
    """Mean cosine over all pairs of sentences that share a chunk, with the number of pairs; NaN without pairs."""

    mean: float
    pairs: int


class CumulativeSimilarities:
    """Precomputed sums of sentence vectors that give the summed cosines within any run of sentences."""

    def __init__(self, vectors: npt.NDArray[np.floating]) -> None:
        """Take one vector per sentence, shape (n, dimension)."""
        unit_vectors = _unit_vectors(vectors)
        self._cumulative_vector_sums: FloatArray = np.concatenate(
            [np.zeros((1, unit_vectors.shape[1])), np.cumsum(unit_vectors, axis=0)]
        )
        self._cumulative_squared_norms: FloatArray = np.concatenate(
            [[0.0], np.cumsum(np.einsum("ij,ij->i", unit_vectors, unit_vectors))]
        )

    def cohesion_within_chunks_of_range(self, sentence_range: Span, sentences_before_cuts: Sequence[int]) -> Cohesion:
        """Return the cohesion within chunks of ``sentence_range``, cut after each of ``sentences_before_cuts``."""
        chunk_edge_sentence_numbers = [
            sentence_range.start,
            *(cut + 1 for cut in sentences_before_cuts if sentence_range.start <= cut < sentence_range.end - 1),
            sentence_range.end,
        ]
        cosine_sum, pair_count = 0.0, 0
        for first_sentence_number, end_sentence_number in pairwise(chunk_edge_sentence_numbers):
            chunk_vector_sum = (
                self._cumulative_vector_sums[end_sentence_number] - self._cumulative_vector_sums[first_sentence_number]
            )
            cosine_sum += (
                chunk_vector_sum @ chunk_vector_sum
                - (
                    self._cumulative_squared_norms[end_sentence_number]
                    - self._cumulative_squared_norms[first_sentence_number]
                )
            ) / 2
            pair_count += (
                (end_sentence_number - first_sentence_number) * (end_sentence_number - first_sentence_number - 1) // 2
            )
        return Cohesion(cosine_sum / pair_count if pair_count else float("nan"), pair_count)


@dataclass(frozen=True)
class StretchComparison:
    """Comparison of a greedy chunker with one that sees the whole text, over the same stretch of sentences.

    ``greedy`` and ``other`` are the sentences inside the stretch after which each chunker cuts.
    """

    stretch: Span
    greedy: tuple[int, ...]
    other: tuple[int, ...]
    greedy_cohesion: Cohesion
    other_cohesion: Cohesion

    @property
    def greedy_minus_other_cohesion(self) -> float | None:
        """Mean cosine with the greedy cuts minus mean cosine with the other chunker's cuts.

        The gain is 0 if both chunkers cut alike, and None if either leaves no pair of sentences together.
        """
        if self.greedy == self.other:
            return 0.0
        if not (self.greedy_cohesion.pairs and self.other_cohesion.pairs):
            return None
        return self.greedy_cohesion.mean - self.other_cohesion.mean

    def greedy_gain_in_words(self) -> str:
        """Return a phrase on the cohesion that greedy decisions gain or cost in this stretch."""
        if self.greedy_minus_other_cohesion is None:
            return "there is nothing to weigh here: one of the two leaves no two sentences together"
        if abs(self.greedy_minus_other_cohesion) < EQUAL_COHESION_TOLERANCE:
            return "deciding gap by gap changes nothing here: what stays together is as alike"
        gains_or_costs_verb, more_or_less_word = (
            ("gains", "more") if self.greedy_minus_other_cohesion > 0 else ("costs", "less")
        )
        return (
            f"deciding gap by gap {gains_or_costs_verb} {abs(self.greedy_minus_other_cohesion):.2f} here: what stays "
            f"together is that much {more_or_less_word} alike"
        )


def sentence_numbers_before_cuts(chunking: Chunking) -> tuple[int, ...]:
    """Return the numbers of the sentences after which or inside which a chunking cuts."""
    return tuple(sorted({gap.index for gap in chunking.gaps if gap.verdict.is_cut} - {len(chunking.document.sentences) - 1}))


def compare_greedy_with_other_chunking(
    greedy_chunking: Chunking, other_chunking: Chunking, similarities: CumulativeSimilarities
) -> dict[int, StretchComparison]:
    """Compare a greedy chunking with another chunking of the same document, around each of its cuts.

    Returns
    -------
    dict
        For each sentence after which ``greedy_chunking`` cuts, the cuts that both chunkings make between its previous cut
        and its next.
    """
    greedy_cuts, other_cuts = sentence_numbers_before_cuts(greedy_chunking), sentence_numbers_before_cuts(other_chunking)
    greedy_cuts_with_ends = [-1, *greedy_cuts, len(greedy_chunking.document.sentences) - 1]
    comparison_by_greedy_cut = {}
    for previous_cut, cut, next_greedy_cut in zip(
        greedy_cuts_with_ends, greedy_cuts, greedy_cuts_with_ends[2:], strict=False
    ):
        sentences_around_cut = Span(previous_cut + 1, next_greedy_cut + 1)
        other_cuts_inside_stretch = tuple(
            place for place in other_cuts if sentences_around_cut.start <= place < sentences_around_cut.end - 1
        )
        both_cohesions = (
            similarities.cohesion_within_chunks_of_range(sentences_around_cut, (cut,)),
            similarities.cohesion_within_chunks_of_range(sentences_around_cut, other_cuts_inside_stretch),
        )
        comparison_by_greedy_cut[cut] = StretchComparison(
            sentences_around_cut, (cut,), other_cuts_inside_stretch, *both_cohesions
        )
    return comparison_by_greedy_cut
