"""The Failures page: chunkers at published and best-found settings on documents with known boundaries."""

from collections.abc import Sequence
from typing import TypedDict

import streamlit as st

from chunkers import ADAPTERS, CHUNKERS, MODEL_ASKING_CLASS_BY_NAME, Chunking
from chunkers.recipes import chunker_class
from chunkers.support import pluralize
from evaluation.findings.examined_chunking import DEFAULT_NARROW_MARGIN
from evaluation.report.measure_table_cells import Head, chunking_score_cells, count_cell
from evaluation.segmentation import (
    HIGHER_IS_BETTER,
    SETTINGS_BY_CHUNKER,
    BoundaryFile,
    SweptSetting,
    boundaries_and_text_hash_json,
    count_crossing_chunks,
    published_setting_and_source,
)
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.components.browser_exchange import Component, take_event
from viz.components.page_elements import show_download_button, show_job_progress_with_cancel, show_notice
from viz.components.reader.payload import clickable_gaps_data
from viz.components.reader.reader import HeadRow, ReaderColumn, draw_reader_and_hash_columns, take_clicked_gaps
from viz.components.score_table.score_table import (
    RowData,
    draw_table_of_measures,
    flag_best_cells_in_column,
    score_table_row,
)
from viz.controls import any_chunker_calls_model, draw_button_and_return_press, draw_language_model_form
from viz.failures.inbox import show_suspicious_cuts
from viz.failures.published_and_best_settings import (
    SEARCH_MEASURE,
    SHOWN_RESULT_KINDS,
    MeasuredSetting,
    draw_search_controls,
    find_best_setting_per_chunker,
    find_current_search_cancelling_others,
    measured_setting_from_column_result,
)
from viz.failures.session import session
from viz.jobs import ReadingJob, converter_from_single_file_function
from viz.jobs.sweep import Sweep
from viz.shell import (
    Page,
    columns_of_compare,
    columns_to_open_with,
    offer_to_add_column,
    reader_column_for_result,
    run_columns_or_start_job,
    show_column_added_message,
    show_misfit_warnings,
    show_progress_and_consents,
    side_by_side_columns,
)
from viz.shell.page import frame_page_and_write_link
from viz.state import (
    OWN_DOCUMENT_KEY,
    Choices,
    ColumnChoice,
    PageText,
    access_to_chosen_language_model,
    choose_document,
    main_page,
    set_clicked_boundaries,
    set_known_boundaries,
    undo_known_boundaries,
)
from viz.theme import SEGMENTATION_TERMS, known_boundary_count_phrase, palette

PAGE_KEY = "failures"
READER_KEY = "reader"

LANGUAGE_MODEL_CHUNKER_NAMES = ("llm",)
"""Chunkers shown next to the others if a language model is named; they are measured without a settings search."""


def show() -> None:
    """Draw the Failures page."""
    default_sample_name, splitter_name = next(iter(sample_splitters().items()))
    column_choices = [
        ColumnChoice(name, dict(published_setting_and_source(name)[0].parameters)) for name in _page_chunker_names()
    ]
    default_page_choices = Choices(
        default_sample_name,
        splitter_name,
        column_choices,
        selected=1,
        extra={"result": "published", "hair": f"{DEFAULT_NARROW_MARGIN:g}"},
    )
    columns_from_compare = columns_to_open_with(PAGE_KEY, [{*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME, *ADAPTERS}])
    with frame_page_and_write_link(PAGE_KEY, default_page_choices) as current_page_state:
        # The settings of this page are fixed; a link only selects a row.
        current_page_state.choices.columns = column_choices
        if columns_from_compare:
            current_page_state.choices.selected, current_page_state.choices.extra["result"] = (
                main_page.current_choices().selected,
                "compare",
            )
        _draw_page_body(current_page_state)


