"""Whole blocks of a chunking, worked by hand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Span, chunk
from evaluation.segmentation.boundary_measures import cut_offsets
from evaluation.segmentation.label_free_measures import (
    BlockIntegrity,
    WholeBlocks,
    count_whole_blocks_by_kind,
    count_whole_spans,
    spans_to_keep_whole,
)

TEXT = "Before it.\n\n- one\n- two\n\nBetween.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter it."


def cut_at(*words):
    """Cut the text before each of the words."""
    places = [0, *(TEXT.index(word) for word in words), len(TEXT)]
    pieces = [TEXT[start:end].strip() for start, end in pairwise(places)]
    return chunk(TEXT, "fixed_sentences", size=1, sentences=pieces)


@pytest.mark.parametrize(
    ("cuts", "lists", "tables", "share"),
    [
        ((), 1, 1, 1.0),
        (("- one", "Between", "| a", "After"), 1, 1, 1.0),
        (("- two",), 0, 1, 0.5),
        (("- two", "| 1"), 0, 0, 0.0),
        (("|---", "| 1"), 1, 0, 0.5),
    ],
)
def test_a_block_is_whole_if_no_cut_goes_through_it(cuts, lists, tables, share):
    whole_blocks = count_whole_blocks_by_kind(cut_at(*cuts))
    assert {kind: whole_blocks.kinds[kind] for kind in ("list", "table")} == {
        "list": WholeBlocks(lists, 1),
        "table": WholeBlocks(tables, 1),
    }
    assert whole_blocks.whole_blocks_of_all_kinds.share == share


HEADED = "# One\n\n## Two\n\nText. More.\n\nThree\n-----\n\n- item\n\n# Last"


@pytest.mark.parametrize(
    ("before", "whole"),
    [
        ((), 4),
        (("Three",), 4),
        (("More",), 4),
        (("## Two",), 3),
        (("Text",), 3),
        (("-----",), 3),
        (("- item",), 3),
        (("# Last",), 4),
        (("## Two", "Text", "- item"), 1),
    ],
)
def test_a_heading_is_whole_with_the_beginning_of_what_follows(before, whole):
    places = [0, *(HEADED.index(word) for word in before), len(HEADED)]
    whole_blocks = count_whole_spans(spans_to_keep_whole(HEADED), [Span(*pair) for pair in pairwise(places)])
    assert whole_blocks.kinds["heading"] == WholeBlocks(whole, 4)
    assert whole_blocks.kinds["list"] == WholeBlocks(1, 1)


def test_it_says_how_many_of_each_kind():
    whole_blocks = BlockIntegrity({"table": WholeBlocks(1, 2), "list": WholeBlocks(1, 1)})
    assert whole_blocks.words() == "1 of 2 tables, 1 of 1 list"
    assert whole_blocks.whole_blocks_of_all_kinds == WholeBlocks(2, 3)


def test_a_text_without_blocks_has_no_integrity():
    whole_blocks = count_whole_blocks_by_kind(chunk("One sentence. Another one.", "fixed_sentences", size=1))
    assert whole_blocks.whole_blocks_of_all_kinds.share is None
    assert whole_blocks.words() == ""


def test_with_overlap_a_block_is_whole_where_one_chunk_has_all_of_it():
    # 2 to 6 is cut by the first and the third piece, and lies in the second.
    pieces = [Span(0, 4), Span(2, 7), Span(5, 9)]
    assert count_whole_spans([("list", Span(2, 6))], pieces).whole_blocks_of_all_kinds.share == 1.0
    assert count_whole_spans([("list", Span(1, 6))], pieces).whole_blocks_of_all_kinds.share == 0.0
    # What lies in no chunk is not whole.
    assert count_whole_spans([("list", Span(8, 10))], pieces).whole_blocks_of_all_kinds.share == 0.0


def test_a_chunk_in_pieces_does_not_hold_what_is_between_them():
    assert count_whole_spans([("list", Span(0, 6))], [Span(0, 2), Span(4, 6)]).whole_blocks_of_all_kinds.share == 0.0


@given(st.lists(st.integers(1, 60), max_size=8), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=8))
def test_without_overlap_it_is_that_no_cut_lies_inside(cuts, stretches):
    edges = sorted({0, 100, *cuts})
    pieces = [Span(*pair) for pair in pairwise(edges)]
    blocks = [("list", Span(start, start + length)) for start, length in stretches]
    expected = sum(not any(start < cut < end for cut in edges) for _, (start, end) in blocks)
    assert count_whole_spans(blocks, pieces[::-1]).whole_blocks_of_all_kinds == WholeBlocks(expected, len(blocks))


def test_the_cuts_of_a_result_are_what_breaks_a_block():
    made = chunk(TEXT, "recursive", size=14, sentences="lines")
    whole_blocks = count_whole_blocks_by_kind(made)
    start = TEXT.index("- one")
    assert any(start < cut < TEXT.index("Between") - 2 for cut in cut_offsets(made)) == (
        whole_blocks.kinds["list"].count == 0
    )
    assert whole_blocks.kinds["table"] == WholeBlocks(0, 1)


@pytest.mark.parametrize("text", ["", " \n", "\r\n\r\n"])
def test_a_text_without_a_block_has_nothing_to_keep_whole(text):
    assert spans_to_keep_whole(text) == []
    assert count_whole_blocks_by_kind(chunk(text, "fixed_sentences")).whole_blocks_of_all_kinds == WholeBlocks(0, 0)
