"""A text as a Docling document, and the result of its HybridChunker; import it only if Docling is installed."""

import warnings
from bisect import bisect_left
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import semchunk.semchunk
from docling_core.transforms.chunker.hierarchical_chunker import ChunkingDocSerializer, ChunkingSerializerProvider
from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
from docling_core.transforms.chunker.tokenizer.base import BaseTokenizer
from docling_core.transforms.serializer.base import SerializationResult
from docling_core.transforms.serializer.common import create_ser_result
from docling_core.transforms.serializer.markdown import MarkdownTableSerializer, MarkdownTextSerializer
from docling_core.types.doc.document import DoclingDocument, TableData
from docling_core.types.doc.labels import DocItemLabel

from chunkers.text import headings, parse_block_outline

TokenCounter = Callable[[str], int]

# It would print the text of a chunk whose headings leave no room, on the server's standard error.
warnings.filterwarnings("ignore", message="Headers and captions for this chunk")


def hybrid_chunks_and_table_headers(text: str, max_tokens: int, count_tokens: TokenCounter) -> list[tuple[str, str]]:
    """Run Docling's HybridChunker; return each chunk's text and the table header, if any, repeated before that text.

    The header is removed from the text; it is empty if Docling repeats none.
    """
    text_as_docling_document, table_text_by_reference = docling_document_and_table_texts(text)
    table_serializer_provider = _VerbatimSerializerProvider(table_text_by_reference)
    chunker = HybridChunker(
        tokenizer=_DoclingTokenizer(count=count_tokens, most=max_tokens), serializer_provider=table_serializer_provider
    )
    try:
        chunks: list[Any] = list(chunker.chunk(text_as_docling_document))
    finally:
        # semchunk remembers all that a counter counted for good, which would keep the text.
        getattr(semchunk.semchunk, "_memoized_token_counters", {}).pop(count_tokens, None)
    text_and_table_header_pairs = []
    previous_chunk_item_reference = None
    for chunk in chunks:
        continued_table_header = (
            _table_header(table_text_by_reference.get(previous_chunk_item_reference, ""))
            if chunk.meta.doc_items[0].self_ref == previous_chunk_item_reference
            else ""
        )
        repeated_header = (
            continued_table_header if continued_table_header and chunk.text.startswith(continued_table_header) else ""
        )
        text_and_table_header_pairs.append((chunk.text[len(repeated_header) :], repeated_header.strip()))
        previous_chunk_item_reference = chunk.meta.doc_items[-1].self_ref
    return text_and_table_header_pairs


def docling_document_and_table_texts(text: str) -> tuple[DoclingDocument, dict[str | None, str]]:
    """Convert a text's blocks to a Docling document; also return each table's source text, keyed by Docling reference.

    List items and paragraphs keep their Markdown source as text, marks included; headings lose their marks.
    """
    text_as_docling_document = DoclingDocument(name="document")
    table_text_by_reference: dict[str | None, str] = {}
    heading_title_by_start = {heading.span.start: heading.title for heading in headings(text)}
    all_list_item_starts = parse_block_outline(text).item_starts
    for block_kind, (block_start, block_end), heading_level in parse_block_outline(text).blocks:
        block_source_text = text[block_start:block_end]
        if block_kind == "heading":
            text_as_docling_document.add_heading(heading_title_by_start[block_start], level=heading_level)
        elif block_kind == "table":
            table_text_by_reference[text_as_docling_document.add_table(TableData(num_rows=0, num_cols=0)).self_ref] = (
                block_source_text
            )
        elif block_kind == "list":
            list_item_start_offsets = all_list_item_starts[
                bisect_left(all_list_item_starts, block_start) : bisect_left(all_list_item_starts, block_end)
            ]
            docling_list_group = text_as_docling_document.add_list_group()
            for list_item_start, list_item_end in pairwise([block_start, *list_item_start_offsets[1:], block_end]):
                text_as_docling_document.add_list_item(
                    text[list_item_start:list_item_end].rstrip(), parent=docling_list_group
                )
        else:
            text_as_docling_document.add_text(DocItemLabel.TEXT, block_source_text)
    return text_as_docling_document, table_text_by_reference


def _table_header(table_text: str) -> str:
    """Return the lines of a table that the chunker repeats."""
    header_lines, _ = MarkdownTableSerializer().get_header_and_body_lines(table_text=table_text)
    return "".join(header_lines)


class _DoclingTokenizer(BaseTokenizer):  # type: ignore[misc]
    """The chosen tokenizer behind Docling's interface."""

    count: Any
    most: int

    def count_tokens(self, text: str) -> int:
        return int(self.count(text))

    def get_max_tokens(self) -> int:
        return self.most

    def get_tokenizer(self) -> Any:
        return self.count


class _VerbatimTextSerializer(MarkdownTextSerializer):  # type: ignore[misc]
    """Docling's would begin items anew and end lines with two spaces."""

    def serialize(self, *, item: Any, **_: Any) -> SerializationResult:
        return create_ser_result(text=item.text, span_source=item)


class _VerbatimTableSerializer(MarkdownTableSerializer):  # type: ignore[misc]
    """Docling's would write a table as triplets of row, column and value, which are not in the text."""

    def __init__(self, table_text_by_reference: dict[str | None, str]) -> None:
        self._tables = table_text_by_reference

    def serialize(self, *, item: Any, **_: Any) -> SerializationResult:
        return create_ser_result(text=self._tables[item.self_ref], span_source=item)


class _VerbatimSerializerProvider(ChunkingSerializerProvider):  # type: ignore[misc]
    """Makes serializers that write blocks as they are in the text."""

    def __init__(self, table_text_by_reference: dict[str | None, str]) -> None:
        self._tables = table_text_by_reference

    def get_serializer(self, doc: DoclingDocument) -> ChunkingDocSerializer:
        return ChunkingDocSerializer(
            doc=doc, text_serializer=_VerbatimTextSerializer(), table_serializer=_VerbatimTableSerializer(self._tables)
        )
