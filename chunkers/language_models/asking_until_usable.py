"""Conversations in which a language model is asked again if its answer is unusable."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from pydantic import ValidationError

from chunkers.language_models.answer_schemas_and_parsers import Form, LineForm
from chunkers.language_models.base import Message, Reply
from chunkers.language_models.prompts import EMPTY_ANSWER_PLACEHOLDER, UNUSABLE_ANSWER_MESSAGE_TEMPLATE
from chunkers.support import first_field_and_error, pluralize, short_repr

MOST_ANSWER_RETRIES = 2
"""Maximum number of times that the model is asked again, in the same conversation, after an unusable answer."""

MOST_ANSWER_CHARACTERS_SENT_BACK = 20_000
"""Maximum number of characters of an unusable answer that are repeated to the model; a longer one is cut."""

_MOST_OBJECT_STARTS = 100
"""Maximum number of places of an answer at which a JSON object is looked for."""

_EXAMINED_END_CHARACTERS = 4_000
"""Characters at the end of an answer in which a repetition is looked for."""

_LEAST_REPEATED_CHARACTERS = 200
"""Characters that a repetition has at least, in all."""

_LEAST_REPETITIONS = 4
"""Minimum number of times that a repetition has its piece."""

_DIGIT_PATTERN = re.compile(r"\d")
_NUMBER_PATTERN = re.compile(r"-?\d+")
_MOST_DIGITS = 9
_WORD_NONE_PATTERN = re.compile(r"\bnone\b", re.IGNORECASE)

_REASONING_PATTERN = re.compile(
    r"\s*<(think|thinking)>.*?(?:</\1>|\Z)"
    # Where the server's template has opened it, only its end is in the answer, on a line by itself.
    r"|(?!\s*[{`]).*?^[ \t]*</(?:think|thinking)>[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_REASONING_START_PATTERN = re.compile("<(?:think|thinking)>")
_FENCE_PATTERN = re.compile(r"\s*(`{3,})[^\n`]*\n")

ParsedAnswer = TypeVar("ParsedAnswer")
AnyForm = TypeVar("AnyForm", bound=Form)
AnyLineForm = TypeVar("AnyLineForm", bound=LineForm)


class UnusableAnswer(Exception):
    """Error for an answer that cannot be used; the message completes “This answer cannot be used:”.

    Attributes
    ----------
    attempts
        Number of times that the model was asked, final once asking has ended.
    """

    attempts = 1

    @property
    def summary(self) -> str:
        """Short description of the failure: the number of attempts and the last complaint."""
        return f"no usable answer in {pluralize(self.attempts, 'attempt')} ({self})"


class Repetitive(UnusableAnswer):
    """Error for an answer that ends in endless repetition, so that asking again would not help."""


def ask_until_usable(
    ask: Callable[[Sequence[Message]], Reply],
    messages: Sequence[Message],
    parse_answer: Callable[[str], ParsedAnswer],
    report_usability: Callable[[bool], None] = lambda usable: None,
) -> ParsedAnswer:
    """Ask a model until an answer can be parsed, with at most `MOST_ANSWER_RETRIES` retries, and return the parsed answer.

    Parameters
    ----------
    ask
        Function that sends a conversation; its errors are passed on.
    messages
        The conversation so far.
    parse_answer
        Function that parses the answer, stripped by `strip_reasoning_and_code_fence`; raises UnusableAnswer if the answer
        cannot be used.
    report_usability
        Called after each answer with whether it can be used.

    Raises
    ------
    UnusableAnswer
        If the last answer is unusable, refused or cut off, or as soon as an unusable answer repeats itself.
    """
    for retry_count in range(MOST_ANSWER_RETRIES + 1):
        model_reply = ask(messages)
        try:
            if model_reply.ended != "whole":
                raise UnusableAnswer(
                    "the model refused to answer"
                    if model_reply.ended == "refused"
                    else "the answer was too long and was cut off"
                )
            accepted_answer_value = parse_answer(strip_reasoning_and_code_fence(model_reply.text))
        except UnusableAnswer as error:
            report_usability(False)
            unusable_answer_error = error
            if repeated_text := repeated_ending(model_reply.text):
                unusable_answer_error = Repetitive(
                    f"the answer repeats {short_repr(repeated_text)} again and again, so the model was not asked again"
                )
            unusable_answer_error.attempts = retry_count + 1
            if retry_count == MOST_ANSWER_RETRIES or isinstance(unusable_answer_error, Repetitive):
                raise unusable_answer_error from None
            previous_answer = (
                strip_reasoning_and_code_fence(model_reply.text)[:MOST_ANSWER_CHARACTERS_SENT_BACK]
                or EMPTY_ANSWER_PLACEHOLDER
            )
            messages = [
                *messages,
                Message("assistant", previous_answer),
                Message("user", UNUSABLE_ANSWER_MESSAGE_TEMPLATE.format(complaint=unusable_answer_error)),
            ]
        else:
            report_usability(True)
            return accepted_answer_value
    raise AssertionError


def repeated_ending(answer: str, *, is_answer_unfinished: bool = False) -> str:
    """Return the text that is repeated at the end of an answer; empty if there is no repetition.

    All digits are treated as equal, so that a numbered list of identical items is a repetition too. Not so in an
    unfinished answer, which may be a list of numbers; there, a repetition must also be twice as long.
    """
    examined_answer_end = answer.rstrip()[-_EXAMINED_END_CHARACTERS:]
    reversed_end = (examined_answer_end if is_answer_unfinished else _DIGIT_PATTERN.sub("0", examined_answer_end))[::-1]
    least_repeated_length = _LEAST_REPEATED_CHARACTERS * (2 if is_answer_unfinished else 1)
    # The prefix function of Knuth, Morris and Pratt: the longest border gives the shortest period.
    prefix_border_lengths = [0] * len(reversed_end)
    for character_index in range(1, len(reversed_end)):
        current_border_length = prefix_border_lengths[character_index - 1]
        while current_border_length and reversed_end[character_index] != reversed_end[current_border_length]:
            current_border_length = prefix_border_lengths[current_border_length - 1]
        prefix_border_lengths[character_index] = current_border_length + (
            reversed_end[character_index] == reversed_end[current_border_length]
        )
        examined_reversed_prefix_length, repeated_text_length = (
            character_index + 1,
            character_index + 1 - prefix_border_lengths[character_index],
        )
        if (
            examined_reversed_prefix_length >= least_repeated_length
            and examined_reversed_prefix_length >= _LEAST_REPETITIONS * repeated_text_length
        ):
            return examined_answer_end[-repeated_text_length:].strip() or examined_answer_end[-1:]
    return ""


def strip_reasoning_and_code_fence(answer: str) -> str:
    """Strip the reasoning in ``<think>`` and the surrounding code fence from an answer.

    Reasoning that the server's template has opened ends with a line ``</think>``. A plain-text answer with such a line,
    and without ``<think>`` before it, cannot be distinguished from reasoning.
    """
    reasoning_match = _REASONING_PATTERN.match(answer)
    if reasoning_match and not reasoning_match[1] and _REASONING_START_PATTERN.search(reasoning_match[0]):
        reasoning_match = None
    return _answer_without_code_fence(answer[reasoning_match.end() :] if reasoning_match else answer)


def _answer_without_code_fence(answer: str) -> str:
    opening_fence_match = _FENCE_PATTERN.match(answer)
    if not opening_fence_match:
        return answer
    # Not by one regular expression: from each of a million blanks it would look for the end again.
    text_after_opening, opening_fence = answer[opening_fence_match.end() :].rstrip(), opening_fence_match[1]
    text_inside_fence = text_after_opening.removesuffix(opening_fence).rstrip(" \t").removesuffix("\n")
    return (
        text_inside_fence
        if text_after_opening.endswith(opening_fence) and opening_fence not in text_inside_fence
        else answer
    )


def parse_json_answer(answer: str, form: type[AnyForm]) -> AnyForm:
    """Return an answer's last JSON object with the expected fields, ignoring surrounding text.

    Parameters
    ----------
    answer
        The model's answer.
    form
        The fields that the object must have.

    Raises
    ------
    UnusableAnswer
        If there is no JSON object with the expected fields.
    """
    validated_answer_form: AnyForm | None = None
    unusable_answer_error = UnusableAnswer("the answer must contain a JSON object; it has none")
    for object_number, json_object_or_error in enumerate(_outermost_json_objects(answer)):
        try:
            if isinstance(json_object_or_error, UnusableAnswer):
                raise json_object_or_error
            validated_answer_form = _validated_form(json_object_or_error, form)
        except UnusableAnswer as error:
            unusable_answer_error = unusable_answer_error if object_number else error
    if validated_answer_form is None:
        raise unusable_answer_error from None
    return validated_answer_form


def parse_last_line_of_answer(answer: str, form: type[AnyLineForm]) -> AnyLineForm:
    """Parse an answer's last line of the given form, or the whole answer if it is a JSON object.

    Raises
    ------
    UnusableAnswer
        If no line matches, or the line has neither a number nor ``none``, or has more numbers than the form takes.
    """
    if answer.lstrip().startswith("{"):
        return parse_json_answer(answer, form)
    labelled_line_contents = re.findall(rf"{form.label}\W*?:(.*)", answer, re.IGNORECASE)
    if not labelled_line_contents:
        raise UnusableAnswer(f"the answer must have a line that begins with '{form.label}:'; it has none")
    last_line_numerals = _NUMBER_PATTERN.findall(labelled_line_contents[-1])
    if any(len(number) > _MOST_DIGITS for number in last_line_numerals):
        raise UnusableAnswer("the answer may name only numbers from the prompt; it has a number with too many digits")
    if not last_line_numerals and not _WORD_NONE_PATTERN.search(labelled_line_contents[-1]):
        raise UnusableAnswer(f"the answer must have a number or the word none after '{form.label}:'; it has neither")
    parsed_line_form = form.build_from_parsed_numbers([*map(int, last_line_numerals)])
    if parsed_line_form is None:
        raise UnusableAnswer(f"the answer must have exactly one number after '{form.label}:'; it has several")
    return parsed_line_form


def _outermost_json_objects(answer: str) -> Iterator[object]:
    """Yield the outermost JSON objects of an answer; for a broken one, the error and the objects within it."""
    object_start_offset, json_decoder = answer.find("{"), json.JSONDecoder()
    for _ in range(_MOST_OBJECT_STARTS):
        if object_start_offset < 0:
            return
        try:
            parsed_object, next_search_offset = json_decoder.raw_decode(answer, object_start_offset)
            yield parsed_object
        except (ValueError, RecursionError) as error:
            json_defect_phrase = (
                error.msg if isinstance(error, json.JSONDecodeError) else "it is too deep or has too long a number"
            )
            yield UnusableAnswer(f"its JSON is broken: {json_defect_phrase}")
            next_search_offset = object_start_offset + 1
        object_start_offset = answer.find("{", next_search_offset)


def _validated_form(parsed_json_object: object, form: type[AnyForm]) -> AnyForm:
    """Return an object in its form; raises UnusableAnswer if it has another."""
    try:
        # Escapes in JSON allow half of a surrogate pair, and Unicode does not.
        json.dumps(parsed_json_object, ensure_ascii=False).encode()
        return form.model_validate(parsed_json_object)
    except UnicodeEncodeError:
        raise UnusableAnswer("the answer must be valid Unicode; its JSON contains half of a surrogate pair") from None
    except RecursionError:
        raise UnusableAnswer(
            "the JSON of the answer must be nested less deeply; it is nested too deeply to be read"
        ) from None
    except ValidationError as error:
        faulty_field_phrase, first_error_details = first_field_and_error(error, "the object")
        raise UnusableAnswer(
            f"{faulty_field_phrase}: {first_error_details['msg']}; got {short_repr(first_error_details['input'])}"
        ) from None
