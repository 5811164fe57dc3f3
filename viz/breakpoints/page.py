"""The Breakpoints page: the greedy chunker's curve and text, what its slider does, every gap, and the scan step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st

from chunkers import Breakpoint, Chunking
from chunkers.methods.similarity_reading import has_similarity_reading
from chunkers.registry import chunker_class
from chunkers.result import Verdict
from evaluation.segmentation.chunk_facts import against_known, boundaries, sentence_counts
from sample_docs import sample_splitters
from viz.breakpoints.gap_table import ledger
from viz.breakpoints.scores import show_scores
from viz.breakpoints.shown import Shown, shown_of
from viz.breakpoints.steps import show_steps
from viz.components.notice import notice
from viz.components.reader.reader import Column, Result, Row, reader, take_event
from viz.controls.chunker import parameter_controls
from viz.controls.embedder import ask_about_embedder
from viz.controls.link_widgets import seed, switch
from viz.controls.shared import shared_controls
from viz.jobs.chunking import ChunkingJob
from viz.shell.page import close_page, open_page
from viz.shell.progress import show_progress
from viz.shell.results import ColumnResult, run_columns
from viz.state.choices import Choices, ColumnChoice, effective
from viz.state.embedder import defaults_of
from viz.state.text import Source, Text
from viz.theme import palette

PAGE = "breakpoints"
READER = "reader"

VIEWS = {"scores": "Scores", "gaps": "Gaps", "steps": "Steps"}
"""What stands beside the text, as the link calls it and as the page does."""

READINGS = {"distance": "distance", "similarity": "similarity"}
MOST_MARGIN = 0.5

DEFAULT_COLUMN = ColumnChoice("breakpoint", {"amount": 72.0, "buffer": 1})
"""On the first sample it cuts a lone title line off, and all but cuts before the next."""


def show() -> None:
    """Draw the page."""
    come_with = _from_compare()
    document, sentences = next(iter(sample_splitters().items()))
    rest = {"view": "scores", "axis": "distance", "margin": "0.02", "step": "1"}
    opened = open_page(PAGE, Choices(document, sentences, [DEFAULT_COLUMN], extra=rest))
    choices, text = opened.choices, opened.text
    if come_with is not None:
        choices.columns = [come_with]
    _one_breakpoint(choices)
    column = choices.columns[0]
    line = take_event(READER, "line")
    if line is not None:
        column.parameters[str(line["parameter"])] = float(line["value"])
    view, axis, margin = _word(choices, "view", VIEWS), _word(choices, "axis", READINGS), _margin(choices)
    wanted = [column]
    if view == "steps":
        wanted += [ColumnChoice("optimal"), ColumnChoice("breakpoint", {"buffer": 0})]
    made = run_columns(opened, text, wanted) if text is not None else [ColumnResult(column)]
    with st.sidebar:
        defaults = defaults_of(opened.embedder, column.chunker)
        parameter_controls(0, column, made[0].chunker, defaults)
        _choose_axis(choices, made[0].chunker)
        _choose_margin(choices, margin)
        shared_controls(choices, opened.embedder)
    ask_about_embedder(choices)
    if text is None:
        return
    show_progress(made)
    shown = shown_of(made[0], axis)
    palette.colour_page()
    left, right = st.columns([8, 5], gap="medium")
    with left:
        reader(
            text.document,
            [_column(made[0], shown, text.source)],
            title=text.source.name,
            summary=_summary(text),
            selected=0,
            known=text.source.known,
            key=READER,
            margin=margin,
        )
    with right, st.container(key="beside"):
        switch("Beside the text", choices.extra, "view", VIEWS, f"{PAGE}/view", hidden=True)
        if shown is None:
            notice("There is nothing to show before the text is cut.", key="nothing_beside")
        elif not shown.chunking.curves or not shown.chunking.curves[0].scores:
            notice("The text has no two sentences, so there is no gap to decide.", key="no_gap")
        elif view == "scores":
            show_scores(shown, text, opened.embedder, choices)
        elif view == "gaps":
            ledger(shown.chunking, shown.identity, margin, key="ledger")
        else:
            show_steps(shown, made, text.document, opened.embedder, choices, margin)
    close_page(opened)


# What the page takes from elsewhere


def _from_compare() -> ColumnChoice | None:
    """Return a copy of the column that was selected on Compare, where the user comes from there and it is one of ours."""
    session = st.session_state
    if session.get("page") != "compare" or "c1" in st.query_params:
        return None
    compared: Choices = session["choices/compare"]
    column = compared.columns[compared.selected]
    return ColumnChoice("breakpoint", dict(column.parameters)) if column.chunker == "breakpoint" else None


def _one_breakpoint(choices: Choices) -> None:
    """Hold the page to its one chunker, whatever the link names."""
    first = choices.columns[0]
    if first.chunker != "breakpoint":
        notice(f"This page is about breakpoint alone; the link's c1 is {first.chunker}.", "error", key="other_chunker")
        first = ColumnChoice("breakpoint")
    choices.columns = [first]
    choices.selected = 0


def _word(choices: Choices, name: str, allowed: Mapping[str, str]) -> str:
    word = choices.extra[name]
    if word in allowed:
        return word
    notice(f"The link's {name} must be one of {', '.join(allowed)}; got {word[:60]!r}.", "error", key=f"bad_{name}")
    return next(iter(allowed))


def _margin(choices: Choices) -> float:
    word = choices.extra["margin"]
    try:
        margin = float(word)
    except ValueError:
        margin = math.nan
    if 0 <= margin <= MOST_MARGIN:
        return margin
    notice(f"The link's margin must be a number from 0 to {MOST_MARGIN:g}; got {word[:60]!r}.", "error", key="bad_margin")
    return 0.02


# The controls that are this page's own


def _choose_axis(choices: Choices, chunker: object) -> None:
    if not (isinstance(chunker, Breakpoint) and has_similarity_reading(chunker)):
        return
    said = "Similarity is 1 less the distance: curve, line and words turn over together, the cuts stay."
    switch("Read the curve as", choices.extra, "axis", READINGS, f"{PAGE}/axis", help=said)


def _choose_margin(choices: Choices, margin: float) -> None:
    key = f"{PAGE}/margin"
    seed(key, margin)

    def changed() -> None:
        choices.extra["margin"] = f"{st.session_state[key]:g}"

    st.number_input(
        "Near the line is within",
        0.0,
        MOST_MARGIN,
        step=0.01,
        format="%.2f",
        key=key,
        on_change=changed,
        help="A gap whose score is no further than this from the line, on either side: another text would tip it.",
    )


# The text


def _column(made: ColumnResult, shown: Shown | None, chosen: Source) -> Column:
    title = chunker_class("breakpoint").title
    if made.chunker is None:
        values = effective(made.choice, {})
        said = ", ".join(f"{name} {value}" for name, value in values.items() if name in made.choice.parameters)
        return Column(title, said, message=made.error, tone="error")
    subtitle = made.chunker.describe()
    if made.error:
        return Column(title, subtitle, message=made.error, tone="error")
    if shown is None:
        job: ChunkingJob | None = st.session_state.get("job")
        stopped = job is not None and job.cancelled
        return Column(title, subtitle, message="Stopped before it was embedded." if stopped else "Being embedded …")
    result = Result(shown.identity, shown.chunker, shown.chunking)
    return Column(title, subtitle, result, tuple(_rows(shown.chunking, chosen)), notes=shown.chunking.notes)


def _rows(chunking: Chunking, chosen: Source) -> list[Row]:
    """Return the head of the column: how many, how large, what the sizes changed, how wrong."""
    counts = sentence_counts(chunking)
    rows = [Row("chunks", f"{len(counts):,}")]
    if counts:
        rows.append(Row("sentences", f"{min(counts):,} to {max(counts):,}"))
    rejected = sum(gap.verdict is Verdict.REJECTED for gap in chunking.gaps)
    forced = sum(gap.verdict is Verdict.FORCED for gap in chunking.gaps)
    if rejected or forced:
        candidates = rejected + sum(gap.verdict is Verdict.CUT for gap in chunking.gaps)
        rows.append(Row("candidates", f"{candidates:,}, of which {rejected:,} rejected; cuts forced: {forced:,}"))
    if chosen.known is not None:
        found, missed, added = against_known(boundaries(chunking), chosen.known)
        wrong = f"{missed} missed, {added} added"
        right = f"all {found} found, none added" if found else "one topic, not cut"
        rows.append(Row("against known", wrong, "wrong") if missed or added else Row("against known", right))
    return rows


def _summary(text: Text) -> str:
    parts = [f"{len(text.document.sentences):,} sentences", f"{len(text.document.text):,} characters"]
    return " · ".join([*parts, text.source.teaches] if text.source.teaches else parts)
