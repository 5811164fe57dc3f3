"""Chunks that were made elsewhere are a column of Compare: found again, and told where they are odd."""

import json
import threading
from itertools import pairwise

import pytest

from chunkers import Document, InputError, Tools, load_tokenizer, run_chunker
from chunkers.found_again.inspection_of_given_chunks import read_given_chunks
from chunkers.methods.your_chunks import ChunkFile, YourChunks
from sample_docs import load_sample
from tests.support import LIMIT, ended
from tests.viz.app_steps import press, remarks, said, settled, widget
from tests.viz.compare.test_asking import ask
from viz.jobs import file_reading
from viz.state import chunk_files, session_file
from viz.state.choices import Choices, ColumnChoice
from viz.state.shown_text import TextWithDetails

SAMPLE = load_sample("three_topics")


def components(app):
    payloads = []
    for part in app.get("bidi_component"):
        try:
            payloads.append(json.loads(part.proto.json)[0])
        except ValueError:
            continue
    return [payload for payload in payloads if isinstance(payload, dict)]


def columns_of(app):
    return next(component["columns"] for component in components(app) if "columns" in component)


def list_of(app):
    return next((component for component in components(app) if "counts" in component), None)


def uploader(app):
    return next(widget for widget in app.get("file_uploader") if widget.key.startswith("chunk_file/"))


def with_column(app):
    """Open a sample with a column that embeds nothing, and add one for chunks."""
    app.query_params["document"] = "three_topics"
    app.query_params["c1"] = "fixed_sentences"
    settled(app)
    next(button for button in app.button if button.label == "Your chunks").click().run()
    return settled(app)


def upload(app, data, name="theirs.json"):
    uploader(app).upload(name, data if isinstance(data, bytes) else json.dumps(data).encode(), "application/json").run()
    return settled(app)


def pieces():
    """Return the sections of the sample as chunks with places."""
    edges = [0, *SAMPLE.known, len(SAMPLE.text)]
    return [{"text": SAMPLE.text[a:b], "start_index": a} for a, b in pairwise(edges)]


def test_chunks_of_a_file_are_a_column(app):
    with_column(app)
    assert columns_of(app)[1]["message"] == chunk_files.NO_FILE_MESSAGE
    assert columns_of(app)[1]["tone"] == ""
    upload(app, pieces())
    column = columns_of(app)[1]
    assert (column["title"], column["subtitle"], column["message"]) == ("Your chunks", "theirs.json", "")
    assert ["against known", f"all {len(SAMPLE.known):,} found, none added", ""] in column["rows"]
    assert ["time", "not known: made elsewhere", ""] in column["rows"]
    assert "theirs.json begins chunk 2 here, found at the place that it names" in column["body"]
    assert list_of(app)["summary"] == f"{len(pieces())} of {len(pieces())} chunks found in this text"
    assert f"theirs.json · {len(pieces())} chunks" in remarks(app)
    assert app.query_params["c2"] == "your_chunks"
    link = str(dict(app.query_params))
    assert "theirs" not in link
    assert SAMPLE.text[:12] not in link


def test_a_file_given_again_to_another_column_is_told_in_both(app):
    upload(with_column(app), pieces())
    told = list_of(app)["summary"]
    press(app, "Your chunks")
    upload(app, pieces())
    # Streamlit may hear of a file twice.
    upload(app, pieces())
    assert [column["subtitle"] for column in columns_of(app)[1:]] == ["theirs.json", "theirs.json"]
    assert list_of(app)["summary"] == told
    widget(app.segmented_control, "column").set_value(1).run()
    assert list_of(app)["summary"] == told
    press(app, "Undo")
    assert [column["message"] for column in columns_of(app)[1:]] == ["", chunk_files.NO_FILE_MESSAGE]


