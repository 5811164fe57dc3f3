"""Every kind of embedder: what all have to keep to, and what each says when it cannot."""

import json
import shutil
import socket

import numpy as np
import pytest

from chunkers import (
    CHUNKERS,
    Document,
    InputError,
    ModelError,
    Tools,
    build_chunker,
    load_embedder,
    load_tokenizer,
    run_chunker,
)
from chunkers.embedders import OpenAIServer
from chunkers.embedders.sentence_models import model_folder_hash
from chunkers.storage.embedding_cache import EmbeddingCache
from sample_docs import load_sample
from tests.fixtures.small_embedding_model import TEXTS, make_model
from tests.server import KEY, EmbeddingServer
from tests.support import HashEmbedder, tools


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
        embedder.ensure_loaded()
        assert embedder.revision
        lengths = embedder.lengths(TEXTS)
        assert len(lengths) == len(TEXTS)
        assert all(length > 0 for length in lengths)
        assert embedder.batch >= 1
        assert all(parameters for chunker, parameters in embedder.defaults.items() if build_chunker(chunker, parameters))

    def test_a_run_embeds_each_text_once_and_the_next_run_none(self, embedder):
        document = Document.from_text("\n".join([*TEXTS, TEXTS[0]]), "lines")
        bench = Tools(embedder, load_tokenizer("words"), EmbeddingCache())
        first = run_chunker(CHUNKERS["breakpoint"].build(), document, bench)
        again = run_chunker(CHUNKERS["breakpoint"].build(amount=50), document, bench)
        assert (first.timing.embedded, again.timing.embedded, again.timing.cached) == (4, 0, 4)


def test_one_cache_never_mixes_embedders(tmp_path, model_folder, pipeline_folder, http, serve):
    other = make_model(tmp_path / "two", seed=1)
    cache = EmbeddingCache(tmp_path / "vectors.sqlite")
    documents = [Document.from_text("\n".join(TEXTS[:count]), "lines") for count in (4, 3)]
    elsewhere = serve(EmbeddingServer)
    embedders = [
        load_embedder(str(model_folder)),
        load_embedder(str(other)),
        load_embedder(f"spacy:{pipeline_folder}"),
        OpenAIServer("openai:test", http.address, KEY),
        OpenAIServer("openai:test", elsewhere.address, KEY),
        OpenAIServer("openai:other", elsewhere.address, KEY),
        *(load_embedder("tfidf").for_document(document) for document in documents),
    ]
    for model in embedders:
        bench = Tools(model, load_tokenizer("words"), cache)
        vectors = bench.embed(TEXTS[:3])
        assert bench.meter.embedded == 3, model.name
        assert vectors == pytest.approx(model.encode(TEXTS[:3]), abs=1e-5)


def test_weights_that_change_in_a_folder_are_another_revision(tmp_path):
    folder = make_model(tmp_path / "model")
    before = model_folder_hash(folder)
    (folder / "README.md").write_text("Words about the model.")
    assert model_folder_hash(folder) == before
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert model_folder_hash(folder) != before


def test_a_folder_reads_as_much_as_its_model_and_counts_with_its_tokenizer(model_folder, monkeypatch):
    monkeypatch.chdir(model_folder.parent)
    embedder = load_embedder("model")
    assert (embedder.name, embedder.revision, embedder.max_tokens) == ("model", "", None)
    assert embedder.lengths(["the cat sat .", "mats", "the cat " * 20]) == [6, 4, 42]
    assert (embedder.max_tokens, embedder.revision) == (12, model_folder_hash(model_folder))


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
    with pytest.raises(ModelError, match="without custom code"):
        load_embedder(str(changed)).ensure_loaded()
    assert not mark.exists()


def test_a_model_that_breaks_says_so_in_a_sentence(tmp_path):
    folder = make_model(tmp_path / "model")
    (folder / "1_Pooling" / "config.json").write_text('{"embedding_dimension": 16, "pooling_mode": "max"}')
    embedder = load_embedder(str(folder))
    embedder.ensure_loaded()
    network = embedder._model._model[0].auto_model
    network.embeddings.word_embeddings.weight.data = network.pooler.dense.bias.data
    with pytest.raises(ModelError, match="could not embed the texts; encoding failed with"):
        embedder.encode(TEXTS)


def test_an_empty_folder_is_no_model(tmp_path):
    with pytest.raises(ModelError, match="the folder must contain a sentence-transformers model") as error:
        load_embedder(str(tmp_path)).ensure_loaded()
    assert str(error.value).count("\n") == 0


def test_a_model_after_which_nothing_is_normalised_still_gives_unit_vectors(model_folder):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize

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
    with pytest.raises(ModelError, match="hub cannot be reached to download it"):
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
    import spacy

    document = spacy.load(pipeline_folder)("mat tide salt")
    assert vectors[3] == pytest.approx(document.vector / document.vector_norm)
    assert build_chunker("double_pass", {}, embedder).appending_threshold == 0.8


def test_a_pipeline_without_vectors_or_that_is_none(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ModelError, match="must have word vectors"):
        load_embedder(f"spacy:{tmp_path / 'blank'}").ensure_loaded()
    with pytest.raises(ModelError, match="must be installed; it was not found"):
        load_embedder("spacy:xx_no_such").ensure_loaded()
    with pytest.raises(ModelError):
        load_embedder(f"spacy:{tmp_path}").ensure_loaded()


def test_other_vectors_in_a_pipeline_are_another_revision(pipeline_folder, tmp_path):
    one = load_embedder(f"spacy:{pipeline_folder}")
    one.ensure_loaded()
    import spacy

    nlp = spacy.load(pipeline_folder)
    nlp.vocab.set_vector("cat", np.array([1, 0, 0.5], dtype=np.float32))
    nlp.to_disk(tmp_path / "changed")
    other = load_embedder(f"spacy:{tmp_path / 'changed'}")
    other.ensure_loaded()
    assert one.revision != other.revision


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
    results = [run_chunker(build_chunker(name, parameters), document, bench) for name, parameters in settings]
    embedded = [text for batch in embedder.batches for text in batch]
    assert len(embedded) == len(set(embedded))
    assert set(document.sentence_texts) < set(embedded)
    assert [result.timing.embedded for result in results[:4]] == [len(set(document.sentence_texts)), 0, 16, 0]
    assert results[5].timing.embedded == 0
    assert sum(result.timing.embedded for result in results) == len(embedded)
