"""The chunks as a list, each with the places that it lies in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import streamlit as st

from viz.clustering.coloured import Coloured
from viz.components.assets import script, styles
from viz.theme import palette

_chunk_list = st.components.v2.component(
    "seamark_chunk_list",
    html='<div class="chunks"></div>',
    css=palette.css("chunks") + styles("clustering/chunk_list.css"),
    js=script("clustering/chunk_list.js"),
)


def chunk_list(coloured: Coloured, tags: Sequence[str], breaks: str, key: str) -> None:
    """Mount the list of the chunks and their sentences, which lead to the text.

    ``tags`` are a word about every chunk in place of its size, or nothing; ``breaks`` is a sentence about the text's order.
    """
    _chunk_list(key=key, data=asdict(coloured) | {"tags": tags, "breaks": breaks})
