"""Chunks that something else made, in every form: found in their text, and told where they are altered or lost."""

import csv
import io
import json
import os
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import (
    Cancelled,
    Document,
    InputError,
    Span,
    build_chunker,
    inspect,
    run_chunker,
    to_csv,
    to_json,
    to_jsonl,
    to_parquet,
)
from chunkers.files import external_chunks, json_and_table_files
from chunkers.files.external_chunks import GivenChunk
from chunkers.found_again import chunk_location as found_again
from chunkers.found_again.chunk_location import locate_chunks
from chunkers.found_again.inspection_of_given_chunks import DocumentNames, read_given_chunks, select_document_chunks
from sample_docs import SAMPLES_FOLDER
from tests.support import tools

TEXT = "The tide goes out. It comes back.\n\nThe tide goes out. It stays away.\n"
PIECES = ["The tide goes out. It comes back.", "The tide goes out.", "It stays away."]
SPANS = [(0, 33), (35, 53), (54, 68)]

ROWS = [{"text": text, "start_index": start, "end_index": end} for text, (start, end) in zip(PIECES, SPANS, strict=True)]


def as_csv(rows):
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def as_parquet(rows):
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


def as_lines(rows):
    return "\n".join(map(json.dumps, rows)).encode()


def spans_of(result):
    return [tuple(span) for chunk in result for span in chunk.spans]


FORMS = {
    "texts": json.dumps(PIECES).encode(),
    "spans": json.dumps(SPANS).encode(),
    "lines of texts": as_lines(PIECES),
    "json": json.dumps(ROWS).encode(),
    "pretty json": json.dumps({"chunks": ROWS}, indent=1).encode(),
    "json lines": as_lines(ROWS),
    "csv": as_csv(ROWS),
    "parquet": as_parquet(ROWS),
    "csv of spans": as_csv([{"start": start, "end": end} for start, end in SPANS]),
    "csv of floats": as_csv([{"text": row["text"], "start": row["start_index"]} for row in ROWS]),
    "beginnings": json.dumps([{"text": row["text"], "start": row["start_index"]} for row in ROWS]).encode(),
    "one": as_lines(ROWS[:1]),
}


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS)
def test_every_form_gives_the_chunks(data, tmp_path):
    path = tmp_path / "chunks"
    path.write_bytes(data)
    inspected = inspect(TEXT, path)
    assert spans_of(inspected) == SPANS[: len(inspected)]
    assert not [note for note in inspected.notes if not note.startswith("Characters that lie in no chunk")]
    assert inspect(TEXT, str(path)) == inspected


@pytest.mark.parametrize("sample", ["report.txt", "table.md", "source_code.txt", "arabic.txt", "emoji.txt"])
def test_what_seamark_writes_it_reads(sample):
    text = (SAMPLES_FOLDER / sample).read_bytes().decode()
    document = Document.from_text(text, "paragraphs")
    for name, parameters in (
        ("recursive", {"size": 300, "unit": "characters"}),
        ("fixed_words", {"size": 30, "overlap": 10}),
    ):
        made = run_chunker(build_chunker(name, parameters), document, tools())
        for write in (to_json, to_jsonl, to_csv, to_parquet):
            data = write(made) if write is to_parquet else write(made).encode()
            inspected = inspect(document, read_rows(data))
            assert inspected.chunks == made.chunks
            assert not inspected.notes


def read_rows(data):
    return [
        row.spans if row.text is None else {"text": row.text, "spans": row.spans} for row in read_given_chunks(data, "x")
    ]


def langchain(text):
    from langchain_core.load import dumps
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    made = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=50, add_start_index=True).create_documents([text])
    return made, dumps(made), json.dumps([document.model_dump() for document in made])


