"""Holm's correction by hand, and the levels that belong to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.p_value_correction_and_intervals import (
    ALPHA,
    format_confidence_level,
    format_p_value,
    holm_correction,
    too_few_values_sentence,
)


def test_holm_by_hand():
    # Sorted: 0.005 · 4, 0.01 · 3, 0.03 · 2, 0.04 · 1, none less than the one before.
    corrected = holm_correction([0.01, 0.04, 0.03, 0.005])
    assert [correction.p for correction in corrected] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # It stops at the third, where two are left.
    assert [correction.alpha for correction in corrected] == pytest.approx([0.05 / 3, 0.05 / 2, 0.05 / 2, 0.05 / 4])
    assert [correction.p for correction in holm_correction([0.6, 0.5])] == [1, 1]
    assert holm_correction([0.2]) == [(0.2, ALPHA)]
    assert holm_correction([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_a_p_value_is_below_its_level_exactly_if_the_corrected_one_is_below_5_percent(p_values):
    for p, corrected in zip(p_values, holm_correction(p_values), strict=True):
        assert p <= corrected.p <= min(1, len(p_values) * p)
        if abs(p - corrected.alpha) > 1e-12:
            assert (p < corrected.alpha) == corrected.significant


def test_a_p_value_is_shown_on_its_side_of_5_percent():
    assert [
        format_p_value(0.031),
        format_p_value(0.04996),
        format_p_value(0.0502),
        format_p_value(0.5, is_corrected=True),
    ] == [
        "p = 0.031",
        "p = 0.04996",
        "p = 0.05",
        "adjusted p = 0.5",
    ]
    assert [format_confidence_level(0.05), format_confidence_level(0.05 / 18), format_confidence_level(0.05 / 315)] == [
        "95 %",
        "99.72 %",
        "99.98 %",
    ]


def test_too_few_says_how_many_it_takes():
    assert too_few_values_sentence(1, 4) == "A significant difference takes at least 6 questions; there are 4."
    assert too_few_values_sentence(18, 1, "section") == (
        "Among 18 comparisons (Holm's correction), a significant difference takes at least 10 sections; there is 1."
    )
