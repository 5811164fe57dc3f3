"""The component that draws numbered pictures of a short text: sentences, chunks, scores at gaps, and a ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypedDict

import streamlit as st

from chunkers import Chunking, Document, Span
from viz.components.assets import script, styles
from viz.components.mounting import component
from viz.theme import palette
from viz.theme.glossary import Piece

LONGEST_ROW = 400
"""Most characters of a sentence that a picture shows."""

_pictures = component(
    "seamark_pictures",
    html='<div class="pictures"></div>',
    css=palette.css("pictures") + "\n" + styles("components/shared/common.css", "guide/pictures.css"),
    js=script("guide/pictures.js"),
)


class PartData(TypedDict):
    """Part of a sentence, with the numbers of its chunks, from 0, and whether it is marked as the answer."""

    text: str
    chunks: list[int]
    marked: bool


class RowData(TypedDict):
    """A sentence of a picture, with its number or another label."""

    label: str
    parts: list[PartData]


class GapData(TypedDict):
    """A chunker's decision at the gap after a sentence of a picture.

    Attributes
    ----------
    said
        The decision or the number, in words.
    share, line
        Positions of the score and of its threshold on a gauge from 0 to 1; None if there is none.
    cut
        True if a chunk ends here.
    """

    said: str
    share: float | None
    line: float | None
    cut: bool


class RankData(TypedDict):
    """A ranked chunk: its number from 0, its beginning, its distance in words, and its bar's length from 0 to 1."""

    chunk: int
    text: str
    said: str
    share: float


class AskData(TypedDict):
    """Payload of the text field for a question: its current text, its maximum length, and an error message."""

    question: str
    longest: int
    complaint: str


class PictureData(TypedDict):
    """Payload of a picture: its title, paragraphs, sentences, gaps, formula and ranking, as far as it has any.

    Attributes
    ----------
    said
        Paragraphs, each as a list of `Piece`.
    tokens
        The first tokens of the first sentence; may be empty.
    rows
        Sentences; ``before`` and ``after`` describe the text omitted before and after them.
    gaps
        The decisions between the rows; may be empty.
    formula
        Lines of a formula with its values; may be empty.
    ranks
        Ranked chunks, nearest first.
    ask
        The text field for a question; None if the picture has none.
    waits
        The reason why the picture is still empty; otherwise empty.
    """

    title: str
    said: list[list[Piece]]
    tokens: list[str]
    before: str
    rows: list[RowData]
    gaps: list[GapData]
    after: str
    formula: list[str]
    ranks: list[RankData]
    ask: AskData | None
    waits: str


class PicturesData(TypedDict):
    """Payload of several numbered pictures, in order; in ``small`` pictures, each sentence takes one line."""

    pictures: list[PictureData]
    small: bool


def picture(title: str, *said: list[Piece]) -> PictureData:
    """Return a picture that has only a title and paragraphs."""
    return {
        "title": title,
        "said": [*said],
        "tokens": [],
        "before": "",
        "rows": [],
        "gaps": [],
        "after": "",
        "formula": [],
        "ranks": [],
        "ask": None,
        "waits": "",
    }


def rows_of(
    document: Document, numbers: Sequence[int], chunking: Chunking | None = None, marked: Span | None = None
) -> list[RowData]:
    """Return the given sentences as rows of a picture, split at chunk boundaries and around the ``marked`` span."""
    if not numbers:
        return []
    first, end = document.sentences[numbers[0]].start, document.sentences[numbers[-1]].end
    spans = [
        (span, number)
        for number, chunk in enumerate(() if chunking is None else chunking.chunks)
        for span in chunk.spans
        if span.start < end and first < span.end
    ]
    rows: list[RowData] = []
    for number in numbers:
        start, end = document.sentences[number]
        shown = min(end, start + LONGEST_ROW)
        edges = {start, shown, *(edge for span, _ in spans for edge in span), *(marked or ())}
        inside = sorted(edge for edge in edges if start <= edge <= shown)
        parts: list[PartData] = [
            {
                "text": document.text[left:right] + "…" * (right == shown < end),
                "chunks": [chunk for span, chunk in spans if span.start <= left and right <= span.end],
                "marked": marked is not None and marked.start <= left and right <= marked.end,
            }
            for left, right in pairwise(inside)
        ]
        rows.append({"label": str(number + 1), "parts": parts})
    return rows


def show_pictures(
    pictures: Sequence[PictureData], key: str, *, small: bool = False, asked: Callable[[str], None] = lambda _: None
) -> None:
    """Draw pictures of the Guide; ``asked`` is called with each question that the user enters in a picture."""

    def heard() -> None:
        told = (st.session_state.get(key) or {}).get("asked")
        if told:
            asked(str(told["question"]))

    data: PicturesData = {"pictures": [*pictures], "small": small}
    _pictures(key=key, data=data, on_asked_change=heard)
