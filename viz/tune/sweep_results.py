"""The results of a sweep: the best setting in a sentence, the figure, the ranking, and further actions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from chunkers.recipes import chunker_class
from chunkers.support import format_number, pluralize
from evaluation.report.measure_table_cells import setting_row
from evaluation.segmentation import (
    HIGHER_IS_BETTER,
    TRIVIAL_BASELINES_EXPLAINED,
    SettingSummary,
    SweepRow,
    SweptSetting,
    compare_settings,
    lead_significance_sentences,
    summarize_settings,
    sweep_rows_to_csv,
    untested_lead_sentence,
)
from evaluation.statistics import FEWEST_VALUES, compute_confidence_interval_of_mean
from viz.components.figure import box_plots, show_figure_with_its_data
from viz.components.measure_table import show_measures
from viz.components.page_elements import show_download_button
from viz.shell import offer_to_add_column, show_column_added_message
from viz.state import ColumnChoice
from viz.theme import THEME_COLOURS, theme_name

# The figures of a sweep: a curve over one parameter, a heatmap over two, or a strip for each of several chunkers.


MEASURE_TITLES = {
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "precision": "Boundary precision",
    "recall": "Boundary recall",
    "f1": "Boundary F1",
    "f1_near": "Boundary F1, one sentence off allowed",
    "boundary_similarity": "Boundary similarity",
    "misassigned": "Misassigned sentences, share",
    "crossing": "Chunks that cross a boundary, share",
    "blocks_whole": "Blocks whole, share",
}
"""The titles of the measures on the page."""


def setting_in_words(setting: SweptSetting) -> str:
    """Describe a chunker setting in words without user text, so that figures can show the description safely."""
    if setting.is_trivial_baseline:
        return setting.words().capitalize()
    value_by_given_parameter = dict(setting.parameters)
    field_spec_by_parameter = {spec.name: spec for spec in chunker_class(setting.chunker).fields(value_by_given_parameter)}
    # A threshold method is named with its amount: "percentile 80".
    meaning_determining_parameters = {field_spec_by_parameter[name].depends for name in value_by_given_parameter}
    parameter_values_phrase = ", ".join(
        f"{_parameter_label_in_words(setting, name)} {_value_in_words(value)}"
        for name, value in value_by_given_parameter.items()
        if name not in meaning_determining_parameters
    )
    return chunker_class(setting.chunker).title + (f" ({parameter_values_phrase})" if parameter_values_phrase else "")


def _parameter_label_in_words(setting: SweptSetting, parameter: str) -> str:
    """Return a parameter's name in words, or the value of the parameter that determines its meaning, as for an amount."""
    value_by_parameter = dict(setting.parameters)
    field_spec_by_parameter = {spec.name: spec for spec in chunker_class(setting.chunker).fields(value_by_parameter)}
    determining_parameter_name = field_spec_by_parameter[parameter].depends
    return (
        _value_in_words(
            value_by_parameter.get(determining_parameter_name, field_spec_by_parameter[determining_parameter_name].default)
        )
        if determining_parameter_name
        else parameter.replace("_", " ")
    )


def _value_in_words(value: object) -> str:
    """Format a parameter's value: names without underscores, whole numbers without a fraction."""
    return format_number(value) if isinstance(value, float) else str(value).replace("_", " ")


def sweep_figure(
    settings: Sequence[SweptSetting],
    ranked_summaries: Sequence[SettingSummary],
    measure: str,
    held_out_summaries: Sequence[SettingSummary] = (),
) -> go.Figure:
    """Return the figure of a sweep's results that suits its grid: a curve, a heatmap, or a strip per chunker.

    ``ranked_summaries`` has the settings that have a value, best first. ``held_out_summaries`` has their values on the
    held-out documents, which a curve shows as a second line. Trivial baselines are omitted, since they are ranked but have
    no position on an axis.
    """
    settings = [setting for setting in settings if not setting.is_trivial_baseline]
    ranked_summaries = [summary for summary in ranked_summaries if not summary.setting.is_trivial_baseline]
    distinct_chunker_names = list(dict.fromkeys(setting.chunker for setting in settings))
    if len(distinct_chunker_names) > 1:
        return _chunker_strips_figure(ranked_summaries, distinct_chunker_names, measure)
    if len(settings[0].parameters) == 2:
        return _heatmap_figure(settings, ranked_summaries, measure)
    return _curve_figure(settings, ranked_summaries, measure, held_out_summaries)


