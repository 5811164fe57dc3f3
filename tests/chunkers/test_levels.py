"""Parents among chunks: those of two levels, and none of chunks that only overlap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Document, Span, build_chunker
from chunkers.results.parent_chunks import find_chunk_indices_with_children, parent_index_by_child
from chunkers.results.result import Chunk
from tests.support import cut

TEXT = Document.from_text("x" * 100, "lines")


def chunks(*spans):
    return [Chunk.of(TEXT, Span(start, end)) for start, end in spans]


@pytest.mark.parametrize(
    ("spans", "parents"),
    [
        # A child sorts before its parent where it ends first.
        ([(0, 10), (0, 30), (10, 30), (30, 40), (30, 50), (40, 50)], [1, 4]),
        # A short parent is its own only child.
        ([(0, 30), (0, 15), (15, 30), (30, 40), (30, 40)], [0, 3]),
        # Overlapping children, overlapping parents, and a level below.
        ([(0, 30), (0, 20), (10, 30), (25, 60), (30, 60), (30, 45)], [0, 3]),
        # Chunks that overlap, the last one inside the one before.
        ([(0, 20), (15, 35), (30, 50), (45, 50)], []),
        # Two equal chunks are no levels.
        ([(0, 20), (0, 20)], []),
        ([(0, 20), (20, 40)], []),
        ([], []),
    ],
)
def test_parents_hold_children_and_all_others_are_children(spans, parents):
    assert find_chunk_indices_with_children(chunks(*spans)) == parents


@pytest.mark.parametrize(
    ("spans", "parents"),
    [
        ([(0, 10), (0, 30), (10, 30), (30, 40), (30, 50), (40, 50)], {0: 1, 2: 1, 3: 4, 5: 4}),
        # A short parent is its own only child.
        ([(0, 30), (0, 15), (15, 30), (30, 40), (30, 40)], {1: 0, 2: 0, 4: 3}),
        # The third and the last lie in the overlap of two parents.
        ([(0, 30), (0, 20), (25, 30), (25, 60), (30, 60), (26, 30)], {1: 0, 2: 0, 4: 3, 5: 0}),
        ([(0, 20), (15, 35)], {}),
        ([], {}),
    ],
)
def test_every_child_has_the_first_parent_that_holds_it(spans, parents):
    assert parent_index_by_child([[Span(*span)] for span in spans]) == parents


def test_chunks_in_several_places_have_no_levels():
    assert find_chunk_indices_with_children([Chunk.of(TEXT, Span(0, 10), Span(40, 50)), *chunks((10, 20), (20, 30))]) == []


@given(st.integers(1, 30), st.integers(0, 29))
def test_a_chunker_with_overlap_has_no_levels(size, overlap):
    made = cut(build_chunker("fixed_characters", {"size": size, "overlap": min(overlap, size - 1)}), "abcd efgh. " * 9)
    assert find_chunk_indices_with_children(made.chunks) == []
