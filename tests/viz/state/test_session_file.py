"""A session file reopens with the same text, settings and chunks, says so, and says where it does not."""

import json

import pytest

from chunkers import Document, InputError, Tools, build_chunker, load_embedder, load_tokenizer, run_chunker
from chunkers.methods import change_point
from chunkers.text.extracted_text import TextParts
from tests.support import ended
from tests.viz.app_steps import settled
from viz.jobs import file_reading
from viz.state import session_file
from viz.state.choices import Choices, ColumnChoice
from viz.state.shown_text import TextWithDetails

SOURCE = TextWithDetails("A lighthouse has a lamp.\n---\nIt turns.\nA buoy floats. It has a bell.", "notes", (29,))
COLUMNS = [ColumnChoice("fixed_sentences", {"size": 2}), ColumnChoice("fixed_words", {"size": 5, "overlap": 1})]


def write(columns, embedder=None):
    """Return a file as the page writes it."""
    document = Document.from_text(SOURCE.text, "lines", SOURCE.name)
    tools = Tools(embedder, load_tokenizer("words"))
    pairs = []
    for column in columns:
        chunker = build_chunker(column.chunker, column.parameters, embedder)
        pairs.append((chunker, run_chunker(chunker, document, tools)))
    choices = Choices("own", "lines", columns, tokenizer="words", selected=len(columns) - 1)
    return session_file.session_file_json(SOURCE, choices, pairs, embedder)


@pytest.fixture
def written():
    """A file of two chunkers that embed nothing."""
    return write(COLUMNS)


def upload(app, data, name="seamark-session.json"):
    settled(app)
    next(uploader for uploader in app.get("file_uploader") if uploader.key == "file").upload(
        name, data, "application/json"
    ).run()
    return settled(app)


def said(app):
    return " ".join(part.proto.json for part in app.get("bidi_component") if "reopened" in part.proto.json + part.proto.id)


def test_a_written_session_reopens_as_it_was(app, written):
    upload(app, written.encode())
    assert app.session_state["own"] == TextWithDetails(SOURCE.text, "notes", (29,), "from a session file")
    choices = app.session_state["choices"]["compare"]
    assert (choices.document, choices.sentences, choices.tokenizer) == ("own", "lines", "words")
    chunkers = [
        [build_chunker(column.chunker, column.parameters) for column in columns] for columns in (choices.columns, COLUMNS)
    ]
    assert chunkers[0] == chunkers[1]
    assert choices.selected == 1
    assert "notes was reopened with the same chunks in every column." in said(app)


def test_a_session_from_before_a_parameter_says_why_its_cuts_moved(app, monkeypatch):
    monkeypatch.setattr(change_point, "MOST_SAMPLED_SENTENCES", 3)
    file = json.loads(write([ColumnChoice("change_point", {"cuts_at": "sentences"})], load_embedder("tfidf")))
    (column,) = file["columns"]
    del column["recipe"]["parameters"]["cuts_at"]
    upload(app, json.dumps(file).encode())
    assert "notes was reopened with the same chunks in every column." in said(app)
    # As if the penalty before had cut elsewhere.
    last = column["chunks"][-1][-1][1]
    column["chunks"] = [[[0, 24]], [[29, last]]] if len(column["chunks"]) == 1 else [[[0, last]]]
    upload(app, json.dumps(file).encode(), "another.json")
    assert "came out differently from the file" in said(app)
    assert "takes its penalty from the text's own length, 4 sentences, and no longer from 3 sentences of it" in said(app)


def test_a_session_that_takes_longer_to_read_opens_when_it_is_read(app, written, monkeypatch):
    monkeypatch.setattr(file_reading, "PATIENCE_S", 0)
    upload(app, written.encode())
    while (job := app.session_state["upload_reading_job"]) is not None:
        ended(job)
        settled(app)
    assert app.session_state["own"].text == SOURCE.text
    assert "notes was reopened with the same chunks in every column." in said(app)