def _draw_page_body(current_page: Page) -> None:
    choices, page_text = current_page.choices, current_page.text
    reader_selection_event = take_event(READER_KEY, "selected")
    if reader_selection_event is not None and choices.extra["result"] != "compare":
        choices.extra["result"] = SHOWN_RESULT_KINDS[bool(reader_selection_event["column"])]
    choices.selected = min(choices.selected, len(choices.columns) - 1)
    if choices.extra["result"] not in SHOWN_RESULT_KINDS:
        choices.extra["result"] = "published"
    _draw_document_gallery(choices)
    if page_text is None:
        return
    is_marking_boundaries = False
    if choices.document == OWN_DOCUMENT_KEY:
        # A click on a gap in the reader marks or unmarks a boundary.
        if set_clicked_boundaries(
            page_text.document, [change.sentence_starts for change in take_clicked_gaps(READER_KEY, page_text.document)]
        ):
            st.rerun()
        is_marking_boundaries = boundary_marking_controls(page_text)
    best_settings_search = find_current_search_cancelling_others(current_page, page_text)
    best_setting_by_chunker = find_best_setting_per_chunker(best_settings_search)
    settings_with_origins = [
        ("published", number, *published_setting_and_source(name)) for number, name in enumerate(_page_chunker_names())
    ]
    settings_with_origins += [
        ("best", number, best_setting_by_chunker[name], "found here")
        for number, name in enumerate(SETTINGS_BY_CHUNKER)
        if name in best_setting_by_chunker
    ]
    settings_with_origins += [
        (
            "compare",
            number,
            SweptSetting.from_chunker_and_parameters(column.chunker, **column.parameters),
            f"column {number + 1}",
        )
        for number, column in enumerate(columns_of_compare())
    ]
    chunker_and_parameters_per_setting = [
        ColumnChoice(setting.chunker, dict(setting.parameters)) for _, _, setting, _ in settings_with_origins
    ]
    column_results = run_columns_or_start_job(current_page, page_text, chunker_and_parameters_per_setting)
    if any_chunker_calls_model(column.chunker for column in chunker_and_parameters_per_setting):
        with current_page.controls:
            draw_language_model_form()
    measured_settings = [
        measured_setting_from_column_result(*described, result, page_text)
        for described, result in zip(settings_with_origins, column_results, strict=True)
    ]
    show_progress_and_consents(column_results)
    show_misfit_warnings(current_page.choices, column_results)
    shown_results, selected_measured_setting = _find_shown_and_selected_results(choices, measured_settings)
    palette.set_narrow_window_panel_colours()
    left_container, right_container = side_by_side_columns(PAGE_KEY, 12, 13)
    with left_container, st.container(key="beside"):
        show_measures_table(choices, measured_settings)
        # Each in a place of its own: what comes and goes in one must not make Streamlit build the other anew.
        with st.container():
            are_all_columns_finished = all(outcome.chunking is not None or outcome.error for outcome in column_results)
            _draw_settings_search_and_compare_buttons(
                current_page,
                page_text,
                best_settings_search,
                selected_measured_setting,
                are_results_finished=are_all_columns_finished,
            )
        with st.container():
            show_suspicious_cuts(choices, selected_measured_setting, page_text, current_page.embedder)
    with right_container:
        _draw_text(page_text, shown_results, selected_measured_setting, is_marking_boundaries)


def _page_chunker_names() -> list[str]:
    """Return the names of the page's chunkers in order; links refer to them by index."""
    return [*SETTINGS_BY_CHUNKER, *(LANGUAGE_MODEL_CHUNKER_NAMES if access_to_chosen_language_model() is not None else ())]


