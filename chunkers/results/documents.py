"""Chunks as the documents of other libraries, with position and headings in their metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

from chunkers.results.embedded import BETWEEN, WITH_TEXT_IN_FRONT, embedded_text, path_of
from chunkers.support.errors import InputError, shown
from chunkers.support.extras import needed

if TYPE_CHECKING:
    from chunkers.results.result import Chunking

Library = Literal["langchain", "llama_index", "haystack"]

METADATA: Mapping[str, str] = {
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


def metadata_of(chunking: Chunking) -> list[dict[str, Any]]:
    """Return the metadata of every chunk: the entries of `METADATA` that apply to the chunk."""
    document, parts = chunking.document, chunking.document.parts
    how = "plain" if chunking.made_by is None else chunking.made_by.embedded_as
    metadata = []
    for chunk in chunking.chunks:
        fields: dict[str, Any] = {
            "start_index": chunk.start,
            "end_index": chunk.end,
            "heading_path": BETWEEN.join(path_of(document, chunk)),
        }
        if len(chunk.spans) > 1:
            fields["spans"] = ", ".join(f"{start}-{end}" for start, end in chunk.spans)
        if parts is not None:
            fields |= {parts.kind: parts.at(chunk.start) + 1, f"{parts.kind}s": ", ".join(parts.names(chunk.spans))}
        if chunk.context:
            fields["context"] = chunk.context
        if chunk.stated is not None:
            # Documents often have a title of their own, which stays what it is.
            fields |= {"chunk_title": chunk.stated.title, "chunk_summary": chunk.stated.summary}
        if how in WITH_TEXT_IN_FRONT:
            fields["embedded_as"] = embedded_text(document, chunk, how)
        metadata.append(fields)
    return metadata


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
    maker = _MAKERS.get(library) if isinstance(library, str) else None
    if maker is None:
        raise InputError(f"library must be one of {', '.join(get_args(Library))}; got {shown(library)}.")
    return maker(chunking)


def _langchain_documents(chunking: Chunking) -> list[Any]:
    documents = needed("langchain_core.documents", "to_documents", "langchain-core")
    return [
        documents.Document(page_content=chunk.text, metadata=metadata)
        for chunk, metadata in zip(chunking.chunks, metadata_of(chunking), strict=True)
    ]


def _haystack_documents(chunking: Chunking) -> list[Any]:
    haystack = needed("haystack", "to_documents", "haystack-ai")
    return [
        haystack.Document(content=chunk.text, meta=metadata)
        for chunk, metadata in zip(chunking.chunks, metadata_of(chunking), strict=True)
    ]


def _llama_index_nodes(chunking: Chunking) -> list[Any]:
    schema = needed("llama_index.core.schema", "to_documents", "llama-index-core")
    nodes = [
        schema.TextNode(
            text=chunk.text,
            start_char_idx=chunk.start,
            end_char_idx=chunk.end,
            metadata=metadata,
            # What is embedded and what a model reads stay the chunk: these say where it lies.
            excluded_embed_metadata_keys=[*METADATA],
            excluded_llm_metadata_keys=[*METADATA],
        )
        for chunk, metadata in zip(chunking.chunks, metadata_of(chunking), strict=True)
    ]
    for earlier, later in pairwise(nodes):
        earlier.relationships[schema.NodeRelationship.NEXT] = later.as_related_node_info()
        later.relationships[schema.NodeRelationship.PREVIOUS] = earlier.as_related_node_info()
    return nodes


_MAKERS: Mapping[str, Callable[[Chunking], list[Any]]] = {
    "langchain": _langchain_documents,
    "llama_index": _llama_index_nodes,
    "haystack": _haystack_documents,
}
