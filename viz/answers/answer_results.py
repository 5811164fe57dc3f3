"""Results of a run of answers: the verdict, the means, box plots, differences, and costs."""

from itertools import combinations
from typing import Any

import numpy as np
import streamlit as st

from chunkers.support import format_number, pluralize
from evaluation.answering import (
    ANSWER_MEASURES,
    TRIVIAL_BASELINE_EXPLANATIONS,
    TRIVIAL_BASELINE_TITLES,
    AnswerReport,
    answers_to_csv,
    answers_to_json_lines,
    chunking_and_answering_cost_table,
)
from evaluation.report.measure_table_cells import answer_cost_rows, answer_measures_row, chunker_pair_difference_row
from evaluation.statistics import FALSE_VERDICT_SENTENCE
from viz.components.figure import box_plots, show_figure_with_its_data
from viz.components.measure_table import show_measures
from viz.components.page_elements import show_download_button, show_notice
from viz.controls import draw_segmented_control_storing_setting
from viz.jobs.answering_plan_and_jobs import Answering
from viz.state import access_to_chosen_language_model, language_model_name_and_revision
from viz.theme import ANSWER_TERMS

MEASURE_LINK_PARAMETER = "measure"
"""The link parameter that names the shown measure."""

_NAME_WIDTH = 140
"""Width of the chunkers' names in pixels, in the tables of means and of costs."""


def show_report(answers_run: Answering, report: AnswerReport, link_parameters: dict[str, str]) -> None:
    """Draw a run's verdict on the chunkers, its table of mean measures, and one measure's values by question.

    While answers are still arriving, the verdict and the values by question are not drawn.
    """
    measure_names = report.measure_names_with_values
    if measure_names:
        draw_segmented_control_storing_setting(
            "Measure",
            link_parameters,
            MEASURE_LINK_PARAMETER,
            {name: ANSWER_MEASURES[name].title for name in measure_names},
            "answers/measure",
            is_label_hidden=True,
        )
    selected_measure_key = (
        link_parameters[MEASURE_LINK_PARAMETER]
        if link_parameters[MEASURE_LINK_PARAMETER] in measure_names
        else next(iter(measure_names), "")
    )
    if selected_measure_key and not answers_run.running:
        show_notice(report.verdict(selected_measure_key), key="answers_verdict")
    chunker_numbers = range(len(report.names))
    shown_measures = [
        name
        for name in ANSWER_MEASURES
        if name in measure_names
        or any(report.count_answers_with_unreadable_judgement(number, name) for number in chunker_numbers)
    ]
    show_measures(
        [answer_measures_row(report, number, shown_measures, ANSWER_TERMS) for number in chunker_numbers], _NAME_WIDTH
    )
    st.caption(
        "Mean ± standard deviation over the questions with this measure. Answers that could not be judged are left "
        "out, not counted as 0."
    )
    if answers_run.plan.trivial:
        st.caption(
            "  \n".join(
                f"{TRIVIAL_BASELINE_TITLES[name]}: {TRIVIAL_BASELINE_EXPLANATIONS[name]}"
                for name in answers_run.plan.trivial
            )
        )
    measure_validity_sentences = [] if answers_run.running else report.right_wrong_separation_sentences()
    if measure_validity_sentences:
        show_notice(" ".join(measure_validity_sentences), key="answers_proof")
    if selected_measure_key and not answers_run.running:
        _draw_measure_plots_and_differences(report, selected_measure_key)


def show_costs_and_files(answers_run: Answering, report: AnswerReport) -> None:
    """Draw the cost of a run of answers, and the buttons that download its results."""
    if report.measure_names_with_values:
        _show_costs(answers_run, report)
        _draw_download_buttons(answers_run, report)


