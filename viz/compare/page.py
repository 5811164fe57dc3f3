"""The Compare page: several chunkers on one text, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from chunkers import Chunking, Document, Embedder, InputError, load_tokenizer
from chunkers.results import find_chunk_indices_with_children
from chunkers.support import format_three_figures, pluralize
from evaluation.segmentation import ChunkFacts, count_added_removed_moved_boundaries, count_found_missed_added
from viz.compare import first_screen_preparation
from viz.compare.choices_and_session.choices import (
    COMPARE_PAGE,
    default_choices,
    own_cut_offsets,
    own_cuts_or_free_column_index,
    set_own_cuts,
)
from viz.compare.choices_and_session.session import LastChange, session
from viz.compare.questions.question_search import search_and_send_retrieved_chunks, store_marked_answer
from viz.components.browser_exchange import take_event
from viz.components.page_elements import show_notice
from viz.components.reader.payload import AskingData, MarkingData, clickable_gaps_data
from viz.components.reader.reader import HeadRow, ReaderColumn, draw_reader_and_hash_columns, take_clicked_gaps
from viz.controls import column_controls
from viz.jobs import ChunkingTask, DecisionTimes, cached_while_shown, measure_decision_times
from viz.shell import (
    ColumnResult,
    FinishedColumn,
    known_boundaries_comparison_row,
    lecture_mode,
    reader_column_for_result,
    run_columns_or_start_job,
    show_misfit_warnings,
    show_progress_and_consents,
)
from viz.shell.card.verdicts import apply_parameter_change, send_verdicts_on_pointed_gap
from viz.shell.page import frame_page_and_write_link
from viz.state import (
    ASK_LIMIT_PARAMETER,
    ASK_METHOD_PARAMETER,
    AUTO_LIMIT_OPTION,
    MOST_COLUMNS,
    OWN_DOCUMENT_KEY,
    RANKING_METHOD_LABELS,
    RETRIEVAL_LIMITS,
    Choices,
    PageText,
    TextWithDetails,
    retrieval_limit_options,
    search_settings_of,
    set_clicked_boundaries,
    spans_of_each_chunk,
)
from viz.theme import duration_in_words, embedding_time_in_words, known_boundary_count_phrase, stage_times_in_words

READER_KEY = "reader"


def show() -> None:
    """Draw the Compare page."""
    # Above all elements that come and go; the page's style sheet hides it by its key.
    hidden_container = st.container(key="store_spot")
    with frame_page_and_write_link(COMPARE_PAGE, default_choices()) as current_page:
        choices, open_text = current_page.choices, current_page.text
        current_page.replace_invalid_link_parameters(QUESTION_PARAMETER_VALUES)
        _apply_reader_events(choices, open_text, current_page.embedder)
        if open_text is None:
            with current_page.controls:
                column_controls(choices, None, current_page.embedder, offers_external_chunks=True)
            return
        if marking_error_message := apply_gap_clicks(choices, open_text, READER_KEY):
            show_notice(marking_error_message, "error", key="cuts_complaint")
        first_screen_preparation.wait_for_first_screen(open_text.document)
        column_results = run_columns_or_start_job(current_page, open_text, choices.columns)
        show_progress_and_consents(column_results)
        show_misfit_warnings(current_page.choices, column_results)
        report_session_file_match(column_results)
        column_body_hashes = draw_reader_and_hash_columns(
            open_text.document,
            [
                _reader_column(number, column, open_text, current_page.embedder)
                for number, column in enumerate(column_results)
            ],
            title=open_text.source.name,
            summary=_known_boundaries_and_embedding_phrase(open_text.source),
            selected_column_index=choices.selected,
            known_boundaries=open_text.source.known,
            key=READER_KEY,
            clickable_gaps=clickable_gaps_of_folded_columns(choices, open_text),
            unavailable_reason_by_folding_purpose=obstacle_by_folding_purpose(choices),
            question_form_data=question_form_data(choices, len(open_text.document.text)),
            shows_card=True,
        )
        # Drawn last, as the browser takes longer for these settings than for the columns.
        with current_page.controls:
            column_controls(
                choices, column_results[choices.selected].chunker, current_page.embedder, offers_external_chunks=True
            )
        if not lecture_mode.is_lecture_mode_on():
            with st.sidebar:
                _draw_statistics_and_timing_controls(column_results, open_text.document, current_page.embedder)
        # What stands below the columns is imported when these are sent.
        from viz.compare.approximate_embedder_check import draw_agreement_with_full_embedder
        from viz.compare.views_below_text import draw_view_selector_and_view

        with hidden_container:
            embedder_complaint, known_boundaries = current_page.embedder_complaint, open_text.source.known
            answer_search_settings = search_settings_of(choices, len(open_text.document.text))
            send_verdicts_on_pointed_gap(
                open_text.document,
                column_results,
                column_body_hashes,
                current_page.embedder,
                known_boundaries,
                answer_search_settings,
            )
            search_and_send_retrieved_chunks(
                choices,
                open_text.document,
                column_results,
                column_body_hashes,
                current_page.embedder,
                embedder_complaint,
                known_boundaries,
            )
        draw_agreement_with_full_embedder(current_page, open_text, column_results)
        draw_view_selector_and_view(choices, column_results, open_text.source, current_page.embedder)


def _reader_column(
    column_index: int, column_result: ColumnResult, page_text: PageText, embedder: Embedder | None
) -> ReaderColumn:
    return reader_column_for_result(
        column_result, lambda _: column_summary(column_index, column_result, page_text, embedder)
    )


def _known_boundaries_and_embedding_phrase(text_with_details: TextWithDetails) -> str:
    summary_phrases = []
    if text_with_details.known is not None:
        summary_phrases.append(
            known_boundary_count_phrase(len(text_with_details.known))
            if text_with_details.known
            else "one topic: no known boundary"
        )
    session_chunking_job = session.chunking_job
    if session_chunking_job is not None and session_chunking_job.embedded and not lecture_mode.is_lecture_mode_on():
        summary_phrases.append(
            f"embedded {pluralize(session_chunking_job.embedded, 'text')} in "
            f"{duration_in_words(session_chunking_job.embed_ms)}, once for all columns"
        )
    if text_with_details.teaches:
        summary_phrases.append(text_with_details.teaches)
    return " · ".join(summary_phrases)


def _apply_reader_events(choices: Choices, page_text: PageText | None, embedder: Embedder | None) -> None:
    """Apply the reader's events, such as a moved threshold, a selected column or a marked answer."""
    threshold_event, column_selection_event = take_event(READER_KEY, "line"), take_event(READER_KEY, "selected")
    if threshold_event and 0 <= threshold_event["column"] < len(choices.columns):
        choices.columns[threshold_event["column"]].set_valid_parameter(
            str(threshold_event["parameter"]), float(threshold_event["value"])
        )
    if column_selection_event and 0 <= column_selection_event["column"] < len(choices.columns):
        choices.selected = int(column_selection_event["column"])
    question_settings_event, answer_event = take_event(READER_KEY, "asking"), take_event(READER_KEY, "answer")
    if question_settings_event:
        _apply_question_settings(choices, question_settings_event)
    question_count_before = len(session.questions)
    if answer_event and page_text is not None:
        store_marked_answer(page_text.document, answer_event)
    if remedy_event := take_event(READER_KEY, "remedy"):
        # The search for remedies needs many modules, which the first screen does without.
        from viz.compare.questions.remedies import add_remedied_column

        add_remedied_column(remedy_event, embedder)
    if parameter_change_event := take_event(READER_KEY, "change"):
        apply_parameter_change(COMPARE_PAGE, parameter_change_event)
    if len(session.questions) > question_count_before:
        # The row at the top, already drawn, offers to keep the question.
        st.rerun()


