"""The scoreboard of Compare's columns, with sizes, errors, suspicious cuts and times, and their ranking."""

import math
from collections.abc import Sequence

import streamlit as st

from chunkers import Chunking, Document, Embedder, InputError, load_tokenizer
from chunkers.recipes.presets import BOUND_TOKENS, presets_of
from evaluation.inbox.rules import counts, inbox
from evaluation.segmentation.measures import Segmentation, cuts_of, in_sentences, why_no_cut_wins
from evaluation.segmentation.ranking import Contender, Ranking, by_known, by_structure
from evaluation.tables.cells import (
    BY_KNOWN,
    BY_STRUCTURE,
    FOUND_HEADS,
    SUSPICIOUS_HEAD,
    Cell,
    Head,
    boundary_cells,
    count_cell,
    found_cells,
    lead_cells,
    spread_cell,
    structure_cells,
    suspicious_cell,
    unknown_cell,
)
from viz.compare.scores.table import RowData, column_row, draw_scores, mark_best, score_row
from viz.compare.state.session import session
from viz.jobs.chunking import Task
from viz.jobs.resources import kept
from viz.shell import lecture
from viz.shell.column_head import settings_of
from viz.shell.results import ColumnResult, Finished
from viz.state.choices import OWN, Choices
from viz.theme.numbers import counted, duration


@kept(32, lambda task, chunking, embedder=None: (task.document, task, embedder is None))
def token_counts(task: Task, chunking: Chunking, embedder: Embedder | None = None) -> list[int] | None:
    """Return each chunk's token count, by the tokenizer of ``embedder`` or by the chosen tokenizer; None if unavailable."""
    texts = [chunk.text for chunk in chunking.chunks]
    try:
        return [*(load_tokenizer(task.tokenizer).count(texts) if embedder is None else embedder.lengths(texts))]
    except InputError:
        return None


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
    draw_scores(choices, heads, rows, key="scoreboard", note=note, limit=limit)