def _curve_figure(
    settings: Sequence[SweptSetting],
    ranked_summaries: Sequence[SettingSummary],
    measure: str,
    held_out_summaries: Sequence[SettingSummary],
) -> go.Figure:
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    summary_by_setting = {summary.setting: summary for summary in ranked_summaries}
    setting_summaries = [summary_by_setting[setting] for setting in settings if setting in summary_by_setting]
    ((swept_parameter_name, _),) = settings[0].parameters
    best_setting_index = setting_summaries.index(ranked_summaries[0])
    figure = go.Figure(
        go.Scatter(
            x=[_value_in_words(dict(summary.setting.parameters)[swept_parameter_name]) for summary in setting_summaries],
            y=[summary.mean for summary in setting_summaries],
            customdata=[summary.chunks for summary in setting_summaries],
            mode="lines+markers",
            line={"color": theme_colour_by_role["muted"]},
            marker={
                "size": [11 if place == best_setting_index else 7 for place in range(len(setting_summaries))],
                "color": [
                    theme_colour_by_role["accent"] if place == best_setting_index else theme_colour_by_role["muted"]
                    for place in range(len(setting_summaries))
                ],
            },
            hovertemplate="%{x}: %{y:.3f}, %{customdata:.1f} chunks<extra></extra>",
            name="ranked",
        )
    )
    if held_out_summaries:
        held_mean_by_setting = {summary.setting: summary.mean for summary in held_out_summaries}
        held_out_settings = [setting for setting in settings if setting in held_mean_by_setting]
        figure.add_scatter(
            x=[_value_in_words(dict(setting.parameters)[swept_parameter_name]) for setting in held_out_settings],
            y=[held_mean_by_setting[setting] for setting in held_out_settings],
            mode="lines+markers",
            line={"color": theme_colour_by_role["muted"], "dash": "dot"},
            marker={"symbol": "circle-open", "size": 7},
            hovertemplate="%{x}: %{y:.3f}<extra>held out</extra>",
            name="held out",
        )
    figure.update_layout(
        height=320,
        xaxis={"title": _parameter_label_in_words(settings[0], swept_parameter_name), "type": "category"},
        yaxis={"title": MEASURE_TITLES[measure]},
        showlegend=bool(held_out_summaries),
        legend={"orientation": "h", "y": 1.12},
    )
    return figure


