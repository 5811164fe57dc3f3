"""Whatever a server or its model does, all that asks ends in a right result or in one sentence, and loses nothing."""

import json
import logging
import threading
import time
from contextlib import suppress
from email.utils import formatdate
from traceback import format_exception

import pytest

from chunkers import Cancelled, ModelError
from chunkers.language_models import chat_server as server
from chunkers.language_models import prompts
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.asking_until_usable import MOST_ANSWER_RETRIES
from chunkers.language_models.chat_server import ChatServer
from chunkers.language_models.requests_within_spending_limit import Asking
from chunkers.language_models.spending import SpendingLimit
from tests.chunkers.language_models.features import FEATURES, right
from tests.server import KEY, ChatModelServer, Raw, words


def with_features(ways, nth):
    """Return every way with every feature: each n-th in every lane, so that none is left out, and all in `make full`."""
    return [
        pytest.param(way, feature, marks=[] if (row + column) % nth == 0 else pytest.mark.full)
        for row, way in enumerate(ways)
        for column, feature in enumerate(FEATURES)
    ]


LONG = 5.0
"""Seconds that a request is kept waiting, more than it is waited for."""


@pytest.fixture
def http(serve):
    return serve(ChatModelServer, right)


@pytest.fixture(scope="module")
def known():
    """Return the result of every feature on a correct server, and the number of its requests."""
    chat_server, outcomes = ChatModelServer(right), {}
    for feature, work in FEATURES.items():
        before = len(chat_server.requests)
        outcomes[feature] = work(asking(chat_server)), len(chat_server.requests) - before
        assert outcomes[feature][1] >= 3
    chat_server.close()
    return outcomes


@pytest.fixture
def undisturbed(feature, known):
    return known[feature]


def asking(http, answers=None, limit=None, key=KEY):
    model = ChatServer("openai:test", http.address, key)
    return Asking(model, AnswerCache() if answers is None else answers, limit, schema_treatment="ignored")


def asked(http):
    return [json.dumps(body["messages"]) for _, _, body in http.requests]


PASSES = {
    "429 with a date": lambda: [(429, {"Retry-After": formatdate(time.time() + 1, usegmt=True)})],
    "500": lambda: [(500, {})] * 3,
    "a cut stream": lambda: [Raw(b'{"choices": [', {"Content-Length": "9999"})],
    "slowly": lambda: [0.3],
}


@pytest.mark.full
@pytest.mark.parametrize(("fault", "feature"), with_features(PASSES, 2))
def test_a_server_that_fails_for_a_while_changes_nothing(http, feature, fault, undisturbed):
    made, count = undisturbed
    http.script = [http.right, *(script := PASSES[fault]())]
    asker = asking(http)
    assert FEATURES[feature](asker) == made
    assert asker.spent.requests == len(http.requests) == count + len(script) * (fault != "slowly")
    assert (asker.spent.tokens_in, asker.spent.tokens_out) == (100 * count, 7 * count)
    assert bool(asker.spent.unsure) == (fault == "a cut stream")


def message(**fields):
    """Return an answer whose message has these fields."""
    whole = words("")
    whole["choices"][0]["message"] = {"role": "assistant", **fields}
    return lambda _: whole


CALL = {"id": "1", "type": "function", "function": {"name": "find", "arguments": "{}"}}

TOGETHER = ("propositions", "context", "answers")
"""Features that send several requests in parallel."""

ENDS = {
    "an absurd Retry-After": ([(429, {"Retry-After": "1e400"})], "must have requests left for this key"),
    "an unknown model": ([(404, {})], "must know the address and the model; it does not"),
    "broken JSON": ([lambda _: b'{"choices": [{'], "The answer must be valid JSON that"),
    "no choices": ([lambda _: {"choices": []}], "The answer must contain the list 'choices'"),
    "a tool's call": ([message(content=None, tool_calls=[CALL])], "The answer's message must have a string as its content"),
    "10 MB": ([Raw(b" " * 10_000_000)], "with at most 4 MB"),
    "never": ([LONG] * 40, "must answer within 0.5 seconds; it did not, in 4 attempts"),
}


