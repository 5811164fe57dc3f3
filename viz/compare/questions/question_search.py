"""The search for one question's chunks in every column of Compare, and the context sentences that it may search."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypedDict

import streamlit as st

from chunkers import Chunking, Document, Embedder, InputError, Span
from chunkers.language_models import Asking
from chunkers.results import EmbeddedAs
from chunkers.support import pluralize
from evaluation.questions import MarkedQuestion
from evaluation.retrieval import AnswerRetrieval, RankedChunk
from evaluation.retrieval.asked_question import (
    MODEL_TEXT_SEARCHED_NOTE,
    check_and_trim_answer_span,
    checked_question,
    first_cut_reason,
    format_search_score,
    has_model_written_texts,
    judge_retrieval,
)
from evaluation.retrieval.asked_question import AskedQuestion as Retrieved
from viz.compare.choices_and_session.session import session
from viz.components.browser_exchange import Component, code_point_offsets_from_utf16, no_op_callback, utf16_offsets
from viz.components.page_elements import show_job_progress_with_cancel, show_notice, show_remark
from viz.components.remedies.payload import ColumnRemedies
from viz.controls import any_chunker_calls_model, draw_language_model_form
from viz.jobs import (
    ChunkingTask,
    ColumnInquiry,
    ContextSentencesJob,
    QuestionRetrievalJob,
    contexts_digest,
    estimate_context_sentence_requests,
)
from viz.shell import ColumnResult, ModelRequests, draw_consent_once_estimated, start_run_or_count_requests
from viz.state import (
    MOST_QUESTIONS,
    Choices,
    TextWithDetails,
    access_to_chosen_language_model,
    ranking_method_of,
    retrieval_limit_of,
)

QUESTION_COMPONENT_KEY = "store_asked"
"""Streamlit turns the key into a CSS class, by which the page's style sheet hides the component."""

NEW_QUESTION_WAIT_S, EARLIER_QUESTION_WAIT_S = 0.25, 0.05
"""Seconds to wait for the answer to a new question, and to an earlier question when the page reruns for another reason.
An answer that takes longer is sent when the browser polls for it."""

MOST_STORED_TEXT_CHARACTERS = 40_000_000
"""Most characters of all texts that a session stores with its questions."""

_NumberedTaskAndChunking = tuple[int, ChunkingTask, Chunking]
"""A finished column: its number from 0, its task and its chunks."""


# The payload; positions in the text are in UTF-16 code units.


class AnswerPlace(TypedDict):
    """A chunk that contains part of the marked answer, with its rank (from 1; None if the chunk is not ranked)."""

    chunk: int
    rank: int | None
    retrieved: bool


class AnswerFate(TypedDict):
    """The outcome for the marked answer in one column: whether it was retrieved, and which chunks contain its parts.

    Attributes
    ----------
    good
        True if one retrieved chunk contains the whole answer.
    words
        The outcome in words; the places follow.
    why
        The reason, such as the cut that splits the answer; may be empty.
    """

    good: bool
    words: str
    places: list[AnswerPlace]
    why: str


class AskedColumn(TypedDict):
    """The chunks that a question retrieves in one column.

    Attributes
    ----------
    chunks
        The numbers of the chunks, from 0, best first. ``scores`` and ``said`` have one entry per chunk: its score, and the
        origin of the score.
    cut
        Where the budget ends within the last chunk; None if that chunk is given whole.
    tokens
        The number of tokens given in all.
    """

    chunks: list[int]
    scores: list[str]
    said: list[str]
    cut: int | None
    tokens: int
    fate: AnswerFate | None


