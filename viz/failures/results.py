"""The results of the Failures page: each chunker at its published settings and at the best settings found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chunkers import Chunking
from evaluation.segmentation.grids import OURS
from evaluation.segmentation.measures import Score, chunks_of, in_sentences, misassigned, sections_of
from evaluation.segmentation.sweep import Marked, Setting, scores_of
from viz.jobs.chunking import Task
from viz.jobs.texts import kept
from viz.shell.results import ColumnResult
from viz.state.text import Text

RESULTS = ("published", "best", "compare")
"""Options for a row of the table, by their names in the link: a chunker's published or best settings, or a column of
Compare."""


@dataclass(frozen=True)
class MeasuredSetting:
    """A chunker's setting with its result, if any, and its measures, if boundaries are known.

    ``which`` and ``column`` identify the row: one of `RESULTS`, and the number of the chunker, or of the column of Compare.
    """

    which: str
    setting: Setting
    origin: str
    made: ColumnResult
    scores: Mapping[str, Score] | None = None
    wrong: tuple[int, ...] = ()
    column: int = 0

    @property
    def title(self) -> str:
        """The setting's origin: ``best found``, ``default``, ``published``, or ``column 2`` of Compare."""
        if self.which == "best":
            return "best found"
        if self.which == "compare":
            return self.origin
        return "default" if self.origin == OURS else "published"


def measured(which: str, column: int, setting: Setting, origin: str, result: ColumnResult, text: Text) -> MeasuredSetting:
    """Return a chunker's setting with its result and, if boundaries are known, its measures."""
    known = text.source.known
    if result.chunking is None or known is None or result.task is None:
        return MeasuredSetting(which, setting, origin, result, column=column)
    scores, wrong = _against(result.task, result.chunking, known)
    return MeasuredSetting(which, setting, origin, result, scores, wrong, column)


@kept(64, lambda task, chunking, known: (task.document, task, known))
def _against(task: Task, chunking: Chunking, known: tuple[int, ...]) -> tuple[dict[str, Score], tuple[int, ...]]:
    """Return the measures of a result and the numbers of its misassigned sentences, cached by its task."""
    document = chunking.document
    wrong = misassigned(sections_of(in_sentences(document, known)), chunks_of(chunking)) if document.sentences else None
    return scores_of(Marked(document, known), chunking), wrong.units if wrong is not None else ()