def test_a_recipe_becomes_a_column_and_one_that_is_none_is_told(app):
    upload(app, b'{"recipe": 1, "chunker": "fixed_words"}', "mine.json")
    assert app.session_state["choices"]["compare"].columns[-1].chunker == "fixed_words"
    upload(app, b'{"recipe": 2, "chunker": "fixed_words"}', "other.json")
    assert app.session_state["own_complaint"] == "other.json: recipe: recipe must be 1; got 2."


def test_what_another_embedder_has_as_default_does_not_replace_what_is_written(app):
    # 0.2 is the default for the bundled model, and not for this one.
    tfidf = load_embedder("tfidf")
    assert tfidf.defaults["double_pass"]["initial_threshold"] != 0.2
    upload(app, write([ColumnChoice("double_pass", {"initial_threshold": 0.2})], tfidf).encode())
    assert app.session_state["choices"]["compare"].embedder == "tfidf"
    assert "notes was reopened with the same chunks in every column." in said(app)


def test_the_word_is_taken_back_when_something_is_changed(app, written):
    upload(app, written.encode())
    app.session_state["choices"]["compare"].columns[0].parameters["size"] = 3
    app.run()
    assert said(app) == ""


def test_what_comes_out_otherwise_is_said_with_the_versions_of_then(app, written):
    file = json.loads(written)
    file["columns"][1]["chunks"][0][0][1] -= 1
    file["columns"][1]["recipe"]["versions"] = {"seamark": "0.0.1"}
    upload(app, json.dumps(file).encode())
    assert "notes: column 2 came out differently from the file, which was made with seamark 0.0.1." in said(app)


def test_a_bad_session_is_told_and_the_text_stays(app, written):
    upload(app, written.encode())
    upload(app, b"{}", "other.json")
    assert "other.json: the file must be a session or a recipe of Seamark" in app.session_state["own_complaint"]
    assert app.session_state["own"].text == SOURCE.text


def test_the_pages_of_the_text_reopen_too(app, written):
    pages = {"kind": "page", "starts": [0, 30], "labels": ["iv", "1"]}
    upload(app, json.dumps(json.loads(written) | {"parts": pages}).encode())
    assert app.session_state["own"].parts == TextParts("page", (0, 30), ("iv", "1"))
    assert app.session_state["split_document"].parts == app.session_state["own"].parts


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda file: json.dumps(file | {"parts": {"kind": "page", "starts": [0, 69], "labels": ["1", "2"]}}),
            "the starts of parts must lie in the text, from 0 to 68; got 69.",
        ),
        (
            lambda file: json.dumps(file | {"parts": {"kind": "page", "starts": [5, 0], "labels": ["1", "2"]}}),
            "the starts of parts must not be negative, and must be in ascending order.",
        ),
        (lambda file: "not JSON", "my.json: the file must be a session or a recipe of Seamark; Invalid JSON"),
        (lambda file: json.dumps(file | {"seamark_session": 2}), "seamark_session: must be 1; got 2."),
        (lambda file: json.dumps(file | {"text": "  "}), "text must contain more than white space."),
        (
            lambda file: json.dumps(file | {"known": [29, 5]}),
            "known boundaries must be in ascending order between 0 and 68, the length of the text.",
        ),
        (lambda file: json.dumps(file | {"known": [0]}), "known boundaries must be in ascending order between 0 and 68"),
        (lambda file: json.dumps(file | {"selected": 2}), "selected must be below the number of columns, 2; got 2."),
        (lambda file: json.dumps(file | {"columns": []}), "columns: "),
        (lambda file: json.dumps(file | {"columns": file["columns"] * 4}), "columns: "),
        (lambda file: json.dumps(file | {"more": 1}), "more: Extra inputs are not permitted."),
        (
            lambda file: json.dumps(file).replace('"size": 2', '"size": 0'),
            "fixed_sentences: size must be at least 1; got 0.",
        ),
        (lambda file: json.dumps(file).replace("fixed_words", "fixed_feet"), "fixed_feet"),
    ],
)
def test_errors_are_one_sentence_that_names_the_place(written, change, words):
    with pytest.raises(InputError) as caught:
        session_file.read_session_or_recipe_file(change(json.loads(written)).encode(), "my.json")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
