"""The results of a page's columns: running them, progress, warnings about the text, and their form in the reader."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkers import Chunker, Chunking, Document, Embedder, InputError, build_chunker
from chunkers.embedders import MiniLM
from chunkers.embedders.static_embedder import Static
from chunkers.language_models import Asking
from chunkers.methods import YourChunks
from chunkers.recipes import GIVEN_CHUNKS_CLASS_BY_NAME, chunker_class
from chunkers.text import LANGUAGE_NAME_BY_CODE, Misfit, SuggestedSetting, is_latin_script_language, misfit_warnings
from viz.components.page_elements import show_job_progress_with_cancel, show_notice
from viz.components.reader.reader import HeadRow, ReaderColumn, ReaderResult
from viz.jobs import ChunkingJob, ChunkingTask, chunk_if_quick, estimate_chunker_requests
from viz.shell.model_request_consent import ModelRequests, draw_consent_once_estimated
from viz.shell.page import Page
from viz.state import (
    FILE_MISSING_MESSAGE,
    NO_FILE_MESSAGE,
    NO_USER_CUTS_MESSAGE,
    OWN_DOCUMENT_KEY,
    Choices,
    ColumnChoice,
    PageText,
    access_to_chosen_language_model,
    chosen_embedder,
    document_language_code,
    effective_parameters,
    external_chunker_and_input_hint,
    missing_model_message,
    no_chunk_in_text_message,
    session,
)

WAITING_FOR_SEND_MESSAGE = "Waiting for you to press “Send”, above."
"""Message of a column that waits for the user's consent before its text is sent."""


class FinishedColumn(NamedTuple):
    """A column's chunks, with the task and the chunker that made them."""

    task: ChunkingTask
    chunker: Chunker
    chunking: Chunking


@dataclass(frozen=True)
class ColumnResult:
    """A column's chunker, if its parameters are valid, and its result or error.

    ``pending_requests`` are the requests that need the user's consent. ``is_retryable`` is True if the error comes from a
    job that can be repeated.
    """

    choice: ColumnChoice
    chunker: Chunker | None = None
    task: ChunkingTask | None = None
    chunking: Chunking | None = None
    error: str = ""
    pending_requests: ModelRequests | None = None
    is_retryable: bool = False

    @property
    def title(self) -> str:
        """The chunker's title."""
        return chunker_class(self.choice.chunker).title

    @property
    def finished_column_or_none(self) -> FinishedColumn | None:
        """The column's chunks with their task and chunker; None if the column has none."""
        if self.task is None or self.chunker is None or self.chunking is None:
            return None
        return FinishedColumn(self.task, self.chunker, self.chunking)


def run_columns_or_start_job(current_page: Page, page_text: PageText, columns: Sequence[ColumnChoice]) -> list[ColumnResult]:
    """Run the chunkers that need no new embeddings, and start a background job for the other chunkers.

    Nothing is sent to a language model without the user's consent.
    """
    embedder, document, chunking_job, language_model_access = (
        current_page.embedder,
        page_text.document,
        session.chunking_job,
        access_to_chosen_language_model(),
    )
    cached_chunkings = (
        session.chunking_by_task if chunking_job is None else {**session.chunking_by_task, **chunking_job.results_so_far()}
    )
    column_results = [
        _build_column_result_or_task(current_page, document, number, choice, language_model_access, cached_chunkings)
        for number, choice in enumerate(columns)
    ]
    waiting_tasks = [
        (column.task, column.chunker)
        for column in column_results
        if column.task is not None and column.chunker is not None and column.chunking is None
    ]
    session.chunking_by_task = {
        column.task: column.chunking for column in column_results if column.task and column.chunking is not None
    }
    if chunking_job is not None and not chunking_job.cancelled():
        # Release the results that are no longer shown.
        for task_no_longer_shown in cached_chunkings.keys() - session.chunking_by_task.keys():
            chunking_job.results.pop(task_no_longer_shown, None)
    # Columns that only embed come first, since a language model may take long.
    _start_chunking_job_if_needed(
        sorted(waiting_tasks, key=lambda pair: pair[1].asks), document, embedder, language_model_access
    )
    chunking_job = session.chunking_job
    error_by_task = {} if chunking_job is None else error_by_failed_task(chunking_job)
    return [
        replace(column, task=None, error=error_by_task[column.task.without_embedder], is_retryable=True)
        if column.task is not None and column.chunking is None and column.task.without_embedder in error_by_task
        else column
        for column in column_results
    ]


