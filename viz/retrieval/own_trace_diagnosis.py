"""The section of the Retrieval page on the user's own traces: which stage lost each answer, and the way into the text."""

import json
from collections.abc import Sequence

import streamlit as st

from chunkers import Chunker, Span
from chunkers.found_again import Place
from chunkers.support import pluralize
from evaluation.traces.answer_loss_stages import MEANING_BY_STAGE, Diagnosis
from evaluation.traces.report import TraceReport, convert_report_to_json_dict, describe_placement_status
from viz.components.browser_exchange import take_event
from viz.components.page_elements import (
    show_download_button,
    show_folded_table,
    show_job_progress_with_cancel,
    show_notice,
    show_remark,
)
from viz.controls import CHUNK_FILE_ENDINGS, CHUNK_FILE_HELP
from viz.jobs import PATIENCE_S
from viz.jobs.retrieval_plan import OwnDocuments
from viz.jobs.trace_diagnosis import DiagnosingTraces
from viz.retrieval.documents_and_questions import MOST_UPLOAD_MEGABYTES
from viz.retrieval.failed.missed_excerpts import (
    MOST_LISTED_EXCERPTS,
    MOST_SHOWN_CUTS,
    FailedRowData,
    build_excerpt_cut_payload,
    draw_button_opening_document_passage,
    draw_failed_question_list,
)
from viz.retrieval.question_details import (
    PART_CONTEXT_CHARACTERS,
    Part,
    PassageData,
    draw_passages,
    parts_coloured_by_excerpts,
)
from viz.retrieval.session import session
from viz.shell import Page

CHUNK_FILE_OPTION = -1
"""The choice of a file of chunks, next to the numbers of columns."""

FAILED_LIST_KEY, FAILED_QUESTION_KEY = "traces_list", "traces_one"


def show_traces(current_page: Page, documents: OwnDocuments, chunkers: Sequence[Chunker | None]) -> None:
    """Draw the section: the file, the chunks that were searched, the failed questions, and one of them in detail."""
    with st.expander("Your own traces", expanded=session.trace_job is not None):
        show_remark(
            "What your own retrieval was asked and what it found, located in the documents "
            f"{session.settings_place} or in a file of chunks: each failed question with the stage that lost its answer.",
            key="traces_about",
        )
        trace_file, chunker, chunk_file = _choose_traces_and_chunks(
            chunkers if current_page.embedder is not None else (), current_page.choices.selected
        )
        trace_diagnosis_job = session.trace_job
        if not documents.texts and chunk_file is None:
            show_notice(
                f"Upload at least one document, {session.settings_place}, or a file of the searched chunks; no questions "
                "are needed.",
                key="traces_no_documents",
            )
            return
        if trace_file is None and trace_diagnosis_job is None:
            return
        trace_file = trace_file or (trace_diagnosis_job.file if trace_diagnosis_job is not None else ("", b""))
        embedder = current_page.embedder if chunker is not None else None
        earlier_job, splitter_name = trace_diagnosis_job, current_page.choices.sentences
        session.trace_job = trace_diagnosis_job = DiagnosingTraces(
            trace_file, documents, splitter_name, chunker, embedder, session.keeps_embeddings_on_disk, chunk_file
        ).earlier_if_same(earlier_job)
        trace_diagnosis_job.start_once(PATIENCE_S)
        if trace_diagnosis_job is not earlier_job:
            session.traced_question = None
        if trace_diagnosis_job.is_running_and_not_cancelled:
            show_job_progress_with_cancel(trace_diagnosis_job, key="traces")
            return
        trace_diagnosis_job.join(PATIENCE_S)
        _show_trace_report(current_page, trace_diagnosis_job)


