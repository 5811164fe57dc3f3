"""The style of Plotly figures."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from viz.theme.palette import INK, theme

LECTURE_SCALE = 1.5
"""Factor by which figures are enlarged in lecture mode, except for their width."""


def style(figure: go.Figure, scale: float = 1) -> None:
    """Apply the page's colours and fonts to a figure, with type, lines and dots enlarged by ``scale``."""
    colours = INK[theme()]
    axis = {"gridcolor": colours["rule"], "linecolor": colours["rule"], "zeroline": False, "automargin": True}
    axis |= {"title": {"font": {"size": 13 * scale}}}
    figure.update_layout(
        font={
            "family": "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
            "size": 13 * scale,
            "color": colours["ink"],
        },
        margin={"l": 8, "r": 8, "t": 34 * scale, "b": 8},
        paper_bgcolor=colours["page"],
        plot_bgcolor=colours["page"],
        hoverlabel={"bgcolor": colours["panel"], "bordercolor": colours["rule"], "font": {"color": colours["ink"]}},
    )
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    if scale != 1:
        _enlarge(figure, scale)


def _enlarge(figure: go.Figure, scale: float) -> None:
    """Scale the sizes that the figure itself sets: its height, lines, dots and type sizes."""
    if figure.layout.height:
        figure.update_layout(height=figure.layout.height * scale)
    for part in [*figure.data, *figure.layout.shapes]:
        for name in ("line.width", "marker.size", "marker.line.width", "textfont.size"):
            if (size := _of(part, name)) is not None:
                part[name] = [number * scale for number in size] if isinstance(size, tuple | list) else size * scale
    for part in [*figure.layout.annotations, *figure.select_xaxes(), *figure.select_yaxes()]:
        for name in ("font.size", "tickfont.size"):
            if (size := _of(part, name)) is not None:
                part[name] = size * scale


def _of(part: Any, name: str) -> Any:
    """Return a property of a part of a figure; None if the part lacks or does not set it."""
    for word in name.split("."):
        part = part[word] if part is not None and word in part else None
    return part
