"""A language model behind a server: each way in which one answers, or does not, ends in an answer or in one sentence."""

import gzip
import json
import logging
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from email.utils import formatdate
from random import Random
from traceback import format_exception

import pytest

from chunkers import Cancelled, InputError, ModelError
from chunkers.language_models import chat_server
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.answer_schemas_and_parsers import TOKENS_BESIDE_CONTENT, AnswerKind
from chunkers.language_models.base import LanguageModel, Message, Reply
from chunkers.language_models.chat_server import STREAM_SETTINGS, ChatServer
from chunkers.language_models.requests_within_spending_limit import MOST_PARALLEL_CONVERSATIONS, Asking, run_in_parallel
from chunkers.language_models.spending import Ledger, Spending, SpendingLimit, upper_bound_on_conversation_tokens
from tests.server import KEY, ChatModelServer, Raw, words

LONG = 5.0
"""Seconds that a request is kept waiting, more than it is waited for."""

HELLO = (Message("system", "Answer in one word."), Message("user", "Is the tide in? Ebbe und Flut, 潮."))
MOST = upper_bound_on_conversation_tokens(HELLO) + TOKENS_BESIDE_CONTENT
"""The most tokens that a request with it may take."""


@pytest.fixture
def http(serve):
    return serve(ChatModelServer)


@pytest.fixture
def impatient(monkeypatch, request):
    """Wait less than a person would, where an answer does not come."""
    if LONG in request.getfixturevalue("script"):
        monkeypatch.setattr(chat_server, "LOCAL_TIMEOUT", 0.5)


def asking(http, limit=None, answers=None, name="openai:test"):
    return Asking(ChatServer(name, http.address, KEY), AnswerCache() if answers is None else answers, limit)


def test_a_server_is_asked_in_its_protocol(http):
    reply = asking(http).ask(HELLO)
    ((path, headers, body),) = http.requests
    assert reply == Reply("Yes.", 100, 7, "whole")
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "test",
        "messages": [{"role": role, "content": text} for role, text in HELLO],
        "max_tokens": TOKENS_BESIDE_CONTENT,
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_the_same_question_is_asked_once_of_each_model_and_no_failure_is_remembered(http):
    answers, ledger = AnswerCache(), Ledger()
    http.script = [(401, {})]
    asker = asking(http, answers=answers)
    with pytest.raises(ModelError):
        asker.ask(HELLO)
    assert [asker.ask(HELLO, ledger=ledger).text for _ in range(3)] == ["Yes."] * 3
    assert asking(http, answers=answers).ask(HELLO, cancelled=lambda: True).text == "Yes."
    assert len(http.requests) == 2
    assert ledger.spent == Spending(1, 2, 100, 7, 0, None)
    with pytest.raises(Cancelled):
        asker.ask(HELLO[:1], cancelled=lambda: True)
    asking(http, answers=answers, name="openai:other").ask(HELLO)
    assert len(http.requests) == 3


GOOD = {
    "429 with Retry-After": ([(429, {"Retry-After": "0.1"})], 2, Reply("Yes.", 100, 7), 0),
    "429 with words": ([(429, {"Retry-After": "soon"})], 2, Reply("Yes.", 100, 7), 0),
    "429 with a date that was": ([(429, {"Retry-After": formatdate(0, usegmt=True)})], 2, Reply("Yes.", 100, 7), 0),
    "500 and a lost connection": ([(500, {}), Raw(b'{"id": "1', {"Content-Length": "99"})], 3, Reply("Yes.", 100, 7), 1),
    "slowly, then well": ([LONG], 2, Reply("Yes.", 100, 7), 1),
    "no usage": ([lambda _: words("Yes.", None)], 1, Reply("Yes."), 1),
    "half of a surrogate pair": ([lambda _: words("Y\ud800s.")], 1, Reply("Y\ufffds.", 100, 7), 0),
    "absurd usage": ([lambda _: words("Yes.", 10**400)], 1, Reply("Yes.", None, 7), 1),
    "usage in words": ([lambda _: words("Yes.") | {"usage": "much"}], 1, Reply("Yes."), 1),
    "usage that is no number": ([lambda _: words("Yes.", float("nan"), float("inf"))], 1, Reply("Yes."), 1),
    "odd usage": ([lambda _: words("Yes.", -1)], 1, Reply("Yes.", None, 7), 1),
    "cut off": ([lambda _: words("Ye", finish="length")], 1, Reply("Ye", 100, 7, "cut"), 0),
    "a refusal": ([lambda _: words(None, refusal="I cannot.")], 1, Reply("", 100, 7, "refused"), 0),
    "a filter": ([lambda _: words("", finish="content_filter")], 1, Reply("", 100, 7, "refused"), 0),
    "the key": ([lambda _: words(f"It is {KEY}.")], 1, Reply("It is [key].", 100, 7), 0),
    "no temperature": ([(400, {"param": "temperature"})], 2, Reply("Yes.", 100, 7), 0),
    "another name": ([(400, {"param": "max_tokens"}), (400, {"param": "temperature"})], 3, Reply("Yes.", 100, 7), 0),
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("script", "requests", "reply", "unsure"), GOOD.values(), ids=GOOD)
def test_what_passes_ends_in_an_answer_and_in_the_ledger(http, script, requests, reply, unsure):
    http.script = list(script)
    asker, ledger = asking(http), Ledger()
    assert asker.ask(HELLO, ledger=ledger) == reply
    assert len(http.requests) == requests
    known = (reply.tokens_in, reply.tokens_out) if None not in reply else (0, 0)
    assert ledger.spent == asker.spent == Spending(requests, 0, *known, unsure * MOST, None)


