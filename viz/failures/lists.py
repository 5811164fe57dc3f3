"""The lists of the Failures page, drawn by one component: the document gallery and the table of measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from chunkers.recipes.registry import chunker_class
from evaluation.segmentation.sweep import MEASURES
from viz.components.mounting import Component, take_event
from viz.failures.results import SEARCH_MEASURE, MeasuredSetting
from viz.state.choices import Choices
from viz.state.values import Data
from viz.theme.glossary import SEGMENTATION

_lists = Component[Data](
    "seamark_failures", "failures/lists.js", "failures/lists.css", html='<div class="failures"></div>', colours="failures"
)


class GalleryData(TypedDict):
    """Payload of the document gallery: a card for each document, and the id of the document shown."""

    part: Literal["gallery"]
    cards: list[CardData]
    chosen: str


class CardData(TypedDict):
    """A document in the gallery: its id, its title, what it teaches, and its number of known boundaries."""

    id: str
    title: str
    teaches: str
    known: str


class TableData(TypedDict):
    """Payload of the table of measures, with the selected row.

    Each header has an explanation, which may be empty. ``note`` explains why some measures have no value.
    """

    part: Literal["table"]
    head: list[tuple[str, str]]
    rows: list[MeasuredData]
    chosen: ChosenData
    note: str


class ChosenData(TypedDict):
    """Key of a row in the table of measures: the kind of result, and the index of its chunker or Compare column.

    ``result`` is one of `viz.failures.results.RESULTS`.
    """

    column: int
    result: str


class MeasuredData(ChosenData):
    """A row of the table of measures: a chunker, its settings, and its cells, or a message instead of cells."""

    title: str
    which: str
    settings: str
    message: str
    cells: list[CellData]


class CellData(TypedDict):
    """A cell of the table: a measure in words, the reason if it is undefined, and whether it is the best in its column."""

    text: str
    why: str
    best: bool


def draw_list(data: GalleryData | TableData, key: str, on_chosen: Callable[[dict[str, Any]], None]) -> None:
    """Draw the gallery of documents or the table of measures; ``on_chosen`` is called with each entry that is selected."""

    def chosen() -> None:
        if event := take_event(key, "chosen"):
            on_chosen(event)

    _lists(key=key, data=data, on_chosen_change=chosen)


SHOWN = {
    SEARCH_MEASURE: "Misassigned",
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "f1": "Boundary F1",
    "crossing": "Crossing",
}
"""The measures of the table."""


def show_table(choices: Choices, shown: Sequence[MeasuredSetting]) -> None:
    """Draw the table of each chunker's measures, or a list of the chunkers if no boundaries are known.

    A click on a row shows its result in the text.
    """
    # Compare's columns, then each chunker's published and best settings side by side.
    ordered = sorted(shown, key=lambda measured: (measured.which != "compare", measured.column))
    known = any(measured.scores is not None for measured in shown)
    tops = _best_values(shown)
    rows: list[MeasuredData] = [
        {
            "column": measured.column,
            "result": measured.which,
            "title": chunker_class(measured.setting.chunker).title,
            "which": measured.title,
            "settings": measured.made.chunker.describe() if measured.made.chunker is not None else measured.setting.words(),
            "message": measured.made.error or ("" if measured.made.chunking is not None else "waits for its embeddings"),
            "cells": _cells(measured, tops),
        }
        for measured in ordered
    ]
    scores = [measured.scores[name] for measured in ordered if measured.scores for name in SHOWN]
    reasons = {score.undefined for score in scores if score.value is None}

    def chosen(row: dict[str, Any]) -> None:
        choices.selected, choices.extra["result"] = int(row["column"]), str(row["result"])

    data: TableData = {
        "part": "table",
        "head": [("Chunker and its settings", ""), ("Chunks", ""), *(_heads() if known else [])],
        "rows": rows,
        "chosen": {"column": choices.selected, "result": choices.extra["result"]},
        "note": "Undefined where " + " or ".join(sorted(reasons)) + "." if reasons else "",
    }
    draw_list(data, key="measures", on_chosen=chosen)


def _heads() -> list[tuple[str, str]]:
    return [(title, SEGMENTATION[title]) for title in SHOWN.values()]


def _best_values(shown: Sequence[MeasuredSetting]) -> dict[str, float]:
    """Return the best value of each measure; empty until all rows have their results."""
    if any(measured.made.chunking is None and not measured.made.error for measured in shown):
        return {}
    values = {
        name: [value for measured in shown if measured.scores and (value := measured.scores[name].value) is not None]
        for name in SHOWN
    }
    return {name: (max if MEASURES[name] else min)(column) for name, column in values.items() if column}


def _cells(setting: MeasuredSetting, tops: Mapping[str, float]) -> list[CellData]:
    """Return the cells of a row."""
    if setting.made.chunking is None:
        return []
    chunking = setting.made.chunking
    cells: list[CellData] = [{"text": f"{len(chunking.chunks):,}", "why": "", "best": False}]
    for name in SHOWN if setting.scores is not None else ():
        assert setting.scores is not None
        score = setting.scores[name]
        text = "undefined" if score.value is None else f"{score.value:.2f}"
        if name == "misassigned":
            text = f"{len(setting.wrong):,}"
        elif name == "crossing" and score.value is not None:
            text = f"{round(score.value * len(chunking.chunks)):,}"
        cells.append({"text": text, "why": score.undefined, "best": name in tops and score.value == tops[name]})
    return cells
