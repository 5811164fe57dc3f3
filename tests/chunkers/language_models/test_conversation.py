"""Answers of language models that cannot be used are asked for again; JSON is found in what a model writes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from chunkers.language_models.answer_schemas_and_parsers import Form, LineForm, ShiftAnswer, SplitsAnswer, WholeNumber
from chunkers.language_models.asking_until_usable import (
    MOST_ANSWER_CHARACTERS_SENT_BACK,
    MOST_ANSWER_RETRIES,
    Repetitive,
    UnusableAnswer,
    ask_until_usable,
    parse_json_answer,
    parse_last_line_of_answer,
    repeated_ending,
    strip_reasoning_and_code_fence,
)
from chunkers.language_models.base import Message, Reply
from chunkers.language_models.prompts import EMPTY_ANSWER_PLACEHOLDER


class Point(Form):
    x: WholeNumber
    words: list[str]


class Script:
    """Answers one reply after the other, and keeps what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = iter(replies)
        self.asked: list[Sequence[Message]] = []

    def __call__(self, messages: Sequence[Message]) -> Reply:
        self.asked.append(messages)
        return next(self.replies)


QUESTION = [Message("user", "Where?")]
GOOD = '{"x": 3, "words": ["a"]}'


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (Reply("nothing"), "the answer must contain a JSON object; it has none"),
        (Reply('{"x": 3, "words": ['), "its JSON is broken"),
        (Reply("{" * 100_000 + "!"), "its JSON is broken"),
        (Reply('{"a":' * 100_000 + "!"), "its JSON is broken"),
        (Reply(f'{{"x": {"9" * 10_000}, "words": []}}'), "its JSON is broken"),
        (Reply('{"x": "many", "words": []}'), "x: Input should be a valid integer"),
        (Reply('{"x": 3}'), "words: Field required"),
        (Reply("", ended="refused"), "the model refused to answer"),
        (Reply(GOOD, ended="cut"), "the answer was too long and was cut off"),
    ],
)
def test_an_unusable_answer_is_asked_for_again_and_says_why(bad, complaint):
    script = Script(bad, Reply(GOOD))
    assert ask_until_usable(script, QUESTION, lambda text: parse_json_answer(text, Point)) == Point(x=3, words=["a"])
    first, second = script.asked
    assert first == QUESTION
    assert second[:1] == QUESTION
    assert second[1] == Message("assistant", bad.text[:MOST_ANSWER_CHARACTERS_SENT_BACK] or EMPTY_ANSWER_PLACEHOLDER)
    assert complaint in second[2].text
    with pytest.raises(UnusableAnswer, match=complaint):
        ask_until_usable(Script(*[bad] * (MOST_ANSWER_RETRIES + 1)), QUESTION, lambda text: parse_json_answer(text, Point))


@given(st.text(st.characters(exclude_characters="{")), st.text())
def test_json_is_found_between_other_words(before, after):
    assert parse_json_answer(f"{before}```json\n{GOOD}\n```{after}", Point) == Point(x=3, words=["a"])


@pytest.mark.parametrize(
    ("answer", "rest"),
    [
        ("One.", "One."),
        ("<think>Hm.</think>One.", "One."),
        ("\n<thinking>\nHm </think>\n</thinking>\n\nOne.", "\n\nOne."),
        ("Hm.\n</think>\nOne.", "\nOne."),
        ("<think>One.", ""),
        ("```\nOne.\n```", "One."),
        ("```json\n{}\n```\n", "{}"),
        ("<think>Hm.</think>\n````md\nOne.\n```\n````", "One.\n```"),
        # What only speaks of it is left as it is.
        (
            "A model's thoughts end in </think> and then it answers.",
            "A model's thoughts end in </think> and then it answers.",
        ),
        ('{"text": "\n</think>\n"}', '{"text": "\n</think>\n"}'),
        ("```\nOne.\n```\nTwo.\n```\nThree.\n```", "```\nOne.\n```\nTwo.\n```\nThree.\n```"),
        ("Models write <think>\nand\n</think>\naround it.", "Models write <think>\nand\n</think>\naround it."),
        ("One ``` two.", "One ``` two."),
        ("```\nOne.```", "One."),
        ("```\n\n  One.\n\n \t```  \n", "\n  One.\n"),
        ("```\nOne.\n", "```\nOne.\n"),
        ("```\n```", ""),
        ("```", "```"),
    ],
)
def test_reasoning_and_a_fence_are_no_part_of_what_is_said(answer, rest):
    assert strip_reasoning_and_code_fence(answer) == rest


def test_an_answer_as_deep_as_can_be_read_is_unusable_and_no_error():
    for deep in range(900, 1100):
        with pytest.raises(UnusableAnswer):
            parse_json_answer(f'{{"a": {"[" * deep}{"]" * deep}}}', Point)


