"""An answer that comes piece by piece is read as far as it is of use, and is the same as one that comes at once."""

import pytest

from chunkers import ModelError
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.answer_schemas_and_parsers import CORRECTNESS_JUDGEMENT_ANSWER, TOKENS_BESIDE_CONTENT
from chunkers.language_models.asking_until_usable import Repetitive, ask_until_usable
from chunkers.language_models.base import Message, Reply
from chunkers.language_models.chat_server import MOST_STREAMED_TOKENS, ChatServer
from chunkers.language_models.requests_within_spending_limit import Asking
from chunkers.language_models.spending import Spending, upper_bound_on_conversation_tokens
from tests.server import KEY, ChatModelServer, Events, Raw, streamed

HELLO = [Message("user", "What is the capital of the tide?")]
MOST = upper_bound_on_conversation_tokens(HELLO) + TOKENS_BESIDE_CONTENT
LOOP = "The capital of the tide is noon. " * 400


@pytest.fixture
def http(serve):
    return serve(ChatModelServer)


def asking(http):
    return Asking(ChatServer("openai:test", http.address, KEY), AnswerCache())


def streams(http):
    return ["stream" in body for _, _, body in http.requests]


def test_the_connection_is_closed_as_soon_as_the_answer_repeats_itself(http):
    events = streamed(LOOP, pause=0.001)
    http.script = [events]
    asker = asking(http)
    with pytest.raises(
        Repetitive, match=r"the answer repeats .*capital.* again and again, so the model was not asked again"
    ):
        ask_until_usable(asker.ask, HELLO, int)
    # 400 characters are 85 words.
    assert 85 <= events.sent < 300 < len(events.pieces)
    assert asker.spent == Spending(1, 0, 0, 0, MOST, None)
    # What was read is remembered like any other answer.
    assert asker.ask(HELLO).ended == "cut"
    assert len(http.requests) == 1


NUMBERS = "split_after: " + ", ".join(map(str, range(1, 200)))
GOOD = {
    "words": (("Yes, \N{GRINNING FACE} at noon.",), Reply("Yes, \N{GRINNING FACE} at noon.", 100, 7)),
    "numbers": ((NUMBERS,), Reply(NUMBERS, 100, 7)),
    "cut off": (("Ye", 100, 7, "length"), Reply("Ye", 100, 7, "cut")),
    "nothing": (("",), Reply("", 100, 7)),
    "a filter": (("", 100, 7, "content_filter"), Reply("", 100, 7, "refused")),
    "the key": ((f"It is {KEY}.",), Reply("It is [key].", 100, 7)),
}


@pytest.mark.parametrize(("given", "reply"), GOOD.values(), ids=GOOD)
def test_a_streamed_answer_is_that_of_one_piece(http, given, reply):
    events = streamed(*given)
    http.script = [events]
    asker = asking(http)
    assert asker.ask(HELLO) == reply
    assert events.sent == len(events.pieces)
    assert asker.spent == Spending(1, 0, 100, 7, 0, None)


def delta(**fields):
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


BAD = {
    "an error": ([delta(content="Yes"), {"error": {"message": KEY}}], "the server reports an error in the middle"),
    "broken JSON": (["{"], "The answer must be valid JSON that"),
    "nested": (["[" * 200_000], "The answer may contain at most 100,000 lists and objects"),
    "no choices": ([{"choices": {}}, None], "The answer must contain the list 'choices'"),
    "no delta": ([{"choices": [7]}], "The answer's message must have a string as its content"),
    "parts": ([delta(content=[{"text": "Yes"}])], "The answer's message must have a string as its content"),
}


@pytest.mark.parametrize(("pieces", "sentence"), BAD.values(), ids=BAD)
def test_a_stream_that_cannot_be_used_is_one_sentence(http, pieces, sentence):
    http.script = [Events([*pieces, "[DONE]"])]
    with pytest.raises(ModelError) as error:
        asking(http).ask(HELLO)
    assert sentence in str(error.value)
    assert KEY not in str(error.value)
    assert len(http.requests) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        (400, {"param": "stream"}),
        Raw(b'{"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs"}]}', status=422),
    ],
    ids=["its name", "its words"],
)
def test_a_server_that_refuses_to_stream_is_asked_for_one_piece_from_then_on(http, refusal):
    http.script = [refusal]
    asker = asking(http)
    assert asker.ask(HELLO).text == "Yes."
    asker.ask([*HELLO, Message("user", "And now?")])
    assert streams(http) == [True, False, False]


def test_a_stream_without_numbers_of_tokens_is_the_last_one(http):
    http.script = [streamed("Yes.", None)]
    asker = asking(http)
    assert asker.ask(HELLO) == Reply("Yes.")
    assert asker.ask([*HELLO, Message("user", "And now?")]) == Reply("Yes.", 100, 7)
    assert streams(http) == [True, False]


def test_a_stream_that_is_lost_in_the_middle_is_asked_for_again(http):
    lost = Raw(b'data: {"choices": []}\n\n', {"Content-Type": "text/event-stream", "Content-Length": "999"})
    http.script = [lost, streamed("Yes.")]
    assert asking(http).ask(HELLO).text == "Yes."
    assert len(http.requests) == 2


def test_only_what_may_repeat_itself_is_streamed(serve):
    http = serve(ChatModelServer, lambda _: '{"reason": "", "grade": 4}', "enforced")
    asker = asking(http)
    asker.ask(HELLO, answer_kind=CORRECTNESS_JUDGEMENT_ANSWER)
    asker.ask(HELLO, answer_kind=CORRECTNESS_JUDGEMENT_ANSWER.copy_with_answer_limits({}, MOST_STREAMED_TOKENS + 1))
    assert streams(http) == [False, False, False]
