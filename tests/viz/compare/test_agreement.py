"""Comparison of an approximating embedder with the full one on Compare: on request, for every column that embeds."""

import pytest

from chunkers.embedders.sentence_models import BFLOAT16_EMBEDDER_REMOVED_NOTE, REMOVED_BFLOAT16_EMBEDDER_NAME, MiniLM
from chunkers.embedders.spacy_and_tfidf import TfIdf
from tests.support import ended
from tests.viz.app_steps import choose_document, remarks, said, settled
from viz.jobs import shared_resources


def buttons(app):
    return [button.label for button in app.button]


def press(app, label):
    next(button for button in app.button if button.label == label).click().run()


def compared(app):
    """Run the app until the comparison is there; return its lines."""
    while app.session_state["full_job"] is not None:
        ended(app.session_state["full_job"])
        app.run()
    assert not app.exception
    return remarks(app)


@pytest.fixture
def own_full(monkeypatch):
    """An embedder that needs no model, and says that it approximates itself."""
    monkeypatch.setattr(TfIdf, "approximates", "tfidf")


@pytest.mark.model
def test_static_is_compared_with_the_full_model_on_request(app):
    shared_resources.embedding_cache.cache_clear()
    app.query_params["embedder"] = "static"
    settled(app).run()
    assert app.query_params["embedder"] == "static"
    assert not [text for text in remarks(app) if "static beside" in text]
    press(app, f"Compare with {MiniLM.name}")
    first, *columns = compared(app)
    assert first.startswith(f"static beside {MiniLM.name}: distances of neighbouring sentences moved by at most 0.")
    assert "between sentences" in first
    # The first column embeds nothing.
    assert [line.partition(":")[0] for line in columns] == ["Column 2, Breakpoint", "Column 3, Double pass"]
    # Other settings are compared without another click, and embed nothing.
    app.slider(key="1/breakpoint/amount/None").set_value(40.0).run()
    assert app.session_state["full_job"] is None
    again = remarks(app)
    assert again[0] == first
    assert again[1] != columns[0]
    # The exact model is compared with nothing.
    app.selectbox(key="embedder").select(MiniLM.name).run()
    assert not remarks(settled(app).run())
    assert not [label for label in buttons(app) if label.startswith("Compare with")]


@pytest.mark.page
def test_any_embedder_that_approximates_another_is_compared(app, own_full):
    app.query_params["embedder"] = "tfidf"
    settled(app).run()
    press(app, "Compare with tfidf")
    assert compared(app)[0] == (
        "tfidf beside tfidf: distances of neighbouring sentences moved by at most 0, between sentences 1 and 2, "
        "and 0 on average."
    )
    assert all("same" in line or "no boundary" in line for line in remarks(app)[1:])
    # Another text has not been compared.
    choose_document(app, "three_topics")
    settled(app).run()
    assert not remarks(app)
    assert "Compare with tfidf" in buttons(app)


@pytest.mark.page
def test_without_sentences_of_their_own_the_scores_are_compared(app, own_full):
    app.query_params["embedder"] = "tfidf"
    app.query_params["tokenizer"] = "words"
    # A text whose sentences have not been compared by themselves.
    app.query_params["document"] = "faq"
    app.query_params["c1"] = "breakpoint"
    app.query_params["c1.buffer"] = "1"
    shared_resources.embedding_cache.cache_clear()
    settled(app).run()
    press(app, "Compare with tfidf")
    first, column = compared(app)
    assert first == "tfidf beside tfidf."
    assert "; scores moved by at most 0, between" in column


@pytest.mark.model
def test_a_link_with_bfloat16_opens_with_the_exact_model_and_says_so(app):
    app.query_params["embedder"] = REMOVED_BFLOAT16_EMBEDDER_NAME
    settled(app).run()
    assert [text for text in said(app) if BFLOAT16_EMBEDDER_REMOVED_NOTE in text]
    assert "embedder" not in app.query_params
    assert any(caption.value == "The embedder runs on this machine's processor, in NumPy." for caption in app.caption)