def test_a_setting_that_a_server_does_not_know_is_left_out_from_then_on(http):
    http.script = [(400, {"param": "temperature"}), (400, {"param": "max_tokens"})]
    asker = asking(http)
    asker.ask(HELLO)
    asker.ask(HELLO[1:])
    settings = [{*body} - {"model", "messages", *STREAM_SETTINGS} for _, _, body in http.requests]
    assert settings == [{"max_tokens", "temperature"}, {"max_tokens"}, {"max_completion_tokens"}, {"max_completion_tokens"}]


BAD = {
    "refused": ([(401, {})], 1, "must accept the key; it refused (status 401)", 0),
    "no such model": ([(404, {})], 1, "must know the address and the model; it does not (status 404)", 0),
    "bad request": ([(400, {})], 1, "must accept the request; it refused (status 400)", 0),
    "no name of a setting": ([Raw(b'{"error": {"param": ["max_tokens"]}}', status=400)], 1, "it refused (status 400)", 0),
    "no bound at all": (
        [(400, {"param": "max_tokens"}), (400, {"param": "max_completion_tokens"})],
        2,
        "must accept the request; it refused (status 400)",
        0,
    ),
    "too many": ([(429, {})] * 9, 4, "must have requests left for this key; asked up to 4 times, it had none", 0),
    "broken": ([(500, {})] * 9, 4, "must work; asked up to 4 times, it failed (status 500)", 0),
    "never": ([LONG] * 9, 4, "must answer within 0.5 seconds; it did not, in 4 attempts", 4),
    "a cut stream": (
        [Raw(b'{"choices": [', {"Content-Length": "9999"})] * 9,
        4,
        "must be reachable; it was not, in 4 attempts",
        4,
    ),
    "broken JSON": ([lambda _: b'{"choices": [{'], 1, "The answer must be valid JSON that", 1),
    "nested": ([Raw(b"[" * 200_000)], 1, "The answer may contain at most 100,000 lists and objects", 1),
    "no object": ([lambda _: b"null"], 1, "The answer must contain the list 'choices'", 1),
    "no choices": ([lambda _: {"choices": []}], 1, "The answer must contain the list 'choices'", 1),
    "no message": ([lambda _: {"choices": [{"index": 0}]}], 1, "The answer's message must have a string as its content", 1),
    "odd choices": ([lambda _: {"choices": [[None]]}], 1, "The answer's message must have a string as its content", 1),
    "parts": (
        [lambda _: words([{"type": "text", "text": "Yes."}])],
        1,
        "The answer's message must have a string as its content",
        1,
    ),
    "a page": (
        [Raw(b"<p>", {"Content-Type": "text/html"})],
        1,
        "The answer must be valid JSON that is not nested too deeply",
        1,
    ),
    "too long a wait": ([(429, {"Retry-After": "1e400"})], 1, "must have requests left for this key", 0),
    "no words": ([lambda _: words(7)], 1, "The answer's message must have a string as its content", 1),
    "compressed": (
        [Raw(gzip.compress(b" " * 50_000_000), {"Content-Encoding": "gzip"})],
        1,
        "The answer must be uncompressed, with at most 4 MB",
        1,
    ),
    "10 MB": ([Raw(b" " * 10_000_000)], 1, "The answer must be uncompressed, with at most 4 MB", 1),
    "elsewhere": ([Raw(b"", {"Location": "http://127.0.0.1:9/v1"}, 307)], 1, "must answer itself", 0),
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("script", "requests", "sentence", "unsure"), BAD.values(), ids=BAD)
def test_what_does_not_pass_is_one_sentence_without_the_key(http, caplog, script, requests, sentence, unsure):
    caplog.set_level(logging.DEBUG)
    http.script = list(script)
    asker = asking(http)
    with pytest.raises(ModelError) as error:
        asker.ask(HELLO)
    assert sentence in str(error.value)
    assert str(error.value).startswith("openai:test: 127.0.0.1:")
    assert "\n" not in str(error.value)
    assert len(http.requests) == requests
    assert asker.spent == Spending(requests, 0, 0, 0, unsure * MOST, None if unsure else Decimal(0))
    assert error.value.__context__ is None
    assert error.value.__cause__ is None
    traceback = "".join(format_exception(error.value))
    for text in (traceback, repr(error.value), repr(asker.model), asker.model.revision, caplog.text):
        assert KEY not in text


