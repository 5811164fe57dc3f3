"""The linked reader: barcode, curve and text of all columns in one component of the browser."""

from __future__ import annotations

import hashlib
import json
import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from chunkers import Chunker, Chunking, Curve, Document, Span, Verdict
from chunkers.result import start_after
from viz import palette

_HERE = Path(__file__).parent
_STORE_JS = """
export default function ({ data }) {
  const texts = (globalThis.seamarkTexts ??= new Map());
  if (texts.has(data.id)) return;
  texts.clear();
  texts.set(data.id, data.text);
  globalThis.dispatchEvent(new CustomEvent("seamark-text", { detail: data.id }));
}
"""
_store = st.components.v2.component("seamark_text", js=_STORE_JS)
_reader = st.components.v2.component(
    "seamark_reader",
    html='<div class="seamark"></div>',
    css=palette.css() + "\n" + (_HERE / "reader.css").read_text(encoding="utf-8"),
    js=(_HERE / "reader.js").read_text(encoding="utf-8"),
)
_NOTICE_JS = """
export default function ({ data, parentElement }) {
  const box = parentElement.querySelector("p");
  box.textContent = data.text;
  box.className = data.tone;
  box.setAttribute("role", data.tone === "error" ? "alert" : "status");
}
"""
_NOTICE_CSS = """
p { margin: 0; padding: 0.5rem 0.75rem; border-left: 3px solid var(--st-border-color); white-space: pre-wrap;
    overflow-wrap: anywhere; font: inherit; color: var(--st-text-color); background: var(--st-secondary-background-color); }
p.error { border-color: var(--st-red-color); }
"""
_notice = st.components.v2.component("seamark_notice", html="<p></p>", css=_NOTICE_CSS, js=_NOTICE_JS)

MOST_REASONS = 2000
"""Gaps up to which every reason is sent; beyond, only those of the cuts are."""


@dataclass(frozen=True)
class Row:
    """A line in the head of a column."""

    label: str
    value: str
    tone: str = ""


