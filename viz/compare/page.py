"""The Compare page: choose, run, show."""

from __future__ import annotations

import streamlit as st

from chunkers import Document, Embedder
from chunkers.registry import chunker_class
from sample_docs import sample_splitters
from viz.compare.below import show_below
from viz.compare.facts import facts_of
from viz.compare.reopened import say_reopened
from viz.components.reader.reader import Column, Result, reader, take_event
from viz.controls.chunker import column_controls
from viz.controls.embedder import ask_about_embedder
from viz.controls.shared import shared_controls
from viz.jobs.chunking import ChunkingJob
from viz.jobs.timing import time_again
from viz.shell.page import close_page, open_page
from viz.shell.progress import show_progress
from viz.shell.results import ColumnResult, run_columns
from viz.state.choices import Choices, effective, first_screen
from viz.state.text import Source, sentences_said
from viz.theme.numbers import milliseconds

READER = "reader"


def show() -> None:
    """Draw the page."""
    opened = open_page("compare", first_screen(*next(iter(sample_splitters().items()))))
    choices, text = opened.choices, opened.text
    _take_events(choices)
    if text is None:
        with st.sidebar:
            column_controls(choices, None, opened.embedder)
            shared_controls(choices, opened.embedder)
        return
    made = run_columns(opened, text, choices.columns)
    with st.sidebar:
        column_controls(choices, made[choices.selected].chunker, opened.embedder)
        shared_controls(choices, opened.embedder)
        _timing_controls(made, text.document, opened.embedder)
    ask_about_embedder(choices)
    show_progress(made)
    say_reopened(made)
    reader(
        text.document,
        [_column(number, one, text.source, text.document, opened.embedder) for number, one in enumerate(made)],
        title=text.source.name,
        summary=_summary(text.document, text.source),
        selected=choices.selected,
        known=text.source.known,
        key=READER,
    )
    show_below(choices, made, text.source, opened.embedder)
    close_page(opened)


def _column(number: int, made: ColumnResult, chosen: Source, document: Document, embedder: Embedder | None) -> Column:
    """Return what the reader shows of a column."""
    title = chunker_class(made.choice.chunker).title
    if made.chunker is None:
        values = effective(made.choice, {})
        said = ", ".join(f"{name} {value}" for name, value in values.items() if name in made.choice.parameters)
        return Column(title, said, message=made.error, tone="error")
    if made.error:
        return Column(title, made.chunker.describe(), message=made.error, tone="error")
    if made.chunking is None:
        job: ChunkingJob | None = st.session_state.get("job")
        stopped = job is not None and job.cancelled
        return Column(
            title, made.chunker.describe(), message="Stopped before it was embedded." if stopped else "Being embedded …"
        )
    rows, table, fresh = facts_of(number, made, chosen, document, embedder)
    result = Result(made.task, made.chunker, made.chunking)
    return Column(title, made.chunker.describe(), result, rows, table, made.chunking.notes, fresh=fresh)


def _summary(document: Document, chosen: Source) -> str:
    parts = [sentences_said(document), f"{len(document.text):,} characters"]
    if chosen.known is not None:
        parts.append(f"{len(chosen.known)} known boundaries" if chosen.known else "one topic: no known boundary")
    job: ChunkingJob | None = st.session_state.get("job")
    if job is not None and job.embedded:
        parts.append(f"embedded {job.embedded:,} texts in {milliseconds(job.embed_ms)} ms, once for all columns")
    if chosen.teaches:
        parts.append(chosen.teaches)
    return " · ".join(parts)


def _take_events(choices: Choices) -> None:
    """Take from the reader, each once, the value at which a line was let go and the column that was clicked."""
    line, selected = take_event(READER, "line"), take_event(READER, "selected")
    if line and 0 <= line["column"] < len(choices.columns):
        choices.columns[line["column"]].parameters[str(line["parameter"])] = float(line["value"])
    if selected and 0 <= selected["column"] < len(choices.columns):
        choices.selected = int(selected["column"])


def _timing_controls(made: list[ColumnResult], document: Document, embedder: Embedder | None) -> None:
    def again() -> None:
        on_disk = bool(st.session_state.get("on_disk"))
        st.session_state["repeats"] = {
            one.task: time_again(one.task, one.chunker, document, embedder, on_disk)
            for one in made
            if one.task and one.chunker
        }

    st.toggle(
        "All sizes", key="all_sizes", help="Minimum, median, mean and maximum in sentences, words, characters and tokens."
    )
    st.button(
        "Time again", on_click=again, width="stretch", help="Runs every column's decision 11 times: median and quartiles."
    )