def _heatmap_figure(settings: Sequence[SweptSetting], ranked_summaries: Sequence[SettingSummary], measure: str) -> go.Figure:
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    mean_by_setting = {summary.setting: summary.mean for summary in ranked_summaries}
    (horizontal_parameter_name, _), (vertical_parameter_name, _) = settings[0].parameters
    row_and_column_labels_by_setting = {
        setting: (
            _value_in_words(dict(setting.parameters)[vertical_parameter_name]),
            _value_in_words(dict(setting.parameters)[horizontal_parameter_name]),
        )
        for setting in settings
    }
    row_labels = list(dict.fromkeys(line for line, _ in row_and_column_labels_by_setting.values()))
    heatmap_column_labels = list(dict.fromkeys(column for _, column in row_and_column_labels_by_setting.values()))
    mean_by_cell = {place: mean_by_setting.get(setting) for setting, place in row_and_column_labels_by_setting.items()}
    # If the threshold method is an axis, its amounts have no common name.
    meaning_determiner_by_parameter = {spec.name: spec.depends for spec in chunker_class(settings[0].chunker).fields()}
    axis_title_by_parameter = {
        name: name.replace("_", " ")
        if meaning_determiner_by_parameter[name] in (horizontal_parameter_name, vertical_parameter_name)
        else _parameter_label_in_words(settings[0], name)
        for name in (horizontal_parameter_name, vertical_parameter_name)
    }
    low_high_colours = (theme_colour_by_role["panel"], theme_colour_by_role["accent"])
    heatmap_colour_scale = list(enumerate(low_high_colours if HIGHER_IS_BETTER[measure] else reversed(low_high_colours)))
    figure = go.Figure(
        go.Heatmap(
            x=heatmap_column_labels,
            y=row_labels,
            z=[[mean_by_cell.get((line, column)) for column in heatmap_column_labels] for line in row_labels],
            colorscale=heatmap_colour_scale,
            texttemplate="%{z:.2f}" if len(heatmap_column_labels) * len(row_labels) <= 120 else None,
            colorbar={"title": {"text": ""}, "thickness": 12},
            hovertemplate=(
                f"{axis_title_by_parameter[horizontal_parameter_name]} %{{x}}, "
                f"{axis_title_by_parameter[vertical_parameter_name]} "
                f"%{{y}}: %{{z:.3f}}<extra></extra>"
            ),
        )
    )
    figure.update_layout(
        height=max(260, 60 + 34 * len(row_labels)),
        xaxis={"title": axis_title_by_parameter[horizontal_parameter_name], "type": "category"},
        yaxis={"title": axis_title_by_parameter[vertical_parameter_name], "type": "category"},
    )
    return figure


def _chunker_strips_figure(
    ranked_summaries: Sequence[SettingSummary], chunker_names: Sequence[str], measure: str
) -> go.Figure:
    summaries_by_chunker_number = {
        number: [summary for summary in ranked_summaries if summary.setting.chunker == name]
        for number, name in enumerate(chunker_names)
    }
    return box_plots(
        {number: chunker_class(name).title for number, name in enumerate(chunker_names)},
        {number: [summary.mean for summary in summaries] for number, summaries in summaries_by_chunker_number.items()},
        "%{text}: %{x:.3f}",
        {"title": MEASURE_TITLES[measure]},
        point_labels={
            number: [setting_in_words(summary.setting) for summary in summaries]
            for number, summaries in summaries_by_chunker_number.items()
        },
    )


MOST_RANKED = 15
"""Most settings shown in the ranking."""

NEAR_BEST_DIFFERENCE = 0.02
"""Distance from the best value within which settings count as near it."""