def _draw_statistics_and_timing_controls(
    column_results: list[ColumnResult], document: Document, embedder: Embedder | None
) -> None:
    def measure_decision_times_again() -> None:
        session.repeats = {
            column.task: measure_decision_times(
                column.task, column.chunker, document, embedder, session.keeps_embeddings_on_disk
            )
            for column in column_results
            if column.task and column.chunker and not column.chunker.asks and not column.chunker.elsewhere
        }

    st.toggle(
        "Size statistics",
        key="all_sizes",
        help="Minimum, median, mean and maximum in sentences, words, characters and tokens.",
    )
    st.button(
        "Repeat timing",
        on_click=measure_decision_times_again,
        width="stretch",
        help="Times each column's decision 11 times: median and quartiles.",
    )


# The settings of a question, which are part of the link: the ranking method and the amount retrieved.


QUESTION_PARAMETER_VALUES: Mapping[str, Sequence[str]] = {
    ASK_METHOD_PARAMETER: [*RANKING_METHOD_LABELS],
    ASK_LIMIT_PARAMETER: [AUTO_LIMIT_OPTION, *RETRIEVAL_LIMITS],
}
"""The allowed values of the link parameters for questions."""


def _apply_question_settings(choices: Choices, event: Mapping[str, Any]) -> None:
    """Apply the ranking method and the retrieval limit that the user chose for the question."""
    for setting_name, allowed_values in QUESTION_PARAMETER_VALUES.items():
        if event.get(setting_name) in allowed_values:
            choices.extra[setting_name] = str(event[setting_name])


