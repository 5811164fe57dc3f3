"""A result as shown on the Breakpoints page."""

from __future__ import annotations

from dataclasses import dataclass

from chunkers import Breakpoint, Chunking
from chunkers.methods.max_min import MaxMin
from chunkers.methods.similarity_reading import SimilarityReading, has_similarity_reading, read_as_similarity
from viz.jobs.chunking import Task
from viz.jobs.texts import kept
from viz.shell.results import ColumnResult


@dataclass(frozen=True)
class Shown:
    """A greedy chunker's result, with its scores as distances or as similarities.

    ``identity`` is the task and the kind of score, distance or similarity. Max–Min has similarities only.
    """

    identity: tuple[Task, str]
    chunker: Breakpoint | MaxMin
    chunking: Chunking


def shown_of(made: ColumnResult, axis: str) -> Shown | None:
    """Return a column's result with its scores as distances or similarities, as ``axis`` says; None without a result.

    Max–Min has similarities only. Scores that are not plain distances, and results without a curve, stay as they are.
    """
    if made.task is None or made.chunking is None or not isinstance(made.chunker, Breakpoint | MaxMin):
        return None
    if isinstance(made.chunker, MaxMin):
        return Shown((made.task, "similarity"), made.chunker, made.chunking)
    if axis == "similarity" and has_similarity_reading(made.chunker) and made.chunking.curves:
        return Shown((made.task, axis), SimilarityReading(**made.chunker.model_dump()), _read(made.task, made.chunking))
    return Shown((made.task, "distance"), made.chunker, made.chunking)


@kept(8, lambda task, chunking: (task.document, task))
def _read(task: Task, chunking: Chunking) -> Chunking:
    return read_as_similarity(chunking)
