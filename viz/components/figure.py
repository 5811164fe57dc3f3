"""Plotly figures, each with its numbers as a table and its downloads; the reader draws what must follow the pointer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from viz.state.keys import session
from viz.theme.figure import style


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
    style(figure)
    stem = f"seamark-{name.lower().replace(' ', '-')}"
    formats = session.figure_formats
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
