"""The scores that the browser draws: short, and yet they say and decide there what they do here."""

from hypothesis import given
from hypothesis import strategies as st

from viz.components.reader.curve import rounded

SCORES = st.floats(-2, 12) | st.integers(-4_000_000, 4_000_000).map(lambda count: count / 2_000_000)


@given(SCORES)
def test_a_score_prints_as_the_full_one_does(score):
    (sent,) = rounded([score], [])
    assert [f"{sent:.{decimals}f}" for decimals in range(2, 7)] == [f"{score:.{decimals}f}" for decimals in range(2, 7)]


@given(SCORES, st.integers(-3, 3))
def test_a_score_stays_on_its_side_of_every_level(score, steps):
    level = score + steps * 2e-7
    (sent,) = rounded([score], [level, 20.0, -20.0])
    assert (sent > level, sent < level) == (score > level, score < level)


def test_most_scores_have_six_decimals_and_undefined_ones_are_none():
    assert rounded([0.12345678, float("nan"), 0.5], [0.3]) == [0.123457, None, 0.5]
    assert rounded([0.3650004], []) == [0.3650004]
    assert rounded([0.30000004], [0.3]) == [0.30000004]
