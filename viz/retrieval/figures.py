"""The figures of a retrieval run, without user text: distributions, differences, costs, and the curve over budgets."""

import math
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from evaluation.retrieval import RETRIEVAL_MEASURE_TITLES, TOP_KS, BudgetCurve, Costs, Distribution, MeansAtK, Report
from evaluation.segmentation import Score
from evaluation.statistics import Difference
from viz.components.figure import draw_labelled_line, show_figure_with_its_data
from viz.components.page_elements import show_notice, show_remark
from viz.theme import THEME_COLOURS, chunker_colour, theme_name

# Placement of the labels of a few points so that they do not overlap.


_CHARACTER_WIDTH, _LABEL_HEIGHT = 0.018, 0.075
"""Width of a character and height of a line, as fractions of a figure in a narrow window."""

_LABEL_SIDES = ("top right", "bottom right", "top left", "bottom left")

_Box = tuple[float, float, float, float]
"""Left, right, bottom, top."""


def label_sides(point_positions: Sequence[tuple[float, float]], labels: Sequence[str]) -> list[str]:
    """Return for each point the side on which its label overlaps least; coordinates are fractions of the figure."""
    occupied_boxes: list[_Box] = [(x - 0.01, x + 0.01, y - 0.03, y + 0.03) for x, y in point_positions]
    label_side_per_point = []
    for (point_x, point_y), label in zip(point_positions, labels, strict=True):
        label_box_by_side = {side: _label_box(point_x, point_y, len(label), side) for side in _LABEL_SIDES}
        best_side = min(
            _LABEL_SIDES,
            key=lambda side: (
                sum(_box_intersection_area(label_box_by_side[side], other) for other in occupied_boxes)
                + _box_area_outside_figure(label_box_by_side[side])
            ),
        )
        occupied_boxes.append(label_box_by_side[best_side])
        label_side_per_point.append(best_side)
    return label_side_per_point


def _label_box(point_x: float, point_y: float, length: int, side: str) -> _Box:
    vertical, horizontal = side.split()
    left, bottom = (
        (point_x if horizontal == "right" else point_x - length * _CHARACTER_WIDTH),
        (point_y if vertical == "top" else point_y - _LABEL_HEIGHT),
    )
    return left, left + length * _CHARACTER_WIDTH, bottom, bottom + _LABEL_HEIGHT


def _box_intersection_area(first_box: _Box, second_box: _Box) -> float:
    """Return the area of the intersection of two boxes."""
    overlap_width = min(first_box[1], second_box[1]) - max(first_box[0], second_box[0])
    overlap_height = min(first_box[3], second_box[3]) - max(first_box[2], second_box[2])
    return max(0.0, overlap_width) * max(0.0, overlap_height)


def _box_area_outside_figure(box: _Box) -> float:
    """Return the area of a box that lies outside the figure."""
    return (box[1] - box[0]) * (box[3] - box[2]) - _box_intersection_area(box, (0.0, 1.0, 0.0, 1.0))


DistributionByChunker = Mapping[int, Distribution]
"""The distribution of a measure over the questions, by the chunker's number."""

SCORE_TITLES = {"recall": "Recall", "precision": "Precision", "f1": "F1"}
COST_AXIS_TITLES = {
    "tokens": "tokens retrieved per question, on average",
    "index": "seconds to chunk and index all documents",
    "query": "milliseconds to search all chunks for a question",
}
MARKER_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
"""Marker symbols, so that chunkers differ not only in colour."""


def build_baseline_difference_plot(
    difference_by_chunker: Mapping[int, Difference], chunker_names: Mapping[int, str], baseline_name: str, measure_title: str
) -> go.Figure:
    """Return a plot of each chunker's mean difference from the baseline, with its confidence interval."""
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    figure = go.Figure()
    for chunker_number, difference in difference_by_chunker.items():
        chunker_mark_colour = theme_colour_by_role["ink" if difference.significant else "muted"]
        figure.add_trace(
            go.Scatter(
                x=[100 * difference.mean],
                y=[chunker_names[chunker_number]],
                error_x={
                    "array": [100 * (difference.high - difference.mean)],
                    "arrayminus": [100 * (difference.mean - difference.low)],
                    "color": chunker_mark_colour,
                    "thickness": 2,
                    "width": 6,
                },
                mode="markers",
                # An open circle marks a difference that is not significant.
                marker={
                    "size": 11,
                    "symbol": "circle" if difference.significant else "circle-open",
                    "color": chunker_mark_colour,
                    "line": {"width": 2},
                },
                hovertemplate=f"{difference.points} points<extra></extra>",
            )
        )
    draw_labelled_line(figure, 0, baseline_name)
    figure.update_layout(
        showlegend=False,
        height=110 + 44 * len(difference_by_chunker),
        xaxis={"title": f"{measure_title} difference, points"},
        yaxis={"autorange": "reversed"},
    )
    return figure


