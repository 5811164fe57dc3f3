"""Values that would reverse the verdict on a gap: by hand, and confirmed by running the chunker with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Breakpoint, DoublePass, FixedSentences, Reason
from chunkers.contract.base import Tipping
from chunkers.methods.max_min import MaxMin
from chunkers.recipes.chunker_registry import CHUNKERS
from tests.support import AngleEmbedder, HashEmbedder, cut, tools

TURNS = "0\n5\n60\n65\n100"


def tipping_at(chunker, text, gap, embedder):
    chunking = cut(chunker, text, embedder=embedder)
    return chunking.gaps[gap], chunker.tipping(chunking, chunking.gaps[gap], tools(embedder))


def with_values(chunker, values):
    return type(chunker)(**{**chunker.model_dump(), **values})


def stop_before(chunker, tipping):
    """Return the values with the last one at the stop before it, on the way from the present one; None if there is none."""
    parameter, value = [*tipping.new_values.items()][-1]
    spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == parameter)
    present = getattr(chunker, parameter)
    if parameter in ("min_size", "max_size"):
        raised = parameter == "min_size" if present is None else value > present
        return {**tipping.new_values, parameter: value - 1 if raised else value + 1}
    way = [stop for stop in spec.stops if min(present, value) < stop < max(present, value)]
    before = min(way, key=lambda stop: abs(stop - value), default=None)
    return None if before is None else {**tipping.new_values, parameter: before}


def check(chunker, text, embedder, always=False):
    """Check every suggestion on a text, ``always`` that each gap has one; return how many there are."""
    chunking = cut(chunker, text, embedder=embedder)
    count = 0
    for place, gap in enumerate(chunking.gaps):
        tipping = chunker.tipping(chunking, gap, tools(embedder))
        assert tipping is not None or not always, gap
        if tipping is None or gap.offset is not None:
            continue
        count += 1
        assert tipping.cuts is not gap.verdict.is_cut
        there = cut(with_values(chunker, tipping.new_values), text, embedder=embedder)
        assert there.gaps[place].verdict.is_cut is tipping.cuts, (gap, tipping)
        before = stop_before(chunker, tipping)
        if before is not None:
            less = cut(with_values(chunker, before), text, embedder=embedder)
            assert less.gaps[place].verdict.is_cut is gap.verdict.is_cut, (gap, tipping, before)
        if tipping.also is not None:
            for alone in tipping.new_values.items():
                partial = cut(with_values(chunker, dict([alone])), text, embedder=embedder)
                assert partial.gaps[place].verdict.is_cut is gap.verdict.is_cut, (gap, tipping, alone)
    return count


def test_the_amount_that_puts_the_line_on_the_other_side_of_the_gap():
    # The distances are 1 - cos of 5, 55, 5 and 35 degrees: 0.004, 0.426, 0.004, 0.181.
    chunker = Breakpoint(threshold="distance", amount=0.3)
    gap, tipping = tipping_at(chunker, TURNS, 1, AngleEmbedder())
    assert gap.verdict.is_cut
    assert tipping == Tipping("amount", "distance", 0.43, False, pytest.approx(1 - np.cos(np.radians(55)) - 0.3, abs=1e-6))
    assert str(tipping) == "by 0.126: distance 0.43 would keep it"
    _, tipping = tipping_at(chunker, TURNS, 3, AngleEmbedder())
    assert str(tipping) == "by 0.119: distance 0.18 would cut here"
    # The slider ends at 0.05, which does not cut at a distance of 0.004.
    assert tipping_at(chunker, TURNS, 0, AngleEmbedder())[1] is None


def test_a_gap_that_a_size_decided_has_no_amount_that_would_change_it():
    chunker = Breakpoint(threshold="distance", amount=0.3, min_size=3, size_unit="sentences")
    gap, tipping = tipping_at(chunker, TURNS, 1, AngleEmbedder())
    assert gap.verdict.is_sized
    assert tipping is None


@pytest.mark.parametrize(
    ("parameters", "gap", "said"),
    [
        ({"size": 4}, 1, "size 2 would cut here"),
        ({"size": 4}, 3, "size 5 would keep it"),
        ({"size": 4}, 6, "size 7 would cut here"),
        ({"size": 4}, 0, ""),
        ({"size": 4, "overlap": 1}, 4, "size 5 would cut here"),
        ({"size": 4, "overlap": 3}, 1, ""),
        # 12 sentences in 4 chunks are groups of 3, in 5 as well.
        ({"chunks": 3}, 2, "number of chunks 4 would cut here"),
        ({"size": 4, "max_size": 3, "size_unit": "sentences"}, 1, ""),
    ],
)
def test_the_size_that_ends_a_chunk_here(parameters, gap, said):
    text = "\n".join(f"{angle}" for angle in range(12))
    assert str(tipping_at(FixedSentences(**parameters), text, gap, AngleEmbedder())[1] or "") == said


def test_the_threshold_of_the_pass_that_decided():
    settings = {"initial_threshold": 0.9, "appending_threshold": 0.9, "merging_threshold": 0.8}
    # Pass one parts 5 and 32 degrees by 0.87, pass two joins both chunks by cos 32 degrees, 0.85.
    kept = DoublePass(**settings)
    gap, tipping = tipping_at(kept, "0\n5\n32\n37", 1, AngleEmbedder())
    assert not gap.verdict.is_cut
    assert (tipping.parameter, tipping.value, tipping.cuts) == ("merging_threshold", 0.85, True)
    parted = DoublePass(**{**settings, "merging_threshold": 0.9})
    gap, tipping = tipping_at(parted, "0\n5\n32\n37", 1, AngleEmbedder())
    assert gap.why.brief() == "0.85 ≤ merging 0.90"
    # Pass one compared the mean of 0 and 5 degrees with 32: the cosine of 29.5 degrees, 0.8704.
    assert str(tipping) == "by 0.030: appending 0.87 would keep it"


def test_what_pass_one_parts_and_pass_two_merges_again_takes_both_thresholds():
    # Pass one keeps 0 and 20 degrees by cos 20, 0.94; parted at 0.94, pass two would merge both by the same.
    chunker = DoublePass(initial_threshold=0.9, appending_threshold=0.9, merging_threshold=0.8)
    gap, tipping = tipping_at(chunker, "0\n20", 0, AngleEmbedder())
    assert gap.why.brief() == "0.94 > initial 0.90"
    assert tipping.new_values == {"initial_threshold": 0.94, "merging_threshold": 0.94}
    assert str(tipping) == (
        "by 0.040: initial 0.94 with merging 0.94 would cut here, neither alone: pass two merges what pass one parts"
    )


SENTENCES = st.lists(st.integers(0, 120), min_size=2, max_size=14).map(lambda angles: "\n".join(map(str, angles)))
SIZES = st.sampled_from([{}, {}, {"min_size": 2, "size_unit": "sentences"}, {"max_size": 3, "size_unit": "sentences"}])


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(
    SENTENCES,
    st.sampled_from(["percentile", "standard_deviation", "interquartile", "gradient", "distance", "slope", "depth"]),
    SIZES,
    st.integers(0, 200),
)
def test_the_amount_changes_the_verdict_and_a_little_less_does_not(text, threshold, sizes, place):
    stops = next(field for field in Breakpoint.fields({"threshold": threshold}) if field.name == "amount").stops
    check(Breakpoint(threshold=threshold, amount=stops[place % len(stops)], **sizes), text, AngleEmbedder())


@settings(deadline=None, max_examples=40)
@given(SENTENCES, st.integers(1, 12), st.integers(0, 4), st.none() | st.integers(1, 9))
def test_the_size_changes_the_verdict_and_a_little_less_does_not(text, size, overlap, chunks):
    check(FixedSentences(size=size, overlap=min(overlap, size - 1), chunks=chunks), text, AngleEmbedder())


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(
    SENTENCES,
    *[st.sampled_from([0.0, 0.2, 0.5, 0.8, 0.9, 0.95, 1.0])] * 3,
    st.sampled_from([{}, {"look_ahead": 2}, {"max_size": 9}, {"min_size": 6}, {"min_size": 5, "max_size": 12}]),
)
def test_the_threshold_changes_the_verdict_and_a_little_less_does_not(text, initial, appending, merging, others):
    thresholds = {"initial_threshold": initial, "appending_threshold": appending, "merging_threshold": merging}
    check(DoublePass(**thresholds, **others), text, AngleEmbedder(), always=True)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(SENTENCES, st.sampled_from([0.1, 0.3, 0.6, 0.8, 0.95]), st.sampled_from([0.5, 0.9, 1.3]), SIZES)
def test_the_hard_threshold_changes_the_verdict_and_a_little_less_does_not(text, hard, relaxation, sizes):
    check(MaxMin(hard_threshold=hard, relaxation=relaxation, **sizes), text, AngleEmbedder())


@pytest.mark.slow
@pytest.mark.parametrize(("chunker", "least"), [(Breakpoint(amount=80), 30), (FixedSentences(), 15), (DoublePass(), 5)])
def test_on_ordinary_texts_many_gaps_have_a_suggestion(chunker, least):
    text = "\n".join(f"{number} is a sentence of its own." for number in range(40))
    assert check(chunker, text, HashEmbedder()) >= least


KNOWN = ("breakpoint", "fixed_sentences", "double_pass", "max_min")


@pytest.mark.parametrize("name", [name for name in CHUNKERS if name not in KNOWN])
def test_chunkers_of_which_nothing_is_known_say_nothing(name):
    chunker = CHUNKERS[name]()
    chunking = cut(chunker, TURNS, embedder=AngleEmbedder())
    assert all(chunker.tipping(chunking, gap, tools(AngleEmbedder())) is None for gap in chunking.gaps)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (Reason("distance", 0.7321, ">", 0.7194), "0.73 > 0.72"),
        (Reason("similarity", 0.543, ">", 0.3, "merging", heading="merged in pass two"), "0.54 > merging 0.30"),
        (Reason("distance", 0.43, "largest", earlier=Reason(remark="a chunk of 9 words")), "largest distance 0.43"),
        (Reason("distance", 0.5, "=", 0.5, remark="but for rounding"), "0.50 = 0.50, but for rounding"),
        (Reason(remark="size 4 reached"), "size 4 reached"),
        (Reason(remark="a long story", short="in short"), "in short"),
    ],
)
def test_the_step_that_decided_in_short(reason, said):
    assert reason.brief() == said


def test_pass_two_in_short():
    parameters = {"initial_threshold": 0.9, "appending_threshold": 0.9, "merging_threshold": 0.95}
    chunking = cut(DoublePass(**parameters), "0\n90\n180\n0", embedder=AngleEmbedder())
    assert chunking.gaps[0].why.brief() == "0.00 next, −1.00 after; both ≤ merging 0.95"
    over = cut(DoublePass(**parameters), "0\n5\n90\n3\n6", embedder=AngleEmbedder())
    assert over.gaps[1].why.brief() == "1.00 > merging 0.95, over a snippet"


def test_a_hair_is_told_from_nothing():
    assert str(Tipping("amount", "percentile", 75, False, 0.0004)) == "by less than 0.001: percentile 75 would keep it"
