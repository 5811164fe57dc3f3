"""LangChain's recursive splitter, with exact offsets."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import ClassVar, Self

from pydantic import Field, model_validator

from chunkers.building_blocks import (
    SeparatorPreset,
    Unit,
    add_uncut_gaps,
    build_cut_gaps_only,
    check_overlap,
    recursive_spans,
    refuse_excess_chunks_or_characters,
    refuse_size_yielding_excess_chunks,
    separator_patterns,
    text_size_function,
)
from chunkers.contract import Chunker, Tools
from chunkers.results import Chunk, Chunking, Gap, LazyTuple, Reason, Verdict, combine_reasons
from chunkers.text import Document, Span


class Recursive(Chunker):
    """Chunker that splits at coarse separators, splits large pieces at finer separators, and merges pieces up to the size.

    Source: LangChain's RecursiveCharacterTextSplitter; the separators and sizes of Chroma's report by default.
    """

    name: ClassVar[str] = "recursive"
    title: ClassVar[str] = "Recursive"
    idea: ClassVar[str] = "Cuts at blank lines, then lines, then full stops, then words, until the pieces fit."
    source: ClassVar[str] = "Chroma technical report (2024); Kreileder et al.; LangChain"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\text{split at the first separator found,} \\ &\text{finer where } |p| \ge s; \\ "
        r"&\text{join neighbours while } \textstyle\sum |p| \le s \end{aligned}"
    )
    symbols: ClassVar[str] = r"$|p|$ size of a piece; $s$ the size that a chunk may have"
    failure: ClassVar[str] = (
        "Knows length and punctuation alone: two subjects in one paragraph stay together. With Chroma's "
        "separators a chunk begins with the full stop of the one before."
    )

    size: int = Field(
        200,
        ge=1,
        le=1_000_000,
        title="Chunk size",
        description="The most that a chunk may hold.",
        json_schema_extra={"step": 10, "offered": [20, 2000], "main": True},
    )
    unit: Unit = Field("characters", title="Size unit", description="What the size and the overlap count.")
    overlap: int = Field(
        0,
        ge=0,
        le=1_000_000,
        title="Overlap",
        description="How much of a chunk's end the next chunk repeats at most; below the size.",
        json_schema_extra={"step": 5, "offered": [0, 1000]},
    )
    parent_size: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Parent size",
        description="The most that a parent may hold. The text is cut into parents, and each parent into children of the "
        "chunk size, both with the same overlap; parents and children are all chunks.",
        json_schema_extra={"step": 100},
    )
    separators: SeparatorPreset = Field(
        "chroma",
        title="Separators",
        description="Chroma's end sentences too, and put the full stop at the head of the next chunk; LangChain's do not.",
    )

    @model_validator(mode="after")
    def _check_overlap_and_parent_size(self) -> Self:
        check_overlap(self.size, self.overlap, self.model_fields_set)
        if self.parent_size is not None and self.parent_size <= self.size:
            raise ValueError(
                f"parent_size must be more than size ({self.size}); got {self.parent_size}. Raise parent_size or lower size."
            )
        return self

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        overlap_phrase = f"overlap {self.overlap}" if self.overlap else "no overlap"
        parents_phrase = f", in parents of {self.parent_size:,}" if self.parent_size else ""
        return f"at most {self.size:,} {self.unit}, {overlap_phrase}{parents_phrase}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document at separators, from coarse to fine; a cut inside a sentence adds a gap to the result.

        Raises
        ------
        InputError
            If there would be too many chunks, or too many characters in total.
        """
        refuse_size_yielding_excess_chunks(self.name, document.text, self.size, self.unit)
        text, size_function = document.text, text_size_function(self.unit, tools)
        split_function = partial(
            recursive_spans, text, overlap=self.overlap, size_function=size_function, separator_preset=self.separators
        )
        parent_chunk_spans = split_function(self.parent_size) if self.parent_size else []
        parents_or_whole_text: list[Span | None] = [Span(*parent) for parent in parent_chunk_spans] or [None]
        all_chunk_spans = [
            *parent_chunk_spans,
            *(span for part in parents_or_whole_text for span in split_function(self.size, part=part)),
        ]
        if parent_chunk_spans:
            # A parent stands before its children, also before one as long as itself.
            all_chunk_spans.sort(key=lambda span: (span[0], -span[1]))
        refuse_excess_chunks_or_characters(
            self.name, len(all_chunk_spans), sum(end - start for start, end in all_chunk_spans)
        )
        all_chunks = tuple(
            [Chunk((Span(start, end),), text[start:end], document=document) for start, end in all_chunk_spans]
        )
        parent_starts = frozenset(start for start, _ in parent_chunk_spans)
        return Chunking(
            document,
            all_chunks,
            LazyTuple(lambda: self._all_gaps(document, all_chunk_spans, parent_starts)),
        )

    def _all_gaps(
        self, document: Document, chunk_spans: Sequence[tuple[int, int]], parent_start_offsets: Collection[int]
    ) -> tuple[Gap, ...]:
        def cut_reason_at(offset: int) -> Reason:
            exceeded_size_phrase = (
                f"parent size {self.parent_size:,}" if offset in parent_start_offsets else f"size {self.size:,}"
            )
            size_exceeded_reason = Reason(remark=f"the next piece would pass {exceeded_size_phrase} {self.unit}")
            return combine_reasons(
                size_exceeded_reason, Reason(remark=f"cut at {separator_name_at(document.text, offset, self.separators)}")
            )

        # Where only white space left the overlap, the next chunk begins where the last did: it is longer, but no new cut.
        later_chunk_start_offsets = sorted({start for start, _ in chunk_spans})[1:]
        # Joined, the pieces may have more tokens than they have apart, which LangChain's splitter does not look at.
        chunk_size_clause = "the chunk stays" if self.unit != "tokens" else "the pieces of the chunk add up to a number"
        no_separator_needed_remark = (
            f"no separator is needed here: {chunk_size_clause} within size {self.size:,} {self.unit}"
        )
        return add_uncut_gaps(
            document,
            build_cut_gaps_only(document, later_chunk_start_offsets, Verdict.CUT, cut_reason_at),
            Reason(remark=no_separator_needed_remark),
        )


PHRASE_BY_SEPARATOR = {
    "\n\n": "a blank line",
    "\n": "a line break",
    " ": "a space",
    "": "no separator, between two characters",
}


def separator_name_at(text: str, offset: int, separator_preset: SeparatorPreset) -> str:
    """Return the name of the separator at the cut before the chunk that begins at ``offset``.

    The splitter keeps each separator at the beginning of the following piece, so the separator comes first in the
    chunk's untrimmed text.
    """
    separator_begin_offset = offset
    while separator_begin_offset and text[separator_begin_offset - 1].isspace():
        separator_begin_offset -= 1
    for raw_separator, separator_pattern in separator_patterns(separator_preset):
        if any(separator_pattern.match(text, place) for place in range(separator_begin_offset, offset + 1)):
            return PHRASE_BY_SEPARATOR.get(raw_separator, f"{raw_separator!r}")
    return PHRASE_BY_SEPARATOR[""]
