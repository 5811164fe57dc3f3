"""The component that draws the lists of the Failures page: its gallery, the table of measures, and the inbox."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict

import streamlit as st

from viz.components.assets import script, styles
from viz.theme import palette

_lists = st.components.v2.component(
    "seamark_failures",
    html='<div class="failures"></div>',
    css=palette.css("failures") + "\n" + styles("failures/lists.css"),
    js=script("failures/lists.js"),
)


class GalleryData(TypedDict):
    """The documents, and the id of the one that is shown."""

    part: Literal["gallery"]
    cards: list[CardData]
    chosen: str


class CardData(TypedDict):
    """A document: what it teaches, and how many boundaries are known."""

    id: str
    title: str
    teaches: str
    known: str


class TableData(TypedDict):
    """The measures: the heads of the columns, the rows, the one that the text shows, and why some have no value."""

    part: Literal["table"]
    head: list[str]
    rows: list[MeasuredData]
    chosen: ChosenData
    note: str


class ChosenData(TypedDict):
    """Which row: the number of its chunker, and which of that one's settings."""

    column: int
    result: str


class MeasuredData(ChosenData):
    """A row: a chunker and its settings; its cells, or the message in their place."""

    title: str
    which: str
    settings: str
    message: str
    cells: list[CellData]


class CellData(TypedDict):
    """A measure in words, why it has no value, and whether no other row is better."""

    text: str
    why: str
    best: bool


class InboxData(TypedDict):
    """Suspicious cuts: a summary, how many each rule found and why it looks, a list of `FindingData` as JSON.

    ``source`` names the result that they are of; ``more`` are those that are not listed.
    """

    part: Literal["inbox"]
    source: str
    summary: str
    counts: list[tuple[str, int, str]]
    rows: str
    more: int


class FindingData(TypedDict):
    """One of them: its rule, what was found, the passage, and its half-open range of sentences."""

    title: str
    reason: str
    passage: str
    range: tuple[int, int]


def draw(data: GalleryData | TableData | InboxData, key: str, on_chosen: Callable[[], None] | None = None) -> None:
    """Draw the part that ``data`` is for; what is chosen in it is ``st.session_state[key]["chosen"]`` in ``on_chosen``."""
    if on_chosen is None:
        _lists(key=key, data=data)
    else:
        _lists(key=key, data=data, on_chosen_change=on_chosen)
