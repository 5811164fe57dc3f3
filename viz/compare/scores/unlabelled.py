"""Measures of Compare's columns that need no known boundaries: blocks, sizes, contrast, and the effect of edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from chunkers import Cancelled, Chunker, Chunking, Document, Embedder, InputError, Tools, build_chunker, load_tokenizer
from chunkers.recipes.registry import chunker_class
from chunkers.support.arrays import VectorArray
from chunkers.support.numbers import signed
from evaluation.segmentation.stability import EDITS, Stability, check_edits
from evaluation.segmentation.unlabelled import BASELINES, EXPLAINED, Unlabelled, sizes_of, unlabelled
from viz.compare.scores.table import CellData, HeadData, RowData, ScoresData, cell, draw
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice
from viz.jobs.chunking import Task, chunk_at_once, sentence_vectors
from viz.jobs.edits import Edits
from viz.jobs.texts import kept
from viz.shell.column_head import settings_of, waiting_words
from viz.shell.results import ColumnResult
from viz.state.choices import Choices
from viz.state.keys import session

_OF_EDITS = 3
"""Number of measures, the last ones, that are about edits."""


@dataclass(frozen=True)
class _Contender:
    """A column of Compare with its number from 0, or a trivial answer, which has none."""

    number: int | None
    name: str
    settings: str
    task: Task
    chunker: Chunker
    chunking: Chunking


def show_unlabelled(choices: Choices, made: Sequence[ColumnResult], document: Document, embedder: Embedder | None) -> None:
    """Draw a row for each column and trivial answer, and the button that measures the effect of edits."""
    vectors = _vectors(document, embedder, choices.tokenizer)
    contenders = [*_columns(made), *_trivial(document, choices.tokenizer)]
    found = _edits(document)
    heads: list[HeadData] = [{"label": name.capitalize(), "help": said} for name, said in EXPLAINED.items()]
    edited = [one for one in contenders if one.task in found]
    rows: list[RowData] = []
    for one in contenders:
        measured = _measured(one.task, one.chunking, one.chunker, vectors, embedder)
        edits = _edit_cells(found.get(one.task)) if edited else []
        rows.append(
            {
                "column": one.number,
                "title": one.name,
                "settings": one.settings,
                "message": "",
                "cells": [*_cells(measured, vectors is not None), *edits],
            }
        )
    rows += [_waiting(number, one) for number, one in enumerate(made) if not (one.chunking and one.task and one.chunker)]
    data: ScoresData = {
        "said": "Measures that need no known boundaries. None is a grade by itself: few cuts leave blocks whole, and short "
        "chunks are alike inside.",
        "note": f"An edit inserts one sentence of the text at one of {EDITS} places." if edited else "",
        "heads": heads if edited else heads[:-_OF_EDITS],
        "rows": rows,
        "limit": None,
        "chosen": choices.selected,
    }
    draw(data, choices, key="unlabelled")
    _offer_edits(contenders, document, embedder, found)


def _columns(made: Sequence[ColumnResult]) -> list[_Contender]:
    return [
        _Contender(number, chunker_class(one.choice.chunker).title, settings_of(one), one.task, one.chunker, one.chunking)
        for number, one in enumerate(made)
        if one.task is not None and one.chunker is not None and one.chunking is not None
    ]


def _trivial(document: Document, tokenizer: str) -> list[_Contender]:
    """Return the trivial answers, which embed nothing."""
    found = []
    for name, parameters in BASELINES:
        chunker = build_chunker("fixed_sentences", parameters)
        task = Task.of(document, None, tokenizer, chunker)
        chunking = chunk_at_once(task, chunker, document, None, False)
        if chunking is not None:
            found.append(_Contender(None, name, "", task, chunker, chunking))
    return found


def _waiting(number: int, one: ColumnResult) -> RowData:
    title = chunker_class(one.choice.chunker).title
    message = one.error or waiting_words()
    return {"column": number, "title": title, "settings": settings_of(one), "message": message, "cells": []}


def _vectors(document: Document, embedder: Embedder | None, tokenizer: str) -> VectorArray | None:
    """Return the sentences' vectors; None if they have not been computed, as nothing is embedded for this."""
    if embedder is None or not document.sentences:
        return None
    try:
        return sentence_vectors(document, embedder, tokenizer, session.on_disk)
    except Cancelled:
        return None


