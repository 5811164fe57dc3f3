"""The Double pass page: its two passes step by step, compared with a chunker that examines each gap once."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import TypedDict

import numpy as np
import streamlit as st

from chunkers import Chunking, DoublePass, Embedder, FieldSpec, Verdict
from chunkers.recipes import chunker_class
from chunkers.support import format_number, pluralize
from evaluation.segmentation import count_sentences_of_each_chunk
from sample_docs import sample_splitters
from viz.components.browser_exchange import Component, take_event
from viz.components.reader.reader import HeadRow, ReaderColumn, draw_reader_and_hash_columns
from viz.components.stepper.stepper import ALLOWED_LINK_VALUES, DEFAULT_STEPPER_PARAMETERS, Step, draw_stepper_at_linked_step
from viz.controls import build_widget_key_and_callback, draw_parameter_controls
from viz.double_pass.passes import (
    MOST_DRAWN_SENTENCES,
    data_for_drawing_pass_rows,
    gaps_decided_by_latest_comparison,
    list_chunk_comparisons_up_to_each,
    mini_chunk_starts,
    show_passes,
    steps_of_both_passes,
    table_of_similarity_comparisons,
)
from viz.jobs import reversing_change_if_quick
from viz.shell import (
    ColumnResult,
    Page,
    columns_to_open_with,
    reader_column_for_result,
    run_columns_or_start_job,
    show_compare_column_number,
    show_misfit_warnings,
    show_progress_and_consents,
    side_by_side_columns,
    waiting_status_phrase,
)
from viz.shell.page import frame_page_and_write_link
from viz.state import Choices, PageText, chunker_defaults_of_embedder, new_default_column, session
from viz.theme import palette

PAGE_KEY = "double_pass"
READER_KEY = "double_pass_reader"
DOUBLE_PASS_COLUMN, COMPARED_COLUMN = 0, 1
"""The indices of the two columns."""

MOST_SENTENCES_FOR_REVERSALS = 1_000
"""Maximum number of sentences of a text in which each step searches for the change of its verdict, within about a second."""


def default_choices() -> Choices:
    """Return the default choices of the Double pass page: Double pass and Breakpoint, on a sample text."""
    default_column_choices = [new_default_column("double_pass"), new_default_column("breakpoint")]
    return Choices(
        "algorithm", sample_splitters()["algorithm"], default_column_choices, extra={**DEFAULT_STEPPER_PARAMETERS}
    )


def show() -> None:
    """Draw the Double pass page."""
    columns_from_compare = columns_to_open_with(PAGE_KEY, [("double_pass",), ("breakpoint",)])
    with frame_page_and_write_link(PAGE_KEY, default_choices()) as current_page:
        choices, page_text = current_page.choices, current_page.text
        current_page.replace_invalid_link_parameters(ALLOWED_LINK_VALUES)
        _reduce_columns_to_page_chunkers(current_page)
        choices.columns = [new or old for new, old in zip_longest(columns_from_compare, choices.columns)]
        if column_selection_event := take_event(READER_KEY, "selected"):
            choices.selected = (
                DOUBLE_PASS_COLUMN if column_selection_event["column"] == DOUBLE_PASS_COLUMN else COMPARED_COLUMN
            )
        column_results = [] if page_text is None else run_columns_or_start_job(current_page, page_text, choices.columns)
        with current_page.controls:
            _draw_controls_of_both_chunkers(current_page, column_results)
        if page_text is None:
            return
        show_progress_and_consents(column_results)
        show_misfit_warnings(current_page.choices, column_results)
        _draw_page_body(current_page, page_text, column_results)


def _reduce_columns_to_page_chunkers(current_page: Page) -> None:
    """Reduce the columns to the page's two chunkers, with the link's parameters; draw an error if it names others."""
    choices, default_columns = current_page.choices, current_page.default.columns
    page_chunker_columns = [
        next((own for own in choices.columns if own.chunker == default.chunker), default) for default in default_columns
    ]
    if page_chunker_columns == choices.columns:
        return
    dropped_chunker_names = [column.chunker for column in choices.columns if column not in page_chunker_columns]
    if dropped_chunker_names:
        current_page.show_link_error(
            f"This page has the columns double_pass and breakpoint; the link's {', '.join(dropped_chunker_names)} is for "
            "Compare."
        )
    choices.columns = page_chunker_columns
    choices.selected = min(choices.selected, COMPARED_COLUMN)


def _draw_controls_of_both_chunkers(current_page_state: Page, column_results: list[ColumnResult]) -> None:
    page_choices = current_page_state.choices
    st.segmented_control(
        "Chunker to configure",
        [DOUBLE_PASS_COLUMN, COMPARED_COLUMN],
        default=page_choices.selected,
        format_func=lambda number: chunker_class(page_choices.columns[number].chunker).title,
        required=True,
        **build_widget_key_and_callback(
            page_choices.selected, "double_pass_column", partial(setattr, page_choices, "selected")
        ),
    )
    column_choice = page_choices.columns[page_choices.selected]
    selected_column_result = column_results[page_choices.selected] if column_results else None
    chunker_defaults_for_embedder = chunker_defaults_of_embedder(current_page_state.embedder, column_choice.chunker)
    chunker = selected_column_result.chunker if selected_column_result else None
    draw_parameter_controls(
        page_choices.selected,
        column_choice,
        chunker,
        chunker_defaults_for_embedder,
        _histogram_drawer(selected_column_result),
    )
    show_compare_column_number(
        PAGE_KEY,
        column_choice,
        current_page_state.embedder,
        are_column_settings_valid=selected_column_result is None or chunker is not None,
    )


def _histogram_drawer(column_result: ColumnResult | None) -> Callable[[FieldSpec], None] | None:
    """Return the function that draws a histogram under a threshold's slider; None for the other chunker or no result."""
    if (
        column_result is None
        or column_result.choice.chunker != DoublePass.name
        or column_result.chunking is None
        or column_result.chunker is None
    ):
        return None
    chunking, chunker = column_result.chunking, column_result.chunker

    def draw_histogram_below_threshold_slider(parameter_spec: FieldSpec) -> None:
        threshold_value = float(getattr(chunker, parameter_spec.name))
        slider_minimum, slider_maximum = parameter_spec.offered or (-1.0, 1.0)
        compared_similarities = similarities_for_threshold(chunking, parameter_spec.name)
        show_similarity_histogram(
            compared_similarities,
            threshold_value,
            (min(slider_minimum, threshold_value), max(slider_maximum, threshold_value)),
            key=f"similarities/{parameter_spec.name}",
        )

    return draw_histogram_below_threshold_slider


