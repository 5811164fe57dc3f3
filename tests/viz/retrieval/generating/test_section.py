"""A language model asks questions on Retrieval: nothing is sent before the click; filtered, edited and measured after it."""

import time
from copy import deepcopy

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from chunkers.language_models import requests_within_spending_limit as asking_module
from tests import ROOT
from tests.evaluation.generating.questioner import answer
from tests.server import KEY, ChatModelServer
from tests.support import LIMIT, ended
from tests.viz.app_steps import name_model, press, ran, remarks, said
from tests.viz.retrieval.small import TEXTS, offer
from viz.jobs.background_jobs import run_registry
from viz.jobs.question_generation import QuestionGenerationJob
from viz.jobs.retrieval import Retrieval

pytestmark = pytest.mark.page

HOSTILE = "What <b>eats</b> ![x](http://127.0.0.1:9/x.png) fish?"
ASKED = {
    "birds.txt": [
        (HOSTILE, ["It eats fish and frogs."]),
        ("When does the owl hunt?", ["The owl hunts at night.", "It hears a mouses."]),
        ("When does the owl hunt, then?", ["The owl hunts at night."]),
    ],
    "sea.txt": [("How often does the tide turn?", ["The tide turns twice a day."])],
}


@pytest.fixture(autouse=True)
def bundled(monkeypatch):
    """The bundled documents are few and short, and the environment names no server.

    The scripted model refuses so often that runs would be stopped after their first ten answers.
    """
    offer(monkeypatch, b"question,excerpts\nWhen?,at night\n")
    monkeypatch.setattr(asking_module, "USABILITY_CHECKED_ANSWER_COUNT", 1_000)


@pytest.fixture
def http(serve):
    """A model that asks what it is told to ask of each document, then refuses."""
    left = {name: list(asked) for name, asked in ASKED.items()}

    def model(messages):
        name = next(name for name, text in TEXTS.items() if text[:20] in messages[3]["content"])
        # An answer that cannot be used is not remedied.
        if len(messages) > 4 or not left[name]:
            return "I cannot."
        question, excerpts = left[name].pop(0)
        return answer(question, *excerpts)

    return serve(ChatModelServer, model)


@pytest.fixture
def edits(monkeypatch):
    """Stand in for the grid, whose cells are drawn on a canvas: what is in here is done to the next table that is drawn."""
    wanted, tables = [], []

    def editor(data, *, key, on_change, **others):
        tables.append(data)
        if wanted:
            state = wanted.pop()

            def edit():
                st.session_state[key] = state
                on_change()

            st.button("Edit the table", on_click=edit)

    monkeypatch.setattr(st, "data_editor", editor)
    return wanted, tables


def opened(server=None, count=7):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    app.query_params.update({"embedder": "tfidf", "tokenizer": "words", "c1": "fixed_sentences", "c2": "recursive"})
    app.switch_page("pages/retrieval.py")
    ran(app)
    if server is not None:
        name_model(app, server)
        app.number_input(key="generating_count").set_value(count).run()
    return app


def asked(server, count=7):
    """Have questions asked, and compared."""
    app = opened(server, count)
    press(app, "Generate")
    press(app, "Send")
    ended(generating(app))
    ran(app)
    ended(app.session_state["similarity_job"])
    return ran(app)


def generating(app):
    return run_registry().find(app.session_state["choices"]["retrieval"].extra["generated"], QuestionGenerationJob)


def test_a_number_that_is_written_and_the_button_in_one_go_are_both_heard(http):
    app = opened(http)
    app.number_input(key="generating_count").set_value(5)
    press(app, "Generate")
    assert any("“Generate” sends 5 passages" in text for text in said(app))
    assert not http.requests


def test_questions_are_shown_whose_consent_came_after_the_page_read_its_choices_anew(http):
    app = opened(http)
    press(app, "Generate")
    # Back and Forward give the page choices of the same values.
    app.session_state["choices"]["retrieval"] = deepcopy(app.session_state["choices"]["retrieval"])
    ran(app)
    press(app, "Send")
    assert ended(generating(app)).window_results


def line(app, key, value):
    app.slider(key=f"generating_{key}").set_value(value).run()
    assert not app.exception


