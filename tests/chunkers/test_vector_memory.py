"""The memory that vectors take: bounded before it is taken, and not several times over."""

import tracemalloc

import numpy as np
import pytest

from chunkers import InputError
from chunkers.building_blocks.sentence_distances import gap_distances, row_cosines
from chunkers.embedders import base
from tests.support import HashEmbedder, tools


def test_more_vectors_than_fit_are_refused_after_the_first_batch(monkeypatch):
    embedder = HashEmbedder()
    dimension = embedder.encode(["a"]).shape[1]
    monkeypatch.setattr(base, "MOST_VECTOR_NUMBERS", 100 * dimension)
    texts = [f"Sentence {number}." for number in range(101)]
    assert tools(embedder).embed(texts[:100]).shape == (100, dimension)
    embedder.batches.clear()
    with pytest.raises(
        InputError, match=rf"hash: texts × dimensions must be at most {100 * dimension}, .* 101 × {dimension}"
    ):
        tools(embedder).embed(texts)
    assert len(embedder.batches) == 1
    with pytest.raises(InputError, match="Divide the document"):
        tools(embedder).embed(["the same"] * 101)


@pytest.mark.parametrize("rows", [0, 1, 2, 4_096, 4_097, 4_098, 9_000])
def test_distances_are_the_same_in_parts(rows):
    vectors = np.random.default_rng(7).normal(size=(rows, 6)).astype(np.float32)
    whole = vectors.astype(np.float64)
    assert (gap_distances(vectors) == 1.0 - row_cosines(whole[:-1], whole[1:])).all()
    assert gap_distances(vectors).shape == (max(0, rows - 1),)


def test_distances_take_little_memory_beside_the_vectors():
    vectors = np.ones((100_000, 64), dtype=np.float32)
    tracemalloc.start()
    try:
        gap_distances(vectors)
        assert tracemalloc.get_traced_memory()[1] < vectors.nbytes / 2
    finally:
        tracemalloc.stop()
