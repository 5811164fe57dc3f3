"""The interval of a mean has its range, a width where all values are equal, and holds the true mean as often as it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from evaluation.statistics.p_value_correction_and_intervals import compute_confidence_interval_of_mean, students_t_quantile


def test_all_hits_are_not_certain():
    low, high = compute_confidence_interval_of_mean(np.ones(12))
    assert (low, high) == (pytest.approx(0.774, abs=0.001), 1)
    assert compute_confidence_interval_of_mean(np.zeros(12)) == (0, pytest.approx(1 - low))
    assert compute_confidence_interval_of_mean(np.full(12, 5.0), 1, 5)[0] < 5


@given(st.lists(st.floats(0, 1), min_size=6, max_size=40))
def test_it_holds_the_mean_and_keeps_to_the_range(values):
    low, high = compute_confidence_interval_of_mean(np.array(values))
    assert 0 <= low <= np.mean(values) <= high <= 1
    assert high - low > 0.01


def test_undefined_values_are_left_out_and_few_have_no_interval():
    values = np.random.default_rng(0).random(20)
    assert compute_confidence_interval_of_mean(np.append(values, np.nan)) == compute_confidence_interval_of_mean(values)
    assert compute_confidence_interval_of_mean(values[:5]) is None


@pytest.mark.parametrize("count", [6, 12, 30])
def test_it_holds_the_true_mean_of_skewed_values(count):
    random = np.random.default_rng(count)
    for rows, true in ((random.beta(0.5, 4.5, (600, count)), 0.1), (random.random((600, count)) < 0.9, 0.9)):
        held = [
            low <= true <= high for low, high in (compute_confidence_interval_of_mean(row.astype(float)) for row in rows)
        ]
        assert np.mean(held) >= 0.93


@pytest.mark.parametrize("freedom", [7, 12, 40, 1000])
@pytest.mark.parametrize(("probability", "error"), [(0.975, 1e-4), (0.999, 1e-3), (0.99995, 5e-3)])
def test_the_quantiles_of_student_are_those_of_scipy(freedom, probability, error):
    assert students_t_quantile(probability, freedom) == pytest.approx(stdtrit(freedom, probability), rel=error)
