"""HTML of a result, or of several side by side, for notebooks: strips, curve and list of chunks."""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from chunkers.results.markup import COUNT, NOT_TEX, ROOT, style, text
from chunkers.results.stated import Stated
from chunkers.support.errors import InputError
from chunkers.support.formatting import counted, signed
from chunkers.text.document import Document, Span

if TYPE_CHECKING:
    from chunkers.results.result import Chunk, Chunking, Curve, Gap

MOST_CHARACTERS = 60_000
"""Maximum number of characters of chunks that a notebook shows of a result; a notebook keeps what it shows in its file."""


def result_html(chunking: Chunking) -> str:
    """Return a result as self-contained HTML: heading, curve, chunks and notes."""
    return page_part(column(chunking, MOST_CHARACTERS))


def side_by_side(chunkings: Sequence[Chunking], titles: Sequence[str]) -> str:
    """Return several results for one text as self-contained HTML: strips of chunks on one axis, and a column per result."""
    most = MOST_CHARACTERS // len(chunkings)
    columns = "".join(
        f"<section>{column(chunking, most, title)}</section>" for chunking, title in zip(chunkings, titles, strict=True)
    )
    return page_part(f'{strips(chunkings, titles)}<div class="columns">{columns}</div>')


def page_part(inside: str) -> str:
    """Wrap HTML together with the results' style sheet in a single element."""
    return f'<div class="{ROOT} {NOT_TEX}"><style>{style()}</style>{inside}</div>'


def strips(chunkings: Sequence[Chunking], titles: Sequence[str]) -> str:
    """Return HTML with one strip of chunks per result, all on the same axis."""
    rows = "".join(
        strip(chunking, f"{number} {title}")
        for number, (chunking, title) in enumerate(zip(chunkings, titles, strict=True), 1)
    )
    return f'<div class="axis strips">{rows}</div>'


def column(chunking: Chunking, most: int | None, title: str = "") -> str:
    """Return a result as a column of HTML: heading, curve, chunks and notes."""
    name, settings = title_of(chunking), settings_of(chunking)
    facts = " · ".join(filter(None, (settings, facts_of(chunking))))
    notes = "".join(f'<p class="note">{text(note)}</p>' for note in chunking.notes)
    head = f'<h3>{text(title or name)}</h3><p class="facts">{text(facts)}</p>'
    return f"{head}{curve(chunking)}{chunk_list(chunking, most)}{notes}"


def title_of(chunking: Chunking) -> str:
    """Return the title of the chunker that made a result."""
    if chunking.made_by is None:
        return "Chunks"
    try:
        return chunking.made_by.build().title
    except InputError:
        # An adapter or somebody's own chunker, which another machine need not have.
        return chunking.made_by.chunker.replace("_", " ")


def settings_of(chunking: Chunking) -> str:
    """Return the most important settings of a result's chunker as a short phrase; empty if they are unknown."""
    try:
        return "" if chunking.made_by is None else chunking.made_by.build().describe()
    except InputError:
        return ""


def facts_of(chunking: Chunking) -> str:
    """Return a phrase with the number of chunks, their lengths in characters, and the number of sentences."""
    sizes = [len(chunk.text) for chunk in chunking.chunks]
    phrase = counted(len(sizes), "chunk")
    if sizes:
        phrase += f" of {min(sizes):,} to {max(sizes):,} characters, median {statistics.median(sizes):,.0f}"
    return f"{phrase} · {counted(len(chunking.document.sentences), 'sentence')} of {chunking.document.name}"


# The list of chunks.

_SHARED = "the chunk before has this too"


def chunk_list(chunking: Chunking, most: int | None = None) -> str:
    """Return an HTML list of a result's chunks, with the reason for each cut and, as tooltips, for each uncut gap.

    Parameters
    ----------
    chunking
        The result.
    most
        Number of characters after which further chunks are only counted; None to show all chunks.
    """
    document = chunking.document
    begins, kept = _reasons(chunking)
    items: list[str] = []
    shown = 0
    before: Span | None = None
    for number, chunk in enumerate(chunking.chunks, start=1):
        if most is not None and shown and shown + len(chunk.text) > most:
            left = len(chunking.chunks) - number + 1
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


def _reasons(chunking: Chunking) -> tuple[dict[int, str], dict[int, str]]:
    """Return the reasons for chunks by their starts, and the reasons for kept gaps by the sentence before each."""
    begins, kept = {}, {}
    for gap in chunking.gaps:
        if gap.verdict.is_cut:
            begins[gap.start_after(chunking.document)] = gap.reason
        elif gap.offset is None:
            kept[gap.index] = gap.reason
    return begins, kept


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
    starts = document.starts
    inside = starts[document.sentence_at(span.start) + 1 : bisect_left(starts, span.end)]
    for start, end in pairwise([span.start, *inside, span.end]):
        index = document.sentence_at(start)
        reason = kept.get(index, "") if end < span.end else ""
        words = text(document.text[start:end])
        yield f'<span title="{text(f"not cut after this: {reason}")}">{words}</span>' if reason else words


# The curve and the strips of chunks, as SVG on one axis of characters, without a script.

_HIGH = 100.0
"""Height of the curve in its own units; the width is the number of characters of the text."""

