"""The sentence for every kind of decision, all written in one place."""

import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkers import Breakpoint, Gap, Reason, Verdict, build_chunker
from chunkers.methods.breakpoint import convert_chunking_to_similarities
from chunkers.results.result import combine_reasons, format_distinguishably
from tests.support import AngleEmbedder, as_number, cut

TURNS = "0 a.\n10 b.\n90 c.\n95 d.\n170 e.\n2 f."
KINDS = [
    ("fixed_sentences", {"size": 2}, ["fewer than 2 sentences so far", "size 2 reached"]),
    ("fixed_sentences", {"size": 2, "overlap": 1}, ["size 2 reached; the next chunk repeats 1"]),
    ("fixed_words", {"size": 3, "overlap": 0}, ["inside sentence 2: size 3 words reached", "fewer than 3 words so far"]),
    ("recursive", {"size": 9}, ["the next piece would pass size 9 characters; cut at a line break"]),
    ("recursive", {"size": 30}, ["no separator is needed here: the chunk stays within size 30 characters"]),
    ("breakpoint", {"threshold": "distance"}, ["distance 0.02 ≤ 0.50", "distance 0.83 > 0.50"]),
    ("breakpoint", {"threshold": "slope"}, ["no slope of similarity at this gap: it needs a gap beside it"]),
    ("breakpoint", {"threshold": "gradient"}, ["gradient of distance 0.81 ≤ 1.19", "gradient of distance 1.24 > 1.19"]),
    (
        "breakpoint",
        {"threshold": "distance", "min_size": 2, "max_size": 2, "size_unit": "sentences"},
        ["distance 0.74 > 0.50; a chunk of 1 sentences beside it, below minimum size 2"],
    ),
    (
        "breakpoint",
        {"threshold": "distance", "amount": 2.0, "max_size": 4, "size_unit": "sentences"},
        [
            "distance 1.98 ≤ 2.00; a chunk of 6 sentences, above maximum size 4; its largest distance, 1.98, is here",
            "distance 0.83 ≤ 2.00; a chunk of 5 sentences, above maximum size 4; its largest distance, 0.83, is here",
        ],
    ),
    (
        "fixed_sentences",
        {"size": 6, "max_size": 2, "min_size": 2, "size_unit": "sentences", "oversize": "recursive"},
        ["fewer than 6 sentences so far; a chunk of 6 sentences, above maximum size 2; cut after every 2"],
    ),
    (
        "breakpoint",
        {"amount": 100, "max_size": 4, "oversize": "recursive"},
        [
            "distance 0.83 ≤ 1.98; a chunk of 34 characters, above maximum size 4; cut by the recursive chunker",
            "inside sentence 2: a chunk of 34 characters, above maximum size 4; cut by the recursive chunker",
        ],
    ),
    ("target_size", {"size": 6, "unit": "words", "buffer": 0}, ["the level at which the average chunk fits 6 words"]),
    (
        "double_pass",
        {"initial_threshold": 0.5, "appending_threshold": 0.5, "merging_threshold": 0.5},
        [
            "joined in pass one: similarity 0.98 > initial 0.50",
            "pass one: similarity 0.09 ≤ appending 0.50; pass two: similarity 0.04 next, −0.97 after; both ≤ merging 0.5",
            "pass one: similarity −0.98 ≤ initial 0.50; pass two: similarity −0.98 ≤ merging 0.50",
        ],
    ),
    (
        "double_pass",
        {"initial_threshold": 0.5, "appending_threshold": 0.5, "merging_threshold": 0.0},
        ["pass one: similarity 0.09 ≤ appending 0.50; merged in pass two: similarity 0.04 > merging 0.00"],
    ),
    ("change_point", {"penalty": 0.4}, [" > penalty 0.40", " ≤ penalty 0.40"]),
    ("change_point", {"chunks": 2}, ["; the best 2 chunks part these sentences", "gain "]),
    ("optimal", {"max_size": 6, "piece_size": 3}, ["the best partition with this cut gains "]),
    ("kmeans", {"clusters": 2}, ["both in chunk 1; distance 0.02", "chunk 1, then chunk 2; distance 0.83"]),
    ("dbscan", {"eps": 0.02, "position_weight": 0}, ["chunk 2, then chunk 3; joint distance 0.74; noise: sentence 5"]),
]


