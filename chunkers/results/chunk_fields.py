"""Fields of a chunk: the text to embed, rows of tables, and documents of other libraries with their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

from chunkers.results.titles_summaries_and_propositions import Proposition
from chunkers.support import InputError, import_required, short_repr
from chunkers.text import CODE_FILE_ENDINGS, Document, heading_path, shorten

if TYPE_CHECKING:
    from chunkers.results.result import Chunk, Chunking


EmbeddedAs = Literal["plain", "heading_path", "context", "late"]

EMBEDDED_AS_LABELS: Mapping[EmbeddedAs, str] = {
    "plain": "Plain",
    "heading_path": "With heading path",
    "context": "With a context sentence",
    "late": "Late chunking",
}
"""The ways to embed a chunk, with their names on the page; see `chunkers.recipes.model_written_context` and
`chunkers.embedders.late_chunking` for the last two."""

assert tuple(EMBEDDED_AS_LABELS) == get_args(EmbeddedAs)

EMBEDDING_MODES_ADDING_TEXT: tuple[EmbeddedAs, ...] = ("heading_path", "context")
"""The ways in which the embedded text is another than the chunk's, so that files of chunks have both."""

LONGEST_TITLE = 200
"""Maximum number of characters of a heading in a heading path; a longer one is cut."""

HEADING_SEPARATOR = " > "
"""Separator between the headings of a path."""


def chunk_heading_path(document: Document, chunk: Chunk) -> tuple[str, ...]:
    """Return the titles of the sections in which a chunk begins, from the outermost heading inwards.

    Each title is on one line and has at most `LONGEST_TITLE` characters. The result is empty in a text without headings, and
    in a file of code, whose comments are none.
    """
    if document.name.lower().endswith(CODE_FILE_ENDINGS):
        return ()
    return tuple([shorten(title, LONGEST_TITLE) for title in heading_path(document.text, chunk.start)])


def embedded_text(document: Document, chunk: Chunk, embedded_as: EmbeddedAs) -> str:
    """Return the text to embed for a chunk, preceded by headings or context as ``embedded_as`` specifies.

    The heading path, or the language model's context, comes first, followed by a blank line and by text that the chunker
    repeats with the chunk, such as the header of a table that it cut. A chunk without any of these, or without a usable
    answer from the model, is embedded unchanged. Late chunking embeds the tokens of the chunk's own text as they stand in
    the document.
    """
    if embedded_as not in EMBEDDING_MODES_ADDING_TEXT or (embedded_as == "context" and not chunk.situation):
        return chunk.text
    prefixed_context = (
        chunk.situation if embedded_as == "context" else HEADING_SEPARATOR.join(chunk_heading_path(document, chunk))
    )
    # The rows of a table follow its header without a blank line.
    text_with_repeated_context = f"{chunk.context.rstrip()}\n{chunk.text}" if chunk.context else chunk.text
    return f"{prefixed_context}\n\n{text_with_repeated_context}" if prefixed_context else text_with_repeated_context


def check_embedded_as_option(embedded_as: object) -> EmbeddedAs:
    """Return ``embedded_as`` if it is one of `EMBEDDED_AS_LABELS`. Raise InputError otherwise.

    Raises
    ------
    InputError
        If ``embedded_as`` is unknown.
    """
    for known_embedding_way in EMBEDDED_AS_LABELS:
        if known_embedding_way == embedded_as:
            return known_embedding_way
    raise InputError(f"embedded_as must be one of {', '.join(EMBEDDED_AS_LABELS)}; got {short_repr(embedded_as)}.")


# Rows of tables, the same in every file and data frame.

CHUNK_COLUMNS = ("chunk", "spans", "characters", "words", "heading_path", "text")
"""The columns of every table of chunks."""

MODEL_WRITTEN_COLUMNS = ("title", "summary", "propositions")
"""The columns of what a language model wrote of a chunk."""


def table_column_names(chunking: Chunking, embedded_as: EmbeddedAs = "plain") -> tuple[str, ...]:
    """Return the column names for a table of a result's chunks.

    There are columns for pages, chapters or rows only if the document has them, for context and a language model's text only
    if a chunk has them, and for the embedded text only if ``embedded_as`` puts text in front.
    """
    document_parts = chunking.document.parts
    page_or_chapter_columns = () if document_parts is None else (document_parts.kind, f"{document_parts.kind}s")
    optional_repeated_context_column = ("context",) if _has_chunk_with_context(chunking) else ()
    model_written_columns = MODEL_WRITTEN_COLUMNS if any(chunk.stated is not None for chunk in chunking.chunks) else ()
    return (
        *CHUNK_COLUMNS[:-2],
        *page_or_chapter_columns,
        "heading_path",
        *optional_repeated_context_column,
        *model_written_columns,
        "text",
        *(("embedded_as",) if embedded_as in EMBEDDING_MODES_ADDING_TEXT else ()),
    )


