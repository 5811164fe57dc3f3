"""A result as shown on the Breakpoints page."""

from dataclasses import dataclass

from chunkers import Breakpoint, Chunking
from chunkers.methods.breakpoint import SimilarityReading, has_similarity_reading, read_as_similarity
from viz.components.reader.reader import Result
from viz.jobs.chunking import Task
from viz.jobs.resources import kept
from viz.shell.results import ColumnResult


@dataclass(frozen=True)
class DisplayedResult(Result):
    """A chunker's result, with Breakpoint's scores as distances or as similarities.

    ``identity`` is the task and the reading of the scores, distance or similarity.
    """

    identity: tuple[Task, str]


def displayed_result(result: ColumnResult, axis: str) -> DisplayedResult | None:
    """Return a column's result with its scores as distances or similarities, as ``axis`` says; None without a result.

    Scores that are not Breakpoint's plain distances, and results without a curve, stay as they are.
    """
    finished = result.finished
    if finished is None:
        return None
    task, chunker, chunking = finished
    if axis == "similarity" and isinstance(chunker, Breakpoint) and has_similarity_reading(chunker) and chunking.curves:
        return DisplayedResult((task, axis), SimilarityReading(**chunker.model_dump()), _read(task, chunking))
    return DisplayedResult((task, "distance"), chunker, chunking)


@kept(8, lambda task, chunking: (task.document, task))
def _read(task: Task, chunking: Chunking) -> Chunking:
    return read_as_similarity(chunking)