@pytest.mark.parametrize(("name", "parameters", "said"), KINDS)
def test_every_kind_of_decision_has_its_sentence(name, parameters, said):
    reasons = [gap.reason for gap in cut(build_chunker(name, parameters), TURNS, embedder=AngleEmbedder()).gaps]
    for words in said:
        assert any(words in reason for reason in reasons), f"{words!r} is in none of {reasons}"


def test_a_reason_says_what_it_holds():
    assert str(Reason("gain", 1.234)) == "gain 1.23"
    assert str(Reason("gain", 1.2, ">", 1.15, "penalty", "for once")) == "gain 1.20 > penalty 1.15, for once"
    assert str(Reason("distance", 0.5, "largest")) == "its largest distance, 0.50, is here"
    assert str(Reason(remark="size 4 reached", heading="inside sentence 2")) == "inside sentence 2: size 4 reached"
    assert str(Reason("", 0.5, "≤", 0.6, "merging")) == "0.50 ≤ merging 0.60"
    assert str(Reason()) == ""


def test_decisions_of_several_steps_are_said_in_their_order():
    first, second, third = Reason("distance", 0.5), Reason(remark="and more"), Reason(remark="and most", heading="at last")
    whole = combine_reasons(first, combine_reasons(second, third))
    assert str(whole) == "distance 0.50; and more; at last: and most"
    assert whole.steps() == [first, second, third]
    assert combine_reasons(*whole.steps()) == whole
    assert whole == combine_reasons(combine_reasons(first, second), third)
    assert first.earlier is second.earlier is None


def test_numbers_that_look_alike_are_told_apart():
    assert format_distinguishably(0.25, 0.5) == ("0.25", "0.50")
    assert format_distinguishably(0.1234, 0.1233) == ("0.1234", "0.1233")
    assert format_distinguishably(0.1, 0.1) == ("0.100000", "0.100000")
    assert format_distinguishably(0.125, 0.5) == ("0.12", "0.50")


@given(score=st.floats(-2, 2), threshold=st.floats(-2, 2))
@example(-1e-190, -0.0)
@example(1e-18, 2e-18)
@example(2.502463e-116, 2.502464e-116)
def test_two_numbers_look_alike_only_where_they_are_equal(score, threshold):
    left, right = format_distinguishably(score, threshold)
    assert (left == right) == (score == threshold)
    assert not {left, right} & {"−0.00", "−0.000", "−0.0000"}
    assert (score < threshold) == (as_number(left) < as_number(right)) or left == right


def test_a_zero_has_no_sign():
    assert format_distinguishably(-0.0, 0.0) == ("0.000000", "0.000000")
    assert format_distinguishably(-0.001, 0.5) == ("0.00", "0.50")
    assert str(Reason("similarity", -0.001)) == "similarity 0.00"
    assert str(Reason("distance", -0.0, "=", 0.0)) == "distance 0.00 = 0.00"


def test_gaps_are_compared_and_pickled_with_their_reasons():
    gap = Gap(1, 0.5, 0.4, Verdict.CUT, Reason("distance", 0.5, ">", 0.4))
    again = pickle.loads(pickle.dumps(gap))
    assert again == gap
    assert (again.reason, again.why.threshold) == ("distance 0.50 > 0.40", 0.4)
    assert gap != gap._replace(why=Reason())


def test_read_as_similarity_the_numbers_turn_and_the_words_of_sizes_stay():
    chunker = Breakpoint(threshold="distance", amount=1.9, max_size=4, min_size=2, size_unit="sentences")
    read = convert_chunking_to_similarities(cut(chunker, TURNS, embedder=AngleEmbedder()))
    assert read.gaps[0].reason == "similarity 0.98 ≥ −0.90"
    assert read.gaps[4].reason == (
        "similarity −0.98 < −0.90; a chunk of 1 sentences beside it, below minimum size 2, "
        "but with its neighbour above maximum size 4"
    )
    forced = next(gap for gap in read.gaps if gap.verdict is Verdict.FORCED)
    assert "a chunk of 5 sentences, above maximum size 4; its lowest similarity, 0.17, is here" in forced.reason
