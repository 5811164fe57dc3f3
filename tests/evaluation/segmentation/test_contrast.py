"""Cohesion inside chunks, similarity across cuts and to what surrounds them, worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Span
from evaluation.segmentation.cohesion import (
    CumulativeSimilarities,
    cosine_of_chunks_with_surroundings,
    mean_cosines_inside_and_across,
)


def plane(*degrees):
    """Return unit vectors in the plane; of two, the cosine is that of the angle between them."""
    radians = np.radians(degrees)
    return np.column_stack([np.cos(radians), np.sin(radians)])


def test_inside_and_across_are_means_over_pairs():
    # 0 0 | 60 60 60 | 150. Inside: 1 pair and 3 pairs, all alike. Across: 6 pairs of 1/2, 3 of a right angle.
    means = mean_cosines_inside_and_across(plane(0, 0, 60, 60, 60, 150), [0, 0, 1, 1, 1, 2])
    assert (means.pairs, means.crossing_pair_count) == (4, 9)
    assert means.inside == pytest.approx(1)
    assert means.across == pytest.approx(3 / 9)
    assert means.difference == pytest.approx(1 - 3 / 9)


def test_pieces_of_one_chunk_count_together():
    # The first and the last sentence share a chunk; the next chunk is that of the two between.
    means = mean_cosines_inside_and_across(plane(0, 90, 90, 60), [0, 1, 1, 0])
    assert means.inside == pytest.approx((1 / 2 + 1) / 2)
    assert means.across == pytest.approx((0 + 0 + 2 * math.cos(math.radians(30))) / 4)


def test_a_number_that_no_sentence_has_is_no_chunk():
    # Chunks 0, 2 and 5: 0 is next to 2, and 2 to 5.
    vectors = plane(0, 60, 120)
    assert mean_cosines_inside_and_across(vectors, [0, 2, 5]) == mean_cosines_inside_and_across(vectors, [0, 1, 2])
    # A sentence that is in no chunk has no part.
    assert mean_cosines_inside_and_across(plane(0, 45, 60), [0, None, 1]).across == pytest.approx(1 / 2)


def test_what_has_no_pairs_is_undefined():
    alone = mean_cosines_inside_and_across(plane(0, 60), [0, 1])
    assert (alone.inside, alone.difference) == (None, None)
    assert alone.across == pytest.approx(1 / 2)
    whole = mean_cosines_inside_and_across(plane(0, 60), [0, 0])
    assert (whole.across, whole.difference) == (None, None)
    nothing = mean_cosines_inside_and_across(plane(), [])
    assert (nothing.inside, nothing.across, nothing.pairs, nothing.crossing_pair_count) == (None, None, 0, 0)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(0, 99))
def test_they_are_the_means_over_a_matrix(numbers, seed):
    vectors = np.random.default_rng(seed).normal(size=(len(numbers), 5))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T
    _, owner = np.unique(numbers, return_inverse=True)
    apart = owner[None, :] - owner[:, None]
    inside, across = np.triu(apart == 0, 1), apart == 1
    means = mean_cosines_inside_and_across(vectors, numbers)
    assert (means.pairs, means.crossing_pair_count) == (inside.sum(), across.sum())
    if inside.any():
        assert means.inside == pytest.approx(cosines[inside].mean())
    if across.any():
        assert means.across == pytest.approx(cosines[across].mean())


def test_inside_is_the_cohesion_by_which_greed_is_weighed():
    vectors = np.random.default_rng(1).normal(size=(9, 4))
    cohesion = CumulativeSimilarities(vectors).cohesion_within_chunks_of_range(Span(0, 9), (2, 5))
    means = mean_cosines_inside_and_across(vectors, [0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert (means.inside, means.pairs) == (pytest.approx(cohesion.mean), cohesion.pairs)


def test_coherence_is_the_cosine_of_a_chunk_and_what_is_around_it():
    # Reach 1. Around 0 0 is the first 60, around 60 60 the last 0 and 150, around 150 the last 60.
    vectors = plane(0, 0, 60, 60, 150)
    second = plane(60)[0] @ (plane(0)[0] + plane(150)[0]) / np.linalg.norm(plane(0)[0] + plane(150)[0])
    assert cosine_of_chunks_with_surroundings(vectors, [0, 0, 1, 1, 2], surrounding_sentence_count=1) == pytest.approx(
        (1 / 2 + second + 0) / 3
    )


def test_around_pieces_is_around_each_without_the_chunk_itself():
    # Sentences 0 and 4 are a chunk: 1 and 3 are near; sentence 2 is not within reach of either.
    vectors = plane(0, 60, 17, 60, 0)
    around_middle = plane(60)[0] @ plane(0)[0]
    assert cosine_of_chunks_with_surroundings(vectors, [0, 1, 1, 1, 0], surrounding_sentence_count=1) == pytest.approx(
        (1 / 2 + (plane(60)[0] * 2 + plane(17)[0]) @ plane(0)[0] / np.linalg.norm(plane(60)[0] * 2 + plane(17)[0])) / 2
    )
    assert around_middle == pytest.approx(1 / 2)


def test_without_surroundings_there_is_no_coherence():
    assert cosine_of_chunks_with_surroundings(plane(0, 60), [0, 0]) is None
    assert cosine_of_chunks_with_surroundings(plane(), []) is None


@given(st.lists(st.integers(0, 3), min_size=1, max_size=14), st.integers(1, 4), st.integers(0, 99))
def test_coherence_is_that_of_sets_of_sentences(numbers, reach, seed):
    vectors = np.random.default_rng(seed).normal(size=(len(numbers), 5))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = []
    for number in set(numbers):
        own = {place for place, chunk in enumerate(numbers) if chunk == number}
        near = {place for place in range(len(numbers)) if min(abs(place - own_place) for own_place in own) <= reach} - own
        if near:
            own_sum, other = unit[sorted(own)].sum(axis=0), unit[sorted(near)].sum(axis=0)
            cosines.append(own_sum @ other / (np.linalg.norm(own_sum) * np.linalg.norm(other)))
    mean_cosine = cosine_of_chunks_with_surroundings(vectors, numbers, reach)
    assert mean_cosine == (pytest.approx(np.mean(cosines)) if cosines else None)
