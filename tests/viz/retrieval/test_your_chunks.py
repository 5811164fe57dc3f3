"""Chunks made elsewhere are measured on Retrieval: of all documents or not at all, and never without their file."""

import json
from functools import partial
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import Cancelled
from chunkers.found_again.inspection_of_given_chunks import read_given_chunks
from chunkers.methods.your_chunks import ChunkFile, YourChunks
from tests import ROOT
from tests.support import LIMIT, ended
from tests.viz.app_steps import remarks, said
from tests.viz.app_steps import settled as drawn
from tests.viz.compare.test_asking import ask, mark
from tests.viz.retrieval.steps import rows_of
from viz.jobs.background_jobs import Estimating, run_registry
from viz.jobs.retrieval import Retrieval, estimate_run_llm_requests
from viz.jobs.retrieval_plan import Plan, RunMaterial
from viz.retrieval import page
from viz.state.chunk_files import FILE_MISSING_MESSAGE, NO_FILE_MESSAGE

pytestmark = pytest.mark.page

TEXTS = {
    "birds.txt": "The heron waits. It eats fish.\n\nThe owl hunts at night.",
    "sea.txt": "The tide turns. It is salt.",
}
ASKED = b"question,excerpts\nWhat does it eat?,It eats fish.\nWhen?,The owl hunts at night.\n"


@pytest.fixture(autouse=True)
def no_first_run(monkeypatch):
    """The page opens without the bundled run: no test here reads it, and drawing it takes longer than the rest."""
    monkeypatch.setattr(page, "BUNDLED_RUN", SimpleNamespace(loaded_run_and_file="No test reads it."))


def rows(*names):
    """Return the lines of the documents as chunks, without the last words of the first document."""
    lines = [(name, line) for name in names for line in TEXTS[name].split("\n\n")]
    return [{"page_content": line.removesuffix(" at night."), "metadata": {"source": f"/in/{name}"}} for name, line in lines]


def opened(**words):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    for name, word in {"embedder": "tfidf", "c1": "fixed_sentences", "c2": "your_chunks", **words}.items():
        app.query_params[name] = word
    app.switch_page("pages/retrieval.py")
    return ran(app)


def ran(app):
    app.run()
    assert not app.exception
    return app


def button(app, label):
    return next(button for button in app.button if button.label == label)


def uploader(app, key):
    return next(uploader for uploader in app.get("file_uploader") if uploader.key.startswith(key))


def with_documents(app):
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    for name, text in TEXTS.items():
        uploader(app, "retrieval_documents").upload(name, text.encode(), "text/plain")
    uploader(app, "retrieval_questions").upload("mine.csv", ASKED, "text/csv")
    return drawn(ran(app))


def give(app, chunks, name="theirs.json"):
    if app.session_state["choices"]["retrieval"].selected != 1:
        app.segmented_control(key="column").set_value(1).run()
    uploader(app, "chunk_file/").upload(name, json.dumps(chunks).encode(), "application/json")
    return ran(app)


def measured(app):
    button(app, "Run").click().run()
    ended(run_of(app))
    return ran(app)


def run_of(app):
    return run_registry().find(app.session_state["choices"]["retrieval"].extra["run"], Retrieval)


def test_the_chunks_of_a_file_are_measured_beside_others():
    app = with_documents(opened())
    assert f"Column 2: {NO_FILE_MESSAGE}" in said(app)
    assert button(app, "Run").disabled
    app = give(app, rows(*TEXTS))
    assert "3 chunks of the 2 documents will be measured." in remarks(app)
    app = measured(app)
    assert not run_of(app).errors
    whole, table = app.dataframe[0].value, rows_of(app)
    assert table["chunker"].tolist()[1] == "2. Your chunks, theirs.json"
    assert table["chunks"].tolist() == [2, 3]
    # What is not known is not said.
    assert table["index, s"].isna().tolist() == [False, True]
    lost = "Characters in no chunk, which are not searched: 8."
    assert f"2. Your chunks, theirs.json: {lost}" in said(app)
    # In the link is neither the name of the file nor any text of it.
    link = str(dict(app.query_params))
    assert "c2.file" in link
    assert "theirs" not in link
    again = opened(**dict(app.query_params))
    assert f"Column 2: {FILE_MISSING_MESSAGE}" in said(again)
    # The run is there, and its chunks are not others because the file is not.
    assert again.dataframe[0].value.equals(whole)
    assert not any("changed since" in text for text in said(again))


def test_a_file_that_lacks_a_document_is_left_out_and_the_document_is_named():
    app = give(with_documents(opened()), rows("birds.txt"))
    lacks = (
        "theirs.json: the file must have chunks of all 2 documents, because all chunkers are measured on the "
        "same documents; it has no chunks of 'sea.txt'. Add the missing chunks, or remove the documents."
    )
    assert f"{lacks} A run leaves this column out." in said(app)
    app = measured(app)
    assert f"2. Your chunks, theirs.json: {lacks}" in said(app)
    assert [name.split(",")[0] for name in rows_of(app)["chunker"]] == ["1. Fixed sentences"]


