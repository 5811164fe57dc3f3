"""Docling's chunker by structure and size."""

from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from chunkers.adapters.base import Adapter
from chunkers.adapters.piece_location import chunking_of_pieces
from chunkers.contract import Tools
from chunkers.results import Chunking
from chunkers.text import Document, check_markdown_mark_count, headings


class DoclingHybrid(Adapter):
    """Adapter for Docling's HybridChunker, which counts tokens with the selected tokenizer.

    Docling receives the blocks and headings that `chunkers.text.blocks_and_headings` finds, each with its original text, so
    that only the cutting is compared and not Docling's file parsing. Headings are kept outside the chunks. The header of a
    table that Docling cuts is repeated, and becomes the context of the chunk here.
    """

    name: ClassVar[str] = "docling_hybrid"
    title: ClassVar[str] = "Docling: HybridChunker"
    idea: ClassVar[str] = "Docling's own code: a chunk for each block, split where too long, joined under the same headings."
    source: ClassVar[str] = "docling-core"
    library: ClassVar[str] = "Docling's HybridChunker"
    package: ClassVar[str] = "docling-core"
    module: ClassVar[str] = "docling_core.transforms.chunker.hybrid_chunker"
    requirement: ClassVar[str] = "docling-core[chunking]"
    embeds: ClassVar[bool] = False
    reads_blocks: ClassVar[bool] = True

    max_tokens: int = Field(
        256,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="The most that a chunk may hold with its headings in front; Docling's default is what the model reads.",
        json_schema_extra={"unit": "tokens", "step": 8, "offered": [48, 2048], "main": True},
    )

    def piece_texts(self, document: Document, tools: Tools) -> list[str]:
        """Return the texts of Docling's chunks, without the table headers that Docling repeats."""
        return [text for text, _ in self._pair_pieces_with_table_headers(document, tools)]

    def _build_chunking_from_library_pieces(self, document: Document, tools: Tools) -> Chunking:
        text_and_table_header_pairs = self._pair_pieces_with_table_headers(document, tools)
        chunking = chunking_of_pieces(
            document,
            [text for text, _ in text_and_table_header_pairs],
            self.library,
            [header for _, header in text_and_table_header_pairs],
        )
        document_heading_count = len(headings(document.text))
        note_on_headings_beside_chunks = (
            f"{self.library} keeps headings beside its chunks, not in them: {document_heading_count:,}."
        )
        return (
            replace(chunking, notes=(note_on_headings_beside_chunks, *chunking.notes))
            if document_heading_count
            else chunking
        )

    def _pair_pieces_with_table_headers(self, document: Document, tools: Tools) -> list[tuple[str, str]]:
        """Return the text of each chunk and the header that it repeats, empty where it repeats none.

        Raises
        ------
        InputError
            If the text has more marks of Markdown than can be parsed.
        """
        from chunkers.adapters.docling_document_of_text import hybrid_chunks_and_table_headers

        check_markdown_mark_count(self.name, document.text)
        return hybrid_chunks_and_table_headers(document.text, self.max_tokens, lambda text: tools.count_tokens([text])[0])
