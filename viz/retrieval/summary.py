"""The few figures that a page is about, in large type side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from viz.components.assets import script, styles

_summary = st.components.v2.component(
    "seamark_summary", html="<dl></dl>", css=styles("retrieval/summary.css"), js=script("retrieval/summary.js")
)


class Cell(NamedTuple):
    """One of them: what it is, the figure itself, and what else there is to say."""

    label: str
    value: str
    detail: str


def show_summary(cells: Sequence[Cell], *, key: str) -> None:
    """Draw them; they may hold user text, which is text and nothing else."""
    _summary(key=key, data=[list(cell) for cell in cells])
