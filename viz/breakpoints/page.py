"""The Breakpoints page: a chunker's curve and text, the effect of its slider, every gap, and its decisions by steps."""

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkers import Breakpoint, Chunking, Verdict
from chunkers.methods import has_similarity_reading
from chunkers.support import pluralize
from evaluation.segmentation import count_found_missed_added, count_sentences_of_each_chunk, cut_offsets
from sample_docs import sample_splitters
from viz.breakpoints.chunker_steps_view import default_column_for_chunker, show_steps
from viz.breakpoints.gap_table import show_gap_table
from viz.breakpoints.score_histogram_and_staircase import (
    DisplayedResult,
    convert_result_scores_for_display,
    show_score_histogram_and_staircase,
)
from viz.components.browser_exchange import take_event
from viz.components.page_elements import show_notice
from viz.components.reader.reader import HeadRow, ReaderColumn, draw_reader_and_hash_columns
from viz.components.stepper.stepper import ALLOWED_LINK_VALUES, DEFAULT_STEPPER_PARAMETERS
from viz.controls import (
    build_widget_key_and_callback,
    draw_parameter_controls,
    draw_segmented_control_storing_setting,
    draw_setting_select_box,
    offer_undo,
)
from viz.shell import (
    ColumnResult,
    Page,
    columns_to_open_with,
    known_boundaries_comparison_row,
    reader_column_for_result,
    run_columns_or_start_job,
    show_compare_column_number,
    show_misfit_warnings,
    show_progress_and_consents,
    side_by_side_columns,
)
from viz.shell.card.verdicts import apply_parameter_change, send_verdicts_on_pointed_gap
from viz.shell.page import frame_page_and_write_link
from viz.state import (
    Choices,
    ColumnChoice,
    TextWithDetails,
    chunker_defaults_of_embedder,
    main_page,
    new_default_column,
    search_settings_of,
)
from viz.theme import palette

PAGE_KEY = "breakpoints"
TEXT_READER_KEY = "reader"

VIEWS = {"scores": "Scores", "gaps": "Gaps", "steps": "Steps"}
"""The views next to the text: their names in the link, and their labels."""

SHOWN_CHUNKERS = {
    "breakpoint": "Breakpoint",
    "max_min": "Max–Min",
    "optimal": "Optimal",
    "change_point": "Change points",
    "structure": "Structure",
}
"""The chunkers that the page shows, with their names."""

GREEDY_CHUNKERS = ("breakpoint", "max_min")
"""The chunkers that decide gap by gap; their cuts are compared with the optimal partition."""

DISTANCE_OR_SIMILARITY_LABELS = {"distance": "distance", "similarity": "similarity"}
MOST_NEAR_THRESHOLD_MARGIN = 0.5


def show() -> None:
    """Draw the Breakpoints page."""
    columns_from_compare = columns_to_open_with(PAGE_KEY, [(*SHOWN_CHUNKERS,)])
    sample_name, splitter_name = next(iter(sample_splitters().items()))
    default_link_parameters = {"view": "scores", "axis": "distance", "margin": "0.02", **DEFAULT_STEPPER_PARAMETERS}
    # Above all elements that come and go; the page's style sheet hides it by its key.
    hidden_container = st.container(key="store_spot")
    with frame_page_and_write_link(
        PAGE_KEY, Choices(sample_name, splitter_name, [new_default_column("breakpoint")], extra=default_link_parameters)
    ) as current_page:
        current_page.choices.columns = [*filter(None, columns_from_compare)] or current_page.choices.columns
        _reduce_to_one_column(current_page)
        _draw(current_page, hidden_container)


