"""LangChain's recursive splitter, with exact offsets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, Self

from pydantic import Field, model_validator

from chunkers.building_blocks.ledger import cuts_to_gaps, ledger
from chunkers.building_blocks.overlaps import check_chunks, check_overlap, check_size
from chunkers.building_blocks.recursive_spans import (
    Separators,
    Unit,
    measure_for,
    recursive_spans,
    separator_patterns,
)
from chunkers.contract.base import Chunker
from chunkers.contract.tools import Tools
from chunkers.results.reason import Reason, chain
from chunkers.results.result import Chunk, Chunking, Gap, Verdict
from chunkers.support.lazy import LazyTuple
from chunkers.text.document import Document, Span


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
    separators: Separators = Field(
        "chroma",
        title="Separators",
        description="Chroma's end sentences too, and put the full stop at the head of the next chunk; LangChain's do not.",
    )

    @model_validator(mode="after")
    def _overlap_below_size(self) -> Self:
        check_overlap(self.size, self.overlap, self.model_fields_set)
        return self

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        overlap = f"overlap {self.overlap}" if self.overlap else "no overlap"
        return f"at most {self.size:,} {self.unit}, {overlap}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document at separators, from coarse to fine; a cut inside a sentence adds a gap to the result.

        Raises
        ------
        InputError
            If there would be too many chunks, or too many characters in total.
        """
        check_size(self.name, document.text, self.size, self.unit)
        measure = measure_for(self.unit, tools)
        spans = recursive_spans(document.text, self.size, self.overlap, measure, self.separators)
        check_chunks(self.name, len(spans), sum(end - start for start, end in spans))
        text = document.text
        chunks = tuple([Chunk((Span(start, end),), text[start:end]) for start, end in spans])
        return Chunking(document, chunks, LazyTuple(lambda: self._ledger(document, spans)))

    def _ledger(self, document: Document, spans: Sequence[tuple[int, int]]) -> tuple[Gap, ...]:
        passed = Reason(remark=f"the next piece would pass size {self.size:,} {self.unit}")

        def why(offset: int) -> Reason:
            return chain(passed, Reason(remark=f"cut at {separator_at(document.text, offset, self.separators)}"))

        # Where only white space left the overlap, the next chunk begins where the last did: it is longer, but no new cut.
        starts = [later for (earlier, _), (later, _) in pairwise(spans) if later > earlier]
        # Joined, the pieces may have more tokens than they have apart, which LangChain's splitter does not look at.
        within = "the chunk stays" if self.unit != "tokens" else "the pieces of the chunk add up to a number"
        kept = f"no separator is needed here: {within} within size {self.size:,} {self.unit}"
        return ledger(document, cuts_to_gaps(document, starts, Verdict.CUT, why), kept)


SEPARATOR_NAMES = {"\n\n": "a blank line", "\n": "a line break", " ": "a space", "": "no separator, between two characters"}


def separator_at(text: str, offset: int, preset: Separators) -> str:
    """Return the name of the separator at the cut before the chunk that begins at ``offset``.

    The splitter keeps each separator at the beginning of the following piece, so the separator comes first in the
    chunk's untrimmed text.
    """
    begin = offset
    while begin and text[begin - 1].isspace():
        begin -= 1
    for separator, pattern in separator_patterns(preset):
        if any(pattern.match(text, place) for place in range(begin, offset + 1)):
            return SEPARATOR_NAMES.get(separator, f"{separator!r}")
    return SEPARATOR_NAMES[""]
