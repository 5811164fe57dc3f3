"""The component that draws the lists of the Failures page: the gallery and the table of measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict

from viz.components.assets import script, styles
from viz.components.mounting import component
from viz.theme import palette

_lists = component(
    "seamark_failures",
    html='<div class="failures"></div>',
    css=palette.css("failures") + "\n" + styles("failures/lists.css"),
    js=script("failures/lists.js"),
)


class GalleryData(TypedDict):
    """The documents, and the id of the one shown."""

    part: Literal["gallery"]
    cards: list[CardData]
    chosen: str


class CardData(TypedDict):
    """A document: its lesson, and its number of known boundaries."""

    id: str
    title: str
    teaches: str
    known: str


class TableData(TypedDict):
    """The measures: column headers, rows, the row whose result the text shows, and a note why some have no value.

    A header comes with what it means, or with an empty string.
    """

    part: Literal["table"]
    head: list[tuple[str, str]]
    rows: list[MeasuredData]
    chosen: ChosenData
    note: str


class ChosenData(TypedDict):
    """The key of a row: one of `viz.failures.results.RESULTS`, and the number of its chunker or of Compare's column."""

    column: int
    result: str


class MeasuredData(ChosenData):
    """A row: a chunker and its settings, with the cells, or a message instead."""

    title: str
    which: str
    settings: str
    message: str
    cells: list[CellData]


class CellData(TypedDict):
    """A measure in words, the reason if it is undefined, and whether it is the best of its column."""

    text: str
    why: str
    best: bool


def draw(data: GalleryData | TableData, key: str, on_chosen: Callable[[], None] | None = None) -> None:
    """Draw the list for ``data``; in ``on_chosen``, ``st.session_state[key]["chosen"]`` is the user's choice."""
    if on_chosen is None:
        _lists(key=key, data=data)
    else:
        _lists(key=key, data=data, on_chosen_change=on_chosen)
