"""The histograms of the two filters of generated questions; they contain no user text."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from chunkers.support.arrays import FloatArray
from chunkers.support.formatting import signed
from viz.theme.palette import INK, theme

WIDTH = 0.025
"""The bin width of the histograms."""


class Sides(NamedTuple):
    """A histogram of generated questions, divided into kept and dropped questions.

    Attributes
    ----------
    edges
        The edges of the bins, one more than there are bins.
    kept, dropped
        Number of questions per bin.
    """

    edges: tuple[float, ...]
    kept: tuple[int, ...]
    dropped: tuple[int, ...]

    @property
    def table(self) -> dict[str, Sequence[float | int]]:
        """The histogram's data as a table, by column name."""
        return {"from": self.edges[:-1], "to": self.edges[1:], "kept": self.kept, "dropped": self.dropped}


def sides(values: FloatArray, line: float, *, drops_below: bool) -> Sides:
    """Count the questions that a filter at threshold ``line`` keeps and drops, per bin of their values; NaN is ignored."""
    known = values[~np.isnan(values)]
    dropped = known < line if drops_below else known > line
    low, high = (np.floor(known.min() / WIDTH), np.floor(known.max() / WIDTH) + 1) if known.size else (0.0, 1 / WIDTH)
    edges = np.round(np.arange(low, high + 1) * WIDTH, 6)
    counts = [np.histogram(known[which], edges)[0] for which in (~dropped, dropped)]
    return Sides(tuple(edges.tolist()), *(tuple(side.tolist()) for side in counts))


def histogram(binned: Sides, line: float, label: str, *, drops_below: bool) -> go.Figure:
    """Return a histogram of generated questions with the filter's threshold and the numbers kept and dropped."""
    colours = INK[theme()]
    middles = [low + WIDTH / 2 for low in binned.edges[:-1]]
    figure = go.Figure()
    for name, counts, colour, pattern in (
        ("kept", binned.kept, colours["muted"], ""),
        ("dropped", binned.dropped, colours["rule"], "/"),
    ):
        figure.add_trace(
            go.Bar(
                x=middles,
                y=counts,
                width=WIDTH,
                name=name,
                marker={"color": colour, "line": {"color": colours["page"], "width": 1}}
                | {"pattern": {"shape": pattern, "fgcolor": colours["muted"], "size": 5, "solidity": 0.3}},
                customdata=[signed(middle, ".2f") for middle in middles],
                hovertemplate=f"about %{{customdata}}: %{{y}} {name}<extra></extra>",
            )
        )
    figure.add_vline(x=line, line={"color": colours["accent"], "width": 2})
    left, right = (binned.dropped, binned.kept) if drops_below else (binned.kept, binned.dropped)
    words = ("dropped", "kept") if drops_below else ("kept", "dropped")
    for side, (counts, word) in enumerate(zip((left, right), words, strict=True)):
        figure.add_annotation(
            x=line,
            xanchor=("right", "left")[side],
            xshift=(-6, 6)[side],
            yref="paper",
            y=1,
            yanchor="bottom",
            text=(f"{sum(counts):,} {word} ←", f"→ {sum(counts):,} {word}")[side],
            showarrow=False,
            font={"color": colours["accent"]},
        )
    # Room for the labels next to a line near either end: each takes a third of the width.
    first, last = min(binned.edges[0], line), max(binned.edges[-1], line)
    room = max(0.5 * (last - first), 0.2)
    tallest = max(map(sum, zip(binned.kept, binned.dropped, strict=True)), default=0)
    figure.update_layout(barmode="stack", height=230, showlegend=False, bargap=0)
    figure.update_xaxes(title=label, range=[min(first, line - room), max(last, line + room)])
    figure.update_yaxes(title="Number of questions", rangemode="tozero", dtick=max(1, math.ceil(tallest / 4)))
    return figure
