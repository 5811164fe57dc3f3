"""The linked reader: barcode, curve and text of all columns in one component of the browser."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st
from cachetools import LRUCache, cached

from chunkers import Chunker, Chunking, Curve, Document, Span, Verdict
from chunkers.result import start_after
from viz import palette
from viz.assets import asset

IntArray = npt.NDArray[np.int64]

_STORE_JS = """
export default function ({ data }) {
  const texts = (globalThis.seamarkTexts ??= new Map());
  const head = data.indexOf(10);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const { id, ...sentences } = JSON.parse(decoder.decode(data.subarray(0, head)));
  if (texts.has(id)) return;
  texts.clear();
  texts.set(id, { ...sentences, text: decoder.decode(data.subarray(head + 1)) });
  globalThis.dispatchEvent(new CustomEvent("seamark-text", { detail: id }));
}
"""
_store = st.components.v2.component("seamark_text", js=_STORE_JS)
_reader = st.components.v2.component(
    "seamark_reader",
    html='<div class="seamark"></div>',
    css=palette.css() + asset("common.css", "reader.css", "zoom_window.css"),
    js=asset(
        "common.js",
        "reader.js",
        *("zoom_window.js", "axis.js", "strips.js", "plot.js", "curve.js", "lines.js"),
        *("part.js", "column_text.js", "column.js"),
    ),
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
    rows: tuple[Row, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    message: str = ""
    tone: str = ""
    fresh: frozenset[int] = field(default_factory=frozenset)
    wrong: tuple[int, ...] = ()


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
    identity = source_id(document)
    _store(key=f"{key}_text", data=_source(document, identity), height=0)
    data = payload(document, columns, known)
    data |= {
        "margin": margin,
        "source": identity,
        "title": title,
        "summary": summary,
        "selected": selected,
        "axis": axis,
        "marking": marking,
    }
    _reader(key=key, data=data, on_line_change=_run_again, on_selected_change=_run_again, on_mark_change=_run_again)


def _run_again() -> None:
    """Do nothing: that there is a callback makes the state one of the component's."""


def take(key: str, event: str) -> dict[str, Any] | None:
    """Return what the reader of that key told last under the name ``event``, once; None if it was taken before."""
    told: dict[str, Any] | None = (st.session_state.get(key) or {}).get(event)
    taken: dict[tuple[str, str], object] = st.session_state.setdefault("taken", {})
    if not told or taken.get((key, event)) == told["at"]:
        return None
    taken[key, event] = told["at"]
    return told


def source_id(document: Document) -> str:
    """Return the name under which the browser keeps the text and its sentences."""
    return f"{text_id(document.text)}/{document.splitter}"


@lru_cache(maxsize=4)
def text_id(text: str) -> str:
    """Return a hash that names the text."""
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


CACHED_BYTES = 64 * 2**20
"""Bound of what is kept ready for the browser, of texts and of results; the least recently used go first."""


@cached(LRUCache(CACHED_BYTES, getsizeof=len), key=lambda document, identity: identity, lock=Lock())
def _source(document: Document, identity: str) -> bytes:
    """Return one line of JSON, the identity and the sentences in UTF-16 units, and after it the text."""
    starts = utf16_offsets(document.text, document.starts)
    ends = utf16_offsets(document.text, [span.end for span in document.sentences])
    return f"{_json({'id': identity, 'starts': starts, 'ends': ends})}\n{document.text}".encode()


def payload(document: Document, columns: Sequence[Column], known: Sequence[int] | None) -> dict[str, Any]:
    """Return what the browser needs beside the text: known boundaries, in UTF-16 units and on the axis, and columns."""
    return {
        "known": None if known is None else utf16_offsets(document.text, known),
        "knownAt": positions(document, known or ()),
        "columns": [_column(document, column, None if known is None else frozenset(known)) for column in columns],
    }


def utf16_offsets(text: str, offsets: Sequence[int]) -> list[int]:
    """Return for code points of ``text`` the UTF-16 units in which a browser counts."""
    astral = _astral(text)
    return (np.asarray(offsets, dtype=np.int64) + np.searchsorted(astral, offsets)).tolist() if len(astral) else [*offsets]


@lru_cache(maxsize=4)
def _astral(text: str) -> IntArray:
    """Return where the characters lie that take two UTF-16 units."""
    if text.isascii():
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32) > 0xFFFF)