class Asked(TypedDict):
    """Payload with the state and the result of the last question asked on Compare.

    Attributes
    ----------
    moment
        The browser's timestamp of the event that this answers.
    state
        ``nothing`` while nothing is asked, ``working``, ``done``, or ``failed``.
    share, said
        The share of the work that is done, and a sentence with the status, the error or a note.
    hashes
        Hashes of the columns' bodies, so that the reader can tell whether it shows the same columns.
    found
        The retrieved chunks by column; None for a column without a result.
    answer
        Start and end of the marked answer; None if no answer is marked.
    remedies
        The remedies by column; None if the column keeps the answer whole or no search is possible.
    """

    moment: float | None
    state: str
    share: float
    said: str
    hashes: list[str]
    found: list[AskedColumn | None]
    answer: list[int] | None
    remedies: list[ColumnRemedies | None]


_question_component = Component[Asked](
    "seamark_asker", "compare/questions/question_requests.js", html='<div class="asker"></div>'
)


@st.fragment
def search_and_send_retrieved_chunks(
    choices: Choices,
    document: Document,
    column_results: Sequence[ColumnResult],
    column_body_hashes: Sequence[str],
    embedder: Embedder | None,
    no_embedder_reason: str,
    known_boundaries: tuple[int, ...] | None,
) -> None:
    """Retrieve chunks for the user's question from every column, in a fragment that reruns without the page.

    Like `viz.shell.card.verdicts.send_verdicts_on_pointed_gap`, it must be drawn above all elements that come and go.
    ``no_embedder_reason`` says why there is no embedder; ``known_boundaries`` is None if the text has none.
    """
    asked_question_event = (st.session_state.get(QUESTION_COMPONENT_KEY) or {}).get("asked")
    is_new_event = asked_question_event is not None and asked_question_event["moment"] != session.question_moment
    if asked_question_event is not None and is_new_event:
        _handle_question_event(asked_question_event)
    asked_question_payload: Asked = {
        "moment": session.question_moment,
        "state": "nothing",
        "share": 0.0,
        "said": "",
        "hashes": [*column_body_hashes],
        "found": [None for _ in column_results],
        "answer": None,
        "remedies": [None for _ in column_results],
    }
    if session.question:
        _fill_in_available_results(
            asked_question_payload,
            choices,
            document,
            column_results,
            embedder,
            no_embedder_reason,
            NEW_QUESTION_WAIT_S if is_new_event else EARLIER_QUESTION_WAIT_S,
            known_boundaries,
        )
    _question_component(key=QUESTION_COMPONENT_KEY, data=asked_question_payload, height=0, on_asked_change=no_op_callback)


def _handle_question_event(event: dict[str, Any]) -> None:
    """Handle a browser event: a question, its removal, or a request for progress, for remedies or to stop."""
    session.question_moment = event["moment"]
    question_text, ask_job = event.get("question"), session.ask_job
    if event.get("stop") and ask_job is not None:
        ask_job.cancel()
    elif event.get("search") is not None:
        # As on the page, what searches for remedies is imported when it is needed.
        from viz.compare.questions.remedies import begin_remedy_search, stop_remedy_search

        (begin_remedy_search if event["search"] else stop_remedy_search)()
    elif question_text is None:
        session.question, session.marked_answer, session.ask_job, session.remedy_job = "", None, None, None
    elif not event.get("again"):
        if question_text.strip() != session.question:
            session.marked_answer = None
        if ask_job is not None and (ask_job.cancelled() or ask_job.error):
            session.ask_job = None
        session.question = question_text.strip() or " "
        session.answer_complaint = ""