@dataclass(frozen=True)
class Column:
    """One chunker's column: its head, and its result or what stands in the way of one."""

    title: str
    subtitle: str
    chunker: Chunker | None = None
    chunking: Chunking | None = None
    rows: tuple[Row, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    message: str = ""
    tone: str = ""
    fresh: frozenset[int] = field(default_factory=frozenset)


def notice(text: str, tone: str = "info", *, key: str) -> None:
    """Show a sentence that may hold user text; it is text and nothing else."""
    _notice(key=key, data={"text": text, "tone": tone})


def reader(
    document: Document,
    columns: Sequence[Column],
    *,
    title: str,
    summary: str,
    selected: int,
    known: Sequence[int] | None,
    key: str,
) -> None:
    """Mount the reader.

    When a threshold line is let go, the page runs again with ``st.session_state[key]["line"]`` being ``{"column",
    "parameter", "value", "at"}``; when a column's head is clicked, with ``["selected"]`` being ``{"column", "at"}``.
    """
    identity = text_id(document.text)
    _store(key=f"{key}_text", data={"id": identity, "text": document.text}, height=0)
    data = payload(document, columns, known)
    data |= {"text": identity, "title": title, "summary": summary, "selected": selected}
    _reader(key=key, data=data, on_line_change=_run_again, on_selected_change=_run_again)


def _run_again() -> None:
    """Do nothing: that there is a callback makes the state one of the component's."""


def text_id(text: str) -> str:
    """Return a hash that names the text."""
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def payload(document: Document, columns: Sequence[Column], known: Sequence[int] | None) -> dict[str, Any]:
    """Return what the browser needs beside the text: offsets in UTF-16 units, positions, labels."""
    shared = _shared(document)
    units = utf16_offsets(document.text)
    known_set = None if known is None else frozenset(known)
    return {
        "starts": shared["starts"],
        "ends": shared["ends"],
        "known": None if known is None else [int(units(offset)) for offset in known],
        "knownAt": [position(document, offset) for offset in known or ()],
        "columns": [_hashed(_column(document, column, known_set)) for column in columns],
    }


@lru_cache(maxsize=4)
def _shared(document: Document) -> dict[str, list[int]]:
    units = utf16_offsets(document.text)
    return {
        "starts": [int(units(span.start)) for span in document.sentences],
        "ends": [int(units(span.end)) for span in document.sentences],
    }


@lru_cache(maxsize=4)
def utf16_offsets(text: str) -> Callable[[int], int]:
    """Return the function from code points of ``text`` to the UTF-16 units in which a browser counts."""
    if text.isascii() or max(text) <= "\uffff":
        return lambda offset: offset
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    before = np.concatenate([[0], np.cumsum(points > 0xFFFF)])
    return lambda offset: offset + int(before[offset])


def position(document: Document, offset: int) -> float:
    """Return where a code point lies on the axis of sentences: 2.5 is the middle of the third."""
    starts = _sentence_starts(document)
    index = max(bisect_right(starts, offset) - 1, 0)
    start, end = document.sentences[index]
    return round(index + min(max(offset - start, 0) / (end - start), 1), 4)


@lru_cache(maxsize=4)
def _sentence_starts(document: Document) -> list[int]:
    return [span.start for span in document.sentences]


def _hashed(column: dict[str, Any]) -> dict[str, Any]:
    """Add a hash of what the text of the column depends on, so that the browser draws anew only what changed."""
    body = {key: column[key] for key in ("segments", "message", "tone")}
    return {**column, "hash": hashlib.blake2b(json.dumps(body).encode(), digest_size=12).hexdigest()}


def _column(document: Document, column: Column, known: frozenset[int] | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "title": column.title,
        "subtitle": column.subtitle,
        "rows": [[row.label, row.value, row.tone] for row in column.rows],
        "table": [list(row) for row in column.table],
        "message": column.message,
        "tone": column.tone,
        "segments": None,
        "curve": None,
    }
    if column.chunking is not None and column.chunker is not None:
        data["segments"] = _segments(document, column.chunking, known, column.fresh)
        data["curve"] = _curve(column.chunker, column.chunking)
    return data


def covered(spans: Sequence[Sequence[Span]]) -> list[tuple[int, int, list[int]]]:
    """Cut the line at every start and end of the ``spans`` of each chunk.

    Returns
    -------
    list of (start, end, chunks)
        Ranges in order that do not overlap, each with the numbers of the chunks that lie over it, one at least.
    """
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    for number, parts in enumerate(spans):
        for start, end in parts:
            opening.setdefault(start, []).append(number)
            closing.setdefault(end, []).append(number)
    ranges = []
    over: list[int] = []
    edges = sorted(opening.keys() | closing.keys())
    for edge, following in pairwise(edges):
        over = [number for number in over if number not in closing.get(edge, ())] + opening.get(edge, [])
        if over:
            ranges.append((edge, following, sorted(over)))
    return ranges


def _trimmed(text: str, ranges: list[tuple[int, int, list[int]]]) -> list[tuple[int, int, list[int]]]:
    """Let no range begin with the white space after the end of an overlap; it shows as an odd indent."""
    trimmed = []
    for start, end, over in ranges:
        while start < end and text[start].isspace():
            start += 1
        if start < end:
            trimmed.append((start, end, over))
    return trimmed


def _segments(
    document: Document, chunking: Chunking, known: frozenset[int] | None, fresh: frozenset[int]
) -> dict[str, list[Any]]:
    units = utf16_offsets(document.text)
    ranges = _trimmed(document.text, covered([chunk.spans for chunk in chunking.chunks]))
    cuts = {start_after(document, gap): gap for gap in chunking.gaps if gap.verdict.is_cut}
    first_of = {chunk.start: number for number, chunk in reversed(list(enumerate(chunking.chunks)))}
    labels: list[str] = []
    tones: list[str] = []
    for start, _, over in ranges:
        gap = cuts.get(start)
        if gap is not None:
            said = f"{'forced' if gap.verdict is Verdict.FORCED else 'cut'}: {gap.reason}"
        elif start in first_of:
            said = f"chunk {first_of[start] + 1} begins"
        else:
            said = f"chunk {over[0]} ends" if over[0] else "an overlap ends"
        wrong = known is not None and start in first_of and start not in known
        labels.append(said + (" · not a known boundary" if wrong else ""))
        tones.append(("wrong " if wrong else "") + ("fresh" if start in fresh else ""))
    return {
        "start": [units(start) for start, _, _ in ranges],
        "end": [units(end) for _, end, _ in ranges],
        "over": [over for _, _, over in ranges],
        "from": [position(document, start) for start, _, _ in ranges],
        "to": [position(document, end) for _, end, _ in ranges],
        "label": labels,
        "tone": tones,
    }


_VERDICTS = {verdict: number for number, verdict in enumerate(Verdict)}


def _curve(chunker: Chunker, chunking: Chunking) -> dict[str, Any] | None:
    if not chunking.curves or not chunking.curves[0].scores:
        return None
    curve = chunking.curves[0]
    at_gaps = [gap for gap in chunking.gaps if gap.offset is None]
    few = len(at_gaps) <= MOST_REASONS
    return {
        "label": curve.label,
        "scores": [None if math.isnan(score) else round(score, 6) for score in curve.scores],
        "above": curve.cut_above,
        "live": curve.live,
        "constrained": any(gap.verdict in (Verdict.REJECTED, Verdict.FORCED) for gap in chunking.gaps),
        "verdicts": [_VERDICTS[gap.verdict] for gap in at_gaps],
        "verdictNames": [str(verdict) for verdict in Verdict],
        "reasons": [gap.reason for gap in at_gaps] if few else None,
        "lines": [
            {
                "label": line.label,
                "level": None if math.isnan(line.level) else line.level,
                "parameter": line.parameter,
                "value": getattr(chunker, line.parameter),
                "stops": _stops(chunker, curve, line.parameter),
            }
            for line in curve.lines
        ],
    }


def _stops(chunker: Chunker, curve: Curve, parameter: str) -> list[list[float]]:
    """Return the amounts that the line can be let go at, each with its level: the steps of the slider."""
    spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == parameter)
    low, high = spec.offered or (spec.low or 0.0, spec.high or 1.0)
    step = spec.step or (high - low) / 100
    amounts = [round(low + step * count, 6) for count in range(round((high - low) / step) + 1)]
    levels = chunker.levels(parameter, amounts, curve.scores)
    return [[amount, level] for amount, level in zip(amounts, levels, strict=True) if not math.isnan(level)]
