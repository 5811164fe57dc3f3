"""The table of measures on the Failures page; a click on a row shows its result in the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chunkers.recipes.registry import chunker_class
from evaluation.segmentation.sweep import MEASURES
from viz.failures.lists import CellData, MeasuredData, TableData, draw
from viz.failures.results import MeasuredSetting
from viz.failures.search import BY
from viz.state.choices import Choices
from viz.theme.glossary import SEGMENTATION

SHOWN = {
    BY: "Misassigned",
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "f1": "Boundary F1",
    "crossing": "Crossing",
}
"""The measures of the table."""


def show_table(choices: Choices, shown: Sequence[MeasuredSetting]) -> None:
    """Draw the table of each chunker's measures, or a list of the chunkers if no boundaries are known."""
    # Compare's columns, then each chunker's published and best settings side by side.
    ordered = sorted(shown, key=lambda measured: (measured.which != "compare", measured.column))
    known = any(measured.scores is not None for measured in shown)
    tops = _tops(shown)
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
    draw(data, key="measures", on_chosen=chosen)


def _heads() -> list[tuple[str, str]]:
    return [(title, SEGMENTATION[title]) for title in SHOWN.values()]


def _tops(shown: Sequence[MeasuredSetting]) -> dict[str, float]:
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
