"""What stands beside the text on the Breakpoints page: the scores of all gaps, and the greedy scan step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

import streamlit as st
from cachetools import LRUCache, cached

from chunkers import Breakpoint, Cancelled, Chunking, Document, Embedder
from chunkers.methods.similarity_reading import Turned, as_similarity, can_turn
from evaluation.segmentation.cohesion import Comparison, Similarities, compare
from evaluation.segmentation.staircase import FLAT, Staircase, histogram, staircase
from viz.breakpoints import figures
from viz.breakpoints import story as greedy
from viz.components.reader.reader import notice
from viz.components.stepper.stepper import Step, stepper
from viz.jobs import chunking as work
from viz.shell import results as runs
from viz.shell.page import Text
from viz.state.choices import Choices
from viz.theme.figure import show_figure


@dataclass(frozen=True)
class Shown:
    """The result as the page shows it: read as distance or as similarity, and named by ``identity``."""

    identity: tuple[work.Task, str]
    chunker: Breakpoint
    chunking: Chunking


def shown_of(made: runs.Made, axis: str) -> Shown | None:
    """Return the result read along that axis; None while there is none."""
    if made.task is None or made.chunking is None or not isinstance(made.chunker, Breakpoint):
        return None
    if axis == "similarity" and can_turn(made.chunker) and made.chunking.curves:
        return Shown((made.task, axis), Turned(**made.chunker.model_dump()), _turned(made.task, made.chunking))
    return Shown((made.task, "distance"), made.chunker, made.chunking)


@cached(LRUCache(8), key=lambda task, chunking: task, lock=Lock())
def _turned(task: work.Task, chunking: Chunking) -> Chunking:
    return as_similarity(chunking)


# The scores


def show_scores(shown: Shown, text: Text, embedder: Embedder | None, choices: Choices) -> None:
    """Draw the histogram of the scores, and the staircase from the amount to the chunks."""
    chunker, curve = shown.chunker, shown.chunking.curves[0]
    level = curve.lines[0].level
    if math.isnan(level):
        notice(f"No gap has a {curve.label}: it needs a gap beside it.", key="no_scores")
        return
    counted = histogram(curve.scores, level, curve.cut_above)
    table = {
        f"{curve.label} from": [f"{edge:.3f}" for edge in counted.edges[:-1]],
        "to": [f"{edge:.3f}" for edge in counted.edges[1:]],
        "kept": counted.short,
        "past the line": counted.beyond,
    }
    st.subheader(f"The {curve.label} of every gap", anchor=False)
    show_figure(figures.score_histogram(counted, level, curve.label), table, "Histogram", "histogram")
    task = shown.identity[0]
    on_disk = bool(st.session_state.get("on_disk"))

    def chunk(other: Breakpoint) -> Chunking:
        there = work.Task.of(text.identity, text.document, embedder, choices.tokenizer, other)
        made = work.at_once(there, other, text.document, embedder, on_disk)
        assert made is not None  # the amount changes nothing of what is embedded
        return made

    plain = Breakpoint(**chunker.model_dump())
    scores = tuple(1 - score for score in curve.scores) if isinstance(chunker, Turned) else curve.scores
    stairs = _stairs(task, text.document, plain, scores, chunk)
    rule = chunker.rule
    st.subheader("What the slider does", anchor=False)
    st.caption(_flat_words(stairs, chunker.amount))
    figure = figures.staircase_figure(stairs, chunker.amount, rule.title)
    columns = {
        rule.title: stairs.amounts,
        "chunks": stairs.chunks,
        "median characters": stairs.median,
        "largest": stairs.largest,
    }
    show_figure(figure, columns, "Staircase", "staircase")


@cached(
    LRUCache(16),
    key=lambda task, document, chunker, scores, chunk: (
        *(part for name, part in vars(task).items() if name != "chunker"),
        chunker.model_copy(update={"amount": 0.0}),
    ),
    lock=Lock(),
)
def _stairs(task: work.Task, document: Document, chunker: Breakpoint, scores: tuple[float, ...], chunk: object) -> Staircase:
    return staircase(document, chunker, scores, chunk)  # type: ignore[arg-type]


def _flat_words(stairs: Staircase, amount: float) -> str:
    """Say where the slider does nothing: here, or at its widest stretch."""
    here = stairs.around(amount)
    if here is not None:
        words = here.words()
        return f"{words[0].upper()}{words[1:]}. Bands are stretches that make the same chunks."
    if not stairs.flat:
        return f"Nowhere do {FLAT} amounts of the slider in a row make the same chunks."
    widest = max(stairs.flat, key=lambda stretch: stretch.high - stretch.low)
    return f"A few steps from here the chunks change; {widest.words()}. Bands are stretches that make the same chunks."


# The steps


def show_steps(
    shown: Shown, made: list[runs.Made], document: Document, embedder: Embedder | None, choices: Choices, margin: float
) -> None:
    """Draw the stepper through the greedy scan, with what the best partition did at every cut."""
    _, best, sentences = made
    compared: Mapping[int, Comparison] | None = None
    if best.error:
        notice(f"optimal, which every cut is compared with: {best.error}", "error", key="optimal_error")
    elif best.chunking is not None and best.task is not None and sentences.chunking is not None and embedder is not None:
        with suppress(Cancelled):
            compared = _compared(shown.identity[0], best.task, shown.chunking, best.chunking, embedder)
    elif made[0].chunking is not None:
        notice("Each cut is told without “optimal” until that is computed.", key="optimal_waits")
    stepper(_told(shown, margin, compared), choices, key="stepper")


@cached(LRUCache(8), key=lambda task, best_task, *_: (task, best_task), lock=Lock())
def _compared(
    task: work.Task, best_task: work.Task, chunking: Chunking, best: Chunking, embedder: Embedder
) -> Mapping[int, Comparison]:
    # The page's job has embedded all of it; the rest would be another job's to embed.
    vectors = work.vectors(chunking.document, embedder, task.tokenizer, bool(st.session_state.get("on_disk")))
    return compare(chunking, best, Similarities(vectors))


@cached(LRUCache(8), key=lambda shown, margin, compared: (shown.identity, margin, compared is None), lock=Lock())
def _told(shown: Shown, margin: float, compared: Mapping[int, Comparison] | None) -> list[Step]:
    return greedy.steps(shown.chunking, margin, compared)
