"""Retrieval runs that ask a language model: nothing is sent before the click, and what was answered is not asked again."""

import time

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import Cancelled
from tests import ROOT
from tests.server import ChatModelServer
from tests.support import LIMIT, ScriptedModel, ended
from tests.viz.app_steps import name_model, press, ran, remarks, said
from tests.viz.retrieval.small import TEXTS, offer
from tests.viz.retrieval.steps import run_of
from viz.jobs import retrieval
from viz.state.chosen_models import missing_model_message, no_model_message

pytestmark = pytest.mark.page

ASKED = b"question,excerpts\nWhat does it eat?,It eats fish\nWhen?,The owl hunts at night.\n"
WINDOW = {"c1": "llm", "c1.window": "16", "c1.piece_size": "4"}


@pytest.fixture(autouse=True)
def bundled(monkeypatch):
    """The bundled documents are few and short, and the environment names no server."""
    return offer(monkeypatch, ASKED)


@pytest.fixture
def http(serve):
    scripted = ScriptedModel()

    def answered(messages):
        prompt = messages[1]["content"]
        if "The passage:" not in prompt:
            return scripted.words(prompt)
        passage = prompt.rpartition("The passage:")[2]
        return "" if "lamp" in passage else "What eats: the heron does." if "frogs" in passage else "On the sea."

    return serve(ChatModelServer, answered)


def opened(**words):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    app.query_params.update({"embedder": "tfidf", "tokenizer": "words", **WINDOW, "c2": "fixed_sentences", **words})
    app.switch_page("pages/retrieval.py")
    return ran(app)


def counted(app):
    """Wait for the count of what would be sent, and return what is said of it."""
    ended(app.session_state["estimation_job"])
    (told,) = [text for text in said(ran(app)) if text.startswith("This run sends")]
    return told


def test_a_run_says_what_it_sends_of_all_documents_and_sends_it_after_the_click_alone(http):
    app = opened()
    assert missing_model_message() in said(app)
    name_model(app, http)
    press(app, "Run")
    told = counted(app)
    assert told.startswith(f"This run sends 2 documents to {http.address.split('/')[2]}, to the model test: about ")
    assert "no price is known" in told
    assert (http.requests, run_of(app)) == ([], None)
    press(app, "Send")
    run = ended(run_of(app))
    assert (run.errors, sorted(run.evaluation_by_chunker)) == ({}, [0, 1])
    sent = len(http.requests)
    assert run.ledger.spent.requests == sent > 1
    assert f"test: {run.ledger.spent}." in remarks(ran(app))
    # The same run again is answered from what was answered before; what becomes of a schema is known.
    press(app, "Run")
    counted(app)
    press(app, "Send")
    again = ended(run_of(app))
    assert again is not run
    assert (len(http.requests), again.ledger.spent.remembered) == (sent, sent - 1)


def test_consent_is_to_the_run_that_was_described_and_to_no_other(http):
    app = opened()
    name_model(app, http)
    press(app, "Run")
    counted(app)
    next(slider for slider in app.slider if slider.key == "0/llm/window").set_value(200).run()
    assert not any(button.label == "Send" for button in app.button)
    assert http.requests == []


def test_the_limit_stops_the_run_and_the_others_are_measured(http):
    app = opened()
    app.number_input(key="language_tokens").set_value(500)
    name_model(app, http)
    press(app, "Run")
    counted(app)
    press(app, "Send")
    run = ended(run_of(app))
    assert "the spending limit is 500 tokens" in run.errors[0]
    assert (sorted(run.evaluation_by_chunker), http.requests) == ([1], [])


def test_cancelling_ends_a_run_whose_server_hangs(http):
    http.script = [8.0]
    app = opened()
    name_model(app, http)
    press(app, "Run")
    counted(app)
    press(app, "Send")
    run = run_of(app)
    run.cancel()
    run.join(1)
    assert not run.running


