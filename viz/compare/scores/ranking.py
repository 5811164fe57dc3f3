"""Ranking of the columns of Compare: by known boundaries or, without them, by structure."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunkers import Chunking, Document, Embedder
from chunkers.recipes.presets import BOUND_TOKENS, presets_of
from chunkers.recipes.registry import chunker_class
from evaluation.segmentation.boundary_scores import why_no_cut_wins
from evaluation.segmentation.measures import Segmentation, cuts_of, in_sentences
from evaluation.segmentation.ranking import Contender, Ranking, by_known, by_structure
from evaluation.tables.segmentation import BY_KNOWN, BY_STRUCTURE, boundary_cells, lead_cells, structure_cells
from viz.compare.scores.lengths import token_counts
from viz.compare.scores.table import RowData, draw, row
from viz.jobs.chunking import Task
from viz.jobs.texts import kept
from viz.shell.column_head import settings_of
from viz.shell.results import ColumnResult
from viz.state.choices import OWN, Choices
from viz.state.keys import session


def show_ranking(
    choices: Choices,
    results: Sequence[ColumnResult],
    document: Document,
    known: tuple[int, ...] | None,
    embedder: Embedder | None,
) -> None:
    """Draw the ranking of Compare's columns, with the significance of their differences."""
    done = [(number, column) for number, column in enumerate(results) if column.chunking is not None]
    names = tuple(f"{chunker_class(column.choice.chunker).title} (column {number + 1})" for number, column in done)
    tasks = tuple(column.task for _, column in done)
    chunkings = [column.chunking for _, column in done if column.chunking is not None]
    apart = tuple(place for place, (_, column) in enumerate(done) if chunker_class(column.choice.chunker).reads_blocks)
    ranking = _ranked(document, names, tasks, chunkings, known, embedder, apart)
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
            else structure_cells(chunkings[place], embedder, _counts(done[place][1]))
        )
        title = contender.name if number is None else chunker_class(results[number].choice.chunker).title
        settings = "" if number is None else _settings(results[number], contender)
        rows.append(row(number, title, settings, lead_cells(ranking, place) + more))
    note = " ".join(filter(None, (note, _said_of_size([column for _, column in done]))))
    summary = f"{ranking.words()} {ranking.basis(known is not None)}"
    if known is None and choices.document == OWN:
        _offer_to_mark(document)
    draw(choices, BY_STRUCTURE if known is None else BY_KNOWN, rows, key="ranking", said=summary, note=note)


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


def _said_of_size(results: Sequence[ColumnResult]) -> str:
    """Return a warning about columns with chunks so large that retrieval suffered in our benchmarks; empty if none."""
    long = []
    for column in results:
        bounds = [preset for preset in presets_of(column.choice.chunker) if not preset.published]
        if not bounds or getattr(column.chunker, "max_size", None) is not None:
            continue
        longest = max(_counts(column) or [0])
        if longest > BOUND_TOKENS:
            long.append(f"{chunker_class(column.choice.chunker).title} has a chunk of {longest:,} tokens")
    if not long:
        return ""
    return (
        f"Without a maximum size, {' and '.join(long)}. This ranking does not look at sizes, but retrieval depends on them: "
        "see “For retrieval” among the settings."
    )


def _counts(result: ColumnResult) -> list[int] | None:
    """Return the tokens of a column's chunks; None if they cannot be counted."""
    return None if result.task is None or result.chunking is None else token_counts(result.task, result.chunking)


@kept(8, lambda document, names, tasks, chunkings, known, embedder, apart: (document.identity, names, tasks, known))
def _ranked(
    document: Document,
    names: tuple[str, ...],
    tasks: tuple[Task | None, ...],
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
