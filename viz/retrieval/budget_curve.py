"""The curve of a measure over budgets, one line per chunker with its interval and its name at the end."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from evaluation.retrieval.leads import Curve
from evaluation.retrieval.report import Report
from viz.components.figure import show_figure
from viz.components.notice import notice, remark
from viz.retrieval.figures import SYMBOLS
from viz.retrieval.link_words import TITLES
from viz.theme import palette
from viz.theme.palette import INK, edge

HEIGHT = 360
_LINE = 17
"""Height in pixels of one line of a name."""
_NAME_WIDTH = 13
"""Characters per line of a name, which wraps because narrow windows have little room."""
_CLICK_DISTANCE = 60
"""Distance in pixels from a point within which a click selects it."""
_FARTHEST = 6
"""Largest length of the whole text, as a multiple of the largest budget, at which the figure shows it as a point."""
_OUTSIDE_PLOT = 70
"""Pixels of the figure's height outside the plot."""


def show_curve(report: Report, names: Mapping[int, str], words: dict[str, str]) -> None:
    """Draw the curve of a measure over budgets, next to the leading chunkers and the ranking at the top k.

    A click on a point chooses its budget.
    """
    curve, choice = report.curve, report.choice
    if curve is None:
        if choice.budget:
            remark(f"{TITLES[choice.measure]} is the same at every budget.", key="retrieval_no_curve")
        return
    title = TITLES[choice.measure]
    st.header(f"{title} by budget", anchor=False)
    notice(curve.leads.words(), key="retrieval_leads")

    def clicked(budget: float) -> None:
        if round(budget) in curve.budgets.sizes:
            words["budget"] = str(round(budget))

    curve_figure = figure(curve, names, title, choice.budget, _whole_point(report))
    show_figure(
        curve_figure, _table(report, curve, names, title), f"{title} by budget", key="retrieval_curve", clicked=clicked
    )
    what_is_cut = "cut off where the budget is full" if choice.last == "cut" else "left out with all after it"
    st.caption(
        f"The bands are 95 % confidence intervals of the means; the chunk that exceeds a budget is {what_is_cut}. The line "
        f"marks the budget used in the rest of the page; click a curve to choose another. {_whole_in_words(report)}"
    )
    if len(report.chunkers) > 1:
        remark(f"With a fixed number of chunks instead: {report.at_k.words()}", key="retrieval_leads_at_k")


class WholePoint(NamedTuple):
    """The whole text as a point of the budget curve: its name, its length in the budget's unit, and its mean."""

    name: str
    size: int
    mean: float


def _whole_in_words(report: Report) -> str:
    """Describe in a sentence the result of retrieving the whole text."""
    whole, choice = report.whole, report.choice
    mean = whole.means[choice.measure]
    if mean is None:
        return ""
    has = "would miss nothing" if choice.measure == "recall" else f"would have {100 * mean[0]:.2g} %"
    called = "The whole document" if whole.documents == 1 else whole.name
    return f"{called}, {whole.size:,} {choice.unit}, {has}{' (the diamond)' * (_whole_point(report) is not None)}."


def _whole_point(report: Report) -> WholePoint | None:
    """Return the point of the whole text; None if the measure is undefined or the text is far longer than the budgets."""
    whole, curve = report.whole, report.curve
    mean = whole.means[report.choice.measure]
    near = curve is not None and whole.size <= _FARTHEST * curve.budgets.sizes[-1]
    return WholePoint(whole.name, whole.size, mean[0]) if near and mean is not None else None


