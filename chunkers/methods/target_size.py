"""A breakpoint threshold found from the size that chunks should have."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from chunkers.building_blocks import gap_distances, join_with_neighbours, span_size_function
from chunkers.contract import Chunker, Tools
from chunkers.results import Chunking, Curve, Gap, Line, Reason, Verdict
from chunkers.support import FloatArray
from chunkers.text import Document

SizeUnit = Literal["tokens", "words", "characters"]
FittedChunkSize = Literal["average", "largest"]


class TargetSize(Chunker):
    """Chunker that cuts at the greatest distances, with as few cuts as needed for the target size.

    Source: KamradtModifiedChunker of Chroma's report, which finds the threshold by bisection. The report asks for the
    largest chunk below the size; its code allows as many cuts as the size fits into the text, so that the average chunk
    fits. Here the threshold is found among the distances themselves, which is where bisection ends.
    """

    name: ClassVar[str] = "target_size"
    title: ClassVar[str] = "Target size"
    idea: ClassVar[str] = "Cuts at the greatest jumps of meaning, as many as it takes to reach a size."
    source: ClassVar[str] = "Chroma technical report (2024), modified Kamradt chunker"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\text{cut where } d_i > \theta, \\ &\theta = \min\,\{\, t : |\{ i : d_i > t \}| \le "
        r"\lfloor T / s \rfloor \,\} \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$d_i$ distance of sentence $i$ to the next; $\theta$ the line; $T$ size of the text; $s$ target size"
    )
    failure: ClassVar[str] = (
        "Cuts as often as the size requires, whether or not there is a place to cut: a long subject is broken at "
        "whatever jump is its greatest."
    )
    embeds: ClassVar[bool] = True

    size: int = Field(
        400,
        ge=1,
        le=10_000_000,
        title="Target chunk size",
        description="What the chunks should hold.",
        json_schema_extra={"step": 10, "offered": [20, 2000], "main": True},
    )
    fit: FittedChunkSize = Field(
        "average",
        title="Size statistic",
        description="The average chunk, as Chroma's code has it, or the largest, as its report says.",
        json_schema_extra={"main": True},
    )
    unit: SizeUnit = Field("tokens", title="Size unit", description="What the size counts.")
    buffer: int = Field(
        3,
        ge=0,
        le=20,
        title="Buffer size",
        description="Sentences joined on each side before embedding: 3 in Chroma's code.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [0, 5]},
    )

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        return f"{self.fit} {self.size:,} {self.unit}, buffer {self.buffer}"

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return NaN for each value, because the threshold depends on sentence sizes, which ``scores`` do not contain."""
        return [math.nan] * len(values)

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document at the greatest distances until the chunks fit the target size."""
        all_sentence_texts = document.sentence_texts
        if not all_sentence_texts:
            return Chunking(document, (), ())
        gap_embedding_distances = gap_distances(tools.embed(join_with_neighbours(all_sentence_texts, self.buffer)))
        descending_distances = np.sort(gap_embedding_distances)[::-1]
        oversized_sentence_notes: tuple[str, ...] = ()
        threshold_remark = f"the level at which the {self.fit} chunk fits {self.size:,} {self.unit}"
        if self.fit == "average":
            total_sentence_size = sum(self._sentence_sizes(document, tools))
            intended_cut_count = total_sentence_size // self.size
        else:
            intended_cut_count, largest_chunk_size = self._fewest_cuts_and_largest_size(
                descending_distances, gap_embedding_distances, document, tools
            )
            if largest_chunk_size > self.size:
                threshold_remark = (
                    f"as no level makes the largest chunk fit {self.size:,} {self.unit}: a sentence has "
                    f"{largest_chunk_size:,}"
                )
                oversized_sentence_notes = (
                    f"The longest sentence has {largest_chunk_size:,} {self.unit}, more than the size, {self.size:,}, so "
                    "no level "
                    "makes the largest chunk fit, and every gap is cut.",
                )
        # The line is the first distance that is not cut; where all are cut, there is none.
        greatest_uncut_distance = (
            float(descending_distances[intended_cut_count]) if intended_cut_count < len(descending_distances) else -1.0
        )
        cut_count = int(np.count_nonzero(gap_embedding_distances > greatest_uncut_distance))
        if self.fit == "average" and total_sentence_size > self.size * (cut_count + 1):
            threshold_remark = (
                f"as no level with at most {intended_cut_count:,} cuts makes the average chunk fit {self.size:,} {self.unit}"
            )
        judged_gaps = []
        for gap_index, distance in enumerate(gap_embedding_distances.tolist()):
            is_gap_cut = distance > greatest_uncut_distance
            gap_verdict_reason = Reason(
                "distance", distance, ">" if is_gap_cut else "≤", greatest_uncut_distance, remark=threshold_remark
            )
            judged_gaps.append(
                Gap(
                    gap_index,
                    distance,
                    greatest_uncut_distance,
                    Verdict.CUT if is_gap_cut else Verdict.KEPT,
                    gap_verdict_reason,
                )
            )
        distance_curve = Curve(
            "distance",
            tuple(gap_embedding_distances.tolist()),
            (Line("fitted", greatest_uncut_distance, "size"),),
            cut_above=True,
            live=False,
        )
        return replace(Chunking.from_gaps(document, judged_gaps, curves=(distance_curve,)), notes=oversized_sentence_notes)

    def _sentence_sizes(self, document: Document, tools: Tools) -> list[int]:
        all_sentence_texts = document.sentence_texts
        if self.unit == "tokens":
            return tools.count_tokens(all_sentence_texts)
        return [len(text) if self.unit == "characters" else len(text.split()) for text in all_sentence_texts]

    def _fewest_cuts_and_largest_size(
        self, descending_distances: FloatArray, distances: FloatArray, document: Document, tools: Tools
    ) -> tuple[int, int]:
        """Return the smallest number of cuts at which no chunk exceeds the size, and the size of the largest chunk.

        The cuts are at the greatest distances; all are made if a single sentence exceeds the size.
        """
        size_of_span = span_size_function(document, self.unit, tools)

        def largest_chunk_size(cut_count: int) -> int:
            greatest_uncut_distance = descending_distances[cut_count] if cut_count < len(descending_distances) else -1.0
            chunk_edge_sentence_indices = [
                0,
                *(np.flatnonzero(distances > greatest_uncut_distance) + 1).tolist(),
                len(document.sentences),
            ]
            return max(size_of_span(*document.slice(first, last)) for first, last in pairwise(chunk_edge_sentence_indices))

        needed_cut_count = bisect_left(
            range(len(descending_distances)), True, key=lambda cuts: largest_chunk_size(cuts) <= self.size
        )
        return needed_cut_count, largest_chunk_size(needed_cut_count)
