"""HTML of a result, or of several side by side, for notebooks."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chunkers.results.chunk_list import chunk_list
from chunkers.results.markup import NOT_TEX, ROOT, style, text
from chunkers.results.pictures import curve, strip
from chunkers.support.errors import InputError
from chunkers.support.numbers import counted

if TYPE_CHECKING:
    from chunkers.results.result import Chunking

MOST_CHARACTERS = 60_000
"""Maximum number of characters of chunks that a notebook shows of a result; a notebook keeps what it shows in its file."""


def result_html(cut: Chunking) -> str:
    """Return a result as self-contained HTML: heading, curve, chunks and notes."""
    return page_part(column(cut, MOST_CHARACTERS))


def side_by_side(cuts: Sequence[Chunking], titles: Sequence[str]) -> str:
    """Return several results for one text as self-contained HTML: strips of chunks on one axis, and a column per result."""
    most = MOST_CHARACTERS // len(cuts)
    columns = "".join(f"<section>{column(cut, most, title)}</section>" for cut, title in zip(cuts, titles, strict=True))
    return page_part(f'{strips(cuts, titles)}<div class="columns">{columns}</div>')


def page_part(inside: str) -> str:
    """Wrap HTML together with the results' style sheet in a single element."""
    return f'<div class="{ROOT} {NOT_TEX}"><style>{style()}</style>{inside}</div>'


def strips(cuts: Sequence[Chunking], titles: Sequence[str]) -> str:
    """Return HTML with one strip of chunks per result, all on the same axis."""
    rows = "".join(strip(cut, f"{number} {title}") for number, (cut, title) in enumerate(zip(cuts, titles, strict=True), 1))
    return f'<div class="axis strips">{rows}</div>'


def column(cut: Chunking, most: int | None, title: str = "") -> str:
    """Return a result as a column of HTML: heading, curve, chunks and notes."""
    name, settings = title_of(cut), settings_of(cut)
    facts = " · ".join(filter(None, (settings, facts_of(cut))))
    notes = "".join(f'<p class="note">{text(note)}</p>' for note in cut.notes)
    return f'<h3>{text(title or name)}</h3><p class="facts">{text(facts)}</p>{curve(cut)}{chunk_list(cut, most)}{notes}'


def title_of(cut: Chunking) -> str:
    """Return the title of the chunker that made a result."""
    if cut.made_by is None:
        return "Chunks"
    try:
        return cut.made_by.build().title
    except InputError:
        # An adapter or somebody's own chunker, which another machine need not have.
        return cut.made_by.chunker.replace("_", " ")


def settings_of(cut: Chunking) -> str:
    """Return the most important settings of a result's chunker as a short phrase; empty if they are unknown."""
    try:
        return "" if cut.made_by is None else cut.made_by.build().describe()
    except InputError:
        return ""


def facts_of(cut: Chunking) -> str:
    """Return a phrase with the number of chunks, their lengths in characters, and the number of sentences."""
    sizes = [len(chunk.text) for chunk in cut.chunks]
    phrase = counted(len(sizes), "chunk")
    if sizes:
        phrase += f" of {min(sizes):,} to {max(sizes):,} characters, median {statistics.median(sizes):,.0f}"
    return f"{phrase} · {counted(len(cut.document.sentences), 'sentence')} of {cut.document.name}"
