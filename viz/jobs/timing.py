"""Repeated timing of a chunker's decision stage."""

from __future__ import annotations

from dataclasses import dataclass

from chunkers import Chunker, Document, Embedder
from viz.jobs.chunking import Task, chunk_at_once


@dataclass(frozen=True)
class Repeats:
    """Timings of the decision stage over several runs, in ms: lower quartile, median, upper quartile."""

    runs: int
    lower: float
    median: float
    upper: float


def time_again(
    task: Task, chunker: Chunker, source: Document, embedder: Embedder | None, on_disk: bool, runs: int = 11
) -> Repeats | None:
    """Time a chunker's decision stage over several runs; None if a run needs a background job."""
    times = []
    for _ in range(runs):
        result = chunk_at_once(task, chunker, source, embedder, on_disk)
        if result is None or result.timing is None:
            return None
        times.append(result.timing.decide_ms + result.timing.merge_ms)
    times.sort()
    return Repeats(runs, times[runs // 4], times[runs // 2], times[-1 - runs // 4])
