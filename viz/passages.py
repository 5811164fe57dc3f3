"""What a question retrieved, as text: the chunks in rank order with the excerpts in them, and what was missed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import streamlit as st

from chunkers import Span
from evaluation.ranges import characters, difference, intersection
from evaluation.retrieval import Answer, Evaluation
from viz.figures import theme
from viz.palette import EDGES, GROUNDS

_HERE = Path(__file__).parent
_passages = st.components.v2.component(
    "seamark_passages",
    html='<div class="passages"></div>',
    css=(_HERE / "passages.css").read_text(encoding="utf-8"),
    js=(_HERE / "passages.js").read_text(encoding="utf-8"),
)
_GREEN = 2
"""The palette's colour for what was hit."""


class Passage(TypedDict):
    """A chunk or a missed part: its ``kind`` is holds, waste or missed, its parts are text and whether it is excerpt."""

    kind: str
    title: str
    parts: Sequence[tuple[str, bool]]


def passages_of(found: Evaluation, answer: Answer) -> list[Passage]:
    """Return the chunks that a question retrieved, best first, then every part of an excerpt that it did not."""
    index = found.index
    corpus = index.corpus
    excerpts = [corpus.on_axis(excerpt.document, excerpt.span) for excerpt in answer.question.excerpts]
    shown: list[Passage] = []
    retrieved: list[Span] = []
    for rank, number in enumerate(answer.ranked[: found.top_k], start=1):
        spans = index.chunks[number]
        retrieved += spans
        held, size = characters(intersection(spans, excerpts)), characters(spans)
        said = f"{held:,} of {size:,} characters are excerpt" if held else f"{size:,} characters, none of them excerpt"
        title = f"{rank} · {corpus.names[corpus.document_at(spans[0].start)]} · {said}"
        shown.append(
            {"kind": "holds" if held else "waste", "title": title, "parts": _parts(corpus.whole.text, spans, excerpts)}
        )
    for start, end in difference(excerpts, retrieved):
        text = corpus.whole.text[start:end]
        if text.strip():
            title = f"Not retrieved · {corpus.names[corpus.document_at(start)]} · {end - start:,} characters"
            shown.append({"kind": "missed", "title": title, "parts": [(text, False)]})
    return shown


def _parts(text: str, spans: Sequence[Span], excerpts: Sequence[Span]) -> list[tuple[str, bool]]:
    """Return the text of the spans in order, cut where an excerpt begins or ends; each span is a line of its own."""
    parts: list[tuple[str, bool]] = []
    for place, span in enumerate(spans):
        if place:
            parts.append(("\n", False))
        hits = [(part, True) for part in intersection([span], excerpts)]
        rest = [(part, False) for part in difference([span], excerpts)]
        parts += [(text[part.start : part.end], hit) for part, hit in sorted([*hits, *rest])]
    return parts


def show_passages(found: Evaluation, answer: Answer, key: str) -> None:
    """Draw them."""
    colours = {"hit": GROUNDS[theme()][_GREEN], "edge": EDGES[theme()][_GREEN]}
    _passages(key=key, data={**colours, "passages": passages_of(found, answer)})
