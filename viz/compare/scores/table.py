"""A table with a row per column of Compare, which the browser sorts; a click on a row chooses the column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

import streamlit as st

from evaluation.tables.cells import Cell, Head
from viz.components.assets import script, styles
from viz.components.mounting import component
from viz.state.choices import Choices
from viz.theme import palette

_table = component(
    "seamark_scores",
    html='<div class="scores"></div>',
    css=palette.css("scores") + "\n" + styles("components/shared/common.css", "compare/scores/table.css"),
    js=script("compare/scores/table.js"),
)


class ScoresData(TypedDict):
    """The table.

    Attributes
    ----------
    said, note
        The paragraphs above and below it; each may be empty.
    heads
        One for each cell of a row; that of its name is not among them.
    limit
        Where the strips of dots have a line; None for none.
    chosen
        The number of the chosen column, from 0.
    """

    said: str
    note: str
    heads: list[HeadData]
    rows: list[RowData]
    limit: float | None
    chosen: int


class HeadData(TypedDict):
    """The head of a column of the table: its label, and an explanation."""

    label: str
    help: str


class RowData(TypedDict):
    """A column of Compare, or a trivial answer, whose ``column`` is None; without cells, ``message`` says why."""

    column: int | None
    title: str
    settings: str
    message: str
    cells: list[CellData]


class CellData(TypedDict):
    """A number.

    Attributes
    ----------
    text, value
        As it is shown, and what it is sorted by; None comes last.
    why
        An explanation of this one.
    best
        True if no other row has a better one.
    dots
        Drawn as a strip above the text, if there are any.
    """

    text: str
    value: float | None
    why: str
    best: bool
    dots: list[int]


def row(column: int | None, title: str, settings: str = "", cells: Sequence[Cell] = (), message: str = "") -> RowData:
    """Return a row."""
    shown: list[CellData] = [{**one._asdict(), "best": False, "dots": [*one.dots]} for one in cells]  # type: ignore[typeddict-item]
    return {"column": column, "title": title, "settings": settings, "message": message, "cells": shown}


def mark_best(rows: Sequence[RowData], place: int, better: Callable[[list[float]], float]) -> None:
    """Mark the best cells at a place of the rows, unless all are equal; ``better`` is `min` or `max`."""
    cells = [row["cells"][place] for row in rows if row["cells"]]
    values = [one["value"] for one in cells if one["value"] is not None]
    if len(set(values)) > 1:
        top = better(values)
        for one in cells:
            one["best"] = one["value"] == top


def draw(
    choices: Choices,
    heads: Sequence[Head],
    rows: list[RowData],
    *,
    key: str,
    said: str = "",
    note: str = "",
    limit: float | None = None,
) -> None:
    """Draw the table, see `ScoresData`; a click on a row chooses the column in ``choices``."""

    def chosen() -> None:
        column = int(st.session_state[key]["chosen"]["column"])
        if 0 <= column < len(choices.columns):
            choices.selected = column

    data: ScoresData = {
        "said": said,
        "note": note,
        "heads": [{"label": head.label, "help": head.help} for head in heads],
        "rows": rows,
        "limit": limit,
        "chosen": choices.selected,
    }
    _table(key=key, data=data, on_chosen_change=chosen)
