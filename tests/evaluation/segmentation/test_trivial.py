"""The trivial answers: where they cut, and their rows beside those of chunkers."""

import statistics
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Document
from evaluation.segmentation.boundary_measures import (
    EVERY_N_SENTENCES,
    MEAN_DRAW_COUNT,
    NO_CUT_BASELINE_NAME,
    RANDOM_CUTS_BASELINE_NAME,
    Segmentation,
    chunking_from_cuts,
    cut_offsets,
    cuts_at_mean_length,
    cuts_of_trivial_baseline,
    evenly_spaced_cuts,
    pk,
    random_cuts,
    segmentation_in_sentences,
)
from evaluation.segmentation.settings_sweep import (
    HIGHER_IS_BETTER,
    TRIVIAL_SETTINGS,
    SweptSetting,
    score_chunking,
    summarize_settings,
    sweep_settings,
)
from evaluation.segmentation.texts_with_known_boundaries import MarkedDocument
from sample_docs import load_sample
from tests.support import tools

TEXT = "\n".join(f"line {number}" for number in range(12))
DOCUMENT = Document.from_text(TEXT, "lines", "twelve")
MARKED = MarkedDocument(DOCUMENT, tuple(DOCUMENT.starts[place] for place in (3, 7, 9)))


def test_regular_cuts_lie_a_mean_section_apart():
    assert cuts_at_mean_length(Segmentation(12, (3, 7, 9))) == (3, 6, 9)
    assert cuts_at_mean_length(Segmentation(10, (1, 2, 3, 4, 5, 6, 7, 8, 9))) == tuple(range(1, 10))
    assert cuts_at_mean_length(Segmentation(5, ())) == ()


@given(st.integers(1, 40), st.data())
def test_cuts_at_random_or_evenly_spaced_are_as_many_as_asked_for(units, data):
    count = data.draw(st.integers(0, units - 1))
    assert random_cuts(units, count, 5) == random_cuts(units, count, 5)
    for places in (random_cuts(units, count, 5), evenly_spaced_cuts(units, count)):
        assert len(set(places)) == count
        assert [*places] == sorted(places)
        assert all(0 < place < units for place in places)
    edges = [0, *evenly_spaced_cuts(units, count), units]
    lengths = [end - start for start, end in pairwise(edges)]
    assert max(lengths) - min(lengths) <= 1


def test_every_place_is_drawn():
    assert {random_cuts(6, 1, draw) for draw in range(200)} == {(place,) for place in range(1, 6)}


def test_a_chunking_has_the_cuts_of_the_answer():
    assert cut_offsets(chunking_from_cuts(DOCUMENT, (3, 9))) == [DOCUMENT.starts[3], DOCUMENT.starts[9]]
    assert cut_offsets(chunking_from_cuts(DOCUMENT, ())) == []


def test_their_rows_have_the_measures_of_their_cuts():
    rows = {row.setting.chunker: row for row in sweep_settings([MARKED], TRIVIAL_SETTINGS, tools())}
    assert list(rows) == [NO_CUT_BASELINE_NAME, EVERY_N_SENTENCES, RANDOM_CUTS_BASELINE_NAME]
    reference = segmentation_in_sentences(DOCUMENT, MARKED.known)
    assert rows[NO_CUT_BASELINE_NAME].scores == score_chunking(MARKED, chunking_from_cuts(DOCUMENT, ()))
    assert rows[EVERY_N_SENTENCES].scores == score_chunking(MARKED, chunking_from_cuts(DOCUMENT, (3, 6, 9)))
    assert [rows[name].chunks for name in rows] == [1, 4, 4]
    # By hand: a draw hits by chance, so only the mean over the draws is told.
    drawn = [
        pk(reference, Segmentation(12, places)).value
        for places in cuts_of_trivial_baseline(RANDOM_CUTS_BASELINE_NAME, reference)
    ]
    assert len(drawn) == MEAN_DRAW_COUNT
    assert len(set(drawn)) > 1
    assert rows[RANDOM_CUTS_BASELINE_NAME].scores["pk"].value == pytest.approx(statistics.fmean(drawn))


def test_a_measure_without_a_value_stays_without_one():
    row = next(
        row for row in sweep_settings([MARKED], TRIVIAL_SETTINGS, tools()) if row.setting.chunker == NO_CUT_BASELINE_NAME
    )
    assert row.scores["precision"].value is None
    assert row.scores["precision"].undefined


def test_they_are_ranked_beside_the_settings_of_chunkers():
    rows = list(
        sweep_settings(
            [MARKED], [*TRIVIAL_SETTINGS, SweptSetting.from_chunker_and_parameters("fixed_sentences", size=3)], tools()
        )
    )
    for measure in HIGHER_IS_BETTER:
        names = {summary.setting.chunker for summary in summarize_settings(rows, measure)}
        # The text has no block that could stay whole.
        assert (
            {EVERY_N_SENTENCES, RANDOM_CUTS_BASELINE_NAME, "fixed_sentences"} <= names
            if measure != "blocks_whole"
            else not names
        )


def test_no_cut_leaves_all_blocks_whole_and_heads_that_ranking():
    sample = load_sample("table")
    marked = MarkedDocument(Document.from_text(sample.text, sample.sentences), sample.known)
    ranked = summarize_settings(
        sweep_settings(
            [marked], [*TRIVIAL_SETTINGS, SweptSetting.from_chunker_and_parameters("fixed_sentences", size=3)], tools()
        ),
        "blocks_whole",
    )
    means = {summary.setting.chunker: summary.mean for summary in ranked}
    assert next(iter(means)) == NO_CUT_BASELINE_NAME
    assert means[NO_CUT_BASELINE_NAME] == 1 >= means[EVERY_N_SENTENCES]
    assert means["fixed_sentences"] < 1 > means[RANDOM_CUTS_BASELINE_NAME]
