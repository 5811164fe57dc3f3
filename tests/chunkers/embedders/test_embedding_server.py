"""A server of embeddings: what is asked of it, what is made of its answers and failures, and where the key is not."""

import gc
import gzip
import json
import logging
import socket
import threading
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path
from traceback import format_exception

import numpy as np
import pytest
from openai import OpenAI

from chunkers import (
    EMBEDDER_DESCRIPTIONS,
    Cancelled,
    ModelError,
    Recipe,
    Tools,
    build_chunker,
    chunk,
    load_embedder,
    load_tokenizer,
)
from chunkers.commands.chunk_command import main
from chunkers.embedders import OpenAIServer, embedding_server
from chunkers.embedders.sentence_models import model_folder_hash
from chunkers.network.connection import Connection, abandon_requests_once_cancelled
from tests.fixtures.small_embedding_model import TEXTS
from tests.lanes import mostly_full
from tests.server import KEY, Raw, answer, items, vector

LONG = 5.0
"""Seconds that a request is kept waiting, more than it is waited for."""


@pytest.fixture
def impatient(monkeypatch, request):
    """Wait less than a person would; for an answer only where one does not come, as any may come late on a busy machine."""
    if "script" in request.fixturenames and LONG in request.getfixturevalue("script"):
        monkeypatch.setattr(embedding_server, "REQUEST_TIMEOUT_SECONDS", 1.5)


def ask(http, texts=TEXTS):
    return OpenAIServer("openai:test", http.address, KEY).encode(texts)


def test_a_server_is_asked_in_its_protocol(http):
    vectors = ask(http)
    (path, headers, body), *more = http.requests
    assert not more
    assert path == "/v1/embeddings"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {"model": "test", "input": TEXTS, "encoding_format": "float"}
    rows = np.array([vector(text) for text in TEXTS])
    assert vectors == pytest.approx(rows / np.linalg.norm(rows, axis=1, keepdims=True), abs=1e-6)


def test_vectors_are_put_in_the_order_that_the_server_numbers_them(http):
    http.script = [lambda texts: {**answer(texts), "data": items(texts)[::-1]}]
    assert (ask(http) == ask(http)).all()


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "script",
    [
        [(429, {})],
        [(500, {})],
        [(503, {"retry-after-ms": 30}), (429, {})],
        pytest.param([LONG], marks=pytest.mark.full),
        [(408, {}), (502, {}), (529, {})],
    ],
)
def test_what_passes_is_tried_again(http, script):
    http.script = list(script)
    assert ask(http).shape == (4, 6)
    assert len(http.requests) == len(script) + 1


def test_the_server_says_how_long_to_wait(http, monkeypatch):
    slept = []
    monkeypatch.setattr("openai._base_client.time.sleep", slept.append)
    http.script = [(429, {"Retry-After": "1"})]
    ask(http)
    assert len(http.requests) == 2
    assert slept == [1]


def told(change):
    return lambda texts: change(answer(texts))


FAILURES = {
    "refused": ([(401, {})], 1, "must accept the key; it refused (status 401)"),
    "forbidden": ([(403, {})], 1, "must accept the key; it refused (status 403)"),
    "no such model": ([(404, {})], 1, "must know the address and the model; it does not (status 404)"),
    "bad request": ([(400, {})], 1, "must accept the request; it refused (status 400)"),
    "too many": ([(429, {})] * 9, 4, "must have requests left for this key; asked up to 4 times, it had none (status 429)"),
    "broken": ([(500, {})] * 9, 4, "must work; asked up to 4 times, it failed (status 500)"),
    "slow": ([LONG] * 9, 4, "must answer within 1.5 seconds; it did not, in 4 attempts"),
    "broken JSON": ([lambda texts: b'{"data": [{'], 1, "The answer must be valid JSON that"),
    "no object": ([lambda texts: b"null"], 1, "The answer must contain the list 'data'"),
    "no data": ([lambda texts: {"object": "list"}], 1, "The answer must contain the list 'data'"),
    "too few": ([told(lambda right: {**right, "data": right["data"][1:]})], 1, "it contains 3 vectors for 4 texts"),
    "no numbering": (
        [told(lambda right: {**right, "data": [{**item, "index": 0} for item in right["data"]]})],
        1,
        "Every vector must have the index of its text",
    ),
    "uneven": (
        [told(lambda right: {**right, "data": [*right["data"][:3], {"index": 3, "embedding": [1.0]}]})],
        1,
        "All vectors must be lists of numbers of the same length",
    ),
    "empty": (
        [told(lambda right: {"data": [{"index": i, "embedding": []} for i in range(4)]})],
        1,
        "Every vector must have at least one number",
    ),
    "words": (
        [told(lambda right: {"data": [{"index": i, "embedding": ["x", "y"]} for i in range(4)]})],
        1,
        "All vectors must be lists of numbers of the same length",
    ),
    "nested": (
        [Raw(b"[" * 200_000)],
        1,
        "The answer may contain at most 10 lists and objects for each text; it contains more.",
    ),
    "nested in one number": ([told(lambda right: {"data": [[[[right]]]]})], 1, "it contains 1 vector for 4 texts"),
    "many lists": ([Raw(b'{"data":[' + b"[]," * 400_000 + b"[]]}")], 1, "at most 10 lists and objects for each text"),
    "many numbers": (
        [Raw(b'{"data":[' + b"1," * 600_000 + b"1]}")],
        1,
        "The answer may contain at most 16,384 numbers for each text",
    ),
    "a list for a number": (
        [told(lambda right: {"data": [{**item, "index": []} for item in right["data"]]})],
        1,
        "Every vector must have the index of its text",
    ),
    "a number beyond all": (
        [told(lambda right: {"data": [{**item, "embedding": [10**400]} for item in right["data"]]})],
        1,
        "All vectors must be lists of numbers of the same length",
    ),
    "a long refusal": ([Raw(b"[" * 65 * 2**20, status=403)], 1, "must accept the key; it refused (status 403)"),
    "compressed": (
        [Raw(gzip.compress(b" " * 50_000_000), {"Content-Encoding": "gzip"})],
        1,
        "at most 393,216 bytes for each text",
    ),
    "too large": ([Raw(b" " * 2**21)], 1, "at most 393,216 bytes for each text"),
    "elsewhere": (
        [Raw(b"", {"Location": "http://127.0.0.1:9/v1/embeddings"}, 307)],
        1,
        "must answer itself; it leads to another address (status 307)",
    ),
    "not finite": (
        [lambda texts: json.dumps(answer(texts)).replace('"embedding": [', '"embedding": [NaN, ').encode()],
        1,
        "All numbers in the vectors must be finite; some are not.",
    ),
}


