"""Every kind of embedder: what all have to keep to, and what each says when it cannot."""

import gc
import gzip
import json
import logging
import shutil
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path
from traceback import format_exception

import numpy as np
import pytest
import spacy
from openai import OpenAI
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from transformers import BertConfig, BertModel, BertTokenizer

from chunkers import (
    CHUNKERS,
    EMBEDDERS,
    Cancelled,
    Document,
    InputError,
    ModelError,
    Recipe,
    Tools,
    build_chunker,
    chunk,
    load_embedder,
    load_tokenizer,
    run,
)
from chunkers.__main__ import main
from chunkers.cache import EmbeddingCache
from chunkers.connection import Connection
from chunkers.embedders import OpenAIServer, server
from chunkers.embedders.models import folder_revision
from chunkers.request import cancellable
from sample_docs import load_sample
from tests.server import KEY, EmbeddingServer, Raw, answer, items, vector
from tests.support import HashEmbedder, tools

WORDS = ["the", "cat", "sat", "on", "a", "mat", "tide", "came", "in", "and", "bread", "needs", "salt", "##s", ".", ",", "?"]
TEXTS = ["The cat sat on the mat.", "Bread needs salt.", "The tide came in, and in.", "On and on?"]


def make_model(folder, seed=0):
    """Save a sentence-transformers model of two small layers."""
    import torch

    torch.manual_seed(seed)
    folder.mkdir()
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
    config = BertConfig(
        vocab_size=len(WORDS) + 5, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    BertModel(config).save_pretrained(folder / "bert")
    BertTokenizer(str(vocabulary)).save_pretrained(folder / "bert")
    transformer = Transformer(str(folder / "bert"), max_seq_length=12)
    SentenceTransformer(modules=[transformer, Pooling(16)], device="cpu").save(str(folder / "model"))
    return folder / "model"


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "one")


@pytest.fixture(scope="module")
def pipeline_folder(tmp_path_factory):
    """Save a spaCy pipeline that knows a few words."""
    nlp = spacy.blank("en")
    for word, numbers in {"cat": [1, 0, 0], "mat": [3, 4, 0], "tide": [0, 0, 2], "salt": [0, -1, 1]}.items():
        nlp.vocab.set_vector(word, np.array(numbers, dtype=np.float32))
    folder = tmp_path_factory.mktemp("pipelines") / "words"
    nlp.to_disk(folder)
    return folder


