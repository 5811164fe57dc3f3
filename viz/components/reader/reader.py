"""The linked reader: barcode, curve and text of all columns in one component of the browser."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import streamlit as st
from cachetools import LRUCache, cached

from chunkers import Chunker, Chunking, Document
from viz.components.assets import script, styles
from viz.components.offsets import positions, utf16_offsets
from viz.components.reader.curve import curve_of
from viz.components.reader.payload import ColumnBody, ColumnData, ReaderData, ResultsData
from viz.components.reader.segments import segments
from viz.components.text_store import CACHED_BYTES, compact_json, source_bytes, text_store
from viz.state.keys import session
from viz.theme import palette

_reader = st.components.v2.component(
    "seamark_reader",
    html='<div class="seamark"></div>',
    css=palette.css()
    + styles("components/shared/common.css", "components/reader/reader.css", "components/shared/zoom_window.css"),
    js=script("components/reader/reader.js"),
)


@dataclass(frozen=True)
class HeadRow:
    """A line in the head of a column."""

    label: str
    value: str
    tone: str = ""


@dataclass(frozen=True)
class Result:
    """A chunker and what it made of the document; results of the same ``identity`` are the same.

    Its threshold lines can be dragged where they are ``movable``.
    """

    identity: Hashable
    chunker: Chunker
    chunking: Chunking
    movable: bool = True


@dataclass(frozen=True)
class Column:
    """One chunker's column: its head, and its result or what stands in the way of one.

    ``fresh`` are the code points of cuts that the last change made, ``wrong`` the numbers of sentences outside of their
    section's chunk.
    """

    title: str
    subtitle: str
    result: Result | None = None
    rows: tuple[HeadRow, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    message: str = ""
    tone: str = ""
    fresh: frozenset[int] = field(default_factory=frozenset)
    wrong: tuple[int, ...] = ()


def reader(
    document: Document,
    columns: Sequence[Column],
    *,
    title: str,
    summary: str,
    selected: int,
    known: Sequence[int] | None,
    key: str,
    axis: bool = True,
    margin: float = 0.0,
    marking: bool = False,
) -> None:
    """Mount the reader; without its ``axis`` where the page draws one of its own.

    On the curve, gaps within ``margin`` of a line are marked.

    When a threshold line is let go, the page runs again with ``st.session_state[key]["line"]`` being ``{"column",
    "parameter", "value", "at"}``; when a column's head is clicked, with ``["selected"]`` being ``{"column", "at"}``; while
    ``marking``, every gap between sentences is a button, and a click on one gives ``["mark"]``, ``{"gap", "at"}``.
    """
    text_store(source_bytes(document), key=f"{key}_text")
    data: ReaderData = {
        **payload(document, columns, known),
        "source": document.identity,
        "title": title,
        "summary": summary,
        "selected": selected,
        "margin": margin,
        "axis": axis,
        "marking": marking,
    }
    _reader(key=key, data=data, on_line_change=_run_again, on_selected_change=_run_again, on_mark_change=_run_again)


def _run_again() -> None:
    """Do nothing: that there is a callback makes the state one of the component's."""


def take_event(key: str, event: str) -> dict[str, Any] | None:
    """Return what the reader of that key told last under the name ``event``, once; None if it was taken before."""
    told: dict[str, Any] | None = (st.session_state.get(key) or {}).get(event)
    if not told or session.taken.get((key, event)) == told["at"]:
        return None
    session.taken[key, event] = told["at"]
    return told


def payload(document: Document, columns: Sequence[Column], known: Sequence[int] | None) -> ResultsData:
    """Return what the browser needs beside the text: known boundaries, in UTF-16 units and on the axis, and columns."""
    return {
        "known": None if known is None else utf16_offsets(document.text, known),
        "knownAt": positions(document, known or ()),
        "columns": [_column(document, column, None if known is None else frozenset(known)) for column in columns],
    }


def _column(document: Document, column: Column, known: frozenset[int] | None) -> ColumnData:
    # As a string the body costs the server and the browser nothing at a run that leaves it as it was.
    digest, body = ("", "") if column.result is None else _body(document, column.result, known, column.fresh)
    return {
        "title": column.title,
        "subtitle": column.subtitle,
        "rows": [[row.label, row.value, row.tone] for row in column.rows],
        "table": [list(row) for row in column.table],
        "notes": list(column.notes),
        "message": column.message,
        "tone": column.tone,
        "wrong": list(column.wrong),
        "hash": digest,
        "body": body,
    }


@cached(
    LRUCache(CACHED_BYTES, getsizeof=lambda made: len(made[1])),
    key=lambda document, result, known, fresh: (result.identity, result.movable, known, fresh),
    lock=Lock(),
)
def _body(document: Document, result: Result, known: frozenset[int] | None, fresh: frozenset[int]) -> tuple[str, str]:
    """Return the JSON of a column's segments and curve, and before it its hash."""
    made: ColumnBody = {
        "segments": segments(document, result.chunking, known, fresh),
        "curve": curve_of(result.chunker, result.chunking, result.movable),
    }
    body = compact_json(made)
    return hashlib.blake2b(body.encode(), digest_size=12).hexdigest(), body
