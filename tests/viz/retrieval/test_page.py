"""The Retrieval page: what it shows before a run and of one, and the links to both."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.questions.corpus_ranges_and_rulers import total_length_of_ranges
from evaluation.retrieval.computed_reports import ReportChoice
from evaluation.retrieval.measures import RETRIEVAL_MEASURE_NAMES, RETRIEVAL_MEASURE_TITLES, excerpt_ranges
from tests import ROOT
from tests.support import ended
from tests.viz.retrieval.steps import button, components, evaluations, opened, rows_of, run_of, said, summary, told
from viz.jobs.retrieval_plan import RunMaterial
from viz.retrieval import bundled_run as opening
from viz.retrieval import page
from viz.retrieval.bundled_run import BUNDLED_RUN
from viz.retrieval.documents_and_questions import bundled_documents_and_questions
from viz.retrieval.link_parameter_widgets import convert_link_number_to_index

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("patience")]


ASKED = b"question,excerpts\nWhich?,It floats at night.\n"


def test_a_setting_that_is_written_and_the_button_in_one_go_are_both_heard():
    app = opened()
    app.slider(key="0/fixed_sentences/size").set_value(7)
    button(app, "Run").click().run()
    run = run_of(app)
    assert [chunker.size for chunker in run.plan.chunkers if chunker.name == "fixed_sentences"] == [7]
    assert not any("changed since" in text for text in said(app))
    ended(run)


def test_before_a_run_it_shows_the_one_that_comes_with_seamark_and_says_so():
    shown, kept = BUNDLED_RUN.loaded_run_and_file
    ended(shown)
    app = opened()
    assert not app.exception
    assert app.title[0].value == "Retrieval"
    (sentence,) = (text for text in said(app) if text.startswith("This result comes with Seamark"))
    assert f"Seamark {kept.seamark} and was measured on {kept.made.day} {kept.made:%B %Y}" in sentence
    assert "“Run” measures the chunkers on the left" in sentence
    assert any(text.startswith("2 chunkers on ") for text in said(app))
    assert rows_of(app)["chunker"].tolist() == shown.plan.chunker_titles_with_settings
    # It is of other chunkers than those of the page.
    assert any("changed since: chunkers, embedder" in text for text in said(app))
    assert "run" not in app.query_params
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    assert not any("comes with Seamark" in text for text in said(app))
    assert any("press “Run”" in text for text in said(app))


def test_a_run_that_comes_with_seamark_and_does_not_fit_is_not_shown(monkeypatch):
    for broken in ("run", "fit"):
        path = ROOT / "README.md" if broken == "run" else BUNDLED_RUN.path
        monkeypatch.setattr(page, "BUNDLED_RUN", replace(BUNDLED_RUN, path=path))
        if broken == "fit":
            changed = bundled_documents_and_questions()
            changed = RunMaterial((("a.txt", "Other."), *changed.texts[1:]), changed.questions, own=False)
            monkeypatch.setattr(opening, "bundled_documents_and_questions", lambda changed=changed: changed)
        app = opened()
        (sentence,) = (text for text in said(app) if text.startswith("There is no ready-made result: "))
        assert sentence.endswith("“Run” to measure.")
        assert not app.dataframe


def test_it_opens_with_the_question_on_which_the_chunkers_differ_most(run):
    app = opened(run=run, question="", failed="1")
    by_chunker = evaluations(run_of(app), 5)
    values = {number: evaluation.values("recall") for number, evaluation in by_chunker.items()}
    apart = np.abs(values[0] - values[1])
    assert app.selectbox(key="retrieval_question").value == str(int(np.nanargmax(apart)) + 1)
    assert {app.selectbox(key=f"retrieval_{side}").value for side in ("left", "right")} == {"1", "2"}
    assert "question" not in app.query_params
    app.selectbox(key="retrieval_right").set_value("1").run()
    # What is chosen beside it is kept with it.
    assert app.query_params["question"] == str(int(np.nanargmax(apart)) + 1)
    assert app.selectbox(key="retrieval_right").value == "1"


def test_every_chunker_is_measured(measured):
    assert not measured.exception
    run = run_of(measured)
    assert not run.error
    assert sorted(run.evaluation_by_chunker) == [0, 1]
    assert all(len(evaluation.scores_of_all_questions) == 40 for evaluation in evaluations(run, 5).values())
    table = rows_of(measured)
    assert len(table) == 2
    for measure in RETRIEVAL_MEASURE_NAMES:
        assert table[f"{RETRIEVAL_MEASURE_TITLES[measure]}, %"].str.contains(" ± ").all()
    assert {"chunks", "tokens each", "index, s", "search, ms"} < set(table)
    assert any("40 questions" in text for text in said(measured))
    assert summary(measured)["Asked"][0] == "40 questions"


def test_the_summary_says_who_is_ahead_if_that_is_significant(measured):
    run = run_of(measured)
    means = {number: evaluation.values("recall").mean() for number, evaluation in evaluations(run, 5).items()}
    best = max(means, key=means.get)
    lead = told(run, ReportChoice("recall", "characters", 5, 0)).best_chunker_lead
    value, detail = summary(measured)["Highest recall"]
    assert value == (run.plan.names[best] if lead.significant else "Not significant")
    assert f"{100 * means[best]:.1f} %" in detail
    value, detail = summary(measured)["How sure is that?"]
    assert value == "Significant" or "questions" in value
    assert run.plan.numbered_chunker_titles[1 - best] in detail


def test_a_run_is_there_again_in_another_session(measured):
    assert rows_of(measured)["chunker"].tolist() == run_of(measured).plan.chunker_titles_with_settings
    assert not any("changed since" in text for text in said(measured))


def test_what_was_changed_since_the_run_is_said(run):
    app = opened(run=run, c2="change_point")
    (sentence,) = (text for text in said(app) if "changed since" in text)
    assert "changed since: chunkers." in sentence
    assert app.dataframe[0].value["chunker"].str.contains("Recursive").any()


def test_a_run_that_is_no_longer_remembered_is_said():
    app = opened(run="nobody-knows")
    assert not app.exception
    assert any("no longer remembered" in text for text in said(app))
    assert not button(app, "Run").disabled


def test_the_passages_are_the_question_s_chunks(measured):
    (left, right) = components(measured, "passages")
    run = run_of(measured)
    for number, side in ((0, left), (1, right)):
        evaluation = evaluations(run, 5)[number]
        ranked = evaluation.scores_of_all_questions[0].ranked[: evaluation.top_k]
        chunks = [passage for passage in side["passages"] if passage["kind"] != "missed"]
        texts = ["".join(words for words, _ in chunk["parts"]) for chunk in chunks]
        assert texts == [evaluation.searched_index.texts[position] for position in ranked]
        hit = sum(len(words) for chunk in chunks for words, kind in chunk["parts"] if kind == "hit")
        missed = sum(
            len(words) for passage in side["passages"] if passage["kind"] == "missed" for words, _ in passage["parts"]
        )
        wanted = total_length_of_ranges(
            excerpt_ranges(evaluation.searched_index.corpus, evaluation.scores_of_all_questions[0].question)
        )
        assert evaluation.scores_of_all_questions[0].characters["recall"].value == pytest.approx(hit / wanted)
        assert hit + missed == pytest.approx(wanted, abs=2)


def test_in_its_document_everything_has_its_place(run):
    app = opened(run=run, view="document", question="3")
    evaluation = evaluations(run_of(app), 5)[0]
    corpus = evaluation.searched_index.corpus
    for passage in components(app, "passages")[0]["passages"]:
        text = corpus.documents[corpus.names.index(passage["title"].partition(" · ")[0])].text
        at = 0
        for words, kind in passage["parts"]:
            if kind in ("rank", "left_out"):
                continue
            at = text.index(words, at) + len(words)
        left_out = sum(int(words.split()[0].replace(",", "")) for words, kind in passage["parts"] if kind == "left_out")
        kept = sum(len(words) for words, kind in passage["parts"] if kind not in ("rank", "left_out"))
        assert kept + left_out == len(text)
    ranks = [
        words for passage in components(app, "passages")[0]["passages"] for words, kind in passage["parts"] if kind == "rank"
    ]
    assert sorted(set(ranks)) == ["1", "2", "3", "4", "5"]


def test_the_link_leads_to_a_question_and_says_what_it_cannot(measured):
    measured.selectbox(key="retrieval_question").set_value("7").run()
    assert measured.query_params["question"] == "7"
    app = opened(measure="speed", k="0")
    assert not app.exception
    assert (
        "The link's measure must be one of recall, precision, precision_omega, iou; got 'speed'. Using the default."
        in said(app)
    )
    assert any(text.startswith("The link's k must be one of 1, 2,") for text in said(app))


def test_numbers_of_the_link_are_mended():
    linked = "1", "5", "9" * 5000, "0", "x", ""
    assert [convert_link_number_to_index({"question": word}, "question", 5) for word in linked] == [0, 4, 4, 0, 0, 0]


def test_what_failed_is_listed_and_leads_to_its_passages(run):
    app = opened(run=run, at="budget", budget="500", failed="2")
    (listed,) = components(app, "failed")
    lost = ended(run_of(app).report_job(ReportChoice("recall", "tokens", 5, 0, 500))).report_and_failures.failures[1]
    assert [row["question"] for row in listed["rows"]] == [failure.question for failure in lost]
    assert len(lost) > 1
    assert [row["here"] for row in listed["rows"]] == [False] * len(lost)
    assert all(row["missed"].endswith(" missed") and row["holder"] for row in listed["rows"])
    again = opened(run=run, at="budget", budget="500", failed="2", question=str(lost[-1].question + 1), left="2")
    assert components(again, "failed")[0]["rows"][-1]["here"]
