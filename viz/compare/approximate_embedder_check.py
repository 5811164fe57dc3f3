"""Comparison of an approximating embedder with the full one: changed boundaries, and the shift of the distances."""

from collections.abc import Sequence

import streamlit as st

from chunkers import Cancelled, Chunker, Chunking, Document, Embedder, InputError, load_embedder
from chunkers.support import format_three_figures
from evaluation.segmentation import GapShift, compare_boundaries, measure_change_of_sentence_distances
from viz.compare.choices_and_session.session import session
from viz.components.page_elements import show_job_progress_with_cancel, show_notice, show_remark
from viz.jobs import ChunkingJob, ChunkingTask, cached_sentence_vectors_or_raise, cached_while_shown, chunk_if_quick
from viz.shell import ColumnResult, FinishedColumn, Page
from viz.state import PageText


def draw_agreement_with_full_embedder(
    current_page: Page, shown_text: PageText, column_results: Sequence[ColumnResult]
) -> None:
    """Draw a comparison of the embedder with the full one that it approximates, or a button that asks for the comparison.

    The full embedder is used only after the user asks for it; from then on, changed columns are compared again.
    """
    approximate_embedder = current_page.embedder
    numbered_embedding_columns = [
        (number, column.finished_column_or_none)
        for number, column in enumerate(column_results, start=1)
        if column.chunker and column.chunker.embeds
    ]
    numbered_finished_columns = [(number, column) for number, column in numbered_embedding_columns if column is not None]
    document_and_embedder_identity = (
        shown_text.document.identity,
        "" if approximate_embedder is None else approximate_embedder.name,
    )
    if session.compared_embedders not in (None, document_and_embedder_identity):
        # The comparison of another text or embedder is forgotten.
        session.compared_embedders, session.full_job, session.full_results = None, None, {}
    # Until the columns are complete, the page shows their progress.
    if (
        approximate_embedder is None
        or not approximate_embedder.approximates
        or not numbered_finished_columns
        or len(numbered_finished_columns) < len(numbered_embedding_columns)
    ):
        return
    if session.compared_embedders is None:
        st.button(
            f"Compare with {approximate_embedder.approximates}",
            key="compare_embedders",
            on_click=setattr,
            args=(session, "compared_embedders", document_and_embedder_identity),
            help="Also embeds the text with that model, and shows which boundaries differ and how far the distances moved.",
        )
        return
    full_embedder = load_embedder(approximate_embedder.approximates)
    try:
        tasks_and_chunkers = [
            (
                ChunkingTask.of(shown_text.document, full_embedder, current_page.choices.tokenizer, column.chunker),
                column.chunker,
            )
            for _, column in numbered_finished_columns
        ]
        full_chunking_by_task = _chunk_with_full_embedder(tasks_and_chunkers, shown_text.document, full_embedder)
    except InputError as error:
        show_notice(str(error), "error", key="agreement_error")
        return
    if full_chunking_by_task is not None:
        columns_with_full_chunkings = [
            (number, column, full_chunking_by_task[task])
            for (number, column), (task, _) in zip(numbered_finished_columns, tasks_and_chunkers, strict=True)
        ]
        _show_embedder_comparison(current_page, shown_text.document, full_embedder, columns_with_full_chunkings)