@pytest.mark.parametrize("begun", ["", "```json\n", '```json\n{"a":'])
@pytest.mark.parametrize(
    "sign", ["{", "<think>", "</think>\n", "\n</think>", "```\n", "` ", '{"a":1}', '{"a":"', "\n", " ", "\t\n", "```\t"]
)
def test_a_long_answer_is_read_in_time(begun, sign):
    began = time.process_time()
    with pytest.raises(UnusableAnswer):
        parse_json_answer(strip_reasoning_and_code_fence(begun + sign * (4_000_000 // len(sign))), Point)
    # Some seconds at the most; what grows with the square of the length takes hours.
    assert time.process_time() - began < 30


@pytest.mark.parametrize(
    "answer",
    [
        f'It might be {{"x": 1, "words": []}}. No: {GOOD}',
        f"Of the set {{a, b}} I say {GOOD}",
        f"{GOOD} Not so {{}}",
        f'{{"before": 1}} {GOOD}',
        f"[{GOOD}]",
        '{"x": "3", "words": ["a"]}',
        '{"x": 3.0, "words": ["a"]}',
    ],
)
def test_the_last_object_in_the_form_counts(answer):
    assert parse_json_answer(answer, Point) == Point(x=3, words=["a"])


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("true", "x: Input should be a whole number; got True"),
        ("NaN", "x: Input should be a finite number; got nan"),
        ("1e400", "x: Input should be a finite number; got inf"),
        ("9" * 4_000, "x: Input should be less than or equal to 1000000000; got 999"),
        ("[[[3]]]", "x: Input should be a valid integer; got [[[3]]]"),
        ("null", "x: Input should be a valid integer; got None"),
    ],
)
def test_what_is_no_whole_number_is_said_in_a_short_sentence(value, complaint):
    with pytest.raises(UnusableAnswer) as error:
        parse_json_answer(f'{{"x": {value}, "words": []}}', Point)
    assert str(error.value).startswith(complaint)
    assert len(str(error.value)) < 200


FORMS = [form for form in (*Form.__subclasses__(), *LineForm.__subclasses__()) if form not in (Point, LineForm)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.__module__}.{form.__name__}")
def test_the_faults_of_a_list_are_not_gathered_and_true_is_no_number(form):
    """Faults take a kilobyte each: of an answer of 4 MB gigabytes."""
    for name, field in form.model_fields.items():
        with pytest.raises(ValidationError) as error:
            form.model_validate({name: [None] * 1_000})
        assert error.value.error_count() <= 3 + len(form.model_fields)
        if int in (field.annotation, *get_args(field.annotation)):
            with pytest.raises(ValidationError) as error:
                form.model_validate({name: True})
            assert any(fault["loc"] == (name,) for fault in error.value.errors())


LOOP = "What is the capital of the region? "


@pytest.mark.parametrize(
    ("answer", "piece"),
    [
        (f"Well. {LOOP * 40}", LOOP.strip()),
        (f"Well. {LOOP * 40}What is the cap", None),
        ("\n".join(f"{number}. The same." for number in range(40)), None),
        ("ab" * 100, None),
        (GOOD, ""),
        ("The tide comes in at noon. Then the harbour fills with boats. " * 2, ""),
        ("", ""),
    ],
)
def test_the_end_of_an_answer_that_repeats_one_piece_is_recognised(answer, piece):
    repeated = repeated_ending(answer)
    assert repeated == piece if piece is not None else repeated


def test_a_repetition_is_not_asked_for_again_and_says_what_it_repeats():
    told: list[bool] = []
    script = Script(Reply(LOOP * 40, ended="cut"), Reply(GOOD))
    with pytest.raises(
        Repetitive, match=r"the answer repeats .*capital.* again and again, so the model was not asked again"
    ):
        ask_until_usable(script, QUESTION, lambda text: parse_json_answer(text, Point), told.append)
    assert (len(script.asked), told) == (1, [False])


def test_each_answer_is_told_of():
    told: list[bool] = []
    ask_until_usable(Script(Reply("no"), Reply(GOOD)), QUESTION, lambda text: parse_json_answer(text, Point), told.append)
    assert told == [False, True]


def test_a_line_is_read_and_so_is_the_object_that_stands_for_it():
    for answer in ("Split_After: 2, 4", '{"split_after": [2, 4]}'):
        assert parse_last_line_of_answer(answer, SplitsAnswer) == SplitsAnswer(split_after=[2, 4])
    for answer in ("Answer: none", '{"answer": null}'):
        assert parse_last_line_of_answer(answer, ShiftAnswer) == ShiftAnswer(answer=None)
    with pytest.raises(UnusableAnswer, match="the answer must have exactly one number after 'Answer:'; it has several"):
        parse_last_line_of_answer("Answer: 2, 3", ShiftAnswer)
