"""Answers of language models that cannot be used are asked for again; JSON is found in what a model writes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from chunkers.language_models.base import Message, Reply
from chunkers.language_models.conversation import REPEATS, Unusable, read_json, usable_answer
from chunkers.language_models.prompts import NO_WORDS


class Point(BaseModel):
    x: int
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
        (Reply("nothing"), "it has no JSON object"),
        (Reply('{"x": 3, "words": ['), "its JSON is broken"),
        (Reply("{" * 100_000), "its JSON is broken"),
        (Reply('{"a":' * 100_000), "its JSON is broken"),
        (Reply(f'{{"x": {"9" * 10_000}, "words": []}}'), "its JSON is broken"),
        (Reply('{"x": "many", "words": []}'), "x: Input should be a valid integer"),
        (Reply('{"x": 3}'), "words: Field required"),
        (Reply("", ended="refused"), "it was refused"),
        (Reply(GOOD, ended="cut"), "it was cut off"),
    ],
)
def test_an_unusable_answer_is_asked_for_again_and_says_why(bad, complaint):
    script = Script(bad, Reply(GOOD))
    assert usable_answer(script, QUESTION, lambda text: read_json(text, Point)) == Point(x=3, words=["a"])
    first, second = script.asked
    assert first == QUESTION
    assert second[:1] == QUESTION
    assert second[1] == Message("assistant", bad.text or NO_WORDS)
    assert complaint in second[2].text
    with pytest.raises(Unusable, match=complaint):
        usable_answer(Script(*[bad] * (REPEATS + 1)), QUESTION, lambda text: read_json(text, Point))


@given(st.text(st.characters(exclude_characters="{")), st.text())
def test_json_is_found_between_other_words(before, after):
    assert read_json(f"{before}```json\n{GOOD}\n```{after}", Point) == Point(x=3, words=["a"])
