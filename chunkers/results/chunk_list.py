"""HTML list of a result's chunks, each with the reason for its start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from chunkers.results.markup import NOT_TEX, text
from chunkers.results.palette import COUNT
from chunkers.results.stated import Stated
from chunkers.support.numbers import counted
from chunkers.text.document import Document, Span

if TYPE_CHECKING:
    from chunkers.results.result import Chunk, Chunking, Gap

_SHARED = "the chunk before has this too"


def chunk_list(cut: Chunking, most: int | None = None) -> str:
    """Return an HTML list of a result's chunks, with the reason for each cut and, as tooltips, for each uncut gap.

    Parameters
    ----------
    cut
        The result.
    most
        Number of characters after which further chunks are only counted; None to show all chunks.
    """
    document = cut.document
    begins, kept = _reasons(cut)
    items: list[str] = []
    shown = 0
    before: Span | None = None
    for number, chunk in enumerate(cut.chunks, start=1):
        if most is not None and shown and shown + len(chunk.text) > most:
            left = len(cut.chunks) - number + 1
            items.append(f'<li class="note">{counted(left, "further chunk")} not shown here.</li>')
            break
        shown += len(chunk.text)
        reason = begins.get(chunk.start, "") if number > 1 else ""
        why = f'<p class="why">cut: {text(reason)}</p>' if reason else ""
        items.append(
            f'<li class="k{(number - 1) % COUNT}" aria-label="{_introduction(number, chunk, reason)}">{why}<div class="box">'
            f'<span class="number" aria-hidden="true">{number:,}</span>'
            f'<div class="text {NOT_TEX}" dir="auto">{_body(document, chunk, before, kept)}</div></div></li>'
        )
        before = chunk.spans[-1] if len(chunk.spans) == 1 else None
    return f'<ol class="chunks">{"".join(items)}</ol>' if items else '<p class="note">No chunk.</p>'


def _introduction(number: int, chunk: Chunk, reason: str) -> str:
    """Return the introduction to a chunk for screen readers."""
    place = f"Chunk {number:,}, characters {chunk.start:,} to {chunk.end:,}"
    return text(f"{place}, cut: {reason}" if reason else place)


def _reasons(cut: Chunking) -> tuple[dict[int, str], dict[int, str]]:
    """Return the reasons for chunks by their starts, and the reasons for kept gaps by the sentence before each."""
    begins, kept = {}, {}
    for gap in cut.gaps:
        if gap.verdict.is_cut:
            begins[_after(cut.document, gap)] = gap.reason
        elif gap.offset is None:
            kept[gap.index] = gap.reason
    return begins, kept


def _after(document: Document, gap: Gap) -> int:
    return document.sentences[gap.index + 1].start if gap.offset is None else gap.offset


def _body(document: Document, chunk: Chunk, before: Span | None, kept: dict[int, str]) -> str:
    if chunk.stated is not None:
        return _stated_html(document, chunk.stated)
    parts = [f'<span class="context">{text(chunk.context)}</span>\n'] if chunk.context else []
    for place, span in enumerate(chunk.spans):
        if place:
            parts.append(f'<span class="between">from character {span.start:,}</span>')
        again = span.start if before is None or place else min(max(before.end, span.start), span.end)
        if again > span.start:
            parts.append(f'<mark class="again" title="{_SHARED}">{text(document.text[span.start : again])}</mark>')
        parts += _sentences(document, Span(again, span.end), kept)
    return "".join(parts)


def _stated_html(document: Document, stated: Stated) -> str:
    """Return title and summary, and below them the propositions, each with its source and its remark."""
    parts = [f"<b>{text(stated.title)}</b>\n"] if stated.title else []
    parts += [f'<span class="context">{text(stated.summary)}</span>\n'] if stated.summary else []
    for proposition in stated.propositions:
        source = "" if proposition.span is None else f"from: {document.text[slice(*proposition.span)]}"
        title = "; ".join(filter(None, (source, proposition.remark)))
        parts.append(f'<span title="{text(title)}">{text(proposition.text)}</span>\n')
    return "".join(parts)


def _sentences(document: Document, span: Span, kept: dict[int, str]) -> Iterator[str]:
    """Yield a stretch of text sentence by sentence, each with why no chunk ends after it."""
    edges = _edges(document.starts, document.sentence_at(span.start) + 1, span)
    for start, end in pairwise(edges):
        index = document.sentence_at(start)
        reason = kept.get(index, "") if end < span.end else ""
        words = text(document.text[start:end])
        yield f'<span title="{text(f"not cut after this: {reason}")}">{words}</span>' if reason else words


def _edges(starts: Sequence[int], first: int, span: Span) -> list[int]:
    edges = [span.start]
    while first < len(starts) and starts[first] < span.end:
        edges.append(starts[first])
        first += 1
    return [*edges, span.end]
