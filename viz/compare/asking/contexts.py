"""The context sentences of Compare's chunks: their cost, the user's consent, and their state."""

from collections.abc import Callable, Sequence

import streamlit as st

from chunkers import Chunking
from chunkers.contract.base import Estimate
from chunkers.language_models.asking import Asking
from viz.compare.state.session import session
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice, remark
from viz.controls.language_model import any_asks, model_form
from viz.jobs.asking.job import Situating, estimate_of_contexts
from viz.jobs.chunking import Task
from viz.shell.linked_runs import Requests, ask_first, show_consent
from viz.shell.results import ColumnResult
from viz.state.choices import Choices
from viz.state.models import chosen_model
from viz.theme.numbers import counted

MISSING = (
    "Context sentences are written by a language model, and none is named yet: one that runs on this machine (llama.cpp, "
    "Ollama, vLLM) or a hosted one. Nothing is sent before you press “Send”."
)
"""Message on the page if no language model is named."""

NOT_WRITTEN = "Searched without context sentences: they are not written yet, see Downloads, below the text"
"""Note on a result if context sentences are chosen but not written for all columns."""


def in_context(results: Sequence[ColumnResult]) -> dict[int, Chunking]:
    """Return the results whose chunks have context sentences, by column number from 0."""
    job = session.situating
    if job is None or job.asking is not chosen_model():
        return {}
    chunkings = dict(job.found)
    return {
        number: chunkings[column.task]
        for number, column in enumerate(results)
        if column.task in chunkings and column.chunking is not None
    }


def show_contexts(choices: Choices, results: Sequence[ColumnResult]) -> None:
    """Draw the state of the columns' context sentences, and the button that generates the missing sentences."""
    asking, with_contexts = chosen_model(), in_context(results)
    # If any column's chunker calls a language model, the columns' controls already include the form.
    if not any_asks(column.chunker for column in choices.columns):
        model_form()
    if asking is None:
        notice(MISSING, key="contexts_missing")
        return
    job = session.situating
    if job is not None and job.asking is asking and job.running and not job.cancelled:
        show_job_progress(job, key="contexts")
        return
    waiting = {
        column.task: column.chunking
        for number, column in enumerate(results)
        if column.task is not None and column.chunking is not None and number not in with_contexts
    }
    if waiting:
        if job is not None and job.asking is asking and job.error:
            notice(job.error, "error", key="contexts_error")
        _ask_for(asking, choices.tokenizer, waiting)
    for number, chunking in with_contexts.items():
        if missing := sum(not chunk.situation for chunk in chunking.chunks):
            every = f"{missing:,} of {counted(len(chunking.chunks), 'chunk')}"
            notice(
                f"Column {number + 1}: the model wrote no usable context sentence for {every}; these chunks are used "
                "without one.",
                key=f"contexts_left_out_{number}",
            )
    if with_contexts:
        remark(f"{asking.model.name}: {asking.spent}.", key="contexts_spent")


def _ask_for(asking: Asking, tokenizer: str, waiting: dict[Task, Chunking]) -> None:
    """Draw the button that estimates the requests for the missing context sentences, and then the consent."""
    what = f"This sends the text once for every chunk of {counted(len(waiting), 'column')}"

    def count(cancelled: Callable[[], bool]) -> Estimate:
        return estimate_of_contexts(waiting, tokenizer, cancelled)

    def begin() -> None:
        before = session.situating
        chunkings = before.found if before is not None and before.asking is asking else {}
        # Keep neither text nor context sentences of columns that are no longer shown.
        known = {task: chunkings[task] for task in session.results if task in chunkings}
        session.situating = job = Situating(asking, tokenizer, waiting, known)
        job.start()

    requests = Requests(("contexts", *waiting), asking, count, what, "contexts", 0, formed=False)
    st.button("Write context sentences", key="write_contexts", on_click=ask_first, args=(requests, begin))
    show_consent(requests)