def _find_shown_and_selected_results(
    choices: Choices, measured_settings: Sequence[MeasuredSetting]
) -> tuple[list[MeasuredSetting], MeasuredSetting]:
    """Return the results shown in the text, and the one whose suspicious cuts are listed.

    They are a chunker's published and its best settings, or a column of Compare. If Compare does not have the link's column,
    the chunker with that number is selected.
    """
    requested_result_and_column = (choices.extra["result"], choices.selected)
    compare_column_result_if_selected = next(
        (
            row
            for row in measured_settings
            if row.result_kind == "compare" and (row.result_kind, row.column) == requested_result_and_column
        ),
        None,
    )
    if compare_column_result_if_selected is not None:
        return [compare_column_result_if_selected], compare_column_result_if_selected
    selected_chunker_results = [
        row for row in measured_settings if row.result_kind != "compare" and row.column == choices.selected
    ]
    result_with_listed_cuts = next(
        (row for row in selected_chunker_results if row.result_kind == choices.extra["result"]), selected_chunker_results[0]
    )
    if choices.extra["result"] == "compare":
        choices.extra["result"] = result_with_listed_cuts.result_kind
    return selected_chunker_results, result_with_listed_cuts


def _draw_settings_search_and_compare_buttons(
    current_page_state: Page,
    page_text: PageText,
    best_settings_search: Sweep | None,
    selected_setting_with_result: MeasuredSetting,
    *,
    are_results_finished: bool,
) -> None:
    """Draw the buttons that search for the best settings and open the selected row on Compare."""
    if page_text.source.known is not None:
        draw_search_controls(current_page_state, page_text, best_settings_search, can_start_search=are_results_finished)
    selected_chunker_setting = selected_setting_with_result.setting
    column_choice_of_setting = ColumnChoice(selected_chunker_setting.chunker, dict(selected_chunker_setting.parameters))
    offer_to_add_column(
        "Take to Compare",
        column_choice_of_setting,
        key="take/failures",
        disabled=selected_setting_with_result.result_kind == "compare",
    )
    show_column_added_message()


def _number_of_known_boundaries_in_words(known_boundaries: Sequence[int] | None) -> str:
    if known_boundaries is None:
        return "no known boundary"
    if not known_boundaries:
        return "one topic"
    return known_boundary_count_phrase(len(known_boundaries))


def _draw_text(
    page_text: PageText,
    results: Sequence[MeasuredSetting],
    selected_measured_setting: MeasuredSetting,
    is_user_marking_boundaries: bool,
) -> None:
    shown_text_and_details = page_text.source

    def reader_column_of_setting(measured_setting: MeasuredSetting) -> ReaderColumn:
        origin_phrase = " · ".join(dict.fromkeys((measured_setting.origin_label, measured_setting.origin)))
        return reader_column_for_result(
            measured_setting.result,
            lambda chunking: _build_reader_column_with_measures(measured_setting, chunking, shown_text_and_details.known),
            subtitle_prefix=origin_phrase,
            are_lines_movable=False,
        )

    reader_summary_phrases = [_number_of_known_boundaries_in_words(shown_text_and_details.known)]
    if shown_text_and_details.known is not None:
        reader_summary_phrases.append("wavy red: outside the chunk that fits its section best")
    draw_reader_and_hash_columns(
        page_text.document,
        [reader_column_of_setting(row) for row in results],
        title=shown_text_and_details.name,
        summary=" · ".join(
            [*reader_summary_phrases, *([shown_text_and_details.teaches] if shown_text_and_details.teaches else [])]
        ),
        selected_column_index=results.index(selected_measured_setting),
        known_boundaries=shown_text_and_details.known,
        key=READER_KEY,
        clickable_gaps=clickable_gaps_data(
            page_text.document, "marks", shown_text_and_details.known or (), are_columns_folded_into_one=False
        )
        if is_user_marking_boundaries
        else None,
    )