@pytest.fixture
def http(monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.delenv(name, raising=False)
    one = EmbeddingServer()
    yield one
    one.close()


@pytest.fixture
def embedder(request, model_folder, pipeline_folder, http):
    """Return an embedder of the kind that the test asks for, and the document that it is for."""
    document = Document.from_text("\n".join(TEXTS), "lines")
    made = {
        "minilm": lambda: load_embedder(),
        "folder": lambda: load_embedder(str(model_folder)),
        "spacy": lambda: load_embedder(f"spacy:{pipeline_folder}"),
        "tfidf": lambda: load_embedder("tfidf"),
        "static": lambda: request.getfixturevalue("static_embedder"),
        "openai": lambda: OpenAIServer("openai:test", http.address, KEY),
    }[request.param]()
    return made.for_document(document)


@pytest.mark.parametrize("embedder", ["minilm", "static", "folder", "spacy", "tfidf", "openai"], indirect=True)
class TestContract:
    def test_unit_vectors_in_the_order_of_the_texts(self, embedder):
        vectors = embedder.encode(TEXTS)
        assert vectors.dtype == np.float32
        assert vectors.shape[0] == len(TEXTS)
        norms = np.linalg.norm(vectors, axis=1)
        assert all(norm == pytest.approx(1, abs=1e-5) or norm == 0 for norm in norms)
        assert (norms > 0).sum() >= 3
        assert embedder.encode(TEXTS[::-1])[::-1] == pytest.approx(vectors, abs=1e-5)

    def test_the_same_text_gives_the_same_vector(self, embedder):
        alone = np.concatenate([embedder.encode([text]) for text in TEXTS])
        assert embedder.encode(TEXTS) == pytest.approx(alone, abs=1e-5)
        assert (embedder.encode(TEXTS) == embedder.encode(TEXTS)).all()

    def test_loading_tells_the_revision_and_lengths_are_counted(self, embedder):
        embedder.load()
        assert embedder.revision
        lengths = embedder.lengths(TEXTS)
        assert len(lengths) == len(TEXTS)
        assert all(length > 0 for length in lengths)
        assert embedder.batch >= 1
        assert all(parameters for chunker, parameters in embedder.defaults.items() if build_chunker(chunker, parameters))

    def test_a_run_embeds_each_text_once_and_the_next_run_none(self, embedder):
        document = Document.from_text("\n".join([*TEXTS, TEXTS[0]]), "lines")
        bench = Tools(embedder, load_tokenizer("words"), EmbeddingCache())
        first = run(CHUNKERS["breakpoint"].build(), document, bench)
        again = run(CHUNKERS["breakpoint"].build(amount=50), document, bench)
        assert (first.timing.embedded, again.timing.embedded, again.timing.cached) == (4, 0, 4)


def test_one_cache_never_mixes_embedders(tmp_path, model_folder, pipeline_folder, http):
    other = make_model(tmp_path / "two", seed=1)
    cache = EmbeddingCache(tmp_path / "vectors.sqlite")
    documents = [Document.from_text("\n".join(TEXTS[:count]), "lines") for count in (4, 3)]
    elsewhere = EmbeddingServer()
    embedders = [
        load_embedder(str(model_folder)),
        load_embedder(str(other)),
        load_embedder(f"spacy:{pipeline_folder}"),
        OpenAIServer("openai:test", http.address, KEY),
        OpenAIServer("openai:test", elsewhere.address, KEY),
        OpenAIServer("openai:other", elsewhere.address, KEY),
        *(load_embedder("tfidf").for_document(document) for document in documents),
    ]
    for one in embedders:
        bench = Tools(one, load_tokenizer("words"), cache)
        found = bench.embed(TEXTS[:3])
        assert bench.meter.embedded == 3, one.name
        assert found == pytest.approx(one.encode(TEXTS[:3]), abs=1e-5)
    elsewhere.close()


def test_weights_that_change_in_a_folder_are_another_revision(tmp_path):
    folder = make_model(tmp_path / "model")
    before = folder_revision(folder)
    (folder / "README.md").write_text("Words about the model.")
    assert folder_revision(folder) == before
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert folder_revision(folder) != before


def test_a_folder_reads_as_much_as_its_model_and_counts_with_its_tokenizer(model_folder, monkeypatch):
    monkeypatch.chdir(model_folder.parent)
    embedder = load_embedder("model")
    assert (embedder.name, embedder.revision, embedder.max_tokens) == ("model", "", None)
    assert embedder.lengths(["the cat sat .", "mats", "the cat " * 20]) == [6, 4, 42]
    assert (embedder.max_tokens, embedder.revision) == (12, folder_revision(model_folder))


def test_a_folder_is_read_without_a_network_and_its_code_is_not_run(tmp_path, monkeypatch):
    def refuse(*arguments, **others):
        raise AssertionError("a connection was asked for")

    folder = make_model(tmp_path / "model")
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    load_embedder(str(folder)).encode(TEXTS)
    mark = tmp_path / "run"
    (folder / "custom.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n")
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["type"] = "custom.Model"
    (folder / "modules.json").write_text(json.dumps(modules))
    changed = tmp_path / "changed"
    folder.rename(changed)
    with pytest.raises(ModelError, match="needs no code of its own"):
        load_embedder(str(changed)).load()
    assert not mark.exists()


def test_a_model_that_breaks_says_so_in_a_sentence(tmp_path):
    folder = make_model(tmp_path / "model")
    embedder = load_embedder(str(folder))
    embedder.load()
    embedder._model[0].auto_model.embeddings.word_embeddings.weight.data = embedder._model[
        0
    ].auto_model.pooler.dense.bias.data
    with pytest.raises(ModelError, match="must turn texts into vectors; it failed with"):
        embedder.encode(TEXTS)


def test_an_empty_folder_is_no_model(tmp_path):
    with pytest.raises(ModelError, match="the folder must hold a sentence-transformers model") as error:
        load_embedder(str(tmp_path)).load()
    assert str(error.value).count("\n") == 0


def test_a_model_after_which_nothing_is_normalised_still_gives_unit_vectors(model_folder):
    modules = SentenceTransformer(str(model_folder), device="cpu")
    assert not any(isinstance(part, Normalize) for part in modules)
    assert np.linalg.norm(modules.encode(TEXTS), axis=1).min() > 1.5
    assert np.linalg.norm(load_embedder(str(model_folder)).encode(TEXTS), axis=1) == pytest.approx(np.ones(4), abs=1e-5)


def test_a_hub_name_asks_for_nothing_before_it_is_loaded_and_says_when_it_cannot(monkeypatch, tmp_path):
    asked = []

    def refuse(host, *arguments, **others):
        asked.append(host)
        raise socket.gaierror("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    embedder = load_embedder("sentence-transformers/no-such-model")
    assert (embedder.revision, embedder.max_tokens, asked) == ("", None, [])
    with pytest.raises(ModelError, match="hub must be reachable to fetch it; it was not reached"):
        embedder.encode(TEXTS)
    assert asked


def test_a_hub_model_that_was_fetched_before_needs_no_network(monkeypatch, tmp_path, model_folder):
    commit = "0123456789abcdef0123456789abcdef01234567"
    place = tmp_path / "models--some--model"
    shutil.copytree(model_folder, place / "snapshots" / commit)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(commit)
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **others: pytest.fail("a host was looked up"))
    embedder = load_embedder("some/model")
    assert embedder.encode(TEXTS) == pytest.approx(load_embedder(str(model_folder)).encode(TEXTS), abs=1e-6)
    assert (embedder.revision, embedder.max_tokens) == (commit, 12)


@pytest.mark.parametrize(
    "name", ["", " ", "nonsense", "a/b/c", "a b/c", "../nowhere/x", "openai:", "spacy:", "tf\0idf", "tfidf "]
)
def test_a_name_of_none(name):
    with pytest.raises(InputError, match="embedder"):
        load_embedder(name)


def test_spacys_vectors_are_the_mean_of_the_words(pipeline_folder):
    embedder = load_embedder(f"spacy:{pipeline_folder}")
    vectors = embedder.encode(["cat mat", "cat unheard", "unheard", "mat tide salt", "."])
    assert vectors[0] == pytest.approx(np.array([4, 4, 0]) / np.sqrt(32))
    assert vectors[1] == pytest.approx([1, 0, 0])
    assert (vectors[[2, 4]] == 0).all()
    document = spacy.load(pipeline_folder)("mat tide salt")
    assert vectors[3] == pytest.approx(document.vector / document.vector_norm)
    assert build_chunker("double_pass", {}, embedder).appending_threshold == 0.8


def test_a_pipeline_without_vectors_or_that_is_none(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ModelError, match="must have word vectors"):
        load_embedder(f"spacy:{tmp_path / 'blank'}").load()
    with pytest.raises(ModelError, match="must be installed; it was not found"):
        load_embedder("spacy:xx_no_such").load()
    with pytest.raises(ModelError):
        load_embedder(f"spacy:{tmp_path}").load()


def test_other_vectors_in_a_pipeline_are_another_revision(pipeline_folder, tmp_path):
    one = load_embedder(f"spacy:{pipeline_folder}")
    one.load()
    nlp = spacy.load(pipeline_folder)
    nlp.vocab.set_vector("cat", np.array([1, 0, 0.5], dtype=np.float32))
    nlp.to_disk(tmp_path / "changed")
    other = load_embedder(f"spacy:{tmp_path / 'changed'}")
    other.load()
    assert one.revision != other.revision


@pytest.mark.parametrize(
    "text",
    [
        "",
        "One.",
        "...",
        "?!\n--\n...",
        "a\nb",
        "the\nthe\nthe and of",
        "é",
        "\U0001f600\n\U0001f600 \U0001f600",
        "x" * 5000,
        "。\n。",
    ],
)
@pytest.mark.parametrize("name", sorted(name for name, kind in CHUNKERS.items() if kind.embeds))
def test_tfidf_of_a_document_that_says_little(text, name):
    result = chunk(text, name, sentences="lines", embedder="tfidf", tokenizer="words")
    assert "".join("".join(piece.text.split()) for piece in result.chunks) == "".join(text.split())


def test_tfidf_knows_the_words_of_languages_that_do_not_part_them():
    text = "猫は魚を食べる。\n猫は魚が好きだ。\n株価は昨日上がった。\n昨日の株価は高い。"
    embedder = load_embedder("tfidf").for_document(Document.from_text(text, "lines"))
    vectors = embedder.encode(text.split("\n"))
    similar = (vectors[:-1] * vectors[1:]).sum(axis=1)
    assert similar[1] < min(similar[0], similar[2]) / 5


def test_tfidf_is_fitted_once_a_document_and_gives_the_same_again():
    sample = load_sample("stubs")
    document = Document.from_text(sample.text, sample.sentences)
    embedder = load_embedder("tfidf")
    fitted = embedder.for_document(document)
    assert fitted is embedder.for_document(Document.from_text(sample.text, sample.sentences))
    assert fitted.revision != embedder.for_document(Document.from_text(sample.text, "paragraphs")).revision
    again = type(embedder)().for_document(document)
    assert (fitted.encode(document.sentence_texts) == again.encode(document.sentence_texts)).all()
    with pytest.raises(ModelError, match="must be fitted on a document"):
        embedder.encode(["text"])


def test_tfidfs_thresholds_are_better_than_the_declared_ones():
    sample = load_sample("three_topics")
    declared = {field.name: field.default for field in CHUNKERS["double_pass"].fields()}
    found = []
    for parameters in ({}, declared):
        result = chunk(sample.text, "double_pass", sentences=sample.sentences, embedder="tfidf", **parameters)
        found.append([piece.start for piece in result.chunks[1:]])
    assert found[0] == list(sample.known)
    assert found[1] != found[0]


def test_six_chunkers_side_by_side_embed_each_distinct_text_once():
    sample = load_sample("stubs")
    document = Document.from_text(sample.text, sample.sentences)
    embedder = HashEmbedder()
    bench = tools(embedder)
    settings = (
        ("breakpoint", {"amount": 70}),
        ("breakpoint", {"threshold": "slope"}),
        ("breakpoint", {"buffer": 1}),
        ("double_pass", {}),
        ("double_pass", {"vector": "re-embed", "initial_threshold": 0.1}),
        ("single_linkage", {}),
    )
    results = [run(build_chunker(name, parameters), document, bench) for name, parameters in settings]
    embedded = [text for batch in embedder.batches for text in batch]
    assert len(embedded) == len(set(embedded))
    assert set(document.sentence_texts) < set(embedded)
    assert [result.timing.embedded for result in results[:4]] == [len(set(document.sentence_texts)), 0, 16, 0]
    assert results[5].timing.embedded == 0
    assert sum(result.timing.embedded for result in results) == len(embedded)


LONG = 5.0
"""Seconds that a request is kept waiting, more than it is waited for."""


@pytest.fixture
def impatient(monkeypatch, request):
    """Wait less than a person would; for an answer only where one does not come, as any may come late on a busy machine."""
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.02)
    if "script" in request.fixturenames and LONG in request.getfixturevalue("script"):
        monkeypatch.setattr(server, "TIMEOUT", 1.5)


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
        [LONG],
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
    "broken JSON": ([lambda texts: b'{"data": [{'], 1, "it gave something that is not JSON"),
    "no object": ([lambda texts: b"null"], 1, "it gave something without the list 'data'"),
    "no data": ([lambda texts: {"object": "list"}], 1, "it gave something without the list 'data'"),
    "too few": ([told(lambda right: {**right, "data": right["data"][1:]})], 1, "it gave 3 vectors for 4 texts"),
    "no numbering": (
        [told(lambda right: {**right, "data": [{**item, "index": 0} for item in right["data"]]})],
        1,
        "it gave vectors that do not say which text each belongs to",
    ),
    "uneven": (
        [told(lambda right: {**right, "data": [*right["data"][:3], {"index": 3, "embedding": [1.0]}]})],
        1,
        "it gave vectors of different dimensions",
    ),
    "empty": (
        [told(lambda right: {"data": [{"index": i, "embedding": []} for i in range(4)]})],
        1,
        "vectors without numbers",
    ),
    "words": (
        [told(lambda right: {"data": [{"index": i, "embedding": ["x", "y"]} for i in range(4)]})],
        1,
        "of something that is no number",
    ),
    "nested": ([Raw(b"[" * 200_000)], 1, "something that is not JSON, or is nested too deeply"),
    "compressed": (
        [Raw(gzip.compress(b" " * 50_000_000), {"Content-Encoding": "gzip"})],
        1,
        "an answer that is compressed, or larger than 64 MB",
    ),
    "too large": ([Raw(b" " * 65 * 2**20)], 1, "an answer that is compressed, or larger than 64 MB"),
    "elsewhere": (
        [Raw(b"", {"Location": "http://127.0.0.1:9/v1/embeddings"}, 307)],
        1,
        "must answer itself; it leads to another address (status 307)",
    ),
    "not finite": (
        [lambda texts: json.dumps(answer(texts)).replace('"embedding": [', '"embedding": [NaN, ').encode()],
        1,
        "it gave numbers that are not finite",
    ),
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("script", "requests", "sentence"), FAILURES.values(), ids=FAILURES)
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
    traceback = "".join(format_exception(error.value))
    for said in (traceback, repr(error.value), repr(embedder), embedder.revision, caplog.text):
        assert KEY not in said


