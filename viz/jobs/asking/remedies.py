"""Look for changes that keep a question's answer whole, for every column that fails it, in the background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chunkers import Chunker, Chunking, Embedder, Span
from chunkers.storage.turn_taking import arrival
from evaluation.asking.remedies import Failure, Posed, Remedy, remedies, trials
from evaluation.search.reranker import Reranker
from viz.jobs.asking.job import Inquiry, ruler_of
from viz.jobs.background import Background
from viz.jobs.chunking import Task


@dataclass(frozen=True)
class Outcome:
    """Result of the search for one column: the remedies, and the number of settings that were tried."""

    remedies: tuple[Remedy, ...] = ()
    tried: int = 0


@dataclass(eq=False)
class RemedyJob(Background):
    """Search for remedies, one column after the other.

    Attributes
    ----------
    answer
        The place of the question's answer.
    others, known
        As in `Failure`.
    columns
        The number of each failing column, from 0, with its task, chunker and chunks.
    found
        The outcome by task; grows while the job runs.
    """

    inquiry: Inquiry
    answer: Span
    others: tuple[Posed, ...]
    known: tuple[int, ...] | None
    columns: Sequence[tuple[int, Task, Chunker, Chunking]]
    embedder: Embedder | None
    on_disk: bool
    reranker: Reranker | None = None
    found: dict[Task, Outcome] = field(default_factory=dict)
    came: int = field(default_factory=arrival, init=False)

    @property
    def question(self) -> tuple[object, ...]:
        """Key of the outcomes, beside their tasks."""
        embedder = None if self.embedder is None else (self.embedder.name, self.embedder.identity)
        return self.inquiry, self.answer, self.others, self.known, embedder, self.reranker

    @property
    def tasks(self) -> frozenset[Task]:
        """The tasks of the failing columns."""
        return frozenset(task for _, task, _, _ in self.columns)

    @property
    def done(self) -> bool:
        """True if every column has its outcome."""
        return self.tasks <= self.found.keys()

    def again(self) -> RemedyJob:
        """Return the same job, not started, with the outcomes so far."""
        return replace(self)

    def progress(self) -> tuple[float, str]:
        """Return the share of columns done, and the current step."""
        done = len(self.tasks & self.found.keys())
        return min(1.0, (done + self._share) / max(1, len(self.tasks))), "Trying other settings"

    def _run(self) -> None:
        for _, task, chunker, chunking in self.columns:
            if task in self.found:
                continue
            self._share = 0.0

            def deciding(done: int, total: int) -> None:
                self._share = done / total

            tokenizer, watching = self.inquiry.tokenizer, {"deciding": deciding, "came": self.came}
            tools = self.tools(self.embedder, tokenizer, on_disk=self.on_disk, **watching)
            failure = Failure(
                chunker,
                chunking,
                Posed(self.inquiry.question, self.answer),
                self.inquiry.method,
                self.inquiry.limit,
                self.inquiry.embedded_as,
                self.others,
                self.known,
            )
            tried = trials(failure, tools)
            ruler = ruler_of(chunking.document, self.inquiry.tokenizer)
            found = tuple(remedies(failure, tried, tools, ruler, self.reranker))
            self.found[task] = Outcome(found, len(tried))
