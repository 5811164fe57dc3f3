"""The figures of a retrieval run show the numbers that they are given."""

import numpy as np
import pytest

from evaluation.retrieval.computed_reports import Costs, Distribution
from evaluation.retrieval.measures import TOP_KS
from evaluation.segmentation.boundary_measures import Score
from evaluation.statistics.p_value_correction_and_intervals import compute_confidence_interval_of_mean
from evaluation.statistics.paired_tests import corrected_differences_per_comparison
from viz.components.figure import box_plots
from viz.retrieval.figures import build_baseline_difference_plot, scores_at_each_k_table, scores_at_k_plot, trade_off_plot

NAMES = {0: "1. Recursive", 2: "3. Optimal"}
NOISE = np.random.default_rng(5).normal(0, 0.1, 40)
VALUES = {0: 0.5 + NOISE, 2: np.append(0.8 + NOISE[:39], np.nan)}
FOUND = {number: Distribution.with_mean_and_interval(scores) for number, scores in VALUES.items()}
COSTS = {0: Costs(1.5, 0.2, 300.0, 10, 0), 2: Costs(6.0, 0.1, 500.0, 10, 4)}


def test_a_box_leaves_out_what_is_undefined():
    values = {number: 100 * scores for number, scores in VALUES.items()}
    labels = {number: [f"{value:.1f}" for value in scores] for number, scores in values.items()}
    first, second = box_plots(NAMES, values, "%{text}", {"title": "Recall"}, point_labels=labels).data
    assert (first.name, second.name) == ("1. Recursive", "3. Optimal")
    assert len(first.x) == 40
    assert second.x == pytest.approx(100 * VALUES[2][:39])
    assert list(second.text) == labels[2][:39]


@pytest.mark.parametrize(("cost", "prices"), [("tokens", [300, 500]), ("index", [1.5, 6.0]), ("query", [0.1, 0.2])])
def test_the_trade_off_stands_at_its_price_with_its_interval(cost, prices):
    points = trade_off_plot(FOUND, COSTS, NAMES, "Recall", cost).data
    assert [trace.x[0] for trace in points] == prices
    by_name = {trace.text[0]: trace for trace in points}
    low, high = compute_confidence_interval_of_mean(VALUES[0])
    point = by_name["1. Recursive"]
    assert point.y[0] - point.error_y.arrayminus[0] == pytest.approx(100 * low)
    assert point.y[0] + point.error_y.array[0] == pytest.approx(100 * high)
    # Only where a time is shown that is partly an earlier run's.
    assert (by_name["3. Optimal"].marker.symbol == "circle-open") == (cost == "index")
    assert point.marker.symbol == "circle"


def test_what_has_no_known_price_is_not_at_zero():
    costs = {**COSTS, 2: Costs(None, 0.1, 500.0, 10, 4)}
    assert [trace.x[0] for trace in trade_off_plot(FOUND, costs, NAMES, "Recall", "index").data] == [1.5]
    assert len(trade_off_plot(FOUND, costs, NAMES, "Recall", "tokens").data) == 2


def test_a_difference_that_is_not_significant_is_an_open_circle():
    rows = np.array([VALUES[0] - 0.5 - NOISE[::-1], VALUES[2] - VALUES[0]])
    comparisons = dict(zip((0, 2), corrected_differences_per_comparison(rows), strict=True))
    first, second = build_baseline_difference_plot(comparisons, NAMES, "2. Fixed sentences", "recall").data
    assert (first.marker.symbol, second.marker.symbol) == ("circle-open", "circle")
    assert second.x[0] == pytest.approx(30)


def test_at_k_is_the_same_in_the_figure_and_in_the_table():
    scores = {
        k: {"recall": Score(k / 10), "precision": Score.undefined_score_with_reason("why"), "f1": Score(0.5)} for k in TOP_KS
    }
    recall, precision, f1 = scores_at_k_plot({2: scores}, NAMES).data
    assert recall.y == pytest.approx([10, 30, 50, 100])
    assert set(precision.y) == {None}
    assert set(f1.y) == {50}
    table = scores_at_each_k_table({2: scores}, NAMES)
    assert table["chunker"] == ["3. Optimal"] * 3
    assert table["at 3"] == ["30.0 %", "undefined", "50.0 %"]


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_no_axis_of_shares_reaches_below_none_or_above_all(share):
    same = Distribution.with_mean_and_interval(np.full(8, share))
    low, high = trade_off_plot({0: same, 2: same}, COSTS, NAMES, "Recall", "tokens").layout.yaxis.range
    assert 0 <= low <= 100 * share <= high <= 100
