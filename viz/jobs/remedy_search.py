"""The search for changes of settings that keep an answer whole or remove a finding, as a background job."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace

from chunkers import Embedder, Tools
from evaluation.findings.rules import Finding
from evaluation.remedies.settings_search import Remedy, Trial
from evaluation.remedies.tested_changes import (
    FailingColumn,
    FindingsByRule,
    SuspiciousColumn,
    remedies_for_answer,
    remedies_for_single_finding,
    try_settings_finding_suspicious_cuts,
    try_settings_leaving_answer_uncut,
)
from evaluation.search import Reranker
from viz.jobs.background_jobs import BackgroundJob
from viz.jobs.chunking import ChunkingTask
from viz.jobs.question_preview_context_jobs import token_ruler_of_document
from viz.jobs.shared_resources import cached_while_shown, embedder_part_of_cache_key


@dataclass(frozen=True)
class RemedyOutcome:
    """The result of the search for one column: the changes that solve its problem, and the number of settings tried."""

    remedies: tuple[Remedy, ...] = ()
    tried_count: int = 0


RemedySearch = Callable[[Tools], RemedyOutcome]


def build_answer_remedy_search_function(
    failing_column: FailingColumn, tokenizer: str, reranker: Reranker | None
) -> RemedySearch:
    """Return a function that searches for changes of settings that keep an answer whole."""

    def find_answer_remedies(tools: Tools) -> RemedyOutcome:
        setting_trials = try_settings_leaving_answer_uncut(failing_column, tools)
        document_token_ruler = token_ruler_of_document(failing_column.chunking.document, tokenizer)
        return RemedyOutcome(
            tuple(remedies_for_answer(failing_column, setting_trials, tools, document_token_ruler, reranker)),
            len(setting_trials),
        )

    return find_answer_remedies


def build_finding_remedy_search_function(
    chunking_task: ChunkingTask,
    suspicious_column: SuspiciousColumn,
    finding: Finding,
    tokenizer: str,
    reranker: Reranker | None,
) -> RemedySearch:
    """Return a function that searches for settings that remove a finding about the result of ``chunking_task``."""

    def find_finding_remedies(tools: Tools) -> RemedyOutcome:
        setting_trials = _list_findings_of_tried_settings(chunking_task, suspicious_column, tokenizer, tools)
        document_token_ruler = token_ruler_of_document(suspicious_column.chunking.document, tokenizer)
        return RemedyOutcome(
            tuple(
                remedies_for_single_finding(
                    suspicious_column, finding, setting_trials, tools, document_token_ruler, reranker
                )
            ),
            len(setting_trials),
        )

    return find_finding_remedies


def _trials_cache_key(
    chunking_task: ChunkingTask, suspicious_column: SuspiciousColumn, tokenizer: str, tools: Tools
) -> tuple[Hashable, ...]:
    return (
        chunking_task.document,
        chunking_task,
        suspicious_column.narrow_margin,
        tokenizer,
        embedder_part_of_cache_key(tools.embedder),
    )


@cached_while_shown(16, _trials_cache_key)
def _list_findings_of_tried_settings(
    chunking_task: ChunkingTask, suspicious_column: SuspiciousColumn, tokenizer: str, tools: Tools
) -> list[Trial[FindingsByRule]]:
    """Return the findings of every setting of the grid, cached for further searches on the column."""
    return try_settings_finding_suspicious_cuts(suspicious_column, tools)


@dataclass(eq=False)
class RemedyJob(BackgroundJob):
    """A job that searches for settings that solve the problems of several columns, one column after another.

    Attributes
    ----------
    subject
        Key of the outcomes, in addition to their tasks.
    searches
        The search of each column, by its task.
    outcome_by_task
        The outcomes by task; grows while the job runs.
    """

    subject: Hashable
    searches: Mapping[ChunkingTask, RemedySearch]
    embedder: Embedder | None
    tokenizer: str
    on_disk: bool
    outcome_by_task: dict[ChunkingTask, RemedyOutcome] = field(default_factory=dict)

    @property
    def is_search_finished(self) -> bool:
        """True if the search is finished for every column."""
        return self.searches.keys() <= self.outcome_by_task.keys()

    def unstarted_copy(self) -> "RemedyJob":
        """Return a copy of the job that is not started yet and keeps the outcomes found so far."""
        return replace(self)

    def earlier_if_same(self, earlier: "RemedyJob | None") -> "RemedyJob":
        """Return the ``earlier`` job if its searches are equal, otherwise this job with the outcomes still valid."""
        if earlier is not None and earlier.subject == self.subject:
            if earlier.searches.keys() == self.searches.keys():
                return earlier
            self.outcome_by_task.update(earlier.outcome_by_task)
        return self

    def progress(self) -> tuple[float, str]:
        """Return the share of columns searched, and a status text."""
        searched_column_count = len(self.searches.keys() & self.outcome_by_task.keys())
        return min(1.0, (searched_column_count + self._share) / max(1, len(self.searches))), "Trying other settings"

    def _do_work(self) -> None:
        tools = self.tools(
            self.embedder, self.tokenizer, uses_disk_cache=self.on_disk, deciding=self._note_parts_done, arrival=self.arrival
        )
        for searched_column_task, search_for_remedies in self.searches.items():
            if searched_column_task not in self.outcome_by_task:
                self._share = 0.0
                self.outcome_by_task[searched_column_task] = search_for_remedies(tools)