def test_a_server_that_sends_a_byte_now_and_then_ends_at_the_deadline(http, monkeypatch):
    monkeypatch.setattr(chat_server, "LOCAL_DEADLINE", 0.5)
    http.script = [Raw(b" " * 100_000, pause=0.02)]
    with pytest.raises(ModelError, match=r"must answer within 0\.5 seconds in all; it did not"):
        asking(http).ask(HELLO)


@pytest.mark.parametrize("script", [[LONG], [Raw(b" " * 100_000, pause=0.05)]], ids=["says nothing", "a byte at a time"])
def test_nobody_waits_for_a_server_that_hangs_once_the_user_has_stopped(http, script):
    http.script = list(script)
    stopped, outcome = threading.Event(), []
    asker = asking(http)

    def ask():
        try:
            asker.ask(HELLO, stopped.is_set)
        except Cancelled as error:
            outcome.append(error)

    waiting = threading.Thread(target=ask)
    waiting.start()
    while not http.requests:
        time.sleep(0.01)
    stopped.set()
    # Far less than the server takes, and far more than a busy machine.
    waiting.join(LONG / 2)
    assert not waiting.is_alive()
    assert len(outcome) == 1
    assert asker.spent.unsure == MOST


@pytest.mark.parametrize("why", ["nobody listens", "it speaks no TLS"])
def test_a_server_that_is_not_there_has_cost_nothing(http, why):
    if why == "nobody listens":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            http.address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    else:
        http.address = http.address.replace("http:", "https:")
    asker = asking(http)
    with pytest.raises(ModelError, match="must be reachable; it was not, in 4 attempts"):
        asker.ask(HELLO)
    assert asker.spent == Spending(4, 0, 0, 0, 0, Decimal(0))
    assert not http.requests


@pytest.mark.parametrize("name", ["", "openai:", "openai: ", "gpt-4o", "anthropic:x"])
def test_a_name_of_none(name):
    with pytest.raises(InputError, match="must be openai: followed by the name of a model on the server"):
        ChatServer(name)


def test_openais_own_server_is_not_asked_without_a_key(http):
    with pytest.raises(ModelError, match="needs a key, in OPENAI_API_KEY or on the page; no key is set"):
        Asking(ChatServer("openai:gpt-4o-mini"), AnswerCache()).ask(HELLO)
    assert not http.requests


# Prices and the limit.


@pytest.mark.parametrize(
    ("name", "address", "cost"),
    [
        ("openai:gpt-4o-mini", "https://api.openai.com/v1", Decimal("0.75")),
        ("openai:gpt-4o-mini", "http://127.0.0.1:8080/v1", None),
        ("openai:no-such-model", "https://api.openai.com/v1", None),
        ("openai:no-such-model", "https://models.invalid/v1", None),
    ],
)
def test_a_price_is_that_of_the_model_at_its_server_and_is_looked_up_without_a_network(monkeypatch, name, address, cost):
    def refuse(*arguments, **others):
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    # Its price when this was written: $0.15 and $0.60 for a million tokens.
    assert ChatServer(name, address, KEY).price_of_tokens(1_000_000, 1_000_000) == cost


