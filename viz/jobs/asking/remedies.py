"""A background job that searches for changes that keep an answer whole or remove a finding."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace

from chunkers import Embedder, Tools
from evaluation.inbox.rules import Finding
from evaluation.remedies.search import Remedy, Trial
from evaluation.remedies.tested_changes import (
    FailingColumn,
    Findings,
    Suspect,
    keep_answer_whole,
    remove_finding,
    try_answer,
    try_findings,
)
from evaluation.search.ranking import Reranker
from viz.jobs.asking.job import ruler_of
from viz.jobs.background import Background
from viz.jobs.chunking import Task
from viz.jobs.resources import kept


@dataclass(frozen=True)
class Outcome:
    """The result of the search for one column: the changes that solve its problem, and the number of settings tried."""

    remedies: tuple[Remedy, ...] = ()
    tried: int = 0


Search = Callable[[Tools], Outcome]


def search_answer(failure: FailingColumn, tokenizer: str, reranker: Reranker | None) -> Search:
    """Return a function that searches for changes of settings that keep an answer whole."""

    def search(tools: Tools) -> Outcome:
        tried = try_answer(failure, tools)
        ruler = ruler_of(failure.chunking.document, tokenizer)
        return Outcome(tuple(keep_answer_whole(failure, tried, tools, ruler, reranker)), len(tried))

    return search


def search_finding(task: Task, suspect: Suspect, finding: Finding, tokenizer: str, reranker: Reranker | None) -> Search:
    """Return a function that searches for changes of settings that remove a finding of the column ``task``."""

    def search(tools: Tools) -> Outcome:
        tried = _tried(task, suspect, tokenizer, tools)
        ruler = ruler_of(suspect.chunking.document, tokenizer)
        return Outcome(tuple(remove_finding(suspect, finding, tried, tools, ruler, reranker)), len(tried))

    return search


def _key(task: Task, suspect: Suspect, tokenizer: str, tools: Tools) -> tuple[Hashable, ...]:
    embedder = None if tools.embedder is None else (tools.embedder.name, tools.embedder.identity)
    return task.document, task, suspect.hair, tokenizer, embedder


@kept(16, _key)
def _tried(task: Task, suspect: Suspect, tokenizer: str, tools: Tools) -> list[Trial[Findings]]:
    """Return the findings of every setting of the grid, cached for further searches on the column."""
    return try_findings(suspect, tools)


@dataclass(eq=False)
class RemedyJob(Background):
    """A job that searches for settings that solve the problems of several columns, one column after another.

    Attributes
    ----------
    subject
        Key of the outcomes, in addition to their tasks.
    searches
        The search of each column, by its task.
    found
        The outcomes by task; grows while the job runs.
    """

    subject: Hashable
    searches: Mapping[Task, Search]
    embedder: Embedder | None
    tokenizer: str
    on_disk: bool
    found: dict[Task, Outcome] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        """True if the search is finished for every column."""
        return self.searches.keys() <= self.found.keys()

    def again(self) -> "RemedyJob":
        """Return a copy of the job that is not started yet and keeps the outcomes found so far."""
        return replace(self)

    def after(self, before: "RemedyJob | None") -> "RemedyJob":
        """Return the earlier job ``before`` if its searches are equal, otherwise this job with the outcomes still valid."""
        if before is None or before.subject != self.subject:
            return self
        if before.searches.keys() == self.searches.keys():
            return before
        self.found.update(before.found)
        return self

    def progress(self) -> tuple[float, str]:
        """Return the share of columns searched, and a status text."""
        done = len(self.searches.keys() & self.found.keys())
        return min(1.0, (done + self._share) / max(1, len(self.searches))), "Trying other settings"

    def _run(self) -> None:
        tools = self.tools(self.embedder, self.tokenizer, on_disk=self.on_disk, deciding=self._deciding, came=self.came)
        for task, search in self.searches.items():
            if task not in self.found:
                self._share = 0.0
                self.found[task] = search(tools)
