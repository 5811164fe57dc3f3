"""Structure on the bundled Markdown and on files as the readers read them, beside the recursive chunker of the same size."""

from functools import cache

import pytest

from benchmarks.structure import (
    EDIT_COUNT,
    LEAST_SOUND_SHARE,
    MAX_CHUNK_TOKENS,
    MOST_CHANGED_SHARE,
    main,
    measure_chunker,
    structured_documents,
)
from sample_docs import SAMPLES_FOLDER
from tests.fixtures.structured_files import FILES
from tests.lanes import mostly_full

NAMES = [*(path.name for path in sorted(SAMPLES_FOLDER.glob("*.md"))), *FILES]


@cache
def document(name):
    return next(structured_documents([name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_full(NAMES, {"table.md", "register.html"}))
def test_blocks_are_whole_sizes_are_kept_and_an_edit_changes_little(name):
    row = measure_chunker(document(name), "structure", EDIT_COUNT)
    # The numbered headings of the PDF and what follows them are lists to CommonMark, and too long.
    assert row.fitting_block_count or (name == "handbook.pdf" and row.all_blocks)
    assert row.integrity >= LEAST_SOUND_SHARE
    assert row.compliance >= LEAST_SOUND_SHARE
    # Of a text of a few chunks, one is more than that.
    assert row.changed <= MOST_CHANGED_SHARE or (row.chunks * MOST_CHANGED_SHARE < 1 and row.changed <= row.inevitable)
    assert row.meets_targets


@pytest.mark.parametrize("name", mostly_full(["handbook.html", "handbook.docx", "register.html"], {"register.html"}))
def test_the_recursive_chunker_leaves_fewer_whole_and_changes_more(name):
    ours, other = (measure_chunker(document(name), chunker, 5) for chunker in ("structure", "recursive"))
    assert (ours.fitting_block_count, ours.all_blocks) == (other.fitting_block_count, other.all_blocks)
    assert ours.integrity > other.integrity
    assert ours.changed < other.changed


def test_there_are_converted_files_with_headings_lists_and_tables():
    assert {name.partition(".")[2] for name in FILES} == {"html", "docx", "epub", "pdf"}
    for name in FILES:
        if not name.endswith(".pdf"):
            assert all(mark in document(name).text for mark in ("\n## ", "\n- ", "\n| 1 May |")), name


def test_it_prints_a_row_for_each_chunker(capsys):
    assert main(["--only", "table.md", "--edits", "3"]) == 0
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split("|")[2].strip() for row in rows] == ["`structure`", "`recursive`"]
    assert "blocks whole" in head
    assert MAX_CHUNK_TOKENS == 250
