"""What a question retrieved, as text: the chunks in rank order or in their documents, hits, misses and waste told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypedDict

import streamlit as st

from chunkers import Span
from evaluation.retrieval.measures import Answer, Evaluation
from evaluation.retrieval.ranges import characters, difference, intersection
from viz.components.assets import script, styles
from viz.theme.palette import EDGES, GROUNDS, theme

_passages = st.components.v2.component(
    "seamark_passages",
    html='<div class="passages"></div>',
    css=styles("retrieval/passages.css"),
    js=script("retrieval/passages.js"),
)
_GREEN = 2
"""The palette's colour for what was hit."""


AROUND = 240
"""Characters of a document on either side of what is coloured in it; more is left out."""


PartKind = Literal["hit", "waste", "missed", "rest", "rank", "left_out"]
Part = tuple[str, PartKind]


class PassageData(TypedDict):
    """A chunk, a missed part, or a document.

    Attributes
    ----------
    kind
        Whether a chunk holds some of an excerpt or is waste; or what else it is.
    parts
        Text and what it is: neither is ``rest``, and a number of ours ``rank``.
    """

    kind: Literal["holds", "waste", "missed", "document"]
    title: str
    parts: Sequence[Part]


class PassagesData(TypedDict):
    """The passages, and the ground and the edge of what was hit."""

    hit: str
    edge: str
    passages: list[PassageData]


def _excerpts(found: Evaluation, answer: Answer) -> list[Span]:
    return [found.index.corpus.on_axis(excerpt.document, excerpt.span) for excerpt in answer.question.excerpts]


def ranked_passages(found: Evaluation, answer: Answer) -> list[PassageData]:
    """Return the chunks that a question retrieved, best first, then every part of an excerpt that it did not."""
    index = found.index
    corpus = index.corpus
    excerpts = _excerpts(found, answer)
    shown: list[PassageData] = []
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
            shown.append({"kind": "missed", "title": title, "parts": [(text, "missed")]})
    return shown


def _parts(text: str, spans: Sequence[Span], excerpts: Sequence[Span]) -> list[Part]:
    """Return the text of the spans in order, cut where an excerpt begins or ends; each span is a line of its own."""
    parts: list[Part] = []
    for place, span in enumerate(spans):
        if place:
            parts.append(("\n", "waste"))
        hits: list[tuple[Span, PartKind]] = [(part, "hit") for part in intersection([span], excerpts)]
        rest: list[tuple[Span, PartKind]] = [(part, "waste") for part in difference([span], excerpts)]
        parts += [(text[part.start : part.end], kind) for part, kind in sorted([*hits, *rest])]
    return parts


def document_passages(found: Evaluation, answer: Answer) -> list[PassageData]:
    """Return every document that holds an excerpt, then those of other chunks by rank, with all of it in its place."""
    index = found.index
    corpus = index.corpus
    text = corpus.whole.text
    excerpts = _excerpts(found, answer)
    chunks = [index.chunks[number] for number in answer.ranked[: found.top_k]]
    retrieved = [span for spans in chunks for span in spans]
    kinds: dict[PartKind, list[Span]] = {
        "hit": intersection(excerpts, retrieved),
        "missed": difference(excerpts, retrieved),
        "waste": difference(retrieved, excerpts),
    }
    coloured = sorted((span, kind) for kind, spans in kinds.items() for span in spans)
    ranks = {span.start: rank for rank, spans in reversed([*enumerate(chunks, start=1)]) for span in spans}
    shown: list[PassageData] = []
    numbers = dict.fromkeys(corpus.document_at(span.start) for span in [*excerpts, *retrieved])
    for number in numbers:
        whole = corpus.on_axis(number, (0, len(corpus.documents[number].text)))
        parts = _in_document(text, whole, [one for one in coloured if whole.start <= one[0].start < whole.end], ranks)
        sums = [(sum(len(words) for words, what in parts if what == kind), kind) for kind in kinds]
        said = ", ".join(f"{count:,} {kind}" for count, kind in sums if count)
        shown.append({"kind": "document", "title": f"{corpus.names[number]} · characters: {said}", "parts": parts})
    return shown


def _in_document(text: str, whole: Span, coloured: Sequence[tuple[Span, PartKind]], ranks: Mapping[int, int]) -> list[Part]:
    """Return the parts of a document in its order; far from what is coloured it is left out, and said how much."""
    parts: list[Part] = []
    at = whole.start
    for span, kind in coloured:
        parts += _rest(text, Span(at, span.start), whole)
        # A chunk may begin inside of a coloured stretch, which several chunks share.
        begins = [place for place in sorted(ranks) if span.start <= place < span.end]
        edges = [span.start, *(place for place in begins if place > span.start), span.end]
        for start, end in pairwise(edges):
            if start in ranks:
                parts.append((str(ranks[start]), "rank"))
            parts.append((text[start:end], kind))
        at = span.end
    return parts + _rest(text, Span(at, whole.end), whole)


def _rest(text: str, span: Span, whole: Span) -> list[Part]:
    """Return a stretch that is not coloured, its middle left out where it is long."""
    before = AROUND if span.start > whole.start else 0
    after = AROUND if span.end < whole.end else 0
    gone = span.end - span.start - before - after
    if gone <= AROUND:
        return [(text[span.start : span.end], "rest")] if span.end > span.start else []
    left: list[Part] = [(text[span.start : span.start + before], "rest")] if before else []
    right: list[Part] = [(text[span.end - after : span.end], "rest")] if after else []
    return [*left, (f"{gone:,} characters", "left_out"), *right]


def show_passages(found: Evaluation, answer: Answer, *, whole: bool, key: str) -> None:
    """Draw the chunks, or the ``whole`` documents with them."""
    data: PassagesData = {
        "hit": GROUNDS[theme()][_GREEN],
        "edge": EDGES[theme()][_GREEN],
        "passages": (document_passages if whole else ranked_passages)(found, answer),
    }
    _passages(key=key, data=data)
