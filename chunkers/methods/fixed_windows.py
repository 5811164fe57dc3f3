"""Windows of a fixed number of words, characters or tokens: baselines that ignore the content."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from chunkers.building_blocks import (
    add_uncut_gaps,
    build_cut_gaps_only,
    check_overlap,
    merge_into_windows,
    refuse_excess_chunks_or_characters,
)
from chunkers.contract import Chunker, Tools
from chunkers.methods.fixed_sentences import sliding_window_count, sliding_windows
from chunkers.results import Chunk, Chunking, Gap, LazyTuple, Reason, Verdict, combine_reasons
from chunkers.support import IntArray
from chunkers.text import Document, Span, word_starts
from chunkers.text.front_matter import find_front_matter_offsets


class WindowChunker(Chunker):
    """Base class for chunkers that cut a text into windows of a fixed number of units, such as words, with overlap.

    A subclass determines where its units begin. Text between two units belongs to the unit before it, so that nothing is
    lost; white space at the ends of a window is left out.
    """

    size: int
    overlap: int

    symbols: ClassVar[str] = r"$k$ number of the chunk, from 0; $s$ size; $o$ overlap"
    unit: ClassVar[str]

    @model_validator(mode="after")
    def _check_overlap_below_size(self) -> Self:
        check_overlap(self.size, self.overlap, self.model_fields_set)
        return self

    def describe(self) -> str:
        """Return the chunker's size and overlap as a short phrase."""
        return f"{self.size:,} {self.unit}, " + (f"overlap {self.overlap:,}" if self.overlap else "no overlap")

    @abstractmethod
    def unit_starts(self, text: str, tools: Tools) -> IntArray:
        """Return the start offset of each text unit, in code points, ascending."""

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document into windows of text units; a cut inside a sentence adds a gap to the result.

        Raises
        ------
        InputError
            If there would be too many chunks, or too many characters in total.
        """
        text = document.text
        unit_start_offsets = self.unit_starts(text, tools)
        refuse_excess_chunks_or_characters(
            self.name, sliding_window_count(len(unit_start_offsets), self.size, self.overlap), 0
        )
        window_offset_ranges = _window_offset_ranges(text, unit_start_offsets, self.size, self.overlap)
        refuse_excess_chunks_or_characters(self.name, len(window_offset_ranges), int(np.diff(window_offset_ranges).sum()))
        trimmed_window_spans = (Span(*edge).trimmed(text) for edge in window_offset_ranges.tolist())
        nonblank_window_spans = [span for span in trimmed_window_spans if span.start < span.end]
        window_chunks = tuple(
            [Chunk((span,), text[span.start : span.end], document=document) for span in nonblank_window_spans]
        )
        return Chunking(document, window_chunks, LazyTuple(lambda: self._all_gaps(document, nonblank_window_spans)))

    def _all_gaps(self, document: Document, chunk_spans: Sequence[Span]) -> tuple[Gap, ...]:
        overlap_reason_if_any = [Reason(remark=f"the next chunk repeats {self.overlap:,}")] if self.overlap else []
        cut_reason = combine_reasons(Reason(remark=f"size {self.size:,} {self.unit} reached"), *overlap_reason_if_any)
        # Where only white space left the overlap, the next chunk begins where the last did, which is no new cut.
        later_chunk_start_offsets = [later.start for earlier, later in pairwise(chunk_spans) if later.start > earlier.start]
        cut_gaps = build_cut_gaps_only(document, later_chunk_start_offsets, Verdict.CUT, lambda offset: cut_reason)
        return add_uncut_gaps(document, cut_gaps, Reason(remark=f"fewer than {self.size:,} {self.unit} so far"))


def _window_offset_ranges(text: str, unit_starts: IntArray, size: int, overlap: int) -> IntArray:
    """Return the code-point ranges of the windows over units that begin at ``unit_starts``, shape (windows, 2).

    Without units there is one window.
    """
    document_front_matter, text_length = find_front_matter_offsets(text), len(text)
    if document_front_matter and len(unit_starts):
        # A fence is in one window with the unit beside it, though both are more than the size.
        unit_indices_cuttable_before = [
            place
            for place, start in enumerate(unit_starts.tolist())
            if not document_front_matter.cut_separates_fence_from_fields(start)
        ]
        window_offset_ranges = np.array(
            merge_into_windows(
                [*unit_starts[unit_indices_cuttable_before].tolist(), text_length],
                [*unit_indices_cuttable_before, len(unit_starts)],
                0,
                len(unit_indices_cuttable_before),
                size,
                overlap,
            )
        )
    else:
        unit_start_offsets = unit_starts if len(unit_starts) else np.zeros(1, np.intp)
        window_offset_ranges = unit_start_offsets.take(sliding_windows(len(unit_start_offsets), size, overlap), mode="clip")
    window_offset_ranges[0, 0], window_offset_ranges[-1, 1] = 0, text_length
    return window_offset_ranges


class FixedWords(WindowChunker):
    """Chunker with consecutive windows of a fixed number of words.

    Source: the baseline of Kreileder et al., 150 words of which 15 are repeated.
    """

    name: ClassVar[str] = "fixed_words"
    title: ClassVar[str] = "Fixed words"
    idea: ClassVar[str] = "Cuts after every so many words, in the middle of a sentence too."
    source: ClassVar[str] = "Kreileder et al."
    formula: ClassVar[str] = (
        r"\begin{aligned} \text{chunk } k = \; &\text{words } k(s - o) \\ &\text{to } k(s - o) + s \end{aligned}"
    )
    failure: ClassVar[str] = (
        "Cuts in the middle of sentences; an overlap hides that from the reader, and fills the index with repeats."
    )
    unit: ClassVar[str] = "words"

    size: int = Field(
        150,
        ge=1,
        le=1_000_000,
        title="Words per chunk",
        description="A chunk ends after this many words.",
        json_schema_extra={"unit": "words", "step": 5, "offered": [10, 1000], "main": True},
    )
    overlap: int = Field(
        15,
        ge=0,
        le=1_000_000,
        title="Overlap",
        description="Words that a chunk repeats from the one before; below the size.",
        json_schema_extra={"unit": "words", "step": 5, "offered": [0, 500], "main": True},
    )

    def unit_starts(self, text: str, tools: Tools) -> IntArray:
        """Return the start offset of each word, in code points; words are separated by white space."""
        return word_starts(text)


class FixedCharacters(WindowChunker):
    """Chunker with consecutive windows of a fixed number of characters, which may cut through words.

    Source: method 1 of "Semantic Chunking: Letting the Content Define Its Own Boundaries".
    """

    name: ClassVar[str] = "fixed_characters"
    title: ClassVar[str] = "Fixed characters"
    idea: ClassVar[str] = "Cuts after every so many characters, in the middle of a word too."
    source: ClassVar[str] = "“Letting the Content Define Its Own Boundaries”"
    formula: ClassVar[str] = (
        r"\begin{aligned} \text{chunk } k = \; &\text{characters } k(s - o) \\ &\text{to } k(s - o) + s \end{aligned}"
    )
    failure: ClassVar[str] = "Cuts words in two, which neither an embedder nor a reader can repair."
    unit: ClassVar[str] = "characters"

    size: int = Field(
        1000,
        ge=1,
        le=10_000_000,
        title="Characters per chunk",
        description="A chunk ends after this many characters.",
        json_schema_extra={"unit": "characters", "step": 50, "offered": [50, 5000], "main": True},
    )
    overlap: int = Field(
        0,
        ge=0,
        le=10_000_000,
        title="Overlap",
        description="Characters that a chunk repeats from the one before; below the size.",
        json_schema_extra={"unit": "characters", "step": 50, "offered": [0, 2500], "main": True},
    )

    def unit_starts(self, text: str, tools: Tools) -> IntArray:
        """Return every offset of the text, because each character is a unit."""
        return np.arange(len(text))


class FixedTokens(WindowChunker):
    """Chunker with consecutive windows of a fixed number of tokens, with exact offsets.

    Source: LangChain's TokenTextSplitter. Chroma's report cuts 200 to 800 tokens, the article on double-pass merging 80.
    """

    name: ClassVar[str] = "fixed_tokens"
    title: ClassVar[str] = "Fixed tokens"
    idea: ClassVar[str] = "Cuts after every so many tokens, in the middle of a word too."
    source: ClassVar[str] = "Chroma technical report (2024); LangChain"
    formula: ClassVar[str] = (
        r"\begin{aligned} \text{chunk } k = \; &\text{tokens } k(s - o) \\ &\text{to } k(s - o) + s \end{aligned}"
    )
    failure: ClassVar[str] = "Cuts sentences and words, and its size means something else to every tokenizer."
    unit: ClassVar[str] = "tokens"

    size: int = Field(
        80,
        ge=1,
        le=1_000_000,
        title="Tokens per chunk",
        description="A chunk ends after this many tokens.",
        json_schema_extra={"unit": "tokens", "step": 10, "offered": [10, 1000], "main": True},
    )
    overlap: int = Field(
        0,
        ge=0,
        le=1_000_000,
        title="Overlap",
        description="Tokens that a chunk repeats from the one before; below the size.",
        json_schema_extra={"unit": "tokens", "step": 10, "offered": [0, 500], "main": True},
    )

    def unit_starts(self, text: str, tools: Tools) -> IntArray:
        """Return the start offset of each token, in code points."""
        return tools.token_starts(text)