def test_parents_in_a_file_are_counted_beside_their_children(app):
    with_column(app)
    parents = pieces()
    halves = [
        {"text": parent["text"][a:b], "start_index": parent["start_index"] + a}
        for parent in parents
        for a, b in ((0, 40), (40, len(parent["text"])))
    ]
    upload(app, parents + halves)
    column = columns_of(app)[1]
    assert ["levels", f"{len(parents)} parents, {len(halves)} children", ""] in column["rows"]
    assert len(json.loads(column["body"])["segments"]["parentFrom"]) == len(parents)


def test_parents_of_a_recipe_are_counted_beside_their_children(app):
    app.query_params["document"] = "three_topics"
    app.query_params.update({"c1": "recursive", "c1.size": "100", "c1.parent_size": "600"})
    settled(app)
    (column,) = columns_of(app)
    (levels,) = [row[1] for row in column["rows"] if row[0] == "levels"]
    parents = len(json.loads(column["body"])["segments"]["parentFrom"])
    assert parents > 1
    assert levels.startswith(f"{parents} parents, ")
    assert "the next piece would pass parent size 600 characters" in column["body"]


def test_a_file_that_takes_longer_is_shown_when_it_is_read_and_can_be_cancelled(app, monkeypatch):
    monkeypatch.setattr(file_reading, "PATIENCE_S", 0)
    with_column(app)
    uploader(app).upload("theirs.json", json.dumps(pieces()).encode(), "application/json").run()
    while (job := app.session_state["chunk_reading_job"]) is not None:
        ended(job)
        app.run()
    assert columns_of(app)[1]["subtitle"] == "theirs.json"
    uploader(app).upload("fewer.json", json.dumps(pieces()[:1]).encode(), "application/json")
    monkeypatch.setattr(file_reading.ReadingJob, "start", lambda job, wait: job.cancel())
    settled(app)
    assert app.session_state["chunk_reading_job"] is None
    assert columns_of(app)[1]["subtitle"] == "theirs.json"


def test_a_file_that_is_being_read_has_a_bar_with_a_button(app, monkeypatch):
    monkeypatch.setattr(file_reading, "PATIENCE_S", 0)
    with_column(app)
    go_on = threading.Event()

    def read(*_):
        assert go_on.wait(LIMIT)
        return read_given_chunks(json.dumps(pieces()).encode(), "theirs.json")

    monkeypatch.setattr("viz.controls.chunker.read_given_chunks", read)
    uploader(app).upload("theirs.json", b"[]", "application/json").run()
    job = app.session_state["chunk_reading_job"]
    assert app.button(key="cancel/chunk_reading").label == "Cancel"
    assert not app.exception
    go_on.set()
    ended(job)
    settled(app)
    assert columns_of(app)[1]["subtitle"] == "theirs.json"


def test_what_is_odd_is_listed_and_leads_into_the_text(app):
    with_column(app)
    chunks = pieces()
    hostile = "<img src=x onerror=alert(1)> is nowhere at all"
    upload(app, [{"text": chunks[0]["text"].replace("e", "3", 2)}, hostile, *chunks[1:]])
    listing = list_of(app)
    assert listing["summary"] == f"{len(chunks)} of {len(chunks) + 1} chunks found in this text"
    lost, altered = json.loads(listing["rows"])
    assert (lost["title"], lost["passage"]) == ("Chunk 2: not found", hostile)
    assert altered["title"] == "Chunk 1: altered"
    assert altered["range"][0] == 0
    assert altered["range"][1] > 1
    assert [count for _, count, _ in listing["counts"]] == [1, 1]