def _choose_traces_and_chunks(
    chunkers: Sequence[Chunker | None], selected_chunker_number: int
) -> tuple[tuple[str, bytes] | None, Chunker | None, tuple[str, bytes] | None]:
    """Draw the inputs; return the file of traces, and the chunker or the file of the chunks that were searched."""

    def reset_chunk_file() -> None:
        # The traces stay: their upload is gone when the user has left the page meanwhile.
        if session.trace_job is not None:
            session.trace_job.chunk_file = None

    left_column, right_column = st.columns(2)
    uploaded_traces_file = left_column.file_uploader(
        "Traces",
        ["jsonl", "json", "csv", "ndjson", "txt"],
        key="traces_file",
        max_upload_size=MOST_UPLOAD_MEGABYTES,
        on_change=setattr,
        args=(session, "trace_job", None),
        help="Spans of OpenInference (Phoenix) or OpenTelemetry, a Langfuse export, a ragas data set, or rows with a "
        "question, the texts that were retrieved and, where known, excerpts, an answer and feedback; in JSON, JSON "
        "lines or CSV. They stay on this machine.",
    )
    pasted_traces_text = right_column.text_area(
        "Or paste them", key="traces_pasted", on_change=setattr, args=(session, "trace_job", None), height=92
    )
    # A language model may cut otherwise each time.
    usable_chunker_by_number = {
        number: chunker for number, chunker in enumerate(chunkers) if chunker is not None and not chunker.asks
    }
    title_by_chunk_source: dict[int | None, str] = {None: "Not known"}
    title_by_chunk_source |= {
        number: f"{number + 1}. {chunker.title}" for number, chunker in usable_chunker_by_number.items()
    }
    title_by_chunk_source[CHUNK_FILE_OPTION] = "A file of chunks"
    # Widgets are new when the user comes back to the page.
    is_widget_new, trace_diagnosis_job = "traces_searched" not in st.session_state, session.trace_job
    earlier_chunk_file = trace_diagnosis_job.chunk_file if trace_diagnosis_job is not None else None
    default_source_index = [*title_by_chunk_source].index(
        CHUNK_FILE_OPTION
        if is_widget_new and earlier_chunk_file is not None
        else selected_chunker_number
        if selected_chunker_number in usable_chunker_by_number
        else None
    )
    chunk_file = None
    with st.container(width=420):
        chosen_chunk_source = st.selectbox(
            "Searched chunks",
            [*title_by_chunk_source],
            default_source_index,
            format_func=title_by_chunk_source.__getitem__,
            key="traces_searched",
            help="The column that cuts the documents as they were cut when they were searched, with the reason of each "
            "cut; or a file of those chunks, for traces that have identifiers alone. Both have the chunks that were "
            "not retrieved.",
        )
        if chosen_chunk_source == CHUNK_FILE_OPTION:
            uploaded_chunk_file = st.file_uploader(
                "File of chunks",
                [*CHUNK_FILE_ENDINGS],
                key="traces_chunks",
                max_upload_size=MOST_UPLOAD_MEGABYTES,
                on_change=reset_chunk_file,
                help=CHUNK_FILE_HELP,
            )
            chunk_file = (
                earlier_chunk_file
                if uploaded_chunk_file is None
                else (uploaded_chunk_file.name, uploaded_chunk_file.getvalue())
            )
    trace_file = None
    if uploaded_traces_file is not None:
        trace_file = uploaded_traces_file.name, uploaded_traces_file.getvalue()
    elif pasted_traces_text.strip():
        trace_file = "pasted.jsonl", pasted_traces_text.encode(errors="surrogatepass")
    return (
        trace_file,
        usable_chunker_by_number.get(chosen_chunk_source) if chosen_chunk_source is not None else None,
        chunk_file,
    )


def _show_trace_report(current_page: Page, job: DiagnosingTraces) -> None:
    """Draw the result of a job that is over."""
    if job.error:
        show_notice(job.error, "error", key="traces_error")
    elif job.report is None:
        show_notice("Reading the traces was stopped; upload them again, or fewer of them.", key="traces_stopped")
    trace_diagnosis_report = job.report
    if trace_diagnosis_report is None:
        return
    if job.stopped:
        show_notice(job.stopped, key="traces_stopped")
    if trace_diagnosis_report.remark:
        show_notice(trace_diagnosis_report.remark, key="traces_remark")
    trace_file_problems = trace_diagnosis_report.problems
    show_folded_table(f"{pluralize(len(trace_file_problems), 'problem')} in the file", {"problem": trace_file_problems})
    failed_question_numbers = [
        number for number, diagnosis in enumerate(trace_diagnosis_report.diagnoses) if diagnosis.failed
    ]
    text_count_by_state = trace_diagnosis_report.retrieved_text_count_by_status
    st.caption(
        f"{pluralize(len(trace_diagnosis_report.diagnoses), 'question')}: {len(failed_question_numbers):,} failed, "
        f"{trace_diagnosis_report.count_questions_with_outcome(False):,} did not, "
        f"{trace_diagnosis_report.count_questions_with_outcome(None):,} cannot be told. "
        f"{pluralize(sum(text_count_by_state.values()), 'retrieved text')}: "
        f"{text_count_by_state['located']:,} located, {text_count_by_state['several places']:,} in several places, "
        f"{text_count_by_state['missing']:,} missing."
    )
    if trace_diagnosis_report.failed_count_by_stage:
        stage_rows = [
            (stage, count, MEANING_BY_STAGE[stage]) for stage, count in trace_diagnosis_report.failed_count_by_stage.items()
        ]
        # Its words wrap, where a data frame would cut the meaning off on a narrow screen.
        st.table(
            dict(zip(("stage", "questions", "meaning"), zip(*stage_rows, strict=True), strict=True)), border="horizontal"
        )
    if failed_question_numbers:
        chosen_question_number = (
            session.traced_question if session.traced_question in failed_question_numbers else failed_question_numbers[0]
        )
        failed_question_rows = [
            _failed_row_data(trace_diagnosis_report, number, chosen_question_number)
            for number in failed_question_numbers[:MOST_LISTED_EXCERPTS]
        ]
        more_questions_phrase = (
            f"and {len(failed_question_numbers) - MOST_LISTED_EXCERPTS:,} more, which the JSON has"
            if len(failed_question_numbers) > MOST_LISTED_EXCERPTS
            else ""
        )
        draw_failed_question_list(
            {"rows": failed_question_rows, "more": more_questions_phrase, "below": f".st-key-{FAILED_QUESTION_KEY}"},
            FAILED_LIST_KEY,
            _store_chosen_question,
        )
        _show_question(
            current_page,
            trace_diagnosis_report,
            trace_diagnosis_report.diagnoses[chosen_question_number],
            has_uploaded_documents=bool(job.documents.texts),
        )
    _show_undecided_questions_and_unlocated_texts(trace_diagnosis_report)
    show_download_button(
        st.container(),
        "Diagnoses, JSON",
        lambda: json.dumps(convert_report_to_json_dict(trace_diagnosis_report), ensure_ascii=False, indent=1),
        "seamark-traces.json",
        "application/json",
        job.result_key,
        key="traces_json",
    )