def figure(curve: Curve, names: Mapping[int, str], title: str, budget: int, whole: WholePoint | None = None) -> go.Figure:
    """Return a figure of a measure over budgets, in percent, with ``budget`` marked."""
    colours = INK[palette.theme()]
    sizes, unit = curve.budgets.sizes, curve.budgets.unit
    drawing = go.Figure()
    for number, bounds in curve.bounds.items():
        low, high = 100 * bounds
        if not np.isnan(low).any():
            drawing.add_trace(
                go.Scatter(
                    x=[*sizes, *reversed(sizes)],
                    y=[*low, *reversed(high)],
                    fill="toself",
                    fillcolor=_transparent(edge(number)),
                    line={"width": 0},
                    mode="lines",
                    hoverinfo="skip",
                )
            )
    for number, means in curve.means.items():
        drawing.add_trace(
            go.Scatter(
                x=sizes,
                y=100 * means,
                mode="lines+markers",
                line={"color": edge(number), "width": 2.5},
                marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9},
                cliponaxis=False,
                # A click chooses the budget for all chunkers.
                unselected={"marker": {"opacity": 1}},
                hovertemplate=f"{names[number]}, %{{x:,}} {unit}: %{{y:.1f}} %<extra></extra>",
            )
        )
    if whole is not None:
        drawing.add_trace(
            go.Scatter(
                x=[whole.size],
                y=[100 * whole.mean],
                mode="markers",
                cliponaxis=False,
                marker={"symbol": "diamond-open", "size": 11, "color": colours["muted"], "line": {"width": 2}},
                unselected={"marker": {"opacity": 1}},
                hovertemplate=f"{whole.name}, %{{x:,}} {unit}: %{{y:.1f}} %<extra></extra>",
            )
        )
    low, high = _range(curve, whole)
    ends = {number: 100 * float(means[-1]) for number, means in curve.means.items() if not np.isnan(means[-1])}
    called = {number: wrap(names[number], _NAME_WIDTH, break_long_words=False) for number in ends}
    heights = {number: _LINE * len(lines) for number, lines in called.items()}
    plot = HEIGHT - _OUTSIDE_PLOT
    at = label_heights({number: plot * (end - low) / (high - low) for number, end in ends.items()}, heights, plot)
    # As tick labels of a second axis, the names get as much room as they need at any width of the figure.
    drawing.add_trace(go.Scatter(x=[sizes[-1]], y=[low], yaxis="y2", mode="lines", hoverinfo="skip"))
    drawing.update_layout(
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "range": [low, high],
            "showgrid": False,
            "tickvals": [low + middle * (high - low) / plot for middle in at.values()],
            "ticktext": [f'<span style="color:{edge(number)}">■</span> {"<br>    ".join(called[number])}' for number in at],
        }
    )
    drawing.add_vline(x=budget, line={"color": colours["accent"], "width": 2})
    drawing.add_annotation(
        x=np.log10(budget),
        yref="paper",
        y=1,
        yanchor="bottom",
        text=f"{budget:,} {unit}",
        showarrow=False,
        font={"color": colours["accent"]},
    )
    drawing.update_layout(height=HEIGHT, showlegend=False, hovermode="closest", hoverdistance=_CLICK_DISTANCE)
    drawing.update_xaxes(
        type="log",
        title=f"Budget in {unit}",
        tickvals=[*sizes, *([] if whole is None else [whole.size])],
        ticktext=[*(f"{size:,}" for size in sizes), *([] if whole is None else [f"all {whole.size:,}"])],
        range=[np.log10(sizes[0] / 1.15), np.log10((sizes[-1] if whole is None else whole.size) * 1.1)],
    )
    drawing.update_layout(yaxis={"title": f"{title}, %", "range": [low, high]})
    return drawing


def label_heights(ends: Mapping[int, float], heights: Mapping[int, float], most: float) -> dict[int, float]:
    """Return positions for the names at the ends of the lines, so that the names do not overlap.

    The order of the ``ends`` is kept. All positions are in pixels from the bottom of the plot, whose height is ``most``;
    the names have ``heights``.
    """
    order = sorted(ends, key=lambda number: ends[number])
    # Names that would touch form a block, centred at their mean position.
    blocks: list[list[int]] = []
    for number in order:
        blocks.append([number])
        while len(blocks) > 1 and _bottom(blocks[-1], ends, heights) < _top(blocks[-2], ends, heights):
            last = blocks.pop()
            blocks[-1] += last
    centres = {}
    for block in blocks:
        place = _bottom(block, ends, heights)
        for number in block:
            centres[number] = place + heights[number] / 2
            place += heights[number]
    # Keep all names inside the plot as long as there is room for them.
    room = most
    for number in reversed(order):
        centres[number] = min(centres[number], room - heights[number] / 2)
        room = centres[number] - heights[number] / 2
    room = 0.0
    for number in order:
        centres[number] = max(centres[number], room + heights[number] / 2)
        room = centres[number] + heights[number] / 2
    return centres


def _bottom(block: Sequence[int], ends: Mapping[int, float], heights: Mapping[int, float]) -> float:
    """Return the lower edge of a block of names."""
    return sum(ends[number] for number in block) / len(block) - sum(heights[number] for number in block) / 2


def _top(block: Sequence[int], ends: Mapping[int, float], heights: Mapping[int, float]) -> float:
    return _bottom(block, ends, heights) + sum(heights[number] for number in block)


def _range(curve: Curve, whole: WholePoint | None) -> tuple[float, float]:
    """Return the ends of the axis in percent: no measure is below 0 or above 100."""
    rows = [*curve.means.values(), *(row for bounds in curve.bounds.values() for row in bounds)]
    values = 100 * np.concatenate([*rows, [] if whole is None else [whole.mean]])
    if np.isnan(values).all():
        return 0.0, 100.0
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = max(1.0, 0.08 * (high - low))
    return max(0.0, low - room), min(100.0, high + room)


def _transparent(colour: str) -> str:
    """Return a transparent variant of a colour."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.16)"


def _table(report: Report, curve: Curve, names: Mapping[int, str], title: str) -> dict[str, list[Any]]:
    """Return the figure's data as a table, with one row per chunker and budget, and one for the whole text."""
    table: dict[str, list[Any]] = {"chunker": [], f"budget, {curve.budgets.unit}": [], f"{title}, %": []}
    table |= {"95 % from": [], "to": []}
    for number, means in curve.means.items():
        for place, size in enumerate(curve.budgets.sizes):
            low, high = curve.bounds[number][:, place]
            values = (
                None if np.isnan(fraction) else round(100 * float(fraction), 2) for fraction in (means[place], low, high)
            )
            for column, value in zip(table, (names[number], size, *values), strict=True):
                table[column].append(value)
    whole = report.whole
    mean = whole.means[report.choice.measure]
    percent = None if mean is None else round(100 * mean[0], 2)
    for column, value in zip(table, (whole.name, whole.size, percent, None, None), strict=True):
        table[column].append(value)
    return table
