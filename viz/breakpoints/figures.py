"""The figures of the Breakpoints page."""

from __future__ import annotations

from itertools import pairwise

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from evaluation.segmentation.staircase import Histogram, Staircase
from viz.theme.palette import INK, theme


def _mark(figure: go.Figure, x: float, words: str) -> None:
    """Draw a vertical line at ``x`` through the whole figure, with a label above it."""
    accent = INK[theme()]["accent"]
    figure.add_vline(x=x, line={"color": accent, "width": 2})
    figure.add_annotation(x=x, yref="paper", y=1, yanchor="bottom", text=words, showarrow=False, font={"color": accent})


def score_histogram(counted: Histogram, level: float, label: str) -> go.Figure:
    """Return the histogram of the scores with the threshold line; the scores past the line are solid."""
    colours = INK[theme()]
    edges = counted.edges
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    figure = go.Figure()
    for name, counts, colour, pattern in (
        ("kept", counted.short, colours["rule"], "/"),
        ("past the line", counted.beyond, colours["muted"], ""),
    ):
        figure.add_trace(
            go.Bar(
                x=middles,
                y=counts,
                width=edges[1] - edges[0],
                name=name,
                marker={"color": colour, "line": {"color": colours["page"], "width": 1}}
                | {"pattern": {"shape": pattern, "fgcolor": colours["muted"], "size": 5, "solidity": 0.3}},
                hovertemplate=f"{label} about %{{x:.2f}}: %{{y}} gaps {name}<extra></extra>",
            )
        )
    _mark(figure, level, f"line {level:.2f}")
    figure.update_layout(barmode="stack", height=250, showlegend=False, bargap=0)
    # With few bars Plotly labels their midpoints, which have many decimals.
    figure.update_xaxes(title=label, tickformat=".2f")
    figure.update_yaxes(title="gaps", rangemode="tozero")
    return figure


def staircase_figure(stairs: Staircase, amount: float, title: str) -> go.Figure:
    """Return the number of chunks, above, and their sizes, below, for each amount.

    Bands mark the stretches over which the chunks stay the same, and a line marks the current amount.
    """
    colours = INK[theme()]
    figure = make_subplots(2, 1, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.55, 0.45])
    curves = (
        (1, "chunks", stairs.chunks, "ink", "solid"),
        (2, "largest", stairs.largest, "ink", "solid"),
        (2, "median", stairs.median, "ink", "dot"),
    )
    for row, name, values, colour, dash in curves:
        figure.add_trace(
            go.Scatter(
                x=stairs.amounts,
                y=values,
                name=name,
                mode="lines",
                line={"shape": "hv", "color": colours[colour], "width": 1.8, "dash": dash},
                hovertemplate=f"at %{{x}}: {name} %{{y:,.0f}}<extra></extra>",
            ),
            row,
            1,
        )
    for number, stretch in enumerate(stairs.flat):
        here = stretch.low <= amount <= stretch.high
        figure.add_vrect(
            stretch.low,
            stretch.high,
            fillcolor=colours["accent" if here else "muted"],
            opacity=0.16 if here else (0.1, 0.16)[number % 2],
            line_width=0,
            layer="below",
        )
    _mark(figure, amount, f"now {amount:g}")
    figure.update_layout(height=380, showlegend=False)
    figure.update_xaxes(title=title, row=2)
    figure.update_yaxes(title="chunks", rangemode="tozero", row=1)
    figure.update_yaxes(title="characters", rangemode="tozero", row=2)
    return figure