def _fill_in_available_results(
    asked_question_payload: Asked,
    choices: Choices,
    document: Document,
    column_results: Sequence[ColumnResult],
    embedder: Embedder | None,
    no_embedder_reason: str,
    max_wait_s: float,
    known_boundaries: tuple[int, ...] | None,
) -> None:
    """Fill in the known parts of the answer."""
    try:
        checked_user_question = checked_question(session.question)
    except InputError as error:
        asked_question_payload["state"], asked_question_payload["said"] = "failed", str(error)
        return
    finished_columns = [
        (number, finished.task, finished.chunking)
        for number, column in enumerate(column_results)
        if (finished := column.finished_column_or_none)
    ]
    embedded_text_kind, finished_columns = _embedded_text_kind_and_columns(column_results, finished_columns)
    chosen_ranking_method = ranking_method_of(choices)
    retrieval_limit_name, retrieval_limit = retrieval_limit_of(choices, len(document.text))
    context_sentences_digest = (
        contexts_digest(chunking for _, _, chunking in finished_columns) if embedded_text_kind == "context" else ""
    )
    question_search_settings = ColumnInquiry(
        checked_user_question,
        chosen_ranking_method,
        retrieval_limit,
        embedded_text_kind,
        choices.tokenizer,
        context_hash=context_sentences_digest,
    )
    session.ask_job = search_job = QuestionRetrievalJob(
        question_search_settings, finished_columns, embedder, session.keeps_embeddings_on_disk, session.reranker
    ).earlier_if_same(session.ask_job)
    search_job.start_once()
    search_job.join(max_wait_s)
    is_search_in_progress = search_job.is_running_and_not_cancelled
    asked_question_payload["share"], status_phrase = search_job.progress() if is_search_in_progress else (1.0, "")
    asked_question_payload["state"] = (
        "working" if is_search_in_progress else "failed" if search_job.error or search_job.cancelled() else "done"
    )
    if asked_question_payload["state"] == "failed":
        status_phrase = search_job.error or "Stopped; press Enter in the question to go on."
    elif not is_search_in_progress and chosen_ranking_method != "bm25" and embedder is None:
        status_phrase = f"Ranked by words (BM25) alone: {no_embedder_reason or 'there is no embedder.'}"
    elif (
        not is_search_in_progress
        and search_job.retrieval_by_column
        and all(
            retrieval.is_every_chunk_retrieved and len(retrieval.hits) > 1
            for retrieval in search_job.retrieval_by_column.values()
        )
    ):
        status_phrase = f"{retrieval_limit_name.capitalize()} hold all of this text; choose less to see what comes first"
    if asked_question_payload["state"] == "done" and (
        search_notes := _searched_text_notes(embedded_text_kind, finished_columns)
    ):
        status_phrase = ". ".join([status_phrase.rstrip(".")] * bool(status_phrase) + search_notes)
    asked_question_payload["said"] = session.answer_complaint or status_phrase
    _fill_in_results_of_each_column(asked_question_payload, search_job, document, column_results, known_boundaries)


def _fill_in_results_of_each_column(
    asked_question_payload: Asked,
    question_search_job: QuestionRetrievalJob,
    document: Document,
    column_results: Sequence[ColumnResult],
    known_boundaries: tuple[int, ...] | None,
) -> None:
    """Fill in each column's retrieved chunks, the fate of the marked answer, and the changes that keep it whole."""
    marked_question, checked_answer_span = session.marked_answer, None
    if marked_question is not None and document.text.startswith(marked_question.answer, marked_question.start):
        marked_answer_end = marked_question.start + len(marked_question.answer)
        asked_question_payload["answer"] = utf16_offsets(document.text, [marked_question.start, marked_answer_end])
        checked_answer_span = check_and_trim_answer_span(document.text, marked_question.start, marked_answer_end)
    for column_index, column_retrieval in list(question_search_job.retrieval_by_column.items()):
        asked_question_payload["found"][column_index] = _asked_column_payload(
            column_retrieval, document, checked_answer_span
        )
    if marked_question is not None and checked_answer_span is not None and asked_question_payload["state"] == "done":
        from viz.compare.questions.remedies import remedies_found_so_far

        failing_column_indexes = [
            number
            for number, column in enumerate(asked_question_payload["found"])
            if column is not None and column["fate"] is not None and not column["fate"]["good"]
        ]
        asked_question_payload["remedies"] = remedies_found_so_far(
            question_search_job,
            document,
            column_results,
            failing_column_indexes,
            marked_question,
            checked_answer_span,
            known_boundaries,
        )


