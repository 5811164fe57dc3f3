"""Chunks made elsewhere, as a chunker: as `inspect` finds them, and never without their file."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import (
    Cancelled,
    Document,
    InputError,
    ParameterError,
    Recipe,
    Span,
    build_chunker,
    inspect,
    run_chunker,
)
from chunkers.files.external_chunks import LONGEST_WHITESPACE_GAP, GivenChunk
from chunkers.found_again import chunk_location as found_again
from chunkers.methods.your_chunks import ChunkFile, YourChunks
from evaluation.report.html_page import ComparedColumns, html_report
from evaluation.segmentation.chunk_statistics import find_chunker_else_embedder_bounds
from tests.support import tools

TEXT = "The tide goes out. It comes back.\n\nThe tide goes out. It stays away.\n"
CHUNKS = (
    GivenChunk("The tide goes out. It comes back."),
    GivenChunk("It stays away."),
    GivenChunk("<b>Nowhere</b>."),
)
FILE = ChunkFile("theirs.json", CHUNKS)


def document(text=TEXT, name="tides"):
    return Document.from_text(text, "lines", name)


def test_the_chunks_are_those_of_inspect():
    made = YourChunks.from_file(FILE).chunk(document(), tools())
    assert replace(made, made_by=None) == inspect(document(), [chunk.text for chunk in CHUNKS], maker="theirs.json")
    assert FILE.located_chunks_if_cached(document()).given_chunk_count == 3
    assert FILE.located_chunks_if_cached(document("Another text.")) is None


def test_the_identity_tells_files_apart_and_holds_no_text():
    others = [
        replace(FILE, name="others.json"),
        FILE.copy_with_other_document_selected("a"),
        replace(FILE, chunks=CHUNKS[:2]),
    ]
    identities = {file.identity for file in (FILE, *others)}
    assert len(identities) == 4
    assert ChunkFile("theirs.json", CHUNKS).identity == FILE.identity
    assert all(build_chunker("your_chunks", {"file": identity}).file == identity for identity in identities)


@pytest.mark.parametrize("file", ["c12", "<b>", "C" + "0" * 24, "c" + "g" * 24])
def test_what_is_no_identity_is_refused(file):
    with pytest.raises(ParameterError, match="your_chunks: file must be a chunk file's identity, c and 24 hex digits; got "):
        build_chunker("your_chunks", {"file": file})


def test_without_the_file_nothing_runs():
    chunking = run_chunker(YourChunks.from_file(FILE), document(), tools())
    assert chunking.made_by is not None
    again = Recipe.from_json(chunking.recipe.to_json())
    assert TEXT[:8] not in again.to_json()
    with pytest.raises(InputError, match="the file of chunks must be passed again"):
        again.build().chunk(document(), tools())


def test_a_search_that_takes_long_can_be_ended(monkeypatch):
    monkeypatch.setattr(found_again, "_SECONDS_BETWEEN_REPORTS", 0.0)
    chunker = YourChunks.from_file(ChunkFile("theirs.json", CHUNKS))
    with pytest.raises(Cancelled):
        chunker.chunk(document(), tools(cancelled=lambda: True))
    assert chunker.chunk_file_if_loaded.located_chunks_if_cached(document()) is None


def test_chunks_of_several_documents_are_told_apart_by_name_or_by_choice():
    file = ChunkFile("theirs.json", tuple(chunk._replace(document=name) for chunk, name in zip(CHUNKS, "aab", strict=True)))
    assert file.document_names_in_file == ["a", "b"]
    assert file.locate_in(document(name="a"), lambda *_: None).given_chunk_count == 2
    with pytest.raises(
        InputError, match=r"theirs\.json: its chunks are of 2 documents, and none of these is called 'tides'"
    ):
        file.locate_in(document(), lambda *_: None)
    assert file.copy_with_other_document_selected("b").locate_in(document(), lambda *_: None).given_chunk_count == 1


class Forgetful(list):
    """A memory that another thread replaces at the moment of writing."""

    def __init__(self, others):
        super().__init__()
        self.others = others

    def __setitem__(self, key, value):
        super().__setitem__(key, [self.others])


def test_the_answer_is_that_for_ones_own_text_when_another_thread_asks_meanwhile():
    file = ChunkFile("theirs.json", (GivenChunk("One.", (Span(0, 4),), "a"), GivenChunk("Two.", (Span(0, 4),), "b")))
    other = document("Two.", "b")
    object.__setattr__(file, "_last", Forgetful((f"{other.identity} b", file.locate_in(other, lambda *_: None))))
    object.__setattr__(file, "_texts", Forgetful(("b", file.rebuild_document_text("b"))))
    assert file.locate_in(document("One.", "a"), lambda *_: None).chunking.texts == ("One.",)
    assert file.rebuild_document_text("a") == "One."


@settings(deadline=None)
@given(st.text("ab \n", min_size=1), st.lists(st.integers(0, 30), max_size=6), st.integers(0, 5))
def test_texts_with_places_that_give_all_of_a_text_give_it(text, cuts, overlap):
    edges = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    spans = [Span(max(0, start - overlap), end) for start, end in pairwise(edges)]
    file = ChunkFile("x", tuple(GivenChunk(text[slice(*span)], (span,)) for span in reversed(spans)))
    assert file.rebuild_document_text("any") == (text if text.strip() else None)


def test_what_does_not_give_all_of_a_text_gives_none():
    def text_of(*pairs):
        return ChunkFile("x", tuple(GivenChunk(text, spans) for text, spans in pairs)).rebuild_document_text("any")

    assert (
        text_of(("One.", (Span(0, 4),)), ("Two.", (Span(4 + LONGEST_WHITESPACE_GAP, 8 + LONGEST_WHITESPACE_GAP),)))
        == "One.\n\n\n\nTwo."
    )
    assert (
        text_of(("One.", (Span(0, 4),)), ("Two.", (Span(5 + LONGEST_WHITESPACE_GAP, 9 + LONGEST_WHITESPACE_GAP),))) is None
    )
    assert text_of(("One.", (Span(0, 4),)), ("Two.", ())) is None
    assert text_of((None, (Span(0, 4),))) is None
    # The place is another's: its end is not that of the text.
    assert text_of(("One.", (Span(0, 9),))) is None


def test_a_report_has_the_chunks_and_no_recipe_of_them():
    chunker = YourChunks.from_file(FILE)
    chunking = run_chunker(chunker, document(), tools())
    made = html_report(ComparedColumns(document(), [(chunker, chunking)], None, None, "words", None))
    assert "theirs.json" in made
    assert "<b>Nowhere" not in made
    assert "Recipe, which gives" not in made
    assert find_chunker_else_embedder_bounds(chunker) is None