def trade_off_plot(
    distributions: DistributionByChunker,
    costs: Mapping[int, Costs],
    chunker_names: Mapping[int, str],
    measure_title: str,
    cost_kind: str,
) -> go.Figure:
    """Return a plot of each chunker's mean measure against a cost, with 95 % confidence intervals as error bars.

    ``cost_kind`` is a key of `COST_AXIS_TITLES`. Chunkers with unknown cost are left out.
    """
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    cost_by_chunker = {
        number: known
        for number, chunker_costs in costs.items()
        if (known := cost_of_kind(chunker_costs, cost_kind)) is not None
    }
    mean_by_chunker = {
        number: distribution.mean
        for number, distribution in distributions.items()
        if distribution.mean is not None and number in cost_by_chunker
    }
    drawn_chunker_numbers = sorted(mean_by_chunker, key=cost_by_chunker.__getitem__)
    interval_by_chunker = {
        number: distributions[number].interval or (mean_by_chunker[number], mean_by_chunker[number])
        for number in drawn_chunker_numbers
    }
    interval_lower_bounds, interval_upper_bounds = (
        zip(*interval_by_chunker.values(), strict=True) if interval_by_chunker else ((0.0,), (1.0,))
    )
    axis_margin = max(0.05, 0.15 * (max(interval_upper_bounds) - min(interval_lower_bounds)))
    # No measure is below 0 or above 1; the markers may reach over the axes.
    axis_bottom, axis_top = (
        max(0.0, min(interval_lower_bounds) - axis_margin),
        min(1.0, max(interval_upper_bounds) + axis_margin),
    )
    cost_axis_end = 1.08 * max(cost_by_chunker.values(), default=1.0) or 1.0
    point_position_fractions = [
        (cost_by_chunker[number] / cost_axis_end, (mean_by_chunker[number] - axis_bottom) / (axis_top - axis_bottom))
        for number in drawn_chunker_numbers
    ]
    label_side_per_point = label_sides(point_position_fractions, [chunker_names[number] for number in drawn_chunker_numbers])
    figure = go.Figure()
    for chunker_number, label_side in zip(drawn_chunker_numbers, label_side_per_point, strict=True):
        mean, (lower_bound, upper_bound) = mean_by_chunker[chunker_number], interval_by_chunker[chunker_number]
        figure.add_trace(
            go.Scatter(
                x=[cost_by_chunker[chunker_number]],
                y=[100 * mean],
                error_y={
                    "array": [100 * (upper_bound - mean)],
                    "arrayminus": [100 * (mean - lower_bound)],
                    "width": 5,
                    "thickness": 1.2,
                },
                text=[chunker_names[chunker_number]],
                mode="markers+text",
                textposition=label_side,
                cliponaxis=False,
                # An open circle marks a time that was partly measured in an earlier run.
                marker={
                    "color": chunker_colour(chunker_number),
                    "size": 11,
                    "symbol": "circle-open" if cost_kind == "index" and costs[chunker_number].cached else "circle",
                    "line": {"width": 2.5, "color": chunker_colour(chunker_number)},
                },
                hovertemplate="%{text}: %{y:.1f} % for %{x:,.4~g}<extra></extra>",
            )
        )
    figure.update_layout(
        height=340,
        showlegend=False,
        font={"color": theme_colour_by_role["ink"]},
        xaxis={"title": COST_AXIS_TITLES[cost_kind], "range": [0, cost_axis_end]},
        yaxis={"title": f"{measure_title}, %", "range": [100 * axis_bottom, 100 * axis_top]},
    )
    return figure


def cost_of_kind(costs: Costs, cost_kind: str) -> float | None:
    """Return one kind of a chunker's costs, in tokens, seconds or milliseconds; None if unknown.

    ``cost_kind`` is a key of `COST_AXIS_TITLES`.
    """
    return {"tokens": costs.tokens, "index": costs.index_s, "query": costs.search_ms}[cost_kind]


