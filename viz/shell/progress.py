"""The progress of embedding the columns' texts."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.components.job_progress import show_job_progress
from viz.components.sending import SHORT_ANSWER, ask_to_send
from viz.jobs.chunking import ChunkingJob, Task
from viz.shell.results import ColumnResult
from viz.state.keys import session

LONG_S = 10.0
"""Seconds of embedding after which the page offers an embedder that needs no model."""

AT_ONCE = "tfidf"
"""The name of the embedder that needs no model."""


def show_progress(results: Sequence[ColumnResult]) -> None:
    """Draw the embedding job's progress and cancel button, and rerun the page whenever a column is finished."""
    asked: set[Task] = set()
    for number, column in enumerate(results):
        # Two columns may be identical.
        if column.sending is not None and column.sending.task not in asked:
            _ask_to_send(number, column, too=bool(asked))
            asked.add(column.sending.task)
    job = session.job
    if job is None:
        return
    # Read once, since the job may end at any moment.
    running = job.running
    # The job may be working on columns that are no longer shown.
    waiting = [column.chunker for column in results if column.task and column.chunker and column.chunking is None]
    if not (running or job.cancelled) and waiting:
        # The job ended after the columns were computed.
        st.rerun()
    if running and not job.cancelled:
        # The style sheet overlays it on the page, since otherwise the content below would jump when it disappears.
        with st.container(key="progress"):
            show_job_progress(
                job, lambda: bool(job.finished().keys() - session.results.keys()), lambda row: _offer(row, job)
            )
    elif job.cancelled and waiting:
        asks = any(chunker.asks for chunker in waiting)
        st.button("Continue asking" if asks else "Continue embedding", on_click=_forget_job)
    elif any(column.tried for column in results):
        st.button("Try again", on_click=_forget_job)


def _ask_to_send(number: int, result: ColumnResult, *, too: bool) -> None:
    """Draw the destination and estimated size of a column's request, with the button that sends it.

    ``too`` is true if another column's request is drawn right above.
    """
    sending, chunker = result.sending, result.chunker
    assert sending is not None
    assert chunker is not None
    ask_to_send(
        f"“{chunker.title}” ({chunker.describe()}) sends the text",
        sending.asking,
        sending.estimate,
        SHORT_ANSWER,
        key=str(number),
        send=session.sendable.add,
        args=(sending.task.of_model,),
        too=too,
        formed=sending.asking,
    )


def _offer(row: DeltaGenerator, job: ChunkingJob) -> None:
    """Offer an embedder that needs no model, if the current one will take long."""
    if job.embedder is None or job.embedder.name == AT_ONCE or (job.seconds_left or 0.0) < LONG_S:
        return

    def use() -> None:
        session.choices[session.page].embedder = AT_ONCE
        # Texts embedded so far stay in the cache.
        job.cancel()

    row.button(f"Use {AT_ONCE} instead", key="see_now", on_click=use, width="content")


def _forget_job() -> None:
    session.job = None
