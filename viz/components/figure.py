"""Plotly figures, each with its data as a table and downloads; figures that follow the pointer are in the reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from viz.components.download import download
from viz.state.keys import session
from viz.theme.figure import LECTURE_SCALE, style


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
    style(figure, LECTURE_SCALE if session.lecture else 1)
    stem = f"seamark-{name.lower().replace(' ', '-')}"
    formats = session.figure_formats
    config = {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
        "toImageButtonOptions": {"format": formats.get(key, "png"), "filename": stem, "scale": 2},
    }
    # Streamlit's theme applies only on the page; without it, downloads have the same colours.
    if clicked is None:
        st.plotly_chart(figure, key=key, theme=None, config=config)
    else:

        def select() -> None:
            points = st.session_state[key]["selection"]["points"]
            if points:
                clicked(points[0]["x"])

        st.plotly_chart(figure, key=key, theme=None, config=config, on_select=select, selection_mode="points")
    with st.expander(f"{name}: data"):
        st.dataframe(
            table,
            hide_index=True,
            placeholder="–",
            width="stretch",
            height=min(300, 38 + 35 * len(next(iter(table.values()), ()))),
        )
        row = st.container(horizontal=True, vertical_alignment="bottom")

        def chosen() -> None:
            formats[key] = st.session_state[f"{key}_format"]

        row.segmented_control(
            "Image format",
            ["png", "svg"],
            default=formats.get(key, "png"),
            format_func=str.upper,
            key=f"{key}_format",
            on_change=chosen,
            required=True,
        )
        download(
            row,
            "Download as HTML",
            lambda: figure.to_html(include_plotlyjs=True, config=config),
            f"{stem}.html",
            "text/html",
            table,
            key=f"{key}_html",
        )