def llama_index(text):
    from llama_index.core import Document as LlamaDocument
    from llama_index.core.node_parser import SentenceSplitter

    splitter = SentenceSplitter(chunk_size=120, chunk_overlap=20, tokenizer=str.split)
    made = splitter.get_nodes_from_documents([LlamaDocument(text=text, metadata={"file_name": "it.txt"})])
    stored = [{"__data__": node.to_dict(), "__type__": "1"} for node in made]
    return made, "\n".join(node.to_json() for node in made), json.dumps(stored)


def chonkie(text):
    from chonkie import TokenChunker

    made = TokenChunker("character", chunk_size=300, chunk_overlap=30).chunk(text)
    return made, json.dumps([chunk.to_dict() for chunk in made]), as_csv([{"text": chunk.text} for chunk in made]).decode()


def haystack(text):
    # Read when it is imported: whether to report its use to its makers.
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    from haystack import Document as HaystackDocument
    from haystack.components.preprocessors import DocumentSplitter

    splitter = DocumentSplitter(split_by="word", split_length=40, split_overlap=8)
    made = splitter.run(documents=[HaystackDocument(content=text, meta={"file_name": "it.txt"})])["documents"]
    return (
        made,
        json.dumps([document.to_dict() for document in made]),
        json.dumps([document.to_dict(flatten=False) for document in made]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("library", [langchain, llama_index, chonkie, haystack])
def test_other_libraries_chunks_are_found_or_told_on_all_samples(library):
    for path in sorted(SAMPLES_FOLDER.glob("*.*")):
        if path.suffix not in (".txt", ".md"):
            continue
        text = path.read_bytes().decode()
        made, *written = library(text)
        results = [inspect(text, made, sentences="lines"), *(inspect_file(text, export) for export in written)]
        for inspected in results:
            told = sum(int(note.split(": ")[1].replace(",", "")) for note in inspected.notes if "not found" in note)
            assert len(inspected) + told == len(made)
            # A chunk of these libraries is a slice of the text but for its white space.
            assert not told
            pieces = sorted("".join(textual(piece).split()) for piece in made)
            assert sorted("".join(chunk.text.split()) for chunk in inspected) == pieces


def inspect_file(text, written):
    return inspect(text, rows_as_given(read_given_chunks(written.encode(), "x")), sentences="lines")


def rows_as_given(rows):
    return [{"text": row.text, **({"spans": row.spans} if row.spans else {})} for row in rows]


def textual(one):
    return next(getattr(one, name) for name in ("page_content", "content", "text") if hasattr(one, name))


# As DocChunk.model_dump() has it.
DOCLING = [
    {
        "text": text,
        "meta": {
            "schema_name": "docling_core.transforms.chunker.DocMeta",
            "version": "1.0.0",
            "doc_items": [{"self_ref": "#/texts/0", "label": "text", "prov": []}],
            "headings": ["Tides"],
            "origin": {"mimetype": "text/markdown", "binary_hash": 1, "filename": name},
        },
    }
    for text, name in ((PIECES[0], "tides.md"), (PIECES[1], "tides.md"), ("Nothing here.", "birds.md"))
]
HAYSTACK = [
    {"id": "1", "content": text, "meta": {"split_idx_start": start}} for text, (start, _) in zip(PIECES, SPANS, strict=True)
]


def test_places_and_names_may_stand_in_the_metadata():
    assert spans_of(inspect(TEXT, HAYSTACK)) == SPANS
    assert spans_of(inspect(TEXT, DOCLING, document="tides")) == [(0, 33), (35, 53)]
    assert spans_of(inspect(Document.from_text(TEXT, "lines", "tides.md"), DOCLING)) == [(0, 33), (35, 53)]
    with pytest.raises(InputError, match=r"chunks: document must be one of the documents in the file, 'tides.md, birds.md'"):
        inspect(TEXT, DOCLING)
    with pytest.raises(InputError, match=r"chunks: document must be one of 'tides.md, birds.md'; got 'fish'"):
        inspect(TEXT, DOCLING, document="fish")


@pytest.mark.parametrize(
    ("names", "name", "called"),
    [
        (["dir/a"], "dir/a.md", ["dir/a"]),
        (["dir/a.md"], "dir/a", ["dir/a.md"]),
        (["/data/dir/a.md", "dir/b.md"], "dir/a", ["/data/dir/a.md"]),
        (["C:\\dir\\a"], "dir/a.md", ["C:\\dir\\a"]),
        (["dir/a"], "a.md", ["dir/a"]),
        (["a"], "dir/a.md", ["a"]),
        # What is not the end of the other's path, or has another ending, is another's.
        (["one/a.md"], "other/a", []),
        (["one/a"], "other/a.md", []),
        (["a.txt"], "a.md", []),
        # Those of the same ending go first.
        (["a", "dir/a.md"], "a.md", ["dir/a.md"]),
        (["one/a.md", "other/a.txt"], "a", ["one/a.md", "other/a.txt"]),
    ],
)
def test_documents_are_found_by_the_end_of_their_path_with_or_without_their_ending(names, name, called):
    assert DocumentNames(names).names_matching(name) == called


@pytest.mark.parametrize("wanted", [None, "README"])
def test_of_two_documents_that_differ_by_an_ending_the_one_of_the_name_is_meant(wanted):
    one, other, nameless = GivenChunk("x y", (), "README"), GivenChunk("z w", (), "README.md"), GivenChunk("u v")
    assert select_document_chunks([one, other], wanted, "README") == [one]
    assert select_document_chunks([other, nameless, one], wanted, "README") == [nameless, one]
    assert select_document_chunks([one, other], "README.md", "README") == [other]
    assert select_document_chunks([other, GivenChunk("u v", (), "b")], wanted, "README") == [other]


def test_chunks_of_two_documents_are_never_mixed():
    given_chunks = [GivenChunk("x y", (), "one/README.md"), GivenChunk("z w", (), "README.txt")]
    with pytest.raises(
        InputError, match=r"must match exactly one document of the file; 'README' matches 'one/README\.md, README\.txt'\."
    ):
        select_document_chunks(given_chunks, "README", "any")


def test_what_is_altered_elsewhere_and_lost_is_told():
    given_chunks = [
        {"text": "The tides go out. It comes back.", "start": 0},
        {"text": "The tide  goes out.", "start": 40},
        "It stays\naway.",
        "Nowhere at all.",
        (60, 90),
        " ",
    ]
    inspected = inspect(TEXT, given_chunks, maker="my splitter")
    assert spans_of(inspected) == [(0, 33), (35, 53), (54, 68)]
    assert inspected.texts[1] == "The tide goes out."
    assert inspected.notes == (
        "Chunks of my splitter that are not found in the text and left out: 3: 4 (“Nowhere at all.”), 5 (60 to 90), 6 (“”).",
        "Chunks of my splitter that are altered, and found where the text is most like them: 1: 1 (88 % alike, at 0).",
        "Chunks of my splitter that are not at the place that they name: 1: 2 (at 35, not 40).",
        "Chunks of my splitter with other white space than the text: 2.",
    )
    assert [gap.reason for gap in inspected.gaps if gap.verdict.is_cut] == [
        "my splitter begins chunk 2 here, found at another place than it names",
        "my splitter begins chunk 3 here, found in the order of the chunks",
    ]


ESSAY = (SAMPLES_FOLDER / "essay_tides.txt").read_bytes().decode()
STEP = 250
CUT = [ESSAY[start : start + STEP] for start in range(0, len(ESSAY), STEP)]
PLACES = [(start, start + len(piece)) for start, piece in zip(range(0, len(ESSAY), STEP), CUT, strict=True)]
SENTENCE = "This part of the essay explains how the water moves in the harbour, and why sailors have always cared about it."
AROUND = {
    "a line": lambda number, piece: f"Document: harbour.md\n\n{piece}",
    "a long sentence": lambda number, piece: f"{SENTENCE}\n{piece}",
    "another sentence each": lambda number, piece: f"Part {number} of a document on {piece.split()[2]} and more.\n\n{piece}",
    "behind": lambda number, piece: f"{piece}\n\n(source: harbour.md)",
    "on both sides": lambda number, piece: f"[{number}]\n{piece}\n(source: harbour.md)",
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("placed", ["nowhere", "by its start", "by start and end"])
def test_what_a_chunk_has_around_its_passage_is_its_context(around, placed):
    texts = [around(number, piece) for number, piece in enumerate(CUT)]
    keys = {"nowhere": (), "by its start": ("start",), "by start and end": ("start", "end")}[placed]
    rows = [{"text": text} | {key: place[key == "end"] for key in keys} for text, place in zip(texts, PLACES, strict=True)]
    inspected = inspect(ESSAY, rows, sentences="lines")
    assert ["".join(passage.split()) for passage in inspected.texts] == ["".join(piece.split()) for piece in CUT]
    for chunk, text, piece in zip(inspected, texts, CUT, strict=True):
        assert chunk.context
        assert "".join(chunk.context.split()) == "".join(text.replace(piece, "").split())
    [note] = inspected.notes
    assert note.startswith("Chunks of the file with a context around them that the text does not have there: 9: 1 (“")


def test_a_heading_that_the_context_ends_with_is_no_part_of_the_passage():
    text = "# Tides\n\nThe water goes out and comes back.\n\n# Moons\n\nThey pull the water with them.\n"
    chunks = ["Sea > Tides\n\nThe water goes out and comes back.", "Sea > Moons\n\nThey pull the water with them."]
    inspected = inspect(text, chunks)
    assert inspected.texts == ("The water goes out and comes back.", "They pull the water with them.")
    assert [chunk.context for chunk in inspected] == ["Sea > Tides", "Sea > Moons"]


def test_an_altered_passage_has_no_context():
    altered = ESSAY[:300].replace("water", "sea").replace("tide", "flood")
    assert altered != ESSAY[:300]
    inspected = inspect(ESSAY, [altered], sentences="lines")
    assert [chunk.context for chunk in inspected] == [""] * len(inspected)
    assert not [note for note in inspected.notes if "context" in note]


@pytest.mark.parametrize(("period", "size", "step"), [("The tide goes out. ", 57, 38), ("abcde fghij ", 100, 75)])
def test_chunks_of_periodic_text_cover_it_and_their_doubt_is_told(period, size, step):
    text = (period * 200)[: size + 20 * step]
    starts = range(0, len(text) - size + 1, step)
    inspected = inspect(text, [text[start : start + size] for start in starts], sentences="lines")
    assert [abs(chunk.start - start) <= 1 for chunk, start in zip(inspected, starts, strict=True)] == [True] * 21
    [note] = inspected.notes
    assert "more than once, and may be at another place: 20: 2 (at" in note


def test_what_is_typeset_otherwise_is_told():
    inspected = inspect("Say “so” – and go.", ['Say "so" - and go.'])
    assert inspected.texts == ("Say “so” – and go.",)
    assert inspected.notes == (
        "Chunks of the file that are altered, and found where the text is most like them: 1: "
        "1 (other quotation marks, dashes or the like, at 0).",
    )


def test_a_chunk_that_may_be_at_another_place_is_told():
    # What goes on where the chunk before ends, or overlaps it, is where it is; what is reached by a jump may be elsewhere.
    assert not [note for note in inspect(TEXT, PIECES).notes if "more than once" in note]
    overlapping = inspect(TEXT, ["The tide goes out. It", "It comes back.", "The tide goes"])
    assert not [note for note in overlapping.notes if "more than once" in note]
    assert inspect("One. Two. One. Three. One.", ["Two.", "Three.", "One."]).notes == (
        "Characters that lie in no chunk, white space not counted: 8.",
    )
    assert inspect("One. Two. One. Three. One.", ["One.", "One."]).notes == (
        "Chunks of the file that stand in the text more than once, and may be at another place: 1: 2 (at 10).",
        "Characters that lie in no chunk, white space not counted: 14.",
    )


def test_a_long_search_reports_how_far_it_is_and_ends_when_that_raises(monkeypatch):
    monkeypatch.setattr(found_again, "_SECONDS_BETWEEN_REPORTS", 0.0)
    chunks = [GivenChunk(piece) for piece in PIECES]
    told = []
    locate_chunks(Document.from_text(TEXT, "lines"), chunks, "it", lambda *far: told.append(far))
    assert told == [(0, 3), (1, 3), (2, 3)]

    def stop(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        locate_chunks(Document.from_text(TEXT, "lines"), chunks, "it", stop)


def read_here(data):
    """Read a file of chunks in this process, whose limits a test can change."""
    return list(external_chunks.read_chunk_file(data, "x"))


@pytest.mark.parametrize("kind", ["json", "json lines", "csv", "parquet"])
def test_rows_and_characters_are_counted_alike_in_every_format(monkeypatch, kind):
    monkeypatch.setattr(json_and_table_files, "MOST_TABLE_ROWS", 2)
    with pytest.raises(InputError, match=r"^x: a (file of chunks|table) may have at most 2 rows; this (one|table) has "):
        read_here(FORMS[kind])
    monkeypatch.setattr(json_and_table_files, "MOST_TABLE_ROWS", 3)
    read_here(FORMS[kind])
    monkeypatch.setattr(json_and_table_files, "MOST_FILE_TEXT_CHARACTERS", 20)
    with pytest.raises(
        InputError, match=r"^x: the texts in a file of chunks may have at most 20 characters in total; these texts have"
    ):
        read_here(FORMS[kind])


def test_json_of_too_many_lists_is_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(json_and_table_files, "MOST_JSON_BRACKETS", 2)
    with pytest.raises(InputError, match=r"^x: JSON may have at most 2 opening brackets; this file has 4\."):
        read_here(b"[[[[")


@pytest.mark.slow
def test_a_text_that_parquet_has_once_is_counted_in_every_row_before_it_is_copied():
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 256, pa.int32()), pa.array(["a" * 10_000_000]))
    file = io.BytesIO()
    pq.write_table(pa.table({"text": text}), file, compression="zstd", compression_level=19)
    assert len(file.getvalue()) < 1_000
    tracemalloc.start()
    try:
        with pytest.raises(
            InputError, match=r"^x: the texts in a file of chunks may have at most 60,000,000 characters in total; "
        ):
            read_here(file.getvalue())
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_rows_of_nothing_are_refused_by_their_number():
    file = io.BytesIO()
    pq.write_table(pa.table({"text": pa.nulls(1_000_001, pa.string())}), file)
    with pytest.raises(InputError, match=r"^x: a table may have at most 1,000,000 rows; this table has 1,000,001\."):
        read_here(file.getvalue())


def test_a_table_of_too_many_columns_is_refused_and_short_rows_are_not_filled():
    wide = ",".join(["text", *(f"c{number}" for number in range(1_000))])
    with pytest.raises(InputError, match=r"^x: a table may have at most 1,000 columns; this table has 1,001\."):
        read_here(f"{wide}\na\n".encode())
    assert read_here(f"{wide.rpartition(',')[0]}\na\n".encode()) == [GivenChunk("a")]


def test_what_lies_in_no_chunk_is_counted():
    assert inspect(TEXT, [(0, 18)]).notes == ("Characters that lie in no chunk, white space not counted: 39.",)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))), min_size=1, max_size=8), st.booleans())