def error_by_failed_task(job: ChunkingJob) -> dict[ChunkingTask, str]:
    """Return the error messages of a job's failed tasks, keyed by the task without its embedder."""
    # Tasks that were never started failed for the reason that ended the job.
    error_by_unstarted_task = (
        {task.without_embedder: job.error for task, _ in job.tasks if task.without_embedder not in job.successful_tasks}
        if job.error
        else {}
    )
    return error_by_unstarted_task | job.error_by_task


def _start_chunking_job_if_needed(
    waiting_tasks: list[tuple[ChunkingTask, Chunker]],
    document: Document,
    embedder: Embedder | None,
    model_access: Asking | None,
) -> None:
    """Start a job for the waiting tasks, unless one for this document and these models is running or was cancelled.

    Failed tasks are not repeated. A job for another document or another model is cancelled.
    """
    chunking_job = session.chunking_job
    if chunking_job is not None and (
        chunking_job.source.identity != document.identity
        or chunking_job.embedder is not embedder
        or chunking_job.asking is not model_access
    ):
        chunking_job.cancel()
        session.chunking_job = chunking_job = None
    error_by_task = {} if chunking_job is None else error_by_failed_task(chunking_job)
    untried_tasks = [pair for pair in waiting_tasks if pair[0].without_embedder not in error_by_task]
    if not untried_tasks or (chunking_job is not None and (chunking_job.running or chunking_job.cancelled())):
        return
    session.chunking_job = chunking_job = ChunkingJob(
        document, embedder, untried_tasks, session.keeps_embeddings_on_disk, model_access, error_by_task=error_by_task
    )
    chunking_job.start()


def _build_column_result_or_task(
    current_page: Page,
    document: Document,
    column_number: int,
    choice: ColumnChoice,
    model_access: Asking | None,
    finished_chunkings: Mapping[ChunkingTask, Chunking],
) -> ColumnResult:
    """Return a column's result if it is cached or quick; a column that needs a job has a task only."""
    embedder = current_page.embedder
    try:
        if choice.chunker in GIVEN_CHUNKS_CLASS_BY_NAME:
            return _external_chunks_result(current_page, document, choice, finished_chunkings)
        chunker = build_chunker(choice.chunker, choice.parameters, embedder)
        if chunker.embeds and embedder is None:
            return ColumnResult(choice, chunker, error=current_page.embedder_complaint)
        if chunker.asks and model_access is None:
            return ColumnResult(choice, chunker, error=missing_model_message())
        chunking_task = ChunkingTask.of(document, embedder, current_page.choices.tokenizer, chunker, model_access)
        chunking = finished_chunkings.get(chunking_task)
        if chunking is None:
            chunking = chunk_if_quick(
                chunking_task, chunker, document, embedder, session.keeps_embeddings_on_disk, model_access
            )
        if (
            chunking is None
            and chunker.asks
            and model_access is not None
            and ("send", chunking_task.without_embedder) not in session.given_consents
        ):
            return ColumnResult(
                choice,
                chunker,
                error=WAITING_FOR_SEND_MESSAGE,
                pending_requests=ModelRequests(
                    chunking_task.without_embedder,
                    model_access,
                    estimate_chunker_requests(chunking_task, chunker, document),
                    f"“{chunker.title}” ({chunker.describe()}) sends the text",
                    str(column_number),
                    schema_model=model_access,
                ),
            )
    except InputError as error:
        return ColumnResult(choice, error=str(error))
    return ColumnResult(choice, chunker, chunking_task, chunking)


def _external_chunks_result(
    current_page: Page, document: Document, choice: ColumnChoice, finished_chunkings: Mapping[ChunkingTask, Chunking]
) -> ColumnResult:
    """Return the result of a column of external chunks; raises InputError if the document is ambiguous."""
    chunker, missing_file_message = external_chunker_and_input_hint(choice)
    if missing_file_message:
        return ColumnResult(choice, chunker, error=missing_file_message)
    # The chunks do not depend on the embedder, but their measures do.
    external_chunking_task = ChunkingTask.of(document, current_page.embedder, current_page.choices.tokenizer, chunker)
    chunking = finished_chunkings.get(external_chunking_task)
    if chunking is None:
        chunking = chunk_if_quick(
            external_chunking_task, chunker, document, current_page.embedder, session.keeps_embeddings_on_disk
        )
    if isinstance(chunker, YourChunks) and chunking is not None and document.sentences and not chunking.chunks:
        return ColumnResult(choice, chunker, error=no_chunk_in_text_message(chunker, document))
    return ColumnResult(choice, chunker, external_chunking_task, chunking)


# The progress of the job.

LONG_EMBEDDING_S = 10.0
"""Seconds of embedding after which the page offers an embedder that needs no model."""

QUICK_EMBEDDER_NAME = "tfidf"
"""The name of the embedder that needs no model."""


