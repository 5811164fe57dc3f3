"""The cost of greedy cuts, worked by hand."""

import math

import numpy as np
import pytest

from chunkers import Chunking, Document, Gap, Reason, Verdict
from chunkers.text.document import Span
from evaluation.segmentation.cohesion import (
    CumulativeSimilarities,
    compare_greedy_with_other_chunking,
    sentence_numbers_before_cuts,
)

# Six sentences in the plane. Neighbours' cosines: 0 and 60 degrees apart give 1/2, 90 give 0.
ANGLES = [0, 0, 60, 60, 60, 150]


def similarities():
    radians = np.radians(ANGLES)
    return CumulativeSimilarities(np.column_stack([np.cos(radians), np.sin(radians)]))


def chunking(cuts, inside=()):
    document = Document.from_text("a\nb\nc\nd\ne\nf", "lines")
    gaps = [Gap(index, None, None, Verdict.CUT if index in cuts else Verdict.KEPT, Reason()) for index in range(5)]
    gaps += [Gap(index, None, None, Verdict.CUT, Reason(), offset=document.starts[index]) for index in inside]
    return Chunking.from_gaps(document, sorted(gaps, key=lambda gap: gap.index))


def test_a_run_has_the_mean_cosine_of_its_pairs():
    # 0 0 60: the pairs are 1, 1/2 and 1/2.
    whole = similarities().cohesion_within_chunks_of_range(Span(0, 3), ())
    assert (whole.mean, whole.pairs) == (pytest.approx(2 / 3), 3)
    # 0 0 | 60: one pair is left, of cosine 1.
    parted = similarities().cohesion_within_chunks_of_range(Span(0, 3), (1,))
    assert (parted.mean, parted.pairs) == (pytest.approx(1), 1)


def test_means_are_weighted_by_pairs():
    # 0 0 60 60 | 60 150: six pairs of 1, 1/2 four times, 1; and one of 0.
    assert similarities().cohesion_within_chunks_of_range(Span(0, 6), (3,)).mean == pytest.approx((1 + 4 / 2 + 1 + 0) / 7)


def test_sentences_alone_have_no_cohesion():
    alone = similarities().cohesion_within_chunks_of_range(Span(0, 2), (0,))
    assert alone.pairs == 0
    assert math.isnan(alone.mean)


def test_cuts_outside_a_stretch_do_not_matter():
    assert similarities().cohesion_within_chunks_of_range(Span(2, 5), (1, 4)).mean == pytest.approx(1)


def test_it_is_the_mean_over_all_pairs_of_a_matrix():
    vectors = np.random.default_rng(4).normal(size=(40, 7))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cuts = (4, 5, 17, 30)
    chunk = np.searchsorted(cuts, np.arange(40))
    together = np.triu(chunk[:, None] == chunk[None, :], 1)
    expected = (unit @ unit.T)[together].mean()
    assert CumulativeSimilarities(vectors).cohesion_within_chunks_of_range(Span(0, 40), cuts).mean == pytest.approx(expected)


def test_greed_that_costs():
    # Greedy parts 0 0 60 | 60 60 150, the other 0 0 | 60 60 60 150; the stretch of greed's one cut is the whole text.
    [comparison] = compare_greedy_with_other_chunking(chunking({2}), chunking({1}), similarities()).values()
    assert comparison.stretch == (0, 6)
    # 60 to 150 is a right angle: its pairs are 0.
    assert comparison.greedy_cohesion.mean == pytest.approx((1 + 1 / 2 + 1 / 2 + 1 + 0 + 0) / 6)
    assert comparison.other_cohesion.mean == pytest.approx((1 + 3 * 1 + 3 * 0) / 7)
    assert comparison.greedy_minus_other_cohesion == pytest.approx(3 / 6 - 4 / 7)
    assert (
        comparison.greedy_gain_in_words()
        == "deciding gap by gap costs 0.07 here: what stays together is that much less alike"
    )


def test_greed_that_pays_and_a_stretch_between_two_cuts():
    made = compare_greedy_with_other_chunking(chunking({1, 4}), chunking({2}), similarities())
    assert {cut: comparison.stretch for cut, comparison in made.items()} == {1: (0, 5), 4: (2, 6)}
    # 0 0 | 60 60 60 against 0 0 60 | 60 60.
    assert made[1].greedy_cohesion.mean == pytest.approx(1)
    assert made[1].other_cohesion.mean == pytest.approx((1 + 1 / 2 + 1 / 2 + 1) / 4)
    assert (
        made[1].greedy_gain_in_words() == "deciding gap by gap gains 0.25 here: what stays together is that much more alike"
    )
    # 60 60 60 | 150 against 60 | 60 60 150.
    assert made[4].other == (2,)
    assert (
        made[4].greedy_gain_in_words() == "deciding gap by gap gains 0.67 here: what stays together is that much more alike"
    )


def test_the_same_cuts_change_nothing():
    [comparison] = compare_greedy_with_other_chunking(chunking({1}), chunking({1}), similarities()).values()
    assert comparison.greedy_minus_other_cohesion == 0
    assert comparison.greedy_gain_in_words() == "deciding gap by gap changes nothing here: what stays together is as alike"


def test_nothing_is_weighed_where_all_stand_alone():
    made = compare_greedy_with_other_chunking(chunking({0, 1, 2, 3, 4}), chunking(set()), similarities())
    assert made[0].greedy_minus_other_cohesion is None
    assert "nothing to weigh" in made[0].greedy_gain_in_words()


def test_a_cut_inside_a_sentence_counts_once_as_one_after_it():
    assert sentence_numbers_before_cuts(chunking({2}, inside=(2, 3, 5))) == (2, 3)
