"""The curve of a measure over budgets: one line per chunker with its interval, named at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from evaluation.retrieval.curve import Curve
from evaluation.retrieval.report import Report
from viz.components.figure import show_figure
from viz.components.notice import notice, remark
from viz.retrieval.figures import SYMBOLS, edge
from viz.retrieval.link_words import TITLES
from viz.theme import palette
from viz.theme.palette import INK

HEIGHT = 360
_LINE = 17
"""Pixels of a line of a name."""
_WIDE = 13
"""Characters of a line of a name, after which it goes on below: in a narrow window the names have little room."""
_NEAR = 60
"""Pixels from a point at which a click still means it."""
_ROOM = 70
"""Pixels of the figure's height that the plot does not have."""


def show_curve(report: Report, names: Mapping[int, str], words: dict[str, str]) -> None:
    """Draw the curve, who is ahead where, and the order at the top k beside it; a click on a point chooses its budget."""
    curve, choice = report.curve, report.choice
    if curve is None:
        if choice.budget:
            remark(f"{TITLES[choice.measure]} is the same at every budget.", key="retrieval_no_curve")
        return
    title = TITLES[choice.measure]
    st.header(f"{title} at every budget", anchor=False)
    notice(curve.leads.words(), key="retrieval_leads")

    def clicked(budget: float) -> None:
        words["budget"] = str(round(budget))

    made = figure(curve, names, title, choice.budget)
    show_figure(made, _table(curve, names, title), f"{title} by budget", key="retrieval_curve", clicked=clicked)
    last = "cut off where the budget is full" if choice.last == "cut" else "left out with all after it"
    st.caption(
        f"The bands are 95 % confidence intervals of the means. The last chunk is {last}. The line marks the budget "
        "that everything else on the page is measured at; a click on the curves chooses another."
    )
    if len(report.chunkers) > 1:
        remark(f"With a fixed number of chunks instead: {report.at_k.words()}", key="retrieval_leads_at_k")


def figure(curve: Curve, names: Mapping[int, str], title: str, budget: int) -> go.Figure:
    """Return the lines over the budgets, in percent; ``budget`` is marked."""
    colours = INK[palette.theme()]
    sizes, unit = curve.budgets.sizes, curve.budgets.unit
    made = go.Figure()
    for number, bounds in curve.bounds.items():
        low, high = 100 * bounds
        if not np.isnan(low).any():
            made.add_trace(
                go.Scatter(
                    x=[*sizes, *reversed(sizes)],
                    y=[*low, *reversed(high)],
                    fill="toself",
                    fillcolor=_clear(edge(number)),
                    line={"width": 0},
                    mode="lines",
                    hoverinfo="skip",
                )
            )
    for number, means in curve.means.items():
        made.add_trace(
            go.Scatter(
                x=sizes,
                y=100 * means,
                mode="lines+markers",
                line={"color": edge(number), "width": 2.5},
                marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9},
                # A click chooses the budget for all of them.
                unselected={"marker": {"opacity": 1}},
                hovertemplate=f"{names[number]}, %{{x:,}} {unit}: %{{y:.1f}} %<extra></extra>",
            )
        )
    low, high = _range(curve)
    ends = {number: 100 * float(means[-1]) for number, means in curve.means.items() if not np.isnan(means[-1])}
    called = {number: wrap(names[number], _WIDE, break_long_words=False) for number in ends}
    heights = {number: _LINE * len(lines) for number, lines in called.items()}
    plot = HEIGHT - _ROOM
    at = places({number: plot * (end - low) / (high - low) for number, end in ends.items()}, heights, plot)
    # As the ticks of a second axis they get as much room as they need, however wide the figure is.
    made.add_trace(go.Scatter(x=[sizes[-1]], y=[low], yaxis="y2", mode="lines", hoverinfo="skip"))
    made.update_layout(
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "range": [low, high],
            "showgrid": False,
            "tickvals": [low + one * (high - low) / plot for one in at.values()],
            "ticktext": [f'<span style="color:{edge(number)}">■</span> {"<br>    ".join(called[number])}' for number in at],
        }
    )
    made.add_vline(x=budget, line={"color": colours["accent"], "width": 2})
    made.add_annotation(
        x=np.log10(budget),
        yref="paper",
        y=1,
        yanchor="bottom",
        text=f"{budget:,} {unit}",
        showarrow=False,
        font={"color": colours["accent"]},
    )
    made.update_layout(height=HEIGHT, showlegend=False, hovermode="closest", hoverdistance=_NEAR)
    made.update_xaxes(
        type="log",
        title=f"budget, {unit}",
        tickvals=sizes,
        ticktext=[f"{size:,}" for size in sizes],
        range=[np.log10(sizes[0] / 1.15), np.log10(sizes[-1] * 1.1)],
    )
    made.update_layout(yaxis={"title": f"{title}, %", "range": [low, high]})
    return made


def places(ends: Mapping[int, float], heights: Mapping[int, float], most: float) -> dict[int, float]:
    """Return positions for the names so that none covers another, in the order of the lines' ends and as near as possible.

    All are pixels from the bottom of the plot, whose height is ``most``; names have ``heights``.
    """
    order = sorted(ends, key=lambda number: ends[number])
    # Names that would touch form a block, which is centred where they would be.
    blocks: list[list[int]] = []
    for number in order:
        blocks.append([number])
        while len(blocks) > 1 and _bottom(blocks[-1], ends, heights) < _top(blocks[-2], ends, heights):
            last = blocks.pop()
            blocks[-1] += last
    at = {}
    for block in blocks:
        place = _bottom(block, ends, heights)
        for number in block:
            at[number] = place + heights[number] / 2
            place += heights[number]
    # None is outside of the plot, as far as there is room for all.
    room = most
    for number in reversed(order):
        at[number] = min(at[number], room - heights[number] / 2)
        room = at[number] - heights[number] / 2
    room = 0.0
    for number in order:
        at[number] = max(at[number], room + heights[number] / 2)
        room = at[number] + heights[number] / 2
    return at


def _bottom(block: Sequence[int], ends: Mapping[int, float], heights: Mapping[int, float]) -> float:
    """Return the lower edge of a block of names."""
    return sum(ends[one] for one in block) / len(block) - sum(heights[one] for one in block) / 2


def _top(block: Sequence[int], ends: Mapping[int, float], heights: Mapping[int, float]) -> float:
    return _bottom(block, ends, heights) + sum(heights[one] for one in block)


def _range(curve: Curve) -> tuple[float, float]:
    """Return the ends of the axis in percent."""
    values = 100 * np.array([*curve.means.values(), *(row for bounds in curve.bounds.values() for row in bounds)])
    if np.isnan(values).all():
        return 0.0, 100.0
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = max(1.0, 0.08 * (high - low))
    return low - room, high + room


def _clear(colour: str) -> str:
    """Return a colour that lets others through."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.16)"


def _table(curve: Curve, names: Mapping[int, str], title: str) -> dict[str, list[Any]]:
    """Return the numbers of the figure, with one row per chunker and budget."""
    table: dict[str, list[Any]] = {"chunker": [], f"budget, {curve.budgets.unit}": [], f"{title}, %": []}
    table |= {"95 % from": [], "to": []}
    for number, means in curve.means.items():
        for place, size in enumerate(curve.budgets.sizes):
            low, high = curve.bounds[number][:, place]
            values = (None if np.isnan(one) else round(100 * float(one), 2) for one in (means[place], low, high))
            for column, value in zip(table, (names[number], size, *values), strict=True):
                table[column].append(value)
    return table