def _draw_measure_plots_and_differences(report: AnswerReport, measure: str) -> None:
    """Draw the box plots of a measure and the differences between the chunkers."""
    measure_values_per_chunker = report.values(measure)
    values_by_column: dict[str, Any] = {"question": np.arange(1, report.questions + 1)}
    values_by_column |= {name: row.round(3) for name, row in zip(report.names, measure_values_per_chunker, strict=True)}
    shown_measure = ANSWER_MEASURES[measure]
    axis_margin = (shown_measure.high - shown_measure.low) / 50
    # A measure that may be negative, but is not, begins at 0.
    axis_start = shown_measure.low if shown_measure.low >= 0 else min(0.0, float(np.nanmin(measure_values_per_chunker)))
    figure = box_plots(
        dict(enumerate(report.names)),
        dict(enumerate(measure_values_per_chunker)),
        "%{text}",
        {
            "title": f"{shown_measure.title} per question",
            "range": [axis_start - axis_margin, shown_measure.high + axis_margin],
        },
        point_labels={
            number: [format_number(value, ".2f") for value in values]
            for number, values in enumerate(measure_values_per_chunker)
        },
        shows_means=True,
    )
    show_figure_with_its_data(figure, values_by_column, f"{shown_measure.title} by question", key="answers_boxes")
    _show_differences(report, measure)


def _show_differences(report: AnswerReport, measure: str) -> None:
    chunker_pair_differences = [
        (one, other, difference)
        for one, other in combinations(range(len(report.names)), 2)
        if (difference := report.comparisons.tested_difference_of_chunkers(measure, one, other)) is not None
    ]
    if not chunker_pair_differences:
        return
    show_measures(
        [
            chunker_pair_difference_row(report.names[one], report.names[other], difference)
            for one, other, difference in chunker_pair_differences
        ]
    )
    st.caption(
        "A difference is significant if a paired sign-flip test and Hall's test agree; intervals and p-values are "
        f"Holm-corrected for {pluralize(len(report.comparisons.tested), 'comparison')}. {FALSE_VERDICT_SENTENCE}"
    )


def _show_costs(answers_run: Answering, report: AnswerReport) -> None:
    st.header("Time and cost", anchor=False)
    answering_model_access = access_to_chosen_language_model()
    is_model_of_run = (
        answering_model_access is not None
        and language_model_name_and_revision(answering_model_access) == answers_run.models.answering_model
    )
    cost_rows = chunking_and_answering_cost_table(
        report,
        answers_run.passages_by_column,
        answering_model_access.model if answering_model_access is not None and is_model_of_run else None,
    )
    show_measures(answer_cost_rows(cost_rows), _NAME_WIDTH)
    judging_token_count = sum(
        judgement.exchange.tokens_in + judgement.exchange.tokens_out
        for result in report.results.values()
        for times in result.judgements.values()
        for judgement in times
    )
    st.caption(
        "Chunking and embedding as if nothing had been embedded before; tokens and cost of the answers as if none had been "
        "remembered, without judging them"
        + (f", which took {judging_token_count:,} tokens more" if judging_token_count else "")
        + (f". This session has spent: {answering_model_access.spent}." if answering_model_access is not None else ".")
    )


def _draw_download_buttons(answers_run: Answering, report: AnswerReport) -> None:
    download_buttons_row = st.container(horizontal=True)
    download_cache_key = (answers_run.plan, [(place, repr(outcome)) for place, outcome in sorted(report.results.items())])
    chunker_names, answer_results = list(report.names), report.results
    show_download_button(
        download_buttons_row,
        "All answers as CSV",
        lambda: answers_to_csv(chunker_names, answer_results),
        "answers.csv",
        "text/csv",
        download_cache_key,
        key="answers_csv",
    )
    show_download_button(
        download_buttons_row,
        "With every prompt and judgement, as JSON lines",
        lambda: answers_to_json_lines(chunker_names, answer_results),
        "answers.jsonl",
        "application/jsonl",
        download_cache_key,
        key="answers_jsonl",
    )
