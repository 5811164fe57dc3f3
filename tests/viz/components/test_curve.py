"""The numbers that the browser draws: short, and yet they say and decide there what they do here."""

from hypothesis import given
from hypothesis import strategies as st

from chunkers import build_chunker
from tests.support import cut
from viz.components.reader.column_body import score_curve_data, score_rounder

NUMBERS = st.floats(-2, 12) | st.integers(-4_000_000, 4_000_000).map(lambda count: count / 2_000_000)


@given(NUMBERS)
def test_a_number_prints_as_the_full_one_does(number):
    sent = score_rounder([], [])(number)
    assert [f"{sent:.{decimals}f}" for decimals in range(2, 7)] == [f"{number:.{decimals}f}" for decimals in range(2, 7)]


@given(st.lists(NUMBERS, min_size=1, max_size=6), st.lists(st.tuples(st.integers(0, 5), st.integers(-9, 9)), min_size=1))
def test_scores_stay_on_their_side_of_every_level(scores, beside):
    levels = [scores[place % len(scores)] + steps * 2e-7 for place, steps in beside]
    short = score_rounder(scores, levels)
    for score in scores:
        for level in levels:
            assert (short(score) > short(level), short(score) < short(level)) == (score > level, score < level)


def test_most_numbers_have_six_decimals_and_undefined_ones_stand_in_no_way():
    score = 0.30000004
    short = score_rounder([score, 0.7123456789], [0.3, float("nan"), 0.7123456789])
    assert [short(number) for number in (0.12345678, 0.5, 0.7123456789)] == [0.123457, 0.5, 0.712346]
    assert (short(score), short(0.3), short(0.3650004)) == (score, 0.3, 0.3650004)


def test_the_band_of_the_shuffled_text_is_sent_and_a_line_found_by_it_can_be_moved():
    chunker = build_chunker("change_point", {})
    chunking = cut(chunker, "\n".join(f"line {number}" for number in range(9)))
    data = score_curve_data(chunker, chunking, are_lines_movable=True)
    band = chunking.curves[0].null
    assert data["null"] == (band.low, band.high)
    (line,) = data["lines"]
    # The penalty is not set: the line stands where the shuffled text puts it, and sets it when it is moved.
    assert (line["parameter"], line["value"]) == ("penalty", chunking.curves[0].lines[0].level)
    assert line["stops"]
