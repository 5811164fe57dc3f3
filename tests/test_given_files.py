"""Everything that a user gives as a file goes through the process that reads files, with its limits and Cancel."""

import gc
import io
import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile

import pytest

from chunkers import Cancelled, Document, InputError, Recipe
from chunkers.files import external_chunks, json_and_table_files
from chunkers.found_again.inspection_of_given_chunks import read_given_chunks
from chunkers.text import reader_process
from chunkers.text.file_reading import read_document_text
from evaluation.answering.questions_and_answers import questions_of_file
from evaluation.checking.baseline_and_known_problems import Baseline
from evaluation.questions import question_rows
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.questions.question_files import read_questions
from evaluation.questions.questions_with_documents import read_beir, read_question_set_file
from evaluation.segmentation import boundary_files
from evaluation.segmentation.boundary_files import BoundaryFile, boundaries_and_text_hash_json
from evaluation.traces.trace_files import read_traces
from viz.state import session_file, session_file_reader

TEXT = "The tide goes out."
RECIPE = {"chunker": "recursive"}
SESSION = {
    "seamark_session": 1,
    "name": "notes",
    "text": TEXT,
    "columns": [{"recipe": {"recipe": 1, **RECIPE}, "chunks": [[[0, 18]]]}],
}
QUESTIONS = b"question,excerpts,answer\nWhat?,The tide,It does\n"


def corpus():
    return Corpus((Document.from_text(TEXT, "lines", "a"),))


def packed():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("corpus.jsonl", "{}")
    return data.getvalue()


READ = {
    "document": lambda stop: read_document_text(b"<p>Tide.</p>", "a.html", None, stop),
    "chunks": lambda stop: read_given_chunks(json.dumps([TEXT]).encode(), "a.json", stop),
    "chunks in Parquet": lambda stop: read_given_chunks(b"PAR1", "a.parquet", stop),
    "questions": lambda stop: read_questions(QUESTIONS, "a.csv", corpus(), stop),
    "questions to answer": lambda stop: questions_of_file(QUESTIONS, "a.csv", stop),
    "traces": lambda stop: read_traces(QUESTIONS, "a.csv", stop),
    "packed set": lambda stop: read_question_set_file(packed(), "a.zip", None, stop),
    "SQuAD": lambda stop: read_question_set_file(b'{"data": [], "paragraphs": 1, "qas": 1}', "a.json", None, stop),
    "set in a folder": lambda stop: read_beir({"corpus.jsonl": b""}, "a", None, stop),
    "boundaries": lambda stop: BoundaryFile.read_hash_and_boundaries(
        boundaries_and_text_hash_json("a", TEXT, (4,)).encode(), stop
    ).boundaries_checked_for_text(TEXT),
    "recipe": lambda stop: Recipe.in_file(json.dumps(RECIPE).encode(), "a.json", stop),
    "session": lambda stop: session_file.read_session_or_recipe_file(json.dumps(SESSION).encode(), "a.json", stop),
}


@pytest.mark.slow
@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_every_kind_of_file_is_read_apart_and_can_be_cancelled(monkeypatch, read):
    monkeypatch.setattr(reader_process, "_free_reader_semaphore", threading.Semaphore(0))
    with pytest.raises(Cancelled):
        read(lambda: True)


def test_a_baseline_is_read_apart(monkeypatch):
    monkeypatch.setattr(reader_process, "_take_reader", lambda: pytest.fail("apart"))
    with pytest.raises(pytest.fail.Exception, match="apart"):
        Baseline.parse_baseline_file(b"{}", "a.json")


@pytest.mark.parametrize("without_psutil", [False, True])
def test_the_memory_of_a_process_is_known_without_psutil_too(monkeypatch, without_psutil):
    if without_psutil:
        monkeypatch.setitem(sys.modules, "psutil", None)
    mine = reader_process.process_memory_bytes(os.getpid())
    assert 10_000_000 < mine < 10_000_000_000
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert reader_process.process_memory_bytes(ended.pid) == 0


@pytest.mark.skipif(shutil.which("ps") is None, reason="there is no ps")
def test_ps_tells_it_where_there_is_no_proc():
    assert reader_process._memory_by_ps(os.getpid()) > 10_000_000


def test_where_the_system_enforces_no_memory_the_caller_ends_the_process(monkeypatch):
    """The process itself allows 1 GB here; the caller, who looks, less."""
    monkeypatch.setattr(reader_process, "MOST_READER_MEMORY_BYTES", 100_000_000)
    with pytest.raises(InputError, match=r"^a\.json: a file may take at most .* of memory to be read, 100,000,000 bytes; "):
        read_given_chunks(b"[" + b"[]," * 2_900_000 + b"0]", "a.json")


def test_a_recipe_has_a_length_and_so_has_what_is_taken_out_of_a_larger_file():
    output = {"recipe": RECIPE, "chunks": ["x" * 200_000]}
    assert Recipe.in_file(json.dumps(output).encode()).chunker == "recursive"
    with pytest.raises(
        InputError, match=r"^a\.json: the part of the file that Seamark reads may have at most 100,000 characters of JSON"
    ):
        Recipe.in_file(json.dumps({**RECIPE, "versions": {"a": "x" * 100_000}}).encode(), "a.json")


