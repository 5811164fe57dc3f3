"""The scores on the Breakpoints page: read as distances or similarities, in a histogram, and by what each amount cuts."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from chunkers import Breakpoint, Chunking, Document, Embedder
from chunkers.methods import SimilarityReading, convert_chunking_to_similarities, has_similarity_reading
from chunkers.support import format_number
from evaluation.segmentation import MIN_FLAT_STRETCH_AMOUNTS, ScoreHistogram, Staircase, score_histogram
from evaluation.segmentation.threshold_staircase import chunk_sizes_by_threshold
from viz.components.figure import draw_labelled_line, show_figure_with_its_data, stacked_histogram
from viz.components.page_elements import show_notice
from viz.components.reader.reader import ReaderResult
from viz.jobs import ChunkingTask, cached_while_shown, chunk_if_quick
from viz.shell import ColumnResult
from viz.state import Choices, PageText, session
from viz.theme import THEME_COLOURS, theme_name


@dataclass(frozen=True)
class DisplayedResult(ReaderResult):
    """A chunker's result, with Breakpoint's scores as distances or as similarities.

    ``identity`` is the task and the reading of the scores, distance or similarity.
    """

    identity: tuple[ChunkingTask, str]


def convert_result_scores_for_display(column_result: ColumnResult, distance_or_similarity: str) -> DisplayedResult | None:
    """Return a column's result with its scores as distances or similarities; None without a result.

    Scores that are not Breakpoint's plain distances, and results without a curve, stay as they are.
    """
    finished_column_result = column_result.finished_column_or_none
    if finished_column_result is None:
        return None
    chunking_task, chunker, chunking = finished_column_result
    if (
        distance_or_similarity == "similarity"
        and isinstance(chunker, Breakpoint)
        and has_similarity_reading(chunker)
        and chunking.curves
    ):
        return DisplayedResult(
            (chunking_task, distance_or_similarity),
            SimilarityReading(**chunker.model_dump()),
            _chunking_with_scores_as_similarities(chunking_task, chunking),
        )
    return DisplayedResult((chunking_task, "distance"), chunker, chunking)


@cached_while_shown(8, lambda task, chunking: (task.document, task))
def _chunking_with_scores_as_similarities(chunking_task: ChunkingTask, chunking: Chunking) -> Chunking:
    return convert_chunking_to_similarities(chunking)


def show_score_histogram_and_staircase(
    shown_result: DisplayedResult, text: PageText, embedder: Embedder | None, choices: Choices
) -> None:
    """Draw a histogram of the gap scores, and the number and sizes of chunks for each threshold amount."""
    chunker, curve = shown_result.chunker, shown_result.chunking.curves[0]
    assert isinstance(chunker, Breakpoint)  # the page offers this view for no other
    gap_score_threshold = curve.lines[0].level
    if math.isnan(gap_score_threshold):
        show_notice(
            f"No gap has a {curve.label}, because the score needs a neighbouring gap. Choose a longer text.", key="no_scores"
        )
        return
    gap_score_histogram = score_histogram(curve.scores, gap_score_threshold, curve.cut_above)
    st.header(f"{curve.label.capitalize()} per gap", anchor=False)
    show_figure_with_its_data(
        score_histogram_figure(gap_score_histogram, gap_score_threshold, curve.label),
        {
            f"{curve.label} from": [format_number(edge, ".3f") for edge in gap_score_histogram.edges[:-1]],
            "to": [format_number(edge, ".3f") for edge in gap_score_histogram.edges[1:]],
            "kept": gap_score_histogram.uncut_counts,
            "past the line": gap_score_histogram.candidate_counts,
        },
        "Histogram",
        "histogram",
    )

    def chunk_with_other_amount(other_chunker: Breakpoint) -> Chunking:
        other_amount_chunking_task = ChunkingTask.of(text.document, embedder, choices.tokenizer, other_chunker)
        chunking = chunk_if_quick(
            other_amount_chunking_task, other_chunker, text.document, embedder, session.keeps_embeddings_on_disk
        )
        assert chunking is not None  # the amount does not affect what is embedded
        return chunking

    gap_distances = tuple(1 - score for score in curve.scores) if isinstance(chunker, SimilarityReading) else curve.scores
    threshold_amount_staircase = _cached_staircase(
        shown_result.identity[0], text.document, Breakpoint(**chunker.model_dump()), gap_distances, chunk_with_other_amount
    )
    st.header("Threshold effect", anchor=False)
    st.caption(_flat_stretch_in_words(threshold_amount_staircase, chunker.amount))
    table_values_by_column_name = {
        chunker.selected_threshold_rule.title: threshold_amount_staircase.amounts,
        "chunks": threshold_amount_staircase.chunks,
        "median characters": threshold_amount_staircase.median,
        "largest": threshold_amount_staircase.largest,
    }
    show_figure_with_its_data(
        staircase_figure(threshold_amount_staircase, chunker.amount, chunker.selected_threshold_rule.title),
        table_values_by_column_name,
        "Staircase",
        "staircase",
    )


@cached_while_shown(
    16,
    lambda task, document, chunker, scores, chunk: (
        task.document,
        *(part for name, part in vars(task).items() if name != "chunker"),
        chunker.model_copy(update={"amount": 0.0}),
    ),
)
def _cached_staircase(
    chunking_task: ChunkingTask, document: Document, chunker: Breakpoint, scores: tuple[float, ...], run_chunker: object
) -> Staircase:
    return chunk_sizes_by_threshold(document, chunker, scores, run_chunker)  # type: ignore[arg-type]


def _flat_stretch_in_words(staircase: Staircase, threshold_amount: float) -> str:
    """Describe the stretch of amounts with the same chunks, around the current amount or else the widest one."""
    stretch_around_current_amount = staircase.flat_stretch_containing(threshold_amount)
    if stretch_around_current_amount is not None:
        amount_range_phrase = stretch_around_current_amount.in_words()
        return f"{amount_range_phrase[0].upper()}{amount_range_phrase[1:]}. Bands are stretches that make the same chunks."
    if not staircase.flat_stretches:
        return f"No {MIN_FLAT_STRETCH_AMOUNTS} consecutive amounts of the slider make the same chunks."
    widest_same_chunks_stretch = max(staircase.flat_stretches, key=lambda stretch: stretch.high - stretch.low)
    return (
        f"A few steps from here the chunks change; {widest_same_chunks_stretch.in_words()}. Bands are stretches that make "
        "the same chunks."
    )


# The figures.


def score_histogram_figure(histogram: ScoreHistogram, threshold: float, label: str) -> go.Figure:
    """Return a histogram of the gap scores, with the threshold as a line and the bars past the threshold solid."""
    histogram_bin_edges = histogram.edges
    histogram_bin_middles = [(low + high) / 2 for low, high in pairwise(histogram_bin_edges)]
    figure = stacked_histogram(
        histogram_bin_edges,
        {"kept": histogram.uncut_counts, "past the line": histogram.candidate_counts},
        "kept",
        f"{label} about %{{customdata}}: %{{y}} gaps",
        height=250,
    )
    draw_labelled_line(figure, threshold, f"line {format_number(threshold, '.2f')}")
    tallest_bar_gap_count = max(map(sum, zip(histogram.uncut_counts, histogram.candidate_counts, strict=True)), default=0)
    for series_name, labelled_bar_index, label_anchor in _series_label_positions(histogram):
        figure.add_annotation(
            x=histogram_bin_middles[labelled_bar_index],
            y=histogram.uncut_counts[labelled_bar_index] + histogram.candidate_counts[labelled_bar_index],
            yanchor="bottom",
            xanchor=label_anchor,
            text=series_name,
            showarrow=False,
        )
    figure.update_layout(
        # With few bars Plotly would label their midpoints, which are not round numbers.
        xaxis={"title": label, "tick0": 0, "dtick": _round_tick_spacing(histogram_bin_edges[-1] - histogram_bin_edges[0])},
        yaxis={"title": "Number of gaps", "range": [0, 1.2 * tallest_bar_gap_count]},
    )
    return figure


def _series_label_positions(histogram: ScoreHistogram) -> list[tuple[str, int, str]]:
    """Return the label of each kind of bar, the index of its tallest bar, and the anchor of the label."""
    series_names_and_bar_heights = (("kept", histogram.uncut_counts), ("past the line", histogram.candidate_counts))
    series_names_and_tallest_bars = [
        (name, max(range(len(counts)), key=counts.__getitem__))
        for name, counts in series_names_and_bar_heights
        if any(counts)
    ]
    tallest_bar_indexes = [place for _, place in series_names_and_tallest_bars]
    if len(series_names_and_tallest_bars) < 2 or abs(tallest_bar_indexes[0] - tallest_bar_indexes[1]) > 1:
        return [(name, place, "center") for name, place in series_names_and_tallest_bars]
    # Labels of adjacent bars extend away from each other.
    series_index_with_leftmost_peak = min(range(2), key=lambda at: (tallest_bar_indexes[at], at))
    return [
        (name, place, "right" if at == series_index_with_leftmost_peak else "left")
        for at, (name, place) in enumerate(series_names_and_tallest_bars)
    ]


def _round_tick_spacing(axis_value_range: float) -> float:
    """Return a round tick spacing that divides ``axis_value_range`` into at most six steps."""
    power_of_ten: float = 10 ** math.floor(math.log10(axis_value_range / 6))
    return next(size * power_of_ten for size in (1, 2, 5, 10) if axis_value_range <= 6 * size * power_of_ten * (1 + 1e-9))


def staircase_figure(staircase: Staircase, amount: float, amount_axis_title: str) -> go.Figure:
    """Return a figure with the number of chunks (top) and their sizes (bottom) for each threshold amount.

    Bands mark the ranges of amounts that give the same chunks, and a line marks the current amount.
    """
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    figure = make_subplots(2, 1, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.55, 0.45])
    for subplot_row, series_name, chunk_counts_or_sizes, dash_style in (
        (1, "chunks", staircase.chunks, "solid"),
        (2, "largest", staircase.largest, "solid"),
        (2, "median", staircase.median, "dot"),
    ):
        figure.add_trace(
            go.Scatter(
                x=staircase.amounts,
                y=chunk_counts_or_sizes,
                name=series_name,
                mode="lines",
                line={"shape": "hv", "color": theme_colour_by_role["ink"], "width": 1.8, "dash": dash_style},
                hovertemplate=f"at %{{x}}: {series_name} %{{y:,.0f}}<extra></extra>",
            ),
            subplot_row,
            1,
        )
    label_index = _size_label_index(staircase, amount)
    overall_largest_chunk_size = max(staircase.largest, default=0)
    for series_name, chunk_counts_or_sizes in (("largest", staircase.largest), ("median", staircase.median)):
        is_label_below_curve = (
            series_name == "median" and chunk_counts_or_sizes[label_index] > 0.2 * overall_largest_chunk_size
        )
        label_position_settings = {
            "x": staircase.amounts[label_index],
            "y": chunk_counts_or_sizes[label_index],
            "yanchor": "top" if is_label_below_curve else "bottom",
            "row": 2,
            "col": 1,
        }
        figure.add_annotation(
            text=series_name, showarrow=False, bgcolor=theme_colour_by_role["page"], borderpad=0, **label_position_settings
        )
    draw_labelled_line(figure, amount, f"now {format_number(amount)}")
    # All bands in one call, because `add_vrect` slows down with every existing shape.
    figure.layout.shapes += (*_flat_stretch_bands(staircase, amount),)
    figure.update_layout(height=380, showlegend=False)
    figure.update_xaxes(title=amount_axis_title, row=2)
    figure.update_yaxes(title="Number of chunks", rangemode="tozero", row=1)
    figure.update_yaxes(title="Characters per chunk", rangemode="tozero", row=2)
    return figure


def _flat_stretch_bands(staircase: Staircase, amount: float) -> list[dict[str, Any]]:
    """Return a band for each stretch in each of the two rows."""
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    flat_stretch_shapes = []
    for stretch_index, stretch in enumerate(staircase.flat_stretches):
        is_current_stretch = stretch.low <= amount <= stretch.high
        band_extent = {"x0": stretch.low, "x1": stretch.high, "y0": 0, "y1": 1}
        stretch_shape_settings = {"type": "rect", **band_extent, "line": {"width": 0}, "layer": "below"}
        stretch_shape_settings |= {
            "fillcolor": theme_colour_by_role["accent" if is_current_stretch else "muted"],
            "opacity": 0.16 if is_current_stretch else (0.1, 0.16)[stretch_index % 2],
        }
        flat_stretch_shapes += [stretch_shape_settings | {"xref": f"x{row}", "yref": f"y{row} domain"} for row in ("", "2")]
    return flat_stretch_shapes


def _size_label_index(staircase: Staircase, current_threshold_amount: float) -> int:
    """Return the index at which both size curves are labelled: the one where they are furthest apart.

    Indices near the edges or near the line at ``current_threshold_amount`` are avoided.
    """
    threshold_amount_count = len(staircase.amounts)
    threshold_amount_span = staircase.amounts[-1] - staircase.amounts[0]
    inner_amount_indexes = range(threshold_amount_count // 6, threshold_amount_count - threshold_amount_count // 6)
    free_label_indexes = [
        at
        for at in inner_amount_indexes
        if abs(staircase.amounts[at] - current_threshold_amount) > threshold_amount_span / 6
    ] or range(threshold_amount_count)
    return max(free_label_indexes, key=lambda at: staircase.largest[at] - staircase.median[at])