def _embedded_text_kind_and_columns(
    column_results: Sequence[ColumnResult], finished_columns: Sequence[_NumberedTaskAndChunking]
) -> tuple[EmbeddedAs, list[_NumberedTaskAndChunking]]:
    """Return the text that is embedded for each chunk: with its context sentence if chosen and written for all columns."""
    if session.embedded_as != "context":
        return session.embedded_as, [*finished_columns]
    contextual_chunkings = chunkings_with_contexts(column_results)
    if any(number not in contextual_chunkings for number, _, _ in finished_columns):
        return "plain", [*finished_columns]
    return "context", [(number, task, contextual_chunkings[number]) for number, task, _ in finished_columns]


def _searched_text_notes(embedded_text_kind: EmbeddedAs, finished_columns: Sequence[_NumberedTaskAndChunking]) -> list[str]:
    """Return notes for the case that the searched text differs from the chosen or from the retrieved text."""
    missing_context_notes = [CONTEXTS_MISSING_NOTE] * (embedded_text_kind != session.embedded_as)
    return missing_context_notes + [MODEL_TEXT_SEARCHED_NOTE] * any(
        has_model_written_texts(chunking) for _, _, chunking in finished_columns
    )


def _asked_column_payload(column_retrieval: Retrieved, document: Document, answer: Span | None) -> AskedColumn:
    chunk_ranks_by_method = {name: ranking.ranks_by_chunk() for name, ranking in column_retrieval.sources.items()}
    last_retrieved_hit = column_retrieval.hits[-1] if column_retrieval.hits else None
    budget_end_offset = None
    if last_retrieved_hit is not None and not last_retrieved_hit.is_wholly_retrieved:
        (budget_end_offset,) = utf16_offsets(document.text, [last_retrieved_hit.given[-1].end])
    return {
        "chunks": [hit.number for hit in column_retrieval.hits],
        "scores": [
            format_search_score(hit.score, is_fused=column_retrieval.has_fused_scores) for hit in column_retrieval.hits
        ],
        "said": [_score_in_words(column_retrieval, chunk_ranks_by_method, hit) for hit in column_retrieval.hits],
        "cut": budget_end_offset,
        "tokens": column_retrieval.tokens,
        "fate": None
        if answer is None
        else _answer_fate(
            judge_retrieval(column_retrieval, answer), lambda: first_cut_reason(column_retrieval.chunking, answer)
        ),
    }


SCORE_NAME_BY_METHOD = {"embedding": "cosine", "bm25": "BM25"}


def _score_in_words(
    column_retrieval: Retrieved, chunk_ranks_by_method: dict[str, dict[int, int]], ranked_chunk: RankedChunk
) -> str:
    """Describe a chunk's score, with its rank in each of several fused rankings."""
    chunk_score_phrases = (
        [f"cross-encoder {format_search_score(ranked_chunk.score)}"]
        if column_retrieval.reranked and format_search_score(ranked_chunk.score)
        else []
    )
    for method_name, chunk_ranking in column_retrieval.sources.items():
        chunk_rank_in_ranking = chunk_ranks_by_method[method_name].get(ranked_chunk.number)
        if chunk_rank_in_ranking is None:
            chunk_score_phrases.append(
                f"no word of the question in {SCORE_NAME_BY_METHOD[method_name]}"
                if method_name == "bm25"
                else f"no {SCORE_NAME_BY_METHOD[method_name]}"
            )
        else:
            rank_phrase = f", rank {chunk_rank_in_ranking}" if len(column_retrieval.sources) > 1 else ""
            chunk_score_phrases.append(
                f"{SCORE_NAME_BY_METHOD[method_name]} "
                f"{format_search_score(float(chunk_ranking.scores[chunk_rank_in_ranking - 1]))}{rank_phrase}"
            )
    return "; ".join(chunk_score_phrases)