def test_chunks_of_another_text_are_told_and_their_text_can_be_opened(app):
    with_column(app)
    other = "The tide goes out. It comes back.\n\nBoats wait for it."
    upload(app, [{"text": other[a:b], "start": a, "end": b} for a, b in ((0, 18), (19, 33), (35, len(other)))])
    column = columns_of(app)[1]
    can = "the text that they give can be opened in this column's settings"
    said_of_it = f"0 of 3 chunks of theirs.json found in this text: they may be of another; {can}."
    assert (column["message"], column["tone"]) == (said_of_it, "error")
    assert list_of(app)["summary"] == "0 of 3 chunks found in this text: theirs.json may be of another text"
    app.button(key="open_chunks_text").click().run()
    settled(app)
    assert app.session_state["own"].text == other
    assert list_of(app)["summary"] == "3 of 3 chunks found in this text"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "theirs.json: a file of chunks must contain at least one chunk; this file is empty."),
        (b"[]", "theirs.json: a file of chunks must contain at least one chunk; this one contains none."),
        (
            b'[{"id": 3}]',
            "theirs.json, chunk 1: a chunk must have a text (text or page_content or content or chunk_text), "
            "or a start and an end; this chunk has only 'id'.",
        ),
    ],
)
def test_a_file_without_chunks_is_a_sentence_and_the_column_stays(app, data, message):
    with_column(app)
    upload(app, data)
    assert message in said(app)
    assert columns_of(app)[1]["message"] == chunk_files.NO_FILE_MESSAGE


def test_of_chunks_of_several_documents_the_user_chooses(app):
    with_column(app)
    theirs = [{"text": "Elsewhere entirely.", "source": "b.txt"}]
    upload(app, [*({**piece, "source": "a.txt"} for piece in pieces()), *theirs])
    assert "of 2 documents, and none of these is called" in columns_of(app)[1]["message"]
    box = next(selectbox for selectbox in app.selectbox if selectbox.label == "Chunked document")
    assert box.options == ["a.txt", "b.txt"]
    box.set_value("a.txt").run()
    settled(app)
    assert list_of(app)["summary"] == f"{len(pieces())} of {len(pieces())} chunks found in this text"


def test_a_link_leads_to_a_column_whose_file_is_to_be_chosen_again(app):
    with_column(app)
    upload(app, pieces())
    file = app.query_params["c2.file"]
    del app.session_state["chunk_files"]
    settled(app)
    assert columns_of(app)[1]["message"] == chunk_files.FILE_MISSING_MESSAGE
    upload(app, pieces())
    assert app.query_params["c2.file"] == file
    assert columns_of(app)[1]["message"] == ""


def exported(library):
    """Return the sample's chunks as a library writes them."""
    if library == "LangChain":
        from langchain_core.load import dumps
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        splitter = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=60, add_start_index=True)
        made = splitter.create_documents([SAMPLE.text], [{"source": "a.txt"}])
        return len(made), dumps(made).encode()
    if library == "LlamaIndex":
        from llama_index.core import Document as LlamaDocument
        from llama_index.core.node_parser import SentenceSplitter

        splitter = SentenceSplitter(chunk_size=60, chunk_overlap=10, tokenizer=str.split)
        made = splitter.get_nodes_from_documents([LlamaDocument(text=SAMPLE.text)])
        return len(made), "\n".join(node.to_json() for node in made).encode()
    from chonkie import TokenChunker

    made = TokenChunker("character", chunk_size=200, chunk_overlap=20).chunk(SAMPLE.text)
    return len(made), json.dumps([chunk.to_dict() for chunk in made]).encode()


def test_what_other_libraries_export_is_found(app):
    with_column(app)
    for library in ("LangChain", "LlamaIndex", "Chonkie"):
        count, data = exported(library)
        upload(app, data, f"{library}.json")
        assert columns_of(app)[1]["subtitle"] == f"{library}.json"
        assert list_of(app)["summary"] == f"{count} of {count} chunks found in this text"
        assert not [row for row in json.loads(list_of(app)["rows"]) if "white space" not in row["title"]]


def test_a_question_is_asked_of_the_chunks(app):
    app.query_params["embedder"] = "tfidf"
    with_column(app)
    upload(app, pieces())
    retrieved = ask(app, SAMPLE.text.split(".")[0])["found"][1]
    assert retrieved["chunks"][0] == 0


