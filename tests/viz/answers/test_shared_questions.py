"""Questions that the user gave to Retrieval are there on Answers too, about the text that is open, and the way back."""

import pytest

from chunkers.text import document
from tests.support import ended
from tests.viz.answers.test_page import gathered
from tests.viz.app_steps import remarks, said, sent
from tests.viz.controls.test_language_model import labels, press
from tests.viz.retrieval.small import offer
from tests.viz.retrieval.steps import run_of
from tests.viz.retrieval.test_stored_run import uploader
from viz.jobs.answering_plan_and_jobs import QuestionAssignmentJob
from viz.jobs.retrieval_plan import RunMaterial
from viz.shell import questions_between_pages

BIRDS = "The heron waits in the reeds. It eats fish.\n\nThe owl hunts at night. It hears a mouse."
SEA = "The tide turns twice a day. It is salt.\n\nThe lamp shines far over the water."
ASKED = b"question,excerpts\nWhat <b>eats</b> it?,It eats fish.\nWhen?,The owl hunts at night.\n"
ASKED += b"How often?,The tide turns twice a day.\n"


def given_on_retrieval(app, asked=ASKED, name="mine.csv"):
    app.query_params.update({"embedder": "tfidf", "tokenizer": "words", "c1": "fixed_sentences"})
    app.switch_page("pages/retrieval.py").run()
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    return uploaded(app, asked, name)


def uploaded(app, asked=ASKED, name="mine.csv"):
    for file, text in {"birds.txt": BIRDS, "sea.txt": SEA}.items():
        uploader(app, "retrieval_documents").upload(file, text.encode(), "text/plain")
    uploader(app, "retrieval_questions").upload(name, asked, "text/csv")
    app.run()
    assert not app.exception
    return app


def on_answers(app):
    app.query_params.clear()
    app.switch_page("pages/answers.py")
    return looked_up(app)


def looked_up(app):
    gathered(app)
    ended(app.session_state["question_sharing_job"])
    return gathered(app)


def test_a_document_of_more_lines_than_sentences_are_read_is_looked_through(monkeypatch):
    monkeypatch.setattr(document, "MAX_SENTENCES", 2)
    sharing = QuestionAssignmentJob(
        (("mine.csv", RunMaterial((("birds.txt", BIRDS), ("log.txt", "a b\n" * 9)), ("mine.csv", ASKED), own=True)),)
    )
    sharing.start()
    ended(sharing)
    assert not sharing.error
    assert [shared.name for shared in sharing.shared_texts.values()] == ["birds.txt"]


@pytest.mark.full
def test_uploaded_questions_are_asked_about_the_text_that_they_are_about(app, http):
    on_answers(given_on_retrieval(app))
    # The sample that is open is none of the documents; its own questions stay, and the others say where they are.
    assert "that come with this sample" in remarks(app)[1]
    choice = app.selectbox(key="answers/other_text")
    assert choice.options == ["birds.txt: 2 questions", "sea.txt: 1 question"]
    press(app, "Open selected text")
    looked_up(app)
    assert any("2 of them with a reference answer: those from mine.csv; the excerpts" in text for text in remarks(app))
    assert app.selectbox(key="answers/question").options == ["1. What <b>eats</b> it?", "2. When?"]
    assert sent(app, "budget")["reference"] == "It eats fish."
    assert app.selectbox(key="answers/other_text").options == ["sea.txt: 1 question"]
    assert not any("fish" in word or "mine" in word for word in dict(app.query_params).values())


def test_the_way_back_leads_to_the_same_questions(app, http):
    on_answers(given_on_retrieval(app))
    press(app, "Open Retrieval")
    assert app.title[0].value == "Retrieval"
    assert "Given before: 2 documents and mine.csv." in said(app)
    assert not next(button for button in app.button if button.label == "Run").disabled


def test_the_files_are_there_again_beside_a_run_on_the_bundled_documents(app, http, monkeypatch):
    offer(monkeypatch, b"question,excerpts\nWhat shines?,The lamp shines far\n")
    app.query_params.update({"embedder": "tfidf", "tokenizer": "words", "c1": "fixed_sentences"})
    app.switch_page("pages/retrieval.py").run()
    press(app, "Run")
    ended(run_of(app))
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    uploaded(app)
    on_answers(app)
    app.switch_page("pages/retrieval.py").run()
    # What is shown first is what was run.
    assert app.segmented_control(key="retrieval_material").value == "Bundled"
    assert not any(expander.label == "Previous documents' results" for expander in app.expander)
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    assert "Given before: 2 documents and mine.csv." in said(app)
    press(app, "Run")
    run = ended(run_of(app))
    assert [name for name, _ in run.plan.material.texts] == ["birds.txt", "sea.txt"]
    assert run.plan.material.own
    assert "Reused from the run shown: 2 documents and mine.csv." in said(gathered(app))


def test_what_a_page_gave_to_retrieval_is_named_by_its_origin_and_there_once(app, http, monkeypatch):
    material = RunMaterial((("birds.txt", BIRDS),), ("q.csv", ASKED), own=True)
    given_on_retrieval(app)
    app.session_state["shared_questions"] = {
        questions_between_pages.RETRIEVAL_QUESTIONS: ("from Compare", material),
        questions_between_pages.GENERATED_QUESTIONS: ("asked by openai:test", material),
    }
    on_answers(app)
    assert app.selectbox(key="answers/other_text").options == ["birds.txt: 2 questions"]
    press(app, "Open selected text")
    looked_up(app)
    assert "those asked by openai:test;" in remarks(app)[1]


def test_a_file_that_is_of_no_use_is_a_sentence_and_the_samples_questions_stay(app, http):
    on_answers(given_on_retrieval(app, b"question,excerpts\nWhy?,It is not there at all.\n"))
    assert "answers/other_text" not in [box.key for box in app.selectbox]
    assert "that come with this sample" in remarks(app)[1]
    assert "Open Retrieval" in labels(app)