def test_plain_and_context_are_measured_side_by_side_after_the_click_alone(http):
    words = {"c1": "fixed_sentences", "c1.size": "1", "embedded": "plain:context", "at": "k", "k": "1"}
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    app.query_params.update({"embedder": "tfidf", "tokenizer": "words", "sentences": "regex", **words})
    app.switch_page("pages/retrieval.py")
    ran(app)
    assert no_model_message("Context sentences need") in said(app)
    name_model(app, http)
    assert app.query_params["model"] == "test"
    press(app, "Run")
    told = counted(app)
    chunks = sum(text.count(". ") + text.count(".\n") + 1 for text in TEXTS.values())
    assert told.startswith("This run sends 2 documents, once for every chunk, to 127.0.0.1")
    assert f"tokens in {chunks} requests" in told
    assert (http.requests, run_of(app)) == ([], None)
    press(app, "Send")
    run = ended(run_of(app))
    assert (run.error, run.errors, sorted(run.evaluation_by_chunker)) == ("", {}, [0, 1])
    assert run.plan.numbered_chunker_titles == ["1. Fixed sentences", "2. Fixed sentences + context"]
    plain, context = (run.evaluation_by_chunker[number].searched_index for number in (0, 1))
    assert plain.chunks == context.chunks
    assert "What eats: the heron does.\n\nIt eats fish and frogs." in context.texts
    assert "What eats: the heron does.\n\nIt eats fish and frogs." not in plain.texts
    # Of one passage no answer could be used, though it was asked for again.
    assert len(http.requests) == chunks + 2
    (left,) = [text for text in said(ran(app)) if "no usable context" in text]
    assert left.startswith(f"2. Fixed sentences + context: the model gave no usable context of 1 of {chunks} chunks; those")
    # The gain has its interval, as every difference has.
    assert any(header.value == "Against 1. Fixed sentences" for header in app.header)


@pytest.mark.full
@pytest.mark.parametrize("restarted", [False, True])
def test_a_run_that_goes_on_asks_for_what_is_not_there_alone_and_not_before_the_click(
    http, restart, cache_folder, monkeypatch, restarted
):
    """Both ways of the first chunker are kept; the second's context sentences are written, but not measured."""
    words = {"c1": "fixed_sentences", "c1.size": "2", "c2": "fixed_sentences", "c2.size": "1", "embedded": "plain:context"}
    app = opened(**words, sentences="regex")
    app.toggle(key="on_disk").set_value(True).run()
    name_model(app, http)
    press(app, "Run")
    counted(app)
    searched = []

    def until_the_last(index, *others):
        searched.append(len(index.chunks))
        if len(searched) == 4:
            raise Cancelled
        return search(index, *others)

    search = retrieval.search_for_all_questions
    monkeypatch.setattr(retrieval, "search_for_all_questions", until_the_last)
    press(app, "Send")
    run = ended(run_of(app))
    assert (sorted(run.evaluation_by_chunker), run.error) == ([0, 1, 2], "")
    sent = len(http.requests)
    token = app.query_params["run"]
    if restarted:
        restart()
        app = opened(**words, sentences="regex", run=token)
        end = time.monotonic() + LIMIT
        while not (notices := [text for text in said(app) if text.startswith("This run was interrupted")]):
            assert time.monotonic() < end, said(app)
            ran(app)
        (said_of_it,) = notices
        assert "the results for 3 of 4 chunkers are kept" in said_of_it
        resume = next(button for button in app.button if button.label == "Resume")
        assert resume.disabled
        name_model(app, http)
    ran(app)
    press(app, "Resume")
    told = counted(app)
    # Only of what is left.
    assert f"tokens in {searched[-1]} requests" in told
    assert len(http.requests) == sent
    press(app, "Send")
    again = ended(run_of(app))
    assert again is not run
    assert (sorted(again.evaluation_by_chunker), again.errors, again.error) == ([0, 1, 2, 3], {}, "")
    assert len(searched) == 5
    # The session has the answers as long as it lasts; of one passage none could be used, so it was asked again twice.
    fresh = searched[-1] + 2
    assert len(http.requests) - sent == (fresh if restarted else 0)
    assert again.ledger.spent.remembered == (0 if restarted else fresh)


def test_only_one_estimate_asks_for_consent(http):
    app = opened()
    name_model(app, http)
    press(app, "Run")
    counted(app)
    assert any("This run sends" in text for text in said(app))
    press(app, "Generate")
    assert not any("This run sends" in text for text in said(app))
    assert any("“Generate” sends" in text for text in said(app))
    assert sum(button.label == "Send" for button in app.button) == 1
    assert not http.requests
