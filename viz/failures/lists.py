"""The component that draws the lists of the Failures page: the document gallery and the table of measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypedDict

from viz.components.assets import script, styles
from viz.components.mounting import component, take_event
from viz.theme import palette

_lists = component(
    "seamark_failures",
    html='<div class="failures"></div>',
    css=palette.css("failures") + "\n" + styles("failures/lists.css"),
    js=script("failures/lists.js"),
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


def draw(data: GalleryData | TableData, key: str, on_chosen: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Draw the gallery of documents or the table of measures; ``on_chosen`` is called with each entry that is selected."""

    def chosen() -> None:
        if on_chosen is not None and (event := take_event(key, "chosen")):
            on_chosen(event)

    if on_chosen is None:
        _lists(key=key, data=data)
    else:
        _lists(key=key, data=data, on_chosen_change=chosen)
