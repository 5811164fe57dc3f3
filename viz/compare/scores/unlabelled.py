"""Measures of Compare's columns that need no known boundaries: blocks, sizes, contrast, and the effect of edits."""

from collections.abc import Sequence

import streamlit as st

from chunkers import Document, Embedder, InputError, Tools, build_chunker, load_tokenizer
from chunkers.support.arrays import VectorArray
from evaluation.segmentation.unlabelled import BASELINES, EDITS, Stability, Unlabelled, check_edits, sizes_of, unlabelled
from evaluation.tables.cells import OF_EDITS, UNLABELLED_HEADS, edit_cells, unlabelled_cells
from viz.compare.scores.table import RowData, column_row, draw_scores, score_row
from viz.compare.state.session import session
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice
from viz.jobs.chunking import Task, chunk_at_once, vectors_at_hand
from viz.jobs.edit_stability import EditStabilityJob
from viz.jobs.resources import kept
from viz.shell.results import ColumnResult, Finished
from viz.state.choices import Choices

_Contender = tuple[int | None, str, Finished]
"""A column of Compare, with its number from 0 and its title, or a trivial baseline, without a number."""


def show_unlabelled(
    choices: Choices, results: Sequence[ColumnResult], document: Document, embedder: Embedder | None
) -> None:
    """Draw the measures that need no known boundaries, and the button that measures stability under edits."""
    vectors = vectors_at_hand(document, embedder, choices.tokenizer, session.on_disk)
    contenders: list[_Contender] = [
        (number, column.title, finished) for number, column in enumerate(results) if (finished := column.finished)
    ]
    contenders += _trivial(document, choices.tokenizer)
    edit_results = _edits(document)
    edited = any(contender.task in edit_results for _, _, contender in contenders)
    rows: list[RowData] = []
    for number, name, contender in contenders:
        measured = unlabelled_cells(_measured(contender, vectors, embedder))
        edits = edit_cells(edit_results.get(contender.task)) if edited else []
        rows.append(score_row(number, name, "" if number is None else contender.chunker.describe(), measured + edits))
    rows += [column_row(number, column) for number, column in enumerate(results) if column.finished is None]
    draw_scores(
        choices,
        UNLABELLED_HEADS if edited else UNLABELLED_HEADS[:-OF_EDITS],
        rows,
        key="unlabelled",
        said="Measures that need no known boundaries. None is a grade by itself: few cuts leave blocks whole, and short "
        "chunks are alike inside.",
        note=f"An edit inserts one sentence of the text at one of {EDITS} places." if edited else "",
    )
    _offer_edits(contenders, document, embedder, edit_results)


def _trivial(document: Document, tokenizer: str) -> list[_Contender]:
    """Return the trivial baselines, which embed nothing."""
    baselines: list[_Contender] = []
    for name, parameters in BASELINES:
        chunker = build_chunker("fixed_sentences", parameters)
        task = Task.of(document, None, tokenizer, chunker)
        chunking = chunk_at_once(task, chunker, document, None, False)
        if chunking is not None:
            baselines.append((None, name, Finished(task, chunker, chunking)))
    return baselines


@kept(32, lambda result, vectors, embedder: (result.task.document, result.task, vectors is None, embedder is None))
def _measured(result: Finished, vectors: VectorArray | None, embedder: Embedder | None) -> Unlabelled:
    tools = Tools(embedder, load_tokenizer(result.task.tokenizer))
    return unlabelled(result.chunking, vectors, sizes_of(result.chunking, result.chunker, tools))


# The effect of edits


def _edits(document: Document) -> dict[Task, Stability | str]:
    """Return the results of the edit job on this document, or error messages; cancel a job on another document."""
    job = session.edits
    if job is None:
        return {}
    if job.source.identity != document.identity:
        session.edits = None
        return {}
    return {**job.results, **job.refused}


def _offer_edits(
    contenders: Sequence[_Contender],
    document: Document,
    embedder: Embedder | None,
    edit_results: dict[Task, Stability | str],
) -> None:
    """Draw the button that measures the effect of edits, or its progress."""
    job = session.edits
    if job is not None and job.running and not job.cancelled:
        show_job_progress(job, lambda: {**job.results, **job.refused}.keys() != edit_results.keys())
        return
    if job is not None and job.error:
        notice(job.error, "error", key="edits_error")
    missing = [
        (name if number is None else f"Column {number + 1}", contender.task, contender.chunker)
        for number, name, contender in contenders
        if contender.task not in edit_results
    ]
    if not missing:
        return
    try:
        check_edits(document, EDITS)
    except InputError as error:
        notice(str(error), key="edits_refused")
        return

    def measure() -> None:
        known = {task: stability for task, stability in edit_results.items() if isinstance(stability, Stability)}
        session.edits = EditStabilityJob(document, embedder, missing, session.on_disk, results=known)
        session.edits.start()

    st.button(
        "Measure edit stability",
        key="measure_edits",
        on_click=measure,
        help=f"Inserts one sentence at each of {EDITS} places, cuts the text again with every column, and counts the chunks "
        "that change: they would have to be embedded and stored again.",
    )
