"""Files are read apart: limits of time, memory and text, each in a sentence; cancelling; and nothing of it stays."""

import subprocess
import sys
import threading
import time

import pytest

from chunkers import Cancelled, InputError
from chunkers.text import lazy_imports_in_reader_process, reader_process
from chunkers.text.file_reading import read_document_text
from tests import ROOT
from tests.chunkers.text import loaded_modules
from tests.fixtures.hostile_files import FILES, MILLION, epub_file, pdf_file, pdf_line
from tests.lanes import mostly_full
from tests.reader_processes import readers

SLOW = b"<li>Item here.</li>" * MILLION


@pytest.fixture(autouse=True)
def no_idle_process():
    """End the processes that other tests have left for the next file."""
    reader_process._end_all_idle_readers()


def read_or_sentence(name, data):
    try:
        return read_document_text(data, name).text
    except InputError as error:
        return str(error)


def test_small_utf_8_does_not_leave_the_process(monkeypatch):
    monkeypatch.setattr(reader_process, "_Reader", None)
    monkeypatch.setattr(reader_process, "_idle_readers", [])
    assert read_document_text("Größe.".encode(), "a.txt").text == "Größe."


def test_a_process_is_used_again_and_one_that_ended_is_not():
    read_document_text(b"<p>One.</p>", "a.html")
    (reader,) = reader_process._idle_readers
    read_document_text(b"<p>Two.</p>", "a.html")
    assert reader_process._idle_readers == [reader]
    reader.kill_process()
    assert read_document_text(b"<p>Three.</p>", "a.html").text == "Three."
    assert reader_process._idle_readers != [reader]


def test_what_takes_too_long_is_ended_and_the_sentence_names_the_limit(monkeypatch):
    monkeypatch.setattr(reader_process, "MOST_READING_SECONDS", 1)
    with pytest.raises(
        InputError, match=r"^a\.html: a file may take at most 1 seconds to be read; this file takes longer\."
    ):
        read_document_text(SLOW, "a.html")
    assert readers() == []


def test_what_takes_too_much_memory_is_ended_and_the_sentence_names_the_limit(monkeypatch):
    monkeypatch.setattr(reader_process, "MOST_READER_MEMORY_BYTES", 100_000_000)
    with pytest.raises(InputError, match=r"^a\.html: a file may take at most .* of memory to be read, 100,000,000 bytes; "):
        read_document_text(SLOW, "a.html")


def test_reading_can_be_cancelled():
    with pytest.raises(Cancelled):
        read_document_text(SLOW, "a.html", cancelled=lambda: bool(readers()))
    assert readers() == []


def test_a_process_that_dies_is_a_sentence():
    def kill():
        for child in readers():
            child.kill()
        return False

    with pytest.raises(InputError, match=r"^a\.html: the process that reads the file ended with status "):
        read_document_text(SLOW, "a.html", cancelled=kill)


def test_others_wait_for_a_free_process_and_may_give_up(monkeypatch):
    monkeypatch.setattr(reader_process, "_free_reader_semaphore", threading.Semaphore(0))
    began = time.monotonic()
    with pytest.raises(Cancelled):
        read_document_text(b"<p>a</p>", "a.html", cancelled=lambda: time.monotonic() > began + 0.3)


def test_the_process_loads_nothing_that_reading_does_not_need():
    ended = subprocess.run(
        [sys.executable, "-P", lazy_imports_in_reader_process.__file__, ROOT, loaded_modules.__name__],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "[]\n"


def test_a_chapter_is_read_once_however_often_the_spine_names_it():
    assert read_document_text(epub_file(["<p>Once.</p>"], [0] * 200), "a.epub").text == "Once."


PACKED = ["EPUB, 190 MB of spaces", "DOCX, 190 MB in a paragraph"]


@pytest.mark.parametrize("what", mostly_full(PACKED, PACKED[:1]))
def test_a_part_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(what):
    name, data = FILES[what]()
    assert len(data) < 300_000
    with pytest.raises(
        InputError, match=r"^a\.\w+: the part .* may have at most 20 MB, 20,000,000 bytes; this one has 190,"
    ):
        read_document_text(data, name)


@pytest.mark.full
def test_the_text_of_all_pages_has_a_limit():
    pages = pdf_file([pdf_line(b"a" * 9000)], [0] * 3000)
    outcome = read_or_sentence("a.pdf", pages)
    assert "at most 20 MB, 20,000,000 bytes; this one has at least 20," in outcome or "at most 20 seconds" in outcome


TAKES_SECONDS = {
    *("EPUB, 190 MB of spaces", "EPUB, 1,000 chapters of 190 kB"),
    *("DOCX, 20 MB of empty paragraphs", "DOCX, 600,000 paragraphs", "DOCX, 100,000 cells", "DOCX, 190 MB in a paragraph"),
    *("HTML, & 5,000,000 times", "HTML, < 5,000,000 times", "HTML, <b> 1,000,000 times"),
    *("HTML, a table of 1,000,000 cells", "HTML, 1,000,000 list items", "HTML, 500,000 attributes", "HTML, 20 MB of prose"),
    *("PDF, 700,000 lines in a page", "PDF, one page 20,000 times", "PDF, 200 MB packed in a page"),
    *("PDF, 20 MB of one string", "Shift-JIS, 15 MB", "Windows-1252, 18 MB", "Text, 19 MB of random bytes"),
}
"""Files of `make full`; a PDF stays that takes as long, and of each format files that take less."""


@pytest.mark.parametrize("what", mostly_full(FILES, FILES.keys() - TAKES_SECONDS))
def test_no_file_takes_more_than_the_limits(monkeypatch, what):
    # A short time, so that the sentence is soon there; what is read within it is right.
    monkeypatch.setattr(reader_process, "MOST_READING_SECONDS", 2)
    name, data = FILES[what]()
    began = time.monotonic()
    outcome = read_or_sentence(name, data)
    assert outcome
    assert not outcome.startswith("a.") or "\n" not in outcome
    # Ending a process takes a moment, on a busy machine a long one.
    assert time.monotonic() - began < 30