def show_progress_and_consents(column_results: Sequence[ColumnResult]) -> None:
    """Draw the embedding job's progress and cancel button, and rerun the page whenever a column is finished."""
    shown_request_subjects: set[Hashable] = set()
    for requests_awaiting_consent in filter(None, (column.pending_requests for column in column_results)):
        # Two columns may be identical.
        if requests_awaiting_consent.subject not in shown_request_subjects:
            draw_consent_once_estimated(
                requests_awaiting_consent,
                partial(session.given_consents.add, ("send", requests_awaiting_consent.subject)),
                omits_destination=bool(shown_request_subjects),
            )
            shown_request_subjects.add(requests_awaiting_consent.subject)
    chunking_job = session.chunking_job
    if chunking_job is None:
        return
    # Read once, since the job may end at any moment.
    is_chunking_job_running = chunking_job.running
    # The job may be working on columns that are no longer shown.
    chunkers_without_result = [
        column.chunker for column in column_results if column.task and column.chunker and column.chunking is None
    ]
    if not (is_chunking_job_running or chunking_job.cancelled()) and chunkers_without_result:
        # The job ended after the columns were computed.
        st.rerun()
    if is_chunking_job_running and not chunking_job.cancelled():
        # The style sheet overlays it on the page, since otherwise the content below would jump when it disappears.
        with st.container(key="progress"):
            show_job_progress_with_cancel(
                chunking_job,
                lambda: bool(chunking_job.results_so_far().keys() - session.chunking_by_task.keys()),
                lambda row: _offer_quick_embedder(row, chunking_job),
            )
    elif chunking_job.cancelled() and chunkers_without_result:
        calls_language_model = any(chunker.asks for chunker in chunkers_without_result)
        st.button("Continue asking" if calls_language_model else "Continue embedding", on_click=_forget_chunking_job)
    elif any(column.is_retryable for column in column_results):
        st.button("Try again", on_click=_forget_chunking_job)


def _offer_quick_embedder(row: DeltaGenerator, job: ChunkingJob) -> None:
    """Offer an embedder that needs no model, if the current one will take long."""
    if job.embedder is None or job.embedder.name == QUICK_EMBEDDER_NAME or (job.seconds_left or 0.0) < LONG_EMBEDDING_S:
        return

    def use_quick_embedder() -> None:
        session.choices[session.page].embedder = QUICK_EMBEDDER_NAME
        # Texts embedded so far stay in the cache.
        job.cancel()

    row.button(f"Use {QUICK_EMBEDDER_NAME} instead", key="see_now", on_click=use_quick_embedder, width="content")


def _forget_chunking_job() -> None:
    session.chunking_job = None


# Warnings that the text does not suit its splitter or model, with buttons that fix it.

ENGLISH_EMBEDDER_NAMES = (MiniLM.name, Static.name)
"""The embedders trained for English."""

_REMEDY_LABEL_BY_SETTING = {
    "sentences": "Split sentences by {}",
    "embedder": "Embed with {}",
    "tokenizer": "Count tokens as {}",
}


def show_misfit_warnings(choices: Choices, column_results: Sequence[ColumnResult]) -> None:
    """Draw each distinct warning of the results once, with buttons for the suggested fixes."""
    distinct_warnings: dict[Misfit, None] = {}
    if choices.document == OWN_DOCUMENT_KEY and session.document is not None:
        distinct_warnings |= dict.fromkeys(_misfit_warnings_before_embedding(choices, session.document, column_results))
    distinct_warnings |= dict.fromkeys(_misfit_warnings_of_results(column_results))
    for warning_number, misfit in enumerate(distinct_warnings):
        text_column, buttons_column = st.columns([5, 2], vertical_alignment="center")
        with text_column:
            show_notice(misfit.sentence, key=f"misfit_{warning_number}")
        for remedy in misfit.remedies:
            buttons_column.button(
                _REMEDY_LABEL_BY_SETTING[remedy.setting].format(remedy.value),
                key=f"misfit_{warning_number}_{remedy.setting}_{remedy.value}",
                on_click=setattr,
                args=(choices, remedy.setting, remedy.value),
                width="stretch",
            )


