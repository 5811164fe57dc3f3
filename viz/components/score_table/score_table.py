"""A sortable table of measures; a click on a row selects it: a column of Compare, or a result on Failures."""

from collections.abc import Callable, Sequence
from typing import TypedDict

from evaluation.report.measure_table_cells import Cell, Head
from viz.components.browser_exchange import Component, take_event
from viz.state import Choices


class ScoresData(TypedDict):
    """Payload of the score table: its headings and rows, the paragraphs around it, and the chosen row.

    Attributes
    ----------
    said, note
        The paragraphs above and below the table; each may be empty.
    names
        The heading of the names.
    heads
        The other column headings, one per cell of a row.
    limit
        The value at which the dot strips have a line; None for no line.
    chosen
        The key of the chosen row.
    action
        What a click on a row does, for its tooltip.
    compact
        True if the table stands in a narrow place.
    """

    said: str
    note: str
    names: str
    heads: "list[HeadData]"
    rows: "list[RowData]"
    limit: float | None
    chosen: "RowKeyData"
    action: str
    compact: bool


_score_table_component = Component[ScoresData](
    "seamark_scores",
    "components/score_table/score_table.js",
    "components/shared/common.css",
    "components/score_table/score_table.css",
    html='<div class="scores"></div>',
    colour_group_name="scores",
)


class HeadData(TypedDict):
    """A column heading of the score table: its label and an explanation."""

    label: str
    help: str


class RowKeyData(TypedDict):
    """Key of a row: the number of its column of Compare, or of its chunker, and the kind of the result.

    A trivial baseline has the number None and cannot be chosen. Only the results on Failures have a kind.
    """

    column: int | None
    kind: str


class RowData(RowKeyData):
    """A row of the score table: a chunker, the origin of its settings, which may be empty, its settings, and its cells.

    ``message`` explains missing cells.
    """

    title: str
    origin: str
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
    column_index: int | None,
    row_title: str,
    settings_description: str = "",
    score_cells: Sequence[Cell] = (),
    message_if_no_cells: str = "",
    *,
    result_kind: str = "",
    settings_origin: str = "",
) -> RowData:
    """Return a row of the score table, for a column of Compare, a result on Failures, or a trivial baseline.

    ``message_if_no_cells`` is shown if there are no cells.
    """
    return {
        "column": column_index,
        "kind": result_kind,
        "title": row_title,
        "origin": settings_origin,
        "settings": settings_description,
        "message": "" if score_cells else message_if_no_cells,
        "cells": [{**cell._asdict(), "best": False, "dots": [*cell.dots]} for cell in score_cells],  # type: ignore[typeddict-item]
    }


def flag_best_cells_in_column(rows: Sequence[RowData], cell_index: int, best_of: Callable[[list[float]], float]) -> None:
    """Mark the best cells of one table column, unless all are equal; ``best_of`` is `min` or `max`."""
    table_column_cells = [row["cells"][cell_index] for row in rows if len(row["cells"]) > cell_index]
    defined_cell_values = [cell["value"] for cell in table_column_cells if cell["value"] is not None]
    if len(set(defined_cell_values)) > 1:
        best_value = best_of(defined_cell_values)
        for cell in table_column_cells:
            cell["best"] = cell["value"] == best_value


def draw_table_of_measures(
    choices: Choices,
    heads: Sequence[Head],
    rows: list[RowData],
    *,
    key: str,
    introduction: str = "",
    note: str = "",
    token_limit: float | None = None,
    name_column_head: str = "Column",
    row_action_label: str = "Show the settings of this column",
    is_compact: bool = False,
) -> None:
    """Draw the score table; a click on a row selects its column, and its kind of result if it has one, in ``choices``."""

    def select_clicked_row() -> None:
        if (row_click_event := take_event(key, "chosen")) and 0 <= int(row_click_event["column"]) < len(choices.columns):
            choices.selected = int(row_click_event["column"])
            if row_click_event["kind"]:
                choices.extra["result"] = str(row_click_event["kind"])

    _score_table_component(
        key=key,
        data={
            "said": introduction,
            "note": note,
            "names": name_column_head,
            "heads": [{"label": head.label, "help": head.help} for head in heads],
            "rows": rows,
            "limit": token_limit,
            "chosen": {"column": choices.selected, "kind": choices.extra.get("result", "")},
            "action": row_action_label,
            "compact": is_compact,
        },
        on_chosen_change=select_clicked_row,
    )
