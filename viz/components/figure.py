"""Plotly figures, each with its data as a table and downloads; figures that follow the pointer are in the reader."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from chunkers.support import FloatArray, format_number
from viz.components.page_elements import show_download_button
from viz.state import session
from viz.theme import THEME_COLOURS, chunker_colour, theme_name

# The style.

LECTURE_SCALE = 1.5
"""Factor by which figures are enlarged in lecture mode, except for their width."""


def style_figure(figure: go.Figure, scale: float = 1) -> None:
    """Apply the page's colours and fonts to a figure, with type, lines and dots enlarged by ``scale``."""
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    axis_style_options = {
        "gridcolor": theme_colour_by_role["rule"],
        "linecolor": theme_colour_by_role["rule"],
        "zeroline": False,
        "automargin": True,
    }
    axis_style_options |= {"title": {"font": {"size": 13 * scale}}}
    figure.update_layout(
        font={
            "family": "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
            "size": 13 * scale,
            "color": theme_colour_by_role["ink"],
        },
        margin={"l": 8, "r": 8, "t": 34 * scale, "b": 8},
        paper_bgcolor=theme_colour_by_role["page"],
        plot_bgcolor=theme_colour_by_role["page"],
        hoverlabel={
            "bgcolor": theme_colour_by_role["panel"],
            "bordercolor": theme_colour_by_role["rule"],
            "font": {"color": theme_colour_by_role["ink"]},
        },
    )
    figure.update_xaxes(**axis_style_options)
    figure.update_yaxes(**axis_style_options)
    if scale != 1:
        _enlarge_figure_parts(figure, scale)


def _enlarge_figure_parts(figure: go.Figure, scale: float) -> None:
    """Scale the sizes that the figure itself sets: its height, lines, dots and type sizes."""
    if figure.layout.height:
        figure.update_layout(height=figure.layout.height * scale)
    for figure_part in [*figure.data, *figure.layout.shapes]:
        for size_property in ("line.width", "marker.size", "marker.line.width", "textfont.size"):
            if size_property in figure_part and (unscaled_size := figure_part[size_property]) is not None:
                figure_part[size_property] = (
                    [number * scale for number in unscaled_size]
                    if isinstance(unscaled_size, tuple | list)
                    else unscaled_size * scale
                )
    for figure_part in [*figure.layout.annotations, *figure.select_xaxes(), *figure.select_yaxes()]:
        for size_property in ("font.size", "tickfont.size"):
            if size_property in figure_part and (unscaled_size := figure_part[size_property]) is not None:
                figure_part[size_property] = unscaled_size * scale


def show_figure_with_its_data(
    figure: go.Figure,
    table: Mapping[str, Sequence[Any]],
    figure_name: str,
    key: str,
    on_click: Callable[[Any], None] | None = None,
) -> None:
    """Draw a figure in the page's colours, with its data as a table and downloads below it.

    Parameters
    ----------
    figure
        Its labels must not contain user text: Plotly interprets some HTML in them.
    table
        The figure's data by column name, for those who cannot see the figure and those who want the numbers.
    figure_name
        A short title; the names of the downloaded files are derived from it.
    key
        Prefix of the widgets' keys, unique on the page.
    on_click
        Called with the horizontal position of a clicked point. A widget must offer the same action, since points cannot be
        reached by keyboard. The figure must change afterwards; otherwise the same point cannot be clicked again.
    """
    style_figure(figure, LECTURE_SCALE if session.is_in_lecture_mode else 1)
    file_stem = f"seamark-{figure_name.lower().replace(' ', '-')}"
    download_format_by_figure = session.figure_formats
    plotly_figure_config = {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
        "toImageButtonOptions": {"format": download_format_by_figure.get(key, "png"), "filename": file_stem, "scale": 2},
    }
    # Streamlit's theme applies only on the page; without it, downloads have the same colours.
    if on_click is None:
        st.plotly_chart(figure, key=key, theme=None, config=plotly_figure_config)
    else:

        def report_clicked_point() -> None:
            if clicked_points := st.session_state[key]["selection"]["points"]:
                on_click(clicked_points[0]["x"])

        st.plotly_chart(
            figure, key=key, theme=None, config=plotly_figure_config, on_select=report_clicked_point, selection_mode="points"
        )
    with st.expander(f"{figure_name}: data"):
        st.dataframe(
            table,
            hide_index=True,
            placeholder="–",
            width="stretch",
            height=min(300, 38 + 35 * len(next(iter(table.values()), ()))),
        )
        figure_downloads_row = st.container(horizontal=True, vertical_alignment="bottom")

        def store_chosen_format() -> None:
            download_format_by_figure[key] = st.session_state[f"{key}_format"]

        figure_downloads_row.segmented_control(
            "Image format",
            ["png", "svg"],
            default=download_format_by_figure.get(key, "png"),
            format_func=str.upper,
            key=f"{key}_format",
            on_change=store_chosen_format,
            required=True,
        )
        show_download_button(
            figure_downloads_row,
            "Download as HTML",
            lambda: figure.to_html(include_plotlyjs=True, config=plotly_figure_config),
            f"{file_stem}.html",
            "text/html",
            table,
            key=f"{key}_html",
        )