def _draw(current_page: Page, verdict_requests_placeholder: DeltaGenerator) -> None:
    choices, text = current_page.choices, current_page.text
    # An undo replaces the column.
    if parameter_change_event := take_event(TEXT_READER_KEY, "change"):
        apply_parameter_change(PAGE_KEY, parameter_change_event)
    column_choice = choices.columns[0]
    if threshold_drag_event := take_event(TEXT_READER_KEY, "line"):
        column_choice.set_valid_parameter(str(threshold_drag_event["parameter"]), float(threshold_drag_event["value"]))
    view_label_by_name = (
        VIEWS
        if column_choice.chunker == "breakpoint"
        else {name: label for name, label in VIEWS.items() if name != "scores"}
    )
    current_page.replace_invalid_link_parameters(
        {"view": VIEWS, "axis": DISTANCE_OR_SIMILARITY_LABELS, **ALLOWED_LINK_VALUES}
    )
    view_name, distance_or_similarity, near_threshold_margin = (
        choices.extra["view"],
        choices.extra["axis"],
        _checked_threshold_margin(choices),
    )
    if view_name not in view_label_by_name:
        # Its slider is not a threshold for all gaps, so there is neither a histogram nor a staircase.
        view_name = choices.extra["view"] = "steps"
    column_results = (
        run_columns_or_start_job(current_page, text, _columns_to_run(column_choice, view_name))
        if text is not None
        else [ColumnResult(column_choice)]
    )
    with current_page.controls:
        _draw_chunker_choice(choices)
        offer_undo(PAGE_KEY)
        draw_parameter_controls(
            0,
            column_choice,
            column_results[0].chunker,
            chunker_defaults_of_embedder(current_page.embedder, column_choice.chunker),
        )
        show_compare_column_number(
            PAGE_KEY,
            column_choice,
            current_page.embedder,
            are_column_settings_valid=column_results[0].chunker is not None or text is None,
        )
        _draw_distance_or_similarity_choice(choices, column_results[0].chunker)
        _draw_threshold_margin_control(choices, near_threshold_margin)
    if text is None:
        return
    show_progress_and_consents(column_results)
    show_misfit_warnings(current_page.choices, column_results)
    shown_result = convert_result_scores_for_display(column_results[0], distance_or_similarity)
    palette.set_narrow_window_panel_colours()
    # A heatmap stands beside the steps.
    text_container, view_container = (
        side_by_side_columns(PAGE_KEY, 1, 2)
        if view_name == "steps" and column_choice.chunker == "optimal"
        else side_by_side_columns(PAGE_KEY, 8, 5)
    )
    with text_container:
        body_hashes = draw_reader_and_hash_columns(
            text.document,
            [_build_reader_column(column_results[0], shown_result, text.source)],
            title=text.source.name,
            summary=text.source.teaches,
            selected_column_index=0,
            known_boundaries=text.source.known,
            key=TEXT_READER_KEY,
            score_margin=near_threshold_margin,
            shows_card=True,
        )
    with verdict_requests_placeholder:
        compare_search_settings = search_settings_of(main_page.current_choices(), len(text.document.text))
        shown_chunking = None if shown_result is None else shown_result.chunking
        send_verdicts_on_pointed_gap(
            text.document,
            column_results[:1],
            body_hashes,
            current_page.embedder,
            text.source.known,
            compare_search_settings,
            shown_chunking,
        )
    with view_container, st.container(key="beside"):
        view_switch_key = f"{PAGE_KEY}/view" if view_label_by_name == VIEWS else f"{PAGE_KEY}/view/{column_choice.chunker}"
        draw_segmented_control_storing_setting(
            "Beside the text", choices.extra, "view", view_label_by_name, view_switch_key, is_label_hidden=True
        )
        if shown_result is None:
            show_notice("There is nothing to show yet: the text has not been cut.", key="nothing_beside")
        elif not shown_result.chunking.gaps:
            show_notice(
                "The text has fewer than two sentences, so there is no gap between sentences to cut at. Choose a longer "
                "text.",
                key="no_gap",
            )
        elif view_name == "scores":
            show_score_histogram_and_staircase(shown_result, text, current_page.embedder, choices)
        elif view_name == "gaps":
            show_gap_table(shown_result.chunking, shown_result.identity, near_threshold_margin, body_hashes[0], key="ledger")
        else:
            show_steps(shown_result, column_results, text, current_page.embedder, choices, near_threshold_margin)


def _columns_to_run(column_choice: ColumnChoice, view_name: str) -> list[ColumnChoice]:
    """Return the page's column, and the columns that its steps are compared with."""
    if view_name == "steps" and column_choice.chunker in GREEDY_CHUNKERS:
        return [column_choice, ColumnChoice("optimal"), ColumnChoice("breakpoint", {"buffer": 0})]
    return (
        [column_choice, new_default_column("breakpoint")]
        if view_name == "steps" and column_choice.chunker == "optimal"
        else [column_choice]
    )


# Input from the link


def _reduce_to_one_column(current_page: Page) -> None:
    """Reduce the page to one column with a chunker of `SHOWN_CHUNKERS`; report an error if the link names another."""
    only_column_choice = current_page.choices.columns[0]
    if only_column_choice.chunker not in SHOWN_CHUNKERS:
        current_page.show_link_error(
            f"The link's c1 must be one of {', '.join(SHOWN_CHUNKERS)} on this page; got {only_column_choice.chunker}. "
            "Using breakpoint."
        )
        only_column_choice = ColumnChoice("breakpoint")
    current_page.choices.columns = [only_column_choice]
    current_page.choices.selected = 0


