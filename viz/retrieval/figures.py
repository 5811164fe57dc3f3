"""The figures of a retrieval run; they contain no user text."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from evaluation.retrieval.measures import TOP_KS
from evaluation.retrieval.report import AtK, Costs, Distribution
from evaluation.segmentation.measures import Score
from evaluation.statistics.paired import Difference
from viz.theme import palette
from viz.theme.palette import INK, edge

# Placement of the labels of a few points so that they do not overlap.


_WIDE, _HIGH = 0.018, 0.075
"""Width of a character and height of a line, as fractions of a figure in a narrow window."""

_SIDES = ("top right", "bottom right", "top left", "bottom left")

_Box = tuple[float, float, float, float]
"""Left, right, bottom, top."""


def label_sides(places: Sequence[tuple[float, float]], labels: Sequence[str]) -> list[str]:
    """Return for each point the side on which its label overlaps least; coordinates are fractions of the figure."""
    taken: list[_Box] = [(x - 0.01, x + 0.01, y - 0.03, y + 0.03) for x, y in places]
    sides = []
    for (x, y), label in zip(places, labels, strict=True):
        boxes = {side: _box(x, y, len(label), side) for side in _SIDES}
        best = min(_SIDES, key=lambda side: sum(_shared(boxes[side], other) for other in taken) + _outside(boxes[side]))
        taken.append(boxes[best])
        sides.append(best)
    return sides


def _box(x: float, y: float, length: int, side: str) -> _Box:
    vertical, horizontal = side.split()
    left, bottom = (x if horizontal == "right" else x - length * _WIDE), (y if vertical == "top" else y - _HIGH)
    return left, left + length * _WIDE, bottom, bottom + _HIGH


def _shared(one: _Box, other: _Box) -> float:
    """Return the area of the intersection of two boxes."""
    wide = min(one[1], other[1]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[2], other[2])
    return max(0.0, wide) * max(0.0, high)


def _outside(box: _Box) -> float:
    """Return the area of a box that lies outside the figure."""
    return (box[1] - box[0]) * (box[3] - box[2]) - _shared(box, (0.0, 1.0, 0.0, 1.0))


DistributionByChunker = Mapping[int, Distribution]
"""The distribution of a measure over the questions, by the chunker's number."""

SCORES = {"recall": "Recall", "precision": "Precision", "f1": "F1"}
AXES = {
    "tokens": "tokens retrieved per question, on average",
    "index": "seconds to chunk and index all documents",
    "query": "milliseconds to search all chunks for a question",
}
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
"""Marker symbols, so that chunkers differ not only in colour."""


def boxes(distributions: DistributionByChunker, names: Mapping[int, str], title: str) -> go.Figure:
    """Return a box plot of a measure, with one box per chunker, one point per question, and dashed lines for the means."""
    figure = go.Figure()
    for number, distribution in distributions.items():
        figure.add_trace(
            go.Box(
                x=100 * distribution.values[~np.isnan(distribution.values)],
                name=names[number],
                boxpoints="all",
                boxmean=True,
                jitter=0.5,
                pointpos=0,
                marker={"color": edge(number), "size": 5, "opacity": 0.7},
                line={"width": 1.5},
                fillcolor="rgba(0,0,0,0)",
                hovertemplate="%{x:.1f} %<extra></extra>",
            )
        )
    figure.update_layout(showlegend=False, height=110 + 62 * len(distributions), yaxis={"autorange": "reversed"})
    figure.update_xaxes(title=f"{title} per question, %", range=[-2, 102] if title == "Recall" else None)
    return figure


def differences(by_chunker: Mapping[int, Difference], names: Mapping[int, str], baseline: str, title: str) -> go.Figure:
    """Return a plot of each chunker's mean difference from the baseline, with its confidence interval."""
    colours = INK[palette.theme()]
    figure = go.Figure()
    for number, difference in by_chunker.items():
        ink = colours["ink" if difference.significant else "muted"]
        figure.add_trace(
            go.Scatter(
                x=[100 * difference.mean],
                y=[names[number]],
                error_x={
                    "array": [100 * (difference.high - difference.mean)],
                    "arrayminus": [100 * (difference.mean - difference.low)],
                    "color": ink,
                    "thickness": 2,
                    "width": 6,
                },
                mode="markers",
                # An open circle marks a difference that is not significant.
                marker={
                    "size": 11,
                    "symbol": "circle" if difference.significant else "circle-open",
                    "color": ink,
                    "line": {"width": 2},
                },
                hovertemplate=f"{difference.points} points<extra></extra>",
            )
        )
    figure.add_vline(x=0, line={"color": colours["accent"], "width": 2})
    figure.add_annotation(
        x=0, yref="paper", y=1, yanchor="bottom", text=baseline, showarrow=False, font={"color": colours["accent"]}
    )
    figure.update_layout(showlegend=False, height=110 + 44 * len(by_chunker), yaxis={"autorange": "reversed"})
    figure.update_xaxes(title=f"{title} difference, points")
    return figure


