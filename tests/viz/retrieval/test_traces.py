"""The user's own traces on Retrieval: failed questions with their stage, what was retrieved, and the way into the text."""

import json

import pytest

from chunkers import build_chunker
from chunkers.found_again.inspection_of_given_chunks import read_given_chunks
from chunkers.methods.your_chunks import ChunkFile, YourChunks
from evaluation.traces.answer_loss_stages import MEANING_BY_STAGE
from sample_docs import load_sample
from tests.support import LIMIT, ended
from tests.viz.retrieval.steps import components, opened, said
from viz.jobs.retrieval_plan import OwnDocuments
from viz.jobs.trace_diagnosis import DiagnosingTraces
from viz.retrieval import own_trace_diagnosis

pytestmark = pytest.mark.page

TEXT = load_sample("article").text
CUT = build_chunker("recursive", {"size": 500, "unit": "characters"})


def rows():
    """Return questions whose answers were cut apart, and retrieved but not used."""
    first, second = TEXT[:80], TEXT[200:290]
    return [
        {"query": "Split?", "retrieved": [first, "Of this no document says a word, whatever one asks it for."],
         "excerpts": [TEXT]},
        {"query": "Used?", "retrieved": [{"text": second, "score": 0.5}], "excerpts": [second[5:60]], "feedback": "down"},
        {"query": "Known?", "retrieved": [first]},
    ]  # fmt: skip


@pytest.fixture
def traced(monkeypatch):
    monkeypatch.setattr(own_trace_diagnosis, "PATIENCE_S", LIMIT)

    app = opened(c1="recursive", c2="fixed_sentences")

    def paste(text):
        app.text_area(key="traces_pasted").set_value(text).run()
        assert not app.exception
        return app

    return paste


def test_failed_questions_have_their_stage_and_lead_into_the_text(traced):
    app = traced("\n".join([*map(json.dumps, rows()), '{"query": "x"}']))
    listed = components(app, "failed")[0]
    assert [(row["title"], row["missed"]) for row in listed["rows"]] == [
        ("line 1 · Split?", "cut apart"),
        ("line 2 · Used?", "not used"),
    ]
    assert listed["rows"][0]["seams"][0]["reason"]
    assert any("3 questions: 2 failed, 0 did not, 1 cannot be told" in caption.value for caption in app.caption)
    passages = components(app, "passages")[0]
    titles = [passage["title"] for passage in passages["passages"]]
    assert titles[0].startswith("The answer · article.txt, 0 to ")
    assert titles[1].startswith("1 · article.txt, 0 to 80")
    assert "2 · missing" in titles[2]
    assert components(app, "on_compare")[0]["label"].startswith("See the passage on Compare")
    assert [*app.table[0].value["meaning"]] == [MEANING_BY_STAGE["cut apart"], MEANING_BY_STAGE["not used"]]
    tables = [frame.value for frame in app.dataframe]
    assert any("problem" in table and "pasted.jsonl, line 4: " in table["problem"][0] for table in tables)
    app.session_state["traced_question"] = 1
    passages = components(app.run(), "passages")[0]
    assert [passage["title"] for passage in passages["passages"]] == ["1 · article.txt, 200 to 290 · score 0.5"]


def test_a_file_that_cannot_be_read_is_a_sentence_and_loses_nothing(traced):
    app = traced('{"query": "a"}\n{')
    assert any(
        text.startswith("pasted.jsonl, line 1: a row with a question must say what was retrieved") for text in said(app)
    )
    assert app.text_area(key="traces_pasted").value == '{"query": "a"}\n{'
    assert not any("cannot be told" in caption.value for caption in app.caption)


CHUNKS = [
    {"id": f"c{number}", "text": TEXT[start : start + 300], "source": "article"}
    for number, start in enumerate((0, 300, 600))
]
BY_ID = [
    {"query": "Split?", "retrieved_ids": ["c1"], "excerpts": [TEXT[560:640]]},
    {"query": "Lost?", "retrieved_ids": ["c7"]},
]


def upload(app, chunks):
    app.selectbox(key="traces_searched").set_value(own_trace_diagnosis.CHUNK_FILE_OPTION).run()
    data = json.dumps(chunks).encode()
    app.file_uploader(key="traces_chunks").upload("chunks.json", data, "application/json").run()
    assert not app.exception


def test_a_file_of_chunks_has_the_texts_of_identifiers(traced):
    app = traced("\n".join(map(json.dumps, BY_ID)))
    assert any(
        "1 failed, 0 did not, 1 cannot be told. 2 retrieved texts: 0 located" in caption.value for caption in app.caption
    )
    upload(app, CHUNKS)
    assert any("2 retrieved texts: 1 located, 0 in several places, 1 missing" in caption.value for caption in app.caption)
    (row,) = components(app, "failed")[0]["rows"]
    assert (row["title"], row["missed"]) == ("line 1 · Split?", "cut apart")
    assert components(app, "on_compare")[0]["label"].startswith("See the passage on Compare")
    upload(app, [{"id": "c1"}])
    assert any(text.startswith("chunks.json, chunk 1: a chunk must have a text") for text in said(app))


def test_without_documents_a_file_of_chunks_is_enough(traced):
    app = traced("\n".join(map(json.dumps, BY_ID)))
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    asked = "Upload at least one document, on the left, or a file of the searched chunks; no questions are needed."
    assert asked in said(app)
    upload(app, CHUNKS)
    assert asked not in said(app)
    assert any(text.startswith("Without the documents, texts are put together from") for text in said(app))
    (row,) = components(app, "failed")[0]["rows"]
    assert (row["title"], row["missed"]) == ("line 1 · Split?", "cut apart")
    # Compare would show a text that is no document.
    assert not components(app, "on_compare")


def test_a_column_of_given_chunks_has_the_texts_of_identifiers():
    chunks = tuple(read_given_chunks(json.dumps(CHUNKS).encode(), "chunks.json"))
    data = "\n".join(map(json.dumps, BY_ID)).encode()
    column = YourChunks.from_file(ChunkFile("chunks.json", chunks))
    job = DiagnosingTraces(("t.jsonl", data), OwnDocuments([("article.txt", TEXT)], [], []), "lines", column, None, False)
    job.start()
    assert not ended(job).error
    assert job.report.retrieved_text_count_by_status == {"located": 1, "several places": 0, "missing": 1}
    assert job.report.diagnoses[0].stage == "cut apart"


def test_a_stopped_diagnosis_keeps_the_questions_before_it():
    data = "\n".join(map(json.dumps, rows())).encode()
    documents = OwnDocuments([("article.txt", TEXT)], [], [])
    job = DiagnosingTraces(("t.jsonl", data), documents, "lines", CUT, None, False)
    tell = job._note_step_progress

    def stop(status, done, total):
        if "located" in status and done == 2:
            job.cancel()
        tell(status, done, total)

    job._note_step_progress = stop
    job.start()
    assert not ended(job).error
    assert len(job.report.diagnoses) == 2
    assert job.stopped == "Stopped: these are 2 of 3 questions."
