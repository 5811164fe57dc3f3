"""Plotly figures that show how the clusters were formed, and the tables below them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from chunkers.results import Clusters, Merge
from chunkers.support import FloatArray
from viz.clustering.linkage import Bracket, Dendrogram, linkage_decisions
from viz.components.heatmap.heatmap import SentenceColours
from viz.theme import palette

Table = Mapping[str, Sequence[Any]]


MOST_NUMBERED_LEAVES = 30
"""Most leaves for which sentence numbers are shown."""


def dendrogram_figure(
    dendrogram: Dendrogram,
    merges: Sequence[Merge],
    clusters: Clusters,
    sentence_colours: SentenceColours,
    maximum_join_distance: float,
    theme: str,
) -> go.Figure:
    """Return a figure of the dendrogram, with refused joins dashed and a line at ``maximum_join_distance``."""
    chunk_number_by_sentence, colour_number_by_chunk = sentence_colours.chunk_of, sentence_colours.colour_number_of_chunk
    edge_colours, theme_colours = palette.CHUNK_EDGE_COLOURS[theme], palette.THEME_COLOURS[theme]
    figure = go.Figure()
    has_few_leaves = len(dendrogram.leaves) <= MOST_NUMBERED_LEAVES
    marker_size = 5 if has_few_leaves else 2
    refused_join_hover_texts = [
        f"sentences {refusal.left + 1} and {refusal.right + 1}, distance {refusal.distance:.2f}: refused, "
        f"the two clusters hold {refusal.size}"
        for refusal in clusters.refused
    ]
    _draw_dendrogram_brackets(
        figure,
        dendrogram.refused,
        refused_join_hover_texts,
        {"color": theme_colours["muted"], "width": 1, "dash": "dot"},
        marker_size,
    )
    for colour_number in range(palette.CHUNK_COLOUR_COUNT):
        join_indexes_of_colour = [
            at
            for at, merge in enumerate(merges)
            if colour_number_by_chunk[chunk_number_by_sentence[merge.left.start]] == colour_number
        ]
        join_hover_texts = [
            f"join {at + 1}: sentences {merges[at].left.start + 1} and {merges[at].right.start + 1}, "
            f"distance {1 - merges[at].similarity:.2f}, chunk {chunk_number_by_sentence[merges[at].left.start] + 1}"
            for at in join_indexes_of_colour
        ]
        _draw_dendrogram_brackets(
            figure,
            [dendrogram.joins[at] for at in join_indexes_of_colour],
            join_hover_texts,
            {"color": edge_colours[colour_number], "width": 1.5 if has_few_leaves else 1},
            marker_size,
        )
    figure.add_scatter(
        x=[*range(len(dendrogram.leaves))],
        y=[0] * len(dendrogram.leaves),
        mode="markers",
        marker={
            "symbol": "square",
            "size": 1.6 * marker_size,
            "color": [edge_colours[colour_number_by_chunk[chunk_number_by_sentence[leaf]]] for leaf in dendrogram.leaves],
        },
        hovertext=[f"sentence {leaf + 1}, chunk {chunk_number_by_sentence[leaf] + 1}" for leaf in dendrogram.leaves],
        hoverinfo="text",
        showlegend=False,
    )
    _draw_horizontal_line(figure, maximum_join_distance, "maximum distance", theme_colours["accent"])
    if has_few_leaves:
        leaf_sentence_number_labels = [str(leaf + 1) for leaf in dendrogram.leaves]
        figure.update_xaxes(
            tickvals=[*range(len(dendrogram.leaves))], ticktext=leaf_sentence_number_labels, tickfont={"size": 10}
        )
    return figure.update_layout(
        height=380,
        hovermode="closest",
        showlegend=False,
        xaxis={
            "title": "Sentences (tree order)",
            "showgrid": False,
            "showticklabels": has_few_leaves,
            "range": [-1, len(dendrogram.leaves)],
        },
        yaxis={"title": "Joint distance", "rangemode": "tozero"},
    )


def _draw_dendrogram_brackets(
    figure: go.Figure,
    brackets: Sequence[Bracket],
    hover_texts: Sequence[str],
    line_style: dict[str, Any],
    marker_size: float,
) -> None:
    """Draw brackets, each with a marker that has a hover text: a dot, or a cross on dashed lines."""
    if not brackets:
        return
    x: list[float | None] = []
    y: list[float | None] = []
    for bracket in brackets:
        x += [bracket.left, bracket.left, bracket.right, bracket.right, None]
        y += [bracket.low_left, bracket.height, bracket.height, bracket.low_right, None]
    figure.add_scatter(x=x, y=y, mode="lines", line=line_style, hoverinfo="skip")
    bracket_marker_symbol = "x-thin-open" if "dash" in line_style else "circle"
    figure.add_scatter(
        x=[(bracket.left + bracket.right) / 2 for bracket in brackets],
        y=[bracket.height for bracket in brackets],
        mode="markers",
        marker={
            "symbol": bracket_marker_symbol,
            "size": marker_size,
            "color": line_style["color"],
            "line": {"color": line_style["color"], "width": marker_size / 4},
        },
        hovertext=list(hover_texts),
        hoverinfo="text",
    )


def _add_legend_entry(figure: go.Figure, symbol: str, name: str, colour: str) -> None:
    """Add an entry to the legend in a neutral colour."""
    legend_marker_style = {"symbol": symbol, "size": 9, "color": colour, "line": {"color": colour, "width": 2}}
    figure.add_scatter(x=[None], y=[None], mode="markers", marker=legend_marker_style, name=name)
    figure.update_layout(
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "itemclick": False}, hovermode="closest"
    )


def _draw_horizontal_line(figure: go.Figure, line_height: float, label: str, colour: str) -> None:
    figure.add_hline(
        line_height,
        line={"color": colour, "width": 2},
        annotation_text=f"{label} {line_height:g}",
        annotation_position="top right",
        annotation_font_color=colour,
    )


def heatmap_figure(
    block_distances: FloatArray, sentences_per_block: int, sentence_colours: SentenceColours, theme: str
) -> go.Figure:
    """Return a heatmap of the mean distances between blocks of sentences, with the chunks' colours at the edges."""
    theme_colours, sentence_count = palette.THEME_COLOURS[theme], len(sentence_colours.chunk_of)
    block_sentence_ranges = heatmap_row_sentence_ranges(sentence_count, sentences_per_block)
    block_middle_positions = [(first + last) / 2 for first, last in block_sentence_ranges]
    sentence_block_names = [heatmap_row_name(row) for row in block_sentence_ranges]
    figure = go.Figure(
        go.Heatmap(
            z=block_distances,
            x=block_middle_positions,
            y=block_middle_positions,
            customdata=[[f"{one} and {other}" for other in sentence_block_names] for one in sentence_block_names],
            zmin=0,
            zmax=1,
            colorscale=[[0, theme_colours["ink"]], [1, theme_colours["page"]]],
            colorbar={"title": "distance", "thickness": 12},
            hovertemplate="sentences %{customdata}: %{z:.2f}<extra></extra>",
        )
    )
    sentence_numbers, margin_marker_positions = [*range(1, sentence_count + 1)], [-0.02 * sentence_count] * sentence_count
    sentence_chunk_colours = [
        palette.CHUNK_EDGE_COLOURS[theme][sentence_colours.colour_number_of_chunk[chunk]]
        for chunk in sentence_colours.chunk_of
    ]
    chunk_colour_marker_style = {"symbol": "square", "size": 6, "color": sentence_chunk_colours}
    for marker_x_positions, marker_y_positions in (
        (sentence_numbers, margin_marker_positions),
        (margin_marker_positions, sentence_numbers),
    ):
        figure.add_scatter(
            x=marker_x_positions,
            y=marker_y_positions,
            mode="markers",
            marker=chunk_colour_marker_style,
            hoverinfo="skip",
            showlegend=False,
        )
    sentence_axis_settings = {"title": "Sentence number", "showgrid": False, "constrain": "domain"}
    return figure.update_layout(
        height=560,
        xaxis=sentence_axis_settings,
        yaxis=sentence_axis_settings | {"autorange": "reversed", "scaleanchor": "x"},
    )


