"""Changes that keep a marked answer whole: searched for the columns that fail it, sent to the browser, added as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from chunkers import Chunker, Document, Embedder
from evaluation.asking.answer import checked_answer
from evaluation.asking.remedies import Remedy
from evaluation.questions.marked_file import Marked
from viz.compare.asking.payload import AskedColumn, ColumnRemedies, RemedyLine
from viz.jobs.asking.job import AskJob
from viz.jobs.asking.remedies import Outcome, RemedyJob
from viz.shell.navigation import go_at_next_run
from viz.shell.results import ColumnResult
from viz.state.choices import ColumnChoice
from viz.state.compared import add_to_compare, compare_is_full, index_on_compare
from viz.state.embedder import defaults_of
from viz.state.kept_questions import posed_about
from viz.state.keys import session
from viz.theme.numbers import counted

LONGEST, LONGEST_HYBRID = 100_000, 20_000
"""Characters of a text up to which the search begins by itself, and where both rankings need every chunk's embedding."""


def find_remedies(
    asking: AskJob,
    document: Document,
    made: Sequence[ColumnResult],
    found: Sequence[AskedColumn | None],
    answer: Marked,
    known: tuple[int, ...] | None,
) -> list[ColumnRemedies | None]:
    """Return the remedies so far for every column that fails the question; start the search where it takes no request."""
    failing = [
        (number, one.task, one.chunker, one.chunking)
        for number, (one, column) in enumerate(zip(made, found, strict=True))
        if column is not None and column["fate"] is not None and not column["fate"]["good"]
        if one.task is not None and one.chunker is not None and one.chunking is not None
    ]
    # A language model would have to write the context sentences of other chunks.
    if not failing or asking.inquiry.embedded_as == "context":
        return [None for _ in made]
    job = RemedyJob(
        asking.inquiry,
        checked_answer(document.text, answer.start, answer.start + len(answer.answer)),
        posed_about(document, answer.question),
        known,
        failing,
        asking.embedder,
        session.on_disk,
        asking.reranker,
    )
    before = session.remedy_job
    same = before is not None and before.question == job.question
    if before is not None and same:
        job.found.update(before.found)
    if before is not None and same and before.tasks == job.tasks:
        job = before
    else:
        session.remedy_job = job
        if not job.done and _is_automatic(job, document):
            job.start()
    sent: list[ColumnRemedies | None] = [None for _ in made]
    for number, task, _, _ in failing:
        sent[number] = _sent(job, job.found.get(task))
    return sent


def _is_automatic(job: RemedyJob, document: Document) -> bool:
    """Return whether the search is quick enough to begin by itself, and sends nothing anywhere."""
    method = job.inquiry.method
    sends = method != "bm25" and job.embedder is not None and job.embedder.remote
    longest = LONGEST_HYBRID if method == "hybrid" else LONGEST
    return job.reranker is None and not sends and len(document.text) <= longest


def begin_search() -> None:
    """Start the search, or go on with one that was stopped."""
    job = session.remedy_job
    if job is not None and not job.running:
        session.remedy_job = job = job.again()
        job.start()


def stop_search() -> None:
    """Stop the search; what it has found stays."""
    if session.remedy_job is not None:
        session.remedy_job.cancel()


def take_remedy(event: Mapping[str, Any], embedder: Embedder | None) -> None:
    """Add the remedy that the user wants to try as a column, or open Tune."""
    if event.get("tune"):
        go_at_next_run("tune")
        st.rerun()
    job = session.remedy_job
    outcomes = [*job.found.values()] if job is not None else []
    for remedy in (remedy for outcome in outcomes for remedy in outcome.remedies):
        if _identity(remedy.variation.chunker) == event.get("setting"):
            add_to_compare(_choice(remedy.variation.chunker, embedder))
            return


def _identity(chunker: Chunker) -> str:
    return f"{chunker.name} {chunker.model_dump_json()}"


def _choice(chunker: Chunker, embedder: Embedder | None) -> ColumnChoice:
    """Return the column with exactly these parameters."""
    values, defaults = chunker.model_dump(), defaults_of(embedder, chunker.name)
    changed = {
        spec.name: values[spec.name]
        for spec in type(chunker).fields(values)
        if values[spec.name] != defaults.get(spec.name, spec.default)
    }
    return ColumnChoice(chunker.name, changed)


def _sent(job: RemedyJob, outcome: Outcome | None) -> ColumnRemedies:
    if outcome is not None:
        none = f"None of {counted(outcome.tried, 'tried setting')} keeps it whole." if outcome.tried else NOTHING_TRIED
        lines = [_line(remedy, job.embedder) for remedy in outcome.remedies]
        return {"state": "done", "share": 1.0, "said": "" if lines else none, "lines": lines, "full": compare_is_full()}
    share, said = job.progress()
    state = "looking" if job.running and not job.cancelled else "failed" if job.error else "offered"
    said = said if state == "looking" else job.error if state == "failed" else "Stopped." if job.cancelled else ""
    return {"state": state, "share": share, "said": said, "lines": [], "full": False}


NOTHING_TRIED = "No other setting can be tried without embedding the text anew."


def _line(remedy: Remedy, embedder: Embedder | None) -> RemedyLine:
    chunker = remedy.variation.chunker
    choice = _choice(chunker, embedder)
    said = [f"{counted(remedy.chunks, 'chunk')} of ~{counted(round(remedy.tokens), 'token')}"]
    if remedy.marks is not None:
        before, after, _ = remedy.marks
        said.append(f"boundaries {before}\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}{after}")
    if remedy.others:
        changed = [f"{count} {what}" for count, what in ((remedy.won, "won"), (remedy.lost, "lost")) if count]
        said.append(f"{counted(remedy.others, 'other question')}: {', '.join(changed) or 'unchanged'}")
    return {
        "setting": _identity(chunker),
        "words": remedy.variation.words,
        "said": said,
        "column": index_on_compare(choice, defaults_of(embedder, chunker.name)),
    }
