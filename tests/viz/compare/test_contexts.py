"""Context sentences on Compare: nothing is sent before the click, and then files and answers have them."""

import pytest

from tests.server import ChatModelServer
from tests.support import ended
from tests.viz.app_steps import choose_document, said, settled
from tests.viz.compare.test_asking import ask
from tests.viz.controls.test_language_model import labels, name_model, press
from viz.compare.questions.question_search import CONTEXT_MODEL_MISSING, CONTEXTS_MISSING_NOTE

QUESTION = "Quokkas?"
"""No chunk has the word, and the context of the comet has it."""


@pytest.fixture
def http(serve):

    def answered(messages):
        passage = messages[1]["content"].rpartition("The passage:")[2]
        return "What quokkas eat." if "Comet" in passage else "On the sea."

    return serve(ChatModelServer, answered)


def opened(app):
    """Open Compare on a sample with two chunkers, and choose context sentences."""
    app.query_params.update({"document": "stubs", "embedder": "tfidf", "tokenizer": "words", "sentences": "lines"})
    app.query_params.update({"c1": "fixed_sentences", "c1.size": "2", "c2": "fixed_sentences", "c2.size": "4"})
    app.query_params.update({"ask": "bm25", "ask_limit": "top1", "selected": "1"})
    settled(app)
    app.segmented_control(key="below").set_value("Downloads").run()
    app.segmented_control(key="embedded_as").set_value("context").run()
    assert not app.exception
    return app


def files(app):
    return [button.proto.label for button in app.get("download_button")]


def test_nothing_is_sent_before_the_click_and_then_files_and_answers_have_the_sentences(app, http):
    opened(app)
    assert CONTEXT_MODEL_MISSING in said(app)
    assert files(app)
    assert not any(label.startswith("Chunks, ") for label in files(app))
    before = ask(app, QUESTION)
    assert before["said"].endswith(CONTEXTS_MISSING_NOTE)
    assert all(retrieved["chunks"] == [] for retrieved in before["found"])
    name_model(app, http)
    press(app, "Write context sentences")
    ended(app.session_state["estimation_job"])
    app.run()
    (told,) = [text for text in said(app) if text.startswith("This sends")]
    host = http.address.split("/")[2]
    assert told.startswith(f"This sends the text once for every chunk of 2 columns to {host}, to the model test: about ")
    assert http.requests == []
    press(app, "Send")
    job = ended(app.session_state["context_sentences_job"])
    app.run()
    assert not app.exception
    assert not job.error
    made = [*job.chunkings_with_contexts.values()]
    # Of equal chunks the answer is remembered.
    passages = {chunk.text for chunking in made for chunk in chunking.chunks}
    assert len(http.requests) == len(passages) > 5
    assert f"tokens in {sum(map(len, made))} requests" in told
    assert "Write context sentences" not in labels(app)
    assert any(label.startswith("Chunks, JSON lines") for label in files(app))
    after = ask(app, QUESTION)
    assert CONTEXTS_MISSING_NOTE not in after["said"]
    for chunking, retrieved in zip(made, after["found"], strict=True):
        assert "Comet" in chunking.chunks[retrieved["chunks"][0]].text
    assert len(http.requests) == len(passages)
    # What was plain is plain again, and nothing is asked for it.
    app.segmented_control(key="embedded_as").set_value("plain").run()
    assert all(retrieved["chunks"] == [] for retrieved in ask(app, QUESTION)["found"])
    assert len(http.requests) == len(passages)


def test_another_setting_has_no_sentences_until_they_are_written(app, http):
    opened(app)
    name_model(app, http)
    press(app, "Write context sentences")
    ended(app.session_state["estimation_job"])
    app.run()
    press(app, "Send")
    ended(app.session_state["context_sentences_job"])
    sent = len(http.requests)
    app.session_state["choices"]["compare"].columns[0].parameters["size"] = 3
    settled(app)
    assert "Write context sentences" in labels(app)
    assert not any(label.startswith("Chunks, ") for label in files(app))
    assert ask(app, QUESTION)["said"].endswith(CONTEXTS_MISSING_NOTE)
    assert len(http.requests) == sent


def test_sentences_are_kept_of_what_is_shown_and_of_nothing_else(app, http):
    def written():
        press(app, "Write context sentences")
        ended(app.session_state["estimation_job"])
        app.run()
        press(app, "Send")
        ended(app.session_state["context_sentences_job"])
        app.run()
        assert (
            app.session_state["context_sentences_job"].chunkings_with_contexts.keys()
            == app.session_state["chunking_by_task"].keys()
        )
        return {*app.session_state["chunking_by_task"]}

    opened(app)
    name_model(app, http)
    first = written()
    app.session_state["choices"]["compare"].columns[0].parameters["size"] = 3
    settled(app)
    second = written()
    assert len(first & second) == 1
    choose_document(app, "faq")
    settled(app)
    assert not second & written()


@pytest.mark.parametrize("second", ["lumber", "structure"])
def test_the_form_for_the_language_model_is_drawn_once(app, second):
    app.query_params.update({"document": "stubs", "embedder": "tfidf", "tokenizer": "words", "sentences": "lines"})
    app.query_params.update({"c1": "fixed_sentences", "c1.size": "2", "c2": second, "selected": "1"})
    settled(app)
    app.segmented_control(key="below").set_value("Downloads").run()
    app.segmented_control(key="embedded_as").set_value("context").run()
    assert not app.exception
    assert [expander.label for expander in app.expander].count("Language model") == 1
