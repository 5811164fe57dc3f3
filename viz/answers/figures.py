"""The figures of the page Answers; they contain no user text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from chunkers.support.arrays import FloatArray
from chunkers.support.numbers import signed
from evaluation.answering.report import Measure
from viz.theme import palette
from viz.theme.palette import EDGES


def boxes(values: Sequence[FloatArray], names: Sequence[str], measure: Measure) -> go.Figure:
    """Return a box plot of a measure, with one box per chunker, one point per question, and dashed lines for the means.

    The layout follows Kreileder, Reisinger and Fischer. ``values`` holds an array of shape (questions,) for each chunker,
    with NaN where the measure is undefined.
    """
    edges = EDGES[palette.theme()]
    figure = go.Figure()
    for number, (row, name) in enumerate(zip(values, names, strict=True)):
        kept = row[~np.isnan(row)].tolist()
        figure.add_trace(
            go.Box(
                x=kept,
                text=[signed(value, ".2f") for value in kept],
                name=name,
                boxpoints="all",
                boxmean=True,
                jitter=0.5,
                pointpos=0,
                marker={"color": edges[number % len(edges)], "size": 5, "opacity": 0.7},
                line={"width": 1.5},
                fillcolor="rgba(0,0,0,0)",
                hovertemplate="%{text}<extra></extra>",
            )
        )
    room = (measure.high - measure.low) / 50
    low = (
        measure.low if measure.low >= 0 else min(0.0, *(float(np.nanmin(row)) for row in values if not np.isnan(row).all()))
    )
    figure.update_layout(showlegend=False, height=110 + 62 * len(names), yaxis={"autorange": "reversed"})
    figure.update_xaxes(title=f"{measure.title} per question", range=[low - room, measure.high + room])
    return figure