def _draw_page_body(current_page: Page, page_text: PageText, column_results: list[ColumnResult]) -> None:
    choices, double_pass_result, compared_result = (
        current_page.choices,
        column_results[DOUBLE_PASS_COLUMN],
        column_results[COMPARED_COLUMN],
    )
    double_pass_chunking, chunker = double_pass_result.chunking, double_pass_result.chunker
    # Both sides from the start: rows that begin as wide as the page would jump.
    left_container, right_container = side_by_side_columns(PAGE_KEY, 2, 1)
    if double_pass_chunking is None or not isinstance(chunker, DoublePass) or not double_pass_chunking.chunks:
        missing_result_message = double_pass_result.error or (
            waiting_status_phrase() if double_pass_chunking is None else "No chunks: the text has no words."
        )
        with left_container:
            show_passes(
                title=page_text.source.name,
                summary="",
                rows=None,
                text_identity=page_text.document.identity,
                missing_result_message=missing_result_message,
                message_tone="error" if double_pass_result.error else "",
                key="passes",
            )
        return
    palette.set_narrow_window_panel_colours()
    # The rows first: in a narrow window the steps stand below them.
    with left_container:
        show_passes(
            title=page_text.source.name,
            summary=_describe_chunk_counts_of_passes(double_pass_chunking),
            rows=data_for_drawing_pass_rows(
                double_pass_chunking, compared_result.finished_column_or_none, _row_labels(chunker)
            ),
            text_identity=page_text.document.identity,
            key="passes",
        )
        draw_reader_and_hash_columns(
            page_text.document,
            [reader_column_for_result(column, _reader_column_with_size_range) for column in column_results],
            title="",
            summary="",
            selected_column_index=choices.selected,
            known_boundaries=page_text.source.known,
            key=READER_KEY,
            draws_axis=False,
        )
    with right_container, st.container(key="beside_passes"):
        double_pass_steps = steps_of_both_passes(double_pass_chunking, chunker.max_size)
        if double_pass_steps:
            draw_stepper_at_linked_step(
                double_pass_steps,
                choices.extra,
                key="double_pass_stepper",
                has_known_boundaries=bool(page_text.source.known),
                describe_reversal=lambda at: verdict_reversal_in_words(
                    double_pass_result, double_pass_steps[at], current_page.embedder
                ),
            )
        removed_pass_one_boundaries = undone_pass_one_cuts(
            double_pass_chunking, compared_result.chunking, compared_result.title
        )
        show_removed_boundaries(
            removed_pass_one_boundaries,
            boundary_removal_counts_in_words(
                double_pass_chunking, removed_pass_one_boundaries, compared_result.chunking, compared_result.title
            ),
            key="corrections",
        )
    if double_pass_chunking.comparisons:
        with st.expander("Comparison table"):
            st.dataframe(
                table_of_similarity_comparisons(double_pass_chunking),
                hide_index=True,
                placeholder="–",
                width="stretch",
                height=420,
            )


