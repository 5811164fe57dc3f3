"""Retrieval runs that outlive the server: what the page shows of them after a restart, and what it needs to go on."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import Cancelled
from tests import ROOT
from tests.evaluation.retrieval.test_question_sets import packed
from tests.support import LIMIT, ended
from tests.viz.app_steps import ran, remarks, said
from tests.viz.retrieval.steps import rows_of, run_of
from viz.jobs import retrieval
from viz.jobs.retrieval_plan import RunMaterial
from viz.retrieval import documents_and_questions, page

pytestmark = pytest.mark.page

TEXTS = {
    "birds.txt": b"The heron waits. It eats fish.\n\nThe owl hunts at night.",
    "sea.txt": b"The tide turns. It is salt.",
}
ASKED = b"question,excerpts\nWhat does it eat?,It eats fish.\nWhen?,The owl hunts at night.\n"
SMALL = RunMaterial(tuple((name, text.decode()) for name, text in TEXTS.items()), ("questions.csv", ASKED), own=False)


@pytest.fixture(autouse=True)
def bundled(monkeypatch):
    """The bundled documents are few and short."""
    for module in (page, documents_and_questions):
        monkeypatch.setattr(module, "bundled_documents_and_questions", lambda: SMALL)


def opened(**words):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    columns = {"c1": "fixed_sentences", "c2": "recursive", "c3": "fixed_words"}
    for name, word in {"embedder": "tfidf", **columns, **words}.items():
        app.query_params[name] = word
    app.switch_page("pages/retrieval.py")
    return ran(app)


def settled(app):
    ended(run_of(app))
    return ran(app)


def button(app, label):
    return next(button for button in app.button if button.label == label)


def upload(app, texts):
    for name, content in texts.items():
        uploader(app, "retrieval_documents").upload(name, content, "text/plain")
    uploader(app, "retrieval_questions").upload("mine.csv", ASKED, "text/csv")
    return ran(app)


def test_a_set_brings_its_documents_and_is_recognised_after_a_restart(indexed, restart, cache_folder):
    def given(app, data):
        app.segmented_control(key="retrieval_material").set_value("Your own").run()
        uploader(app, "retrieval_questions").upload("birds.zip", data, "application/zip")
        return ran(app)

    rows = [{"_id": name, "text": text.decode()} for name, text in TEXTS.items()]
    files = {
        "corpus.jsonl": "\n".join(map(json.dumps, rows)),
        "queries.jsonl": '{"_id": "1", "text": "What does it eat?"}',
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\tbirds.txt\t1\n",
    }
    app = given(opened(), packed({**files, "queries.jsonl": "{}"}, "birds/"))
    assert "birds.zip/queries.jsonl, line 1: _id must be a string; got None." in said(app)
    assert button(app, "Run").disabled
    app = given(opened(), packed(files, "birds/"))
    assert any("BEIR says which documents answer a question, not where" in text for text in said(app))
    token, shown = interrupted(app, indexed, restart)
    app = settled(given(opened(run=token), packed(files, "birds/")))
    assert app.dataframe[0].value.equals(shown)
    (question,) = run_of(app).questions.usable
    assert question.excerpts == ((0, (0, len(TEXTS["birds.txt"]))),)


@pytest.mark.full
def test_what_is_returned_and_how_it_is_searched_are_kept_with_the_run(indexed, restart, cache_folder):
    words = {"returned": "window:1", "search": "hybrid"}
    token, shown = interrupted(opened(**words), indexed, restart)
    app = settled(opened(run=token, **words))
    assert app.dataframe[0].value.equals(shown)
    assert not any("changed since" in text for text in said(app))
    run = run_of(app)
    assert (str(run.plan.returned), run.plan.searched_by) == ("window:1", "hybrid")
    assert any(text.startswith("Searched by embedding and by words (BM25), both ranks fused") for text in said(app))
    assert "A chunk that is found comes with 1 neighbour on either side; all of that is measured." in said(app)
    assert "Questions with places" not in [download.label for download in app.get("download_button")]
    assert all(evaluation.searched_index.returns is not None for evaluation in run.evaluation_by_chunker.values())


def test_excerpts_that_are_not_as_given_are_listed(cache_folder):
    app = opened()
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    uploader(app, "retrieval_documents").upload("birds.txt", TEXTS["birds.txt"], "text/plain")
    asked = b"question,excerpts\nWhen?,The owl hunted at night.\nWhat?,The fox sleeps by day.\n"
    uploader(app, "retrieval_questions").upload("mine.csv", asked, "text/csv")
    button(ran(app), "Run").click().run()
    app = settled(app)
    labels = [expander.label for expander in app.expander]
    assert "1 question problem" in labels
    assert "Questions with places" in [download.label for download in app.get("download_button")]
    assert "Excerpts: 1 found again, 1 orphaned" in labels
    (table,) = (table.value for table in app.dataframe if "state" in table.value)
    assert table[["state", "question", "document", "place"]].values.tolist() == [
        ["found again", "When?", "birds.txt", "32 to 55"],
        ["orphaned", "What?", "", ""],
    ]
    assert table["remark"][0].endswith("stands in birds.txt at 32 altered, 90 % alike: 'The owl hunts at night.'.")


def uploader(app, key):
    return next(uploader for uploader in app.get("file_uploader") if uploader.key == key)


@pytest.fixture
def indexed(monkeypatch):
    """The names of the chunkers whose chunks are indexed; a run is interrupted as soon as there are as many as ``most``."""
    build = retrieval.cut_and_index_corpus

    class Indexed(list):
        most = 1000

    names = Indexed()

    def counted(corpus, chunker, tools, *how):
        if len(names) >= names.most:
            raise Cancelled
        names.append(chunker.name)
        return build(corpus, chunker, tools, *how)

    monkeypatch.setattr(retrieval, "cut_and_index_corpus", counted)
    return names


def interrupted(app, indexed, restart):
    """Measure until two chunkers are done, restart the server, and return the token and what the page had shown."""
    app.toggle(key="on_disk").set_value(True).run()
    indexed.most = 2
    button(app, "Run").click().run()
    shown = settled(app).dataframe[0].value
    assert indexed == ["fixed_sentences", "recursive"]
    indexed.clear()
    indexed.most = 1000
    restart()
    return app.query_params["run"], shown


def test_after_a_restart_the_link_shows_what_was_done_and_goes_on(indexed, restart, cache_folder):
    token, shown = interrupted(opened(), indexed, restart)
    app = settled(opened(run=token))
    sentence = "This run was interrupted; the results for 2 of 3 chunkers are kept on disk. “Resume” measures the others."
    assert sentence in said(app)
    assert app.dataframe[0].value.equals(shown)
    assert app.selectbox(key="retrieval_question").options
    assert not any("changed since" in text for text in said(app))
    assert not indexed
    button(app, "Resume").click().run()
    app = settled(app)
    assert app.query_params["run"] == token
    assert indexed == ["fixed_words"]
    assert app.dataframe[0].value[:2].equals(shown[:2])
    assert len(rows_of(app)) == 3
    assert not any("interrupted" in text for text in said(app))
    assert "Resume" not in [control.label for control in app.button]
    # And now it is done, whatever happens to the server.
    restart()
    indexed.clear()
    assert settled(opened(run=token)).dataframe[0].value.equals(app.dataframe[0].value)
    assert not indexed


@pytest.mark.full
def test_documents_of_one_s_own_have_to_be_given_again(indexed, restart, cache_folder):
    app = opened()
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    token, shown = interrupted(upload(app, TEXTS), indexed, restart)
    app = opened(run=token)
    assert app.session_state["retrieval_material"] == "Your own"
    (sentence,) = (text for text in said(app) if "kept on disk" in text)
    assert sentence == (
        "The results for 2 of 3 chunkers of this run are kept on disk, but its texts are not. To see them, give 2 of 2 "
        "documents and the questions again, on the left, with the same names and content."
    )
    upload(app, {"birds.txt": TEXTS["birds.txt"]})
    assert any("give 1 of 2 documents again" in text for text in said(app))
    app = settled(upload(app, dict(reversed(TEXTS.items()))))
    assert app.dataframe[0].value.equals(shown)
    button(app, "Resume").click().run()
    assert len(rows_of(settled(app))) == 3
    assert indexed == ["fixed_words"]


@pytest.mark.full
def test_it_says_which_embedder_is_needed(indexed, restart, cache_folder):
    token, _ = interrupted(opened(), indexed, restart)
    app = settled(opened(run=token, embedder="all-MiniLM-L6-v2"))
    assert "The run was begun with the embedder tfidf; to go on, choose it on the left." in remarks(app)
    assert button(app, "Resume").disabled
    assert len(rows_of(app)) == 2


@pytest.mark.full
def test_bundled_documents_that_have_changed_are_said(indexed, restart, cache_folder, monkeypatch):
    token, _ = interrupted(opened(), indexed, restart)
    (name, text), *others = SMALL.texts
    changed = RunMaterial(((name, text + " More."), *others), SMALL.questions, own=False)
    monkeypatch.setattr(page, "bundled_documents_and_questions", lambda: changed)
    sentence = (
        "The results for 2 of 3 chunkers of this run are kept on disk, but its texts are not. Its bundled documents "
        "have changed since it was begun: it must be run again."
    )
    assert sentence in said(opened(run=token))


def test_nothing_is_written_unless_it_is_asked_for(indexed, restart, cache_folder):
    app = opened()
    button(app, "Run").click().run()
    settled(app)
    restart()
    assert any("no longer remembered" in text for text in said(opened(run=app.query_params["run"])))
    assert not any(cache_folder.rglob("*"))


@pytest.mark.full
def test_a_file_of_something_else_is_a_sentence(indexed, restart, cache_folder):
    token, _ = interrupted(opened(), indexed, restart)
    (file,) = cache_folder.rglob("runs.sqlite")
    file.write_bytes(b"not a database at all" * 500)
    assert any("must be written by this version of Seamark" in text for text in said(opened(run=token)))
