"""Distances between neighbouring sentences, and the null model of a score: its values for random orders of the sentences."""

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from chunkers.support import FloatArray, IntArray, LRUDict, VectorArray, cache_results_in

_ROWS_AT_ONCE = 4_096


def gap_distances(embeddings: npt.NDArray[np.floating]) -> FloatArray:
    """Return the cosine distance from each row to the next, from 0 to 2, shape (n - 1,).

    The computation uses double precision, so that a percentile that falls on a distance is equal to the distance.
    """
    gap_cosine_distances = np.empty(max(0, len(embeddings) - 1))
    # A long text's vectors take gigabytes: only some of them are converted at a time.
    for block_start_row in range(0, len(gap_cosine_distances), _ROWS_AT_ONCE):
        row_block = embeddings[block_start_row : block_start_row + _ROWS_AT_ONCE + 1].astype(np.float64)
        gap_cosine_distances[block_start_row : block_start_row + _ROWS_AT_ONCE] = 1.0 - row_cosines(
            row_block[:-1], row_block[1:]
        )
    return gap_cosine_distances


def row_cosines(left_rows: FloatArray, right_rows: FloatArray) -> FloatArray:
    """Return the cosine between corresponding rows of two matrices, shape (n,)."""
    if len(left_rows) == 0 or len(right_rows) == 0:
        return np.zeros(0)
    row_norm_products = np.linalg.norm(left_rows, axis=1) * np.linalg.norm(right_rows, axis=1)
    return np.asarray(np.einsum("ij,ij->i", left_rows, right_rows) / np.maximum(row_norm_products, 1e-12))


def join_with_neighbours(sentences: Sequence[str], neighbour_count_per_side: int) -> list[str]:
    """Join each sentence by spaces with ``neighbour_count_per_side`` neighbours on either side, as LangChain does."""
    if neighbour_count_per_side == 0:
        return list(sentences)
    return [
        " ".join(sentences[max(0, i - neighbour_count_per_side) : i + neighbour_count_per_side + 1])
        for i in range(len(sentences))
    ]


# The null model is a permutation null. If neighbouring sentences are similar throughout the text, single sentences in random
# order are too easy a null; runs of sentences that stay together keep this similarity, as in the block bootstrap of Künsch
# (1989).


Vectors = TypeVar("Vectors", FloatArray, VectorArray)

SHUFFLE_COUNT = 20
"""Number of shuffled orders of a text."""

MOST_SAMPLED_SENTENCES = 500
"""Default maximum number of sentences examined in a shuffled text, so that a long text takes no longer."""

_SEED = 0


@lru_cache(maxsize=16)
def shuffled_sentence_orders(
    sentence_count: int, run_length: int = 1, max_sentences: int = MOST_SAMPLED_SENTENCES
) -> tuple[IntArray, ...]:
    """Return `SHUFFLE_COUNT` seeded random orders of sentences, each truncated to at most ``max_sentences``.

    Parameters
    ----------
    run_length
        Number of neighbouring sentences that stay together; the first run may be shorter, of random length.
    """
    seeded_random_generator = np.random.default_rng(_SEED)
    sentence_orders = []
    for _ in range(SHUFFLE_COUNT):
        first_run_length = int(seeded_random_generator.integers(1, run_length + 1))
        sentence_index_runs = np.split(np.arange(sentence_count), np.arange(first_run_length, sentence_count, run_length))
        shuffled_order_of_runs = seeded_random_generator.permutation(len(sentence_index_runs))
        run_count_for_max_sentences = (
            np.searchsorted(np.cumsum([len(sentence_index_runs[place]) for place in shuffled_order_of_runs]), max_sentences)
            + 1
        )
        sentence_orders.append(
            np.concatenate([sentence_index_runs[place] for place in shuffled_order_of_runs[:run_count_for_max_sentences]])[
                :max_sentences
            ]
        )
    return tuple(sentence_orders)


@lru_cache(maxsize=16)
def _indices_of_sampled_sentences(sentence_count: int, run_length: int, max_sentences: int) -> IntArray | slice:
    """Return the indices of the sentences that occur in any order; a slice if all do, which avoids a copy."""
    if max_sentences >= sentence_count:
        return slice(None)
    sampled_sentence_indices = np.unique(np.concatenate(shuffled_sentence_orders(sentence_count, run_length, max_sentences)))
    return sampled_sentence_indices if len(sampled_sentence_indices) < sentence_count else slice(None)


def _shuffling_cache_key(
    vectors: FloatArray | VectorArray,
    run_length: int,
    measure_name: str,
    ignored_measure_function: object,
    max_sentences: int = MOST_SAMPLED_SENTENCES,
) -> tuple[object, ...]:
    # A hash of all vectors that are looked at: nothing of the text is kept. Processors compute this one themselves.
    sampled_sentence_vectors = vectors[_indices_of_sampled_sentences(len(vectors), run_length, max_sentences)]
    return (
        hashlib.sha256(sampled_sentence_vectors.tobytes()).digest(),
        len(vectors),
        sampled_sentence_vectors.shape,
        run_length,
        measure_name,
        max_sentences,
    )


@cache_results_in(LRUDict(64), _shuffling_cache_key)
def scores_under_shuffling(
    vectors: Vectors,
    kept_together_sentence_count: int,
    measure_name: str,
    scores_of_vectors: Callable[[Vectors], FloatArray],
    max_sentences: int = MOST_SAMPLED_SENTENCES,
) -> FloatArray:
    """Return the values of ``scores_of_vectors`` for all shuffled versions of a text, concatenated; the values are cached.

    Parameters
    ----------
    vectors
        Vectors of the sentences, shape (n, dimension), n at least 1.
    kept_together_sentence_count
        As ``run_length`` of `shuffled_sentence_orders`.
    measure_name
        Name of the measure in the cache key; a name must always stand for the same measure.
    scores_of_vectors
        Called with the vectors in another order; an exception that it raises stops the computation.
    max_sentences
        As for `shuffled_sentence_orders`.
    """
    return np.concatenate(
        [
            scores_of_vectors(vectors[order])
            for order in shuffled_sentence_orders(len(vectors), kept_together_sentence_count, max_sentences)
        ]
    )