_SYMBOL_BY_ROLE = {"core": "circle", "border": "circle-open", "noise": "x-thin-open"}


def core_distance_figure(
    clusters: Clusters,
    core_distances: FloatArray,
    sentence_colours: SentenceColours,
    eps: float,
    core_size: int,
    theme: str,
) -> go.Figure:
    """Return a plot of the smallest ε at which each sentence becomes a core point, marked by its DBSCAN role."""
    chunk_number_by_sentence, colour_number_by_chunk = sentence_colours.chunk_of, sentence_colours.colour_number_of_chunk
    edge_colours, theme_colours = palette.CHUNK_EDGE_COLOURS[theme], palette.THEME_COLOURS[theme]
    figure = go.Figure()
    for dbscan_role, marker_symbol in _SYMBOL_BY_ROLE.items():
        sentence_indexes_in_role = [at for at, other in enumerate(clusters.roles) if other == dbscan_role]
        marker_colours = [
            theme_colours["muted"]
            if dbscan_role == "noise"
            else edge_colours[colour_number_by_chunk[chunk_number_by_sentence[at]]]
            for at in sentence_indexes_in_role
        ]
        figure.add_scatter(
            x=[at + 1 for at in sentence_indexes_in_role],
            y=[float(core_distances[at]) for at in sentence_indexes_in_role],
            mode="markers",
            marker={
                "symbol": marker_symbol,
                "size": 9,
                "color": marker_colours,
                "line": {"color": marker_colours, "width": 2},
            },
            showlegend=False,
            hovertext=[
                f"sentence {at + 1}: {dbscan_role}, {_core_distance_in_words(core_distances[at])}, chunk "
                f"{chunk_number_by_sentence[at] + 1}"
                for at in sentence_indexes_in_role
            ],
            hoverinfo="text",
        )
        _add_legend_entry(figure, marker_symbol, f"{dbscan_role} {len(sentence_indexes_in_role):,}", theme_colours["ink"])
    _draw_horizontal_line(figure, eps, "ε", theme_colours["accent"])
    return figure.update_layout(
        height=340,
        xaxis={"title": "Sentence number", "rangemode": "tozero"},
        yaxis={"title": "Core distance", "rangemode": "tozero"},
    )