def scores_at_k_plot(scores_by_chunker: Mapping[int, MeansAtK], chunker_names: Mapping[int, str]) -> go.Figure:
    """Return plots of recall, precision and F1 at k retrieved chunks, with one line per chunker."""
    figure = make_subplots(1, 3, subplot_titles=list(SCORE_TITLES.values()), shared_yaxes=True, horizontal_spacing=0.04)
    for chunker_number, scores_by_k in scores_by_chunker.items():
        for subplot_column, score_name in enumerate(SCORE_TITLES, start=1):
            score_at_each_k = [scores_by_k[k][score_name].value for k in TOP_KS]
            figure.add_trace(
                go.Scatter(
                    x=[str(k) for k in TOP_KS],
                    y=[None if value is None else 100 * value for value in score_at_each_k],
                    name=chunker_names[chunker_number],
                    legendgroup=chunker_names[chunker_number],
                    showlegend=subplot_column == 1,
                    mode="lines+markers",
                    line={"color": chunker_colour(chunker_number), "width": 2},
                    marker={"symbol": MARKER_SYMBOLS[chunker_number % len(MARKER_SYMBOLS)], "size": 9},
                    hovertemplate=f"{chunker_names[chunker_number]}, %{{x}} chunks: %{{y:.1f}} %<extra></extra>",
                ),
                1,
                subplot_column,
            )
    figure.update_layout(height=360, legend={"orientation": "h", "y": -0.28, "x": 0})
    figure.update_xaxes(type="category")
    figure.update_xaxes(title="Top k chunks", col=2)
    figure.update_yaxes(range=[-3, 103])
    figure.update_yaxes(title="Score, %", col=1)
    return figure


def scores_at_each_k_table(
    scores_by_chunker: Mapping[int, MeansAtK], chunker_names: Mapping[int, str]
) -> dict[str, Sequence[str]]:
    """Return a table of recall, precision and F1 at k retrieved chunks, with one row per chunker and score."""
    chunker_and_score_name_pairs = [(number, name) for number in scores_by_chunker for name in SCORE_TITLES]
    table: dict[str, Sequence[str]] = {
        "chunker": [chunker_names[number] for number, _ in chunker_and_score_name_pairs],
        "score": [SCORE_TITLES[name] for _, name in chunker_and_score_name_pairs],
    }
    return table | {
        f"at {k}": [
            format_score_in_percent(scores_by_chunker[number][k][name]) for number, name in chunker_and_score_name_pairs
        ]
        for k in TOP_KS
    }


def format_score_in_percent(score: Score) -> str:
    """Format a score in percent, or as “undefined”."""
    return "undefined" if score.value is None else f"{100 * score.value:.1f} %"


# The curve of a measure over budgets: one line per chunker, with its interval and, at the end, its name.


_CURVE_HEIGHT = 360
_NAME_LINE_HEIGHT = 17
"""Height in pixels of one line of a name."""
_NAME_WIDTH_CHARACTERS = 13
"""Characters per line of a name, which wraps because narrow windows have little room."""
_CLICK_DISTANCE = 60
"""Distance in pixels from a point within which a click selects it."""
_LARGEST_WHOLE_TEXT_RATIO = 6
"""Largest length of the whole text, as a multiple of the largest budget, at which the figure shows it as a point."""
_HEIGHT_OUTSIDE_PLOT = 70
"""Pixels of the figure's height outside the plot."""