def _answer_fate(judgement: AnswerRetrieval, find_cut_reason: Callable[[], str]) -> AnswerFate:
    """Describe whether a column retrieves the marked answer, and where it is if not."""
    chunks_with_answer: list[AnswerPlace] = [
        {"chunk": chunk.number, "rank": chunk.rank or None, "retrieved": bool(chunk.given)} for chunk in judgement.chunks
    ]
    fate_phrase, fate_reason = {
        "whole": ("answer whole in", ""),
        "split": (
            f"answer split in {len(chunks_with_answer)}:",
            (judgement.fate == "split" and find_cut_reason()) or "its chunks are scattered, or overlap",
        ),
        "cut off": ("answer cut off in", "the budget ends within it"),
        "not retrieved": ("answer not retrieved:", ""),
        "in no chunk": ("answer in no chunk", "the chunker leaves it out"),
    }[judgement.fate]
    if judgement.fate == "split" and not judgement.missed_character_count:
        fate_reason += "; together they have all of it"
    return {"good": judgement.fate == "whole", "words": fate_phrase, "places": chunks_with_answer, "why": fate_reason}


def store_marked_answer(document: Document, event: dict[str, Any]) -> None:
    """Store the passage that the user marked as the answer to the question; a start of None removes the mark."""
    session.answer_complaint = ""
    if event.get("start") is None:
        session.marked_answer = None
        return
    try:
        user_question = checked_question(session.question)
        answer_start, answer_end = code_point_offsets_from_utf16(document.text, [int(event["start"]), int(event["end"])])
        checked_answer_span = check_and_trim_answer_span(document.text, answer_start, answer_end)
        other_questions = [
            marked for marked in session.questions if (marked.question, marked.document) != (user_question, document.name)
        ]
        if len(other_questions) >= MOST_QUESTIONS:
            raise InputError(
                f"At most {MOST_QUESTIONS} questions can be kept, so this one is not. Remove a kept question first."
            )
        text_with_details_by_identity = session.question_texts
        stored_texts_character_count = sum(
            map(len, {document.text, *(source.text for source in text_with_details_by_identity.values())})
        )
        if stored_texts_character_count > MOST_STORED_TEXT_CHARACTERS:
            raise InputError(
                f"The texts of all kept questions may have at most {MOST_STORED_TEXT_CHARACTERS:,} characters together; "
                "with "
                f"this question they would have {stored_texts_character_count:,}. Remove a kept question first."
            )
    except InputError as error:
        session.answer_complaint = str(error)
        return
    session.marked_answer = MarkedQuestion(
        user_question,
        document.name,
        document.identity,
        checked_answer_span.start,
        document.text[checked_answer_span.start : checked_answer_span.end],
    )
    session.questions[:] = [*other_questions, session.marked_answer]
    text_with_details_by_identity[document.identity] = TextWithDetails(document.text, document.name, parts=document.parts)
    delete_stored_texts_without_questions()


def delete_stored_texts_without_questions() -> None:
    """Drop the stored texts that no stored question refers to."""
    used_identities = {marked.identity for marked in session.questions}
    for unused_identity in session.question_texts.keys() - used_identities:
        del session.question_texts[unused_identity]


# The chunks' context sentences: their cost, the user's consent, and their state.


CONTEXT_MODEL_MISSING = (
    "Context sentences are written by a language model, and none is named yet: one that runs on this machine (llama.cpp, "
    "Ollama, vLLM) or a hosted one. Nothing is sent before you press “Send”."
)
"""Message on the page if no language model is named."""

CONTEXTS_MISSING_NOTE = "Searched without context sentences: they are not written yet, see Downloads, below the text"
"""Note on a result if context sentences are chosen but not written for all columns."""


def chunkings_with_contexts(column_results: Sequence[ColumnResult]) -> dict[int, Chunking]:
    """Return the results whose chunks have context sentences, by column number from 0."""
    context_sentences_job = session.context_sentences_job
    if context_sentences_job is None or context_sentences_job.asking is not access_to_chosen_language_model():
        return {}
    contextual_chunking_by_task = dict(context_sentences_job.chunkings_with_contexts)
    return {
        number: contextual_chunking_by_task[column.task]
        for number, column in enumerate(column_results)
        if column.task in contextual_chunking_by_task and column.chunking is not None
    }


