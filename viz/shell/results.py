"""Running a page's chunkers: immediately if their embeddings are cached, otherwise in a background job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chunkers import Chunker, Chunking, Document, Embedder, InputError, build_chunker
from chunkers.contract.base import Estimate
from chunkers.language_models.asking import Asking
from chunkers.methods.your_chunks import YourChunks
from chunkers.recipes.registry import ELSEWHERE
from viz.jobs.chunking import ChunkingJob, Task, chunk_at_once, estimate_of
from viz.shell.page import Page
from viz.state.choices import ColumnChoice
from viz.state.chunk_files import chunker_elsewhere, none_found
from viz.state.keys import session
from viz.state.language_model import MISSING, chosen_model
from viz.state.text import Text

WAITS = "Waiting for you to press “Send”, above."
"""Message of a column that waits for the user's consent before its text is sent."""


@dataclass(frozen=True)
class Sending:
    """A request that waits for the user's consent, with its destination and estimated size."""

    task: Task
    asking: Asking
    estimate: Estimate


@dataclass(frozen=True)
class ColumnResult:
    """A column's chunker, if its parameters are valid, and its result or error.

    ``sending`` is the request that needs the user's consent. ``tried`` is True if the error comes from a job that can be
    repeated.
    """

    choice: ColumnChoice
    chunker: Chunker | None = None
    task: Task | None = None
    chunking: Chunking | None = None
    error: str = ""
    sending: Sending | None = None
    tried: bool = False


def run_columns(here: Page, text: Text, columns: Sequence[ColumnChoice]) -> list[ColumnResult]:
    """Run the chunkers that need no new embeddings, and start a background job for the other chunkers.

    Nothing is sent to a language model without the user's consent.
    """
    embedder, document, job, asking = here.embedder, text.document, session.job, chosen_model()
    kept = session.results if job is None else {**session.results, **job.finished()}
    results = [_at_once(here, document, choice, asking, kept) for choice in columns]
    waiting = [
        (column.task, column.chunker)
        for column in results
        if column.task is not None and column.chunker is not None and column.chunking is None
    ]
    session.results = {column.task: column.chunking for column in results if column.task and column.chunking is not None}
    if job is not None and not job.cancelled:
        # Release the results that are no longer shown.
        for gone in kept.keys() - session.results.keys():
            job.results.pop(gone, None)
    # Columns that only embed come first, since a language model may take long.
    _start_job(sorted(waiting, key=lambda pair: pair[1].asks), document, embedder, asking)
    job = session.job
    failed = {} if job is None else failed_tasks(job)
    return [
        replace(column, task=None, error=failed[column.task.of_model], tried=True)
        if column.task is not None and column.chunking is None and column.task.of_model in failed
        else column
        for column in results
    ]


def failed_tasks(job: ChunkingJob) -> dict[Task, str]:
    """Return the error messages of a job's failed tasks, keyed by the task without its embedder."""
    # Tasks that were never started failed for the reason that ended the job.
    never = {task.of_model: job.error for task, _ in job.tasks if task.of_model not in job.made} if job.error else {}
    return never | job.failed


def _start_job(
    waiting: list[tuple[Task, Chunker]], document: Document, embedder: Embedder | None, asking: Asking | None
) -> None:
    """Start a job for the waiting tasks, unless one for this document and these models is running or was cancelled.

    Failed tasks are not repeated. A job for another document or another model is cancelled.
    """
    job = session.job
    if job is not None and (
        job.source.identity != document.identity or job.embedder is not embedder or job.asking is not asking
    ):
        job.cancel()
        session.job = job = None
    failed = {} if job is None else failed_tasks(job)
    untried = [pair for pair in waiting if pair[0].of_model not in failed]
    if not untried or (job is not None and (job.running or job.cancelled)):
        return
    session.job = job = ChunkingJob(document, embedder, untried, session.on_disk, asking, failed=failed)
    job.start()


def _at_once(
    here: Page, document: Document, choice: ColumnChoice, asking: Asking | None, kept: Mapping[Task, Chunking]
) -> ColumnResult:
    """Return a column's result if it is cached or quick; a column that needs a job has a task only."""
    embedder = here.embedder
    try:
        if choice.chunker in ELSEWHERE:
            return _found_again(here, document, choice, kept)
        chunker = build_chunker(choice.chunker, choice.parameters, embedder)
        if chunker.embeds and embedder is None:
            return ColumnResult(choice, chunker, error=here.embedder_complaint)
        if chunker.asks and asking is None:
            return ColumnResult(choice, chunker, error=MISSING)
        task = Task.of(document, embedder, here.choices.tokenizer, chunker, asking)
        chunking = kept.get(task)
        if chunking is None:
            chunking = chunk_at_once(task, chunker, document, embedder, session.on_disk, asking)
        if chunking is None and chunker.asks and asking is not None and task.of_model not in session.sendable:
            waits = Sending(task, asking, estimate_of(task, chunker, document))
            return ColumnResult(choice, chunker, error=WAITS, sending=waits)
    except InputError as error:
        return ColumnResult(choice, error=str(error))
    return ColumnResult(choice, chunker, task, chunking)


def _found_again(here: Page, document: Document, choice: ColumnChoice, kept: Mapping[Task, Chunking]) -> ColumnResult:
    """Return the result of a column of external chunks; raises InputError if the document is ambiguous."""
    chunker, missing = chunker_elsewhere(choice)
    if missing:
        return ColumnResult(choice, chunker, error=missing)
    # The chunks do not depend on the embedder, but their measures do.
    task = Task.of(document, here.embedder, here.choices.tokenizer, chunker)
    chunking = kept.get(task)
    if chunking is None:
        chunking = chunk_at_once(task, chunker, document, here.embedder, session.on_disk)
    if isinstance(chunker, YourChunks) and chunking is not None and document.sentences and not chunking.chunks:
        return ColumnResult(choice, chunker, error=none_found(chunker, document))
    return ColumnResult(choice, chunker, task, chunking)