class PricedModel(LanguageModel):
    """Costs a cent for a thousand tokens, and takes what it says."""

    name = "priced"
    revision = "1"
    host = "nowhere"

    def __init__(self, takes=(300, 100)):
        self.takes = takes
        self.asked = 0

    def reply(self, messages, most_tokens, attempts):
        attempts.allow(attempts.sent)
        attempts.sent += 1
        self.asked += 1
        time.sleep(0.002)
        attempts.whole += 1
        return Reply("Yes.", *self.takes)

    def price_of_tokens(self, tokens_in, tokens_out):
        return Decimal(tokens_in + tokens_out) / 100_000


def questions(count):
    return [(Message("user", f"{number:04d} " + "x" * (995 - 32)),) for number in range(count)]


def ask_all(one, conversations):
    """Return the answers, asked for as all who ask for several do."""
    return run_in_parallel([lambda stopped, messages=messages: one.ask(messages, stopped) for messages in conversations])


@pytest.mark.parametrize(
    "limit", [SpendingLimit(tokens=10_000), SpendingLimit(tokens=None, money=Decimal("0.1"))], ids=["tokens", "money"]
)
@pytest.mark.parametrize("together", [False, True])
def test_asking_stops_before_the_limit_is_passed_and_what_was_answered_is_kept(limit, together):
    model, answers = PricedModel(), AnswerCache()
    asker = Asking(model, answers, limit)
    with pytest.raises(ModelError, match=r"^priced: the spending limit is .* What was answered is kept\.$"):
        ask_all(asker, questions(100)) if together else [asker.ask(question) for question in questions(100)]
    # Each takes 400 in the end, and 2,000 are set aside for it: the last is sent while 8,000 are spent, whoever else asks.
    assert asker.spent.tokens == 8_400
    assert asker.spent.requests == model.asked == asker.spent.tokens // 400
    again = Asking(PricedModel(), answers, SpendingLimit(tokens=1))
    kept = [question for question in questions(100) if answers.get(answers.key(model, TOKENS_BESIDE_CONTENT, question))]
    assert len(kept) == model.asked
    assert len(ask_all(again, kept)) == model.asked
    assert again.spent == Spending(remembered=model.asked)


def test_a_limit_in_money_needs_a_price(http):
    with pytest.raises(ModelError, match="a limit in money needs a known price; no price is known for this model at 127"):
        asking(http, SpendingLimit(money=Decimal(1))).ask(HELLO)
    assert not http.requests


def test_retries_after_silence_count_against_the_limit(http, monkeypatch):
    monkeypatch.setattr(chat_server, "LOCAL_TIMEOUT", 0.3)
    http.script = [LONG] * 9
    asker = asking(http, SpendingLimit(tokens=2 * MOST))
    with pytest.raises(ModelError, match="the spending limit is"):
        asker.ask(HELLO)
    assert len(http.requests) == 2
    assert asker.spent.tokens == 2 * MOST


def test_a_question_that_waits_for_the_limit_ends_when_the_user_stops(http):
    http.script = [LONG]
    asker = asking(http, SpendingLimit(tokens=2 * MOST - 1))
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asker.ask, HELLO, (stop := threading.Event()).is_set)
        while not http.requests:
            time.sleep(0.01)
        began, moment = time.monotonic(), time.monotonic() + 0.2
        with pytest.raises(Cancelled):
            asker.ask(HELLO, lambda: time.monotonic() > moment, repeat=1)
        assert time.monotonic() - began < LONG / 2
        stop.set()
    assert len(http.requests) == 1


@pytest.mark.parametrize(
    "limit",
    [{"tokens": amount} for amount in (0, -5, float("inf"), float("nan"))]
    + [{"money": Decimal(amount)} for amount in ("0", "-0.1", "inf", "-inf", "NaN", "sNaN")]
    + [{"money": float("inf")}],
)
def test_a_limit_of_nothing_is_refused(limit):
    with pytest.raises(InputError, match="must be a finite number above 0, or None; got"):
        SpendingLimit(**limit)


def test_what_was_spent_in_words():
    assert str(Spending(1, 0, 1200, 1, 0, Decimal("0.00123"))) == "1 request, 1,200 tokens read and 1 written, $0.0012"
    assert str(Spending(remembered=1)) == "0 requests, 1 answer from before"
    sentence = "2 requests, 5 tokens read and 6 written, at most 9 of which the server did not say, cost unknown"
    assert str(Spending(2, 0, 5, 6, 9, None)) == sentence


