"""The numbers that the page shows."""

import pytest

from chunkers import Chunking, Document, ModelError, Span, load_tokenizer
from chunkers.results.result import Chunk
from chunkers.support.formatting import format_three_figures
from evaluation.segmentation.boundary_measures import cut_offsets, mixed_chunk_section_counts
from evaluation.segmentation.chunk_statistics import (
    BoundaryChanges,
    ChunkFacts,
    DiscontinuousChunks,
    TruncatedChunks,
    count_added_removed_moved_boundaries,
    count_found_missed_added,
    count_sentences_of_each_chunk,
    format_percentage_1_to_99,
    summarize_chunk_sizes_by_unit,
)
from tests.support import HashEmbedder

TEXT = "Aa b.\nCc.\nDd ee.\nFf.\nGg hh ii."
LINES = Document.from_text(TEXT, "lines")


def chunking(*chunks, document=LINES):
    """Return the chunks that hold these runs of sentences: (first, last + 1) of each place."""
    made = [Chunk.of(document, *(document.slice(first, last) for first, last in places)) for places in chunks]
    return Chunking(document, tuple(made), ())


SCATTERED = chunking([(0, 1), (2, 3)], [(1, 2), (4, 5)], [(3, 4)])
"""Sentences 0 and 2, 1 and 4, and 3 alone."""


class Counting(HashEmbedder):
    max_tokens = 3

    def lengths(self, texts):
        return [len(text.split()) for text in texts]


class Absent(Counting):
    def lengths(self, texts):
        raise ModelError("The model is not there.")


def test_sentence_counts_of_chunks_in_one_place_and_in_several():
    assert count_sentences_of_each_chunk(chunking([(0, 2)], [(2, 5)])) == [2, 3]
    assert count_sentences_of_each_chunk(SCATTERED) == [2, 2, 1]


def test_a_sentence_counts_once_where_two_places_of_a_chunk_touch_it():
    chunk = Chunk.of(LINES, Span(0, 2), Span(3, 9))
    assert count_sentences_of_each_chunk(Chunking(LINES, (chunk,), ())) == [2]


def test_boundaries_are_the_starts_of_all_places_but_the_first():
    starts = LINES.starts
    assert cut_offsets(chunking([(0, 2)], [(2, 5)])) == [starts[2]]
    assert cut_offsets(SCATTERED) == starts[1:]
    assert cut_offsets(chunking([(0, 5)])) == []
    assert cut_offsets(Chunking(LINES, (), ())) == []


def test_boundaries_of_overlapping_chunks_count_each_place_once():
    assert cut_offsets(chunking([(0, 3)], [(2, 5)], [(2, 4)])) == [LINES.starts[2]]


def test_pieces():
    assert DiscontinuousChunks.of(chunking([(0, 2)], [(2, 5)])) == DiscontinuousChunks(0, 0)
    assert DiscontinuousChunks.of(SCATTERED) == DiscontinuousChunks(2, 2)
    assert DiscontinuousChunks(5, 14).words(9) == "5 of 9 chunks, 14 order breaks"
    assert DiscontinuousChunks(1, 1).words(1200) == "1 of 1,200 chunks, 1 order break"


def test_sizes_in_all_four_units():
    measured = {
        size.unit: (size.least, size.median, size.mean, size.most)
        for size in summarize_chunk_sizes_by_unit(SCATTERED, load_tokenizer("words"))
    }
    assert measured["sentences"] == (1, 2, pytest.approx(5 / 3), 2)
    assert measured["words"] == (1, 4, 3, 4)
    assert measured["tokens"] == measured["words"]
    # The line break that joins two places counts, as it is in the chunk's text.
    assert measured["characters"] == (3, 12, pytest.approx(28 / 3), 13)
    assert summarize_chunk_sizes_by_unit(Chunking(LINES, (), ()), load_tokenizer("words")) == ()


def test_sizes_without_the_tokenizer_leave_the_tokens_out():
    class Missing:
        name = "missing"

        def count(self, texts):
            raise ModelError("The tokenizer is not there.")

    assert [size.unit for size in summarize_chunk_sizes_by_unit(SCATTERED, Missing())] == [
        "sentences",
        "words",
        "characters",
    ]