def test_spans_are_the_chunks_in_the_order_of_the_text(pairs, written):
    pairs = [(min(pair), max(pair)) for pair in pairs]
    rows = [{"text": TEXT[start:end], "start": start, "end": end} for start, end in pairs] if written else pairs
    inspected = inspect(TEXT, rows)
    visible = [[place for place in range(*pair) if not TEXT[place].isspace()] for pair in pairs]
    assert spans_of(inspected) == sorted((places[0], places[-1] + 1) for places in visible if places)
    assert all(chunk.text == TEXT[chunk.start : chunk.end] for chunk in inspected)
    starts = [
        gap.offset or inspected.document.sentences[gap.index + 1].start for gap in inspected.gaps if gap.verdict.is_cut
    ]
    assert starts == sorted({chunk.start for chunk in inspected})[1:]


def test_a_chunk_may_have_several_spans():
    inspected = inspect(TEXT, [{"text": "joined", "spans": [[0, 18], [35, 53]]}, {"spans": "[[19, 33]]"}])
    assert [chunk.spans for chunk in inspected] == [(Span(0, 18), Span(35, 53)), (Span(19, 33),)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "x: a file of chunks must contain at least one chunk; this file is empty."),
        (b"[]", "chunks must contain at least one chunk; got none."),
        (b"3", "x, row"),
        (
            b'[{"id": 1, "score": 2}]',
            "x, chunk 1: a chunk must have a text (text or page_content or content or chunk_text), "
            "or a start and an end; this chunk has only 'id, score'.",
        ),
        (b'{"text": 3}', "x, chunk 1: a chunk's text must be a string; got 3."),
        (b'{"text": "a"}\n{', "x, line 2: every line must be valid JSON; this one is not"),
        (b'[{"start": 4}]', "x, chunk 1: a chunk without a text must have an end; this chunk has only its start, 4."),
        (b'[{"start": "four", "end": 5}]', "x, chunk 1: a chunk's start and end must be whole numbers; got 'four'."),
        (b"[[5, 4]]", "x, chunk 1: a chunk must start at 0 or later, and must not end before its start; got 5 to 4."),
        (b'[{"spans": []}]', "x, chunk 1: spans must be a list of pairs, each a start and an end; got []."),
        (b'[{"spans": "["}]', "x, chunk 1: spans must be a list of pairs, each a start and an end; got '['."),
        (
            b"name,size\na,3\n",
            "x, row 1: a chunk must have a text (text or page_content or content or chunk_text), "
            "or a start and an end; this chunk has only 'name, size'.",
        ),
        (b'text\n"a', "x: the file must be valid CSV; this one is not"),
        (b"PAR1 no more", "x: the file must be valid Parquet; reading it failed"),
        (b"[7]", "x, chunk 1: a chunk must have a text"),
    ],
)
def test_what_is_of_no_use_is_refused_in_a_sentence(data, message, tmp_path):
    (tmp_path / "x").write_bytes(data)
    if data == b"3":
        message = "chunks must contain at least one chunk"
    with pytest.raises(InputError) as error:
        inspect(TEXT, tmp_path / "x")
    assert message in str(error.value)


def test_what_are_no_chunks_is_refused_in_a_sentence(tmp_path, monkeypatch):
    for chunks in (3, {"text": "a"}, b"[]"):
        with pytest.raises(InputError, match="chunks must be a path, or a sequence of chunks; got"):
            inspect(TEXT, chunks)
    with pytest.raises(InputError, match="nowhere: the file cannot be read: No such file or directory"):
        inspect(TEXT, tmp_path / "nowhere")
    monkeypatch.setattr("chunkers.found_again.inspection_of_given_chunks.MOST_CHUNKS", 1)
    with pytest.raises(InputError, match="chunks may contain at most 1 chunks; got 2"):
        inspect(TEXT, PIECES[:2])
    monkeypatch.setattr("chunkers.found_again.inspection_of_given_chunks.MAX_FILE_BYTES", 5)
    with pytest.raises(InputError, match="x: a file of chunks may have at most 5 bytes; this file has 6"):
        read_given_chunks(b"[1, 2]", "x")