def question_form_data(choices: Choices, character_count: int) -> AskingData:
    """Return the payload of the question form, with retrieval limits for a text of ``character_count`` characters."""
    return {
        "question": session.question,
        "methods": list(RANKING_METHOD_LABELS.items()),
        "method": choices.extra[ASK_METHOD_PARAMETER],
        "limits": [(word, name) for word, (name, _) in retrieval_limit_options(character_count).items()],
        "limit": choices.extra[ASK_LIMIT_PARAMETER],
    }


# The columns folded into one text whose gaps the user clicks, to set known boundaries or a column's cuts.


def apply_gap_clicks(choices: Choices, page_text: PageText, reader_key: str) -> str:
    """Apply the user's clicks on gaps, and fold or unfold the columns; return an error message, or an empty string."""
    gap_clicks, column_fold_event = take_clicked_gaps(reader_key, page_text.document), take_event(reader_key, "fold")
    if column_fold_event is not None:
        session.folded_document_and_purpose = (page_text.document.identity, str(column_fold_event["purpose"]))
    if not gap_clicks or obstacle_by_folding_purpose(choices).get(gap_clicks[-1].purpose) != "":
        return ""
    if gap_clicks[-1].purpose == "cuts":
        try:
            set_own_cuts(choices, page_text.document, gap_clicks[-1].sentence_starts or ())
        except InputError as error:
            return str(error)
    elif set_clicked_boundaries(page_text.document, [change.sentence_starts for change in gap_clicks]):
        # The row at the top, already drawn, passes the boundaries to the browser tab, which stores them.
        st.rerun()
    return ""


def clickable_gaps_of_folded_columns(choices: Choices, page_text: PageText) -> MarkingData | None:
    """Return the gaps that the user can click while the columns are folded; None if the columns are not folded."""
    folded_document_identity, fold_purpose = session.folded_document_and_purpose
    if (
        folded_document_identity != page_text.document.identity
        or obstacle_by_folding_purpose(choices).get(fold_purpose) != ""
    ):
        return None
    if fold_purpose == "cuts":
        return clickable_gaps_data(
            page_text.document, "cuts", own_cut_offsets(choices, page_text.document), are_columns_folded_into_one=True
        )
    return clickable_gaps_data(page_text.document, "marks", page_text.source.known or (), are_columns_folded_into_one=True)


def obstacle_by_folding_purpose(choices: Choices) -> dict[str, str]:
    """Return each purpose for which the columns can fold into one text, with the reason if the purpose is unavailable.

    The known boundaries of a bundled text cannot be changed.
    """
    compare_full_message = f"Compare already has {MOST_COLUMNS} columns, the maximum; remove one first." * (
        own_cuts_or_free_column_index(choices) is None
    )
    return {**({"marks": ""} if choices.document == OWN_DOCUMENT_KEY else {}), "cuts": compare_full_message}


# The notice about a reopened session file.


