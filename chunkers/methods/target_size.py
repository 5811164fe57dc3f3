"""A breakpoint threshold found from the size that chunks should have."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from chunkers.arrays import FloatArray
from chunkers.base import Chunker
from chunkers.building_blocks.distances import buffered, gap_distances
from chunkers.reason import Reason
from chunkers.result import Chunking, Curve, Gap, Line, Verdict
from chunkers.text.document import Document
from chunkers.tools import Tools

SizeUnit = Literal["tokens", "words", "characters"]
Fit = Literal["average", "largest"]


class TargetSize(Chunker):
    """Cut at the greatest distances, as few of them as make the chunks fit a size.

    Source: KamradtModifiedChunker of Chroma's report, which bisects the threshold. Its text asks for the largest chunk below
    the size; its code allows as many cuts as the size fits into the text, which makes the average fit. Here the threshold
    is found among the distances themselves, which is where bisecting ends.
    """

    name: ClassVar[str] = "target_size"
    title: ClassVar[str] = "Target size"
    idea: ClassVar[str] = "Cuts at the greatest jumps of meaning, as many as it takes to reach a size."
    source: ClassVar[str] = "Chroma technical report (2024), modified Kamradt chunker"
    formula: ClassVar[str] = (
        r"\theta = \min\,\{\, t : |\{ i : d_i > t \}| \le \lfloor T / s \rfloor \,\} \quad \text{for a text of "
        r"} T \text{ tokens}"
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
        title="Target size",
        description="What the chunks should hold.",
        json_schema_extra={"step": 10, "offered": [20, 2000], "main": True},
    )
    fit: Fit = Field(
        "average",
        title="Fits",
        description="The average chunk, as Chroma's code has it, or the largest, as its report says.",
        json_schema_extra={"main": True},
    )
    unit: SizeUnit = Field("tokens", title="Size counts", description="What the size counts.")
    buffer: int = Field(
        3,
        ge=0,
        le=20,
        title="Buffer",
        description="Sentences joined on each side before embedding: 3 in Chroma's code.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [0, 5]},
    )

    def describe(self) -> str:
        """Say the settings in a few words."""
        return f"{self.fit} {self.size:,} {self.unit}, buffer {self.buffer}"

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return no levels: the line depends on the sizes of the sentences, which the scores do not contain."""
        return [math.nan] * len(values)

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document."""
        texts = document.sentence_texts
        if not texts:
            return Chunking(document, (), ())
        distances = gap_distances(tools.embed(buffered(texts, self.buffer)))
        sizes = self._sizes(document, tools)
        ranks = np.sort(distances)[::-1]
        allowed = sum(sizes) // self.size if self.fit == "average" else self._cuts_for_largest(ranks, distances, sizes)
        # The line is the first distance that is not cut; where all are cut, there is none.
        level = float(ranks[allowed]) if allowed < len(ranks) else -1.0
        found = f"the level at which the {self.fit} chunk fits {self.size:,} {self.unit}"
        gaps = []
        for index, distance in enumerate(distances.tolist()):
            cut = distance > level
            why = Reason("distance", distance, ">" if cut else "≤", level, remark=found)
            gaps.append(Gap(index, distance, level, Verdict.CUT if cut else Verdict.KEPT, why))
        curve = Curve("distance", tuple(distances.tolist()), (Line("fitted", level, "size"),), cut_above=True, live=False)
        return Chunking.from_gaps(document, gaps, curves=(curve,))

    def _sizes(self, document: Document, tools: Tools) -> list[int]:
        texts = document.sentence_texts
        if self.unit == "tokens":
            return tools.count_tokens(texts)
        return [len(text) if self.unit == "characters" else len(text.split()) for text in texts]

    def _cuts_for_largest(self, ranks: FloatArray, distances: FloatArray, sizes: list[int]) -> int:
        """Return how few of the greatest distances must be cut for no chunk to exceed the size; all, if none do."""
        totals = np.array([0, *accumulate(sizes)])

        def fits(cuts: int) -> bool:
            level = ranks[cuts] if cuts < len(ranks) else -1.0
            edges = np.concatenate([[0], np.flatnonzero(distances > level) + 1, [len(sizes)]])
            return bool(np.diff(totals[edges]).max() <= self.size)

        return bisect_left(range(len(ranks)), True, key=fits)