SOON = [failure for name, failure in FAILURES.items() if name != "slow"]
"""Failures that nobody has to wait for."""


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("script", "requests", "sentence"), mostly_full(FAILURES.values(), SOON), ids=FAILURES)
def test_what_does_not_pass_is_one_sentence_without_the_key(http, caplog, script, requests, sentence):
    caplog.set_level(logging.DEBUG)
    http.script = list(script)
    embedder = OpenAIServer("openai:test", http.address, KEY)
    with pytest.raises(ModelError) as error:
        embedder.encode(TEXTS)
    assert sentence in str(error.value)
    assert str(error.value).startswith("openai:test: 127.0.0.1:")
    assert "\n" not in str(error.value)
    assert len(http.requests) == requests
    # What led to it holds the request, and so the key.
    assert error.value.__context__ is None
    assert error.value.__cause__ is None
    traceback = "".join(format_exception(error.value))
    for text in (traceback, repr(error.value), repr(embedder), embedder.revision, caplog.text):
        assert KEY not in text


def test_an_answer_takes_little_more_memory_than_its_bytes(http):
    body = b'{"data":[' + b"{}," * 500_000 + b"{}]}"
    http.script = [Raw(body)]
    embedder = OpenAIServer("openai:test", http.address, KEY)
    embedder.ensure_loaded()
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match="at most 10 lists and objects for each text"):
            embedder.encode(TEXTS)
        assert tracemalloc.get_traced_memory()[1] < 8 * len(body)
    finally:
        tracemalloc.stop()


def test_who_is_waited_for_is_named(http):
    host = http.address.removeprefix("http://").removesuffix("/v1")
    embedder = OpenAIServer("openai:test", http.address, KEY)
    assert embedder.loading_message() == f"Waiting for {host}"
    assert load_embedder("tfidf").loading_message() == "Loading the embedding model"
    assert OpenAIServer("openai:test", "nowhere").destination == ""


def test_a_server_that_sends_a_byte_now_and_then_ends_at_the_deadline(http, monkeypatch):
    monkeypatch.setattr(embedding_server, "BATCH_DEADLINE_SECONDS", 1.0)
    http.script = [Raw(b" " * 100_000, pause=0.05)]
    with pytest.raises(ModelError, match="must answer within 1 seconds in all; it did not"):
        ask(http)


@pytest.mark.parametrize("script", [[LONG], [Raw(b" " * 100_000, pause=0.05)]], ids=["says nothing", "a byte at a time"])
def test_nobody_waits_for_a_server_that_hangs_once_the_user_has_stopped(http, script):
    http.script = list(script)
    stopped = threading.Event()
    embedder = OpenAIServer("openai:test", http.address, KEY)
    outcome = []

    def embed():
        try:
            with abandon_requests_once_cancelled(stopped.is_set):
                embedder.encode(TEXTS)
        except Cancelled as error:
            outcome.append(error)

    waiting = threading.Thread(target=embed)
    waiting.start()
    while not http.requests:
        time.sleep(0.01)
    stopped.set()
    # Far less than the server takes, and far more than a busy machine.
    waiting.join(LONG / 2)
    assert not waiting.is_alive()
    assert len(outcome) == 1


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9\r\nX: y/v1",
        "http://127.0.0.1:9/v1\n",
        "http://a\tb/v1",
        " http://127.0.0.1:9/v1",
        "http://127.0.0.1:9/v1#a",
        "http://127.0.0.1:9/v1#",
    ],
)
def test_an_address_with_more_than_the_address_is_refused(address):
    with pytest.raises(ModelError, match="must have the form https://HOST/v1"):
        OpenAIServer("openai:test", address, KEY).ensure_loaded()


