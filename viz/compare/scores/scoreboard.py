"""The numbers of all columns of Compare side by side: chunks, tokens, found and missed, suspicious cuts, time."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from chunkers import Chunking, Embedder, InputError, load_tokenizer
from chunkers.recipes.registry import chunker_class
from evaluation.inbox.rules import RULES, counts, inbox
from evaluation.segmentation.chunk_facts import against_known
from evaluation.segmentation.measures import cuts_of
from viz.compare.scores.table import CellData, HeadData, RowData, ScoresData, cell, draw, mark_best
from viz.jobs.chunking import Task
from viz.jobs.texts import kept
from viz.shell import lecture
from viz.shell.column_head import settings_of, waiting_words
from viz.shell.results import ColumnResult
from viz.state.choices import Choices
from viz.state.keys import session
from viz.theme.numbers import counted, duration, three_figures


def show_scoreboard(
    choices: Choices, made: Sequence[ColumnResult], known: tuple[int, ...] | None, embedder: Embedder | None
) -> None:
    """Draw a row for each column."""
    limited = embedder if embedder is not None and embedder.max_tokens is not None else None
    rows = [_row(number, one, known, embedder, limited) for number, one in enumerate(made)]
    heads = [*_heads(known is not None, choices.tokenizer, limited)]
    for place, head in enumerate(heads):
        if head["label"] not in ("Chunks", "Tokens"):
            mark_best(rows, place, max if head["label"] == "Found" else min)
    data: ScoresData = {
        "said": "",
        "note": f"The line in the strips is where {limited.name} stops reading: {limited.max_tokens:,} tokens."
        if limited is not None
        else "",
        "heads": heads,
        "rows": rows,
        "limit": None if limited is None else limited.max_tokens,
        "chosen": choices.selected,
    }
    draw(data, choices, key="scoreboard")


def _heads(known: bool, tokenizer: str, limited: Embedder | None) -> list[HeadData]:
    counter = f"as {limited.name} counts them" if limited is not None else f"as {tokenizer} counts them"
    listed = [
        ("Chunks", "Number of chunks."),
        ("Tokens", f"Fewest, median and most in a chunk, {counter}; every dot is a chunk."),
        *(
            [
                ("Found", "Known boundaries with a cut."),
                ("Missed", "Known boundaries without a cut."),
                ("Added", "Cuts away from any known boundary."),
            ]
            if known
            else []
        ),
        ("Suspicious", "Findings by the rules of the Failures page; they may be mistaken."),
        *(
            []
            if lecture.is_on()
            else [
                ("Decide", "Time to cut once the embeddings are there, pass two included."),
                ("Embed", "Time to compute the embeddings when they were new. Columns share the embeddings of equal texts."),
            ]
        ),
    ]
    return [{"label": label, "help": help_} for label, help_ in listed]


def _row(
    number: int,
    one: ColumnResult,
    known: tuple[int, ...] | None,
    embedder: Embedder | None,
    limited: Embedder | None,
) -> RowData:
    row: RowData = {
        "column": number,
        "title": chunker_class(one.choice.chunker).title,
        "settings": settings_of(one),
        "message": one.error,
        "cells": [],
    }
    if one.chunking is None or one.task is None or one.chunker is None:
        row["message"] = one.error or waiting_words()
        return row
    cells = [cell(f"{len(one.chunking.chunks):,}", len(one.chunking.chunks)), _tokens(one.task, one.chunking, limited)]
    if known is not None:
        found, missed, added = against_known(cuts_of(one.chunking), known)
        cells += [cell(f"{count:,}", count) for count in (found, missed, added)]
    cells += [_suspicious(one.task, one.chunking, embedder), *([] if lecture.is_on() else _times(one))]
    row["cells"] = cells
    return row


def _tokens(task: Task, chunking: Chunking, limited: Embedder | None) -> CellData:
    sizes = _lengths(task, chunking, limited)
    if not sizes:
        return cell("–", None, "Tokens cannot be counted here." if sizes is None else "No chunks.")
    middle = statistics.median(sizes)
    text = f"{min(sizes):,} · {three_figures(middle)} · {max(sizes):,}"
    beyond = 0 if limited is None or limited.max_tokens is None else sum(size > limited.max_tokens for size in sizes)
    why = f"{counted(beyond, 'chunk')} longer than the model reads" if beyond else ""
    return cell(text, middle, why, sizes)


@kept(32, lambda task, chunking, limited: (task.document, task, limited is None))
def _lengths(task: Task, chunking: Chunking, limited: Embedder | None) -> list[int] | None:
    """Return the tokens of every chunk, by the embedder if it has a limit; None where they cannot be counted."""
    texts = [chunk.text for chunk in chunking.chunks]
    try:
        return [*(limited.lengths(texts) if limited is not None else load_tokenizer(task.tokenizer).count(texts))]
    except InputError:
        return None


@kept(32, lambda task, chunking, embedder: (task.document, task))
def _found(task: Task, chunking: Chunking, embedder: Embedder | None) -> dict[str, int]:
    return counts(inbox(chunking, embedder))


def _suspicious(task: Task, chunking: Chunking, embedder: Embedder | None) -> CellData:
    found = _found(task, chunking, embedder)
    said = ", ".join(f"{count:,} {RULES[name].title.lower()}" for name, count in found.items())
    total = sum(found.values())
    return cell(f"{total:,}", total, said)


def _times(one: ColumnResult) -> list[CellData]:
    assert one.chunking is not None
    assert one.task is not None
    if one.chunker is not None and one.chunker.elsewhere:
        return [cell("–", None, "These chunks were made elsewhere.")] * 2
    timing, repeats = one.chunking.timing, session.repeats.get(one.task)
    if timing is None:
        return [cell("–", None), cell("–", None)]
    took = repeats.median if repeats is not None else timing.decide_ms + timing.merge_ms
    why = f"median of {repeats.runs} runs" if repeats is not None else ""
    decide = cell(duration(took), took, why)
    if one.chunker is None or not one.chunker.embeds:
        return [decide, cell("–", None, "It embeds nothing.")]
    cold = timing.cold_ms
    if math.isnan(cold):
        return [decide, cell("–", None, "It was not recorded.")]
    return [decide, cell(duration(cold), cold, f"{counted(timing.embedded + timing.cached, 'text')} in all")]