@pytest.mark.full
@pytest.mark.parametrize(("fault", "feature"), with_features([*ENDS, "another host"], 3))
def test_a_server_that_cannot_be_used_is_one_sentence_and_the_next_run_goes_on(
    http, feature, fault, undisturbed, monkeypatch, caplog
):
    made, count = undisturbed
    caplog.set_level(logging.DEBUG)
    elsewhere = ChatModelServer(right)
    to_it = Raw(b"", {"Location": f"{elsewhere.address}/chat/completions"}, 307)
    script, sentence = ENDS.get(fault, ([to_it], "must answer itself; it leads to another address"))
    if LONG in script:
        monkeypatch.setattr(server, "LOCAL_TIMEOUT", 0.5)
    http.script = [http.right, *script]
    answers = AnswerCache()
    asker = asking(http, answers)
    with pytest.raises(ModelError) as error:
        FEATURES[feature](asker)
    assert sentence in str(error.value)
    assert str(error.value).startswith("openai:test: 127.0.0.1:")
    for text in ("".join(format_exception(error.value)), caplog.text, str(asker.spent)):
        assert KEY not in text
    assert not elsewhere.requests
    elsewhere.close()
    sent = len(http.requests)
    monkeypatch.undo()
    http.script = []
    again = asking(http, answers)
    assert FEATURES[feature](again) == made
    assert len({*asked(http)}) == count
    # What was answered the first time is not asked for again; what was on its way when another failed may be.
    assert again.spent.requests <= count
    if feature not in TOGETHER:
        assert asker.spent.requests == sent
        assert again.spent.requests == len(http.requests) - sent == count - 1


# What the model says.


def last_line(said):
    return said.rpartition("\n")[2]


def wrong(said, **fields):
    """Return an answer with these fields in each of its objects instead; of words a line, one that says nothing."""
    if not said.startswith("{"):
        return f"{said.partition(':')[0]}: {'x' * 700}!"

    def change(value):
        if isinstance(value, dict):
            return {name: fields[name] if name in fields else change(field) for name, field in value.items()}
        return [change(member) for member in value] if isinstance(value, list) else value

    return json.dumps(change(json.loads(said)))


def all_fields(value):
    names = ("sentence", "propositions", "chunk", "excerpts", "supported", "questions", "grade")
    return dict.fromkeys(names, value)


SAID = {
    "reasoning before": lambda answer: f'<think>Is it {{"grade": 1}}?\nsplit_after: 9\nAnswer: 1</think>\n\n{answer}',
    "reasoning begun before": lambda answer: f"Well, {{a}} or none: {{}}.\n</think>\n{answer}",
    "a fence after reasoning": lambda answer: f"<think>Hm.</think>\n```\n{answer}\n```\n",
}


@pytest.mark.parametrize(("way", "feature"), with_features(SAID, 3))
def test_what_stands_around_an_answer_is_no_part_of_it(http, feature, way, undisturbed):
    made, count = undisturbed
    http.model = lambda messages: SAID[way](right(messages))
    assert FEATURES[feature](asking(http)) == made
    assert len(http.requests) == count


USES = {
    "no usage": None,
    "negative": {"prompt_tokens": -5, "completion_tokens": -1},
    "too much": {"prompt_tokens": 10**400, "completion_tokens": 10**400},
}


@pytest.mark.parametrize(("use", "feature"), with_features(USES, 3))
def test_a_server_that_does_not_count_is_taken_to_have_used_the_most(http, feature, use, undisturbed):
    made, count = undisturbed
    http.right = None
    http.script = [lambda messages: words(right(messages)) | {"usage": USES[use]}] * count
    asker = asking(http)
    assert FEATURES[feature](asker) == made
    assert (asker.spent.tokens_in, asker.spent.tokens_out) == (0, 0)
    assert asker.spent.unsure > count * 1_000
    assert len(str(asker.spent)) < 200