def report_session_file_match(column_results: Sequence[ColumnResult]) -> None:
    """Report whether the results match the reopened session file, until the text or the columns change."""
    session_file, finished_columns = (
        session.reopened_session_file,
        [finished_column for column in column_results if (finished_column := column.finished_column_or_none)],
    )
    if session_file is None or len(finished_columns) < len(column_results):
        return
    shown_settings = [(column.chunker.name, column.chunker.model_dump()) for column in finished_columns]
    session_file_settings = [(column.recipe.chunker, column.recipe.build().model_dump()) for column in session_file.columns]
    if shown_settings != session_file_settings or any(
        column.chunking.document.text != session_file.text for column in finished_columns
    ):
        session.reopened_session_file = None
        return
    differing_column_numbers = [
        number
        for number, (result, column) in enumerate(zip(finished_columns, session_file.columns, strict=True), start=1)
        if spans_of_each_chunk(result.chunking) != column.chunks
    ]
    if not differing_column_numbers:
        show_notice(f"{session_file.name} was reopened with the same chunks in every column.", key="reopened_file")
        return
    differing_columns_phrase = (
        f"column{'s' if len(differing_column_numbers) > 1 else ''} {', '.join(map(str, differing_column_numbers))}"
    )
    recorded_versions_phrase = ", ".join(
        f"{name} {version}"
        for name, version in session_file.columns[differing_column_numbers[0] - 1].recipe.versions.items()
    )
    difference_message = (
        f"{session_file.name}: {differing_columns_phrase} came out differently from the file, which was made with "
        f"{recorded_versions_phrase}."
    )
    result_difference_reasons = dict.fromkeys(
        session_file.columns[number - 1].recipe.changed_since(len(finished_columns[number - 1].chunking.document.sentences))
        for number in differing_column_numbers
    )
    show_notice(" ".join([difference_message, *filter(None, result_difference_reasons)]), "error", key="reopened_file")


# The summary of a column.


def column_summary(
    column_index: int, column_result: ColumnResult, page_text: PageText, embedder: Embedder | None
) -> ReaderColumn:
    """Return a column's summary: chunk count and sizes, times, errors against known boundaries, and last change."""
    finished_column = column_result.finished_column_or_none
    assert finished_column is not None
    task, chunking = finished_column.task, finished_column.chunking
    chunk_facts = _chunk_statistics_of_result(task, chunking, embedder)
    chunk_count = len(chunking.chunks)
    summary_head_rows = [HeadRow("chunks", f"{chunk_count:,}", brief=pluralize(chunk_count, "chunk"))]
    # Other chunks lie in each other by chance.
    summary_head_rows += (
        _parent_child_count_rows(chunking)
        if finished_column.chunker.elsewhere or getattr(finished_column.chunker, "parent_size", None)
        else ()
    )
    if chunk_facts.sizes:
        sentence_count_statistics = chunk_facts.sizes[0]
        summary_head_rows.append(
            HeadRow(
                "sentences",
                f"{sentence_count_statistics.least:,} to {sentence_count_statistics.most:,}, median "
                f"{sentence_count_statistics.median:,g}",
            )
        )
    if chunk_facts.discontinuous_chunks.chunks:
        summary_head_rows.append(HeadRow("in pieces", chunk_facts.discontinuous_chunks.words(len(chunking.chunks))))
    if not lecture_mode.is_lecture_mode_on():
        chunking_time_phrase = (
            "not known: made elsewhere"
            if finished_column.chunker.elsewhere
            else _chunking_time_in_words(chunking, session.repeats.get(task))
        )
        summary_head_rows.append(HeadRow("time", chunking_time_phrase))
        if finished_column.chunker.embeds:
            summary_head_rows.append(HeadRow("embedding", embedding_time_in_words(chunking.timing)))
    if chunking.spending is not None and not lecture_mode.is_lecture_mode_on():
        summary_head_rows.append(HeadRow("asked", str(chunking.spending)))
    if page_text.source.known is not None:
        found_boundary_count, missed_boundary_count, extra_cut_count = count_found_missed_added(
            chunk_facts.cuts, page_text.source.known
        )
        summary_head_rows.append(
            known_boundaries_comparison_row(found_boundary_count, missed_boundary_count, extra_cut_count)
        )
    if chunk_facts.truncated_chunks is not None and embedder is not None:
        overlong_chunks_phrase = (
            f"{pluralize(chunk_facts.truncated_chunks.chunks, 'chunk')} beyond {embedder.max_tokens:,} tokens"
        )
        summary_head_rows.append(
            HeadRow("too long", chunk_facts.truncated_chunks.words(embedder), "wrong", overlong_chunks_phrase)
        )
    change_phrase, cuts_new_since_change = _describe_effect_of_parameter_change(
        column_index, finished_column, page_text.document, chunk_facts.cuts
    )
    if change_phrase:
        summary_head_rows.append(HeadRow("changed", change_phrase, "changed", f"changed: {change_phrase}"))
    chunk_size_table = [
        (size.unit, *map(format_three_figures, (size.least, size.median, size.mean, size.most)))
        for size in chunk_facts.sizes
    ]
    return ReaderColumn(
        rows=tuple(summary_head_rows),
        table=(("size", "min", "median", "mean", "max"), *chunk_size_table) if st.session_state.get("all_sizes") else (),
        new_cuts=cuts_new_since_change,
    )


