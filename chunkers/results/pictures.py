"""The curve of a result and the strip of its chunks, on one axis of characters, as SVG without a script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chunkers.results.markup import text
from chunkers.results.palette import COUNT
from chunkers.support.numbers import signed

if TYPE_CHECKING:
    from chunkers.results.result import Chunking, Curve, Gap

_HIGH = 100.0
"""Height of the curve in its own units; the width is the number of characters of the text."""

_DOTS = 400
"""Gaps up to which each has a dot with its reason; of more only cuts have one."""

_POINTS = 3_000
"""Points of a curve; of more, the least and the greatest of each stretch are drawn."""


def curve(cut: Chunking) -> str:
    """Return an SVG of a result's first curve, with threshold lines and a dot per gap; empty if there is no curve."""
    if not cut.curves or not any(map(math.isfinite, cut.curves[0].scores)):
        return ""
    drawn = cut.curves[0]
    numbers = [*filter(math.isfinite, [*drawn.scores, *(line.level for line in drawn.lines)])]
    low, high = min(numbers), max(numbers)
    spread = high - low or 1.0
    ends = [span.end for span in cut.document.sentences[:-1]]
    places = [(x, _HIGH * (1 - (score - low) / spread)) for x, score in zip(ends, drawn.scores, strict=False)]
    lines = "".join(
        f'<path d="M0 {_y(line.level, low, spread)}H{_width(cut)}" stroke="var(--accent)" stroke-width="1.5"/>'
        for line in drawn.lines
        if math.isfinite(line.level)
    )
    levels = ", ".join(
        f"{text(line.label)} {signed(line.level, '.2f')}" for line in drawn.lines if math.isfinite(line.level)
    )
    top, bottom = signed(high, ".2f"), signed(low, ".2f")
    drawing = (
        f'<svg viewBox="0 0 {_width(cut)} {_HIGH:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{text(drawn.label)} at {len(drawn.scores):,} gaps">'
        f'{lines}<path d="{_path(places)}" stroke="var(--muted)" stroke-width="1.2"/>{_dots(cut, drawn, places)}</svg>'
    )
    return (
        f'<figure class="axis curve"><div class="scale"><span>{top}</span><span>{bottom}</span></div>{drawing}'
        f'<figcaption class="legend">{text(drawn.label)}{f" · line: {levels}" if levels else ""} · ● cut ○ kept</figcaption>'
        "</figure>"
    )


def _width(cut: Chunking) -> int:
    return max(1, len(cut.document.text))


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


def _dots(cut: Chunking, drawn: Curve, places: Sequence[tuple[int, float]]) -> str:
    gaps: list[Gap] = [gap for gap in cut.gaps if gap.offset is None and gap.index < len(places)]
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


def strip(cut: Chunking, name: str) -> str:
    """Return an HTML row, for a grid of strips, that shows a result's chunks as coloured segments."""
    width = _width(cut)
    bars = "".join(
        f'<rect class="k{number % COUNT}" x="{span.start}" y="0" width="{span.end - span.start}" height="1" '
        'fill="var(--ground)" stroke="var(--edge)"/>'
        for number, chunk in enumerate(cut.chunks)
        for span in chunk.spans
    )
    return (
        f'<span class="name">{text(name)}</span><svg viewBox="0 0 {width} 1" preserveAspectRatio="none" role="img" '
        f'aria-label="{len(cut.chunks):,} chunks">{bars}</svg>'
    )


def marks(cut: Chunking, places: Sequence[int], name: str) -> str:
    """Return an HTML row, for a grid of strips, with a mark at each code-point offset in ``places``."""
    drawn = "".join(f"M{place} 0V1" for place in places)
    return (
        f'<span class="name">{text(name)}</span><svg viewBox="0 0 {_width(cut)} 1" preserveAspectRatio="none" role="img" '
        f'aria-label="{len(places):,} places"><path d="{drawn}" stroke="var(--ink)" stroke-width="3" fill="none"/></svg>'
    )