# What figures of several pages consist of.


def box_plots(
    chunker_names: Mapping[int, str],
    values_by_chunker: Mapping[int, FloatArray | Sequence[float]],
    hover_template: str,
    value_axis_settings: Mapping[str, Any],
    *,
    point_labels: Mapping[int, Sequence[str]] | None = None,
    shows_means: bool = False,
    most_values_shown_as_points: float = math.inf,
) -> go.Figure:
    """Return a box plot with a row for each chunker and a point for each value.

    Parameters
    ----------
    chunker_names, values_by_chunker, point_labels
        Names of the chunkers, their values and the labels of these, by the chunkers' numbers. NaN is left out.
    hover_template
        Template of the text at a point: its value is ``%{x}``, and its label ``%{text}``.
    value_axis_settings
        Title and range of the axis of values.
    shows_means
        Draw a dashed line at the mean.
    most_values_shown_as_points
        A box of more values shows only its outliers as points.
    """
    figure = go.Figure()
    for chunker_number, chunker_values in values_by_chunker.items():
        is_defined = ~np.isnan(np.asarray(chunker_values, dtype=float))
        figure.add_trace(
            go.Box(
                x=np.asarray(chunker_values)[is_defined],
                text=None if point_labels is None else np.asarray(point_labels[chunker_number])[is_defined],
                name=chunker_names[chunker_number],
                boxpoints="all" if len(chunker_values) <= most_values_shown_as_points else "outliers",
                boxmean=shows_means,
                jitter=0.5,
                pointpos=0,
                marker={"color": chunker_colour(chunker_number), "size": 5, "opacity": 0.7},
                line={"width": 1.5},
                fillcolor="rgba(0,0,0,0)",
                hovertemplate=f"{hover_template}<extra></extra>",
            )
        )
    figure.update_layout(
        showlegend=False,
        height=110 + 62 * len(values_by_chunker),
        xaxis=value_axis_settings,
        yaxis={"autorange": "reversed"},
    )
    return figure


def stacked_histogram(
    edges: Sequence[float], counts: Mapping[str, Sequence[int]], hatched_kind: str, hover_template: str, height: int
) -> go.Figure:
    """Return a histogram of two kinds of values, whose bars stand on each other.

    ``counts`` has the numbers in each bin by kind; the bars of the kind ``hatched_kind`` are hatched. ``hover_template``
    is the template of the text at a bar, in front of its kind: ``%{customdata}`` is the middle of the bin, and ``%{y}`` the
    number.
    """
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    bin_middles = [(low + high) / 2 for low, high in pairwise(edges)]
    figure = go.Figure()
    for stacked_bar_kind, bin_counts_of_kind in counts.items():
        figure.add_trace(
            go.Bar(
                x=bin_middles,
                y=bin_counts_of_kind,
                width=edges[1] - edges[0],
                name=stacked_bar_kind,
                marker={
                    "color": theme_colour_by_role["rule" if stacked_bar_kind == hatched_kind else "muted"],
                    "line": {"color": theme_colour_by_role["page"], "width": 1},
                    "pattern": {
                        "shape": "/" if stacked_bar_kind == hatched_kind else "",
                        "fgcolor": theme_colour_by_role["muted"],
                        "size": 5,
                        "solidity": 0.3,
                    },
                },
                customdata=[format_number(middle, ".2f") for middle in bin_middles],
                hovertemplate=f"{hover_template} {stacked_bar_kind}<extra></extra>",
            )
        )
    figure.update_layout(barmode="stack", height=height, showlegend=False, bargap=0)
    return figure


def draw_labelled_line(figure: go.Figure, x: float, label: str, label_x: float | None = None) -> None:
    """Draw a vertical line at ``x`` through the whole figure, with a label above it.

    ``label_x`` is the label's position if it differs, as on a logarithmic axis, where Plotly wants the logarithm.
    """
    accent_colour = THEME_COLOURS[theme_name()]["accent"]
    figure.add_vline(x=x, line={"color": accent_colour, "width": 2})
    figure.add_annotation(
        x=x if label_x is None else label_x,
        yref="paper",
        y=1,
        yanchor="bottom",
        text=label,
        showarrow=False,
        font={"color": accent_colour},
    )
