"""Measures of Compare's columns that need no known boundaries: blocks, sizes, contrast, and the effect of edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from chunkers import Cancelled, Chunker, Chunking, Document, Embedder, InputError, Tools, build_chunker, load_tokenizer
from chunkers.recipes.registry import chunker_class
from chunkers.support.arrays import VectorArray
from evaluation.segmentation.unlabelled import BASELINES, EDITS, Stability, Unlabelled, check_edits, sizes_of, unlabelled
from evaluation.tables.cells import OF_EDITS, UNLABELLED_HEADS, edit_cells, unlabelled_cells
from viz.compare.scores.table import RowData, draw, row
from viz.compare.state.session import session
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice
from viz.jobs.chunking import Task, chunk_at_once, sentence_vectors
from viz.jobs.edit_stability import EditStabilityJob
from viz.jobs.resources import kept
from viz.shell.column_head import settings_of, waiting_words
from viz.shell.results import ColumnResult
from viz.state.choices import Choices


@dataclass(frozen=True)
class _Contender:
    """A column of Compare with its number from 0, or a trivial baseline without a number."""

    number: int | None
    name: str
    settings: str
    task: Task
    chunker: Chunker
    chunking: Chunking


def show_unlabelled(
    choices: Choices, results: Sequence[ColumnResult], document: Document, embedder: Embedder | None
) -> None:
    """Draw the measures that need no known boundaries, and the button that measures stability under edits."""
    vectors = _vectors(document, embedder, choices.tokenizer)
    contenders = [*_columns(results), *_trivial(document, choices.tokenizer)]
    edit_results = _edits(document)
    edited = any(contender.task in edit_results for contender in contenders)
    rows: list[RowData] = []
    for contender in contenders:
        measured = unlabelled_cells(_measured(contender.task, contender.chunking, contender.chunker, vectors, embedder))
        edits = edit_cells(edit_results.get(contender.task)) if edited else []
        rows.append(row(contender.number, contender.name, contender.settings, measured + edits))
    rows += [
        _waiting(number, column)
        for number, column in enumerate(results)
        if not (column.chunking and column.task and column.chunker)
    ]
    draw(
        choices,
        UNLABELLED_HEADS if edited else UNLABELLED_HEADS[:-OF_EDITS],
        rows,
        key="unlabelled",
        said="Measures that need no known boundaries. None is a grade by itself: few cuts leave blocks whole, and short "
        "chunks are alike inside.",
        note=f"An edit inserts one sentence of the text at one of {EDITS} places." if edited else "",
    )
    _offer_edits(contenders, document, embedder, edit_results)


def _columns(results: Sequence[ColumnResult]) -> list[_Contender]:
    return [
        _Contender(
            number,
            chunker_class(column.choice.chunker).title,
            settings_of(column),
            column.task,
            column.chunker,
            column.chunking,
        )
        for number, column in enumerate(results)
        if column.task is not None and column.chunker is not None and column.chunking is not None
    ]


def _trivial(document: Document, tokenizer: str) -> list[_Contender]:
    """Return the trivial baselines, which embed nothing."""
    baselines = []
    for name, parameters in BASELINES:
        chunker = build_chunker("fixed_sentences", parameters)
        task = Task.of(document, None, tokenizer, chunker)
        chunking = chunk_at_once(task, chunker, document, None, False)
        if chunking is not None:
            baselines.append(_Contender(None, name, "", task, chunker, chunking))
    return baselines


def _waiting(number: int, column: ColumnResult) -> RowData:
    return row(
        number, chunker_class(column.choice.chunker).title, settings_of(column), message=column.error or waiting_words()
    )


def _vectors(document: Document, embedder: Embedder | None, tokenizer: str) -> VectorArray | None:
    """Return the cached sentence vectors, or None if they are not cached; nothing is embedded here."""
    if embedder is None or not document.sentences:
        return None
    try:
        return sentence_vectors(document, embedder, tokenizer, session.on_disk)
    except Cancelled:
        return None


@kept(32, lambda task, chunking, chunker, vectors, embedder: (task.document, task, vectors is None, embedder is None))
def _measured(
    task: Task, chunking: Chunking, chunker: Chunker, vectors: VectorArray | None, embedder: Embedder | None
) -> Unlabelled:
    tools = Tools(embedder, load_tokenizer(task.tokenizer))
    return unlabelled(chunking, vectors, sizes_of(chunking, chunker, tools))


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
    missing = [contender for contender in contenders if contender.task not in edit_results]
    if not missing:
        return
    try:
        check_edits(document, EDITS)
    except InputError as error:
        notice(str(error), key="edits_refused")
        return

    def measure() -> None:
        known = {task: stability for task, stability in edit_results.items() if isinstance(stability, Stability)}
        names = [
            (
                contender.name if contender.number is None else f"Column {contender.number + 1}",
                contender.task,
                contender.chunker,
            )
            for contender in missing
        ]
        session.edits = EditStabilityJob(document, embedder, names, session.on_disk, results=known)
        session.edits.start()

    st.button(
        "Measure edit stability",
        key="measure_edits",
        on_click=measure,
        help=f"Inserts one sentence at each of {EDITS} places, cuts the text again with every column, and counts the chunks "
        "that change: they would have to be embedded and stored again.",
    )