def test_a_batch_of_other_dimensions_than_the_last(http):
    embedder = OpenAIServer("openai:test", http.address, KEY)
    embedder.encode(TEXTS)
    http.script = [lambda texts: {"data": [{"index": i, "embedding": [1.0, 2.0]} for i in range(len(texts))]}]
    with pytest.raises(ModelError, match="these vectors have 2, earlier ones 6"):
        embedder.encode(TEXTS)


def test_another_model_under_the_same_name_is_noticed_by_the_cache(http):
    bench = Tools(OpenAIServer("openai:test", http.address, KEY), load_tokenizer("words"))
    bench.embed(TEXTS[:2])
    http.script = [lambda texts: {"data": [{"index": i, "embedding": [1.0, 2.0]} for i in range(len(texts))]}]
    later = replace(bench, embedder=OpenAIServer("openai:test", http.address, KEY))
    with pytest.raises(ModelError, match="a new vector has 2, and the cached vectors have 6"):
        later.embed(TEXTS)


def test_a_server_that_takes_fewer_at_once_is_asked_in_halves(http):
    http.most = 2
    assert (ask(http) == np.concatenate([ask(http, [text]) for text in TEXTS])).all()
    assert [len(body["input"]) for _, _, body in http.requests[:3]] == [4, 2, 2]


@pytest.mark.usefixtures("impatient")
def test_a_server_that_is_not_there(monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.02)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ModelError, match="must be reachable; it was not, in 4 attempts"):
        OpenAIServer("openai:test", address, KEY).encode(TEXTS)


@pytest.mark.parametrize(
    "address", ["nowhere", "ftp://host/v1", "http://", f"https://me:{KEY}@host/v1", "http://host:x", "http://h/?k=1"]
)
def test_an_address_that_is_none_is_not_repeated(address):
    with pytest.raises(ModelError, match="must have the form https://HOST/v1") as error:
        OpenAIServer("openai:test", address, KEY).ensure_loaded()
    assert KEY not in str(error.value)
    assert address not in str(error.value)


def test_the_environment_names_the_server_and_its_key(http, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    load_embedder("openai:test").encode(TEXTS)
    assert http.requests[0][1]["authorization"] == "Bearer of-the-environment"


def test_what_the_environment_tells_its_own_server_goes_to_no_other(http, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "of-the-environment")
    monkeypatch.setenv("OPENAI_ORG_ID", "of-the-environment")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "of-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gate: of-the-environment\nAuthorization: of-the-environment")
    for key in ("", KEY):
        OpenAIServer("openai:test", http.address, key).encode(TEXTS)
    assert "of-the-environment" not in str(http.requests)
    assert [headers["authorization"] for _, headers, _ in http.requests] == ["Bearer none", f"Bearer {KEY}"]


def test_openais_own_server_is_not_asked_without_a_key(http):
    with pytest.raises(ModelError, match="needs a key, in OPENAI_API_KEY or on the page; no key is set"):
        load_embedder("openai:text-embedding-3-small").encode(TEXTS)


def test_a_recipe_holds_neither_address_nor_key(http):
    text = "\n".join(TEXTS)
    embedder = OpenAIServer("openai:test", http.address, KEY)
    chunk(text, "breakpoint", sentences="lines", embedder=embedder)
    written = Recipe.of(build_chunker("breakpoint", {}), "lines", embedder, "words").to_json()
    assert "127.0.0.1" not in written
    assert KEY not in written
    assert json.loads(written)["versions"].keys() == {"seamark", "openai:test", "openai"}


def test_nothing_of_the_package_keeps_the_key_in_its_words(http):
    embedder = OpenAIServer("openai:test", http.address, KEY)
    embedder.ensure_loaded()
    (connection,) = (referent for referent in gc.get_referents(embedder.__dict__) if isinstance(referent, Connection))
    (client,) = (referent for referent in gc.get_referents(connection.__dict__) if isinstance(referent, OpenAI))
    assert KEY not in repr(client)


def test_on_the_command_line(http, monkeypatch, tmp_path, capsys, model_folder):
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    file = tmp_path / "text.txt"
    file.write_text("\n".join(TEXTS))
    revisions = {}
    for name in ("tfidf", "openai:test", str(model_folder)):
        assert main([str(file), "--chunker", "breakpoint", "--sentences", "lines", "--embedder", name]) == 0
        written = json.loads(capsys.readouterr().out)
        assert written["recipe"]["embedder"] == name
        assert len(written["gaps"]) == 3
        revisions[name] = written["recipe"]["versions"].get(name)
    assert revisions[str(model_folder)] == model_folder_hash(Path(model_folder))
    assert main([str(file), "--chunker", "breakpoint", "--embedder", "nonsense"]) == 2
    assert f"embedder must be one of {', '.join(EMBEDDER_DESCRIPTIONS)}" in capsys.readouterr().err