def show_budget_curve(retrieval_report: Report, chunker_names: Mapping[int, str], link_parameters: dict[str, str]) -> None:
    """Draw the curve of a measure over budgets, next to the leading chunkers and the ranking at the top k.

    A click on a point chooses its budget.
    """
    curve, report_settings = retrieval_report.curve, retrieval_report.choice
    if curve is None:
        if report_settings.budget:
            show_remark(
                f"{RETRIEVAL_MEASURE_TITLES[report_settings.measure]} is the same at every budget.", key="retrieval_no_curve"
            )
        return
    measure_title = RETRIEVAL_MEASURE_TITLES[report_settings.measure]
    st.header(f"{measure_title} by budget", anchor=False)
    show_notice(curve.leads.words(), key="retrieval_leads")

    def choose_clicked_budget(clicked_budget: float) -> None:
        if round(clicked_budget) in curve.budgets.sizes:
            link_parameters["budget"] = str(round(clicked_budget))

    curve_figure = budget_curve_figure(
        curve, chunker_names, measure_title, report_settings.budget, _whole_text_point(retrieval_report)
    )
    show_figure_with_its_data(
        curve_figure,
        _budget_curve_table(retrieval_report, curve, chunker_names, measure_title),
        f"{measure_title} by budget",
        key="retrieval_curve",
        on_click=choose_clicked_budget,
    )
    overflow_handling_phrase = (
        "cut off where the budget is full" if report_settings.last == "cut" else "left out with all after it"
    )
    st.caption(
        f"The bands are 95 % confidence intervals of the means; the chunk that exceeds a budget is "
        f"{overflow_handling_phrase}. The line "
        "marks the budget used in the rest of the page; click a curve to choose another. "
        f"{_whole_text_result_in_words(retrieval_report)}"
    )
    if len(retrieval_report.chunkers) > 1:
        show_remark(f"With a fixed number of chunks instead: {retrieval_report.at_k.words()}", key="retrieval_leads_at_k")


class WholeTextPoint(NamedTuple):
    """The whole text as a point of the budget curve: its name, its length in the budget's unit, and its mean."""

    name: str
    size: int
    mean: float


def _whole_text_result_in_words(retrieval_report: Report) -> str:
    """Describe in a sentence the result of retrieving the whole text."""
    whole_text_result, report_settings = retrieval_report.whole, retrieval_report.choice
    mean_and_deviation = whole_text_result.means[report_settings.measure]
    if mean_and_deviation is None:
        return ""
    result_phrase = (
        "would miss nothing" if report_settings.measure == "recall" else f"would have {100 * mean_and_deviation[0]:.2g} %"
    )
    whole_text_name = "The whole document" if whole_text_result.documents == 1 else whole_text_result.name
    return (
        f"{whole_text_name}, {whole_text_result.size:,} {report_settings.unit}, "
        f"{result_phrase}{' (the diamond)' * (_whole_text_point(retrieval_report) is not None)}."
    )


def _whole_text_point(retrieval_report: Report) -> WholeTextPoint | None:
    """Return the point of the whole text; None if the measure is undefined or the text is far longer than the budgets."""
    whole_text_result, curve = retrieval_report.whole, retrieval_report.curve
    mean_and_deviation = whole_text_result.means[retrieval_report.choice.measure]
    is_whole_text_near_budgets = (
        curve is not None and whole_text_result.size <= _LARGEST_WHOLE_TEXT_RATIO * curve.budgets.sizes[-1]
    )
    return (
        WholeTextPoint(whole_text_result.name, whole_text_result.size, mean_and_deviation[0])
        if is_whole_text_near_budgets and mean_and_deviation is not None
        else None
    )


