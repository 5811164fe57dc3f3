"""The chunkers of a page, run at once where nothing has to be embedded, and by a job with progress otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from chunkers import Chunker, Chunking, Document, Embedder, InputError, build_chunker
from viz.jobs import chunking as work
from viz.shell import progress
from viz.shell.page import Opened, Text
from viz.state.choices import ColumnChoice


@dataclass(frozen=True)
class Made:
    """What became of a choice: the chunker where its parameters are allowed, its result where there is one."""

    choice: ColumnChoice
    chunker: Chunker | None = None
    task: work.Task | None = None
    chunking: Chunking | None = None
    error: str = ""


def make(opened: Opened, text: Text, columns: Sequence[ColumnChoice]) -> list[Made]:
    """Run every chunker that needs no new embeddings, and hand the others to a job."""
    session, embedder, document = st.session_state, opened.embedder, text.document
    on_disk = bool(session.get("on_disk"))
    kept: dict[work.Task, Chunking] = session.get("results", {})
    job: work.Job | None = session.get("job")
    if job is not None:
        kept = {**kept, **job.results}
    made = []
    waiting: list[tuple[work.Task, Chunker]] = []
    for choice in columns:
        try:
            chunker = build_chunker(choice.chunker, choice.parameters, embedder)
            if chunker.embeds and embedder is None:
                made.append(Made(choice, chunker, error=opened.complaint))
                continue
            task = work.Task.of(text.identity, document, embedder, opened.choices.tokenizer, chunker)
            chunking = kept.get(task) or work.at_once(task, chunker, document, embedder, on_disk)
        except InputError as error:
            made.append(Made(choice, error=str(error)))
            continue
        if chunking is None:
            waiting.append((task, chunker))
        made.append(Made(choice, chunker, task, chunking))
    session["results"] = {one.task: one.chunking for one in made if one.task and one.chunking}
    if job is not None and not job.cancelled:
        # What is shown no more must not stay in memory for the job's sake.
        for gone in kept.keys() - session["results"].keys():
            job.results.pop(gone, None)
    _start_job(job, waiting, document, embedder, on_disk)
    job = session.get("job")
    if job is not None and job.error:
        made = [one if one.chunking or one.error else Made(one.choice, one.chunker, error=job.error) for one in made]
    return made


def _start_job(
    job: work.Job | None,
    waiting: list[tuple[work.Task, Chunker]],
    document: Document,
    embedder: Embedder | None,
    on_disk: bool,
) -> None:
    """Let a running job of this document and embedder go on; else begin one for what waits, unless it stopped or failed."""
    session = st.session_state
    if job is not None and (job.source is not document or job.embedder is not embedder):
        job.cancel()
        session["job"] = job = None
    if not waiting or (job is not None and (job.running or job.cancelled or job.error)):
        return
    session["job"] = job = work.Job(document, embedder, waiting, on_disk)
    job.start()


def show_progress(made: Sequence[Made]) -> None:
    """Show how far the embedding is, with its cancel button; the page runs again when it ends."""
    job: work.Job | None = st.session_state.get("job")
    if job is None:
        return
    if not (job.running or job.cancelled or job.error) and any(one.task and not one.chunking for one in made):
        # It ended between the columns' look at it and this one.
        st.rerun()
    if job.running and not job.cancelled:
        progress.show_progress(job)
    elif job.cancelled and len(job.results) < len(job.tasks):
        st.button("Compute the embeddings that were stopped", on_click=_forget_job)
    elif job.error:
        st.button("Try again", on_click=_forget_job)


def _forget_job() -> None:
    st.session_state["job"] = None