def _has_chunk_with_context(chunking: Chunking) -> bool:
    return any(chunk.context for chunk in chunking.chunks)


def build_exported_chunk_fields(chunking: Chunking, chunk: Chunk, embedded_as: EmbeddedAs) -> dict[str, Any]:
    """Return a chunk's fields for export, except its spans, with the text to embed if ``embedded_as`` puts text in front.

    ``page`` is the page on which the chunk begins, counted from 1 in the file; ``pages`` are the labels of its pages.
    Chapters are treated alike.
    """
    document = chunking.document
    document_parts = document.parts
    exported_value_by_field: dict[str, Any] = {}
    if document_parts is not None:
        exported_value_by_field = {
            document_parts.kind: document_parts.part_number_at(chunk.start) + 1,
            f"{document_parts.kind}s": document_parts.labels_of_overlapped_parts(chunk.spans),
        }
    exported_value_by_field["heading_path"] = list(chunk_heading_path(document, chunk))
    if chunk.context:
        exported_value_by_field["context"] = chunk.context
    if (model_written_content := chunk.stated) is not None:
        exported_value_by_field |= {"title": model_written_content.title, "summary": model_written_content.summary}
        exported_value_by_field["propositions"] = [*map(proposition_as_dict, model_written_content.propositions)]
    exported_value_by_field["text"] = chunk.text
    if embedded_as in EMBEDDING_MODES_ADDING_TEXT:
        exported_value_by_field["embedded_as"] = embedded_text(document, chunk, embedded_as)
    return exported_value_by_field


def proposition_as_dict(proposition: Proposition) -> dict[str, Any]:
    """Return a proposition as JSON-compatible values."""
    proposition_source_span = proposition.span
    return {
        "text": proposition.text,
        "start": None if proposition_source_span is None else proposition_source_span.start,
        "end": None if proposition_source_span is None else proposition_source_span.end,
        "quotation": proposition.quotation,
        "tied": proposition.tied,
        "elsewhere": [*proposition.elsewhere],
        "nowhere": [*proposition.nowhere],
    }


def resolve_embedded_as_option(chunking: Chunking, embedded_as: EmbeddedAs | None) -> EmbeddedAs:
    """Return the requested value of ``embedded_as``, or else the recipe's. Raise InputError if the value is unknown."""
    if embedded_as is not None:
        return check_embedded_as_option(embedded_as)
    return "plain" if chunking.made_by is None else chunking.made_by.embedded_as