def verdict_reversal_in_words(double_pass_result: ColumnResult, stepper_step: Step, embedder: Embedder | None) -> str:
    """Describe the change that would reverse the verdict on a step's gap; empty if unknown or if the search takes long."""
    chunking, gap_index = double_pass_result.chunking, stepper_step["mark"]["gap"]
    if double_pass_result.task is None or double_pass_result.chunker is None or chunking is None or gap_index is None:
        return ""
    if len(chunking.document.sentences) > MOST_SENTENCES_FOR_REVERSALS:
        return ""
    decided_gap = next(candidate for candidate in chunking.gaps if candidate.index == gap_index)
    reversing_change = reversing_change_if_quick(
        double_pass_result.task,
        double_pass_result.chunker,
        chunking,
        decided_gap,
        embedder,
        session.keeps_embeddings_on_disk,
    )
    return "" if reversing_change is None else f"After both passes: {decided_gap.verdict.value}; {reversing_change}."


def _reader_column_with_size_range(chunking: Chunking) -> ReaderColumn:
    chunk_sentence_counts = count_sentences_of_each_chunk(chunking)
    smallest_sentence_count, largest_sentence_count = (
        min(chunk_sentence_counts, default=0),
        max(chunk_sentence_counts, default=0),
    )
    sentence_count_range_phrase = (
        f"{smallest_sentence_count:,} to {largest_sentence_count:,}"
        if largest_sentence_count > smallest_sentence_count
        else f"{smallest_sentence_count:,}"
    )
    chunk_sizes_phrase = f"{len(chunk_sentence_counts):,}, of {sentence_count_range_phrase} sentences"
    return ReaderColumn(rows=(HeadRow("chunks", chunk_sizes_phrase, brief=pluralize(len(chunk_sentence_counts), "chunk")),))


def _row_labels(chunker: DoublePass) -> dict[str, str]:
    minimum_size_phrase = "" if chunker.min_size is None else f", minimum size {chunker.min_size:,}"
    maximum_size_phrase = "" if chunker.max_size is None else f", maximum size {chunker.max_size:,}"
    return {
        "sentences": "sentences, and the similarities of pass one",
        "minis": f"mini-chunks after pass one (initial {format_number(chunker.initial_threshold)}, "
        f"appending {format_number(chunker.appending_threshold)}{maximum_size_phrase})",
        "chunks": f"chunks after pass two (merging {format_number(chunker.merging_threshold)}"
        f"{maximum_size_phrase}{minimum_size_phrase})",
    }


