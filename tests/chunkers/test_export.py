"""Every file of chunks says the same, and its offsets lead to the text."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest

from chunkers import InputError, Recipe, build_chunker
from chunkers.recipes.result_export import ledger_to_csv, to_csv, to_dict, to_json, to_jsonl, to_parquet
from chunkers.support.formatting import escape_csv_cell, unescape_csv_cell
from tests.support import cut

TEXT = 'She said "no, thanks".\nA line; a comma, a tab\there 🏳️‍🌈.\nA third line.\nAnd a fourth.\n'


@pytest.fixture(params=["fixed_sentences", "kmeans", "fixed_characters"])
def chunking(request):
    parameters = {"size": 7, "overlap": 3} if request.param == "fixed_characters" else {}
    return cut(build_chunker(request.param, parameters), TEXT, sentences="lines")


def rows_of_csv(text):
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    return [{**row, "spans": json.loads(row["spans"])} for row in rows]


def test_every_format_has_the_chunks_and_their_places(chunking):
    whole = json.loads(to_json(chunking, Recipe.of(build_chunker("kmeans", {}), "lines", None, "words")))["chunks"]
    lines = [json.loads(line) for line in to_jsonl(chunking).splitlines()]
    table = rows_of_csv(to_csv(chunking))
    parquet = pq.read_table(io.BytesIO(to_parquet(chunking))).to_pylist()
    assert parquet == lines
    for rows in (whole, lines, table, parquet):
        assert [(row["spans"], row["text"]) for row in rows] == [
            ([list(span) for span in chunk.spans], chunk.text) for chunk in chunking.chunks
        ]
    for row in parquet:
        there = "".join(TEXT[start:end] for start, end in row["spans"])
        assert "".join(there.split()) == "".join(row["text"].split())
        assert row["characters"] == len(row["text"])


def test_no_chunks_are_a_table_without_rows():
    empty = cut(build_chunker("fixed_sentences", {}), "  ", sentences="lines")
    assert pq.read_table(io.BytesIO(to_parquet(empty))).column_names == [
        "chunk",
        "spans",
        "characters",
        "words",
        "heading_path",
        "text",
    ]
    assert rows_of_csv(to_csv(empty)) == []


def test_the_ledger_has_every_gap_as_in_the_json(chunking):
    rows = list(csv.DictReader(io.StringIO(ledger_to_csv(chunking), newline="")))
    gaps = to_dict(chunking, Recipe.of(build_chunker("kmeans", {}), "lines", None, "words"))["gaps"]
    assert len(rows) == len(gaps) > 0
    for row, gap in zip(rows, gaps, strict=True):
        assert row == {
            key: "" if gap.get(key) is None else str(gap[key])
            for key in ("index", "offset", "score", "threshold", "verdict", "reason")
        }


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-1", '=HYPERLINK("http://x")'])
def test_what_a_spreadsheet_would_run_stays_text_and_can_be_had_back(text):
    assert escape_csv_cell(text) == f"'{text}"
    assert unescape_csv_cell(escape_csv_cell(text)) == text


@pytest.mark.parametrize("text", ["", "'", "'tis", "a=1", "1-2", " =1", "“=1”"])
def test_other_text_is_as_it_was(text):
    assert escape_csv_cell(text) == unescape_csv_cell(text) == text


def test_numbers_are_no_text():
    assert escape_csv_cell(-0.5) == -0.5


def test_the_chunks_of_a_list_are_safe_in_a_spreadsheet():
    chunking = cut(build_chunker("fixed_sentences", {"size": 1}), "- one\n=1+1\nthree", sentences="lines")
    assert [row["text"] for row in rows_of_csv(to_csv(chunking))] == ["'- one", "'=1+1", "three"]


@pytest.mark.parametrize("write", [to_csv, to_dict, to_json, to_jsonl, to_parquet, ledger_to_csv])
def test_what_is_no_result_is_refused_in_a_sentence(write):
    with pytest.raises(InputError, match=r"^chunking must be a result, such as chunkers\.chunk returns; got 'a'\.$"):
        write("a")