def table_rows(chunking: Chunking, embedded_as: EmbeddedAs | None) -> list[dict[str, Any]]:
    """Return one row per chunk, keyed by column name. Raise InputError if ``embedded_as`` is unknown."""
    embedding_way = resolve_embedded_as_option(chunking, embedded_as)
    # All rows have it where one has it.
    default_context_field = {"context": ""} if _has_chunk_with_context(chunking) else {}
    return [
        {
            "chunk": number,
            "spans": [list(span) for span in chunk.spans],
            "characters": len(chunk.text),
            "words": len(chunk.text.split()),
            **default_context_field,
            **build_exported_chunk_fields(chunking, chunk, embedding_way),
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
    pandas_module = import_required("pandas", "to_dataframe", "pandas")
    column_names = table_column_names(chunking, resolve_embedded_as_option(chunking, embedded_as))
    chunk_rows_with_offsets = [
        {**row, "start": chunk.start, "end": chunk.end}
        for row, chunk in zip(table_rows(chunking, embedded_as), chunking.chunks, strict=True)
    ]
    return pandas_module.DataFrame(chunk_rows_with_offsets, columns=[column_names[0], "start", "end", *column_names[1:]])


# Documents of other libraries, with position and headings in their metadata.

Library = Literal["langchain", "llama_index", "haystack"]

METADATA_FIELD_DESCRIPTIONS: Mapping[str, str] = {
    "start_index": "the code point at which the chunk begins",
    "end_index": "the one at which it ends",
    "heading_path": "the headings above its beginning, as “Guide > Install”; empty where there are none",
    "spans": "its ranges, as “0-12, 40-55”, of a chunk that lies in several places",
    "page": "of a PDF, the page on which it begins, counted from 1",
    "pages": "the labels of all its pages, as “iv, 1”",
    "chapter": "of an EPUB, the chapter in which it begins, counted from 1",
    "chapters": "the titles of all its chapters",
    "row": "of CSV and XLSX, the filled row in which it begins, counted from 1",
    "rows": "the numbers of all its rows in the file, as “2, 3” or “Prices!2”",
    "slide": "of PPTX, the slide in which it begins, counted from 1",
    "slides": "the numbers of all its slides",
    "cell": "of a notebook, the cell in which it begins, counted from 1",
    "cells": "the numbers of all its cells",
    "context": "what the chunker repeats beside it, as the header of a table that it cut; where there is some",
    "chunk_title": "what a language model calls it; where one was asked, and empty where it gave none",
    "chunk_summary": "what it is about, likewise",
    "embedded_as": "the very text to embed, where the recipe says that this is another",
}
"""The metadata of a chunk's document. All values are texts or whole numbers, which every vector store takes."""


def metadata_of_all_chunks(chunking: Chunking) -> list[dict[str, Any]]:
    """Return the metadata of every chunk: the entries of `METADATA_FIELD_DESCRIPTIONS` that apply to the chunk."""
    document, document_parts = chunking.document, chunking.document.parts
    chunk_embedding_way = resolve_embedded_as_option(chunking, None)
    metadata_of_each_chunk = []
    for chunk in chunking.chunks:
        metadata_fields: dict[str, Any] = {
            "start_index": chunk.start,
            "end_index": chunk.end,
            "heading_path": HEADING_SEPARATOR.join(chunk_heading_path(document, chunk)),
        }
        if len(chunk.spans) > 1:
            metadata_fields["spans"] = ", ".join(f"{start}-{end}" for start, end in chunk.spans)
        if document_parts is not None:
            metadata_fields |= {
                document_parts.kind: document_parts.part_number_at(chunk.start) + 1,
                f"{document_parts.kind}s": ", ".join(document_parts.labels_of_overlapped_parts(chunk.spans)),
            }
        if chunk.context:
            metadata_fields["context"] = chunk.context
        if chunk.stated is not None:
            # Documents often have a title of their own, which stays what it is.
            metadata_fields |= {"chunk_title": chunk.stated.title, "chunk_summary": chunk.stated.summary}
        if chunk_embedding_way in EMBEDDING_MODES_ADDING_TEXT:
            metadata_fields["embedded_as"] = embedded_text(document, chunk, chunk_embedding_way)
        metadata_of_each_chunk.append(metadata_fields)
    return metadata_of_each_chunk


def to_documents(chunking: Chunking, library: Library = "langchain") -> list[Any]:
    """Convert a result's chunks, in order, to document objects of another library.

    Parameters
    ----------
    chunking
        The result to convert.
    library
        ``langchain`` or ``haystack`` for its ``Document``, ``llama_index`` for its ``TextNode`` with offsets and neighbours.

    Raises
    ------
    InputError
        If there is no such library.
    ModelError
        If the library is not installed.
    """
    match library:
        case "langchain":
            document_class = import_required("langchain_core.documents", "to_documents", "langchain-core").Document
            chunks_with_metadata = zip(chunking.chunks, metadata_of_all_chunks(chunking), strict=True)
            return [document_class(page_content=chunk.text, metadata=metadata) for chunk, metadata in chunks_with_metadata]
        case "haystack":
            document_class = import_required("haystack", "to_documents", "haystack-ai").Document
            chunks_with_metadata = zip(chunking.chunks, metadata_of_all_chunks(chunking), strict=True)
            return [document_class(content=chunk.text, meta=metadata) for chunk, metadata in chunks_with_metadata]
        case "llama_index":
            return _llama_index_nodes(chunking)
    raise InputError(f"library must be one of {', '.join(get_args(Library))}; got {short_repr(library)}.")


def _llama_index_nodes(chunking: Chunking) -> list[Any]:
    llama_index_schema_module = import_required("llama_index.core.schema", "to_documents", "llama-index-core")
    chunk_text_nodes = [
        llama_index_schema_module.TextNode(
            text=chunk.text,
            start_char_idx=chunk.start,
            end_char_idx=chunk.end,
            metadata=metadata,
            # What is embedded and what a model reads stay the chunk: these say where it lies.
            excluded_embed_metadata_keys=[*METADATA_FIELD_DESCRIPTIONS],
            excluded_llm_metadata_keys=[*METADATA_FIELD_DESCRIPTIONS],
        )
        for chunk, metadata in zip(chunking.chunks, metadata_of_all_chunks(chunking), strict=True)
    ]
    for earlier_node, later_node in pairwise(chunk_text_nodes):
        earlier_node.relationships[llama_index_schema_module.NodeRelationship.NEXT] = later_node.as_related_node_info()
        later_node.relationships[llama_index_schema_module.NodeRelationship.PREVIOUS] = earlier_node.as_related_node_info()
    return chunk_text_nodes