def show_context_sentence_controls(choices: Choices, column_results: Sequence[ColumnResult]) -> None:
    """Draw the state of the columns' context sentences, and the button that generates the missing sentences."""
    model_access, contextual_chunking_by_column = access_to_chosen_language_model(), chunkings_with_contexts(column_results)
    # If any column's chunker calls a language model, the columns' controls already include the form.
    if not any_chunker_calls_model(column.chunker for column in choices.columns):
        draw_language_model_form()
    if model_access is None:
        show_notice(CONTEXT_MODEL_MISSING, key="contexts_missing")
        return
    context_sentences_job = session.context_sentences_job
    if (
        context_sentences_job is not None
        and context_sentences_job.asking is model_access
        and context_sentences_job.is_running_and_not_cancelled
    ):
        show_job_progress_with_cancel(context_sentences_job, key="contexts")
        return
    contextless_chunking_by_task = {
        column.task: column.chunking
        for number, column in enumerate(column_results)
        if column.task is not None and column.chunking is not None and number not in contextual_chunking_by_column
    }
    if contextless_chunking_by_task:
        if (
            context_sentences_job is not None
            and context_sentences_job.asking is model_access
            and context_sentences_job.error
        ):
            show_notice(context_sentences_job.error, "error", key="contexts_error")
        _offer_to_write_contexts(model_access, choices.tokenizer, contextless_chunking_by_task)
    for column_index, contextual_chunking in contextual_chunking_by_column.items():
        if missing_context_count := sum(not chunk.situation for chunk in contextual_chunking.chunks):
            chunks_without_contexts_phrase = (
                f"{missing_context_count:,} of {pluralize(len(contextual_chunking.chunks), 'chunk')}"
            )
            show_notice(
                f"Column {column_index + 1}: the model wrote no usable context sentence for "
                f"{chunks_without_contexts_phrase}; these chunks "
                "are "
                "used without one.",
                key=f"contexts_left_out_{column_index}",
            )
    if contextual_chunking_by_column:
        show_remark(f"{model_access.model.name}: {model_access.spent}.", key="contexts_spent")


def _offer_to_write_contexts(
    model_access: Asking, tokenizer: str, contextless_chunking_by_task: dict[ChunkingTask, Chunking]
) -> None:
    """Draw the button that estimates the requests for the missing context sentences, and then the consent."""
    sent_text_phrase = (
        f"This sends the text once for every chunk of {pluralize(len(contextless_chunking_by_task), 'column')}"
    )

    def begin_writing_contexts() -> None:
        context_sentences_job = session.context_sentences_job
        contextual_chunking_by_task = (
            context_sentences_job.chunkings_with_contexts
            if context_sentences_job is not None and context_sentences_job.asking is model_access
            else {}
        )
        # Keep neither text nor context sentences of columns that are no longer shown.
        reusable_contextual_chunking_by_task = {
            task: contextual_chunking_by_task[task]
            for task in session.chunking_by_task
            if task in contextual_chunking_by_task
        }
        session.context_sentences_job = new_context_sentences_job = ContextSentencesJob(
            model_access, tokenizer, contextless_chunking_by_task, reusable_contextual_chunking_by_task
        )
        new_context_sentences_job.start()

    context_requests = ModelRequests(
        ("contexts", *contextless_chunking_by_task),
        model_access,
        partial(estimate_context_sentence_requests, contextless_chunking_by_task, tokenizer),
        sent_text_phrase,
        "contexts",
        0,
    )
    st.button(
        "Write context sentences",
        key="write_contexts",
        on_click=start_run_or_count_requests,
        args=(context_requests, begin_writing_contexts),
    )
    draw_consent_once_estimated(context_requests, begin_writing_contexts)
