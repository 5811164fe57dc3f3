"""A conversation in which a language model is asked again where its answer cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from chunkers.errors import shown
from chunkers.language_models.prompts import AGAIN, NO_WORDS

if TYPE_CHECKING:
    from chunkers.language_models.base import Message, Reply

REPEATS = 2
"""How often the model is asked again, in the same conversation, where its answer cannot be used."""

T = TypeVar("T")
Form = TypeVar("Form", bound=BaseModel)


class Unusable(Exception):
    """An answer that cannot be used; the message completes “This answer cannot be used:”."""


def usable_answer(ask: Callable[[Sequence[Message]], Reply], messages: Sequence[Message], read: Callable[[str], T]) -> T:
    """Return what is read from the model's answer, which is asked again `REPEATS` times at most.

    Parameters
    ----------
    ask
        Sends a conversation; what it raises is raised here too.
    messages
        The conversation so far.
    read
        Reads an answer; raises Unusable if it cannot be used.

    Raises
    ------
    Unusable
        If the last answer cannot be used either, was refused or was cut off.
    """
    from chunkers.language_models.base import Message

    for repeat in range(REPEATS + 1):
        reply = ask(messages)
        try:
            if reply.ended != "whole":
                raise Unusable("it was refused" if reply.ended == "refused" else "it was cut off, as it was too long")
            return read(reply.text)
        except Unusable as complaint:
            if repeat == REPEATS:
                raise
            said = AGAIN.format(complaint=complaint)
            messages = [*messages, Message("assistant", reply.text or NO_WORDS), Message("user", said)]
    raise AssertionError


def read_json(answer: str, form: type[Form]) -> Form:
    """Return the JSON object of an answer, which may stand between other words or in a fence.

    Parameters
    ----------
    answer
        What the model wrote.
    form
        The fields that the object must have.

    Raises
    ------
    Unusable
        If there is no JSON object, or its fields are otherwise.
    """
    start = answer.find("{")
    if start < 0:
        raise Unusable("it has no JSON object")
    try:
        found, _ = json.JSONDecoder().raw_decode(answer, start)
    except (ValueError, RecursionError) as error:
        said = error.msg if isinstance(error, json.JSONDecodeError) else "it is too deep or has too long a number"
        raise Unusable(f"its JSON is broken: {said}") from None
    if _has_surrogate(found):
        raise Unusable("its JSON has half of a character in it")
    try:
        return form.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the object"
        raise Unusable(f"{place}: {first['msg']}; got {shown(first['input'])}") from None


def _has_surrogate(found: object) -> bool:
    """Whether a text of it is no valid Unicode, which an escape of JSON may bring."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