def _store_chosen_question() -> None:
    """Select a row's question."""
    if chosen_row := take_event(FAILED_LIST_KEY, "chosen"):
        session.traced_question = chosen_row["question"]


def _failed_row_data(trace_diagnosis_report: TraceReport, question_number: int, chosen_number: int) -> FailedRowData:
    question_diagnosis = trace_diagnosis_report.diagnoses[question_number]
    question_diagnosis_outcome = question_diagnosis.outcome
    cuts_inside_answer = question_diagnosis_outcome.seams if question_diagnosis_outcome is not None else ()
    document_text = (
        trace_diagnosis_report.documents[question_diagnosis_outcome.place.document].text
        if question_diagnosis_outcome is not None and question_diagnosis_outcome.place is not None
        else ""
    )
    unlisted_cut_count = len(cuts_inside_answer) - MOST_SHOWN_CUTS
    return {
        "question": question_number,
        "title": f"{question_diagnosis.question.place} · {question_diagnosis.question.question}",
        "missed": question_diagnosis.stage or "",
        "seams": [build_excerpt_cut_payload(document_text, seam) for seam in cuts_inside_answer[:MOST_SHOWN_CUTS]],
        "more": f"and {pluralize(unlisted_cut_count, 'more cut')}" if unlisted_cut_count > 0 else "",
        "holder": f"{question_diagnosis.explanation[:1].upper()}{question_diagnosis.explanation[1:]}."
        if question_diagnosis.explanation
        else "",
        "others": f"It failed because {question_diagnosis.rule}.",
        "here": question_number == chosen_number,
    }


def _show_question(
    retrieval_page: Page, trace_diagnosis_report: TraceReport, diagnosis: Diagnosis, *, has_uploaded_documents: bool
) -> None:
    """Draw what was retrieved for a question, and the way to its passages on Compare, if there are documents."""
    with st.container(key=FAILED_QUESTION_KEY):
        # Without the question, which Streamlit would render as Markdown.
        st.subheader(f"Retrieved for {diagnosis.question.place}", anchor=False)
        answer_place = diagnosis.outcome.place if diagnosis.outcome is not None else None
        place_by_passage_label = (
            {}
            if answer_place is None
            else {f"The answer · {_document_place_in_words(trace_diagnosis_report, answer_place)}": answer_place}
        )
        for retrieved_text, text_placement in zip(diagnosis.question.retrieved, diagnosis.placements, strict=True):
            place_by_passage_label |= {
                f"{retrieved_text.rank} · {_document_place_in_words(trace_diagnosis_report, place)}": place
                for place in text_placement.places
            }
        if place_by_passage_label and has_uploaded_documents:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                chosen_passage_label = st.selectbox(
                    "Passage", [*place_by_passage_label], key=f"traces_place/{diagnosis.question.place}", width=420
                )
                chosen_passage_place = place_by_passage_label[chosen_passage_label]
                copied_compare_columns = [column.copy() for column in retrieval_page.choices.columns]
                draw_button_opening_document_passage(
                    trace_diagnosis_report.documents[chosen_passage_place.document],
                    chosen_passage_place.span,
                    copied_compare_columns,
                    retrieval_page.choices,
                    "traces_on_compare",
                )
        draw_passages(
            _known_answer_and_retrieved_passages(trace_diagnosis_report, diagnosis, answer_place), "traces_passages"
        )