def _chunk_with_full_embedder(
    tasks_and_chunkers: Sequence[tuple[ChunkingTask, Chunker]], document: Document, full_embedder: Embedder
) -> dict[ChunkingTask, Chunking] | None:
    """Return the results with the full embedder; None while a job computes them, or if it was stopped or failed."""
    full_chunking_job = session.full_job
    available_chunking_by_task = (
        session.full_results if full_chunking_job is None else {**session.full_results, **full_chunking_job.results_so_far()}
    )
    full_chunking_by_task: dict[ChunkingTask, Chunking] = {}
    missing_tasks_and_chunkers = []
    for task, chunker in tasks_and_chunkers:
        chunking = available_chunking_by_task.get(task)
        if chunking is None:
            chunking = chunk_if_quick(task, chunker, document, full_embedder, session.keeps_embeddings_on_disk)
        if chunking is None:
            missing_tasks_and_chunkers.append((task, chunker))
        else:
            full_chunking_by_task[task] = chunking
    session.full_results = full_chunking_by_task
    if not missing_tasks_and_chunkers:
        session.full_job = None
        return full_chunking_by_task
    if full_chunking_job is None:
        session.full_job = full_chunking_job = ChunkingJob(
            document, full_embedder, missing_tasks_and_chunkers, session.keeps_embeddings_on_disk
        )
        full_chunking_job.start()
    if full_chunking_job.is_running_and_not_cancelled:
        show_job_progress_with_cancel(full_chunking_job)
    elif full_chunking_job.error or full_chunking_job.cancelled():
        if full_chunking_job.error:
            show_notice(full_chunking_job.error, "error", key="agreement_error")
        st.button(
            f"Compare with {full_embedder.name}",
            key="compare_embedders_again",
            on_click=setattr,
            args=(session, "full_job", None),
        )
    else:
        # The job ended after the columns were looked up, or the columns have changed since it began.
        session.full_job = None
        st.rerun()
    return None


def _show_embedder_comparison(
    current_page: Page,
    document: Document,
    full_embedder: Embedder,
    columns_with_full_chunkings: Sequence[tuple[int, FinishedColumn, Chunking]],
) -> None:
    """Draw the comparison: the distances, then every column that embeds."""
    assert current_page.embedder is not None
    approximate_embedder_name = current_page.embedder.name
    try:
        gap_distance_shift = _measure_distance_shift_between_embedders(
            document, full_embedder, current_page.embedder, current_page.choices.tokenizer, session.keeps_embeddings_on_disk
        )
    except Cancelled:
        # No column embeds single sentences.
        gap_distance_shift = None
    distance_shift_phrase = (
        f": distances of neighbouring sentences moved by {_distance_shift_in_words(gap_distance_shift)}."
        if gap_distance_shift is not None
        else "."
    )
    show_remark(f"{approximate_embedder_name} beside {full_embedder.name}{distance_shift_phrase}", key="agreement")
    for column_number, column, full_chunking in columns_with_full_chunkings:
        boundary_agreement = compare_boundaries(full_chunking, column.chunking)
        score_shift_phrase = (
            f"; scores moved by {_distance_shift_in_words(boundary_agreement.scores)}"
            if gap_distance_shift is None and boundary_agreement.scores is not None
            else ""
        )
        show_remark(
            f"Column {column_number}, {column.chunker.title}: "
            f"{boundary_agreement.words(full_embedder.name, approximate_embedder_name)}{score_shift_phrase}.",
            key=f"agreement_{column_number}",
        )


def _distance_shift_in_words(shift_of_distances: GapShift) -> str:
    return (
        f"at most {format_three_figures(shift_of_distances.greatest)}, between sentences {shift_of_distances.at + 1:,} and "
        f"{shift_of_distances.at + 2:,}, and "
        f"{format_three_figures(shift_of_distances.mean)} on average"
    )


@cached_while_shown(
    8,
    lambda document, full, other, *_: (document.identity, (full.name, full.identity), (other.name, other.identity)),
)
def _measure_distance_shift_between_embedders(
    document: Document, full_embedder: Embedder, approximate_embedder: Embedder, tokenizer: str, uses_disk_cache: bool
) -> GapShift | None:
    """Return the shift of the distances, from the cached vectors; raises Cancelled if they are not cached."""
    return measure_change_of_sentence_distances(
        *(
            cached_sentence_vectors_or_raise(document, embedder, tokenizer, uses_disk_cache)
            for embedder in (full_embedder, approximate_embedder)
        )
    )
