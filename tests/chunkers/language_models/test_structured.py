"""One small request finds out how a server treats a schema, and answers of a form are asked for accordingly."""

import json

import pytest

from chunkers import InputError
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.answer_schemas_and_parsers import (
    CORRECTNESS_JUDGEMENT_ANSWER,
    FREE_TEXT_ANSWER,
    SPLIT_PLACES_ANSWER,
    Correctness,
    SplitsAnswer,
)
from chunkers.language_models.asking_until_usable import parse_json_answer, parse_last_line_of_answer
from chunkers.language_models.base import Message
from chunkers.language_models.chat_server import ChatServer
from chunkers.language_models.prompts import SPLITS_SYSTEM_PROMPT
from chunkers.language_models.requests_within_spending_limit import USABILITY_CHECKED_ANSWER_COUNT, Asking
from tests.chunkers.language_models.features import FEATURES, right
from tests.server import ChatModelServer

GRADE = '{"reason": "Fine.", "grade": 4}'


def asking(http, answers=None, **more):
    return Asking(ChatServer("openai:test", http.address), AnswerCache() if answers is None else answers, **more)


def question(number=0):
    return [Message("system", "Grade it."), Message("user", f"Answer {number}")]


def formats(http):
    return [body.get("response_format", {}).get("type") for _, _, body in http.requests]


@pytest.mark.parametrize(
    ("schema", "dialects", "found", "sent"),
    [
        ("enforced", ("json_schema", "json_object"), "enforced", ["json_schema"] * 3),
        ("enforced", ("json_object",), "enforced", ["json_schema"] + ["json_object"] * 3),
        ("refused", (), "refused", ["json_schema", "json_object", None, None]),
        ("ignored", ("json_schema",), "ignored", ["json_schema", None, None]),
    ],
)
def test_one_small_request_finds_out_what_the_server_does_with_a_schema(serve, schema, dialects, found, sent):
    http = serve(ChatModelServer, lambda _: GRADE, schema, dialects)
    asker = asking(http)
    assert asker.structured is None
    for number in range(2):
        assert (
            parse_json_answer(asker.ask(question(number), answer_kind=CORRECTNESS_JUDGEMENT_ANSWER).text, Correctness).grade
            == 4
        )
    assert asker.structured == found
    assert formats(http) == sent
    assert found in asker.summary.replace("enforces", "enforced").replace("refuses", "refused").replace("ignores", "ignored")
    # An answer in words needs no schema, and nobody is asked twice for what is known.
    asker.ask(question(), answer_kind=FREE_TEXT_ANSWER)
    assert formats(http)[-1] is None


def test_the_forced_word_is_not_in_the_prompt(serve):
    http = serve(ChatModelServer, lambda _: GRADE, "enforced")
    asking(http).ask(question(), answer_kind=CORRECTNESS_JUDGEMENT_ANSWER)
    probe = http.requests[0][2]
    (word,) = probe["response_format"]["json_schema"]["schema"]["properties"]["word"]["enum"]
    assert word not in json.dumps(probe["messages"])


def test_what_was_found_out_is_remembered_with_the_answers(serve):
    http, answers = serve(ChatModelServer, lambda _: GRADE, "refused"), AnswerCache()
    asking(http, answers).ask(question(), answer_kind=CORRECTNESS_JUDGEMENT_ANSWER)
    count = len(http.requests)
    again = asking(http, answers)
    assert again.cached_answer(question(), CORRECTNESS_JUDGEMENT_ANSWER).text == GRADE
    assert again.ask(question(), answer_kind=CORRECTNESS_JUDGEMENT_ANSWER).text == GRADE
    assert (again.structured, len(http.requests)) == ("refused", count)


def test_a_weak_model_of_a_server_that_enforces_the_schema_is_held_to_it(serve):
    http = serve(ChatModelServer, lambda _: "What is it? " * 50, "enforced")
    asker = asking(http)
    messages = [Message("system", SPLITS_SYSTEM_PROMPT), Message("user", "pieces")]
    assert parse_last_line_of_answer(
        asker.ask(messages, answer_kind=SPLIT_PLACES_ANSWER.copy_with_answer_limits({"split_after": (1, 3)})).text,
        SplitsAnswer,
    ) == SplitsAnswer(split_after=[])
    system = http.requests[-1][2]["messages"][0]["content"]
    # The prompt asks for what the schema allows.
    assert SplitsAnswer.wording() in system
    assert SplitsAnswer.wording_for_single_line() not in system


# Of llm and lumber the scripted model answers with lines, which a schema does not allow.
IN_JSON = [feature for feature in FEATURES if feature not in ("llm", "lumber")]


@pytest.mark.parametrize(
    ("schema", "feature"),
    [*(("enforced", feature) for feature in IN_JSON), *(("refused", feature) for feature in FEATURES)],
)
def test_a_model_that_answers_rightly_gives_the_same_however_it_is_asked(serve, feature, schema):
    usual, other = serve(ChatModelServer, right), serve(ChatModelServer, right, schema)
    assert FEATURES[feature](asking(other)) == FEATURES[feature](asking(usual))


def test_a_schema_that_is_refused_alone_is_left_out(serve):
    http = serve(ChatModelServer, lambda _: GRADE, "enforced")
    asker = asking(http)
    asker.ask(question(), answer_kind=CORRECTNESS_JUDGEMENT_ANSWER)
    http.schema = "refused"
    assert asker.ask(question(1), answer_kind=CORRECTNESS_JUDGEMENT_ANSWER).text == GRADE
    assert formats(http)[-2:] == ["json_schema", None]


def test_the_first_answers_say_once_that_many_cannot_be_used_and_what_helps(serve):
    warnings = []
    asker = asking(serve(ChatModelServer), warn=lambda sentence, unusable: warnings.append((sentence, unusable)))
    for number in range(3 * USABILITY_CHECKED_ANSWER_COUNT):
        assert warnings == [] or number >= USABILITY_CHECKED_ANSWER_COUNT
        asker.report_usability(number % 2 == 0)
    assert warnings == [(asker.unusable_answers_warning, 5)]
    assert asker.unusable_answers_warning.startswith(
        f"5 of the first {USABILITY_CHECKED_ANSWER_COUNT} answers could not be used."
    )
    assert "larger model" in asker.unusable_answers_warning
    assert "structured answers" in asker.unusable_answers_warning
    few = asking(serve(ChatModelServer), warn=lambda sentence, unusable: warnings.append((sentence, unusable)))
    for number in range(USABILITY_CHECKED_ANSWER_COUNT):
        few.report_usability(number > 3)
    assert (few.unusable_answers_warning, len(warnings)) == ("", 1)


def test_a_warning_may_end_the_asking(serve):
    def stop(said, unusable):
        raise InputError(said)

    asker = asking(serve(ChatModelServer), warn=stop)
    for _ in range(USABILITY_CHECKED_ANSWER_COUNT - 1):
        asker.report_usability(False)
    with pytest.raises(InputError, match="could not be used"):
        asker.report_usability(False)
    asker.report_usability(False)