def _checked_threshold_margin(choices: Choices) -> float:
    unparsed_link_margin = choices.extra["margin"]
    try:
        near_threshold_margin = float(unparsed_link_margin)
    except ValueError:
        near_threshold_margin = math.nan
    if 0 <= near_threshold_margin <= MOST_NEAR_THRESHOLD_MARGIN:
        return near_threshold_margin
    show_notice(
        f"The link's margin must be a number from 0 to {MOST_NEAR_THRESHOLD_MARGIN:g}; got {unparsed_link_margin[:60]!r}.",
        "error",
        key="bad_margin",
    )
    return 0.02


# The page's own controls


def _draw_chunker_choice(choices: Choices) -> None:
    selected_chunker_setting = {"chunker": choices.columns[0].chunker}

    def use_chosen_chunker() -> None:
        choices.columns = [default_column_for_chunker(selected_chunker_setting["chunker"])]
        choices.extra["step"] = "1"

    draw_setting_select_box(
        "Chunker",
        selected_chunker_setting,
        "chunker",
        SHOWN_CHUNKERS,
        key=f"{PAGE_KEY}/chunker",
        after_change=use_chosen_chunker,
    )


def _draw_distance_or_similarity_choice(choices: Choices, chunker: object) -> None:
    if isinstance(chunker, Breakpoint) and has_similarity_reading(chunker):
        similarity_help = "Similarity is 1 minus the distance: curve, line and wording are flipped, the cuts stay the same."
        draw_segmented_control_storing_setting(
            "Read the curve as",
            choices.extra,
            "axis",
            DISTANCE_OR_SIMILARITY_LABELS,
            f"{PAGE_KEY}/axis",
            help=similarity_help,
        )


def _draw_threshold_margin_control(choices: Choices, near_threshold_margin: float) -> None:
    def set_near_threshold_margin(near_threshold_margin: float) -> None:
        choices.extra["margin"] = f"{near_threshold_margin:g}"

    st.number_input(
        "Near-threshold margin",
        0.0,
        MOST_NEAR_THRESHOLD_MARGIN,
        near_threshold_margin,
        step=0.01,
        format="%.2f",
        help="Greatest distance of a score from the line, on either side, for a gap to count as near: small changes may "
        "reverse the verdict.",
        **build_widget_key_and_callback(near_threshold_margin, f"{PAGE_KEY}/margin", set_near_threshold_margin),
    )


# The text


def _build_reader_column(
    column_result: ColumnResult, shown_result: DisplayedResult | None, text_with_details: TextWithDetails
) -> ReaderColumn:
    return reader_column_for_result(
        column_result,
        lambda chunking: ReaderColumn(rows=_column_head_summary_rows(chunking, text_with_details)),
        shown_result=shown_result,
    )


def _column_head_summary_rows(chunking: Chunking, text_with_details: TextWithDetails) -> tuple[HeadRow, ...]:
    """Return the column's summary: chunk count and sizes, effect of the size limits, errors against known boundaries."""
    sentence_counts_of_chunks = count_sentences_of_each_chunk(chunking)
    summary_rows = [
        HeadRow("chunks", f"{len(sentence_counts_of_chunks):,}", brief=pluralize(len(sentence_counts_of_chunks), "chunk"))
    ]
    if sentence_counts_of_chunks:
        summary_rows.append(
            HeadRow("sentences", f"{min(sentence_counts_of_chunks):,} to {max(sentence_counts_of_chunks):,}")
        )
    rejected_cut_count = sum(gap.verdict is Verdict.REJECTED for gap in chunking.gaps)
    forced_cut_count = sum(gap.verdict is Verdict.FORCED for gap in chunking.gaps)
    if rejected_cut_count or forced_cut_count:
        candidate_cut_count = rejected_cut_count + sum(gap.verdict is Verdict.CUT for gap in chunking.gaps)
        summary_rows.append(
            HeadRow(
                "candidates",
                f"{candidate_cut_count:,}, of which {rejected_cut_count:,} rejected; cuts forced: {forced_cut_count:,}",
            )
        )
    if text_with_details.known is not None:
        found_boundary_count, missed_boundary_count, spurious_cut_count = count_found_missed_added(
            cut_offsets(chunking), text_with_details.known
        )
        summary_rows.append(known_boundaries_comparison_row(found_boundary_count, missed_boundary_count, spurious_cut_count))
    return tuple(summary_rows)