def everything(app):
    return str([node.proto for part in (app.main, app.sidebar) for node in _elements(part)])


def _elements(node):
    for child in getattr(node, "children", {}).values():
        yield from _elements(child)
    if getattr(node, "proto", None) is not None:
        yield node


def test_without_a_model_the_page_says_what_is_missing_and_works():
    app = opened()
    assert any(
        text.startswith("Generating questions needs a language model, and none is named yet. Name one above")
        for text in said(app)
    )
    assert next(button for button in app.button if button.label == "Generate").disabled
    assert not next(button for button in app.button if button.label == "Run").disabled


def test_nothing_is_sent_before_the_click_and_a_second_run_sends_nothing(http):
    app = opened(http)
    press(app, "Generate")
    (told,) = [text for text in said(app) if "“Generate” sends" in text]
    assert told.startswith(
        f"“Generate” sends 7 passages of 2 documents to {http.address.split('/')[2]}, to the model test: "
    )
    assert not http.requests
    # The consent is to what was described.
    app.number_input(key="generating_seed").set_value(3).run()
    assert not any(button.label == "Send" for button in app.button)
    press(app, "Generate")
    press(app, "Send")
    first = ended(generating(app))
    sent = len(http.requests)
    assert sent >= 7
    ran(app)
    press(app, "Generate")
    press(app, "Send")
    again = ended(generating(app))
    # What became of a schema is known by now, and not asked for.
    assert (len(http.requests), again.ledger.spent.remembered) == (sent, sent - 1)
    assert again.window_results == first.window_results
    assert any(f"{sent - 1} answers from before" in text for text in remarks(ran(app)))
    assert KEY not in everything(app)


@pytest.mark.full
def test_the_questions_are_filtered_edited_and_measured(http, edits):
    wanted, tables = edits
    app = asked(http)
    job = generating(app)
    assert [generated.question for generated in job.questions_generated_so_far].count(HOSTILE) == 1
    assert len(job.questions_generated_so_far) + len(job.dropped_windows) == 7
    assert "I cannot" not in everything(app)
    assert any("1 excerpt was quoted with small changes" in text for text in remarks(app))
    line(app, "lowest", 0.0)
    line(app, "highest", 1.0)
    assert tables[-1]["question"] == [generated.question for generated in job.questions_generated_so_far]
    sent = len(http.requests)
    line(app, "highest", 0.7)
    few = tables[-1]["question"]
    assert "When does the owl hunt, then?" not in few
    assert f"Both filters keep {len(few)} of {len(job.questions_generated_so_far)} questions." in remarks(app)
    # The question is written anew, one excerpt is shortened and the other gets words that are not the document's.
    row = few.index("When does the owl hunt?")
    changed = {"question": "At what time does the owl hunt?", "excerpt 1": "hunts at night", "excerpt 2": "It hears a rat."}
    wanted.append({"edited_rows": {row: changed}, "deleted_rows": []})
    press(ran(app), "Edit the table")
    assert tables[-1]["excerpt 2"][row] == "It hears a rat."
    (why,) = [text for text in said(app) if "must stand in birds.txt word for word" in text]
    assert "'It hears a rat.' does not." in why
    wanted.append({"edited_rows": {row: {"excerpt 2": ""}}, "deleted_rows": [few.index(HOSTILE)]})
    press(ran(app), "Edit the table")
    assert not [text for text in said(app) if "word for word" in text]
    assert HOSTILE not in tables[-1]["question"]
    assert any(button.label == "Restore 1 question" for button in app.button)
    press(app, "Use these questions")
    run = ended(run_registry().find(app.session_state["choices"]["retrieval"].extra["run"], Retrieval))
    assert run.errors == {}
    measured = {
        question.text: [run.plan.material.texts[n][1][a:b] for n, (a, b) in question.excerpts]
        for question in run.questions.usable
    }
    assert measured == {
        "At what time does the owl hunt?": ["hunts at night"],
        "How often does the tide turn?": ["The tide turns twice a day."],
    }
    assert len(http.requests) == sent
    app = ran(app)
    assert any("2 questions about 2 documents, asked by test" in text for text in remarks(app))
    press(app, "Restore 1 question")
    assert HOSTILE in tables[-1]["question"]