def _build_reader_column_with_measures(
    measured_setting: MeasuredSetting, chunking: Chunking, known_boundaries: Sequence[int] | None
) -> ReaderColumn:
    column_head_rows = [HeadRow("chunks", f"{len(chunking.chunks):,}", brief=pluralize(len(chunking.chunks), "chunk"))]
    if measured_setting.scores is not None:
        sentence_count = len(chunking.document.sentences)
        misassigned_phrase = (
            f"{len(measured_setting.misassigned_sentences):,} of {sentence_count:,} sentences"
            if measured_setting.misassigned_sentences
            else "no sentence"
        )
        column_head_rows.append(
            HeadRow(
                "misassigned",
                misassigned_phrase,
                "wrong" if measured_setting.misassigned_sentences else "",
                f"misassigned: {misassigned_phrase}",
            )
        )
        column_head_rows.append(
            HeadRow(
                "crossing",
                f"{count_crossing_chunks(known_boundaries or (), chunking).count:,} of {len(chunking.chunks):,} chunks",
            )
        )
    return ReaderColumn(rows=tuple(column_head_rows), misassigned_sentences=measured_setting.misassigned_sentences)


# Known boundaries of the user's text: marked by clicks, with undo, or read from a file.


def boundary_marking_controls(page_text: PageText) -> bool:
    """Draw the controls that mark, undo and upload known boundaries; return whether marking is on."""
    if _use_uploaded_boundaries(page_text.source.text):
        st.rerun()
    known_boundaries = page_text.source.known
    buttons_row = st.container(horizontal=True, vertical_alignment="center")
    is_marking_on: bool = buttons_row.toggle(
        "Mark boundaries",
        key="marking",
        help="Every gap between two sentences becomes a button: press it where a section ends, again to unmark it.",
    )
    is_undo_pressed = draw_button_and_return_press(
        buttons_row, "Undo", "marks_undo", disabled=not session.earlier_boundaries, width="content"
    )
    is_remove_all_pressed = draw_button_and_return_press(
        buttons_row, "Remove all marks", "marks_remove", disabled=known_boundaries is None, width="content"
    )
    if is_undo_pressed and session.earlier_boundaries:
        undo_known_boundaries()
    if is_remove_all_pressed:
        set_known_boundaries(None)
    if is_undo_pressed or is_remove_all_pressed:
        st.rerun()
    show_download_button(
        buttons_row,
        "Boundaries as a file",
        lambda: boundaries_and_text_hash_json(page_text.source.name, page_text.source.text, known_boundaries or ()),
        "seamark-boundaries.json",
        "application/json",
        (page_text.source.name, page_text.document.identity, known_boundaries),
        disabled=known_boundaries is None,
    )
    with buttons_row.popover("Load boundaries"):
        st.file_uploader(
            "Boundary file",
            type=["json"],
            key="marks_file",
            on_change=_start_reading_boundary_file,
            args=(page_text.source.text,),
        )
    if session.boundary_reading_job is not None:
        show_job_progress_with_cancel(session.boundary_reading_job, key="marks_reading")
    if session.marks_complaint:
        show_notice(session.marks_complaint, "error", key="marks_complaint_notice")
    return is_marking_on


def _start_reading_boundary_file(text: str) -> None:
    boundary_file = st.session_state["marks_file"]
    session.boundary_reading_job = None
    if boundary_file is None:
        return
    boundary_file_reader = converter_from_single_file_function(
        lambda data, _, cancelled: BoundaryFile.read_hash_and_boundaries(data, cancelled).boundaries_checked_for_text(text)
    )
    session.boundary_reading_job = ReadingJob(
        [(boundary_file.name, boundary_file.getvalue())], boundary_file_reader, subject=text
    ).start_and_wait_briefly()
    _use_uploaded_boundaries(text)


def _use_uploaded_boundaries(text: str) -> bool:
    """Use the boundaries from an uploaded file once it is read, if they fit this text; return whether they do."""
    boundary_file_reading_job = session.take_finished_reading_job("boundary_reading_job")
    if boundary_file_reading_job is None or boundary_file_reading_job.subject != text:
        return False
    if boundary_file_reading_job.result is None:
        session.marks_complaint = boundary_file_reading_job.error
        return False
    set_known_boundaries(boundary_file_reading_job.result)
    return True


# The gallery of documents.


class CardData(TypedDict):
    """A document in the gallery: its id, its title, what it teaches, and its number of known boundaries."""

    id: str
    title: str
    teaches: str
    known: str