def _describe_chunk_counts_of_passes(chunking: Chunking) -> str:
    """Describe the number of chunks after each pass."""
    pass_one_chunk_count, chunk_count = len(mini_chunk_starts(chunking)), len(chunking.chunks)
    snippet_merge_count = sum(merge.kind.startswith("over") for merge in chunking.merges)
    pass_summary_phrases = [
        f"pass one leaves {pluralize(pass_one_chunk_count, 'mini-chunk')}",
        f"pass two leaves {pluralize(chunk_count, 'chunk')}"
        + (f", after {pluralize(snippet_merge_count, 'merge')} over a snippet" if snippet_merge_count else ""),
    ]
    if len(chunking.document.sentences) > MOST_DRAWN_SENTENCES:
        pass_summary_phrases.append(f"the rows and steps cover the first {MOST_DRAWN_SENTENCES:,} sentences")
    return " · ".join(pass_summary_phrases)


# The distribution of the similarities compared with a threshold, drawn under the threshold's slider.


class SimilaritiesData(TypedDict):
    """Payload of the histogram of similarities: counts over the slider's range, the threshold, and a caption."""

    counts: list[int]
    at: float
    words: str


_histogram_component = Component[SimilaritiesData](
    "seamark_similarities",
    "double_pass/similarity_histogram.js",
    "double_pass/similarity_histogram.css",
    html='<figure class="similarities"><svg></svg><figcaption></figcaption></figure>',
)


def similarities_for_threshold(chunking: Chunking, parameter: str) -> list[float]:
    """Return the similarities that Double pass compared with the threshold ``parameter``."""
    comparison_kind = parameter.removesuffix("_threshold")
    return [
        comparison.similarity
        for comparison in chunking.comparisons
        if (comparison.kind if comparison.kind in ("initial", "appending") else "merging") == comparison_kind
    ]


def count_above_in_words(similarities: Sequence[float], threshold: float) -> str:
    """Describe how many similarities exceed the threshold."""
    if not similarities:
        return "Nothing was compared with this threshold in this text."
    above_count = sum(similarity > threshold for similarity in similarities)
    lie_verb_form = "lies" if above_count == 1 else "lie"
    return f"{above_count:,} of {len(similarities):,} similarities {lie_verb_form} above {format_number(threshold, '.2f')}"


HISTOGRAM_BINS = 25


def show_similarity_histogram(
    similarities: Sequence[float], threshold: float, bounds: tuple[float, float], key: str
) -> None:
    """Draw a histogram of the similarities under the slider of their threshold, clipped to ``bounds``."""
    low, high = bounds
    bin_counts, _ = np.histogram(np.clip(similarities, low, high), HISTOGRAM_BINS, bounds)
    _histogram_component(
        key=key,
        data={
            "counts": bin_counts.tolist() if len(similarities) else [],
            "at": (threshold - low) / (high - low),
            "words": count_above_in_words(similarities, threshold),
        },
    )


# The boundaries of pass one that pass two or the minimum size removed.


class CorrectionData(TypedDict):
    """A row of the list of corrections: the removed boundary, the step that removed it, and the row's texts.

    ``sentence`` is the number of the sentence before the boundary, from 1.
    """

    sentence: int
    step: int | None
    where: str
    reason: str
    also: str


class CorrectionsData(TypedDict):
    """Payload of the list of corrections: its title, introductory sentences, and rows."""

    title: str
    words: list[str]
    rows: list[CorrectionData]


_corrections_component = Component[CorrectionsData](
    "seamark_corrections",
    "double_pass/corrections.js",
    "double_pass/corrections.css",
    html='<section class="corrections"></section>',
)


