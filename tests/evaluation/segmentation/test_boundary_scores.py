"""Boundary measures that are shown together, and the explanation where no cut has a lower Pk than every column."""

from hypothesis import given
from hypothesis import strategies as st

from evaluation.segmentation.boundary_measures import (
    BOUNDARY_MEASURES_EXPLAINED,
    Segmentation,
    boundary_scores,
    explain_why_no_cut_wins,
    pk,
    window_size_for_pk,
)

KNOWN = Segmentation(40, (10, 20, 30))


def test_each_measure_by_hand():
    scores = boundary_scores(KNOWN, Segmentation(40, (10, 21, 35)))
    assert list(scores) == list(BOUNDARY_MEASURES_EXPLAINED)
    # One of three is found, one is a sentence away, which is half an edit, and one is missed and one added.
    assert [round(score.value, 3) for score in scores.values()][:3] == [0.333, 0.333, 0.375]
    assert boundary_scores(KNOWN, Segmentation(40, ()))["Precision"].undefined == "no boundary was found"


def test_the_sentence_stands_where_no_cut_has_a_lower_pk_than_every_column():
    far = Segmentation(40, (5, 15, 25, 35))
    assert pk(KNOWN, far).value > pk(KNOWN, Segmentation(40, ())).value
    assert explain_why_no_cut_wins(KNOWN, [far]).startswith("No cut has a lower Pk than every column (0.43).")
    assert explain_why_no_cut_wins(KNOWN, [far, Segmentation(40, (10,))]) == ""
    # Who cuts nowhere is no cut itself.
    assert explain_why_no_cut_wins(KNOWN, [Segmentation(40, ())]) == ""
    assert explain_why_no_cut_wins(Segmentation(40, ()), [far]) == ""


@given(st.integers(1, 39))
def test_one_cut_lowers_pk_only_where_the_sentence_says(place):
    size = window_size_for_pk(KNOWN)
    alone, with_it = (pk(KNOWN, Segmentation(40, cuts)).value for cuts in ((), (place,)))
    distance = min(abs(place - known) for known in KNOWN.boundaries)
    # At the text's ends there are fewer windows, so that less can be lost there.
    if size <= place <= 40 - size:
        assert (with_it < alone) == (distance < size / 2)
