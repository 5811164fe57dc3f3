"""Every document of the inputs is read exactly once, however the inputs are split into pieces."""

import json
import os
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import InputError
from corpus import inputs as reading
from corpus.inputs import InputDocument, Inputs, Source, TextColumns, Unreadable

TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)


def read(*roots, part=1_000_000, **columns):
    """Return all that is read, and the inputs."""
    inputs = Inputs(roots, TextColumns(**columns), part)
    source = Source(roots, roots, inputs.columns)
    return [document for piece in inputs.pieces() for document in source.documents_in_piece(piece)], inputs


def known(found):
    return [(document.id, document.text if isinstance(document, InputDocument) else document.message) for document in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("corpus")


@settings(max_examples=60)
@given(st.lists(TEXTS, max_size=12), st.integers(1, 200), st.booleans(), st.booleans())
def test_every_line_is_read_once_however_a_file_is_divided(folder, several, part, escaped, ends):
    lines = [json.dumps({"id": number, "text": text}, ensure_ascii=escaped) for number, text in enumerate(several)]
    path = folder / "documents.jsonl"
    path.write_bytes("\n".join([*lines, ""] if ends else lines).encode())
    assert known(read(path, part=part)[0]) == [(str(number), text) for number, text in enumerate(several)]


@settings(max_examples=60)
@given(st.lists(TEXTS, max_size=30), st.integers(1, 300), st.integers(1, 10), st.booleans())
def test_every_row_is_read_once_however_a_file_is_divided(folder, several, part, rows, packed):
    path = folder / "documents.parquet"
    texts = pa.array(several, pa.string())
    table = pa.table({"text": texts.dictionary_encode() if packed else texts})
    pq.write_table(table, path, row_group_size=rows)
    assert known(read(path, part=part)[0]) == [(f"documents.parquet#{number}", text) for number, text in enumerate(several)]


def test_a_folder_is_read_to_its_depth_in_order_and_what_is_passed_by_is_counted(tmp_path):
    corpus = tmp_path / "corpus"
    deep = corpus / "b" / "/".join("d" * 1 for _ in range(1_200))[:1_500]
    deep.mkdir(parents=True)
    (corpus / ".git").mkdir()
    for path in ("a.txt", "c.md", ".hidden.txt", ".git/x.txt", "photo.png", "b/é.html"):
        (corpus / path).write_text("<p>One.</p>" if path.endswith("html") else "One.")
    (deep / "deep.txt").write_text("One.")
    (corpus / "link.txt").symlink_to(corpus / "a.txt")
    (corpus / "circle").symlink_to(corpus)
    os.mkfifo(corpus / "pipe.txt")
    (corpus / "more.jsonl").write_text('{"id": "m", "text": "Two."}\n')
    documents, inputs = read(corpus)
    relative = (deep / "deep.txt").relative_to(corpus).as_posix()
    assert known(documents) == [("a.txt", "One."), (relative, "One."), ("b/é.html", "One."), ("c.md", "One."), ("m", "Two.")]
    assert inputs.left_out == {"hidden file or folder": 2, "symbolic link": 2, "file of another kind": 2}


def test_ids_begin_with_the_inputs_where_there_are_several(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    roots = [reading.Path("one"), reading.Path("./two/a.txt")]
    assert known(read(*roots)[0]) == [("one/a.txt", "one"), ("two/a.txt", "two")]
    assert known(read(roots[1])[0]) == [("a.txt", "two")]


@pytest.mark.parametrize("others", [["a"], ["a/b"], ["a-b", "./a/../a"]])
def test_an_input_within_another_is_refused(tmp_path, others, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a-b").mkdir()
    with pytest.raises(InputError, match="No input may lie within another"):
        read(*map(reading.Path, ["a", *others]))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "a line must be JSON in UTF-8"),
        (b"[" * 100_000, "a line must be JSON in UTF-8"),
        (b'{"text": "\xff"}', "a line must be JSON in UTF-8"),
        (b"[1]", "a line must be an object of JSON; got [1]."),
        (b'{"body": "One."}', "a line must have the key 'text'; this one has ['body']."),
        (b'{"id": true, "text": "One."}', "an id must be a text or a whole number; got True."),
        (b'{"id": null, "text": "One."}', "an id must be a text or a whole number; got None."),
        (b'{"id": "\\ud800", "text": "One."}', "the text must be valid Unicode"),
        (b'{"id": "x", "text": "\\ud800"}', "x: the text must be valid Unicode"),
        (b'{"id": "x", "text": 5}', "x: the text must be a str; got 5."),
    ],
)
def test_a_line_that_is_no_document_is_a_problem_and_the_next_one_is_read(tmp_path, line, said):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\r\n" + line + b'\r\n\n{"text": "One."}')
    problem, document = read(path)[0]
    assert isinstance(problem, Unreadable)
    assert problem.id == "a.jsonl#5"
    assert problem.message.startswith("a.jsonl#5: ")
    assert said in problem.message
    assert document == InputDocument(f"a.jsonl#{8 + len(line)}", "One.")


