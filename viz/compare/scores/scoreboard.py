"""The scoreboard of Compare's columns: chunks, tokens, found and missed boundaries, suspicious cuts, and time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from chunkers import Chunking, Embedder
from chunkers.recipes.registry import chunker_class
from evaluation.inbox.rules import counts, inbox
from evaluation.tables.cells import Cell, Head, count, unknown
from evaluation.tables.segmentation import FOUND, SUSPICIOUS, found_cells, spread_cell, suspicious_cell
from viz.compare.scores.lengths import token_counts
from viz.compare.scores.table import RowData, draw, mark_best, row
from viz.compare.state.session import session
from viz.jobs.chunking import Task
from viz.jobs.texts import kept
from viz.shell import lecture
from viz.shell.column_head import settings_of, waiting_words
from viz.shell.results import ColumnResult
from viz.state.choices import Choices
from viz.theme.numbers import counted, duration


def show_scoreboard(
    choices: Choices, results: Sequence[ColumnResult], known: tuple[int, ...] | None, embedder: Embedder | None
) -> None:
    """Draw a table of each column's chunks, tokens, boundary errors, suspicious cuts and time."""
    limited = embedder if embedder is not None and embedder.max_tokens is not None else None
    rows = [_row(number, column, known, embedder, limited) for number, column in enumerate(results)]
    heads = _heads(known is not None, choices.tokenizer)
    for place, head in enumerate(heads):
        if head.label not in ("Chunks", "Tokens"):
            mark_best(rows, place, max if head.label == "Found" else min)
    special = None if limited is None else _special_tokens(results, limited)
    limit, note = None, ""
    if limited is not None and limited.max_tokens is not None and special is not None:
        limit = limited.max_tokens - special
        besides = f", besides {counted(special, 'special token')}" if special else ""
        note = f"The line in the strips is where {limited.name} stops reading: {limit:,} tokens{besides}."
    draw(choices, heads, rows, key="scoreboard", note=note, limit=limit)


def _special_tokens(results: Sequence[ColumnResult], limited: Embedder) -> int | None:
    """Return the number of special tokens that the embedder adds to each text; None if another tokenizer counts."""
    added = {
        length - size
        for column in results
        if column.task is not None and column.chunking is not None
        for length, size in zip(
            token_counts(column.task, column.chunking, limited) or (),
            token_counts(column.task, column.chunking, None) or (),
            strict=False,
        )
    }
    return added.pop() if len(added) == 1 else None


def _heads(known: bool, tokenizer: str) -> list[Head]:
    times = [
        Head("Decide", "Time to cut once the embeddings are there, pass two included."),
        Head("Embed", "Time to compute the embeddings when they were new. Columns share the embeddings of equal texts."),
    ]
    return [
        Head("Chunks", "Number of chunks."),
        Head("Tokens", f"Fewest, median and most in a chunk, as {tokenizer} counts them; every dot is a chunk."),
        *(FOUND if known else ()),
        SUSPICIOUS,
        *([] if lecture.is_on() else times),
    ]


def _row(
    number: int,
    column: ColumnResult,
    known: tuple[int, ...] | None,
    embedder: Embedder | None,
    limited: Embedder | None,
) -> RowData:
    title, settings = chunker_class(column.choice.chunker).title, settings_of(column)
    if column.chunking is None or column.task is None or column.chunker is None:
        return row(number, title, settings, message=column.error or waiting_words())
    sizes, read = token_counts(column.task, column.chunking, None), token_counts(column.task, column.chunking, limited)
    beyond = 0 if limited is None or limited.max_tokens is None else sum(size > limited.max_tokens for size in read or ())
    tokens = spread_cell(sizes, f"{counted(beyond, 'chunk')} longer than the model reads" if beyond else "")
    known_cells = [] if known is None else found_cells(column.chunking, known)
    suspicious = suspicious_cell(_found(column.task, column.chunking, embedder))
    times = [] if lecture.is_on() else _times(column)
    return row(
        number, title, settings, [count(len(column.chunking.chunks)), tokens, *known_cells, suspicious, *times], column.error
    )


@kept(32, lambda task, chunking, embedder: (task.document, task))
def _found(task: Task, chunking: Chunking, embedder: Embedder | None) -> dict[str, int]:
    return counts(inbox(chunking, embedder))


def _times(column: ColumnResult) -> list[Cell]:
    assert column.chunking is not None
    assert column.task is not None
    if column.chunker is not None and column.chunker.elsewhere:
        return [unknown("These chunks were made elsewhere.")] * 2
    timing, repeats = column.chunking.timing, session.repeats.get(column.task)
    if timing is None:
        return [unknown()] * 2
    took = repeats.median if repeats is not None else timing.decide_ms + timing.merge_ms
    decide = Cell(duration(took), took, f"median of {repeats.runs} runs" if repeats is not None else "")
    if column.chunker is None or not column.chunker.embeds:
        return [decide, unknown("It embeds nothing.")]
    cold = timing.cold_ms
    if math.isnan(cold):
        return [decide, unknown("It was not recorded.")]
    return [decide, Cell(duration(cold), cold, f"{counted(timing.embedded + timing.cached, 'text')} in all")]
