"""A result as a table: a row for each chunk, the same in every file and in a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chunkers.results.embedded import WITH_TEXT_IN_FRONT, EmbeddedAs, checked, embedded_text, path_of
from chunkers.results.stated import Proposition, Stated
from chunkers.support.extras import needed

if TYPE_CHECKING:
    from chunkers.results.result import Chunk, Chunking

COLUMNS = ("chunk", "spans", "characters", "words", "heading_path", "text")
"""The columns of every table of chunks."""

STATED = ("title", "summary", "propositions")
"""The columns of what a language model wrote of a chunk."""


def columns_of(chunking: Chunking, embedded_as: EmbeddedAs = "plain") -> tuple[str, ...]:
    """Return the column names for a table of a result's chunks.

    There are columns for pages, chapters or rows only if the document has them, for context and a language model's text only
    if a chunk has them, and for the embedded text only if ``embedded_as`` puts text in front.
    """
    parts = chunking.document.parts
    places = () if parts is None else (parts.kind, f"{parts.kind}s")
    context = ("context",) if _has_context(chunking) else ()
    stated = STATED if _has_stated(chunking) else ()
    return (
        *COLUMNS[:-2],
        *places,
        "heading_path",
        *context,
        *stated,
        "text",
        *(("embedded_as",) if embedded_as in WITH_TEXT_IN_FRONT else ()),
    )


def _has_stated(chunking: Chunking) -> bool:
    return any(chunk.stated is not None for chunk in chunking.chunks)


def _has_context(chunking: Chunking) -> bool:
    return any(chunk.context for chunk in chunking.chunks)


def facts_of(chunking: Chunking, chunk: Chunk, embedded_as: EmbeddedAs) -> dict[str, Any]:
    """Return a chunk's fields for export, except its spans, with the text to embed if ``embedded_as`` puts text in front.

    ``page`` is the page on which the chunk begins, counted from 1 in the file; ``pages`` are the labels of its pages.
    Chapters are treated alike.
    """
    document = chunking.document
    parts = document.parts
    facts: dict[str, Any] = {}
    if parts is not None:
        facts = {parts.kind: parts.at(chunk.start) + 1, f"{parts.kind}s": parts.names(chunk.spans)}
    context = {"context": chunk.context} if chunk.context else {}
    facts |= {"heading_path": list(path_of(document, chunk)), **context, **_statements(chunk.stated), "text": chunk.text}
    if embedded_as in WITH_TEXT_IN_FRONT:
        facts["embedded_as"] = embedded_text(document, chunk, embedded_as)
    return facts


def _statements(stated: Stated | None) -> dict[str, Any]:
    """Return the title, summary and propositions that a language model wrote for a chunk; empty if it wrote none."""
    if stated is None:
        return {}
    return {"title": stated.title, "summary": stated.summary, "propositions": [*map(said_of, stated.propositions)]}


def said_of(proposition: Proposition) -> dict[str, Any]:
    """Return a proposition as JSON-compatible values."""
    span = proposition.span
    return {
        "text": proposition.text,
        "start": None if span is None else span.start,
        "end": None if span is None else span.end,
        "quotation": proposition.quotation,
        "tied": proposition.tied,
        "elsewhere": [*proposition.elsewhere],
        "nowhere": [*proposition.nowhere],
    }


def chosen(chunking: Chunking, embedded_as: EmbeddedAs | None) -> EmbeddedAs:
    """Return the requested value of ``embedded_as``, or else the recipe's. Raise InputError if the value is unknown."""
    if embedded_as is not None:
        return checked(embedded_as)
    return "plain" if chunking.made_by is None else chunking.made_by.embedded_as


def rows_of(chunking: Chunking, embedded_as: EmbeddedAs | None) -> list[dict[str, Any]]:
    """Return one row per chunk, keyed by column name. Raise InputError if ``embedded_as`` is unknown."""
    how = chosen(chunking, embedded_as)
    # All rows have it where one has it.
    context = {"context": ""} if _has_context(chunking) else {}
    return [
        {
            "chunk": number,
            "spans": [list(span) for span in chunk.spans],
            "characters": len(chunk.text),
            "words": len(chunk.text.split()),
            **context,
            **facts_of(chunking, chunk, how),
        }
        for number, chunk in enumerate(chunking.chunks, start=1)
    ]


def to_dataframe(chunking: Chunking, embedded_as: EmbeddedAs | None = None) -> Any:
    """Return a pandas data frame with one row per chunk: the exported columns, and the chunk's start and end.

    Raises
    ------
    ModelError
        If pandas is not installed.
    """
    pandas = needed("pandas", "to_dataframe", "pandas")
    columns = columns_of(chunking, chosen(chunking, embedded_as))
    rows = [
        {**row, "start": chunk.start, "end": chunk.end}
        for row, chunk in zip(rows_of(chunking, embedded_as), chunking.chunks, strict=True)
    ]
    return pandas.DataFrame(rows, columns=[columns[0], "start", "end", *columns[1:]])
