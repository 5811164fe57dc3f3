"""Swapping sections is exact, agrees with its interval, and with the sign-flip test where the statistic is a mean."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.segmentation.boundary_and_structure_ranking import f1_from_counts
from evaluation.statistics.p_value_correction_and_intervals import fewest_values_needed
from evaluation.statistics.paired_tests import corrected_differences_per_comparison, differences_tested_by_section_swaps

COUNTS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=6, max_size=9)


def test_it_tries_every_swap():
    one = np.array([[1, 0, 0]] * 5 + [[1, 0, 1]])
    other = np.array([[0, 1, 0]] * 5 + [[1, 0, 0]])
    (comparison,) = differences_tested_by_section_swaps([one, other], [(0, 1)], f1_from_counts)
    observed = f1_from_counts(one.sum(axis=0)) - f1_from_counts(other.sum(axis=0))
    assert comparison.mean == pytest.approx(observed)
    far = 0
    for swaps in product([False, True], repeat=6):
        which = np.array(swaps)[:, None]
        difference = f1_from_counts(np.where(which, other, one).sum(axis=0)) - f1_from_counts(
            np.where(which, one, other).sum(axis=0)
        )
        far += abs(difference) >= abs(observed) - 1e-12
    assert comparison.p == far / 64


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(st.lists(COUNTS, min_size=2, max_size=3))
def test_an_interval_excludes_0_exactly_if_the_difference_is_significant(tables):
    sections = min(map(len, tables))
    counts = [np.array(table[:sections]) for table in tables]
    for difference in differences_tested_by_section_swaps(
        counts, [(0, index) for index in range(1, len(counts))], f1_from_counts
    ):
        if difference is None:
            assert sections < fewest_values_needed(len(counts) - 1)
            continue
        assert difference.significant == (difference.low > 0 or difference.high < 0)
        assert -1 <= difference.low <= difference.mean <= difference.high <= 1


def test_of_a_mean_it_is_the_sign_flip_test():
    random = np.random.default_rng(4)
    counts = [random.integers(0, 5, (9, 1)) for _ in range(3)]
    pairs = [(0, 1), (0, 2), (1, 2)]
    swapped = differences_tested_by_section_swaps(counts, pairs, lambda sums: sums[..., 0] / 9, 5)
    flipped = corrected_differences_per_comparison(
        np.array([(counts[one] - counts[other])[:, 0] for one, other in pairs]), 5
    )
    assert [(difference.mean, difference.p, difference.adjusted) for difference in swapped] == [
        pytest.approx((difference.mean, difference.p, difference.adjusted)) for difference in flipped
    ]


def test_equal_chunkers_have_an_interval_with_a_width_and_few_sections_none():
    counts = np.array([[1, 0, 1]] * 12)
    (difference,) = differences_tested_by_section_swaps([counts, counts], [(0, 1)], f1_from_counts)
    assert (difference.mean, difference.p) == (0, 1)
    assert difference.high == -difference.low > 0.2
    assert differences_tested_by_section_swaps([counts[:5], counts[:5]], [(0, 1)], f1_from_counts) == [None]
    assert differences_tested_by_section_swaps([counts[:6]] * 3, [(0, 1), (0, 2), (1, 2)], f1_from_counts) == [None] * 3
    assert differences_tested_by_section_swaps([], [], f1_from_counts) == []