def test_suspicious_cuts_of_the_column_are_on_the_page_failures(app):
    with_column(app)
    middle = SAMPLE.text.index(" ", 30)
    upload(app, [[0, middle], [middle, len(SAMPLE.text)]])
    app.query_params.clear()
    app.switch_page("pages/failures.py")
    settled(app)
    listing = list_of(app)
    assert listing["summary"].startswith("Your chunks, column 2 settings: ")
    assert any("inside a sentence" in row["title"].lower() for row in json.loads(listing["rows"]))


def test_a_file_of_another_page_stays_at_hand(app):
    with_column(app)
    upload(app, pieces())
    # The link has the columns.
    app.switch_page("pages/retrieval.py").run()
    widget(app.segmented_control, "column").set_value(1).run()
    upload(app, pieces()[:1], "fewer.json")
    assert {chunk_file.name for chunk_file in app.session_state["chunk_files"].values()} == {"theirs.json", "fewer.json"}


def test_undo_gives_the_file_before_back(app):
    with_column(app)
    upload(app, pieces())
    upload(app, pieces()[:1], "fewer.json")
    assert columns_of(app)[1]["subtitle"] == "fewer.json"
    app.button(key="undo/compare").click().run()
    assert columns_of(settled(app))[1]["subtitle"] == "theirs.json"


def test_a_session_s_file_carries_the_chunks(app):
    document = Document.from_text(SAMPLE.text, "lines", "notes")
    file = ChunkFile("theirs.json", tuple(read_given_chunks(json.dumps(["No such chunk.", *pieces()]).encode(), "x")))
    chunker = YourChunks.from_file(file)
    chunking = run_chunker(chunker, document, Tools(None, load_tokenizer("words")))
    column = ColumnChoice("your_chunks", {"file": file.identity})
    choices = Choices("own", "lines", [column], tokenizer="words")
    written = session_file.session_file_json(TextWithDetails(SAMPLE.text, "notes"), choices, [(chunker, chunking)], None)
    settled(app)
    box = next(widget for widget in app.get("file_uploader") if widget.key == "file")
    box.upload("it.json", written.encode(), "application/json").run()
    settled(app)
    assert "notes was reopened with the same chunks in every column." in str(components(app))
    assert columns_of(app)[0]["subtitle"] == "theirs.json"
    assert json.loads(list_of(app)["rows"])[0]["title"] == "Chunk 1: not found"
    with pytest.raises(InputError, match="file must be the file of chunks that the recipe names"):
        session_file.read_session_or_recipe_file(written.replace("No such chunk.", "Another chunk.").encode(), "it.json")


@pytest.mark.parametrize(
    "view", ["Scores", "Which is best?", "Without labels", "Chunk sizes", "Every gap", "Code", "Downloads"]
)
def test_every_view_below_the_text_has_the_column_or_says_why_not(app, view):
    with_column(app)
    upload(app, pieces())
    app.button_group(key="below").set_value(view).run()
    assert not app.exception
    if view == "Code":
        assert any("made elsewhere" in sentence for sentence in said(app))


def test_too_many_characters_are_refused(monkeypatch, app):
    monkeypatch.setattr(chunk_files, "MAX_STORED_CHARACTERS", 100)
    with_column(app)
    upload(app, pieces())
    assert any(
        sentence.startswith("theirs.json: the chunk files of a session may have at most 100") for sentence in said(app)
    )


def test_answers_gives_the_chunks_to_the_model_and_tune_says_that_there_is_nothing_to_tune(app):
    app.query_params["embedder"] = "tfidf"
    with_column(app)
    upload(app, pieces())
    # The link has the columns.
    app.switch_page("pages/answers.py")
    settled(app)
    job = ended(app.session_state["passage_gathering_job"])
    assert not job.error
    theirs = job.passages_by_column[1]
    assert theirs.chunks == len(pieces())
    # How long it took to make them is not known.
    assert theirs.chunk_s is None
    assert job.passages_by_column[0].chunk_s is not None
    app.query_params.clear()
    app.switch_page("pages/tune.py")
    settled(app)
    assert any(
        caption.value.startswith("Column 2 of Compare has no settings to tune")
        and "Retrieval measures them" in caption.value
        for caption in app.caption
    )