def test_stopping_keeps_what_was_asked_and_going_on_keeps_what_was_written(http, edits):
    wanted, tables = edits
    app = opened(http)
    line_before = http.model
    # The third question that is asked about the sea is never answered.
    http.model = lambda messages: time.sleep(LIMIT) if "\nPassage 3:" in messages[3]["content"] else line_before(messages)
    press(app, "Generate")
    press(app, "Send")
    job = generating(app)
    while len(job.window_results) < 2:
        job.join(0.02)
    began = time.monotonic()
    job.cancel()
    job.join(LIMIT)
    assert time.monotonic() - began < LIMIT / 2
    assert not job.running
    ran(app)
    ended(app.session_state["similarity_job"])
    ran(app)
    line(app, "lowest", 0.0)
    assert any(text.startswith("The generation was stopped; the questions generated so far are kept.") for text in said(app))
    assert any(f"{len(job.questions_generated_so_far)} questions of 7. test: " in text for text in remarks(app))
    row = tables[-1]["question"].index(job.questions_generated_so_far[0].question)
    wanted.append({"edited_rows": {row: {"question": "What is written anew?"}}, "deleted_rows": []})
    press(ran(app), "Edit the table")
    http.model = line_before
    press(app, "Generate")
    press(app, "Send")
    again = ended(generating(app))
    assert again is not job
    assert again.window_results[:2] == job.window_results[:2]
    assert again.ledger.spent.remembered >= len(job.window_results)
    ended(ran(app).session_state["similarity_job"])
    ran(app)
    assert "What is written anew?" in tables[-1]["question"]
    assert app.slider(key="generating_lowest").value == 0.0


def test_another_session_with_the_link_has_the_questions_and_a_server_that_was_restarted_says_so(http, edits):
    wanted, tables = edits
    app = asked(http)
    line(app, "highest", 1.0)
    line(app, "lowest", 0.0)
    wanted.append({"edited_rows": {0: {"question": "What is written anew?"}}, "deleted_rows": [1]})
    press(ran(app), "Edit the table")
    left = tables[-1]["question"]
    for token, known in ((app.session_state["choices"]["retrieval"].extra["generated"], True), ("unknown", False)):
        other = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
        other.query_params.update({"embedder": "tfidf", "tokenizer": "words", "c1": "fixed_sentences", "generated": token})
        other.switch_page("pages/retrieval.py")
        ran(other)
        assert any("The link's questions are no longer remembered" in text for text in said(other)) is not known
        if known:
            ended(other.session_state["similarity_job"])
            tables.clear()
            ran(other)
            assert tables[-1]["question"] == left
            assert other.slider(key="generating_highest").value == 1.0
            assert other.number_input(key="generating_count").value == 7


def test_answers_none_of_which_can_be_used_are_said_with_the_last_reason(http):
    http.model = lambda messages: '{"question": "Wh'
    app = opened(http, 3)
    press(app, "Generate")
    press(app, "Send")
    ended(generating(app))
    ran(app)
    assert (
        "None of the model's answers can be used. The table gives the reason for the last answer on each passage."
        in said(app)
    )
    (table,) = [frame.value for frame in app.dataframe if "last answer" in frame.value]
    assert [*table["last answer"]] == ["its JSON is broken: Unterminated string starting at"] * 3
    assert any(text.startswith("0 questions of 3. test: 10 requests") for text in remarks(app))


def test_where_all_are_removed_they_can_be_put_back(http, edits):
    wanted, tables = edits
    app = asked(http)
    line(app, "lowest", 0.0)
    line(app, "highest", 1.0)
    wanted.append({"edited_rows": {}, "deleted_rows": [*range(len(tables[-1]["question"]))]})
    press(ran(app), "Edit the table")
    assert "No question passes the filters. Move the filters' lines, or restore the questions that you removed." in said(app)
    assert next(button for button in app.button if button.label == "Use these questions").disabled
    before = len(generating(app).questions_generated_so_far)
    press(app, f"Restore {before} questions")
    assert len(tables[-1]["question"]) == before
