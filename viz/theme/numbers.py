"""Numbers as the pages write them."""

from __future__ import annotations

from chunkers import Timing


def stages_in_words(timing: Timing | None) -> str:
    """Say how long every stage but embedding took; nothing of a result that was not timed."""
    if timing is None:
        return ""
    merge = f" · merge {milliseconds(timing.merge_ms)}" if timing.merge_ms else ""
    return f"split {milliseconds(timing.split_ms)} · decide {milliseconds(timing.decide_ms)}{merge}\N{NO-BREAK SPACE}ms"


def embedding_in_words(timing: Timing | None) -> str:
    """Say whether embeddings were computed or found, and what computing all of them costs."""
    if timing is None:
        return ""
    took = milliseconds(timing.embed_ms)
    if timing.embedded:
        return f"{took} ms for {timing.embedded:,} new, {timing.cached:,} cached"
    return f"all {timing.cached:,} cached, {took} ms (cold {milliseconds(timing.cold_ms)})"


def three_figures(value: float) -> str:
    """Write a number with at most three significant figures, thousands grouped."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 1000 else f"{rounded:g}"


def milliseconds(value: float) -> str:
    """Write a time with two significant figures below ten, and none of a false precision below a hundredth."""
    if value < 0.01:
        return "<0.01"
    if value < 10:
        return f"{float(f'{value:.2g}'):g}"
    return f"{float(f'{value:.3g}'):,.0f}"


def counted(count: int, what: str) -> str:
    """Say how many of something there are."""
    return f"{count:,} {what}" + ("s" if count != 1 else "")