UNUSABLE = {
    "cut": lambda answer: words(answer, finish="length"),
    "filtered": lambda answer: words(None, finish="content_filter"),
    "nothing": lambda answer: words("  \n"),
    "reasoning without an end": lambda answer: words(f"<think>Is it so?\n{answer}"),
    "half of it": lambda answer: words(answer[: len(answer) // 2] if answer.startswith("{") else ""),
    "a long one": lambda answer: words("split_after: Answer: " + "{" * 300_000 + "!"),
    "NaN": lambda answer: words(wrong(answer, **all_fields(float("nan")))),
    "a huge number": lambda answer: words(wrong(answer, **all_fields(10**4_000))),
    "nested lists": lambda answer: words(wrong(answer, **all_fields([[[]]]))),
    "true": lambda answer: words(wrong(answer, **{**all_fields(True), "supported": "perhaps"})),
    "thousands of faults": lambda answer: words(wrong(answer, **{**all_fields([0.5] * 10_000), "chunk": 0.5})),
}


@pytest.mark.parametrize(("way", "feature"), with_features(UNUSABLE, 4))
def test_an_answer_that_cannot_be_used_is_asked_again_and_then_given_up(http, feature, way, undisturbed):
    made, count = undisturbed
    # Questions begin with an example.
    first = 4 if feature == "questions" else 2

    def once(messages):
        # What was wrong at first is right when it is asked again.
        return UNUSABLE[way](right(messages)) if len(messages) == first and plain(messages) else words(right(messages))

    def plain(messages):
        return messages[0]["content"] != prompts.ANSWER_SYSTEM_PROMPT or way in ANY_WORDS

    http.right = once
    asker = asking(http)
    assert FEATURES[feature](asker) == made
    repeated = sum(len(messages) > first for messages in map(json.loads, asked(http)))
    assert 1 <= repeated <= count
    assert len(http.requests) == count + repeated
    http.requests.clear()
    http.right = lambda messages: UNUSABLE[way](right(messages)) if plain(messages) else words(right(messages))
    FEATURES[feature](asking(http))
    assert max(len(messages) for messages in map(json.loads, asked(http))) == first + 2 * MOST_ANSWER_RETRIES


ANY_WORDS = ("cut", "filtered", "nothing", "reasoning without an end", "half of it")
"""Faults of an answer in free text."""


# The user.


@pytest.mark.parametrize("feature", FEATURES)
def test_nobody_waits_for_a_server_that_hangs_once_the_user_has_stopped(http, feature):
    http.script = [http.right, *[LONG] * 8]
    answers, stopped, outcome = AnswerCache(), threading.Event(), []

    def work():
        try:
            FEATURES[feature](asking(http, answers), stopped.is_set)
        except Cancelled as error:
            outcome.append(error)

    waiting = threading.Thread(target=work)
    waiting.start()
    while len(http.requests) < 2:
        time.sleep(0.01)
    stopped.set()
    # Far less than the server takes, and far more than a busy machine.
    waiting.join(LONG / 2)
    assert not waiting.is_alive()
    assert len(outcome) == 1


@pytest.mark.parametrize("feature", FEATURES)
def test_the_limit_is_never_passed_and_a_second_run_with_the_answers_is_free_and_says_so(http, feature, undisturbed):
    made, count = undisturbed
    answers = AnswerCache()
    for tokens in range(3_000, 30_000, 3_000):
        http.script = [Raw(b"{", {"Content-Length": "9"})] * (tokens % 2_000 == 0)
        asker = asking(http, answers, SpendingLimit(tokens))
        with suppress(ModelError):
            FEATURES[feature](asker)
        assert asker.spent.tokens <= tokens
    assert FEATURES[feature](asking(http, answers)) == made
    again = asking(http, answers, SpendingLimit(1))
    assert FEATURES[feature](again) == made
    assert again.spent.remembered >= count
    assert str(again.spent) == f"0 requests, {again.spent.remembered} answers from before"


@pytest.mark.parametrize("feature", FEATURES)
def test_a_key_that_is_a_word_is_not_torn_out_of_answers(http, feature, undisturbed):
    made, _ = undisturbed
    assert FEATURES[feature](asking(http, key="none")) == made
