"""The key figures of a run, in large type side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from viz.components.assets import script, styles
from viz.components.mounting import component

_summary = component(
    "seamark_summary", html="<dl></dl>", css=styles("retrieval/summary.css"), js=script("retrieval/summary.js")
)


class Cell(NamedTuple):
    """A key figure: its label, the value, and a line of detail."""

    label: str
    value: str
    detail: str


def show_summary(cells: Sequence[Cell], *, key: str) -> None:
    """Draw key figures side by side; user text in them is shown verbatim."""
    _summary(key=key, data={"cells": [list(cell) for cell in cells]})