# Several at once, and what is kept.


def test_several_are_asked_at_once_and_answered_in_order(http):
    together, most, lock = 0, [], threading.Lock()
    all_here = threading.Barrier(MOST_PARALLEL_CONVERSATIONS)

    def model(messages):
        nonlocal together
        with lock:
            together += 1
            most.append(together)
        all_here.wait(60)
        time.sleep(0.05)
        with lock:
            together -= 1
        return messages[0]["content"][:4]

    http.model = model
    count = 3 * MOST_PARALLEL_CONVERSATIONS
    replies = ask_all(asking(http), questions(count))
    assert [reply.text for reply in replies] == [f"{number:04d}" for number in range(count)]
    assert max(most) == MOST_PARALLEL_CONVERSATIONS


def test_the_first_failure_stops_the_others_and_loses_no_answer(http):
    http.model = lambda messages: time.sleep(0.05) or "Yes."
    http.script = [lambda messages: words("Yes."), (401, {})]
    answers = AnswerCache()
    with pytest.raises(ModelError, match="must accept the key"):
        ask_all(asking(http, answers=answers), questions(40))
    assert len(http.requests) < 40
    before = len(http.requests)
    replies = ask_all(asking(http, answers=answers), questions(40))
    assert len(replies) == 40
    assert len(http.requests) - before < 40


def test_ctrl_c_stops_all_and_nothing_more_is_sent(http, request):
    # A process that was started in the background of a script ignores it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    started = threading.Event()

    def model(messages):
        if not started.is_set():
            started.set()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.05)
        return "Yes."

    http.model = model
    with pytest.raises(KeyboardInterrupt):
        ask_all(asking(http), questions(200))
    while any(thread.name.startswith("asking") for thread in threading.enumerate()):
        time.sleep(0.01)
    assert 1 <= len(http.requests) <= 2 * MOST_PARALLEL_CONVERSATIONS


def test_two_that_ask_the_same_at_the_same_time_send_it_once(http):
    http.model = lambda messages: time.sleep(0.1) or "Yes."
    assert len(ask_all(asking(http), [HELLO] * 4)) == 4
    assert len(http.requests) == 1


def test_answers_are_kept_on_disk_where_the_user_names_a_file(http, tmp_path):
    file = tmp_path / "answers.sqlite"
    asking(http, answers=AnswerCache(file)).ask(HELLO)
    assert file.stat().st_mode & 0o777 == 0o600
    assert asking(http, answers=AnswerCache(file)).ask(HELLO).text == "Yes."
    assert len(http.requests) == 1
    data = file.read_bytes()
    assert KEY.encode() not in data
    assert HELLO[1].text.encode() not in data
    assert b"127.0.0.1" not in data
    cache = AnswerCache(file)
    cache.clear(file=True)
    asking(http, answers=cache).ask(HELLO)
    assert len(http.requests) == 2


@pytest.mark.parametrize("damage", [b"", b"not a database, but long enough to look at" * 100])
def test_a_damaged_file_costs_a_request(http, tmp_path, damage):
    file = tmp_path / "answers.sqlite"
    file.write_bytes(damage)
    assert asking(http, answers=AnswerCache(file)).ask(HELLO).text == "Yes."
    asking(http, answers=AnswerCache(file)).ask(HELLO)
    assert len(http.requests) == 1


def test_a_row_that_was_changed_is_asked_again(http, tmp_path):
    file = tmp_path / "answers.sqlite"
    cache = AnswerCache(file)
    asking(http, answers=cache).ask(HELLO)
    cache._file.execute("UPDATE answers SET reply = ?", (json.dumps(["No.", 1, 1, "whole"]).encode(),))
    assert asking(http, answers=AnswerCache(file)).ask(HELLO).text == "Yes."
    assert len(http.requests) == 2


def test_an_answer_may_be_longer_or_shorter_and_is_another_one_then(http):
    asker = asking(http)
    for most in (5, 5, 5_000):
        asker.ask(HELLO, answer_kind=AnswerKind(most))
    assert [body["max_tokens"] for _, _, body in http.requests] == [5, 5_000]


