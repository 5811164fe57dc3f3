"""Formatting of numbers on the pages."""

import math

from chunkers import Timing
from chunkers.support import format_three_figures, pluralize

_MILLISECONDS_SUFFIX = "\N{NO-BREAK SPACE}ms"


def stage_times_in_words(timing: Timing | None) -> str:
    """Describe the time of each stage of chunking except embedding; empty if the result was not timed."""
    if timing is None:
        return ""
    milliseconds_by_stage = {"split": timing.split_ms, "decide": timing.decide_ms} | (
        {"merge": timing.merge_ms} if timing.merge_ms else {}
    )
    times_phrase = " · ".join(f"{stage} {duration_in_words(took)}" for stage, took in milliseconds_by_stage.items())
    # The unit is given once if all times share it.
    return (
        times_phrase.replace(_MILLISECONDS_SUFFIX, "", times_phrase.count(_MILLISECONDS_SUFFIX) - 1)
        if times_phrase.count(_MILLISECONDS_SUFFIX) == len(milliseconds_by_stage)
        else times_phrase
    )


def embedding_time_in_words(timing: Timing | None) -> str:
    """Describe the embedding time and the numbers of new and cached embeddings; empty if the result was not timed."""
    if timing is None:
        return ""
    embedding_time_phrase = duration_in_words(timing.embed_ms)
    if timing.embedded:
        return f"{embedding_time_phrase} for {timing.embedded:,} new, {timing.cached:,} cached"
    uncached_time_phrase = "" if math.isnan(timing.cold_ms) else f" (cold {duration_in_words(timing.cold_ms)})"
    return f"all {timing.cached:,} cached, {embedding_time_phrase}{uncached_time_phrase}"


def duration_in_words(ms: float) -> str:
    """Format a time in milliseconds with its unit, such as ``0.64 ms`` or ``99.5 s``.

    Two significant figures below 10 ms, whole milliseconds above, three significant figures from one second on, and
    ``<0.01 ms`` below a hundredth.
    """
    if ms >= 999.5:
        return f"{format_three_figures(ms / 1000)}\N{NO-BREAK SPACE}s"
    if ms < 0.01:
        return f"<0.01{_MILLISECONDS_SUFFIX}"
    return f"{float(f'{ms:.2g}'):g}{_MILLISECONDS_SUFFIX}" if ms < 10 else f"{ms:.0f}{_MILLISECONDS_SUFFIX}"


def known_boundary_count_phrase(count: int) -> str:
    """Format a number of known boundaries, such as ``3 known boundaries``."""
    return pluralize(count, "known boundary", "known boundaries")