_DOTS = 400
"""Gaps up to which each has a dot with its reason; of more only cuts have one."""

_POINTS = 3_000
"""Points of a curve; of more, the least and the greatest of each stretch are drawn."""


def curve(chunking: Chunking) -> str:
    """Return an SVG of a result's first curve, with threshold lines and a dot per gap; empty if there is no curve."""
    if not chunking.curves or not any(map(math.isfinite, chunking.curves[0].scores)):
        return ""
    drawn = chunking.curves[0]
    numbers = [*filter(math.isfinite, [*drawn.scores, *(line.level for line in drawn.lines)])]
    low, high = min(numbers), max(numbers)
    spread = high - low or 1.0
    ends = [span.end for span in chunking.document.sentences[:-1]]
    places = [(x, _HIGH * (1 - (score - low) / spread)) for x, score in zip(ends, drawn.scores, strict=False)]
    lines = "".join(
        f'<path d="M0 {_y(line.level, low, spread)}H{_width(chunking)}" stroke="var(--accent)" stroke-width="1.5"/>'
        for line in drawn.lines
        if math.isfinite(line.level)
    )
    levels = ", ".join(
        f"{text(line.label)} {signed(line.level, '.2f')}" for line in drawn.lines if math.isfinite(line.level)
    )
    top, bottom = signed(high, ".2f"), signed(low, ".2f")
    drawing = (
        f'<svg viewBox="0 0 {_width(chunking)} {_HIGH:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{text(drawn.label)} at {len(drawn.scores):,} gaps">'
        f'{lines}<path d="{_path(places)}" stroke="var(--muted)" stroke-width="1.2"/>{_dots(chunking, drawn, places)}</svg>'
    )
    return (
        f'<figure class="axis curve"><div class="scale"><span>{top}</span><span>{bottom}</span></div>{drawing}'
        f'<figcaption class="legend">{text(drawn.label)}{f" · line: {levels}" if levels else ""} · ● cut ○ kept</figcaption>'
        "</figure>"
    )


def _width(chunking: Chunking) -> int:
    return max(1, len(chunking.document.text))


def _y(level: float, low: float, spread: float) -> str:
    return f"{_HIGH * (1 - (level - low) / spread):.2f}"


def _path(places: Sequence[tuple[int, float]]) -> str:
    """Return a line through points, broken where one is undefined."""
    parts: list[str] = []
    joined = False
    for x, y in _thinned(places):
        if math.isfinite(y):
            parts.append(f"{'L' if joined else 'M'}{x} {y:.2f}")
        joined = math.isfinite(y)
    return "".join(parts)


def _thinned(places: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    if len(places) <= _POINTS:
        return [*places]
    step = math.ceil(2 * len(places) / _POINTS)
    kept = []
    for first in range(0, len(places), step):
        some = [place for place in places[first : first + step] if math.isfinite(place[1])]
        kept += sorted({min(some, key=lambda point: point[1]), max(some, key=lambda point: point[1])}) if some else []
    return kept


def _dots(chunking: Chunking, drawn: Curve, places: Sequence[tuple[int, float]]) -> str:
    gaps: list[Gap] = [gap for gap in chunking.gaps if gap.offset is None and gap.index < len(places)]
    if len(gaps) > _DOTS:
        gaps = [gap for gap in gaps if gap.verdict.is_cut][: 5 * _DOTS]
    dots = []
    for gap in gaps:
        x, y = places[gap.index]
        if not math.isfinite(y):
            continue
        is_cut = gap.verdict.is_cut
        why = text(f"after sentence {gap.index + 1:,}, {'cut' if is_cut else 'kept'}: {gap.reason}")
        outer = f'<path d="M{x} {y:.2f}h0" stroke="var(--{"accent" if is_cut else "muted"})" stroke-width="8">'
        inner = "" if is_cut else f'<path d="M{x} {y:.2f}h0" stroke="var(--page)" stroke-width="5" pointer-events="none"/>'
        dots.append(f"{outer}<title>{why}</title></path>{inner}")
    return "".join(dots)


def strip(chunking: Chunking, name: str) -> str:
    """Return an HTML row, for a grid of strips, that shows a result's chunks as coloured segments."""
    width = _width(chunking)
    bars = "".join(
        f'<rect class="k{number % COUNT}" x="{span.start}" y="0" width="{span.end - span.start}" height="1" '
        'fill="var(--ground)" stroke="var(--edge)"/>'
        for number, chunk in enumerate(chunking.chunks)
        for span in chunk.spans
    )
    return (
        f'<span class="name">{text(name)}</span><svg viewBox="0 0 {width} 1" preserveAspectRatio="none" role="img" '
        f'aria-label="{len(chunking.chunks):,} chunks">{bars}</svg>'
    )


def marks(chunking: Chunking, places: Sequence[int], name: str) -> str:
    """Return an HTML row, for a grid of strips, with a mark at each code-point offset in ``places``."""
    drawn = "".join(f"M{place} 0V1" for place in places)
    return (
        f'<span class="name">{text(name)}</span><svg viewBox="0 0 {_width(chunking)} 1" preserveAspectRatio="none" '
        f'role="img" aria-label="{len(places):,} places">'
        f'<path d="{drawn}" stroke="var(--ink)" stroke-width="3" fill="none"/></svg>'
    )