def undone_pass_one_cuts(
    chunking: Chunking, other_chunker_chunking: Chunking | None, other_chunker_title: str
) -> list[CorrectionData]:
    """Return the boundaries of pass one that pass two or the minimum size removed, in text order.

    ``other_chunker_chunking`` is the result of another chunker, with which the boundaries are compared;
    ``other_chunker_title`` is the title of that chunker.
    """
    other_chunker_cuts = set() if other_chunker_chunking is None else _cut_gap_numbers_of_chunking(other_chunker_chunking)
    mini_chunk_start_sentence_numbers = mini_chunk_starts(chunking)
    removing_step_and_reason_by_gap = {
        gap: (number, removal_reason)
        for number, attempts in enumerate(list_chunk_comparisons_up_to_each(chunking))
        if (removal_reason := attempts[-1].why) is not None
        and attempts[-1].outcome == "joined"
        and attempts[-1].kind not in ("initial", "appending")
        for gap in gaps_decided_by_latest_comparison(attempts, mini_chunk_start_sentence_numbers)
    }
    removed_boundaries: list[CorrectionData] = []
    for gap in chunking.gaps:
        if gap.verdict in (Verdict.MERGED, Verdict.REJECTED):
            removing_step_number, removal_reason = removing_step_and_reason_by_gap.get(gap.index, (None, gap.why))
            removed_boundaries.append(
                {
                    "sentence": gap.index + 1,
                    "step": removing_step_number,
                    "where": f"after sentence {gap.index + 1}",
                    # The step names the pass.
                    "reason": str(removal_reason if removing_step_number is None else removal_reason._replace(heading="")),
                    "also": f"{other_chunker_title} cuts here" if gap.index in other_chunker_cuts else "",
                }
            )
    return removed_boundaries


def _cut_gap_numbers_of_chunking(chunking: Chunking) -> set[int]:
    """Return the numbers of the gaps between sentences that are cut."""
    return {gap.index for gap in chunking.gaps if gap.verdict.is_cut and gap.offset is None}


def boundary_removal_counts_in_words(
    chunking: Chunking,
    removed_boundary_entries: Sequence[CorrectionData],
    other_chunker_chunking: Chunking | None,
    other_chunker_title: str,
) -> list[str]:
    """Describe how many boundaries of pass one were removed, and what became of the other chunker's boundaries."""
    pass_one_boundary_count = len(mini_chunk_starts(chunking)) - 1
    if pass_one_boundary_count <= 0:
        return ["Pass one made no boundary, so there is none to remove."]
    boundary_count_phrase = pluralize(pass_one_boundary_count, "boundary", "boundaries")
    report_sentences = [
        f"Of the {boundary_count_phrase} that pass one made, {pluralize(len(removed_boundary_entries), 'was', 'were')} "
        "removed later."
    ]
    if other_chunker_chunking is not None:
        other_chunker_cuts = _cut_gap_numbers_of_chunking(other_chunker_chunking)
        removed_other_chunker_cut_count = sum(removal["also"] != "" for removal in removed_boundary_entries)
        both_chunkers_cut_count = sum(gap.verdict.is_cut for gap in chunking.gaps if gap.index in other_chunker_cuts)
        other_chunker_cut_count_by_fate = {
            "here too": both_chunkers_cut_count,
            "removed by pass two": removed_other_chunker_cut_count,
            "never made by pass one": len(other_chunker_cuts) - both_chunkers_cut_count - removed_other_chunker_cut_count,
        }
        other_chunker_cut_fates_phrase = ", ".join(
            f"{count:,} {fate}" for fate, count in other_chunker_cut_count_by_fate.items() if count
        )
        boundary_count_phrase = pluralize(len(other_chunker_cuts), "boundary", "boundaries")
        report_sentences.append(
            f"Of the {boundary_count_phrase} that {other_chunker_title} makes between sentences: "
            f"{other_chunker_cut_fates_phrase or 'none'}."
        )
    return report_sentences


def show_removed_boundaries(removed_boundaries: Sequence[CorrectionData], introduction: Sequence[str], key: str) -> None:
    """Mount the list of corrections; a click on a row goes to the boundary and to the step that removed it."""
    drawn_removed_boundaries = [removal for removal in removed_boundaries if removal["sentence"] <= MOST_DRAWN_SENTENCES]
    _corrections_component(
        key=key, data={"title": "Corrections", "words": [*introduction], "rows": drawn_removed_boundaries}
    )