def _special_tokens(results: Sequence[ColumnResult], limited: Embedder) -> int | None:
    """Return the number of special tokens that the embedder adds to each text; None if another tokenizer counts."""
    added = {
        length - size
        for column in results
        if (finished := column.finished)
        for length, size in zip(
            token_counts(finished.task, finished.chunking, limited) or (),
            token_counts(finished.task, finished.chunking, None) or (),
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
        *(FOUND_HEADS if known else ()),
        SUSPICIOUS_HEAD,
        *([] if lecture.is_on() else times),
    ]


def _row(
    number: int,
    column: ColumnResult,
    known: tuple[int, ...] | None,
    embedder: Embedder | None,
    limited: Embedder | None,
) -> RowData:
    finished = column.finished
    if finished is None:
        return column_row(number, column)
    task, chunking = finished.task, finished.chunking
    sizes, read = token_counts(task, chunking, None), token_counts(task, chunking, limited)
    beyond = 0 if limited is None or limited.max_tokens is None else sum(size > limited.max_tokens for size in read or ())
    tokens = spread_cell(sizes, f"{counted(beyond, 'chunk')} longer than the model reads" if beyond else "")
    known_cells = [] if known is None else found_cells(chunking, known)
    suspicious = suspicious_cell(_finding_counts(task, chunking, embedder))
    times = [] if lecture.is_on() else _times(finished)
    return column_row(number, column, [count_cell(len(chunking.chunks)), tokens, *known_cells, suspicious, *times])


@kept(32, lambda task, chunking, embedder: (task.document, task))
def _finding_counts(task: Task, chunking: Chunking, embedder: Embedder | None) -> dict[str, int]:
    return counts(inbox(chunking, embedder))


def _times(column: Finished) -> list[Cell]:
    if column.chunker.elsewhere:
        return [unknown_cell("These chunks were made elsewhere.")] * 2
    timing, repeats = column.chunking.timing, session.repeats.get(column.task)
    if timing is None:
        return [unknown_cell()] * 2
    took = repeats.median if repeats is not None else timing.decide_ms + timing.merge_ms
    decide = Cell(duration(took), took, f"median of {repeats.runs} runs" if repeats is not None else "")
    if not column.chunker.embeds:
        return [decide, unknown_cell("It embeds nothing.")]
    cold = timing.cold_ms
    if math.isnan(cold):
        return [decide, unknown_cell("It was not recorded.")]
    return [decide, Cell(duration(cold), cold, f"{counted(timing.embedded + timing.cached, 'text')} in all")]


# The ranking: by known boundaries or, without them, by structure.


def show_ranking(
    choices: Choices,
    results: Sequence[ColumnResult],
    document: Document,
    known: tuple[int, ...] | None,
    embedder: Embedder | None,
) -> None:
    """Draw the ranking of Compare's columns, with the significance of their differences."""
    done = [(number, finished) for number, column in enumerate(results) if (finished := column.finished)]
    names = tuple(f"{column.chunker.title} (column {number + 1})" for number, column in done)
    tasks = tuple(column.task for _, column in done)
    chunkings = [column.chunking for _, column in done]
    apart = tuple(place for place, (_, column) in enumerate(done) if column.chunker.reads_blocks)
    ranking = _ranking(document, names, tasks, chunkings, known, embedder, apart)
    note = "Significant: adjusted p below 0.05, and an interval that excludes 0."
    if known is not None:
        reference, cut = in_sentences(document, known), [in_sentences(document, cuts_of(chunking)) for chunking in chunkings]
        note = f"{note} {why_no_cut_wins(reference, cut)}".rstrip()
        cut += [Segmentation(reference.units, contender.cuts) for contender in ranking.contenders[len(cut) :]]
    rows: list[RowData] = []
    for place in ranking.order:
        contender = ranking.contenders[place]
        number = done[place][0] if place < len(done) else None
        more = (
            boundary_cells(reference, cut[place])
            if known is not None
            else structure_cells(chunkings[place], embedder, token_counts(tasks[place], chunkings[place]))
        )
        cells = lead_cells(ranking, place) + more
        if number is None:
            rows.append(score_row(None, contender.name, cells=cells))
        else:
            rows.append(score_row(number, results[number].title, _settings(results[number], contender), cells))
    note = " ".join(filter(None, (note, _size_warning([column for _, column in done]))))
    summary = f"{ranking.words()} {ranking.basis(known is not None)}"
    if known is None and choices.document == OWN:
        _offer_to_mark(document)
    draw_scores(choices, BY_STRUCTURE if known is None else BY_KNOWN, rows, key="ranking", said=summary, note=note)


def _offer_to_mark(document: Document) -> None:
    """Draw the button that folds the columns into the text whose boundaries are marked."""

    def fold() -> None:
        session.folded = (document.identity, "marks")

    st.button(
        "Mark boundaries",
        key="mark_boundaries",
        on_click=fold,
        help="Mark where the sections of the text end; the columns are ranked by the marks then.",
    )


def _settings(result: ColumnResult, contender: Contender) -> str:
    """Return the settings of a column in words, with a note if it is ranked separately."""
    return ", ".join(filter(None, (settings_of(result), "not ranked" * contender.apart)))


def _size_warning(columns: Sequence[Finished]) -> str:
    """Return a warning about columns with chunks so large that retrieval suffered in our benchmarks; empty if none."""
    long = []
    for column in columns:
        bounds = [preset for preset in presets_of(column.chunker.name) if not preset.published]
        if not bounds or getattr(column.chunker, "max_size", None) is not None:
            continue
        longest = max(token_counts(column.task, column.chunking) or [0])
        if longest > BOUND_TOKENS:
            long.append(f"{column.chunker.title} has a chunk of {longest:,} tokens")
    if not long:
        return ""
    return (
        f"Without a maximum size, {' and '.join(long)}. This ranking does not look at sizes, but retrieval depends on them: "
        "see “For retrieval” among the settings."
    )


@kept(8, lambda document, names, tasks, chunkings, known, embedder, apart: (document.identity, names, tasks, known))
def _ranking(
    document: Document,
    names: tuple[str, ...],
    tasks: tuple[Task, ...],
    chunkings: Sequence[Chunking],
    known: tuple[int, ...] | None,
    embedder: Embedder | None,
    apart: tuple[int, ...],
) -> Ranking:
    """Return the ranking, cached by the tasks, since equal tasks have equal results."""
    named_chunkings = [*zip(names, chunkings, strict=True)]
    return (
        by_structure(document, named_chunkings, embedder, apart)
        if known is None
        else by_known(document, known, named_chunkings)
    )
