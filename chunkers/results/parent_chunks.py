"""Parents and children among chunks, as parent-document and hierarchical retrieval index them."""

from bisect import bisect_left
from collections.abc import Sequence

from chunkers.results.result import Chunk
from chunkers.text import Span


def find_chunk_indices_with_children(chunks: "Sequence[Chunk]") -> list[int]:
    """Return the numbers of the chunks that are parents, in the order of the text; empty if the chunks have one level.

    A chunk that lies inside no other is a parent if every such chunk has children inside it, and any has two or more. So
    chunks that merely overlap are no parents, nor are chunks if one of them lies in several places. Of equal chunks the
    first is the parent. Levels below the children count as children.
    """
    return _find_span_indices_with_children([chunk.spans for chunk in chunks])


def parent_index_by_child(spans_by_chunk: "Sequence[Sequence[Span]]") -> dict[int, int]:
    """Return the number of each child's parent, by the child's number; empty if the chunks have one level.

    ``spans_by_chunk`` has the spans of each chunk; parents are those of `find_chunk_indices_with_children`. A child inside
    several overlapping parents belongs to the first: chunks that are longer than the overlap lie inside two parents only at
    the end of the first.
    """
    all_parent_chunk_numbers = _find_span_indices_with_children(spans_by_chunk)
    parent_ends = [spans_by_chunk[parent][0].end for parent in all_parent_chunk_numbers]
    child_chunk_numbers = (
        set(range(len(spans_by_chunk))) - set(all_parent_chunk_numbers) if all_parent_chunk_numbers else set()
    )
    return {
        child: all_parent_chunk_numbers[bisect_left(parent_ends, spans_by_chunk[child][0].end)]
        for child in sorted(child_chunk_numbers)
    }


def _find_span_indices_with_children(spans_of_every_chunk: "Sequence[Sequence[Span]]") -> list[int]:
    if any(len(spans) > 1 for spans in spans_of_every_chunk):
        return []
    child_count_by_parent: dict[int, int] = {}
    parent_end, latest_parent_number = -1, -1
    for examined_chunk_number in sorted(
        range(len(spans_of_every_chunk)),
        key=lambda number: (spans_of_every_chunk[number][0].start, -spans_of_every_chunk[number][0].end, number),
    ):
        chunk_end_offset = spans_of_every_chunk[examined_chunk_number][0].end
        if chunk_end_offset <= parent_end:
            child_count_by_parent[latest_parent_number] += 1
        else:
            parent_end, latest_parent_number = chunk_end_offset, examined_chunk_number
            child_count_by_parent[examined_chunk_number] = 0
    has_parents_and_children = (
        bool(child_count_by_parent) and min(child_count_by_parent.values()) > 0 and max(child_count_by_parent.values()) > 1
    )
    return list(child_count_by_parent) if has_parents_and_children else []
