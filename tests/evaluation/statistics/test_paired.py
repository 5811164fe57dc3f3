"""The test and its interval agree, hold for few questions, and find a difference that is there."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluation.statistics.p_value_correction_and_intervals import FEWEST_VALUES, fewest_values_needed
from evaluation.statistics.paired_tests import (
    Difference,
    corrected_differences_per_comparison,
    format_interval_ends,
    halls_skew_corrected_p_values,
    paired_difference,
    paired_differences_by_family,
    questions_needed,
)

NOISE = np.random.default_rng(5).normal(0, 0.1, 40)

VALUES = st.one_of(st.sampled_from([-1.0, -0.5, 0.0, 0.0, 0.1, 0.2, 1.0]), st.floats(-1, 1))
ROWS = st.integers(6, 12).flatmap(
    lambda questions: st.lists(st.lists(VALUES, min_size=questions, max_size=questions), min_size=1, max_size=6)
)


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(ROWS)
@example([[0.2] * 6])
@example([[0.0] * 8, [0.3] * 8, [-0.3] * 7 + [0.0]])
@example([[0.1] * 5 + [0.3]])
@example([[1.0] * 10, [0.5] * 10, [0.1, -0.1] * 5, [0.2] * 9 + [-0.01]])
def test_an_interval_excludes_0_exactly_if_the_difference_is_significant(rows):
    for difference, row in zip(corrected_differences_per_comparison(np.array(rows)), rows, strict=True):
        if difference is None:
            assert len(row) < fewest_values_needed(len(rows))
            continue
        assert difference.significant == (difference.adjusted < 0.05) == (difference.low > 0 or difference.high < 0)
        assert -1 <= difference.low <= difference.mean + 1e-9
        assert difference.mean - 1e-9 <= difference.high <= 1
        # What is printed says the same.
        low, high = (float(end.replace("−", "-")) for end in format_interval_ends(difference.low, difference.high, 100, 1))
        assert (low > 0 or high < 0) == difference.significant
        p = float(difference.p_value_phrase.rpartition(" ")[2])
        assert (p < 0.05) == difference.significant


@settings(deadline=None, max_examples=60)
@given(st.integers(17, 40), st.integers(0, 10_000), st.integers(1, 4))
def test_so_it_is_with_random_sign_flips(questions, seed, comparisons):
    random = np.random.default_rng(seed)
    rows = random.choice([0.0, 0.0, 0.5, -0.5, 1.0], (comparisons, questions)) + random.normal(0, 0.02, (comparisons, 1))
    for difference in corrected_differences_per_comparison(rows):
        assert difference.significant == (difference.low > 0 or difference.high < 0)


@settings(deadline=None, max_examples=60)
@given(st.lists(VALUES, min_size=6, max_size=9))
@example([0.1, 0.2, 0.2, 0.1, 0.3, -0.01])
@example([0.0, -0.1, -0.1, -0.1, -0.1, -0.1])
def test_p_is_the_larger_of_the_share_of_sign_flips_as_far_from_0_and_halls(differences):
    row = np.array(differences)
    flips = np.array([*product([1, -1], repeat=len(row))])
    far = np.abs(flips @ row) >= abs(row.sum()) - 1e-9
    # Of near ties, which one rounding or another decides, either is right.
    near = np.abs(np.abs(flips @ row) - abs(row.sum())) < 1e-6
    if np.count_nonzero(near) <= 2 or set(differences) <= {-1.0, -0.5, 0.0, 1.0}:
        expected = max(np.mean(far), min(1, 2 * min(*halls_skew_corrected_p_values(row[None]))))
        assert paired_difference(row, np.zeros(len(row))).p == pytest.approx(expected)


def test_the_interval_by_hand():
    # Of 64 subsets of six the empty one and one more are 2 × 2 / 64 = 6.25 %: the ends are the least and greatest value.
    difference = paired_difference(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), np.zeros(6))
    assert (difference.p, difference.low) == (2 / 64, pytest.approx(0.1))
    # Above, where its verdict permits it, the interval is wider: six different values say little of rare ones.
    assert difference.high > 0.6
    assert paired_difference(np.array([0.1, 0.2, 0.3, 0.4, 0.5, -0.01]), np.zeros(6)).low <= -0.01


def test_where_all_differences_are_equal_the_interval_has_a_width():
    difference = paired_difference(np.zeros(12), np.zeros(12))
    assert (difference.mean, difference.p, difference.significant) == (0, 1, False)
    assert difference.low == pytest.approx(-difference.high) == pytest.approx(-0.226, abs=0.001)
    ahead = paired_difference(np.full(12, 0.5), np.zeros(12))
    assert ahead.low == pytest.approx(0.5)
    assert ahead.high > 0.6
    assert ahead.significant


def test_with_too_few_questions_there_is_no_interval_and_no_verdict():
    assert (
        FEWEST_VALUES,
        fewest_values_needed(),
        fewest_values_needed(3),
        fewest_values_needed(18),
        fewest_values_needed(546),
    ) == (6, 6, 7, 10, 15)
    assert paired_difference(NOISE[:5] + 10, NOISE[:5]) is None
    assert paired_difference(NOISE[:6] + 0.5, NOISE[:6]).significant
    assert corrected_differences_per_comparison(np.full((3, 6), 0.5)) == [None] * 3
    # One that too few questions have does not count for the correction of the others.
    rows = np.full((3, 7), 0.5)
    rows[2, 4:] = np.nan
    assert [difference and difference.comparisons for difference in corrected_differences_per_comparison(rows)] == [
        2,
        2,
        None,
    ]
    assert corrected_differences_per_comparison(np.zeros((0, 8))) == []


@pytest.mark.parametrize("comparisons", [1, 2, 3, 10, 45, 100])
def test_with_the_smallest_number_a_difference_on_every_question_is_significant(comparisons):
    differences = corrected_differences_per_comparison(np.full((comparisons, fewest_values_needed(comparisons)), 0.5))
    assert all(difference.significant for difference in differences)
    assert (
        corrected_differences_per_comparison(np.full((comparisons, fewest_values_needed(comparisons) - 1), 0.5))
        == [None] * comparisons
    )


def test_among_many_comparisons_the_level_is_higher_and_the_interval_wider():
    rows = np.array([NOISE + 0.2, NOISE - NOISE.mean() + 0.02, NOISE - NOISE.mean()])
    alone, many = paired_difference(rows[1], np.zeros(40)), corrected_differences_per_comparison(rows)
    assert [difference.alpha for difference in many] == pytest.approx([0.05 / 3, 0.05 / 2, 0.05 / 2])
    assert many[1].high - many[1].low > alone.high - alone.low
    assert (alone.p_value_phrase.split()[0], many[1].p_value_phrase.split()[0]) == ("p", "adjusted")
    assert alone.interval_phrase.startswith("95 % between ")
    assert many[1].interval_phrase.startswith("97.5 % between ")


def test_a_difference_that_every_question_shows_is_significant():
    difference = paired_difference(0.5 + NOISE, 0.3 + NOISE)
    assert difference.mean == pytest.approx(0.2)
    assert difference.low == pytest.approx(0.2)
    assert difference.p == pytest.approx(2 / 10_001)
    assert difference.words("Optimal", "Recursive", "recall").startswith(
        "Optimal: recall is significantly higher than with Recursive, by 20.0 points over 40 questions (95 % between +20.0"
    )
    back = paired_difference(0.3 + NOISE, 0.5 + NOISE)
    assert "significantly lower than with Optimal, by 20.0 points" in back.words("Recursive", "Optimal", "recall")


def test_no_difference_is_significant_where_there_is_none():
    difference = paired_difference(NOISE - NOISE.mean(), np.zeros(40))
    assert difference.low < 0 < difference.high
    assert difference.p > 0.5
    assert "recall is not significantly different from B over 40 questions" in difference.words("A", "B", "recall")


def test_the_interval_is_that_of_the_normal_distribution_where_it_is_one():
    values = np.random.default_rng(1).normal(0.1, 0.2, 2000)
    difference = paired_difference(values, np.zeros(2000))
    half = 1.96 * values.std() / np.sqrt(2000)
    assert difference.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert difference.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_undefined_questions_are_left_out():
    values = np.where(np.arange(40) < 10, np.nan, NOISE)
    difference = paired_difference(values, np.zeros(40))
    assert (difference.count, difference.low) == (30, paired_difference(NOISE[10:], np.zeros(30)).low)


def test_a_seed_and_the_order_of_two_chunkers_change_nothing_else():
    difference, back = paired_difference(NOISE, np.zeros(40), seed=3), paired_difference(np.zeros(40), NOISE, seed=3)
    assert difference == paired_difference(NOISE, np.zeros(40), seed=3)
    assert back.reversed() == difference
    assert isinstance(difference, Difference)


def test_families_are_each_as_alone():
    rows = np.random.default_rng(2).normal(0.02, 0.1, (5, 3, 12))
    rows[1, 2, 7:] = np.nan
    rows[2, :, 3:] = np.nan
    assert paired_differences_by_family(rows) == [corrected_differences_per_comparison(family) for family in rows]
    assert paired_differences_by_family(rows)[2] == [None] * 3


def test_each_comparison_may_have_a_range_of_its_own():
    recall, grade = corrected_differences_per_comparison(np.zeros((2, 10)), [1, 4])
    assert grade.high == pytest.approx(4 * recall.high)


@pytest.mark.parametrize("questions", [6, 12, 30])
def test_exchangeable_chunkers_differ_significantly_in_one_of_twenty_cases(questions):
    random = np.random.default_rng(questions)
    rows = random.beta(0.5, 3, (800, 1, questions)) - random.beta(0.5, 3, (800, 1, questions))
    false = sum(difference.significant for (difference,) in paired_differences_by_family(rows, draw_count=1000))
    assert false / 800 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 800)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("questions", [8, 10, 20])
def test_skewed_differences_of_mean_zero_are_significant_in_at_most_seven_of_a_hundred_cases(questions):
    rows = np.random.default_rng(questions).exponential(1, (3000, 1, questions)) - 1
    for signed in (rows, -rows):
        false = sum(
            difference.significant
            for (difference,) in paired_differences_by_family(signed, measure_range_width=20, draw_count=1000)
        )
        assert false / 3000 <= 0.07 + 2 * np.sqrt(0.07 * 0.93 / 3000)


def test_the_questions_it_takes_by_hand():
    # Mean 0.1; four deviations of 0.2 and two of 0: s² = 0.16 / 5. (1.95996 + 0.84162)² · 0.032 / 0.01 = 25.1.
    differences = np.array([0.3, -0.1, 0.3, -0.1, 0.1, 0.1])
    assert questions_needed(differences) == questions_needed(-differences) == 26
    assert questions_needed(np.append(differences, np.nan)) == 26
    assert questions_needed(np.array([0.1, -0.1, 0.1, -0.1, 0, 0])) is None
    assert questions_needed(differences[:5]) is None
    assert questions_needed(np.full(6, 0.3)) == 6


def test_as_many_questions_find_the_difference_in_four_samples_of_five():
    random = np.random.default_rng(3)
    population = random.choice([-0.5, 0.0, 1.0], size=100_000, p=[0.2, 0.6, 0.2])
    samples = random.choice(population, (400, 1, questions_needed(population)))
    share = np.mean([difference.significant for (difference,) in paired_differences_by_family(samples, draw_count=2000)])
    assert share == pytest.approx(0.8, abs=0.06)
