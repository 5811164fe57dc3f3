"""Plotly figures; the reader draws everything that must follow the pointer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from viz.theme.palette import INK, theme


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
