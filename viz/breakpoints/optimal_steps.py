"""The Steps view of Optimal: its table, step by step, beside the heatmap on which its chunks are squares."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import streamlit as st

from chunkers import Cancelled, Chunking, Embedder
from chunkers.building_blocks.clustering import MOST_SENTENCES
from chunkers.building_blocks.partition import PartitionTable, mean_similarity
from chunkers.methods.optimal import Optimal
from evaluation.segmentation.measures import cuts_of, in_sentences, pk
from sample_docs import sample_titles
from viz.breakpoints.displayed_result import DisplayedResult
from viz.breakpoints.optimal_story import optimal_steps
from viz.components.heatmap.coloured import Coloured
from viz.components.heatmap.heatmap import heatmap
from viz.components.notice import notice
from viz.components.stepper.stepper import PACES, Step, stepper
from viz.jobs.chunking import sentence_vectors, tools_to_repeat
from viz.jobs.texts import kept
from viz.shell.results import ColumnResult
from viz.state.choices import Choices, ColumnChoice, fresh
from viz.state.keys import session
from viz.state.own_text import choose_document
from viz.state.text import Text

BEST_CASE = "emoji"
"""A sample whose boundary Optimal finds, and nothing else, while Breakpoint does so at no threshold."""


def opened(chunker: str) -> ColumnChoice:
    """Return a new column for a chunker on this page, where the steps of Optimal are about whole sentences."""
    return ColumnChoice(chunker, {"pieces": "sentences"}) if chunker == "optimal" else fresh(chunker)


def show_table(
    shown: DisplayedResult, chunker: Optimal, greedy: ColumnResult, text: Text, embedder: Embedder | None, choices: Choices
) -> None:
    """Draw the stepper and the heatmap side by side, and compare the result with ``greedy``."""
    if chunker.pieces != "sentences":
        notice("The steps are about whole sentences, and the pieces of this column are others.", key="other_pieces")
        st.button("Use whole sentences", on_click=choices.columns[0].put, args=("pieces", "sentences"))
        return
    count = len(text.document.sentences)
    if count > MOST_SENTENCES:
        notice(
            f"The steps go through at most {MOST_SENTENCES:,} sentences; this text has {count:,}. Choose a shorter text.",
            key="long_table",
        )
        return
    if embedder is None:
        return
    with suppress(Cancelled):
        vectors = sentence_vectors(text.document, embedder, choices.tokenizer, session.on_disk)
        table = _table(shown, chunker, embedder)
        mean = mean_similarity(vectors)
        left, over = st.columns(2)
        with left:
            stepper(_told(shown, table, mean), choices.extra, key="stepper", known=bool(text.source.known))
            _compare(shown.chunking, greedy, text, choices)
        with over:
            line = ("the mean", 1 - mean)
            plain = Coloured([0] * count, [0])
            heatmap(plain, vectors.astype(np.float64), 0.0, line, key="optimal_heatmap", lasts=table.lasts.tolist())


@kept(4, lambda shown, chunker, embedder: (shown.identity[0].document, shown.identity))
def _table(shown: DisplayedResult, chunker: Optimal, embedder: Embedder) -> PartitionTable:
    document = shown.chunking.document
    tools = tools_to_repeat(embedder.for_document(document), shown.identity[0].tokenizer, session.on_disk)
    return chunker.weigh(document, tools)[1]


@kept(4, lambda shown, table, mean: (shown.identity[0].document, shown.identity))
def _told(shown: DisplayedResult, table: PartitionTable, mean: float) -> list[Step]:
    return optimal_steps(shown.chunking, table, mean)


def _compare(chunking: Chunking, greedy: ColumnResult, text: Text, choices: Choices) -> None:
    """Say how far both results are from the known boundaries, and offer a text on which Optimal wins."""
    known = text.source.known
    # What is built up or predicted is not given away.
    if known and choices.extra["pace"] == PACES[0] and greedy.chunking is not None and greedy.chunker is not None:
        mine, other = (
            pk(in_sentences(text.document, known), in_sentences(text.document, cuts_of(result))).value
            for result in (chunking, greedy.chunking)
        )
        if mine is not None and other is not None:
            settings = greedy.chunker.describe()
            st.caption(f"Pk, lower is better: Optimal {mine:.2f}, Breakpoint {other:.2f} ({settings}).")
    if choices.document != BEST_CASE:
        st.button(
            f"Where it wins: {sample_titles()[BEST_CASE]}",
            on_click=choose_document,
            args=(choices, BEST_CASE),
            type="tertiary",
        )
