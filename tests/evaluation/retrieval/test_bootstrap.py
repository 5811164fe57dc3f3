"""The paired bootstrap tells a difference from chance, and says so."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.retrieval.bootstrap import holm, interval, interval_all, paired, paired_all, questions_to_tell

NOISE = np.random.default_rng(5).normal(0, 0.1, 40)


def test_the_intervals_of_many_measures_are_those_of_each():
    rows = np.array([0.5 + NOISE, 0.3 - NOISE, np.where(NOISE > 0, np.nan, NOISE), np.full(40, np.nan)])
    for one, found in zip(rows, interval_all(rows), strict=True):
        alone = interval(one)
        assert (found is None) == (alone is None)
        assert found is None or found == pytest.approx(alone)


def test_a_difference_that_every_question_shows_is_told():
    found = paired(0.5 + NOISE, 0.3 + NOISE)
    assert found.mean == pytest.approx(0.2)
    assert found.low == pytest.approx(0.2)
    assert found.told
    assert found.p == pytest.approx(2 / 10_001)
    assert found.words("Optimal", "Recursive", "recall").startswith(
        "Optimal: recall is 20.0 points higher than with Recursive over 40 questions"
    )
    back = paired(0.3 + NOISE, 0.5 + NOISE)
    assert "20.0 points lower" in back.words("Recursive", "Optimal", "recall")


def test_no_difference_is_told_where_there_is_none():
    found = paired(NOISE - NOISE.mean(), np.zeros(40))
    assert found.low < 0 < found.high
    assert found.p > 0.5
    assert "no difference in recall from B can be told from 40 questions" in found.words("A", "B", "recall")
    same = paired(NOISE, NOISE)
    assert (same.mean, same.p, same.told) == (0, 1, False)


def test_the_interval_is_that_of_the_normal_distribution_where_it_is_one():
    values = np.random.default_rng(1).normal(0.1, 1, 2000)
    found = paired(values, np.zeros(2000))
    half = 1.96 * values.std() / np.sqrt(2000)
    assert found.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_undefined_questions_are_left_out_and_few_are_not_compared():
    values = np.where(np.arange(40) < 10, np.nan, NOISE)
    assert paired(values, np.zeros(40)).questions == 30
    assert paired(NOISE[:4], np.zeros(4)) is None


def test_the_same_seed_gives_the_same_numbers():
    assert paired(NOISE, np.zeros(40), seed=3) == paired(NOISE, np.zeros(40), seed=3)


def test_the_interval_of_a_mean_is_that_of_its_difference_from_nothing():
    found = paired(NOISE, np.zeros(40))
    assert interval(NOISE) == (found.low, found.high)
    assert interval(np.append(NOISE, np.nan)) == (found.low, found.high)
    assert interval(NOISE[:4]) is None


def test_many_differences_at_once_are_each_as_alone():
    random = np.random.default_rng(2)
    rows = random.normal(0.02, 0.1, (4, 60))
    rows[1, 40:] = np.nan
    rows[2, 3:] = np.nan
    found = paired_all(rows)
    assert found[2] is None
    for one, row in zip((found[0], found[1], found[3]), (rows[0], rows[1], rows[3]), strict=True):
        alone = paired(row, np.zeros(60))
        assert one.mean == pytest.approx(alone.mean)
        assert one.questions == alone.questions
        # Both draw 10,000 times, by other numbers.
        assert (one.low, one.high) == pytest.approx((alone.low, alone.high), abs=0.002)
        assert one.p == pytest.approx(alone.p, abs=0.02)
    assert paired_all(rows) == found
    back, other = found[0].reversed(), paired_all(-rows[:1])[0]
    assert (back.mean, back.low, back.high, back.p) == pytest.approx((other.mean, other.low, other.high, other.p))


def test_more_resamples_make_smaller_p_values():
    (found,) = paired_all(np.full((1, 8), 0.5), resamples=2500)
    assert found.p == pytest.approx(2 / 2501)
    (level,) = paired_all(np.tile([0.1, -0.1], (1, 10)))
    assert level.p == 1
    assert paired_all(np.zeros((0, 8))) == []


def test_holm_by_hand():
    # Sorted: 0.005 · 4, 0.01 · 3, 0.03 · 2, 0.04 · 1, none less than the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.5]) == [1, 1]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_lies_between_no_correction_and_that_of_bonferroni(p_values):
    for p, adjusted in zip(p_values, holm(p_values), strict=True):
        assert p <= adjusted <= min(1, len(p_values) * p)


def test_the_questions_it_takes_by_hand():
    # Mean 0.1; four deviations of 0.2 and one of 0: s² = 0.16 / 4 = 0.04. (1.95996 + 0.84162)² · 0.04 / 0.01 = 31.4.
    differences = np.array([0.3, -0.1, 0.3, -0.1, 0.1])
    assert questions_to_tell(differences) == questions_to_tell(-differences) == 32
    assert questions_to_tell(np.append(differences, np.nan)) == 32
    assert questions_to_tell(np.array([0.1, -0.1, 0.1, -0.1, 0])) is None
    assert questions_to_tell(differences[:4]) is None
    assert questions_to_tell(np.full(5, 0.3)) == 5


def test_as_many_questions_tell_the_difference_in_four_samples_of_five():
    random = np.random.default_rng(3)
    population = random.choice([-0.5, 0.0, 1.0], size=100_000, p=[0.2, 0.6, 0.2])
    needed = questions_to_tell(population)
    samples = random.choice(population, (400, needed))
    told = np.mean([one.told for one in paired_all(samples, resamples=2000)])
    assert told == pytest.approx(0.8, abs=0.06)