def test_a_server_that_sends_a_byte_now_and_then_ends_at_the_deadline(http, monkeypatch):
    monkeypatch.setattr(server, "DEADLINE", 1.0)
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
            with cancellable(stopped.is_set):
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


@pytest.mark.parametrize("address", ["http://127.0.0.1:9\r\nX: y/v1", "http://127.0.0.1:9/v1\n", "http://a\tb/v1"])
def test_an_address_of_more_than_a_line_is_refused(address):
    with pytest.raises(ModelError, match="must have the form https://HOST/v1"):
        OpenAIServer("openai:test", address, KEY).load()


def test_a_batch_of_other_dimensions_than_the_last(http):
    embedder = OpenAIServer("openai:test", http.address, KEY)
    embedder.encode(TEXTS)
    http.script = [lambda texts: {"data": [{"index": i, "embedding": [1.0, 2.0]} for i in range(len(texts))]}]
    with pytest.raises(ModelError, match="vectors of 6 dimensions before and of 2 now"):
        embedder.encode(TEXTS)


def test_another_model_under_the_same_name_is_noticed_by_the_cache(http):
    bench = Tools(OpenAIServer("openai:test", http.address, KEY), load_tokenizer("words"))
    bench.embed(TEXTS[:2])
    http.script = [lambda texts: {"data": [{"index": i, "embedding": [1.0, 2.0]} for i in range(len(texts))]}]
    later = replace(bench, embedder=OpenAIServer("openai:test", http.address, KEY))
    with pytest.raises(ModelError, match="it gave 2 now and 6 before"):
        later.embed(TEXTS)


