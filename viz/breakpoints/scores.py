"""The Scores view of the Breakpoints page: a histogram of the scores, and the chunks for each amount."""

from __future__ import annotations

import math

import streamlit as st

from chunkers import Breakpoint, Chunking, Document, Embedder
from chunkers.methods.similarity_reading import SimilarityReading
from chunkers.support.numbers import signed
from evaluation.segmentation.staircase import FLAT, Staircase, histogram, staircase
from viz.breakpoints.displayed_result import DisplayedResult
from viz.breakpoints.figures import score_histogram, staircase_figure
from viz.components.figure import show_figure
from viz.components.notice import notice
from viz.jobs.chunking import Task, chunk_at_once
from viz.jobs.texts import kept
from viz.state.choices import Choices
from viz.state.keys import session
from viz.state.text import Text


def show_scores(shown: DisplayedResult, text: Text, embedder: Embedder | None, choices: Choices) -> None:
    """Draw a histogram of the gap scores, and the number and sizes of chunks for each threshold amount."""
    chunker, curve = shown.chunker, shown.chunking.curves[0]
    assert isinstance(chunker, Breakpoint)  # the page offers this view for no other
    level = curve.lines[0].level
    if math.isnan(level):
        notice(
            f"No gap has a {curve.label}, because the score needs a neighbouring gap. Choose a longer text.", key="no_scores"
        )
        return
    counted = histogram(curve.scores, level, curve.cut_above)
    table = {
        f"{curve.label} from": [signed(edge, ".3f") for edge in counted.edges[:-1]],
        "to": [signed(edge, ".3f") for edge in counted.edges[1:]],
        "kept": counted.short,
        "past the line": counted.beyond,
    }
    st.header(f"{curve.label.capitalize()} per gap", anchor=False)
    show_figure(score_histogram(counted, level, curve.label), table, "Histogram", "histogram")
    task = shown.identity[0]
    on_disk = session.on_disk

    def chunk(other: Breakpoint) -> Chunking:
        other_task = Task.of(text.document, embedder, choices.tokenizer, other)
        chunking = chunk_at_once(other_task, other, text.document, embedder, on_disk)
        assert chunking is not None  # the amount does not affect what is embedded
        return chunking

    plain = Breakpoint(**chunker.model_dump())
    scores = tuple(1 - score for score in curve.scores) if isinstance(chunker, SimilarityReading) else curve.scores
    stairs = _stairs(task, text.document, plain, scores, chunk)
    rule = chunker.rule
    st.header("Threshold effect", anchor=False)
    st.caption(_flat_words(stairs, chunker.amount))
    figure = staircase_figure(stairs, chunker.amount, rule.title)
    columns = {
        rule.title: stairs.amounts,
        "chunks": stairs.chunks,
        "median characters": stairs.median,
        "largest": stairs.largest,
    }
    show_figure(figure, columns, "Staircase", "staircase")


@kept(
    16,
    lambda task, document, chunker, scores, chunk: (
        task.document,
        *(part for name, part in vars(task).items() if name != "chunker"),
        chunker.model_copy(update={"amount": 0.0}),
    ),
)
def _stairs(task: Task, document: Document, chunker: Breakpoint, scores: tuple[float, ...], chunk: object) -> Staircase:
    return staircase(document, chunker, scores, chunk)  # type: ignore[arg-type]


def _flat_words(stairs: Staircase, amount: float) -> str:
    """Describe the stretch of amounts with the same chunks, around the current amount or else the widest one."""
    here = stairs.around(amount)
    if here is not None:
        words = here.words()
        return f"{words[0].upper()}{words[1:]}. Bands are stretches that make the same chunks."
    if not stairs.flat:
        return f"No {FLAT} consecutive amounts of the slider make the same chunks."
    widest = max(stairs.flat, key=lambda stretch: stretch.high - stretch.low)
    return f"A few steps from here the chunks change; {widest.words()}. Bands are stretches that make the same chunks."