def _core_distance_in_words(core_distance: float) -> str:
    return f"{core_distance:.2f}" if math.isfinite(core_distance) else "no ε is enough"


def centre_distances_figure(clusters: Clusters, sentence_colours: SentenceColours, theme: str) -> go.Figure:
    """Return a plot of each sentence's distance to its own cluster centre and to the nearest other centre."""
    chunk_number_by_sentence, colour_number_by_chunk = sentence_colours.chunk_of, sentence_colours.colour_number_of_chunk
    chunk_edge_colours = palette.CHUNK_EDGE_COLOURS[theme]
    figure = go.Figure()
    sentence_numbers = [*range(1, len(chunk_number_by_sentence) + 1)]
    if clusters.other:
        connecting_line_x_values = [place for sentence in sentence_numbers for place in (sentence, sentence, None)]
        own_and_other_centre_distances = [
            value for pair in zip(clusters.own, clusters.other, strict=True) for value in (*pair, None)
        ]
        connecting_line_style = {"color": palette.THEME_COLOURS[theme]["rule"], "width": 1}
        figure.add_scatter(
            x=connecting_line_x_values,
            y=own_and_other_centre_distances,
            mode="lines",
            line=connecting_line_style,
            hoverinfo="skip",
            showlegend=False,
        )
        figure.add_scatter(
            x=sentence_numbers,
            y=list(clusters.other),
            mode="markers",
            marker={
                "symbol": "circle-open",
                "size": 7,
                "color": [chunk_edge_colours[colour_number_by_chunk[chunk]] for chunk in clusters.other_chunk],
            },
            showlegend=False,
            hovertext=[
                f"sentence {at}: {far:.2f} to the centre of chunk {chunk + 1}, the next"
                for at, far, chunk in zip(sentence_numbers, clusters.other, clusters.other_chunk, strict=True)
            ],
            hoverinfo="text",
        )
    figure.add_scatter(
        x=sentence_numbers,
        y=list(clusters.own),
        mode="markers",
        marker={
            "symbol": "circle",
            "size": 8,
            "color": [chunk_edge_colours[colour_number_by_chunk[chunk]] for chunk in chunk_number_by_sentence],
        },
        showlegend=False,
        hovertext=[
            f"sentence {at}: {far:.2f} to its own centre, of chunk {chunk + 1}"
            for at, far, chunk in zip(sentence_numbers, clusters.own, chunk_number_by_sentence, strict=True)
        ],
        hoverinfo="text",
    )
    _add_legend_entry(figure, "circle", "to its own centre", palette.THEME_COLOURS[theme]["ink"])
    if clusters.other:
        _add_legend_entry(figure, "circle-open", "to the next centre", palette.THEME_COLOURS[theme]["ink"])
    return figure.update_layout(
        height=340,
        xaxis={"title": "Sentence number", "rangemode": "tozero"},
        yaxis={"title": "Distance to centre", "rangemode": "tozero"},
    )


