"""Changes that keep a marked answer whole: searched for the columns that split it, and added as columns."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from chunkers import Document, Embedder, Span
from evaluation.questions import MarkedQuestion
from evaluation.remedies.tested_changes import FailingColumn
from evaluation.retrieval.asked_question import PosedQuestion
from viz.compare.choices_and_session.session import session
from viz.components.remedies.payload import ColumnRemedies
from viz.jobs import QuestionRetrievalJob, embedder_part_of_cache_key
from viz.jobs.remedy_search import RemedyJob, build_answer_remedy_search_function
from viz.shell import ColumnResult, open_page_at_next_run
from viz.shell.remedy_payload_and_columns import add_remedy_column, is_remedy_search_automatic, remedies_payload
from viz.state import stored_questions_about


def remedies_found_so_far(
    question_search_job: QuestionRetrievalJob,
    document: Document,
    column_results: Sequence[ColumnResult],
    failing_column_indexes: Collection[int],
    marked_question: MarkedQuestion,
    answer_span: Span,
    known_boundaries: tuple[int, ...] | None,
) -> list[ColumnRemedies | None]:
    """Return, for each column that fails to keep the answer whole, the changes of settings found so far that keep it whole.

    All other columns have None. The search starts by itself if it is quick and sends nothing to a server. If chunks are
    embedded with context sentences, there is no search, and every column has None.

    Parameters
    ----------
    failing_column_indexes
        The numbers, from 0, of the columns that fail.
    marked_question, answer_span
        The marked answer, and its span in the text.
    """
    question_search_settings, reranker, embedder = (
        question_search_job.inquiry,
        question_search_job.reranker,
        question_search_job.embedder,
    )
    finished_columns_by_number = {
        number: finished for number in failing_column_indexes if (finished := column_results[number].finished_column_or_none)
    }
    # Changed chunks would need new context sentences from a language model.
    if not finished_columns_by_number or question_search_settings.embedded_as == "context":
        return [None for _ in column_results]
    posed_question, other_questions_about_document = (
        PosedQuestion(question_search_settings.question, answer_span),
        stored_questions_about(document, excluded_question=marked_question.question),
    )
    shared_column_arguments = (
        question_search_settings.method,
        question_search_settings.limit,
        question_search_settings.embedded_as,
        other_questions_about_document,
        known_boundaries,
    )
    remedy_search_by_task = {
        task: build_answer_remedy_search_function(
            FailingColumn(chunker, chunking, *shared_column_arguments, posed=posed_question),
            question_search_settings.tokenizer,
            reranker,
        )
        for task, chunker, chunking in finished_columns_by_number.values()
    }
    remedy_search_identity = (
        question_search_settings,
        posed_question,
        other_questions_about_document,
        known_boundaries,
        embedder_part_of_cache_key(embedder),
        reranker,
    )
    session.remedy_job = remedy_search_job = RemedyJob(
        remedy_search_identity,
        remedy_search_by_task,
        embedder,
        question_search_settings.tokenizer,
        session.keeps_embeddings_on_disk,
    ).earlier_if_same(session.remedy_job)
    if (
        is_remedy_search_automatic(question_search_settings.method, embedder, reranker, document)
        and not remedy_search_job.is_search_finished
    ):
        remedy_search_job.start_once()
    return [
        remedies_payload(
            remedy_search_job,
            remedy_search_job.outcome_by_task.get(finished_columns_by_number[number].task),
            "What keeps it whole?",
            "keeps it whole",
        )
        if number in finished_columns_by_number
        else None
        for number in range(len(column_results))
    ]


def begin_remedy_search() -> None:
    """Start or resume the search for changes of settings that keep the marked answer whole."""
    remedy_search_job = session.remedy_job
    if remedy_search_job is not None and not remedy_search_job.running:
        session.remedy_job = remedy_search_job = remedy_search_job.unstarted_copy()
        remedy_search_job.start()


def stop_remedy_search() -> None:
    """Stop the search for changes of settings that keep the answer whole; the changes found so far stay."""
    if session.remedy_job is not None:
        session.remedy_job.cancel()


def add_remedied_column(event: Mapping[str, Any], embedder: Embedder | None) -> None:
    """Add a column to Compare with the change of settings that the user chose, or open the Tune page."""
    if event.get("tune"):
        open_page_at_next_run("tune")
        st.rerun()
    add_remedy_column(event, session.remedy_job, embedder)
