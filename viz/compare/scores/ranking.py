"""Ranking of the columns of Compare: by known boundaries or, without them, by structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

from chunkers import Chunking, Document, Embedder, InputError, load_tokenizer
from chunkers.recipes.presets import BOUND_TOKENS, presets_of
from chunkers.recipes.registry import chunker_class
from chunkers.support.numbers import signed
from evaluation.segmentation.boundary_scores import MEASURES, boundary_scores, why_no_cut_wins
from evaluation.segmentation.chunk_facts import sentence_counts
from evaluation.segmentation.integrity import integrity
from evaluation.segmentation.measures import Score, cuts_of, in_sentences
from evaluation.segmentation.ranking import Contender, Ranking, by_known, by_structure, structure
from viz.compare.scores.table import CellData, HeadData, RowData, ScoresData, cell, draw
from viz.jobs.chunking import Task
from viz.jobs.texts import kept
from viz.shell.column_head import settings_of
from viz.shell.results import ColumnResult
from viz.state.choices import Choices

_BEHIND: list[HeadData] = [
    {"label": "Behind", "help": "How far it is behind the best column."},
    {"label": "Interval", "help": "Confidence interval of the difference, at the level of Holm's correction."},
    {
        "label": "p",
        "help": "Share of differences as large if both swap at random what they do in a section, adjusted (Holm).",
    },
]
_BY_KNOWN: list[HeadData] = [
    {
        "label": "Boundary F1",
        "help": "2 × found / (2 × found + missed + added), of cuts at known boundaries; higher is better.",
    },
    *_BEHIND,
    *(HeadData(label=label, help=help_) for label, help_ in MEASURES.items()),
]
_BY_STRUCTURE: list[HeadData] = [
    {
        "label": "Points per cut",
        "help": "1 for a cut between paragraphs, 0 between other sentences, −1 inside a sentence, list, table, code or "
        "formula, and −1 for a chunk that is too long for the embedder; as many cuts at chance as the text has paragraphs "
        "are added, so that a few good cuts are no better than many.",
    },
    *_BEHIND,
    {"label": "Blocks whole", "help": "Headings, lists, tables, code and formulas that no cut parts."},
    {"label": "Sentences", "help": "Median of the sentences of a chunk."},
    {"label": "Tokens", "help": "Median of the tokens of a chunk; in brackets those of the longest."},
    {"label": "Cuts", "help": "How many there are."},
    {"label": "Between paragraphs", "help": "Cuts at the end of a paragraph."},
    {"label": "Inside sentences", "help": "Cuts inside a sentence."},
    {"label": "Inside blocks", "help": "Other cuts inside a list, a table, code or a formula."},
    {"label": "Too long", "help": "Chunks that are longer than the embedder reads."},
]


def show_ranking(
    choices: Choices,
    made: Sequence[ColumnResult],
    document: Document,
    known: tuple[int, ...] | None,
    embedder: Embedder | None,
) -> None:
    """Draw the columns in order, best first, with the significance of their differences."""
    done = [(number, one) for number, one in enumerate(made) if one.chunking is not None]
    names = tuple(f"{chunker_class(one.choice.chunker).title} (column {number + 1})" for number, one in done)
    tasks = tuple(one.task for _, one in done)
    chunkings = [one.chunking for _, one in done if one.chunking is not None]
    apart = tuple(place for place, (_, one) in enumerate(done) if chunker_class(one.choice.chunker).reads_blocks)
    ranking = _ranked(document, names, tasks, chunkings, known, embedder, apart)
    if known is not None:
        cells = _known_cells(document, known, chunkings)
    else:
        lengths = [
            _lengths(task, chunking, choices.tokenizer) if task is not None else None
            for task, chunking in zip(tasks, chunkings, strict=True)
        ]
        cells = _structure_cells(chunkings, embedder, lengths)
    rows: list[RowData] = []
    for place in ranking.order:
        contender = ranking.contenders[place]
        number = done[place][0] if place < len(done) else None
        row: RowData = {
            "column": number,
            "title": chunker_class(made[number].choice.chunker).title if number is not None else contender.name,
            "settings": _settings(made[number], contender) if number is not None else "",
            "message": "",
            "cells": [*_lead_cells(ranking, place), *cells(place, contender)],
        }
        rows.append(row)
    note = "Significant: adjusted p below 0.05, and an interval that excludes 0."
    if known is not None:
        found = [in_sentences(document, cuts_of(one)) for one in chunkings]
        note = f"{note} {why_no_cut_wins(in_sentences(document, known), found)}".rstrip()
    note = " ".join(filter(None, (note, _said_of_size([one for _, one in done], choices.tokenizer))))
    data: ScoresData = {
        "said": f"{ranking.words()} {ranking.basis(known is not None)}",
        "note": note,
        "heads": _BY_KNOWN if known is not None else _BY_STRUCTURE,
        "rows": rows,
        "limit": None,
        "chosen": choices.selected,
    }
    draw(data, choices, key="ranking")


def _settings(made: ColumnResult, contender: Contender) -> str:
    """Return the settings of a column, and whether it stands apart."""
    return ", ".join(filter(None, (settings_of(made), "not ranked" * contender.apart)))


def _said_of_size(made: Sequence[ColumnResult], tokenizer: str) -> str:
    """Return a sentence on the columns whose chunks retrieve worse than shorter ones, as we measured; empty without any."""
    long = []
    for one in made:
        bounds = [preset for preset in presets_of(one.choice.chunker) if not preset.published]
        if not bounds or one.task is None or one.chunking is None or getattr(one.chunker, "max_size", None) is not None:
            continue
        lengths = _lengths(one.task, one.chunking, tokenizer)
        if lengths is not None and lengths.longest > BOUND_TOKENS:
            long.append(f"{chunker_class(one.choice.chunker).title} has a chunk of {lengths.longest:,} tokens")
    if not long:
        return ""
    return (
        f"Without a maximum size, {' and '.join(long)}. This ranking does not look at sizes, but retrieval depends on them: "
        "see “For retrieval” among the settings."
    )


class Lengths(NamedTuple):
    """Tokens of the chunks."""

    median: float
    longest: int


@kept(8, lambda task, chunking, tokenizer: (task.document, task, tokenizer))
def _lengths(task: Task, chunking: Chunking, tokenizer: str) -> Lengths | None:
    """Return the tokens of the chunks; None where they cannot be counted here, or there are none."""
    try:
        counts = load_tokenizer(tokenizer).count([chunk.text for chunk in chunking.chunks])
    except InputError:
        return None
    return Lengths(median(counts), max(counts)) if counts else None


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
    """Return the ranking, kept by the tasks, since equal tasks have equal results."""
    named = [*zip(names, chunkings, strict=True)]
    return by_structure(document, named, embedder, apart) if known is None else by_known(document, known, named)


def _lead_cells(ranking: Ranking, place: int) -> list[CellData]:
    value, lead = ranking.values[place], ranking.leads.get(place)
    own = cell("–", None, "It cuts nowhere.") if value is None else cell(signed(value, ".2f"), value)
    if lead is None:
        return [own, cell("", None), cell("", None), cell("", None)]
    found, why = lead.tested, lead.verdict
    behind = cell(signed(lead.ahead, ".2f"), lead.ahead, why)
    if found is None:
        return [own, behind, cell("–", None, why), cell("–", None, why)]
    p = lead.p_words.rpartition(" ")[2]
    return [own, behind, cell(lead.ends, found.low, why), cell(p, found.adjusted, why)]


def _known_cells(
    document: Document, known: tuple[int, ...], chunkings: Sequence[Chunking]
) -> Callable[[int, Contender], list[CellData]]:
    """Return the function that gives the further measures of a contender against known boundaries."""
    reference = in_sentences(document, known)

    def cells(place: int, contender: Contender) -> list[CellData]:
        cuts = cuts_of(chunkings[place]) if place < len(chunkings) else [document.starts[one] for one in contender.cuts]
        return [_score(one) for one in boundary_scores(reference, in_sentences(document, cuts)).values()]

    return cells


def _score(score: Score) -> CellData:
    return cell("–", None, score.undefined) if score.value is None else cell(f"{score.value:.2f}", score.value)


def _structure_cells(
    chunkings: Sequence[Chunking], embedder: Embedder | None, lengths: Sequence[Lengths | None]
) -> Callable[[int, Contender], list[CellData]]:
    """Return the function that gives what a contender's cuts do to the structure, and the sizes of its chunks."""

    def cells(place: int, contender: Contender) -> list[CellData]:
        found = structure(chunkings[place], embedder)
        numbers = (found.cuts, found.at_paragraph_ends, found.inside_sentences, found.inside_blocks, found.too_long)
        whole = integrity(chunkings[place])
        sentences, tokens = median(sentence_counts(chunkings[place]) or [0]), lengths[place]
        return [
            cell(f"{whole.all.count:,} of {whole.all.of:,}", whole.all.share, whole.words()),
            cell(f"{sentences:,.4g}", sentences),
            cell("–", None, "They cannot be counted here.")
            if tokens is None
            else cell(f"{tokens.median:,.4g} ({tokens.longest:,})", tokens.median),
            *(cell(f"{number:,}", number) for number in numbers),
        ]

    return cells