def trade_off(
    distributions: DistributionByChunker, costs: Mapping[int, Costs], names: Mapping[int, str], title: str, cost: str
) -> go.Figure:
    """Return a plot of each chunker's mean measure against a cost, with 95 % confidence intervals as error bars.

    ``cost`` is a key of `AXES`. Chunkers with unknown cost are left out.
    """
    colours = INK[palette.theme()]
    prices = {number: known for number, chunker_costs in costs.items() if (known := price(chunker_costs, cost)) is not None}
    means = {
        number: distribution.mean
        for number, distribution in distributions.items()
        if distribution.mean is not None and number in prices
    }
    shown = sorted(means, key=prices.__getitem__)
    bounds = {number: distributions[number].interval or (means[number], means[number]) for number in shown}
    lows, highs = zip(*bounds.values(), strict=True) if bounds else ((0.0,), (1.0,))
    room = max(0.05, 0.15 * (max(highs) - min(lows)))
    # No measure is below 0 or above 1; the markers may reach over the axes.
    bottom, top = max(0.0, min(lows) - room), min(1.0, max(highs) + room)
    most = 1.08 * max(prices.values(), default=1.0) or 1.0
    places = [(prices[number] / most, (means[number] - bottom) / (top - bottom)) for number in shown]
    sides = label_sides(places, [names[number] for number in shown])
    figure = go.Figure()
    for number, side in zip(shown, sides, strict=True):
        mean, (low, high) = means[number], bounds[number]
        figure.add_trace(
            go.Scatter(
                x=[prices[number]],
                y=[100 * mean],
                error_y={"array": [100 * (high - mean)], "arrayminus": [100 * (mean - low)], "width": 5, "thickness": 1.2},
                text=[names[number]],
                mode="markers+text",
                textposition=side,
                cliponaxis=False,
                # An open circle marks a time that was partly measured in an earlier run.
                marker={
                    "color": edge(number),
                    "size": 11,
                    "symbol": "circle-open" if cost == "index" and costs[number].cached else "circle",
                    "line": {"width": 2.5, "color": edge(number)},
                },
                hovertemplate="%{text}: %{y:.1f} % for %{x:,.4~g}<extra></extra>",
            )
        )
    figure.update_layout(height=340, showlegend=False, font={"color": colours["ink"]})
    figure.update_xaxes(title=AXES[cost], range=[0, most])
    figure.update_yaxes(title=f"{title}, %", range=[100 * bottom, 100 * top])
    return figure


def price(costs: Costs, cost: str) -> float | None:
    """Return a chunker's cost of the kind ``cost``, in tokens, seconds or milliseconds; None if unknown.

    ``cost`` is a key of `AXES`.
    """
    return {"tokens": costs.tokens, "index": costs.index_s, "query": costs.search_ms}[cost]


def at_k(by_chunker: Mapping[int, AtK], names: Mapping[int, str]) -> go.Figure:
    """Return plots of recall, precision and F1 at k retrieved chunks, with one line per chunker."""
    figure = make_subplots(1, 3, subplot_titles=list(SCORES.values()), shared_yaxes=True, horizontal_spacing=0.04)
    for number, scores in by_chunker.items():
        for column, name in enumerate(SCORES, start=1):
            values = [scores[k][name].value for k in TOP_KS]
            figure.add_trace(
                go.Scatter(
                    x=[str(k) for k in TOP_KS],
                    y=[None if value is None else 100 * value for value in values],
                    name=names[number],
                    legendgroup=names[number],
                    showlegend=column == 1,
                    mode="lines+markers",
                    line={"color": edge(number), "width": 2},
                    marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9},
                    hovertemplate=f"{names[number]}, %{{x}} chunks: %{{y:.1f}} %<extra></extra>",
                ),
                1,
                column,
            )
    figure.update_layout(height=360, legend={"orientation": "h", "y": -0.28, "x": 0})
    figure.update_xaxes(type="category")
    figure.update_xaxes(title="Top k chunks", col=2)
    figure.update_yaxes(range=[-3, 103])
    figure.update_yaxes(title="Score, %", col=1)
    return figure


def at_k_table(by_chunker: Mapping[int, AtK], names: Mapping[int, str]) -> dict[str, Sequence[str]]:
    """Return a table of recall, precision and F1 at k retrieved chunks, with one row per chunker and score."""
    rows = [(number, name) for number in by_chunker for name in SCORES]
    table: dict[str, Sequence[str]] = {
        "chunker": [names[number] for number, _ in rows],
        "score": [SCORES[name] for _, name in rows],
    }
    return table | {f"at {k}": [score_in_percent(by_chunker[number][k][name]) for number, name in rows] for k in TOP_KS}


def score_in_percent(score: Score) -> str:
    """Format a score in percent, or as “undefined”."""
    return "undefined" if score.value is None else f"{100 * score.value:.1f} %"
