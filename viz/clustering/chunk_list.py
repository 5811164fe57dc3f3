"""The list of chunks on the Clustering page, each with its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from viz.components.assets import script, styles
from viz.components.heatmap.coloured import Coloured
from viz.components.mounting import component
from viz.theme import palette

_chunk_list = component(
    "seamark_chunk_list",
    html='<div class="chunks"></div>',
    css=palette.css("chunks") + styles("clustering/chunk_list.css"),
    js=script("clustering/chunk_list.js"),
)


class ChunkListData(TypedDict):
    """Payload of the list of chunks: their sentences, colours and tags, and a sentence on breaks in the text's order."""

    chunk_of: list[int]
    grounds: list[int]
    tags: list[str]
    breaks: str


def chunk_list(coloured: Coloured, tags: Sequence[str], breaks: str, key: str) -> None:
    """Mount the list of the chunks with their sentences, linked to the text.

    ``tags`` has a string per chunk, shown instead of its size if not empty; ``breaks`` is a sentence about the order breaks.
    """
    data: ChunkListData = {
        "chunk_of": list(coloured.chunk_of),
        "grounds": list(coloured.grounds),
        "tags": list(tags),
        "breaks": breaks,
    }
    _chunk_list(key=key, data=data)
