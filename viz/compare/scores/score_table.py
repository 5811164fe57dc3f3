"""A sortable table with a row per column of Compare; a click on a row selects the column."""

from collections.abc import Callable, Sequence
from typing import TypedDict

from evaluation.report.cells import Cell, Head
from viz.components.browser_exchange import Component, take_event
from viz.shell import ColumnResult, settings_in_words, waiting_status_phrase
from viz.state import Choices


class ScoresData(TypedDict):
    """Payload of the score table: its headings and rows, the paragraphs around it, and the selected column.

    Attributes
    ----------
    said, note
        The paragraphs above and below the table; each may be empty.
    heads
        The column headings, one per cell of a row, without the heading of the names.
    limit
        The value at which the dot strips have a line; None for no line.
    chosen
        The number of the chosen column, from 0.
    """

    said: str
    note: str
    heads: "list[HeadData]"
    rows: "list[RowData]"
    limit: float | None
    chosen: int


_table = Component[ScoresData](
    "seamark_scores",
    "compare/scores/score_table.js",
    "components/shared/common.css",
    "compare/scores/score_table.css",
    html='<div class="scores"></div>',
    colours="scores",
)


class HeadData(TypedDict):
    """A column heading of the score table: its label and an explanation."""

    label: str
    help: str


class RowData(TypedDict):
    """A row of the score table: a column of Compare or, with ``column`` None, a trivial baseline.

    ``message`` explains missing cells.
    """

    column: int | None
    title: str
    settings: str
    message: str
    cells: "list[CellData]"


class CellData(TypedDict):
    """A cell of the score table, with the value by which the table is sorted.

    Attributes
    ----------
    text, value
        The displayed text, and the value by which the table is sorted; None sorts last.
    why
        An explanation of the value.
    best
        True if no other row has a better value.
    dots
        Values drawn as a strip of dots above the text; may be empty.
    """

    text: str
    value: float | None
    why: str
    best: bool
    dots: list[int]


def score_table_row(
    column: int | None, title: str, settings: str = "", cells: Sequence[Cell] = (), message: str = ""
) -> RowData:
    """Return a row of the score table, for a column of Compare or a trivial baseline."""
    cell_payloads: list[CellData] = [{**cell._asdict(), "best": False, "dots": [*cell.dots]} for cell in cells]  # type: ignore[typeddict-item]
    return {"column": column, "title": title, "settings": settings, "message": message, "cells": cell_payloads}


def score_row_of_column(number: int, column: ColumnResult, cells: Sequence[Cell] = (), message: str = "") -> RowData:
    """Return the row of a column of Compare; without cells and a message, it says why the column has no result."""
    if not cells:
        message = message or column.error or waiting_status_phrase()
    return score_table_row(number, column.title, settings_in_words(column), cells, message)


def mark_best_cells(rows: Sequence[RowData], place: int, better: Callable[[list[float]], float]) -> None:
    """Mark the best cells of one table column, unless all are equal; ``better`` is `min` or `max`."""
    table_column_cells = [row["cells"][place] for row in rows if row["cells"]]
    defined_cell_values = [cell["value"] for cell in table_column_cells if cell["value"] is not None]
    if len(set(defined_cell_values)) > 1:
        best_value = better(defined_cell_values)
        for cell in table_column_cells:
            cell["best"] = cell["value"] == best_value


def draw_score_table(
    choices: Choices,
    heads: Sequence[Head],
    rows: list[RowData],
    *,
    key: str,
    said: str = "",
    note: str = "",
    limit: float | None = None,
) -> None:
    """Draw the score table; a click on a row selects that column in ``choices``."""

    def select_clicked_column() -> None:
        if (event := take_event(key, "chosen")) and 0 <= int(event["column"]) < len(choices.columns):
            choices.selected = int(event["column"])

    _table(
        key=key,
        data={
            "said": said,
            "note": note,
            "heads": [{"label": head.label, "help": head.help} for head in heads],
            "rows": rows,
            "limit": limit,
            "chosen": choices.selected,
        },
        on_chosen_change=select_clicked_column,
    )