def test_what_the_embedder_does_not_read():
    # Four words of which three are read, twice.
    assert TruncatedChunks.of(SCATTERED, Counting()) == TruncatedChunks(2, pytest.approx(2 / 8))
    assert TruncatedChunks.of(chunking([(0, 1)], [(1, 2)]), Counting()) is None


def test_no_row_where_the_embedder_reads_all_or_its_files_are_missing():
    assert TruncatedChunks.of(SCATTERED, HashEmbedder()) is None
    assert TruncatedChunks.of(SCATTERED, Absent()) is None
    assert TruncatedChunks.of(SCATTERED, None) is None


def test_what_is_not_read_in_words():
    sentence = "2 chunks longer than the 3 tokens that hash reads: 25\N{NO-BREAK SPACE}% of their tokens not seen"
    assert TruncatedChunks(2, 0.25).words(Counting()) == sentence
    assert "1 chunk longer" in TruncatedChunks(1, 0.25).words(Counting())
    assert "of its tokens" in TruncatedChunks(1, 0.25).words(Counting())


def test_facts_hold_what_the_head_shows():
    facts = ChunkFacts.of(SCATTERED, load_tokenizer("characters"), Counting())
    assert facts.cuts == tuple(LINES.starts[1:])
    assert facts.discontinuous_chunks == DiscontinuousChunks(2, 2)
    assert facts.truncated_chunks == TruncatedChunks(2, 0.25)
    assert [size.most for size in facts.sizes] == [2, 4, 13, 13]


def test_change_tells_moved_from_added_and_removed():
    document = Document.from_text("\n".join(f"Line {number}." for number in range(20)), "lines")
    starts = document.starts
    at = lambda *numbers: [starts[number] for number in numbers]  # noqa: E731 - an abbreviation
    assert count_added_removed_moved_boundaries(document, at(3, 10), at(3, 10)) == BoundaryChanges(0, 0, 0)
    assert count_added_removed_moved_boundaries(document, at(3, 10), at(5, 10)) == BoundaryChanges(0, 0, 1)
    assert count_added_removed_moved_boundaries(document, at(3, 10), at(6, 10)) == BoundaryChanges(1, 1, 0)
    assert count_added_removed_moved_boundaries(document, [], at(4, 9)) == BoundaryChanges(2, 0, 0)
    assert count_added_removed_moved_boundaries(document, at(4, 5, 6), at(7)) == BoundaryChanges(0, 2, 1)
    assert BoundaryChanges(2, 0, 1).added_removed_moved_in_words() == "2 added, 1 moved"
    assert BoundaryChanges(0, 0, 0).added_removed_moved_in_words() == "no boundary"


def test_against_known():
    assert count_found_missed_added([3, 9, 12], [9, 12, 20]) == (2, 1, 1)
    assert count_found_missed_added([], []) == (0, 0, 0)
    assert count_found_missed_added(cut_offsets(SCATTERED), [LINES.starts[4]]) == (1, 0, 3)


@pytest.mark.parametrize(("value", "said"), [(0, "0"), (2.5, "2.5"), (123.4, "123"), (1055, "1,060"), (999.9, "1,000")])
def test_figures(value, said):
    assert format_three_figures(value) == said


@pytest.mark.parametrize(("share", "said"), [(0.001, "1"), (0.184, "18"), (0.999, "99")])
def test_percent_is_never_none_or_all(share, said):
    assert format_percentage_1_to_99(share) == f"{said}\N{NO-BREAK SPACE}%"


def test_chunks_in_pieces_can_mix_sections_though_every_boundary_is_as_known():
    known = [LINES.sentences[2].start, LINES.sentences[4].start]
    apart = chunking([(0, 2)], [(2, 4)], [(4, 5)])
    mixed = chunking([(0, 2), (4, 5)], [(2, 4)])
    assert cut_offsets(apart) == cut_offsets(mixed)
    assert mixed_chunk_section_counts(apart, known) == {}
    assert mixed_chunk_section_counts(mixed, known) == {0: 2}
    assert mixed_chunk_section_counts(chunking([(0, 5)]), known) == {0: 3}
    assert mixed_chunk_section_counts(mixed, []) == {}
