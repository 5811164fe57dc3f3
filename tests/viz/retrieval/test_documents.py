"""Retrieval on the user's own documents, and the way from them to Compare."""

import pytest

from sample_docs import load_sample, sample_titles
from tests.support import ended
from tests.viz.retrieval.steps import button, components, opened, run_of, said, summary, word
from viz.jobs.background_jobs import run_registry
from viz.jobs.retrieval import Retrieval
from viz.jobs.retrieval_plan import RunMaterial
from viz.retrieval import documents_and_questions as retrieval_material
from viz.state.shown_text import TextWithDetails

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("patience")]


def test_a_run_of_the_user_s_own_documents_brings_them_back():
    texts = (("birds.txt", "The heron waits. It eats fish.\n\nThe owl hunts at night."),)
    questions = ("mine.csv", b"question,excerpts\nWhat does it eat?,It eats fish.\nWhen?,The owl hunts at night.\n")
    app = opened()
    embedder = run_of_material(app, RunMaterial(texts, questions, own=True))
    again = opened(run=embedder)
    assert again.session_state["retrieval_material"] == "Your own"
    assert "Reused from the run shown: 1 document and mine.csv." in said(again)
    assert "2 chunkers on 1 document" in said(again)
    assert not any("changed since" in text for text in said(again))
    assert again.selectbox(key="retrieval_question").options == ["1. What does it eat?", "2. When?"]
    assert "No question can fail: 1. Fixed sentences retrieved everything in the top 5." in said(again)
    assert summary(again)["Found"][0] == "Everything was retrieved"
    assert again.dataframe[0].value["Recall, %"].tolist() == ["everything"] * 3
    # Without a chunker the whole document is given.
    assert again.dataframe[0].value["chunker"].tolist()[-1] == "Whole document"
    # The text has 13 tokens.
    short = opened(run=embedder, at="budget", budget="500")
    assert short.selectbox(key="retrieval_budget_tokens").options == ["1 token", "2 tokens", "5 tokens"]
    assert word(short, "budget") == "2"
    assert not components(again, "failed")


def run_of_material(app, material):
    """Run what an app would with other material, and return its token."""
    button(app, "Run").click().run()
    plan = run_of(app).plan
    run_of(app).cancel()
    embedder = run_of(app).embedder
    run = Retrieval(type(plan)(material, plan.chunkers, plan.embedder, plan.sentences, plan.tokenizer), embedder, False)
    run.start()
    assert not ended(run).error
    return run_registry().keep(run)


def test_a_run_on_other_documents_is_folded(measured):
    label = "Previous documents' results"
    assert not any(expander.label == label for expander in measured.expander)
    measured.segmented_control(key="retrieval_material").set_value("Your own").run()
    assert not measured.exception
    assert any(expander.label == label for expander in measured.expander)


def test_the_way_to_compare_leads_to_the_excerpt_and_says_whose_place_the_document_takes(run):
    corpus = next(iter(run_of(opened(run=run)).evaluation_by_chunker.values())).searched_index.corpus
    questions = run_of(opened(run=run)).questions.usable
    for number in (0, 38, 39):
        excerpt = questions[number].excerpts[0]
        app = opened(run=run, question=str(number + 1), left="1")
        document = corpus.documents[excerpt.document]
        (shown,) = components(app, "on_compare")
        assert shown["label"] == "See the passage on Compare"
        (first, end) = shown["range"]
        spans = [other.span for other in questions[number].excerpts if other.document == excerpt.document]
        touched = [(document.sentences[first].start, document.sentences[end - 1].end)]
        assert any(start <= span.start and span.end <= last + 1 for start, last in touched for span in spans)
        # The essay of Compare has several of these documents, which are none of its samples.
        sample = document.text in {load_sample(name).text for name in sample_titles()}
        for text, gives_way in (("Mine.", not sample), (document.text, False)):
            app.session_state["own"] = TextWithDetails(text, "mine.txt")
            (shown,) = components(app.run(), "on_compare")
            assert shown["label"].endswith("in the place of “mine.txt”") == gives_way


def test_documents_of_no_use_leave_the_others_usable():
    given = [("a.txt", b"Some text."), ("a.txt", b"Other text."), ("b.txt", b" "), ("c.txt", b"a\0b"), ("d.md", b"More.")]
    texts, complaints, _ = retrieval_material.read_documents_and_messages([*given, ("big.txt", b"x" * 20_000_001)])
    assert texts == [("a.txt", "Some text."), ("d.md", "More.")]
    assert [complaint.partition(":")[0] for complaint in complaints] == ["a.txt", "b.txt", "c.txt", "big.txt"]
    assert "documents must have different names" in complaints[0]
    assert "is empty" in complaints[1]
