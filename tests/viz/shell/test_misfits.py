"""The warning about a text that does not suit its splitter or its model, shown once with a remedy."""

from dataclasses import dataclass

import pytest

from chunkers.text.language_detection import LANGUAGE_NAME_BY_CODE
from tests.fixtures.paragraphs import paragraphs_by_language
from tests.support import LIMIT
from tests.viz.app_steps import box_of, said, settled, widget
from viz.jobs import shared_resources
from viz.jobs.chunking import ChunkingJob
from viz.shell import column_runs_and_results

CHINESE = paragraphs_by_language()["zh"].text * 2
AMHARIC = paragraphs_by_language()["am"].text


def opened(app, text, **query):
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    box_of(app).input(text).run()
    return settled(app)


def warned(app, words):
    return [sentence for sentence in said(app) if words in sentence]


def button(app, label):
    return next(button for button in app.button if button.label == label)


def test_a_splitter_that_finds_more_is_one_click_away(app):
    opened(app, CHINESE, embedder="tfidf")
    widget(app.selectbox, "sentences").select("regex").run()
    (sentence,) = warned(settled(app), "one sentence")
    assert sentence.startswith("Split by regex, the text is one sentence")
    button(app, "Split sentences by sentencex").click().run()
    assert warned(settled(app), "one sentence") == []
    assert app.query_params["sentences"].startswith("sentencex")


@pytest.mark.model
def test_an_embedder_and_a_tokenizer_that_know_the_text_are_one_click_away(app):
    opened(app, AMHARIC)
    assert len(warned(app, "unknown to all-MiniLM-L6-v2")) == 1
    button(app, "Embed with tfidf").click().run()
    # Double pass counts tokens as well.
    assert len(warned(settled(app), "unknown to the tokenizer all-MiniLM-L6-v2")) == 1
    button(app, "Count tokens as characters").click().run()
    assert warned(settled(app), "unknown") == []
    assert (app.query_params["embedder"], app.query_params["tokenizer"]) == ("tfidf", "characters")


@dataclass(eq=False)
class Long(ChunkingJob):
    """Job that claims to take long, and works until it is cancelled."""

    seconds_left: float | None = 80.0

    def _do_work(self):
        assert self._cancel.wait(LIMIT)


@pytest.fixture
def long(monkeypatch):
    """Nothing that must be embedded is embedded; return a function that ends this."""
    shared_resources.embedding_cache.cache_clear()
    monkeypatch.setattr(column_runs_and_results, "ChunkingJob", Long)
    return lambda: monkeypatch.setattr(column_runs_and_results, "ChunkingJob", ChunkingJob)


def test_a_model_for_another_script_is_named_before_anything_is_embedded(app, long):
    app.run()
    box_of(app).input(paragraphs_by_language()["ko"].text).run()
    assert app.session_state["chunking_job"].running
    (sentence,) = warned(app, "was made for English") or warned(app, "unknown to all-MiniLM-L6-v2")
    assert "tfidf" in sentence
    long()
    button(app, "Embed with tfidf").click().run()
    assert app.query_params["embedder"] == "tfidf"
    assert not [control for control in app.button if control.label == "Embed with tfidf"]


@pytest.mark.parametrize(("language", "warns"), [("ru", True), ("ja", True), ("de", False)])
def test_only_another_script_is_warned_of(app, monkeypatch, long, language, warns):
    monkeypatch.setattr("viz.shell.column_runs_and_results.misfit_warnings", lambda document, **used: ())
    app.run()
    box_of(app).input(paragraphs_by_language()[language].text).run()
    assert bool(warned(app, f"The text is in {LANGUAGE_NAME_BY_CODE[language]}")) == warns
    app.session_state["chunking_job"].cancel()


def test_where_embedding_takes_long_tfidf_is_one_click_away(app, long):
    app.run()
    long()
    app.button(key="see_now").click().run()
    assert app.query_params["embedder"] == "tfidf"
    assert not [button for button in settled(app).button if button.key == "see_now"]
