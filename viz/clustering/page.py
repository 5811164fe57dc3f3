"""The Clustering page: chunks of sentences that need not be adjacent, and how they were formed."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from chunkers import Chunking
from chunkers.recipes.registry import chunker_class
from evaluation.segmentation.chunk_facts import Pieces, against_known, sentence_counts
from evaluation.segmentation.measures import cuts_of, mixed_sections
from sample_docs import sample_splitters
from viz.clustering.origin import show_origin
from viz.components.mounting import take_event
from viz.components.notice import notice
from viz.components.reader.reader import Column, HeadRow, reader
from viz.components.stepper.stepper import WORDS
from viz.controls.chunker import parameter_controls
from viz.controls.widgets import bound
from viz.jobs.chunking import vectors_at_hand
from viz.shell import lecture
from viz.shell.column_exchange import columns_to_open_with, show_place_on_compare
from viz.shell.column_head import column_of
from viz.shell.page import Page, page, sides
from viz.shell.results import ColumnResult, run_columns, show_misfits, show_progress
from viz.state.choices import Choices, ColumnChoice
from viz.state.compare_choices import compared
from viz.state.models import defaults_of
from viz.state.session_state import session
from viz.state.text import Text
from viz.theme.numbers import counted, embedding_in_words, known_boundaries, stages_in_words

PAGE = "clustering"
READER = "reader"
METHODS = ("single_linkage", "dbscan", "kmeans")


def show() -> None:
    """Draw the Clustering page."""
    document, sentences = next(iter(sample_splitters().items()))
    columns = [ColumnChoice(name) for name in METHODS]
    opening = columns_to_open_with(PAGE, [(name,) for name in METHODS])
    with page(PAGE, Choices(document, sentences, columns, extra={**WORDS})) as here:
        _one_of_each(here)
        _open_with(here.choices, opening)
        if line := take_event(READER, "line"):
            here.choices.columns[here.choices.selected].put(str(line["parameter"]), float(line["value"]))
        _draw(here)


def _draw(here: Page) -> None:
    choices, text = here.choices, here.text
    column = choices.columns[choices.selected]
    result = run_columns(here, text, [column])[0] if text is not None else ColumnResult(column)
    with here.controls:
        defaults = defaults_of(here.embedder, column.chunker)
        parameter_controls(choices.selected, column, result.chunker, defaults)
        show_place_on_compare(PAGE, column, here.embedder, valid=result.chunker is not None or text is None)
    if text is None:
        _choose_method(choices)
        return
    show_progress([result])
    show_misfits(here.choices, [result])
    left, right = sides(PAGE, 6, 5, gap="large")
    with left:
        _reader(result, text)
    with right, st.container(key="beside"):
        _choose_method(choices)
        if result.chunking is None or not result.chunking.chunks:
            notice("There is nothing to show yet: the text has not been cut.", key="nothing_beside")
    vectors = vectors_at_hand(text.document, here.embedder, choices.tokenizer, session.on_disk)
    if result.chunker is not None and result.chunking is not None and result.chunking.chunks and vectors is not None:
        known = bool(text.source.known)
        show_origin(choices, result.chunker, result.chunking, vectors.astype("float64"), right, known=known)


def _one_of_each(here: Page) -> None:
    """Give the page one column for each method; show an error if the link names other chunkers."""
    choices = here.choices
    if [column.chunker for column in choices.columns] == [*METHODS]:
        return
    by_chunker = {column.chunker: column for column in reversed(choices.columns)}
    chosen = choices.columns[choices.selected].chunker
    choices.columns = [by_chunker.get(name, ColumnChoice(name)) for name in METHODS]
    choices.selected = METHODS.index(chosen) if chosen in METHODS else 0
    others = [name for name in by_chunker if name not in METHODS]
    if others:
        here.complain(f"The link's chunkers must be among {', '.join(METHODS)}; got {', '.join(others)}.")


def _open_with(choices: Choices, opening: Sequence[ColumnChoice | None]) -> None:
    """Take over the given columns of Compare, and select one, preferably the one selected on Compare."""
    taken_over = [number for number, column in enumerate(opening) if column is not None]
    if not taken_over:
        return
    choices.columns = [new or old for new, old in zip(opening, choices.columns, strict=True)]
    choices_of_compare = compared()
    selected = choices_of_compare.columns[choices_of_compare.selected].chunker
    choices.selected = METHODS.index(selected) if selected in METHODS else taken_over[0]


def _choose_method(choices: Choices) -> None:
    st.segmented_control(
        "Chunker",
        range(len(METHODS)),
        default=choices.selected,
        format_func=lambda number: chunker_class(METHODS[number]).title,
        required=True,
        label_visibility="collapsed",
        **bound(choices.selected, "clustering_method", partial(setattr, choices, "selected")),
    )
    st.caption(chunker_class(METHODS[choices.selected]).idea)


def _reader(result: ColumnResult, text: Text) -> None:
    document, known = text.document, text.source.known
    parts = []
    if known is not None:
        boundaries = known_boundaries(len(known))
        parts.append(boundaries if known else "one topic: no known boundary")
    reader(
        document,
        [column_of(result, lambda chunking: Column(rows=_rows(chunking, known)))],
        title=text.source.name,
        summary=" · ".join(parts),
        selected=0,
        known=known,
        key=READER,
    )


def _rows(chunking: Chunking, known: Sequence[int] | None) -> tuple[HeadRow, ...]:
    """Return the column's summary: chunk count and sizes, their parts, times, and errors against known boundaries."""
    rows = [HeadRow("chunks", f"{len(chunking.chunks):,}", brief=counted(len(chunking.chunks), "chunk"))]
    counts = sentence_counts(chunking)
    if counts:
        least, most = min(counts), max(counts)
        rows.append(HeadRow("sentences", f"{least:,}{f' to {most:,}' if most > least else ''} per chunk"))
    pieces = Pieces.of(chunking)
    if pieces.chunks:
        rows.append(HeadRow("in pieces", pieces.words(len(counts)), brief=f"{pieces.chunks:,} in pieces"))
    if not lecture.is_on():
        rows.append(HeadRow("time", stages_in_words(chunking.timing)))
        rows.append(HeadRow("embedding", embedding_in_words(chunking.timing)))
    if known is not None:
        _, missed, added = against_known(cuts_of(chunking), known)
        mixed = mixed_sections(chunking, known)
        words = f"{missed:,} missed, {added:,} added" if missed or added else "boundaries as known"
        if mixed and not missed and not added:
            # Chunks of several pieces can match all boundaries and still mix sections.
            words += "; " + _mixed_words(mixed)
        rows.append(HeadRow("against known", words, "wrong" if missed or added or mixed else "", words))
    return tuple(rows)


def _mixed_words(mixed: Mapping[int, int]) -> str:
    """Name the first chunk that mixes sections, and count the others."""
    first, sections = next(iter(mixed.items()))
    more = f", and {counted(len(mixed) - 1, 'other')}" if len(mixed) > 1 else ""
    return f"chunk {first + 1:,} mixes {sections:,} sections{more}"