def positions(document: Document, offsets: Sequence[int]) -> list[float]:
    """Return where code points lie on the axis of sentences: 2.5 is the middle of the third."""
    if not (offsets and document.sentences):
        return [0.0 for _ in offsets]
    at = np.asarray(offsets, dtype=np.int64)
    starts, ends = np.asarray(document.sentences).T
    index = np.maximum(np.searchsorted(starts, at, side="right") - 1, 0)
    within = (at - starts[index]) / (ends - starts)[index]
    rounded: list[float] = np.round(index + np.clip(within, 0, 1), 4).tolist()
    return rounded


def _column(document: Document, column: Column, known: frozenset[int] | None) -> dict[str, Any]:
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
    body = _json({"segments": segments(document, result.chunking, known, fresh), "curve": _curve(result)})
    return hashlib.blake2b(body.encode(), digest_size=12).hexdigest(), body


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


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


def segments(
    document: Document, chunking: Chunking, known: frozenset[int] | None, fresh: frozenset[int]
) -> dict[str, list[Any]]:
    """Return the parts of the text as the browser draws them: one list for each property, in the order of the text.

    ``over`` are the numbers of the chunks over a part, ``colours`` the number of a ground for each chunk, and ``split``
    the numbers of the chunks that lie in several places.
    """
    text = document.text
    ranges = _trimmed(text, covered([chunk.spans for chunk in chunking.chunks]))
    cuts = {start_after(document, gap): gap for gap in chunking.gaps if gap.verdict.is_cut}
    chunks = [*enumerate(chunking.chunks)]
    goes_on = {span.start: number for number, chunk in chunks for span in chunk.spans[1:]}
    first_of = {chunk.start: number for number, chunk in reversed(chunks)}
    labels: list[str] = []
    tones: list[str] = []
    for start, _, over in ranges:
        gap = cuts.get(start)
        if start in goes_on and start not in first_of:
            said = f"chunk {goes_on[start] + 1} goes on" + (f" · {gap.reason}" if gap is not None else "")
        elif gap is not None:
            said = f"{'forced' if gap.verdict is Verdict.FORCED else 'cut'}: {gap.reason}"
        elif start in first_of:
            said = f"chunk {first_of[start] + 1} begins"
        else:
            said = f"chunk {over[0]} ends" if over[0] else "an overlap ends"
        wrong = known is not None and (start in first_of or start in goes_on) and start not in known
        labels.append(said + (" · not a known boundary" if wrong else ""))
        tones.append(("wrong " if wrong else "") + ("fresh" if start in fresh else ""))
    starts, ends = [start for start, _, _ in ranges], [end for _, end, _ in ranges]
    return {
        "start": utf16_offsets(text, starts),
        "end": utf16_offsets(text, ends),
        "over": [over for _, _, over in ranges],
        "from": positions(document, starts),
        "to": positions(document, ends),
        "label": labels,
        "tone": tones,
        "colours": colours([over for _, _, over in ranges], len(chunks)),
        "split": [number for number, chunk in chunks if len(chunk.spans) > 1],
    }


def colours(over: Sequence[Sequence[int]], count: int) -> list[int]:
    """Return a ground for each of ``count`` chunks, so that those side by side in ``over`` differ.

    Chunk after chunk they go round; a chunk of several places takes the next ground that none of its neighbours has, or
    where all are taken the one that fewest have.
    """
    beside: list[set[int]] = [set() for _ in range(count)]
    for left, right in pairwise(over):
        for one in left:
            beside[one].update(right)
        for one in right:
            beside[one].update(left)
    chosen: list[int] = []
    for number in range(count):
        taken = Counter(chosen[other] for other in beside[number] if other < number)
        # Of those that are equally free min takes the first, the next in turn.
        chosen.append(min(((number + step) % palette.COUNT for step in range(palette.COUNT)), key=lambda one: taken[one]))
    return chosen


_VERDICTS = {verdict: number for number, verdict in enumerate(Verdict)}


def _curve(result: Result) -> dict[str, Any] | None:
    chunker, chunking = result.chunker, result.chunking
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
                "stops": _stops(chunker, curve, line.parameter) if result.movable else [],
            }
            for line in curve.lines
        ],
    }


def _stops(chunker: Chunker, curve: Curve, parameter: str) -> list[list[float]]:
    """Return the amounts that the line can be let go at, each with its level: the steps of the slider."""
    spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == parameter)
    levels = chunker.levels(parameter, spec.stops, curve.scores)
    return [[amount, level] for amount, level in zip(spec.stops, levels, strict=True) if not math.isnan(level)]
