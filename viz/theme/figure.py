"""The look of Plotly figures."""

from __future__ import annotations

import plotly.graph_objects as go

from viz.theme.palette import INK, theme


def style(figure: go.Figure) -> None:
    """Apply the page's colours and fonts to a figure."""
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
