"""Formatting of numbers on the pages."""

from __future__ import annotations

from chunkers import Timing


def stages_in_words(timing: Timing | None) -> str:
    """Describe how long each stage except embedding took; empty if the result was not timed."""
    if timing is None:
        return ""
    merge = f" · merge {milliseconds(timing.merge_ms)}" if timing.merge_ms else ""
    return f"split {milliseconds(timing.split_ms)} · decide {milliseconds(timing.decide_ms)}{merge}\N{NO-BREAK SPACE}ms"


def embedding_in_words(timing: Timing | None) -> str:
    """Describe how many embeddings were computed or cached, and what computing all of them costs; empty if not timed."""
    if timing is None:
        return ""
    took = milliseconds(timing.embed_ms)
    if timing.embedded:
        return f"{took} ms for {timing.embedded:,} new, {timing.cached:,} cached"
    return f"all {timing.cached:,} cached, {took} ms (cold {milliseconds(timing.cold_ms)})"


def three_figures(value: float) -> str:
    """Format a number with at most three significant figures, thousands grouped."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 1000 else f"{rounded:g}"


def milliseconds(value: float) -> str:
    """Format a time in ms: two significant figures below 10, three above, and ``<0.01`` below a hundredth."""
    if value < 0.01:
        return "<0.01"
    if value < 10:
        return f"{float(f'{value:.2g}'):g}"
    return f"{float(f'{value:.3g}'):,.0f}"


def duration(ms: float) -> str:
    """Format a time given in ms with its unit, from a second on in seconds: ``0.64 ms``, ``99.5 s``."""
    if ms < 999.5:
        return f"{milliseconds(ms)}\N{NO-BREAK SPACE}ms"
    return f"{three_figures(ms / 1000)}\N{NO-BREAK SPACE}s"


def counted(count: int, what: str) -> str:
    """Return a count with its noun, in the plural unless the count is 1."""
    return f"{count:,} {what}" + ("s" if count != 1 else "")
