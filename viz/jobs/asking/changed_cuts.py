"""A background job that reruns a column with one parameter changed, and asks it the questions about the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkers import Chunker, Chunking, Embedder, Tools, load_tokenizer, run
from chunkers.storage.turn_taking import arrival
from evaluation.asking.answer import Posed
from evaluation.asking.effect import CutChange, Search, are_whole
from viz.jobs.asking.job import ruler_of
from viz.jobs.background import Background
from viz.jobs.chunking import Task
from viz.jobs.resources import embedding_cache


@dataclass(eq=False)
class ChangedCuts(Background):
    """A job that finds which cuts and answers of a column change when parameters are changed.

    Attributes
    ----------
    task, before
        The column before the change, and its chunks.
    chunker
        The same chunker with the changed values.
    questions
        Questions asked of the chunks before and after the change.
    change
        The cuts that change; None until the chunker has run.
    whole
        For each question, whether its answer is whole before and after the change; None until all are asked.
    """

    task: Task
    before: Chunking
    chunker: Chunker
    questions: tuple[Posed, ...]
    search: Search
    known: tuple[int, ...]
    embedder: Embedder | None
    on_disk: bool
    change: CutChange | None = None
    whole: Sequence[tuple[bool, bool]] | None = None
    came: int = field(default_factory=arrival, init=False)

    @property
    def subject(self) -> tuple[object, ...]:
        """Key of the job's result; jobs with equal keys have equal results."""
        return self.task, self.chunker.model_dump_json(), self.questions, self.search, self.known

    def progress(self) -> tuple[float, str]:
        """Return the share of the job's steps done, and the current step."""
        return (0.0, "Cutting the text") if self.change is None else (0.5, "Asking the kept questions")

    def _run(self) -> None:
        tools = Tools(
            self.embedder,
            load_tokenizer(self.task.tokenizer),
            embedding_cache(self.on_disk),
            came=self.came,
            cancelled=self._cancel.is_set,
            cached_only=self.embedder is not None and self.embedder.remote,
        )
        after = run(self.chunker, self.before.document, tools)
        self.change = CutChange.between(self.before, after, self.known)
        if not self.questions:
            # Without questions, the text's tokens need not be counted.
            self.whole = []
            return
        ruler = ruler_of(self.before.document, self.task.tokenizer)
        first, second = (are_whole(chunking, self.questions, self.search, tools, ruler) for chunking in (self.before, after))
        self.whole = [*zip(first, second, strict=True)]