def test_all_json_has_one_limit_of_brackets(monkeypatch):
    monkeypatch.setattr(json_and_table_files, "MOST_JSON_BRACKETS", 2)
    many = b'{"recipe": [[], [], []]}'
    for parse in (
        json_and_table_files.read_recipe_entry,
        session_file_reader.parse_session_file_into_pieces,
        boundary_files.parse_hash_and_boundaries,
    ):
        with pytest.raises(InputError, match=r": JSON may have at most 2 opening brackets; this file has 5\."):
            list(parse(many, "a.json"))
    with pytest.raises(InputError, match=r": JSON may have at most 2 opening brackets; this file has 5\."):
        list(question_rows.parse_rows_of_question_file(many, "a.json", "retrieval"))


def test_rows_of_questions_and_their_items_are_counted(monkeypatch):
    monkeypatch.setattr(question_rows, "MOST_ROWS_READ", 2)
    rows = list(question_rows.parse_rows_of_question_file(b'{"question": 1}\n' * 9, "a.jsonl", "answers"))
    assert [problem for *_, problem in rows] == [
        *("", ""),
        "at most 2 rows of a file are read; this one and all after it are left out.",
    ]
    monkeypatch.setattr(question_rows, "MOST_ITEMS_PER_ROW", 3)
    (row,) = question_rows.parse_rows_of_question_file(
        b'{"question": "a", "excerpts": [[], ["a", "b"]], "more": [1, 2, 3]}', "a", "retrieval"
    )
    assert row == ("line 1", None, "a row may have at most 3 items in its lists; this one has 4.")


def test_columns_that_nobody_asks_for_stay_in_the_other_process():
    (row,) = question_rows.parse_rows_of_question_file(b"question,excerpts,more\na,b,c\n", "a.csv", "retrieval")
    assert row[1] == {"question": "a", "excerpts": ["b"]}


def test_known_boundaries_are_as_many_as_a_text_may_have_sentences(monkeypatch):
    monkeypatch.setattr(boundary_files, "MAX_SENTENCES", 2)
    with pytest.raises(InputError, match=r"^known boundaries: a text may have at most 2 boundaries; this file has 3\.$"):
        list(boundary_files.parse_hash_and_boundaries(b'{"name": "", "sha256": "", "boundaries": [1, 2, 3]}', ""))


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ([[0, 19]], "columns.0.chunks.0: a span must lie in the text, from 0 to 18; got 0 to 19."),
        ([[3, 2]], "columns.0.chunks.0: a span must start at 0 or later, and end after its start; got 3 to 2."),
        ([[0, True]], "columns.0.chunks.0: a span must be two whole numbers; got [0, True]."),
        ("0", "columns.0.chunks.0: a span must be two whole numbers; got '0'."),
    ],
)
def test_the_spans_of_a_session_lie_in_its_text(spans, said):
    column = {**SESSION["columns"][0], "chunks": [spans]}
    with pytest.raises(InputError) as error:
        session_file.read_session_or_recipe_file(json.dumps({**SESSION, "columns": [column]}).encode(), "a.json")
    assert str(error.value) == f"a.json: the file must be a session or a recipe of Seamark; {said}"


def test_a_session_is_counted_while_it_comes(monkeypatch):
    data = json.dumps(SESSION).encode()
    assert [piece[0] for piece in session_file_reader.parse_session_file_into_pieces(data, "a.json")] == [
        "session",
        "text",
        "chunk",
    ]
    monkeypatch.setattr(json_and_table_files, "MOST_FILE_TEXT_CHARACTERS", 10)
    with pytest.raises(
        InputError,
        match=r"^a\.json: the texts in a session may have at most 10 characters in total; these texts have at least 18",
    ):
        list(session_file_reader.parse_session_file_into_pieces(data, "a.json"))
    monkeypatch.setattr(session_file_reader, "MAX_CHARACTERS_WITHOUT_TEXTS", 10)
    with pytest.raises(
        InputError, match=r"^a\.json: the part of the file that Seamark reads may have at most 10 characters of JSON; it"
    ):
        list(session_file_reader.parse_session_file_into_pieces(data, "a.json"))


@pytest.mark.slow
def test_rows_as_the_other_process_sends_them_are_let_go_while_others_come():
    held = []

    def last(row):
        if row[0] == "29999":
            held.append(
                sum(
                    type(candidate) is list and len(candidate) == 4 and type(candidate[1]) is list
                    for candidate in gc.get_objects()
                )
            )
        return row[0]

    data = json.dumps([str(number) for number in range(30_000)]).encode()
    assert reader_process.run_parser_in_reader_process(
        external_chunks.read_chunk_file, data, "a.json", convert_received_value=last
    ) == [str(number) for number in range(30_000)]
    assert 0 < held[0] < 10_000
