"""The Steps view of the Breakpoints page: a chunker's decisions, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from chunkers import Cancelled, Chunking, Embedder, Tools, load_tokenizer
from chunkers.methods.change_point import ChangePoint
from chunkers.methods.max_min import MaxMin
from chunkers.methods.optimal import Optimal
from chunkers.methods.structure import Structure
from evaluation.segmentation.chunk_facts import sentence_counts
from evaluation.segmentation.cohesion import Similarities, StretchComparison, compare
from viz.breakpoints.change_point_story import change_point_steps
from viz.breakpoints.displayed_result import DisplayedResult
from viz.breakpoints.max_min_story import max_min_steps
from viz.breakpoints.optimal_steps import show_table
from viz.breakpoints.story import scan_steps
from viz.breakpoints.structure_story import structure_steps
from viz.components.notice import notice
from viz.components.stepper.stepper import Step, stepper
from viz.jobs.chunking import Task, sentence_vectors, tools_to_repeat
from viz.jobs.texts import kept
from viz.shell.results import ColumnResult
from viz.state.choices import Choices
from viz.state.keys import session
from viz.state.text import Text

MOST_SCANNED = 10_000_000
"""Most pairs of sentences for which Max–Min's scan is repeated to show its numbers in the steps; repeating it takes
half a second. A single chunk of 4,400 sentences has as many pairs."""


def show_steps(
    shown: DisplayedResult,
    results: list[ColumnResult],
    text: Text,
    embedder: Embedder | None,
    choices: Choices,
    margin: float,
) -> None:
    """Draw a stepper through the chunker's decisions; the cuts of a greedy one are compared with the optimal partition."""
    if isinstance(shown.chunker, Optimal):
        show_table(shown, shown.chunker, results[1], text, embedder, choices)
        return
    steps: list[Step] | None = None
    if isinstance(shown.chunker, ChangePoint):
        steps = _told_of_change_point(shown, shown.chunker, margin)
    elif isinstance(shown.chunker, Structure):
        with suppress(Cancelled):
            steps = _told_of_structure(shown, shown.chunker, embedder)
    else:
        steps = _greedy_steps(shown, results, embedder, margin)
    if steps is None:
        notice(
            "There are no steps, because making them takes too long for this text. Choose a shorter text.", key="no_steps"
        )
    else:
        stepper(steps, choices.extra, key="stepper", known=bool(text.source.known))


def _greedy_steps(
    shown: DisplayedResult, results: list[ColumnResult], embedder: Embedder | None, margin: float
) -> list[Step]:
    _, best, sentences = results
    compared: Mapping[int, StretchComparison] | None = None
    if best.error:
        notice(f"The cuts cannot be compared with those of “optimal”: {best.error}", "error", key="optimal_error")
    elif best.chunking is not None and best.task is not None and sentences.chunking is not None and embedder is not None:
        with suppress(Cancelled):
            compared = _compared(shown.identity[0], best.task, shown.chunking, best.chunking, embedder)
    elif results[0].chunking is not None:
        notice("The cuts will be compared with those of “optimal” as soon as these have been computed.", key="optimal_waits")
    if isinstance(shown.chunker, MaxMin) and embedder is not None:
        pairs = _pairs(shown.chunking)
        if pairs > MOST_SCANNED:
            notice(
                f"The steps show no numbers, because numbers are shown for at most {MOST_SCANNED:,} compared pairs of "
                f"sentences, and this text has {pairs:,}. Choose a shorter text to see them.",
                key="long_scan",
            )
        else:
            with suppress(Cancelled):
                return _told_of_max_min(shown, shown.chunker, margin, compared, embedder)
    return _told(shown, margin, compared)


@kept(8, lambda task, best_task, *_: (task.document, task, best_task))
def _compared(
    task: Task, best_task: Task, chunking: Chunking, best: Chunking, embedder: Embedder
) -> Mapping[int, StretchComparison]:
    # The sentences are embedded by the page's own job, for the chunker without a buffer.
    vectors = sentence_vectors(chunking.document, embedder, task.tokenizer, session.on_disk)
    return compare(chunking, best, Similarities(vectors))


def _pairs(chunking: Chunking) -> int:
    """Count the pairs of sentences within the same chunk, which the scan compares."""
    return sum(count * (count - 1) // 2 for count in sentence_counts(chunking))


@kept(8, lambda shown, margin, compared: (shown.identity[0].document, shown.identity, margin, compared is None))
def _told(shown: DisplayedResult, margin: float, compared: Mapping[int, StretchComparison] | None) -> list[Step]:
    return scan_steps(shown.chunking, margin, compared)


@kept(
    8,
    lambda shown, chunker, margin, compared, embedder: (
        shown.identity[0].document,
        shown.identity,
        margin,
        compared is None,
    ),
)
def _told_of_max_min(
    shown: DisplayedResult,
    chunker: MaxMin,
    margin: float,
    compared: Mapping[int, StretchComparison] | None,
    embedder: Embedder,
) -> list[Step]:
    tokenizer = shown.identity[0].tokenizer
    vectors = sentence_vectors(shown.chunking.document, embedder, tokenizer, session.on_disk).astype(np.float64)
    scanned = list(chunker.scan(vectors, Tools(None, load_tokenizer(tokenizer))))
    return max_min_steps(shown.chunking, chunker, scanned, margin, compared)


@kept(8, lambda shown, chunker, margin: (shown.identity[0].document, shown.identity, margin))
def _told_of_change_point(shown: DisplayedResult, chunker: ChangePoint, margin: float) -> list[Step]:
    return change_point_steps(shown.chunking, chunker, margin)


@kept(8, lambda shown, chunker, embedder: (shown.identity[0].document, shown.identity))
def _told_of_structure(shown: DisplayedResult, chunker: Structure, embedder: Embedder | None) -> list[Step]:
    document = shown.chunking.document
    at_hand = embedder.for_document(document) if embedder is not None and chunker.embeds else None
    scanned = chunker.scan(document, tools_to_repeat(at_hand, shown.identity[0].tokenizer, session.on_disk))
    return structure_steps(shown.chunking, chunker, scanned)
