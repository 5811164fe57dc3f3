"""The paired bootstrap tells a difference from chance, and says so."""

import numpy as np
import pytest

from evaluation.retrieval.bootstrap import interval, paired

NOISE = np.random.default_rng(5).normal(0, 0.1, 40)


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
