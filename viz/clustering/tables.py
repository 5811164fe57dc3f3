"""The tables below the figures of the Clustering page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chunkers.results.result import Clusters, Merge
from chunkers.support.arrays import FloatArray
from viz.components.heatmap.coloured import Coloured

Table = Mapping[str, Sequence[Any]]


def heatmap_table(distances: FloatArray, block: int, count: int) -> Table:
    """Return a table of the distance between each pair of heatmap rows, nearest pair first."""
    names = [row_name(row) for row in rows_of(count, block)]
    one, other = np.triu_indices(len(names), k=1)
    values = distances[one, other]
    order = np.argsort(values, kind="stable")
    return {
        "sentence": [names[at] for at in one[order]],
        "and sentence": [names[at] for at in other[order]],
        "distance": np.round(values[order], 4).tolist(),
    }


def rows_of(count: int, block: int) -> list[tuple[int, int]]:
    """Return the first and last sentence of each heatmap row, counted from 1."""
    return [(first + 1, min(first + block, count)) for first in range(0, count, block)]


def row_name(row: tuple[int, int]) -> str:
    """Return the label of a heatmap row, such as ``5`` or ``5–8``."""
    first, last = row
    return f"{first}" if first == last else f"{first}–{last}"


def joins_table(merges: Sequence[Merge], clusters: Clusters, coloured: Coloured) -> Table:
    """Return a table of all accepted and refused joins of clusters, in the order of the decisions."""
    chunk_of = coloured.chunk_of
    rows = []
    for number, merge in enumerate(merges):
        a, b = merge.left.start, merge.right.start
        rows.append((number, 1, "joined", a + 1, b + 1, round(1 - merge.similarity, 4), str(chunk_of[a] + 1)))
    for refusal in clusters.refused:
        apart = f"{chunk_of[refusal.left] + 1} and {chunk_of[refusal.right] + 1}"
        rows.append((refusal.joins, 0, "refused", refusal.left + 1, refusal.right + 1, round(refusal.distance, 4), apart))
    # A refusal precedes the join with the same number.
    rows.sort(key=lambda row: row[:2])
    names = ("decision", "sentence", "and sentence", "joint distance", "chunk")
    return {name: [row[2 + place] for row in rows] for place, name in enumerate(names)}


def density_table(clusters: Clusters, reach: FloatArray, coloured: Coloured) -> Table:
    """Return a table of each sentence's DBSCAN role and the smallest ε that makes it a core point."""
    return {
        "sentence": [*range(1, len(coloured.chunk_of) + 1)],
        "role": list(clusters.roles),
        "core from ε": [round(float(value), 4) for value in reach],
        "chunk": [chunk + 1 for chunk in coloured.chunk_of],
    }


def centres_table(clusters: Clusters, coloured: Coloured) -> Table:
    """Return a table of each sentence's distance to its own cluster centre and to the nearest other centre."""
    table: dict[str, Sequence[Any]] = {
        "sentence": [*range(1, len(coloured.chunk_of) + 1)],
        "chunk": [chunk + 1 for chunk in coloured.chunk_of],
        "to its own centre": [round(value, 4) for value in clusters.own],
    }
    if clusters.other:
        table["to the next"] = [round(value, 4) for value in clusters.other]
        table["the next's chunk"] = [chunk + 1 for chunk in clusters.other_chunk]
    return table
