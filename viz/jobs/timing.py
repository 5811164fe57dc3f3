"""How long a decision takes, over several runs."""

from __future__ import annotations

from dataclasses import dataclass

from chunkers import Chunker, Document, Embedder
from viz.jobs.chunking import Task, chunk_at_once


@dataclass(frozen=True)
class Repeats:
    """Milliseconds of the decision over several runs: lower quartile, median, upper quartile."""

    runs: int
    lower: float
    median: float
    upper: float


def time_again(
    task: Task, chunker: Chunker, source: Document, embedder: Embedder | None, on_disk: bool, runs: int = 11
) -> Repeats | None:
    """Time the decision stage again and again, everything embedded; None if something is not."""
    times = []
    for _ in range(runs):
        result = chunk_at_once(task, chunker, source, embedder, on_disk)
        if result is None or result.timing is None:
            return None
        times.append(result.timing.decide_ms + result.timing.merge_ms)
    times.sort()
    return Repeats(runs, times[runs // 4], times[runs // 2], times[-1 - runs // 4])
