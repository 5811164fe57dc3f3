"""Thresholds and the breakpoint chunker on similarities worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Breakpoint, ParameterError, Verdict, build_chunker
from chunkers.building_blocks.thresholds import THRESHOLDS, TIE_TOLERANCE, mark_scores_passing_level
from tests.support import AngleEmbedder, cut, sentence_numbers

DISTANCES = np.array([0.1, 0.5, 0.2, 0.8, 0.3])


@pytest.mark.parametrize(
    ("name", "amount", "line"),
    [
        ("percentile", 50, 0.3),
        ("percentile", 75, 0.5),
        ("standard_deviation", 1, 0.38 + np.sqrt(np.mean((DISTANCES - 0.38) ** 2))),
        ("interquartile", 1.5, 0.38 + 1.5 * (0.5 - 0.2)),
        ("gradient", 50, 0.05),
        ("distance", 0.42, 0.42),
        ("absolute_gradient", 0.1, 0.1),
        ("slope", 1, -0.05 - np.std([-0.4, 0.3, -0.6, 0.5])),
        ("depth", 0.5, 0.36 - 0.5 * np.std([0, 0.7, 0, 1.1, 0])),
    ],
)
def test_lines(name, amount, line):
    rule = THRESHOLDS[name]
    assert rule.threshold_level_for_amount(rule.scores(DISTANCES), amount) == pytest.approx(line)


@given(distances=st.lists(st.floats(0, 2, width=32), min_size=1, max_size=30), amount=st.floats(-10, 10))
def test_what_is_no_valley_is_not_cut_however_low_the_line_may_be(distances, amount):
    rule = THRESHOLDS["depth"]
    depths = rule.scores(np.array(distances))
    assert not np.any(
        mark_scores_passing_level(depths, rule.threshold_level_for_amount(depths, amount), cuts_above=True) & (depths <= 0)
    )


@given(
    name=st.sampled_from(sorted(THRESHOLDS)),
    scores=st.lists(st.one_of(st.just(float("nan")), st.floats(-1, 2, width=32)), max_size=30),
    amounts=st.lists(st.floats(1, 10), min_size=1, max_size=30),
)
def test_lines_for_many_amounts_are_those_for_each(name, scores, amounts):
    rule, array = THRESHOLDS[name], np.array(scores, dtype=np.float64)
    assert rule.threshold_levels_for_amounts(array, amounts) == pytest.approx(
        [rule.threshold_level_for_amount(array, amount) for amount in amounts], nan_ok=True, abs=0, rel=0
    )
    defined = array[~np.isnan(array)]
    if name == "percentile" and len(defined):
        assert rule.threshold_level_for_amount(array, amounts[0]) == np.percentile(defined, amounts[0])


def test_gradient_is_central_inside_and_one_sided_at_the_ends():
    assert THRESHOLDS["gradient"].scores(DISTANCES) == pytest.approx([0.4, 0.05, 0.15, 0.05, -0.5])


def test_slope_marks_the_gap_into_which_the_similarity_falls():
    text = "0\n1\n2\n80\n81\n82"
    chunking = cut(Breakpoint.build(threshold="slope", amount=1), text, embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [3, 3]
    assert chunking.gaps[0].score is None
    assert chunking.gaps[2].reason.startswith("slope of similarity −0.7")


@pytest.mark.parametrize(
    ("distances", "depths"),
    [
        ([0.1, 0.5, 0.2, 0.8, 0.3], [0, 0.4 + 0.3, 0, 0.6 + 0.5, 0]),
        # Both sides go on to the peak, over what is as high, and not beyond it.
        ([0.3, 0.1, 0.4, 0.4, 0.9, 0.6, 0.2, 0.5], [0.2, 0, 0.3, 0.3, 0.8 + 0.7, 0.4, 0, 0.3]),
        ([0.7], [0]),
        ([], []),
    ],
)
def test_a_valley_is_as_deep_as_its_fall_from_the_peaks_on_both_sides(distances, depths):
    assert THRESHOLDS["depth"].scores(np.array(distances)) == pytest.approx(depths)


@given(st.lists(st.floats(0, 2), min_size=5, max_size=60))
def test_depths_are_those_of_nltks_texttiling(distances):
    from nltk.tokenize.texttiling import TextTilingTokenizer

    similarities = [1 - distance for distance in distances]
    theirs = TextTilingTokenizer(stopwords=[])._depth_scores(similarities)
    # NLTK leaves out the gaps near the ends of the text.
    clip = min(max(len(distances) // 10, 2), 5)
    ours = THRESHOLDS["depth"].scores(1 - np.array(similarities))
    assert ours[clip:-clip] == pytest.approx(theirs[clip:-clip], abs=1e-9)


def test_a_gap_is_cut_when_its_distance_exceeds_the_line():
    text = "0\n10\n90\n95\n100"
    chunking = cut(Breakpoint.build(threshold="distance", amount=0.5), text, embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [2, 3]
    gap = chunking.gaps[1]
    assert gap.score == pytest.approx(1 - np.cos(np.radians(80)), abs=1e-6)
    assert (gap.threshold, gap.verdict, gap.reason) == (0.5, Verdict.CUT, "distance 0.83 > 0.50")
    assert chunking.gaps[0].reason == "distance 0.02 ≤ 0.50"


@pytest.mark.parametrize("threshold", ["gradient", "absolute_gradient", "slope"])
def test_two_sentences_have_no_gradient_and_stay_together(threshold):
    chunking = cut(Breakpoint.build(threshold=threshold), "0\n90", embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [2]
    assert "needs a gap beside it" in chunking.gaps[0].reason


def test_equal_distances_are_never_above_their_own_percentile():
    chunking = cut(Breakpoint.build(amount=10), "0\n0\n0\n0", embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [4]


def test_buffer_joins_neighbours_by_spaces():
    embedder = AngleEmbedder()
    cut(Breakpoint.build(buffer=1), "1\n2\n3", embedder=embedder)
    assert sorted(text for batch in embedder.batches for text in batch) == ["1 2", "1 2 3", "2 3"]


def test_another_threshold_has_another_default():
    assert [Breakpoint.build(threshold=name).amount for name in THRESHOLDS] == [95, 3, 1.5, 95, 0.5, 0.1, 1.5, 0.5]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"amount": 0.95}, "did you mean 95?"),
        ({"amount": 101}, "between 1 and 100 for the percentile threshold; got 101"),
        ({"threshold": "median"}, "threshold must be one of 'percentile'"),
        ({"buffer": -1}, "buffer must be at least 0; got -1"),
        ({"bufer": 1}, "no parameter 'bufer'"),
        ({"amount": float("nan")}, "amount must be a finite number"),
        ({"min_size": 10, "max_size": 5}, "min_size must be at most max_size (5); got 10"),
    ],
)
def test_wrong_parameters_get_a_sentence(parameters, words):
    with pytest.raises(ParameterError) as error:
        build_chunker("breakpoint", parameters)
    assert words in str(error.value)
    assert str(error.value).startswith("breakpoint")


def test_both_readings():
    assert Breakpoint.build(amount=70).amount_explanation() == (
        "Cuts the 30 % of gaps with the greatest distance: the lowest 30 % by similarity."
    )
    assert "similarity is below 0.6" in Breakpoint.build(threshold="distance", amount=0.4).amount_explanation()


def test_levels_are_the_lines_of_other_amounts():
    chunker = Breakpoint.build(amount=95)
    assert chunker.levels("amount", [50, 75], DISTANCES) == pytest.approx([0.3, 0.5])


SIZED = "0\n30\n31\n90\n91\n150"


def test_minimum_size_merges_to_the_left_and_the_first_chunk_to_the_right():
    chunker = Breakpoint.build(threshold="distance", amount=0.05, min_size=2, size_unit="sentences")
    chunking = cut(chunker, SIZED, embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [3, 3]
    assert [gap.verdict is Verdict.REJECTED for gap in chunking.gaps] == [True, False, False, False, True]
    assert "a chunk of 1 sentences beside it, below minimum size 2" in chunking.gaps[4].reason


def test_a_merge_that_would_pass_the_maximum_is_refused():
    text = "0\n1\n2\n90\n91\n92\n180"
    chunker = Breakpoint.build(threshold="distance", amount=0.5, min_size=2, max_size=3, size_unit="sentences")
    chunking = cut(chunker, text, embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [3, 3, 1]
    assert "with its neighbour above maximum size 3" in chunking.gaps[5].reason


def test_the_weakest_gap_is_cut_first():
    text = "0\n5\n35\n40\n45"
    chunker = Breakpoint.build(threshold="distance", amount=0.9, max_size=3, size_unit="sentences")
    chunking = cut(chunker, text, embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [2, 3]
    assert chunking.gaps[1].verdict is Verdict.FORCED
    assert "its largest distance, 0.13, is here" in chunking.gaps[1].reason


def test_one_long_sentence_is_cut_inside():
    text = "0 " + "word " * 30 + "\n90 short"
    chunker = Breakpoint.build(threshold="distance", amount=0.5, max_size=40)
    chunking = cut(chunker, text, embedder=AngleEmbedder())
    assert all(len(chunk.text) <= 40 for chunk in chunking.chunks)
    inside = [gap for gap in chunking.gaps if gap.offset is not None]
    assert inside
    assert all(gap.verdict is Verdict.FORCED and "inside sentence 1" in gap.reason for gap in inside)


@pytest.mark.parametrize("threshold", ["percentile", "standard_deviation", "interquartile", "gradient"])
@pytest.mark.parametrize("turn", [40, 77, 104])
def test_equal_distances_are_not_cut_whatever_rounding_makes_of_their_mean(threshold, turn):
    for count in range(2, 41):
        text = "\n".join(["0", str(turn)] * count)
        chunking = cut(Breakpoint.build(threshold=threshold), text, embedder=AngleEmbedder())
        assert len(chunking) == 1


@pytest.mark.slow
@given(
    distances=st.lists(st.floats(0, 2), min_size=1, max_size=30),
    amount=st.floats(0, 3),
    noise=st.floats(0, TIE_TOLERANCE / 2),
)
@settings(max_examples=200, deadline=None)
def test_what_passes_a_line_passes_it_by_more_than_rounding(distances, amount, noise):
    scores = np.array(distances)
    rule = THRESHOLDS["interquartile"]
    level = rule.threshold_level_for_amount(scores, amount)
    passed = rule.passes(scores, level)
    assert not passed[scores <= level].any()
    assert passed[scores > level + 2 * TIE_TOLERANCE].all()
    assert not rule.passes(np.full(3, level + noise), level).any()
    assert not THRESHOLDS["slope"].passes(np.full(3, level - noise), level).any()
    assert not rule.passes(np.full(3, np.nan), level).any()


def test_a_score_on_the_line_but_for_rounding_says_so():
    # Three tenths and the sum of one and two tenths: the last bit differs.
    gaps = Breakpoint.build(threshold="distance", amount=0.3)._judged_gaps(np.array([0.1 + 0.2, 0.3, 0.3 + 1e-8]), 0.3)
    assert [gap.verdict is Verdict.CUT for gap in gaps] == [False, False, True]
    assert [gap.reason for gap in gaps] == [
        "distance 0.30 = 0.30, but for rounding",
        "distance 0.300000 ≤ 0.300000",
        "distance 0.30000001 > 0.30000000",
    ]