def budget_curve_figure(
    curve: BudgetCurve,
    chunker_names: Mapping[int, str],
    measure_title: str,
    budget: int,
    whole_text_point: WholeTextPoint | None = None,
) -> go.Figure:
    """Return a figure of a measure over budgets, in percent, with ``budget`` marked."""
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    budget_sizes, budget_unit = curve.budgets.sizes, curve.budgets.unit
    figure = go.Figure()
    for chunker_number, interval_bounds in curve.bounds.items():
        low, high = 100 * interval_bounds
        if not np.isnan(low).any():
            figure.add_trace(
                go.Scatter(
                    x=[*budget_sizes, *reversed(budget_sizes)],
                    y=[*low, *reversed(high)],
                    fill="toself",
                    fillcolor=_transparent_colour(chunker_colour(chunker_number)),
                    line={"width": 0},
                    mode="lines",
                    hoverinfo="skip",
                )
            )
    for chunker_number, mean_per_budget in curve.means.items():
        figure.add_trace(
            go.Scatter(
                x=budget_sizes,
                y=100 * mean_per_budget,
                mode="lines+markers",
                line={"color": chunker_colour(chunker_number), "width": 2.5},
                marker={"symbol": MARKER_SYMBOLS[chunker_number % len(MARKER_SYMBOLS)], "size": 9},
                cliponaxis=False,
                # A click chooses the budget for all chunkers.
                unselected={"marker": {"opacity": 1}},
                hovertemplate=f"{chunker_names[chunker_number]}, %{{x:,}} {budget_unit}: %{{y:.1f}} %<extra></extra>",
            )
        )
    if whole_text_point is not None:
        figure.add_trace(
            go.Scatter(
                x=[whole_text_point.size],
                y=[100 * whole_text_point.mean],
                mode="markers",
                cliponaxis=False,
                marker={"symbol": "diamond-open", "size": 11, "color": theme_colour_by_role["muted"], "line": {"width": 2}},
                unselected={"marker": {"opacity": 1}},
                hovertemplate=f"{whole_text_point.name}, %{{x:,}} {budget_unit}: %{{y:.1f}} %<extra></extra>",
            )
        )
    low, high = _percent_axis_range(curve, whole_text_point)
    end_percent_by_chunker = {
        number: 100 * float(means[-1]) for number, means in curve.means.items() if not np.isnan(means[-1])
    }
    wrapped_name_lines_by_chunker = {
        number: wrap(chunker_names[number], _NAME_WIDTH_CHARACTERS, break_long_words=False)
        for number in end_percent_by_chunker
    }
    name_box_height_by_chunker = {
        number: _NAME_LINE_HEIGHT * len(lines) for number, lines in wrapped_name_lines_by_chunker.items()
    }
    plot_height = _CURVE_HEIGHT - _HEIGHT_OUTSIDE_PLOT
    label_centre_by_chunker = label_positions(
        {number: plot_height * (end - low) / (high - low) for number, end in end_percent_by_chunker.items()},
        name_box_height_by_chunker,
        plot_height,
    )
    # As tick labels of a second axis, the names get as much room as they need at any width of the figure.
    figure.add_trace(go.Scatter(x=[budget_sizes[-1]], y=[low], yaxis="y2", mode="lines", hoverinfo="skip"))
    draw_labelled_line(figure, budget, f"{budget:,} {budget_unit}", label_x=math.log10(budget))
    figure.update_layout(
        height=_CURVE_HEIGHT,
        showlegend=False,
        hovermode="closest",
        hoverdistance=_CLICK_DISTANCE,
        xaxis={
            "type": "log",
            "title": f"Budget in {budget_unit}",
            "tickvals": [*budget_sizes, *([] if whole_text_point is None else [whole_text_point.size])],
            "ticktext": [
                *(f"{size:,}" for size in budget_sizes),
                *([] if whole_text_point is None else [f"all {whole_text_point.size:,}"]),
            ],
            "range": [
                np.log10(budget_sizes[0] / 1.15),
                np.log10((budget_sizes[-1] if whole_text_point is None else whole_text_point.size) * 1.1),
            ],
        },
        yaxis={"title": f"{measure_title}, %", "range": [low, high]},
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "range": [low, high],
            "showgrid": False,
            "tickvals": [low + middle * (high - low) / plot_height for middle in label_centre_by_chunker.values()],
            "ticktext": [
                f'<span style="color:{chunker_colour(number)}">■</span> '
                f"{'<br>    '.join(wrapped_name_lines_by_chunker[number])}"
                for number in label_centre_by_chunker
            ],
        },
    )
    return figure


def label_positions(
    end_height_by_chunker: Mapping[int, float], name_height_by_chunker: Mapping[int, float], plot_height: float
) -> dict[int, float]:
    """Return positions for the names at the ends of the lines, so that the names do not overlap.

    The names keep the order of the line ends. All positions are in pixels from the bottom of the plot, whose height is
    ``plot_height``. ``name_height_by_chunker`` has the height of each chunker's name.
    """
    chunkers_sorted_by_end = sorted(end_height_by_chunker, key=lambda number: end_height_by_chunker[number])
    # Names that would touch form a block, centred at their mean position.
    label_blocks: list[list[int]] = []
    for chunker_number in chunkers_sorted_by_end:
        label_blocks.append([chunker_number])
        while len(label_blocks) > 1 and _label_block_bottom(
            label_blocks[-1], end_height_by_chunker, name_height_by_chunker
        ) < _label_block_top(label_blocks[-2], end_height_by_chunker, name_height_by_chunker):
            top_label_block = label_blocks.pop()
            label_blocks[-1] += top_label_block
    label_centre_by_chunker = {}
    for touching_label_chunkers in label_blocks:
        name_bottom = _label_block_bottom(touching_label_chunkers, end_height_by_chunker, name_height_by_chunker)
        for chunker_number in touching_label_chunkers:
            label_centre_by_chunker[chunker_number] = name_bottom + name_height_by_chunker[chunker_number] / 2
            name_bottom += name_height_by_chunker[chunker_number]
    # Keep all names inside the plot as long as there is room for them.
    free_edge = plot_height
    for chunker_number in reversed(chunkers_sorted_by_end):
        label_centre_by_chunker[chunker_number] = min(
            label_centre_by_chunker[chunker_number], free_edge - name_height_by_chunker[chunker_number] / 2
        )
        free_edge = label_centre_by_chunker[chunker_number] - name_height_by_chunker[chunker_number] / 2
    free_edge = 0.0
    for chunker_number in chunkers_sorted_by_end:
        label_centre_by_chunker[chunker_number] = max(
            label_centre_by_chunker[chunker_number], free_edge + name_height_by_chunker[chunker_number] / 2
        )
        free_edge = label_centre_by_chunker[chunker_number] + name_height_by_chunker[chunker_number] / 2
    return label_centre_by_chunker


