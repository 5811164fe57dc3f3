"""Judgements by hand-worked examples, and replies that cannot be read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers.language_models.asking_until_usable import MOST_ANSWER_RETRIES, UnusableAnswer
from evaluation.answering.judging import (
    combine_faithfulness_and_relevancy,
    read_correctness,
    read_faithfulness,
    read_relevancy,
)


def similar(text, others):
    """Return the number after the colon of each of the others."""
    return np.array([float(other.partition(":")[2]) for other in others])


def relevancy(reply):
    return read_relevancy(reply, "Why?", similar)


def test_faithfulness_is_the_share_of_statements_that_are_borne_out():
    score = read_faithfulness(
        'Here it is: ```json\n{"statements": [{"statement": "It rained.", "supported": true}, '
        '{"statement": "It snowed.", "supported": false}, {"statement": "It was May.", "supported": true}]}```'
    )
    assert score.value == pytest.approx(2 / 3)
    assert score.sentences == ("borne out: It rained.", "not borne out: It snowed.", "borne out: It was May.")
    nothing = read_faithfulness('{"statements": []}')
    assert nothing == (None, ("The answer states nothing.",))


def test_relevancy_is_the_mean_cosine_of_the_questions_and_none_of_an_evasive_answer():
    score = relevancy('{"questions": ["a:0.5", "b:0.75", "c:1"], "evasive": false}')
    assert score == (0.75, ("0.50: a:0.5", "0.75: b:0.75", "1.00: c:1"))
    assert relevancy('{"questions": ["a:-0.5", "b:0", "c:0.1"], "evasive": false}').value == 0
    assert relevancy('{"questions": ["a:1", "b:1", "c:1"], "evasive": true}').value == 0


def test_correctness_is_the_grade():
    assert read_correctness('{"reason": "Most is there.", "grade": 4}') == (4.0, ("Most is there.",))


@pytest.mark.parametrize(
    ("read", "reply"),
    [
        (read_faithfulness, "All of it is borne out."),
        (read_faithfulness, '{"statements": [{"statement": "It rained."}]}'),
        (read_faithfulness, '{"statements": ['),
        (relevancy, '{"questions": ["a:1"], "evasive": false}'),
        (relevancy, '{"questions": ["a:1", "b:1", ""], "evasive": false}'),
        (read_correctness, '{"grade": 0}'),
        (read_correctness, '{"grade": 6}'),
        (read_correctness, '{"grade": 3.5}'),
        (read_correctness, '{"grade": "good"}'),
    ],
)
def test_a_reply_in_another_form_cannot_be_used(read, reply):
    with pytest.raises(UnusableAnswer):
        read(reply)
    assert MOST_ANSWER_RETRIES


@pytest.mark.parametrize(
    ("faithfulness", "relevancy", "found"),
    [(1, 1, 1), (0.5, 1, 2 / 3), (0.8, 0.4, 8 / 15), (0, 1, 0), (0, 0, 0), (None, 1, None), (1, None, None)],
)
def test_aqs_by_hand(faithfulness, relevancy, found):
    assert combine_faithfulness_and_relevancy(faithfulness, relevancy) == (found if found is None else pytest.approx(found))


@given(st.floats(0, 1), st.floats(0, 1))
def test_aqs_lies_between_its_parts(one, other):
    assert min(one, other) - 1e-9 <= combine_faithfulness_and_relevancy(one, other) <= max(one, other) + 1e-9
    assert combine_faithfulness_and_relevancy(one, other) == combine_faithfulness_and_relevancy(other, one)