# The tables.


def heatmap_table(block_distances: FloatArray, sentences_per_block: int, sentence_count: int) -> Table:
    """Return a table of the distance between each pair of heatmap rows, nearest pair first."""
    sentence_block_names = [
        heatmap_row_name(row) for row in heatmap_row_sentence_ranges(sentence_count, sentences_per_block)
    ]
    first_block_of_each_pair, second_block_of_each_pair = np.triu_indices(len(sentence_block_names), k=1)
    distance_of_each_pair = block_distances[first_block_of_each_pair, second_block_of_each_pair]
    pair_indexes_nearest_first = np.argsort(distance_of_each_pair, kind="stable")
    return {
        "sentence": [sentence_block_names[at] for at in first_block_of_each_pair[pair_indexes_nearest_first]],
        "and sentence": [sentence_block_names[at] for at in second_block_of_each_pair[pair_indexes_nearest_first]],
        "distance": np.round(distance_of_each_pair[pair_indexes_nearest_first], 4).tolist(),
    }


def heatmap_row_sentence_ranges(sentence_count: int, sentences_per_block: int) -> list[tuple[int, int]]:
    """Return the first and last sentence of each heatmap row, counted from 1."""
    return [
        (first + 1, min(first + sentences_per_block, sentence_count))
        for first in range(0, sentence_count, sentences_per_block)
    ]


def heatmap_row_name(row_sentence_range: tuple[int, int]) -> str:
    """Return the label of a heatmap row, such as ``5`` or ``5–8``."""
    first_sentence_number, last_sentence_number = row_sentence_range
    return (
        f"{first_sentence_number}"
        if first_sentence_number == last_sentence_number
        else f"{first_sentence_number}–{last_sentence_number}"
    )


def joins_table(merges: Sequence[Merge], clusters: Clusters, sentence_colours: SentenceColours) -> Table:
    """Return a table of all accepted and refused joins of clusters, in the order of the decisions."""
    chunk_number_by_sentence = sentence_colours.chunk_of
    join_decision_rows = []
    for is_join_accepted, left_sentence_number, right_sentence_number, distance in linkage_decisions(merges, clusters):
        chunk_numbers_phrase = (
            f"{chunk_number_by_sentence[left_sentence_number] + 1}"
            if is_join_accepted
            else (
                f"{chunk_number_by_sentence[left_sentence_number] + 1} and "
                f"{chunk_number_by_sentence[right_sentence_number] + 1}"
            )
        )
        join_decision_rows.append(
            (
                "joined" if is_join_accepted else "refused",
                left_sentence_number + 1,
                right_sentence_number + 1,
                round(distance, 4),
                chunk_numbers_phrase,
            )
        )
    joins_table_column_names = ("decision", "sentence", "and sentence", "joint distance", "chunk")
    return {name: [row[place] for row in join_decision_rows] for place, name in enumerate(joins_table_column_names)}


def dbscan_role_table(clusters: Clusters, core_distances: FloatArray, sentence_colours: SentenceColours) -> Table:
    """Return a table of each sentence's DBSCAN role and the smallest ε that makes it a core point."""
    return {
        "sentence": [*range(1, len(sentence_colours.chunk_of) + 1)],
        "role": list(clusters.roles),
        "core from ε": [round(float(value), 4) for value in core_distances],
        "chunk": [chunk + 1 for chunk in sentence_colours.chunk_of],
    }


def centre_distances_table(clusters: Clusters, sentence_colours: SentenceColours) -> Table:
    """Return a table of each sentence's distance to its own cluster centre and to the nearest other centre."""
    table: dict[str, Sequence[Any]] = {
        "sentence": [*range(1, len(sentence_colours.chunk_of) + 1)],
        "chunk": [chunk + 1 for chunk in sentence_colours.chunk_of],
        "to its own centre": [round(value, 4) for value in clusters.own],
    }
    if clusters.other:
        table["to the next"] = [round(value, 4) for value in clusters.other]
        table["the next's chunk"] = [chunk + 1 for chunk in clusters.other_chunk]
    return table
