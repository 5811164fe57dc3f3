"""Hall's test has the figures of its formula, and finds skewed values away from their mean more rarely than Student's."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from evaluation.statistics.paired_tests import halls_skew_corrected_p_values

VALUES = st.lists(st.one_of(st.sampled_from([-1.0, 0.0, 0.0, 0.5, 1.0]), st.floats(-1, 1)), min_size=6, max_size=20)


def sides(values):
    return halls_skew_corrected_p_values(np.array([values], dtype=float))[0]


@pytest.mark.parametrize("count", [6, 17, 60])
def test_p_is_that_of_the_formula(count):
    values = np.random.default_rng(count).exponential(0.2, count) - 0.1
    root, skewness = sqrt(count), stats.skew(values, bias=False)
    t = values.mean() / stats.sem(values)
    h = t + skewness * (2 * t**2 + 1) / (6 * root) + skewness**2 * t**3 / (27 * count)
    assert sides(values) == pytest.approx((stats.norm.sf(h), stats.norm.cdf(h)))


def test_of_symmetric_values_it_is_the_z_test():
    values = np.array([-0.3, -0.1, 0.0, 0.0, 0.1, 0.3]) + 0.2
    assert sides(values).below == pytest.approx(stats.norm.sf(0.2 / stats.sem(values)))


@given(VALUES)
@example([1e-200] * 5 + [2e-200])
@example([1e-310] * 5 + [0.0])
@example([0.1] * 6)
@example([0.1] * 7 + [0.1 + 1e-17])
@example([-1.0] * 19 + [1.0])
def test_the_sides_change_places_with_the_sign(values):
    below, above = sides(values)
    assert below + above == pytest.approx(1)
    assert sides([-number for number in values]) == (above, below)
    assert sides([1 + number for number in values]).below <= below + 1e-9


def test_equal_values_are_certain_of_their_mean():
    assert [sides([number] * 8) for number in (0.25, -0.25, 0)] == [(0, 1), (1, 0), (0.5, 0.5)]
    assert sides([0.1] * 8).below < 1e-9


def test_each_row_is_by_itself():
    rows = np.random.default_rng(0).normal(0, 1, (5, 9)) * [[1], [1e-9], [0], [1e9], [3]]
    assert halls_skew_corrected_p_values(rows) == [sides(row) for row in rows]
    assert halls_skew_corrected_p_values(rows[:0]) == []


@pytest.mark.parametrize("count", [10, 40])
def test_skewed_values_are_found_away_from_their_mean_more_rarely_than_by_student(count):
    rows = np.random.default_rng(count).exponential(1, (4000, count)) - 1
    halls = np.mean([2 * min(both_sides) < 0.05 for both_sides in halls_skew_corrected_p_values(rows)])
    assert halls < np.mean(stats.ttest_1samp(rows, 0, axis=1).pvalue < 0.05)