def _label_block_bottom(
    block: Sequence[int], end_height_by_chunker: Mapping[int, float], name_height_by_chunker: Mapping[int, float]
) -> float:
    """Return the lower edge of a block of names."""
    return (
        sum(end_height_by_chunker[number] for number in block) / len(block)
        - sum(name_height_by_chunker[number] for number in block) / 2
    )


def _label_block_top(
    touching_label_chunkers: Sequence[int],
    end_height_by_chunker: Mapping[int, float],
    name_box_height_by_chunker: Mapping[int, float],
) -> float:
    return _label_block_bottom(touching_label_chunkers, end_height_by_chunker, name_box_height_by_chunker) + sum(
        name_box_height_by_chunker[number] for number in touching_label_chunkers
    )


def _percent_axis_range(curve: BudgetCurve, whole_text_point: WholeTextPoint | None) -> tuple[float, float]:
    """Return the ends of the axis in percent: no measure is below 0 or above 100."""
    mean_and_bound_rows = [*curve.means.values(), *(row for bounds in curve.bounds.values() for row in bounds)]
    plotted_percents = 100 * np.concatenate(
        [*mean_and_bound_rows, [] if whole_text_point is None else [whole_text_point.mean]]
    )
    if np.isnan(plotted_percents).all():
        return 0.0, 100.0
    lowest_plotted_percent, highest_plotted_percent = float(np.nanmin(plotted_percents)), float(np.nanmax(plotted_percents))
    axis_margin_percent = max(1.0, 0.08 * (highest_plotted_percent - lowest_plotted_percent))
    return max(0.0, lowest_plotted_percent - axis_margin_percent), min(100.0, highest_plotted_percent + axis_margin_percent)


def _transparent_colour(colour: str) -> str:
    """Return a transparent variant of a colour."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.16)"


def _budget_curve_table(
    retrieval_report: Report, curve: BudgetCurve, chunker_names: Mapping[int, str], measure_title: str
) -> dict[str, list[Any]]:
    """Return the figure's data as a table, with one row per chunker and budget, and one for the whole text."""
    table_column_titles = ("chunker", f"budget, {curve.budgets.unit}", f"{measure_title}, %", "95 % from", "to")
    table_rows: list[tuple[Any, ...]] = []
    for chunker_number, mean_per_budget in curve.means.items():
        for budget_index, budget in enumerate(curve.budgets.sizes):
            mean_and_interval_fractions = (mean_per_budget[budget_index], *curve.bounds[chunker_number][:, budget_index])
            mean_and_interval_percents = (
                None if np.isnan(fraction) else round(100 * float(fraction), 2) for fraction in mean_and_interval_fractions
            )
            table_rows.append((chunker_names[chunker_number], budget, *mean_and_interval_percents))
    whole_text_result, mean_and_deviation = (
        retrieval_report.whole,
        retrieval_report.whole.means[retrieval_report.choice.measure],
    )
    table_rows.append(
        (
            whole_text_result.name,
            whole_text_result.size,
            None if mean_and_deviation is None else round(100 * mean_and_deviation[0], 2),
            None,
            None,
        )
    )
    return {head: [row[column] for row in table_rows] for column, head in enumerate(table_column_titles)}
