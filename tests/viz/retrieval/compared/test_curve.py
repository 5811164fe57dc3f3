"""The curve over budgets: its numbers, and names that do not cover each other."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.retrieval.budget import Budgets
from evaluation.retrieval.leaders import BudgetCurve
from viz.retrieval.figures import WholeTextPoint, _budget_curve_table, budget_curve_figure, label_positions

BUDGETS = Budgets((500, 1000, 2000))
NAMES = {0: "1. Recursive", 2: "3. Fixed sentences"}


@pytest.fixture
def curve():
    means = {0: np.array([0.5, 0.7, 0.9]), 2: np.array([np.nan, 0.8, 0.9])}
    bounds = {0: np.array([means[0] - 0.1, means[0] + 0.1]), 2: np.full((2, 3), np.nan)}
    return BudgetCurve(BUDGETS, means, bounds, None)


def test_every_chunker_has_a_line_its_band_and_its_name_at_the_end(curve):
    made = budget_curve_figure(curve, NAMES, "Recall", 1000)
    band, first, second, _ = made.data
    assert band.y == pytest.approx([40, 60, 80, 100, 80, 60])
    assert band.fill == "toself"
    # A click that chooses a budget leaves the points as they are.
    assert [line.unselected.marker.opacity for line in (first, second)] == [1, 1]
    assert first.y == pytest.approx([50, 70, 90])
    # What is undefined has no point, and too few questions no band.
    assert second.y == pytest.approx([np.nan, 80, 90], nan_ok=True)
    names = made.layout.yaxis2.ticktext
    assert names[0].endswith("1. Recursive")
    assert "3. Fixed<br>" in names[1]
    assert made.layout.yaxis2.range == made.layout.yaxis.range
    assert [annotation.text for annotation in made.layout.annotations] == ["1,000 tokens"]
    assert made.layout.xaxis.ticktext == ("500", "1,000", "2,000")
    assert [shape.x0 for shape in made.layout.shapes] == [1000]


def test_the_axis_ends_at_0_and_100(curve):
    low, high = budget_curve_figure(curve, NAMES, "Recall", 1000).layout.yaxis.range
    assert (low, high) == (pytest.approx(35.2), 100)
    assert (
        budget_curve_figure(curve, NAMES, "Recall", 1000, WholeTextPoint("Whole document", 3000, 0.01)).layout.yaxis.range[0]
        == 0
    )


def test_the_whole_text_is_a_point_at_its_length(curve):
    made = budget_curve_figure(curve, NAMES, "Recall", 1000, WholeTextPoint("Whole document", 3000, 1.0))
    (point,) = (trace for trace in made.data if trace.x == (3000,))
    assert (point.y, point.mode) == ((100,), "markers")
    assert made.layout.xaxis.ticktext[-1] == "all 3,000"
    assert 10 ** made.layout.xaxis.range[1] > 3000


def test_the_table_has_the_numbers_of_the_figure(curve):
    whole = SimpleNamespace(means={"recall": (1.0, 0.0)}, name="Whole document", size=3000)
    report = SimpleNamespace(whole=whole, choice=SimpleNamespace(measure="recall"))
    table = _budget_curve_table(report, curve, NAMES, "Recall")
    assert [column.pop() for column in table.values()] == ["Whole document", 3000, 100.0, None, None]
    assert [*table] == ["chunker", "budget, tokens", "Recall, %", "95 % from", "to"]
    assert [*zip(*table.values(), strict=True)][2:4] == [
        ("1. Recursive", 2000, 90.0, 80.0, 100.0),
        ("3. Fixed sentences", 500, None, None, None),
    ]


@given(st.dictionaries(st.integers(0, 5), st.tuples(st.floats(0, 290), st.sampled_from([17, 34])), min_size=1))
def test_names_stand_in_the_order_of_their_lines_cover_nothing_and_are_in_the_plot(found):
    ends, heights = ({number: pair[place] for number, pair in found.items()} for place in (0, 1))
    at = label_positions(ends, heights, 290.0)
    order = sorted(ends, key=lambda number: ends[number])
    assert at[order[0]] >= heights[order[0]] / 2 - 1e-6
    assert at[order[-1]] <= 290 - heights[order[-1]] / 2 + 1e-6
    for one, other in pairwise(order):
        assert at[other] - at[one] >= (heights[one] + heights[other]) / 2 - 1e-6


def test_names_that_are_apart_stay_where_they_are():
    assert label_positions({0: 30.0, 1: 200.0}, {0: 17, 1: 17}, 290.0) == {0: 30.0, 1: 200.0}
