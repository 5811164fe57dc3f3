"""Plotly figures, each with its data as a table and downloads; figures that follow the pointer are in the reader."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from viz.components.page_elements import download_button
from viz.state import session
from viz.theme import INK, theme_name

# The style.

LECTURE_SCALE = 1.5
"""Factor by which figures are enlarged in lecture mode, except for their width."""


def style_figure(figure: go.Figure, scale: float = 1) -> None:
    """Apply the page's colours and fonts to a figure, with type, lines and dots enlarged by ``scale``."""
    theme_ink_colours = INK[theme_name()]
    axis_style_options = {
        "gridcolor": theme_ink_colours["rule"],
        "linecolor": theme_ink_colours["rule"],
        "zeroline": False,
        "automargin": True,
    }
    axis_style_options |= {"title": {"font": {"size": 13 * scale}}}
    figure.update_layout(
        font={
            "family": "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
            "size": 13 * scale,
            "color": theme_ink_colours["ink"],
        },
        margin={"l": 8, "r": 8, "t": 34 * scale, "b": 8},
        paper_bgcolor=theme_ink_colours["page"],
        plot_bgcolor=theme_ink_colours["page"],
        hoverlabel={
            "bgcolor": theme_ink_colours["panel"],
            "bordercolor": theme_ink_colours["rule"],
            "font": {"color": theme_ink_colours["ink"]},
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


def show_figure(
    figure: go.Figure,
    table: Mapping[str, Sequence[Any]],
    name: str,
    key: str,
    clicked: Callable[[Any], None] | None = None,
) -> None:
    """Draw a figure in the page's colours, with its data as a table and downloads below it.

    Parameters
    ----------
    figure
        Its labels must not contain user text: Plotly interprets some HTML in them.
    table
        The figure's data by column name, for those who cannot see the figure and those who want the numbers.
    name
        A short title; the names of the downloaded files are derived from it.
    key
        Prefix of the widgets' keys, unique on the page.
    clicked
        Called with the horizontal position of a clicked point. A widget must offer the same action, since points cannot be
        reached by keyboard. The figure must change afterwards; otherwise the same point cannot be clicked again.
    """
    style_figure(figure, LECTURE_SCALE if session.lecture else 1)
    file_stem = f"seamark-{name.lower().replace(' ', '-')}"
    download_format_by_figure = session.figure_formats
    plotly_figure_config = {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
        "toImageButtonOptions": {"format": download_format_by_figure.get(key, "png"), "filename": file_stem, "scale": 2},
    }
    # Streamlit's theme applies only on the page; without it, downloads have the same colours.
    if clicked is None:
        st.plotly_chart(figure, key=key, theme=None, config=plotly_figure_config)
    else:

        def report_clicked_point() -> None:
            if points := st.session_state[key]["selection"]["points"]:
                clicked(points[0]["x"])

        st.plotly_chart(
            figure, key=key, theme=None, config=plotly_figure_config, on_select=report_clicked_point, selection_mode="points"
        )
    with st.expander(f"{name}: data"):
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
        download_button(
            figure_downloads_row,
            "Download as HTML",
            lambda: figure.to_html(include_plotlyjs=True, config=plotly_figure_config),
            f"{file_stem}.html",
            "text/html",
            table,
            key=f"{key}_html",
        )
