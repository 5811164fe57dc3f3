"""Fixed-size groups of sentences: the baseline that knows nothing of the text."""

import math
from typing import ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from chunkers.building_blocks import (
    SizeLimitedChunker,
    check_overlap,
    enforce_size_limits_on_gaps,
    find_nearest_verdict_reversing_stop,
    find_parameter_spec_by_name,
    gap_distances,
    refuse_excess_chunks_or_characters,
)
from chunkers.contract import Tipping, Tools
from chunkers.results import Chunk, Chunking, Gap, Reason, Verdict, combine_reasons
from chunkers.support import IntArray
from chunkers.text import Document


class FixedSentences(SizeLimitedChunker):
    """Chunker that puts a fixed number of sentences into each chunk.

    Source: the baseline of Qu et al., section 2: for N chunks a group has ceil(n / N) of the n sentences.
    """

    name: ClassVar[str] = "fixed_sentences"
    title: ClassVar[str] = "Fixed sentences"
    idea: ClassVar[str] = "Cuts after every so many sentences, whatever they say."
    source: ClassVar[str] = "Qu et al., section 2"
    formula: ClassVar[str] = r"\text{size} = \lceil n / N \rceil"
    symbols: ClassVar[str] = r"$n$ sentences of the text; $N$ chunks, where their number is set"
    failure: ClassVar[str] = (
        "Cuts through a subject unless its length is a multiple of the size: no size fits three topics of unequal length."
    )

    size: int = Field(
        4,
        ge=1,
        le=10_000,
        title="Sentences per chunk",
        description="A chunk ends after this many sentences.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [1, 30], "main": True},
    )
    chunks: int | None = Field(
        None,
        ge=1,
        le=10_000,
        title="Number of chunks",
        description="If set, the size is the number of sentences divided by it, rounded up.",
        json_schema_extra={"unit": "chunks", "step": 1, "offered": [2, 10]},
    )
    overlap: int = Field(
        0,
        ge=0,
        le=10_000,
        title="Overlap",
        description="Sentences that a chunk repeats from the one before; below the size.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [0, 10]},
    )

    @model_validator(mode="after")
    def _check_overlap_and_limits(self) -> Self:
        if self.chunks is None:
            check_overlap(self.size, self.overlap, self.model_fields_set)
        if self.overlap and (self.min_size is not None or self.max_size is not None):
            raise ValueError(
                f"overlap must be 0 when min_size or max_size is set; got {self.overlap}. Set overlap to 0, or leave "
                "min_size and max_size out."
            )
        return self

    def describe(self) -> str:
        """Return the chunker's size and overlap as a short phrase."""
        if self.chunks is None:
            size_phrase = f"{self.size} sentence{'s' if self.size > 1 else ''}"
        else:
            size_phrase = f"{self.chunks} chunks of equal size" if self.chunks > 1 else "1 chunk"
        return f"{size_phrase}, " + (f"overlap {self.overlap}" if self.overlap else "no overlap")

    def idle(self) -> frozenset[str]:
        """Return the names of the parameters that have no effect: the size, if the number of chunks is set."""
        return super().idle() | ({"size"} if self.chunks is not None else set())

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document into windows of a fixed number of sentences, with overlap if set.

        Raises
        ------
        InputError
            If the chunks would have too many characters in total, because of their overlap.
        """
        document_sentence_count = len(document.sentences)
        size, overlap = self._size_and_overlap(document_sentence_count)
        sentence_windows = sliding_windows(document_sentence_count, size, overlap)
        if overlap:
            sentence_span_array = np.array(document.sentences, dtype=np.intp).reshape(-1, 2)
            window_start_sentence_indices, window_end_sentence_indices = sentence_windows.T
            refuse_excess_chunks_or_characters(
                self.name,
                len(window_start_sentence_indices),
                int(
                    (
                        sentence_span_array[window_end_sentence_indices - 1, 1]
                        - sentence_span_array[window_start_sentence_indices, 0]
                    ).sum()
                ),
            )
        size_reached_reason = Reason(remark=f"size {size} reached")
        if overlap:
            short_reason_text = f"{size_reached_reason.remark}, the next repeats {overlap}"
            size_reached_reason = combine_reasons(
                size_reached_reason, Reason(remark=f"the next chunk repeats {overlap}", short=short_reason_text)
            )
        kept_before_size_reached_reason = Reason(remark=f"fewer than {size} sentences so far")
        window_end_gap_indices = {*(sentence_windows[:-1, 1] - 1).tolist()}
        gaps_before_size_limits = [
            Gap(
                index,
                None,
                None,
                Verdict.CUT if index in window_end_gap_indices else Verdict.KEPT,
                size_reached_reason if index in window_end_gap_indices else kept_before_size_reached_reason,
            )
            for index in range(document_sentence_count - 1)
        ]
        if overlap:
            window_chunks = tuple(
                Chunk.of(document, document.slice(first, last)) for first, last in sentence_windows.tolist()
            )
            return Chunking(document, window_chunks, tuple(gaps_before_size_limits))

        size_limited_gaps = enforce_size_limits_on_gaps(
            document,
            gaps_before_size_limits,
            self.limits,
            tools,
            lambda: gap_distances(tools.embed(document.sentence_texts)).tolist(),
        )
        return Chunking.from_gaps(document, size_limited_gaps)

    def _size_and_overlap(self, sentence_count: int) -> tuple[int, int]:
        """Return the numbers of sentences in a chunk and in an overlap, for a text of ``sentence_count`` sentences."""
        sentences_per_chunk = self.size if self.chunks is None else max(1, math.ceil(sentence_count / self.chunks))
        # With a number of chunks the size depends on the text, so the overlap can only be limited here.
        return sentences_per_chunk, min(self.overlap, sentences_per_chunk - 1)

    def tipping(self, chunking: Chunking, gap: Gap, tools: Tools) -> Tipping | None:
        """Return the nearest size, or number of chunks, that moves a chunk's end to this gap or away from this gap."""
        if self.min_size is not None or self.max_size is not None:
            return None
        parameter_name, parameter_title = ("size", "size") if self.chunks is None else ("chunks", "number of chunks")
        sentence_count, sentence_after_gap_index = len(chunking.document.sentences), gap.index + 1

        def reverses_verdict(parameter_value: float) -> bool:
            if parameter_name == "size" and parameter_value <= self.overlap:
                return False
            size, overlap = self.model_copy(update={parameter_name: int(parameter_value)})._size_and_overlap(sentence_count)
            # A size of 1 cuts everywhere, which says nothing of this gap.
            return (
                size > 1
                and (
                    size <= sentence_after_gap_index < sentence_count
                    and (sentence_after_gap_index - size) % (size - overlap) == 0
                )
                != gap.verdict.is_cut
            )

        reversing_value = find_nearest_verdict_reversing_stop(
            find_parameter_spec_by_name(self, parameter_name), getattr(self, parameter_name), reverses_verdict
        )
        return (
            None
            if reversing_value is None
            else Tipping(parameter_name, parameter_title, reversing_value, not gap.verdict.is_cut)
        )


def sliding_window_count(item_count: int, size: int, overlap: int) -> int:
    """Return the number of windows that `sliding_windows` makes over ``item_count`` items."""
    return 1 + max(0, math.ceil((item_count - size) / (size - overlap))) if item_count else 0


def sliding_windows(item_count: int, size: int, overlap: int) -> IntArray:
    """Return half-open windows over ``item_count`` items, each starting ``size - overlap`` items after the previous window.

    The result has shape (windows, 2); the last window is the first that reaches the end.
    """
    window_start_indices = np.arange(sliding_window_count(item_count, size, overlap)) * (size - overlap)
    return np.stack([window_start_indices, np.minimum(window_start_indices + size, item_count)], axis=1)
