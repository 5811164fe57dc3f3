"""The Compare page: several chunkers on one text, side by side."""

from __future__ import annotations

import streamlit as st

from chunkers import Document, Embedder
from viz.compare import first_screen
from viz.compare.asking import settings
from viz.compare.asking.asking import answer_question, mark_answer
from viz.compare.facts import facts_of
from viz.compare.marking import marking_of, offers, take_marking
from viz.compare.reopened import say_reopened
from viz.compare.state.session import session
from viz.components.mounting import take_event
from viz.components.notice import notice
from viz.components.reader.reader import Column, reader
from viz.controls.chunker import column_controls
from viz.jobs.timing import time_again
from viz.shell import lecture
from viz.shell.card.preview import take_change
from viz.shell.card.verdicts import answer_verdicts
from viz.shell.column_head import column_of
from viz.shell.misfits import show_misfits
from viz.shell.page import page
from viz.shell.progress import show_progress
from viz.shell.results import ColumnResult, run_columns
from viz.state.asking import search_of
from viz.state.choices import Choices
from viz.state.compared import COMPARE, default_choices
from viz.state.text import Source, Text
from viz.theme.numbers import counted, duration, known_boundaries

READER = "reader"


def show() -> None:
    """Draw the Compare page."""
    # Above all elements that come and go; the page's style sheet hides it by its key.
    spot = st.container(key="store_spot")
    with page(COMPARE, default_choices()) as here:
        choices, text = here.choices, here.text
        settings.check(here)
        _take_events(choices, text, here.embedder)
        if text is None:
            with here.controls:
                column_controls(choices, None, here.embedder, elsewhere=True)
            return
        if complaint := take_marking(choices, text, READER):
            notice(complaint, "error", key="cuts_complaint")
        first_screen.wait_for(text.document)
        results = run_columns(here, text, choices.columns)
        show_progress(results)
        show_misfits(here.choices, results)
        say_reopened(results)
        hashes = reader(
            text.document,
            [_column(number, column, text, here.embedder) for number, column in enumerate(results)],
            title=text.source.name,
            summary=_summary(text.source),
            selected=choices.selected,
            known=text.source.known,
            key=READER,
            marking=marking_of(choices, text),
            offers=offers(choices),
            asking=settings.asking_data(choices, len(text.document.text)),
            card=True,
        )
        # Drawn last, as the browser takes longer for these settings than for the columns.
        with here.controls:
            column_controls(choices, results[choices.selected].chunker, here.embedder, elsewhere=True)
        if not lecture.is_on():
            with st.sidebar:
                _timing_controls(results, text.document, here.embedder)
        # What stands below the columns is imported when these are sent.
        from viz.compare.agreement import show_agreement
        from viz.compare.requested_views import show_requested_views

        with spot:
            why_not, known = here.embedder_complaint, text.source.known
            search = search_of(choices, len(text.document.text))
            answer_verdicts(text.document, results, hashes, here.embedder, known, search)
            answer_question(choices, text.document, results, hashes, here.embedder, why_not, known)
        show_agreement(here, text, results)
        show_requested_views(choices, results, text.source, here.embedder)


def _column(number: int, result: ColumnResult, text: Text, embedder: Embedder | None) -> Column:
    return column_of(result, lambda _: facts_of(number, result, text, embedder))


def _summary(chosen: Source) -> str:
    parts = []
    if chosen.known is not None:
        parts.append(known_boundaries(len(chosen.known)) if chosen.known else "one topic: no known boundary")
    job = session.job
    if job is not None and job.embedded and not lecture.is_on():
        parts.append(f"embedded {counted(job.embedded, 'text')} in {duration(job.embed_ms)}, once for all columns")
    if chosen.teaches:
        parts.append(chosen.teaches)
    return " · ".join(parts)


def _take_events(choices: Choices, text: Text | None, embedder: Embedder | None) -> None:
    """Apply the reader's events, such as a moved threshold, a selected column or a marked answer."""
    line, selected = take_event(READER, "line"), take_event(READER, "selected")
    if line and 0 <= line["column"] < len(choices.columns):
        choices.columns[line["column"]].put(str(line["parameter"]), float(line["value"]))
    if selected and 0 <= selected["column"] < len(choices.columns):
        choices.selected = int(selected["column"])
    asking, answer = take_event(READER, "asking"), take_event(READER, "answer")
    if asking:
        settings.take(choices, asking)
    kept = len(session.questions)
    if answer and text is not None:
        mark_answer(text.document, answer)
    if remedy := take_event(READER, "remedy"):
        # The search for remedies needs many modules, which the first screen does without.
        from viz.compare.asking.remedies import take_remedy

        take_remedy(remedy, embedder)
    if change := take_event(READER, "change"):
        take_change(COMPARE, change)
    if len(session.questions) > kept:
        # The row at the top, already drawn, offers to keep the question.
        st.rerun()


def _timing_controls(results: list[ColumnResult], document: Document, embedder: Embedder | None) -> None:
    def again() -> None:
        session.repeats = {
            column.task: time_again(column.task, column.chunker, document, embedder, session.on_disk)
            for column in results
            if column.task and column.chunker and not column.chunker.asks and not column.chunker.elsewhere
        }

    st.toggle(
        "Size statistics",
        key="all_sizes",
        help="Minimum, median, mean and maximum in sentences, words, characters and tokens.",
    )
    st.button(
        "Repeat timing", on_click=again, width="stretch", help="Times each column's decision 11 times: median and quartiles."
    )
