"""Shuffled texts: their orders, what is remembered of them, and the band on the curves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import build_chunker
from chunkers.building_blocks.sentence_distances import (
    MOST_SAMPLED_SENTENCES,
    SHUFFLE_COUNT,
    gap_distances,
    scores_under_shuffling,
    shuffled_sentence_orders,
)
from chunkers.building_blocks.thresholds import THRESHOLDS
from chunkers.methods.breakpoint import convert_chunking_to_similarities
from tests.support import AngleEmbedder, HashEmbedder, cut


@pytest.mark.slow
@given(st.integers(1, 60), st.integers(1, 70))
def test_an_order_holds_every_sentence_once_and_leaves_runs_together(count, run):
    shuffles = shuffled_sentence_orders(count, run)
    assert len(shuffles) == SHUFFLE_COUNT
    for order in shuffles:
        assert sorted(order.tolist()) == list(range(count))
        # A run may begin before each of these, and before the first sentence.
        breaks = [order[at] for at in range(1, count) if order[at] != order[at - 1] + 1]
        starts = {int(place) % run for place in breaks if place}
        assert len(starts) <= 1


def test_orders_are_seeded_and_differ():
    shuffled_sentence_orders.cache_clear()
    first = [order.tolist() for order in shuffled_sentence_orders(30)]
    shuffled_sentence_orders.cache_clear()
    assert [order.tolist() for order in shuffled_sentence_orders(30)] == first
    assert len({tuple(order) for order in first}) == SHUFFLE_COUNT


@pytest.mark.parametrize("run", [1, 7])
def test_of_a_long_text_a_sample_is_looked_at(run):
    shuffles = shuffled_sentence_orders(10 * MOST_SAMPLED_SENTENCES, run)
    assert {len(order) for order in shuffles} == {MOST_SAMPLED_SENTENCES}
    assert all(len(set(order.tolist())) == MOST_SAMPLED_SENTENCES for order in shuffles)
    # From the whole text, and not the same everywhere.
    assert len(set(np.concatenate(shuffles).tolist())) > 5 * MOST_SAMPLED_SENTENCES
    # More of them begin alike.
    longer = shuffled_sentence_orders(10 * MOST_SAMPLED_SENTENCES, run, 2 * MOST_SAMPLED_SENTENCES)
    assert {len(order) for order in longer} == {2 * MOST_SAMPLED_SENTENCES}
    assert all((order == more[:MOST_SAMPLED_SENTENCES]).all() for order, more in zip(shuffles, longer, strict=True))


def test_what_was_measured_is_remembered_by_vectors_run_and_name():
    asked = []

    def measure(vectors):
        asked.append(vectors)
        return vectors[:1, 0]

    vectors = np.random.default_rng(1).normal(size=(5, 2))
    first = scores_under_shuffling(vectors, 1, "remembered", measure)
    assert len(asked) == len(first) == SHUFFLE_COUNT
    assert scores_under_shuffling(vectors.copy(), 1, "remembered", measure) is first
    assert len(asked) == SHUFFLE_COUNT
    for others in ((vectors + 1, 1, "remembered"), (vectors, 2, "remembered"), (vectors, 1, "other")):
        scores_under_shuffling(*others, measure)
    assert len(asked) == 4 * SHUFFLE_COUNT
    scores_under_shuffling(vectors, 1, "remembered", measure, 3)
    assert len(asked) == 5 * SHUFFLE_COUNT
    assert len(asked[-1]) == 3


def test_what_raises_is_not_remembered():
    def fail(vectors):
        raise RuntimeError("stopped")

    vectors = np.random.default_rng(2).normal(size=(5, 2))
    for _ in range(2):
        with pytest.raises(RuntimeError):
            scores_under_shuffling(vectors, 1, "fails", fail)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_the_band_of_a_breakpoint_is_the_middle_half_of_the_shuffled_scores(threshold):
    text = "\n".join(f"line {number}" for number in range(12))
    vectors = HashEmbedder().encode(text.splitlines())
    rule = THRESHOLDS[threshold]
    scores = np.concatenate([rule.scores(gap_distances(vectors[order])) for order in shuffled_sentence_orders(12)])
    band = cut(build_chunker("breakpoint", {"threshold": threshold}), text).curves[0].null
    assert (band.low, band.high) == pytest.approx(np.nanpercentile(scores, [25, 75]).tolist())


def test_the_band_by_hand():
    # Only two directions: in any order two neighbours are 0 or 1 apart, 0.5 where they are half way.
    band = cut(build_chunker("breakpoint", {}), "0 a\n0 b\n0 c\n0 d", embedder=AngleEmbedder()).curves[0].null
    assert (band.low, band.high) == pytest.approx((0, 0))
    band = cut(build_chunker("breakpoint", {}), "0 a\n90 b", embedder=AngleEmbedder()).curves[0].null
    assert (band.low, band.high) == pytest.approx((1, 1))


def test_a_band_is_read_as_similarity_too():
    chunking = cut(build_chunker("breakpoint", {}), "0 a\n60 b\n0 c", embedder=AngleEmbedder())
    (curve,), (mirrored,) = chunking.curves, convert_chunking_to_similarities(chunking).curves
    assert (mirrored.null.low, mirrored.null.high) == (1 - curve.null.high, 1 - curve.null.low)


@pytest.mark.parametrize("text", ["", "one", "0 a"])
def test_no_gap_no_band(text):
    for curve in cut(build_chunker("breakpoint", {}), text, embedder=AngleEmbedder() if text == "0 a" else None).curves:
        assert curve.null is None
