"""The two filters, worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from chunkers import Span, load_embedder
from evaluation.generating.generated_questions import (
    Cosines,
    SourceTexts,
    compute_cosines_of_questions,
    decide_kept_questions,
)
from evaluation.generating.question_generation import Generated, Window
from tests.support import AngleEmbedder, tools

TEXT = "10 degrees. 50 degrees. 90 degrees."
SPANS = {10: Span(0, 11), 50: Span(12, 23), 90: Span(24, 35)}


def asked(angle, *excerpts):
    return Generated(f"{angle} degrees?", Window(0, Span(0, len(TEXT))), tuple(SPANS[excerpt] for excerpt in excerpts))


def cosine(degrees):
    return math.cos(math.radians(degrees))


MADE = [asked(10, 10), asked(12, 10, 50), asked(14, 10), asked(80, 90), asked(16, 90)]


def test_the_worst_excerpt_and_the_most_alike_earlier_question_decide():
    alike = compute_cosines_of_questions(MADE, SourceTexts(("a",), (TEXT,)).corpus("lines"), tools(AngleEmbedder()))
    assert alike.excerpts == pytest.approx([1, cosine(38), cosine(4), cosine(10), cosine(74)])
    assert alike.questions[1] == pytest.approx([cosine(2), 1, cosine(2), cosine(68), cosine(4)])
    every = decide_kept_questions(alike, -1, 1)
    assert every.kept.all()
    assert every.earlier == pytest.approx([math.nan, cosine(2), cosine(2), cosine(66), cosine(2)], nan_ok=True)
    # The excerpt at 50 degrees is 38 from its question, that at 90 is 74: the cosines are 0.79 and 0.28.
    filtering = decide_kept_questions(alike, 0.8, 0.99)
    assert filtering.earlier == pytest.approx([math.nan, math.nan, cosine(4), cosine(66), math.nan], nan_ok=True)
    assert filtering.kept.tolist() == [True, False, False, True, False]
    assert decide_kept_questions(alike, 0.8, 0.999).kept.tolist() == [True, False, True, True, False]


def test_a_value_on_the_line_is_kept():
    alike = Cosines(np.array([0.5, 0.5]), np.array([[1, 0.7], [0.7, 1]]))
    assert decide_kept_questions(alike, 0.5, 0.7).kept.all()
    assert decide_kept_questions(alike, 0.5, math.nextafter(0.7, 0)).kept.tolist() == [True, False]
    assert not decide_kept_questions(alike, math.nextafter(0.5, 1), 0.7).kept.any()


@given(
    values=arrays.arrays(float, (6, 6), elements=st.floats(-1, 1)),
    low=st.floats(-1, 1),
    high=st.floats(-1, 1),
    less=st.floats(0, 1),
)
def test_stricter_thresholds_keep_no_more_and_the_highest_moves_no_bar(values, low, high, less):
    alike = Cosines(values[0], values)
    looser = decide_kept_questions(alike, low, high)
    stricter = decide_kept_questions(alike, low, high - less)
    assert not (stricter.kept & ~looser.kept).any()
    assert np.array_equal(stricter.earlier, looser.earlier, equal_nan=True)
    assert not looser.kept[values[0] < low].any()
    assert not decide_kept_questions(alike, low + less, 1).kept[~(values[0] >= low)].any()


def test_an_embedder_that_is_fitted_on_text_is_fitted_on_all_documents():
    texts = ("The lamp burns oil.\nGulls nest below.", "Pears ripen late.\nThe press is cold.")
    made = [
        Generated("What does the lamp burn?", Window(0, Span(0, 19)), (Span(0, 19),)),
        Generated("When do pears ripen?", Window(1, Span(0, 17)), (Span(0, 17),)),
    ]
    alike = compute_cosines_of_questions(made, SourceTexts(("a", "b"), texts).corpus("lines"), tools(load_embedder("tfidf")))
    assert (alike.excerpts > 0.1).all()
    assert alike.questions[0, 1] < alike.excerpts.min()