def _document_place_in_words(trace_diagnosis_report: TraceReport, place: Place) -> str:
    return f"{trace_diagnosis_report.documents[place.document].name}, {place.span.start:,} to {place.span.end:,}"


def _known_answer_and_retrieved_passages(
    trace_diagnosis_report: TraceReport, diagnosis: Diagnosis, answer_place: Place | None
) -> list[PassageData]:
    """Return the answer if no retrieved text has all of it, then the retrieved texts, as the documents have them."""
    answer_and_retrieved_passages = (
        [_answer_passage(trace_diagnosis_report, answer_place)]
        if answer_place is not None and diagnosis.stage != "not used"
        else list[PassageData]()
    )
    for retrieved_text, text_placement in zip(diagnosis.question.retrieved, diagnosis.placements, strict=True):
        score_phrase = "" if retrieved_text.score is None else f" · score {retrieved_text.score:.3g}"
        retrieved_text_notes_phrase = f" · {text_placement.remark}" * bool(
            text_placement.remark
        ) + " · not given to the language model" * (not retrieved_text.given)
        if not text_placement.places:
            unlocated_text_parts: list[Part] = [(retrieved_text.text or "", "rest")]
            answer_and_retrieved_passages.append(
                {
                    "kind": "left_out",
                    "title": f"{retrieved_text.rank} · missing{score_phrase}{retrieved_text_notes_phrase}",
                    "parts": unlocated_text_parts,
                }
            )
            continue
        text_place = text_placement.places[0]
        answer_spans = (
            [answer_place.span] if answer_place is not None and answer_place.document == text_place.document else []
        )
        coloured_passage_parts = parts_coloured_by_excerpts(
            trace_diagnosis_report.documents[text_place.document].text, [text_place.span], answer_spans
        )
        holds_part_of_answer = any(kind == "hit" for _, kind in coloured_passage_parts)
        retrieved_passage_title = (
            f"{retrieved_text.rank} · "
            f"{_document_place_in_words(trace_diagnosis_report, text_place)}{score_phrase}{retrieved_text_notes_phrase}"
        )
        answer_and_retrieved_passages.append(
            {
                "kind": "holds" if holds_part_of_answer else "waste",
                "title": retrieved_passage_title,
                "parts": coloured_passage_parts,
            }
        )
    return answer_and_retrieved_passages


def _answer_passage(trace_diagnosis_report: TraceReport, answer_place: Place) -> PassageData:
    document_text, (answer_start, answer_end) = (
        trace_diagnosis_report.documents[answer_place.document].text,
        answer_place.span,
    )
    answer_context_span = Span(
        max(0, answer_start - PART_CONTEXT_CHARACTERS), min(len(document_text), answer_end + PART_CONTEXT_CHARACTERS)
    )
    passage_parts: list[Part] = [
        (document_text[answer_context_span.start : answer_start], "rest"),
        (document_text[answer_start:answer_end], "missed"),
        (document_text[answer_end : answer_context_span.end], "rest"),
    ]
    return {
        "kind": "missed",
        "title": f"The answer · {_document_place_in_words(trace_diagnosis_report, answer_place)}",
        "parts": passage_parts,
    }


def _show_undecided_questions_and_unlocated_texts(trace_diagnosis_report: TraceReport) -> None:
    """Draw the questions of which nothing can be told, and the retrieved texts that are not located."""
    diagnoses_without_known_outcome = [
        diagnosis for diagnosis in trace_diagnosis_report.diagnoses if diagnosis.failed is None
    ]
    undecided_question_columns = {
        "place": [diagnosis.question.place for diagnosis in diagnoses_without_known_outcome],
        "question": [diagnosis.question.question for diagnosis in diagnoses_without_known_outcome],
        "why": [diagnosis.rule for diagnosis in diagnoses_without_known_outcome],
    }
    show_folded_table(
        f"{pluralize(len(diagnoses_without_known_outcome), 'question')} that cannot be told", undecided_question_columns
    )
    unlocated_texts = [
        (diagnosis, retrieved, placement)
        for diagnosis in trace_diagnosis_report.diagnoses
        for retrieved, placement in zip(diagnosis.question.retrieved, diagnosis.placements, strict=True)
        if placement.only_place is None
    ]
    unlocated_text_columns: dict[str, list[object]] = {
        "question": [diagnosis.question.place for diagnosis, _, _ in unlocated_texts],
        "rank": [retrieved.rank for _, retrieved, _ in unlocated_texts],
        "state": [describe_placement_status(placement) for _, _, placement in unlocated_texts],
        "text": [retrieved.text if retrieved.text is not None else retrieved.id for _, retrieved, _ in unlocated_texts],
        "remark": [placement.remark for _, _, placement in unlocated_texts],
    }
    show_folded_table(f"{pluralize(len(unlocated_texts), 'retrieved text')} without a place", unlocated_text_columns)
