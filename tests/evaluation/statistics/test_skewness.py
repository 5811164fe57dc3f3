"""Hall's test has the figures of its formula, an interval that agrees with it, and a level that skewed values keep to."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from evaluation.statistics.skewness import skewed_means

VALUES = st.lists(st.one_of(st.sampled_from([-1.0, 0.0, 0.0, 0.5, 1.0]), st.floats(-1, 1)), min_size=6, max_size=20)


def tails(values):
    return next(skewed_means(np.array([values], dtype=float))).tails()


def interval(values, alpha=0.05):
    return next(skewed_means(np.array([values], dtype=float))).interval(alpha)


@pytest.mark.parametrize("count", [6, 17, 60])
def test_p_and_interval_are_those_of_the_formula(count):
    values = np.random.default_rng(count).exponential(0.2, count) - 0.1
    root, skewness = sqrt(count), stats.skew(values, bias=False)
    t = values.mean() / stats.sem(values)
    h = t + skewness * (2 * t**2 + 1) / (6 * root) + skewness**2 * t**3 / (27 * count)
    assert tails(values) == pytest.approx((stats.norm.sf(h), stats.norm.cdf(h)))
    # At either end of the interval h is a quantile of the normal distribution.
    for end, side in zip(interval(values), (1, 0), strict=True):
        assert tails(values - end)[side] == pytest.approx(0.975)


def test_of_symmetric_values_it_is_the_z_test():
    values = np.array([-0.3, -0.1, 0.0, 0.0, 0.1, 0.3]) + 0.2
    half = stats.norm.ppf(0.975) * stats.sem(values)
    assert interval(values) == pytest.approx((0.2 - half, 0.2 + half))
    assert tails(values)[0] == pytest.approx(stats.norm.sf(0.2 / stats.sem(values)))


@given(VALUES, st.sampled_from([0.05, 0.01, 0.0005]))
@example([1e-200] * 5 + [2e-200], 0.05)
@example([1e-310] * 5 + [0.0], 0.05)
@example([0.1] * 6, 0.05)
@example([0.1] * 7 + [0.1 + 1e-17], 0.05)
@example([-1.0] * 19 + [1.0], 0.05)
def test_the_interval_excludes_0_exactly_if_p_is_below_the_level_on_that_side(values, alpha):
    (low, high), (below, above) = interval(values, alpha), tails(values)
    assert low <= high
    assert (low > 0) == (below < alpha / 2)
    assert (high < 0) == (above < alpha / 2)
    assert interval([-one for one in values], alpha) == (-high, -low)
    assert tails([-one for one in values]) == (above, below)


def test_equal_values_are_certain_of_their_mean():
    assert (interval([0.25] * 8), tails([0.25] * 8)) == ((0.25, 0.25), (0, 1))
    assert (interval([0.0] * 8), tails([0.0] * 8)) == ((0, 0), (1, 1))


def test_each_row_is_by_itself():
    rows = np.random.default_rng(0).normal(0, 1, (5, 9)) * [[1], [1e-9], [0], [1e9], [3]]
    assert [*skewed_means(rows)] == [next(skewed_means(row[None])) for row in rows]
    assert [*skewed_means(rows[:0])] == []


@pytest.mark.parametrize("count", [10, 40])
def test_skewed_values_are_found_further_from_their_mean_more_rarely_than_by_student(count):
    rows = np.random.default_rng(count).exponential(1, (4000, count)) - 1
    halls = np.mean([2 * min(one.tails()) < 0.05 for one in skewed_means(rows)])
    assert halls < np.mean(stats.ttest_1samp(rows, 0, axis=1).pvalue < 0.05)