class GalleryData(TypedDict):
    """Payload of the document gallery: a card for each document, and the id of the document shown."""

    cards: list[CardData]
    chosen: str


_gallery_component = Component[GalleryData](
    "seamark_gallery",
    "failures/gallery.js",
    "failures/gallery.css",
    html='<div class="failures"></div>',
    colour_group_name="failures",
)


def _draw_document_gallery(page_choices: Choices) -> None:
    gallery_cards = [_sample_card_data(name, title) for name, title in sample_titles().items()]
    own_text_source = session.own
    gallery_cards.append(
        {
            "id": OWN_DOCUMENT_KEY,
            "title": own_text_source.name if own_text_source is not None else "Your own text",
            "teaches": "Paste or upload it; mark where its sections end.",
            "known": _number_of_known_boundaries_in_words(own_text_source.known if own_text_source is not None else None),
        }
    )

    def choose_document_of_clicked_card() -> None:
        if card_click_event := take_event("gallery", "chosen"):
            choose_document(page_choices, str(card_click_event["id"]))

    _gallery_component(
        key="gallery",
        data={"cards": gallery_cards, "chosen": page_choices.document},
        on_chosen_change=choose_document_of_clicked_card,
    )


def _sample_card_data(sample_name: str, sample_title: str) -> CardData:
    bundled_sample = load_sample(sample_name)
    return {
        "id": sample_name,
        "title": sample_title,
        "teaches": bundled_sample.teaches,
        "known": _number_of_known_boundaries_in_words(bundled_sample.known),
    }


# The table of measures.


TABLE_MEASURES = {
    SEARCH_MEASURE: "Misassigned",
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "f1": "Boundary F1",
    "crossing": "Crossing",
}
"""The measures of the table."""


def show_measures_table(choices: Choices, measured_settings: Sequence[MeasuredSetting]) -> None:
    """Draw the table of each chunker's measures, or a list of the chunkers if no boundaries are known.

    A click on a row shows its result in the text.
    """
    undefined_score_reasons = {
        measured.scores[name].undefined for measured in measured_settings if measured.scores for name in TABLE_MEASURES
    } - {""}
    are_boundaries_known = any(measured.scores is not None for measured in measured_settings)
    draw_table_of_measures(
        choices,
        [
            Head("Chunks"),
            *(Head(title, SEGMENTATION_TERMS[title]) for title in TABLE_MEASURES.values() if are_boundaries_known),
        ],
        measured_setting_rows(measured_settings),
        key="measures",
        note="Undefined where " + " or ".join(sorted(undefined_score_reasons)) + "." if undefined_score_reasons else "",
        name_column_head="Chunker and its settings",
        row_action_label="Show it in the text",
        is_compact=True,
    )


def measured_setting_rows(measured_settings: Sequence[MeasuredSetting]) -> list[RowData]:
    """Return the rows of Compare's columns, then those of each chunker's published and best settings side by side.

    The best values are marked when all rows have their results.
    """
    rows = [
        score_table_row(
            measured.column,
            chunker_class(measured.setting.chunker).title,
            measured.result.chunker.describe() if measured.result.chunker is not None else measured.setting.words(),
            [
                count_cell(len(chunking.chunks)),
                *chunking_score_cells(chunking, measured.scores or {}, TABLE_MEASURES),
            ]
            if (chunking := measured.result.chunking) is not None
            else [],
            measured.result.error or "waits for its embeddings",
            result_kind=measured.result_kind,
            settings_origin=measured.origin_label,
        )
        for measured in sorted(measured_settings, key=lambda measured: (measured.result_kind != "compare", measured.column))
    ]
    if all(measured.result.chunking is not None or measured.result.error for measured in measured_settings):
        for cell_index, measure_name in enumerate(TABLE_MEASURES, start=1):
            flag_best_cells_in_column(rows, cell_index, max if HIGHER_IS_BETTER[measure_name] else min)
    return rows