def show_sweep(
    settings: Sequence[SweptSetting], rows: Sequence[SweepRow], held_out_document_names: set[str], measure: str
) -> bool:
    """Draw a sweep's results on the documents that are not held out; return False if no chunker has a value yet.

    The values on the held-out documents are shown next to these results.
    """
    ranked_setting_summaries = summarize_settings(
        [row for row in rows if row.document not in held_out_document_names],
        measure,
    )
    if all(summary.setting.is_trivial_baseline for summary in ranked_setting_summaries):
        return False
    held_summary_by_setting = {
        summary.setting: summary
        for summary in summarize_settings(
            [row for row in rows if row.document in held_out_document_names],
            measure,
        )
    }
    _draw_best_setting_sentences(ranked_setting_summaries, held_summary_by_setting, rows, held_out_document_names, measure)
    listed_summaries = [
        summary
        for index, summary in enumerate(ranked_setting_summaries)
        if index < MOST_RANKED or summary.setting.is_trivial_baseline
    ]
    figure_table_values_by_column: dict[str, list[Any]] = {
        "setting": [setting_in_words(summary.setting) for summary in ranked_setting_summaries],
        MEASURE_TITLES[measure]: [round(summary.mean, 4) for summary in ranked_setting_summaries],
    }
    if held_summary_by_setting:
        figure_table_values_by_column["held out"] = [
            round(held_summary_by_setting[summary.setting].mean, 4) if summary.setting in held_summary_by_setting else None
            for summary in ranked_setting_summaries
        ]
    figure = sweep_figure(settings, ranked_setting_summaries, measure, list(held_summary_by_setting.values()))
    show_figure_with_its_data(
        figure, figure_table_values_by_column, MEASURE_TITLES[measure].split(",")[0], key="tune_figure"
    )
    ranking_table_state = show_measures(
        [
            setting_row(summary, MEASURE_TITLES[measure], setting_in_words(summary.setting), held_summary_by_setting)
            for summary in listed_summaries
        ],
        key="tune_ranking",
        on_select="rerun",
        selection_mode="single-row",
    )
    if any(summary.setting.is_trivial_baseline for summary in listed_summaries):
        st.caption(" ".join(f"{name.capitalize()}: {what}" for name, what in TRIVIAL_BASELINES_EXPLAINED.items()))
    actions_container = st.container(horizontal=True)
    best_row_index = next(index for index, summary in enumerate(listed_summaries) if not summary.setting.is_trivial_baseline)
    chosen_row_index = next(
        (index for index in ranking_table_state.selection.rows if index < len(listed_summaries)),
        best_row_index,
    )
    chosen_chunker_setting = listed_summaries[chosen_row_index].setting
    with actions_container:
        if chosen_chunker_setting.is_trivial_baseline:
            st.button("Not a chunker", disabled=True, key="take/tune")
        else:
            setting_rank = ranked_setting_summaries.index(listed_summaries[chosen_row_index]) + 1
            compare_button_label = (
                "Take the best to Compare" if chosen_row_index == best_row_index else f"Take place {setting_rank} to Compare"
            )
            offer_to_add_column(
                compare_button_label,
                ColumnChoice(chosen_chunker_setting.chunker, dict(chosen_chunker_setting.parameters)),
                key="take/tune",
            )
    show_download_button(
        actions_container, "Every run, as CSV", lambda: sweep_rows_to_csv(rows), "seamark-sweep.csv", "text/csv", rows
    )
    show_column_added_message()
    return True


