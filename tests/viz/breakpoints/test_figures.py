"""The figures of the Breakpoints page: what is drawn has its name beside it, and ticks are round."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.segmentation.threshold_staircase import ScoreHistogram, Staircase, score_histogram
from viz.breakpoints.score_histogram_and_staircase import score_histogram_figure, staircase_figure


@pytest.fixture(autouse=True, scope="module")
def light():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("viz.breakpoints.score_histogram_and_staircase.theme_name", lambda: "light")
        yield


def names(figure):
    return {note.text: note for note in figure.layout.annotations if not note.text.startswith(("line", "now"))}


@pytest.mark.full
@pytest.mark.slow
@given(st.lists(st.floats(0, 2), min_size=2, max_size=80), st.floats(0, 2), st.booleans())
@example([0.0, 5e-324], 0.0, True)
@example([1.0, math.nextafter(1, 2)], 1.0, True)
def test_bars_have_names_and_ticks_are_round(scores, level, above):
    counted = score_histogram(scores, level, above)
    figure = score_histogram_figure(counted, level, "distance")
    notes = names(figure)
    assert ("kept" in notes, "past the line" in notes) == (any(counted.uncut_counts), any(counted.candidate_counts))
    tops = [low + high for low, high in zip(counted.uncut_counts, counted.candidate_counts, strict=True)]
    assert all(note.y in tops for note in notes.values())
    assert figure.layout.yaxis.range[1] > max(tops)
    step = figure.layout.xaxis.dtick
    first = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(first - size) for size in (1, 2, 5, 10)) < 1e-6
    assert (counted.edges[-1] - counted.edges[0]) / step <= 6 + 1e-6


def test_names_over_bars_that_touch_go_away_from_each_other():
    counted = ScoreHistogram((0.0, 0.1, 0.2, 0.3), (0, 4, 0), (0, 1, 3))
    notes = names(score_histogram_figure(counted, 0.2, "distance"))
    assert (notes["kept"].xanchor, notes["past the line"].xanchor) == ("right", "left")
    mirrored = ScoreHistogram((0.0, 0.1, 0.2, 0.3), (0, 1, 3), (0, 4, 0))
    notes = names(score_histogram_figure(mirrored, 0.2, "similarity"))
    assert (notes["past the line"].xanchor, notes["kept"].xanchor) == ("right", "left")


@pytest.mark.full
@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 900)), min_size=2, max_size=60), st.integers(0, 60))
def test_the_curves_of_the_sizes_have_names_on_them(sizes, now):
    amounts = tuple(map(float, range(len(sizes))))
    median = tuple(float(size) for size, _ in sizes)
    largest = tuple(size + more for size, more in sizes)
    stairs = Staircase(amounts, tuple(range(len(sizes), 0, -1)), median, largest, ())
    notes = names(staircase_figure(stairs, float(min(now, len(sizes) - 1)), "percentile"))
    for name, values in (("median", median), ("largest", largest)):
        assert values[int(notes[name].x)] == notes[name].y
    assert notes["median"].x == notes["largest"].x
