"""Differences between two embedders' results, worked by hand and for any vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import CHUNKERS, Chunking, Document, Gap, Reason, Verdict
from chunkers.results.result import Curve
from evaluation.segmentation.boundary_measures import cut_offsets
from evaluation.segmentation.embedder_agreement import (
    MOST_NAMED_BOUNDARIES,
    GapShift,
    compare_boundaries,
    measure_change_of_sentence_distances,
)
from tests.support import AngleEmbedder, cut

TEXT = "\n".join("abcdefghijklmnop")


def chunking(cuts, scores=(), label="distance", inside=(), text=TEXT):
    document = Document.from_text(text, "lines")
    count = len(document.sentences) - 1
    gaps = [Gap(index, None, None, Verdict.CUT if index in cuts else Verdict.KEPT, Reason()) for index in range(count)]
    gaps += [Gap(index, None, None, Verdict.CUT, Reason(), offset=offset) for index, offset in inside]
    curves = [Curve(label, tuple(scores), (), cut_above=True, live=False)] if scores else []
    return Chunking.from_gaps(document, sorted(gaps, key=lambda gap: gap.index), curves=curves)


places = st.sets(st.integers(0, 14))


@given(full=places, other=places)
def test_every_boundary_is_in_one_place(full, other):
    one, two = chunking(full), chunking(other)
    comparison = compare_boundaries(one, two)
    assert sorted([*comparison.both, *comparison.only_full]) == cut_offsets(one)
    assert sorted([*comparison.both, *comparison.only_other]) == cut_offsets(two)
    assert not set(comparison.only_full) & set(comparison.only_other)
    assert comparison.has_same_boundaries == (full == other)
    assert comparison.share == (len(full & other) / len(full | other) if full | other else None)
    # The other way round, only whose they are changes.
    back = compare_boundaries(two, one)
    assert (back.both, back.only_full, back.only_other) == (comparison.both, comparison.only_other, comparison.only_full)


@pytest.mark.parametrize(
    ("full", "other", "said"),
    [
        ({}, {}, "no boundary with either"),
        ({3}, {3}, "its boundary is the same"),
        ({3, 5}, {3, 5}, "all 2 boundaries are the same"),
        ({3, 5}, {3}, "1 of 2 boundaries of exact are the same; only exact cuts before sentence 7"),
        (
            {1, 3},
            {3, 4, 6, 8},
            "1 of 2 boundaries of exact are the same; only exact cuts before sentence 3; "
            "only fast cuts before sentences 6, 8 and 10",
        ),
    ],
)
def test_it_is_said_which_boundaries_differ(full, other, said):
    assert compare_boundaries(chunking(full), chunking(other)).words("exact", "fast") == said


def test_of_many_boundaries_the_first_are_named_and_the_others_counted():
    sentence = compare_boundaries(chunking(range(MOST_NAMED_BOUNDARIES + 3)), chunking({})).words("exact", "fast")
    assert sentence.endswith(f" and {MOST_NAMED_BOUNDARIES + 1}, and at 3 more")


def test_a_cut_inside_a_sentence_is_said_to_be_there():
    text = "a long one\nanother\nlast"
    comparison = compare_boundaries(chunking({}, text=text), chunking({}, inside=[(0, 2)], text=text))
    assert comparison.only_other == (2,)
    assert comparison.words("exact", "fast").endswith("only fast cuts inside sentence 1")
    comparison = compare_boundaries(chunking({}, text=text), chunking({1}, inside=[(0, 2), (0, 7)], text=text))
    assert comparison.words("exact", "fast").endswith("only fast cuts before sentence 3 and inside sentence 1")


def test_scores_are_compared_gap_by_gap_and_those_that_are_not_there_left_out():
    nan = float("nan")
    shift = compare_boundaries(chunking({}, [nan, 0.5, 0.25, 1.0]), chunking({}, [0.5, 0.25, 0.75, 1.0])).scores
    assert shift == GapShift(gaps=3, greatest=0.5, mean=0.25, at=2)
    assert compare_boundaries(chunking({}, [nan]), chunking({}, [0.5])).scores is None
    assert compare_boundaries(chunking({}), chunking({}, [0.5])).scores is None
    assert compare_boundaries(chunking({}, [0.5]), chunking({}, [0.5], label="gradient of distance")).scores is None


def test_results_of_different_texts_are_not_compared():
    with pytest.raises(ValueError, match="the same text"):
        compare_boundaries(chunking({}), chunking({}, text="a\nb"))
    with pytest.raises(ValueError, match="each gap of the same text"):
        GapShift.between_values_at_all_gaps([1.0], [1.0, 2.0])


def test_distances_move_as_worked_by_hand_whatever_the_dimensions():
    # Cosines of neighbours: 1 and 0 there, 1/2 and 0 here.
    full = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    other = np.array([[1, 0, 0], [0.5, 0.75**0.5, 0], [0, 0, 1]], dtype=np.float32)
    shift = measure_change_of_sentence_distances(full, other)
    assert (shift.gaps, shift.at) == (2, 0)
    assert (shift.greatest, shift.mean) == (pytest.approx(0.5), pytest.approx(0.25))
    assert measure_change_of_sentence_distances(full[:1], other[:1]) is None


class Turned(AngleEmbedder):
    """The same angles, doubled: another embedder of the same texts."""

    name = "turned"

    def encode(self, texts):
        return super().encode([str(2 * float(text)) for text in texts])


def test_two_embedders_are_compared_by_their_results():
    text = "0\n10\n50\n60\n80"
    full, other = (
        cut(CHUNKERS["breakpoint"](threshold="distance", amount=0.1), text, embedder=embedder)
        for embedder in (AngleEmbedder(), Turned())
    )
    comparison = compare_boundaries(full, other)
    # Neighbours are 10, 40, 10 and 20 degrees apart: only 40 is beyond acos(0.9), about 26; doubled, 20 is as well.
    assert [full.document.sentence_at(offset) for offset in comparison.both] == [2]
    assert [full.document.sentence_at(offset) for offset in comparison.only_other] == [4]
    assert comparison.scores.at == 1
    assert comparison.scores.greatest == pytest.approx(np.cos(np.radians(40)) - np.cos(np.radians(80)))