def _parent_child_count_rows(chunking: Chunking) -> list[HeadRow]:
    """Return a row with the numbers of parents and children; none if the chunks have one level."""
    parent_count = len(find_chunk_indices_with_children(chunking.chunks))
    levels_phrase = (
        f"{pluralize(parent_count, 'parent')}, {pluralize(len(chunking.chunks) - parent_count, 'child', 'children')}"
    )
    return [HeadRow("levels", levels_phrase, brief=levels_phrase)] if parent_count else []


@cached_while_shown(32, lambda task, chunking, embedder: (task.document, task))
def _chunk_statistics_of_result(task: ChunkingTask, chunking: Chunking, embedder: Embedder | None) -> ChunkFacts:
    """Return the facts of a result, cached by task, since equal tasks have equal results."""
    return ChunkFacts.of(chunking, load_tokenizer(task.tokenizer), embedder)


def _describe_effect_of_parameter_change(
    column_index: int, finished_column: FinishedColumn, document: Document, current_cuts: tuple[int, ...]
) -> tuple[str, frozenset[int]]:
    """Describe how the last change of the column's parameters affected its boundaries, and return the new boundaries."""
    # Loading an embedder is not a change by the user, and a chunker that does not embed is unaffected by the embedder.
    task_without_model_revision = replace(
        finished_column.task, revision="", embedder=finished_column.task.embedder if finished_column.chunker.embeds else ""
    )
    last_parameter_change = session.history.get(column_index)
    if last_parameter_change is None or last_parameter_change.task != task_without_model_revision:
        if (
            last_parameter_change is not None
            and last_parameter_change.task.document_and_chunker_name == task_without_model_revision.document_and_chunker_name
        ):
            change_phrase = count_added_removed_moved_boundaries(
                document, last_parameter_change.cuts, current_cuts
            ).added_removed_moved_in_words()
            last_parameter_change = LastChange(
                task_without_model_revision,
                current_cuts,
                change_phrase,
                frozenset(current_cuts) - frozenset(last_parameter_change.cuts),
            )
        else:
            last_parameter_change = LastChange(task_without_model_revision, current_cuts)
        session.history[column_index] = last_parameter_change
    return last_parameter_change.description, last_parameter_change.new_cuts


def _chunking_time_in_words(chunking: Chunking, decision_times: DecisionTimes | None) -> str:
    chunking_stage_times = chunking.timing
    if decision_times is not None and chunking_stage_times is not None:
        return (
            f"split {duration_in_words(chunking_stage_times.split_ms)} · decide {duration_in_words(decision_times.median)} "
            f"({duration_in_words(decision_times.lower)} to {duration_in_words(decision_times.upper)} in "
            f"{decision_times.runs} runs)"
        )
    return stage_times_in_words(chunking_stage_times)