def _draw_best_setting_sentences(
    ranked_summaries: Sequence[SettingSummary],
    held_out_summaries: dict[SweptSetting, SettingSummary],
    rows: Sequence[SweepRow],
    held_out_document_names: set[str],
    measure: str,
) -> None:
    """Describe the best setting: its margin over the next different value, ties, and its value on held-out documents.

    Trivial baselines are not settings; a note says if one is as good as the best. Significance is tested on the
    held-out documents alone, because the best setting was chosen on the others.
    """
    trivial_summaries = [summary for summary in ranked_summaries if summary.setting.is_trivial_baseline]
    ranked_summaries = [summary for summary in ranked_summaries if not summary.setting.is_trivial_baseline]
    best_summary = ranked_summaries[0]
    tuning_rows, held_out_rows = (
        [row for row in rows if (row.document in held_out_document_names) is out] for out in (False, True)
    )
    best_setting_sentences = (
        f"**{setting_in_words(best_summary.setting)}** is {best_mean_score_in_words(tuning_rows, best_summary, measure)}"
    )
    if tied_setting_count := _count_others_with_same_score(best_summary, ranked_summaries):
        best_setting_sentences += (
            f" {tied_setting_count:,} other setting{'s reach' if tied_setting_count > 1 else ' reaches'} the same."
        )
    next_different_summary = next((summary for summary in ranked_summaries if summary.mean != best_summary.mean), None)
    if next_different_summary is not None:
        best_setting_sentences += (
            f" The next, {setting_in_words(next_different_summary.setting)}, is "
            f"{abs(next_different_summary.mean - best_summary.mean):.3f} behind."
        )
        near_best_setting_count = sum(
            abs(summary.mean - best_summary.mean) <= NEAR_BEST_DIFFERENCE for summary in ranked_summaries
        )
        best_setting_sentences += (
            f" Within {NEAR_BEST_DIFFERENCE:g} of the best: {near_best_setting_count:,} of {len(ranked_summaries):,} "
            "settings, itself "
            "included."
        )
    if trivial_summaries and rank_of_setting(trivial_summaries[0], [best_summary], measure) == 1:
        best_setting_sentences += (
            f" **Mind the trivial answer: “{trivial_summaries[0].setting.words()}” reaches "
            f"{trivial_summaries[0].mean:.3f}.**"
        )
    if best_summary.setting in held_out_summaries:
        held_out_summary = held_out_summaries[best_summary.setting]
        held_out_chunker_summaries = [
            summary for summary in held_out_summaries.values() if not summary.setting.is_trivial_baseline
        ]
        held_out_rank_phrase = (
            f"place {rank_of_setting(held_out_summary, held_out_chunker_summaries, measure)} of "
            f"{len(held_out_chunker_summaries):,}"
        )
        if tied_setting_count := _count_others_with_same_score(held_out_summary, held_out_chunker_summaries):
            held_out_rank_phrase += f", level with {tied_setting_count:,} other{'s' if tied_setting_count > 1 else ''}"
        best_setting_sentences += (
            f" Held out, it reaches {held_out_summary.mean:.3f} over "
            f"{pluralize(held_out_summary.documents, 'document')}: {held_out_rank_phrase}."
        )
        trivial_settings = [
            summary.setting for summary in held_out_summaries.values() if summary.setting.is_trivial_baseline
        ]
        best_minus_trivial_differences = compare_settings(held_out_rows, best_summary.setting, trivial_settings, measure)
        words_by_trivial_setting = {setting: setting.words() for setting in trivial_settings}
        lead_sentences = lead_significance_sentences(
            best_minus_trivial_differences, words_by_trivial_setting, held_out_summary.documents
        )
        best_setting_sentences = f"{best_setting_sentences} {lead_sentences}".rstrip()
    elif trivial_summaries:
        best_setting_sentences += f" {untested_lead_sentence(len(trivial_summaries))}"
    st.markdown(best_setting_sentences)


def best_mean_score_in_words(rows: Sequence[SweepRow], best_summary: SettingSummary, measure: str) -> str:
    """Describe the best setting's value on these documents, with a confidence interval if there are enough documents."""
    extreme_word = "highest" if HIGHER_IS_BETTER[measure] else "lowest"
    if best_summary.documents == 1:
        return (
            f"{extreme_word} here: {MEASURE_TITLES[measure]} {best_summary.mean:.3f} on 1 document, which says nothing "
            "about others."
        )
    scores_of_best_setting = [row.scores[measure].value for row in rows if row.setting == best_summary.setting]
    mean_score_interval = compute_confidence_interval_of_mean(
        np.array([np.nan if value is None else value for value in scores_of_best_setting])
    )
    interval_phrase = (
        f"95 % between {mean_score_interval[0]:.3f} and {mean_score_interval[1]:.3f}, not counting that it was chosen"
        if mean_score_interval is not None
        else f"an interval takes at least {FEWEST_VALUES}"
    )
    documents_phrase = pluralize(best_summary.documents, "document")
    return (
        f"{extreme_word} here: {MEASURE_TITLES[measure]} {best_summary.mean:.3f} on average over {documents_phrase} "
        f"({interval_phrase})."
    )


def _count_others_with_same_score(summary: SettingSummary, all_summaries: Sequence[SettingSummary]) -> int:
    """Count the other settings with the same value."""
    return sum(other.mean == summary.mean for other in all_summaries) - 1


def rank_of_setting(summary: SettingSummary, compared_summaries: Sequence[SettingSummary], measure: str) -> int:
    """Return the rank of a setting, from 1; settings with equal values share a rank."""
    return 1 + sum(
        other.mean > summary.mean if HIGHER_IS_BETTER[measure] else other.mean < summary.mean for other in compared_summaries
    )