def test_all_that_are_refused_a_setting_at_the_same_time_leave_it_out(http):
    barrier = threading.Barrier(MOST_PARALLEL_CONVERSATIONS)

    def first(messages):
        barrier.wait(60)
        return Raw(b'{"error": {"param": "temperature"}}', status=400)

    http.script = [first] * MOST_PARALLEL_CONVERSATIONS
    assert len(ask_all(asking(http), questions(MOST_PARALLEL_CONVERSATIONS))) == MOST_PARALLEL_CONVERSATIONS
    settings = [{*body} - {"model", "messages", *STREAM_SETTINGS} for _, _, body in http.requests]
    assert (
        settings
        == [{"max_tokens", "temperature"}] * MOST_PARALLEL_CONVERSATIONS + [{"max_tokens"}] * MOST_PARALLEL_CONVERSATIONS
    )


def test_after_an_interruption_nothing_more_is_sent(http, monkeypatch):
    """A terminal's interruption is raised in the thread that waits for the others."""
    over = threading.Event()
    http.model = lambda messages: over.wait(60) and "Yes."

    def interrupted(futures):
        while len(http.requests) < 2:
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr("chunkers.language_models.requests_within_spending_limit.wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask_all(asking(http), questions(40))
    over.set()
    assert len(http.requests) <= MOST_PARALLEL_CONVERSATIONS


@pytest.mark.full
def test_after_an_interruption_no_retry_follows(http, monkeypatch):
    # A retry waits longer than it takes to ask whether the user has stopped.
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.5)
    http.script = [(500, {})] * 9
    before = []

    def cancelled():
        if http.requests:
            before.append(len(http.requests))
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        asking(http).ask(HELLO, cancelled)
    threads = [thread for thread in threading.enumerate() if thread.name == "request"]
    for thread in threads:
        thread.join(60)
    # One may have been on its way.
    assert len(http.requests) <= before[0] + 1


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY} "])
def test_a_key_is_sent_without_the_line_break_after_it(http, key):
    Asking(ChatServer("openai:test", http.address, key), AnswerCache()).ask(HELLO)
    assert http.requests[0][1]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["schlüssel-7f3a", f"{KEY}\nX-Other: 1", "潮"])
def test_a_key_that_no_header_can_hold_is_named_and_not_shown(http, key):
    with pytest.raises(
        ModelError, match="must be one line of ASCII letters, digits and signs; it has other characters"
    ) as error:
        Asking(ChatServer("openai:test", http.address, key), AnswerCache()).ask(HELLO)
    assert key.split()[0] not in str(error.value)
    assert not http.requests


class Failing(PricedModel):
    """Says of some requests nothing, of some what they took, which is as much as it may be."""

    def __init__(self):
        super().__init__()
        self.random = Random(0)
        self.lock = threading.Lock()
        self.took = 0

    def reply(self, messages, most_tokens, attempts):
        while True:
            attempts.allow(attempts.sent)
            attempts.sent += 1
            most = upper_bound_on_conversation_tokens(messages) + most_tokens
            with self.lock:
                self.took += most
                end = self.random.random()
            time.sleep(0.001)
            if end < 0.3:
                continue
            attempts.whole += 1
            if end < 0.4:
                raise ModelError("priced: nothing.")
            return Reply("Yes.", *((None, None) if end < 0.6 else (most - most_tokens, most_tokens)))


@pytest.mark.parametrize("limit", [{"tokens": 30_000}, {"tokens": None, "money": Decimal("0.3")}], ids=["tokens", "money"])
def test_several_at_once_that_fail_and_repeat_never_take_more_than_the_limit(limit):
    model = Failing()
    asker = Asking(model, AnswerCache(), SpendingLimit(**limit))
    works = [lambda stopped, asked=asked: suppressed(asker, asked, stopped) for asked in questions(60)]
    run_in_parallel(works)
    assert 20_000 < model.took == asker.spent.tokens <= 30_000
    assert asker.spent.cost == Decimal(model.took) / 100_000


def suppressed(one, asked, stopped):
    with suppress(ModelError):
        one.ask(asked, stopped)


def test_the_file_of_answers_takes_more_than_memory_does(http, tmp_path):
    """A killed run would pay again for any answer missing from the file."""
    file = tmp_path / "answers.sqlite"
    http.model = lambda messages: messages[0]["content"] * 300
    for _ in range(2):
        asker = Asking(ChatServer("openai:test", http.address, KEY), AnswerCache(file, memory_bytes=10))
        assert len(ask_all(asker, questions(8))) == 8
    assert len(http.requests) == 8
    (most,) = AnswerCache(file)._file.execute("PRAGMA max_page_count").fetchone()
    assert most * 4096 > 10**12
