"""Run the chunkers of a page: at once if their embeddings are cached, otherwise in a background job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunkers import Chunker, Chunking, Document, Embedder, InputError, build_chunker
from viz.jobs.chunking import ChunkingJob, Task, chunk_at_once
from viz.shell.page import Page
from viz.state.choices import ColumnChoice
from viz.state.keys import session
from viz.state.text import Text


@dataclass(frozen=True)
class ColumnResult:
    """The outcome of a choice: the chunker if its parameters are valid, and its result if there is one."""

    choice: ColumnChoice
    chunker: Chunker | None = None
    task: Task | None = None
    chunking: Chunking | None = None
    error: str = ""


def run_columns(here: Page, text: Text, columns: Sequence[ColumnChoice]) -> list[ColumnResult]:
    """Run the chunkers that need no new embeddings, and start a background job for the others."""
    embedder, document, job = here.embedder, text.document, session.job
    kept = session.results if job is None else {**session.results, **job.finished()}
    made = []
    waiting: list[tuple[Task, Chunker]] = []
    for choice in columns:
        try:
            chunker = build_chunker(choice.chunker, choice.parameters, embedder)
            if chunker.embeds and embedder is None:
                made.append(ColumnResult(choice, chunker, error=here.embedder_complaint))
                continue
            task = Task.of(document, embedder, here.choices.tokenizer, chunker)
            chunking = kept.get(task)
            if chunking is None:
                chunking = chunk_at_once(task, chunker, document, embedder, session.on_disk)
        except InputError as error:
            made.append(ColumnResult(choice, error=str(error)))
            continue
        if chunking is None:
            waiting.append((task, chunker))
        made.append(ColumnResult(choice, chunker, task, chunking))
    session.results = {one.task: one.chunking for one in made if one.task and one.chunking is not None}
    if job is not None and not job.cancelled:
        # Free the results that are no longer shown.
        for gone in kept.keys() - session.results.keys():
            job.results.pop(gone, None)
    _start_job(waiting, document, embedder)
    job = session.job
    if job is not None and job.error:
        made = [
            one if one.chunking is not None or one.error else ColumnResult(one.choice, one.chunker, error=job.error)
            for one in made
        ]
    return made


def _start_job(waiting: list[tuple[Task, Chunker]], document: Document, embedder: Embedder | None) -> None:
    """Start a job for the waiting tasks, unless this document and embedder have one that runs, was cancelled or failed.

    A job for another document or embedder is cancelled.
    """
    job = session.job
    if job is not None and (job.source.identity != document.identity or job.embedder is not embedder):
        job.cancel()
        session.job = job = None
    if not waiting or (job is not None and (job.running or job.cancelled or job.error)):
        return
    session.job = job = ChunkingJob(document, embedder, waiting, session.on_disk)
    job.start()
