"""The chunks retrieved for a question, in rank order or in their documents, with hits, misses and waste marked."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypedDict

from chunkers import Span
from evaluation.questions.corpus import Corpus, characters, difference, intersection
from evaluation.retrieval.given_chunks import GivenChunks
from evaluation.retrieval.measures import Answer, Evaluation, excerpt_ranges
from viz.components.mounting import Component
from viz.theme.numbers import counted
from viz.theme.palette import EDGES, GROUNDS, theme

_GREEN = 2
"""Palette index of the colour for hits."""


AROUND = 240
"""Characters of context shown on either side of a coloured part of a document."""


PartKind = Literal["hit", "waste", "missed", "rest", "rank", "left_out", "beyond", "end"]
Part = tuple[str, PartKind]


class PassageData(TypedDict):
    """A passage to draw: a retrieved chunk, a missed part of an excerpt, or a document.

    Attributes
    ----------
    kind
        ``holds`` for a chunk that contains part of an excerpt, ``waste`` for one that does not, ``left_out`` for one that no
        longer fits, ``missed`` for a missed part, ``document``, and ``note`` for a title without text.
    parts
        Pieces of text with their kind; ``rest`` is uncoloured text, ``rank`` the rank of a chunk that begins there,
        ``beyond`` the text that exceeds the budget, ``end`` the mark where the budget is full.
    """

    kind: Literal["holds", "waste", "left_out", "missed", "document", "note"]
    title: str
    parts: Sequence[Part]


class PassagesData(TypedDict):
    """Payload of the passages, with the background and border colours of hits."""

    hit: str
    edge: str
    passages: list[PassageData]


_passages = Component[PassagesData](
    "seamark_passages", "retrieval/passages.js", "retrieval/passages.css", html='<div class="passages"></div>'
)


def ranked_passages(evaluation: Evaluation, answer: Answer, given: GivenChunks) -> list[PassageData]:
    """Return the passages of a question: its retrieved chunks, best first, then the missed parts of the excerpts."""
    corpus = evaluation.index.corpus
    text = corpus.whole.text
    excerpts = excerpt_ranges(corpus, answer.question)
    shown: list[PassageData] = []
    for chunk in given.chunks:
        held, size = characters(intersection(chunk.given, excerpts)), characters(chunk.given)
        title = f"{chunk.rank} · {_where(corpus, chunk.spans or evaluation.index.chunks[chunk.number])}"
        if not chunk.spans:
            shown.append({"kind": "note", "title": f"{title} · what it returns is above already", "parts": []})
            continue
        if not chunk.given:
            room = f"{given.budget - given.filled:,} of {given.budget:,} {given.unit}"
            title += f" · left out: it does not fit into the {room} that are left"
            parts: list[Part] = [(text[start:end], "beyond") for start, end in chunk.spans]
            shown.append({"kind": "left_out", "title": title, "parts": parts})
            continue
        title += (
            f" · {held:,} of {size:,} characters are excerpt" if held else f" · {size:,} characters, none of them excerpt"
        )
        parts = parts_of(text, chunk.given, excerpts)
        if not chunk.whole:
            title += " · cut off"
            parts.append((f"{given.budget:,} {given.unit}", "end"))
            parts += [(text[start:end], "beyond") for start, end in difference(chunk.spans, chunk.given)]
        shown.append({"kind": "holds" if held else "waste", "title": title, "parts": parts})
    shown += _notes(given)
    missed = [] if given.more else difference(excerpts, given.spans)
    for start, end in missed:
        if text[start:end].strip():
            title = f"Not retrieved · {_where(corpus, [Span(start, end)])} · {end - start:,} characters"
            shown.append({"kind": "missed", "title": title, "parts": [(text[start:end], "missed")]})
    return shown


def _notes(given: GivenChunks) -> list[PassageData]:
    """Return the notes to show after the chunks given within a budget."""
    titles = []
    if given.more:
        titles.append(f"{counted(given.more, 'more chunk')} of lower rank, which the run does not keep one by one")
    elif given.budget > given.filled and all(chunk.given or not chunk.spans for chunk in given.chunks[-1:]):
        titles.append(f"Every chunk is here: they fill {given.filled:,} of {given.budget:,} {given.unit}")
    return [{"kind": "note", "title": title, "parts": []} for title in titles]


def _where(corpus: Corpus, spans: Sequence[Span]) -> str:
    """Return the document that contains the spans, with their pages or chapters if it has any."""
    number = corpus.document_at(spans[0].start)
    offset, parts = corpus.offsets[number], corpus.documents[number].parts
    if parts is None:
        return corpus.names[number]
    return f"{corpus.names[number]}, {parts.said([(start - offset, end - offset) for start, end in spans])}"


def parts_of(text: str, spans: Sequence[Span], excerpts: Sequence[Span]) -> list[Part]:
    """Return the text of the spans in order, divided where excerpts begin and end; each span starts a new line."""
    parts: list[Part] = []
    for place, span in enumerate(spans):
        if place:
            parts.append(("\n", "waste"))
        hits: list[tuple[Span, PartKind]] = [(part, "hit") for part in intersection([span], excerpts)]
        rest: list[tuple[Span, PartKind]] = [(part, "waste") for part in difference([span], excerpts)]
        parts += [(text[part.start : part.end], kind) for part, kind in sorted([*hits, *rest])]
    return parts


def document_passages(evaluation: Evaluation, answer: Answer, given: GivenChunks) -> list[PassageData]:
    """Return the documents that contain an excerpt, then the documents with only retrieved chunks, with all parts marked."""
    index = evaluation.index
    corpus = index.corpus
    text = corpus.whole.text
    excerpts = excerpt_ranges(corpus, answer.question)
    chunks = [chunk for chunk in given.chunks if chunk.given]
    retrieved = given.spans
    kinds: dict[PartKind, list[Span]] = {
        "hit": intersection(excerpts, retrieved),
        "missed": difference(excerpts, retrieved),
        "waste": difference(retrieved, excerpts),
    }
    coloured = sorted((span, kind) for kind, spans in kinds.items() for span in spans)
    ranks = {span.start: chunk.rank for chunk in reversed(chunks) for span in chunk.given}
    shown: list[PassageData] = []
    numbers = dict.fromkeys(corpus.document_at(span.start) for span in [*excerpts, *retrieved])
    for number in numbers:
        whole = corpus.on_axis(number, (0, len(corpus.documents[number].text)))
        parts = _in_document(text, whole, [part for part in coloured if whole.start <= part[0].start < whole.end], ranks)
        sums = [(sum(len(words) for words, what in parts if what == kind), kind) for kind in kinds]
        counts = ", ".join(f"{count:,} {kind}" for count, kind in sums if count)
        shown.append({"kind": "document", "title": f"{corpus.names[number]} · characters: {counts}", "parts": parts})
    return shown


def _in_document(text: str, whole: Span, coloured: Sequence[tuple[Span, PartKind]], ranks: Mapping[int, int]) -> list[Part]:
    """Return the parts of a document in order; text far from coloured parts is replaced by its number of characters."""
    parts: list[Part] = []
    at = whole.start
    for span, kind in coloured:
        parts += _rest(text, Span(at, span.start), whole)
        # A chunk may begin inside a coloured part that overlapping chunks share.
        begins = [place for place in sorted(ranks) if span.start <= place < span.end]
        edges = [span.start, *(place for place in begins if place > span.start), span.end]
        for start, end in pairwise(edges):
            if start in ranks:
                parts.append((str(ranks[start]), "rank"))
            parts.append((text[start:end], kind))
        at = span.end
    return parts + _rest(text, Span(at, whole.end), whole)


def _rest(text: str, span: Span, whole: Span) -> list[Part]:
    """Return an uncoloured part, its middle elided if it is long."""
    before = AROUND if span.start > whole.start else 0
    after = AROUND if span.end < whole.end else 0
    gone = span.end - span.start - before - after
    if gone <= AROUND:
        return [(text[span.start : span.end], "rest")] if span.end > span.start else []
    left: list[Part] = [(text[span.start : span.start + before], "rest")] if before else []
    right: list[Part] = [(text[span.end - after : span.end], "rest")] if after else []
    return [*left, (f"{gone:,} characters", "left_out"), *right]


def show_passages(evaluation: Evaluation, answer: Answer, given: GivenChunks, *, whole: bool, key: str) -> None:
    """Draw the retrieved chunks or, if ``whole``, the documents with the chunks marked."""
    draw_passages((document_passages if whole else ranked_passages)(evaluation, answer, given), key)


def draw_passages(passages: list[PassageData], key: str) -> None:
    """Draw passages in the colours of the theme."""
    _passages(key=key, data={"hit": GROUNDS[theme()][_GREEN], "edge": EDGES[theme()][_GREEN], "passages": passages})
