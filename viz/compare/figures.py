"""The figures of the Compare page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from viz.theme.palette import EDGES, theme


def size_distributions(sizes: Mapping[str, Sequence[int]], unit: str) -> go.Figure:
    """Return box plots of the chunk sizes in ``unit``, one row per chunker."""
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
        xaxis={"title": f"{unit} per chunk", "rangemode": "tozero"},
        yaxis={"autorange": "reversed"},
    )
    return figure