def test_a_line_that_is_too_long_is_passed_by(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 100)
    monkeypatch.setattr(reading, "READ_BUFFER_BYTES", 16)
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "x" * 500}) + "\n" + '{"text": "One."}\n' + "y" * 300)
    for part in (1_000, 50):
        first, second, third = read(path, part=part)[0]
        assert first.message == "a.jsonl#0: a line may have at most 100 bytes; this one has more."
        assert second.text == "One."
        assert isinstance(third, Unreadable)


def test_broken_and_changed_files_are_problems(tmp_path):
    for name, data in (("a.parquet", b"PAR1 no PAR1"), ("b.pdf", b"%PDF-1.7 no"), ("c.txt", b"One."), ("d.txt", b"Two.")):
        (tmp_path / name).write_bytes(data)
    inputs = Inputs([tmp_path], TextColumns(), 1_000)
    pieces = [*inputs.pieces()]
    (tmp_path / "c.txt").write_text("Changed.")
    (tmp_path / "d.txt").unlink()
    source = Source([tmp_path], [tmp_path], TextColumns())
    a, b, c, d = (document for piece in pieces for document in source.documents_in_piece(piece))
    assert a.message.startswith("a.parquet: the file must be valid Parquet; reading it failed: ")
    assert b.message.startswith("b.pdf: the file must be a valid PDF")
    assert c.message == (
        "c.txt: the file must not change during a run; it has changed since the run began. "
        "To cut the new version, start a run with a new --output folder."
    )
    assert d.message.startswith("d.txt: the file must be readable and undamaged; reading it failed: ")


def test_pages_come_with_the_document(tmp_path):
    (tmp_path / "a.html").write_text("<h1>Head</h1><p>One.</p>")
    assert read(tmp_path)[0] == [InputDocument("a.html", "# Head\n\nOne.")]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"text": "body"}, "--text-column must name a column of a.parquet ('text', 'id', 'number'); got 'body'."),
        ({"id": "key"}, "--id-column must name a column of a.parquet ('text', 'id', 'number'); got 'key'."),
        ({"text": "number"}, "--text-column must name a column of strings; number of a.parquet has the type int64."),
    ],
)
def test_columns_that_are_not_there_are_refused_before_the_work(tmp_path, columns, said):
    pq.write_table(pa.table({"text": ["One."], "id": ["a"], "number": [1]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=re.escape(said)):
        read(tmp_path, **columns)


def test_ids_come_from_the_column_asked_for(tmp_path):
    table = pa.table({"text": ["One.", None, "Two."], "id": ["a", "b", "c"], "number": [1, 2, None]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert [document.id for document in read(tmp_path)[0]] == ["a", "a.parquet#1", "c"]
    documents = read(tmp_path, id="number")[0]
    assert known(documents) == [
        ("1", "One."),
        ("a.parquet#1", "a.parquet#1: 2: the text must be a str; got None."),
        ("a.parquet#2", "a.parquet#2: an id must be a text or a whole number; got None."),
    ]