def _misfit_warnings_before_embedding(
    choices: Choices, document: Document, column_results: Sequence[ColumnResult]
) -> list[Misfit]:
    """Return the warnings known before embedding: those of waiting columns, and of the embedder's language."""
    embedding_columns = [
        column for column in column_results if column.chunker is not None and column.chunker.embeds and not column.error
    ]
    embedder = chosen_embedder(choices)[0] if embedding_columns else None
    if embedder is None:
        return []
    document_misfit_warnings = (
        list(misfit_warnings(document, embedder=embedder))
        if any(column.chunking is None for column in embedding_columns)
        else []
    )
    language_code = document_language_code(document)
    suggests_embedder = any(
        remedy.setting == "embedder"
        for misfit in (*document_misfit_warnings, *_misfit_warnings_of_results(column_results))
        for remedy in misfit.remedies
    )
    if choices.embedder in ENGLISH_EMBEDDER_NAMES and not is_latin_script_language(language_code) and not suggests_embedder:
        embedder_language_warning = (
            f"The text is in {LANGUAGE_NAME_BY_CODE[language_code]}, but {choices.embedder} was made for English: its "
            "similarities are "
            "rough "
            "for other scripts. The embedder tfidf takes any language."
        )
        document_misfit_warnings.append(Misfit(embedder_language_warning, (SuggestedSetting("embedder", "tfidf"),)))
    return document_misfit_warnings


def _misfit_warnings_of_results(column_results: Sequence[ColumnResult]) -> list[Misfit]:
    return [misfit for column in column_results if column.chunking is not None for misfit in column.chunking.misfits]


# A result as a column of the reader.


def reader_column_for_result(
    column_result: ColumnResult,
    summary_column_builder: Callable[[Chunking], ReaderColumn],
    *,
    shown_result: ReaderResult | None = None,
    subtitle_prefix: str = "",
    are_lines_movable: bool = True,
) -> ReaderColumn:
    """Return the reader's column for a result, or a column with a message that explains why there is no result.

    Parameters
    ----------
    summary_column_builder
        Returns a column with the summary of a chunking alone.
    shown_result
        The result to draw instead, for pages that show other scores for the same chunks.
    subtitle_prefix
        Text before the settings in the subtitle.
    are_lines_movable
        True if the threshold lines can be dragged.
    """
    column_subtitle = ": ".join(part for part in (subtitle_prefix, settings_in_words(column_result)) if part)
    if column_result.error:
        # Waiting for consent or for a file is not an error.
        is_waiting_for_user = column_result.pending_requests is not None or column_result.error in (
            missing_model_message(),
            NO_FILE_MESSAGE,
            FILE_MISSING_MESSAGE,
            NO_USER_CUTS_MESSAGE,
        )
        return ReaderColumn(
            column_result.title, column_subtitle, message=column_result.error, tone="" if is_waiting_for_user else "error"
        )
    if column_result.chunker is None or column_result.chunking is None:
        return ReaderColumn(
            column_result.title,
            column_subtitle,
            message=waiting_status_phrase(
                calls_language_model=column_result.chunker is not None and column_result.chunker.asks
            ),
        )
    shown_result = shown_result or ReaderResult(
        column_result.task, column_result.chunker, column_result.chunking, are_lines_movable
    )
    return replace(
        summary_column_builder(shown_result.chunking),
        title=column_result.title,
        subtitle=column_subtitle,
        result=shown_result,
        notes=shown_result.chunking.notes,
    )


def known_boundaries_comparison_row(found_boundary_count: int, missed_boundary_count: int, extra_cut_count: int) -> HeadRow:
    """Return the summary row that compares a result's cuts with the known boundaries.

    For previews, column_head.js writes the same row.
    """
    known_comparison_row_label = "against known"
    if missed_boundary_count or extra_cut_count:
        missed_added_phrase = f"{missed_boundary_count:,} missed, {extra_cut_count:,} added"
        return HeadRow(known_comparison_row_label, missed_added_phrase, "wrong", missed_added_phrase)
    if not found_boundary_count:
        return HeadRow(known_comparison_row_label, "one topic, not cut", brief="one topic, not cut")
    return HeadRow(
        known_comparison_row_label,
        f"all {found_boundary_count:,} found, none added",
        brief=f"all {found_boundary_count:,} found",
    )


def waiting_status_phrase(*, calls_language_model: bool = False) -> str:
    """Return the status text of a column without a result; ``calls_language_model`` is True if it waits for a model."""
    chunking_job = session.chunking_job
    if chunking_job is not None and chunking_job.cancelled():
        return "Stopped while asking." if calls_language_model else "Stopped while embedding."
    return "Asking …" if calls_language_model else "Embedding …"


def settings_in_words(column_result: ColumnResult) -> str:
    """Describe the chunker's settings briefly; if the settings are invalid, list only the non-default settings."""
    if column_result.chunker is not None:
        return column_result.chunker.describe()
    value_by_parameter = effective_parameters(column_result.choice, {})
    return ", ".join(
        f"{name} {value}" for name, value in value_by_parameter.items() if name in column_result.choice.parameters
    )
