"""Parents and children among chunks, as parent-document and hierarchical retrieval index them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chunkers.results.result import Chunk


def parents_among(chunks: Sequence[Chunk]) -> list[int]:
    """Return the numbers of the chunks that are parents, in the order of the text; empty if the chunks have one level.

    A chunk that lies inside no other is a parent if every such chunk has children inside it, and any has two or more. So
    chunks that merely overlap are no parents, nor are chunks if one of them lies in several places. Of equal chunks the
    first is the parent. Levels below the children count as children.
    """
    if any(len(chunk.spans) > 1 for chunk in chunks):
        return []
    children: dict[int, int] = {}
    reach, latest = -1, -1
    for number in sorted(range(len(chunks)), key=lambda number: (chunks[number].start, -chunks[number].end, number)):
        if chunks[number].end <= reach:
            children[latest] += 1
        else:
            reach, latest = chunks[number].end, number
            children[number] = 0
    has_levels = bool(children) and min(children.values()) > 0 and max(children.values()) > 1
    return list(children) if has_levels else []
