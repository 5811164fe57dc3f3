"""Null model of a score: its distribution over random orders of the text's own sentences.

This is a permutation null. If neighbouring sentences are similar throughout the text, single sentences in random order
are too easy a null; runs of sentences that stay together keep this similarity, as in the block bootstrap of Künsch
(1989).
"""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import numpy as np

from chunkers.support.arrays import FloatArray, IntArray, VectorArray
from chunkers.support.recently_used import RecentlyUsed, cached_in

Vectors = TypeVar("Vectors", FloatArray, VectorArray)

SHUFFLES = 20
"""Number of shuffled orders of a text."""

SAMPLE = 500
"""Default maximum number of sentences examined in a shuffled text, so that a long text takes no longer."""

_SEED = 0


@lru_cache(maxsize=16)
def orders(count: int, run: int = 1, most: int = SAMPLE) -> tuple[IntArray, ...]:
    """Return `SHUFFLES` seeded random orders of ``count`` sentences, each truncated to its first ``most`` sentences.

    Parameters
    ----------
    run
        Number of neighbouring sentences that stay together; the first run may be shorter, of random length.
    """
    random = np.random.default_rng(_SEED)
    shuffled = []
    for _ in range(SHUFFLES):
        first = int(random.integers(1, run + 1))
        runs = np.split(np.arange(count), np.arange(first, count, run))
        places = random.permutation(len(runs))
        enough = np.searchsorted(np.cumsum([len(runs[place]) for place in places]), most) + 1
        shuffled.append(np.concatenate([runs[place] for place in places[:enough]])[:most])
    return tuple(shuffled)


@lru_cache(maxsize=16)
def _looked_at(count: int, run: int, most: int) -> IntArray | slice:
    """Return the indices of the sentences that occur in any order; a slice if all do, which avoids a copy."""
    if most >= count:
        return slice(None)
    seen = np.unique(np.concatenate(orders(count, run, most)))
    return seen if len(seen) < count else slice(None)


def _key(vectors: FloatArray | VectorArray, run: int, name: str, measure: object, most: int = SAMPLE) -> tuple[object, ...]:
    # A hash of all vectors that are looked at: nothing of the text is kept. Processors compute this one themselves.
    seen = vectors[_looked_at(len(vectors), run, most)]
    return hashlib.sha256(seen.tobytes()).digest(), len(vectors), seen.shape, run, name, most


@cached_in(RecentlyUsed(64), _key)
def under_shuffling(
    vectors: Vectors, run: int, name: str, measure: Callable[[Vectors], FloatArray], most: int = SAMPLE
) -> FloatArray:
    """Return the values of ``measure`` for all shuffled versions of a text, concatenated; the values are cached.

    Parameters
    ----------
    vectors
        Vectors of the sentences, shape (n, dimension), n at least 1.
    run
        As for `orders`.
    name
        Name of the measure in the cache key; a name must always stand for the same measure.
    measure
        Called with the vectors in another order; an exception that it raises stops the computation.
    most
        As for `orders`.
    """
    return np.concatenate([measure(vectors[order]) for order in orders(len(vectors), run, most)])