def test_what_contexts_would_send_counts_only_a_file_that_is_measured():
    def sent(*names):
        file = ChunkFile("theirs.json", tuple(read_given_chunks(json.dumps(rows(*names)).encode(), "theirs.json")))
        material = RunMaterial(tuple(TEXTS.items()), ("mine.csv", ASKED), own=True)
        plan = Plan(material, (YourChunks.from_file(file),), "tfidf", "lines", "words", "context")
        job = Estimating("", None, partial(estimate_run_llm_requests, plan, None, False))
        job.start()
        return ended(job).estimate

    assert sent("birds.txt") == (0, 0, 0)
    assert sent(*TEXTS)[0] > 0


def test_the_run_of_a_file_is_kept_without_it(restart, cache_folder):
    app = give(with_documents(opened()), rows(*TEXTS))
    app.toggle(key="on_disk").set_value(True).run()
    app = measured(app)
    token, table = app.query_params["run"], app.dataframe[0].value
    kept = b"".join(path.read_bytes() for path in cache_folder.rglob("*") if path.is_file())
    assert b"your_chunks" in kept
    assert not any(word in kept for word in (b"theirs", b"heron waits", b"/in/"))
    restart()
    app = with_documents(opened(run=token))
    ended(run_of(app))
    shown = ran(app).dataframe[0].value
    assert shown["chunker"].tolist()[1] == "2. Your chunks, a file that is not at hand"
    assert shown.drop(columns="chunker").equals(table.drop(columns="chunker"))
    assert any("in no chunk, which are not searched: 8." in text for text in said(app))


@pytest.mark.full
@pytest.mark.parametrize("embedded", ["plain", "plain:heading_path"])
def test_an_interrupted_run_goes_on_with_the_file_that_is_chosen_again(restart, cache_folder, monkeypatch, embedded):
    from viz.jobs import retrieval

    first = retrieval.cut_and_index_corpus

    def stops(corpus, chunker, tools, way, *others):
        # At the last column of all.
        if chunker.elsewhere and way == embedded.split(":")[-1]:
            raise Cancelled
        return first(corpus, chunker, tools, way, *others)

    app = give(with_documents(opened(embedded=embedded)), rows(*TEXTS))
    app.toggle(key="on_disk").set_value(True).run()
    monkeypatch.setattr(retrieval, "cut_and_index_corpus", stops)
    app = measured(app)
    words = dict(app.query_params)
    monkeypatch.setattr(retrieval, "cut_and_index_corpus", first)
    restart()
    app = with_documents(opened(**words))
    ended(run_of(app))
    app = ran(app)
    wanted = "The run was begun with a file of chunks, which is not kept; to go on, choose it in column 2."
    assert wanted in remarks(app)
    app = give(app, rows(*TEXTS))
    assert wanted not in remarks(app)
    app.toggle(key="on_disk").set_value(True).run()
    button(app, "Resume").click().run()
    ended(run_of(app))
    last = rows_of(ran(app))["chunker"].tolist()[-1]
    assert last == f"{2 * len(embedded.split(':'))}. Your chunks{' + heading path' * (':' in embedded)}, theirs.json"


def test_the_column_comes_along_with_the_questions_of_compare(app):
    app.query_params.update({"document": "three_topics", "embedder": "tfidf", "c1": "fixed_sentences", "c2": "your_chunks"})
    drawn(app)
    app.segmented_control(key="column").set_value(1).run()
    text = app.session_state["split_document"].text
    half = text.index(" ", len(text) // 2)
    uploader(app, "chunk_file/").upload("theirs.json", json.dumps([[0, half], [half, len(text)]]).encode(), "x/y")
    drawn(app.run())
    ask(app, "anything")
    mark(app, text[:40].rpartition(" ")[0])
    app.button_group(key="below").set_value("Questions").run()
    app.button(key="questions_measure").click().run()
    assert app.title[0].value == "Retrieval"
    assert app.session_state["choices"]["retrieval"].columns == app.session_state["choices"]["compare"].columns
    # It is measured at once.
    run = ended(run_of(app))
    assert not run.errors
    assert [len(evaluation.searched_index.chunks) for evaluation in run.evaluation_by_chunker.values()][1] == 2
    # That can be undone, and is done once.
    app.button(key="undo/retrieval").click().run()
    assert [column.chunker for column in ran(app).session_state["choices"]["retrieval"].columns] != [
        "fixed_sentences",
        "your_chunks",
    ]


def test_the_questions_kept_on_compare_are_there_at_once(app):
    app.query_params.update({"document": "three_topics", "embedder": "tfidf", "c1": "fixed_sentences"})
    drawn(app)
    text = app.session_state["split_document"].text
    ask(app, "anything")
    mark(app, text[:40].rpartition(" ")[0])
    app.switch_page("pages/retrieval.py").run()
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    assert "1 question about 1 document, kept on Compare." in remarks(app)
    assert not button(app, "Run").disabled
    # Files take their place, and the questions are still offered.
    button(app, "Use files instead").click().run()
    assert not any("from Compare" in remark for remark in remarks(app))
    button(app, "Use 1 question from Compare").click().run()
    assert "1 question about 1 document, kept on Compare." in remarks(app)
    # Questions that are kept later are measured, too.
    kept = app.session_state["questions"]
    kept.append(kept[0]._replace(question="something else"))
    app.run()
    assert "2 questions about 1 document, kept on Compare." in remarks(app)