def test_a_server_that_takes_fewer_at_once_is_asked_in_halves(http):
    http.most = 2
    assert (ask(http) == np.concatenate([ask(http, [text]) for text in TEXTS])).all()
    assert [len(body["input"]) for _, _, body in http.requests[:3]] == [4, 2, 2]


@pytest.mark.usefixtures("impatient")
def test_a_server_that_is_not_there():
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
        OpenAIServer("openai:test", address, KEY).load()
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
    with pytest.raises(ModelError, match="needs a key, in OPENAI_API_KEY or on the page; there is none"):
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
    embedder.load()
    (connection,) = (one for one in gc.get_referents(embedder.__dict__) if isinstance(one, Connection))
    (client,) = (one for one in gc.get_referents(connection.__dict__) if isinstance(one, OpenAI))
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
    assert revisions[str(model_folder)] == folder_revision(Path(model_folder))
    assert main([str(file), "--chunker", "breakpoint", "--embedder", "nonsense"]) == 2
    assert f"embedder must be one of {', '.join(EMBEDDERS)}" in capsys.readouterr().err


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", ["Hi there. " * 20, "Hi there.", "a a. a a.", "é. é. é."])
def test_sentences_that_are_all_alike_are_no_warning_from_tfidf(text):
    assert len(chunk(text, "breakpoint", embedder="tfidf", sentences="regex")) == 1
