"""Plotly figures; the reader draws everything that must follow the pointer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from evaluation.segmentation.staircase import Histogram, Staircase
from viz.theme.palette import EDGES, INK


def size_distributions(sizes: Mapping[str, Sequence[int]], unit: str) -> go.Figure:
    """Return one strip of boxes and points a chunker: the sizes of its chunks in ``unit``."""
    figure = go.Figure()
    for number, (name, values) in enumerate(sizes.items()):
        figure.add_trace(
            go.Box(
                x=list(values),
                name=name,
                boxpoints="all" if len(values) <= 500 else "outliers",
                jitter=0.5,
                pointpos=0,
                marker={"color": EDGES[theme()][number % 8], "size": 5, "opacity": 0.7},
                line={"width": 1.5},
                fillcolor="rgba(0,0,0,0)",
                hovertemplate=f"%{{x}} {unit}<extra></extra>",
            )
        )
    figure.update_layout(
        showlegend=False,
        height=90 + 70 * len(sizes),
        xaxis={"title": f"{unit} a chunk", "rangemode": "tozero"},
        yaxis={"autorange": "reversed"},
    )
    return figure


def _mark(figure: go.Figure, x: float, words: str) -> None:
    """Draw a line at ``x`` through the whole figure, with words above it."""
    accent = INK[theme()]["accent"]
    figure.add_vline(x=x, line={"color": accent, "width": 2})
    figure.add_annotation(x=x, yref="paper", y=1, yanchor="bottom", text=words, showarrow=False, font={"color": accent})


def score_histogram(counted: Histogram, level: float, label: str) -> go.Figure:
    """Return the histogram of the scores, those past the line solid, and the line."""
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
    # With few bars Plotly numbers their middles, which are long fractions.
    figure.update_xaxes(title=label, tickformat=".2f")
    figure.update_yaxes(title="gaps", rangemode="tozero")
    return figure


def staircase_figure(stairs: Staircase, amount: float, title: str) -> go.Figure:
    """Return chunks above and their sizes below, over every amount; flat stretches are bands, the present amount a line."""
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


def theme() -> str:
    """Return the name of the page's theme, a key of the palette."""
    return "dark" if st.context.theme.type == "dark" else "light"


def colour_page() -> None:
    """Give the style sheet the colours of what stands over the text where there is no room beside it."""
    colours = INK[theme()]
    st.html(f"<style>:root {{ --page: {colours['page']}; --rule: {colours['rule']}; }}</style>")


def show_figure(figure: go.Figure, table: Mapping[str, Sequence[Any]], name: str, key: str) -> None:
    """Draw a figure in the page's colours, and below it what it shows as a table, and its downloads.

    Parameters
    ----------
    figure
        Its labels hold no text of the user's: Plotly reads some of it as HTML.
    table
        The figure's numbers, a column a name: for those who cannot see it, and for those who want the numbers.
    name
        What it is, in a few words; the downloaded files are called by it.
    key
        Of its widgets, unique on the page.
    """
    colours = INK[theme()]
    axis = {"gridcolor": colours["rule"], "linecolor": colours["rule"], "zeroline": False, "automargin": True}
    axis |= {"title": {"font": {"size": 13}}}
    figure.update_layout(
        font={
            "family": "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
            "size": 13,
            "color": colours["ink"],
        },
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
        paper_bgcolor=colours["page"],
        plot_bgcolor=colours["page"],
        hoverlabel={"bgcolor": colours["panel"], "bordercolor": colours["rule"], "font": {"color": colours["ink"]}},
    )
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    stem = f"seamark-{name.lower().replace(' ', '-')}"
    formats: dict[str, str] = st.session_state.setdefault("figure_formats", {})
    config = {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
        "toImageButtonOptions": {"format": formats.get(key, "png"), "filename": stem, "scale": 2},
    }
    # Its own theme would give what is downloaded other colours than what is seen.
    st.plotly_chart(figure, key=key, theme=None, config=config)
    with st.expander(f"{name}: table and downloads"):
        st.dataframe(table, hide_index=True, width="stretch", height=min(300, 38 + 35 * len(next(iter(table.values()), ()))))
        row = st.container(horizontal=True, vertical_alignment="bottom")

        def chosen() -> None:
            formats[key] = st.session_state[f"{key}_format"]

        row.segmented_control(
            "The camera over the figure saves",
            ["png", "svg"],
            default=formats.get(key, "png"),
            format_func=str.upper,
            key=f"{key}_format",
            on_change=chosen,
            required=True,
        )
        row.download_button(
            "Download as HTML",
            lambda: figure.to_html(include_plotlyjs=True, config=config),
            f"{stem}.html",
            "text/html",
            on_click="ignore",
            key=f"{key}_html",
        )