@kept(32, lambda task, chunking, chunker, vectors, embedder: (task.document, task, vectors is None, embedder is None))
def _measured(
    task: Task, chunking: Chunking, chunker: Chunker, vectors: VectorArray | None, embedder: Embedder | None
) -> Unlabelled:
    tools = Tools(embedder, load_tokenizer(task.tokenizer))
    return unlabelled(chunking, vectors, sizes_of(chunking, chunker, tools))


def _cells(measured: Unlabelled, embedded: bool) -> list[CellData]:
    blocks, sizes, contrast = measured.blocks, measured.sizes, measured.contrast
    unknown = "The sentences of this text are not embedded: a column of Breakpoint without a buffer does that."
    cells = [
        cell(f"{measured.chunks:,}", measured.chunks),
        _share(blocks.all.share, blocks.words() or "The text has no list, table, code, formula or heading."),
        _share(None, "No size is asked for, or it cannot be counted here.")
        if sizes is None
        else _share(sizes.share, sizes.words()),
    ]
    if contrast is None:
        return cells + [cell("–", None, unknown)] * 4
    alone = "No two sentences share a chunk." if contrast.inside is None else "There is one chunk."
    return [
        *cells,
        _cosine(contrast.inside, f"{contrast.pairs:,} pairs" if contrast.pairs else alone),
        _cosine(contrast.across, f"{contrast.crossing:,} pairs" if contrast.crossing else alone),
        _cosine(contrast.difference, "" if contrast.difference is not None else alone),
        _cosine(measured.coherence, "" if measured.coherence is not None else alone),
    ]


def _share(value: float | None, why: str) -> CellData:
    return cell("–", None, why) if value is None else cell(f"{value * 100:.3g} %", value, why)


def _cosine(value: float | None, why: str) -> CellData:
    return cell("–", None, why) if value is None else cell(signed(value, ".2f"), value, why)


# What edits change


def _edits(document: Document) -> dict[Task, Stability | str]:
    """Return the results of the session's job for this document, with reasons for failures; a job of another text ends."""
    job = session.edits
    if job is None:
        return {}
    if job.source.identity != document.identity:
        session.edits = None
        return {}
    return {**job.results, **job.refused}


def _edit_cells(found: Stability | str | None) -> list[CellData]:
    if isinstance(found, Stability):
        worst = found.worst
        where = f"after sentence {worst.after + 1:,}: {worst.changed:,} of {worst.chunks:,} chunks"
        return [_share(found.mean, found.words()), _share(worst.share, where), _share(found.inevitable, "")]
    return [cell("–", None, found or "Not measured with these settings.")] * _OF_EDITS


def _offer_edits(
    contenders: Sequence[_Contender], document: Document, embedder: Embedder | None, found: dict[Task, Stability | str]
) -> None:
    """Draw the button that measures edits, or how far that is."""
    job = session.edits
    if job is not None and job.running and not job.cancelled:
        show_job_progress(job, lambda: {**job.results, **job.refused}.keys() != found.keys())
        return
    if job is not None and job.error:
        notice(job.error, "error", key="edits_error")
    missing = [one for one in contenders if one.task not in found]
    if not missing:
        return
    try:
        check_edits(document, EDITS)
    except InputError as error:
        notice(str(error), key="edits_refused")
        return

    def measure() -> None:
        known = {task: one for task, one in found.items() if isinstance(one, Stability)}
        names = [(one.name if one.number is None else f"Column {one.number + 1}", one.task, one.chunker) for one in missing]
        session.edits = Edits(document, embedder, names, session.on_disk, results=known)
        session.edits.start()

    st.button(
        "Measure edits",
        key="measure_edits",
        on_click=measure,
        help=f"Inserts one sentence at each of {EDITS} places, cuts the text again with every column, and counts the chunks "
        "that change: they would have to be embedded and stored again.",
    )
