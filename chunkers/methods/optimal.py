"""Optimal partition: of all partitions of the text, the one that keeps the most similar pieces together."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from chunkers.building_blocks.ledger import gap_order, inside_sentence
from chunkers.building_blocks.overlaps import check_size
from chunkers.building_blocks.partition import PartitionTable, run_rewards
from chunkers.building_blocks.recursive_spans import measure_for, recursive_spans
from chunkers.contract.base import Chunker
from chunkers.contract.tools import Tools
from chunkers.results.reason import Reason
from chunkers.results.result import Chunk, Chunking, Curve, Gap, Verdict, number
from chunkers.support.arrays import FloatArray, IntArray
from chunkers.support.errors import InputError
from chunkers.support.limits import MOST_RUNS
from chunkers.text.document import Document, Span
from chunkers.text.tokenizers import word_starts


class Optimal(Chunker):
    """Chunker that splits a text into small pieces and joins neighbouring pieces to maximise a total reward.

    A chunk is rewarded with the sum, over its ordered pairs of pieces, of their similarity less the mean similarity of all
    pairs; dynamic programming finds the partition of the greatest total. Source: ClusterSemanticChunker of Chroma's report.
    A piece that is rewarded as much alone as joined stays alone; Chroma's code then falls back to one chunk from the
    start of the text, which can exceed the size. Pieces may be whole sentences instead of Chroma's, of about equal size.
    """

    name: ClassVar[str] = "optimal"
    title: ClassVar[str] = "Optimal"
    idea: ClassVar[str] = "Weighs all ways to cut the text, and takes the one that keeps the most alike together."
    source: ClassVar[str] = "Chroma technical report (2024), ClusterSemanticChunker"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\max_{\text{partitions}} \; \sum_{c} \sum_{i \neq j \in c} \left( e_i \cdot e_j - \bar{s} "
        r"\right), \\ &|c| \le \lfloor \text{maximum} / \text{piece} \rfloor \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$c$ a chunk; $e_i$ vector of piece $i$; $\bar{s}$ mean similarity of all pairs; $|c|$ number of pieces"
    )
    failure: ClassVar[str] = (
        "Measures against the text's own mean: a text of one subject is cut all the same, and a subject "
        "longer than the maximum too."
    )
    embeds: ClassVar[bool] = True

    max_size: int = Field(
        400,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="A chunk holds as many pieces as fit into this; a longer sentence is a chunk of its own.",
        json_schema_extra={"unit": "tokens", "step": 50, "offered": [50, 2000], "main": True},
    )
    pieces: Literal["recursive", "sentences"] = Field(
        "recursive",
        title="Piece type",
        description="Pieces of about equal size from the recursive chunker, as Chroma has them, or whole sentences.",
        json_schema_extra={"main": True},
    )
    piece_size: int = Field(
        50,
        ge=1,
        le=100_000,
        title="Piece size",
        description="The most that a piece of the recursive chunker may hold; no larger than the maximum size.",
        json_schema_extra={"unit": "tokens", "step": 5, "offered": [10, 200], "main": True},
    )

    @model_validator(mode="after")
    def _pieces_fit(self) -> Self:
        if self.pieces == "recursive" and self.piece_size > self.max_size:
            raise ValueError(
                f"piece_size must be at most max_size ({self.max_size}); got {self.piece_size}. Lower piece_size or raise "
                "max_size."
            )
        return self

    @property
    def longest(self) -> int:
        """Maximum number of pieces in a chunk, for pieces cut by the recursive chunker."""
        return self.max_size // self.piece_size

    def idle(self) -> frozenset[str]:
        """Return the names of the parameters that have no effect: the piece size, if the pieces are sentences."""
        return frozenset({"piece_size"} if self.pieces == "sentences" else ())

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        pieces = "whole sentences" if self.pieces == "sentences" else f"pieces of {self.piece_size:,}"
        return f"at most {self.max_size:,} tokens, in {pieces}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document into small pieces and join them into the partition with the greatest total reward.

        Raises
        ------
        InputError
            If the search is too much work for the number of pieces in the text and in a chunk.
        """
        pieces, table = self.weigh(document, tools)
        if not pieces:
            return Chunking(document, (), ())
        cuts = table.cuts().tolist()
        gaps = self._ledger(document, pieces, cuts, table.gains())
        edges = [0, *cuts, len(pieces)]
        spans = [Span(pieces[first][0], pieces[last - 1][1]) for first, last in pairwise(edges)]
        scores = tuple(math.nan if gap.score is None else gap.score for gap in gaps if gap.offset is None)
        curve = Curve("gain of a cut over the best partition without it", scores, (), cut_above=True, live=False)
        return Chunking(document, tuple(Chunk.of(document, span) for span in spans), tuple(gaps), curves=(curve,))

    def weigh(self, document: Document, tools: Tools) -> tuple[list[tuple[int, int]], PartitionTable]:
        """Return the pieces, as offsets, and the table of their best partitions; raises as `chunk` does."""
        pieces, reach = self._by_sentence(document, tools) if self.pieces == "sentences" else self._by_size(document, tools)
        if not pieces:
            return [], PartitionTable.filled(np.zeros((0, 1)))
        vectors = tools.embed([document.text[start:end] for start, end in pieces])
        rewards = run_rewards(vectors, int(reach.max()))
        rewards[np.arange(rewards.shape[1]) >= reach[:, None]] = -np.inf
        return pieces, PartitionTable.filled(rewards)

    def _by_size(self, document: Document, tools: Tools) -> tuple[list[tuple[int, int]], IntArray]:
        """Return the pieces of the recursive chunker, and for each the most pieces of a chunk that begins with it."""
        check_size(self.name, document.text, self.piece_size, "tokens")
        # A word has a token, but for the few without any, so there are no fewer pieces.
        words = len(word_starts(document.text)) // self.piece_size
        self._check_runs(words, min(self.longest, words), "at least ")
        pieces = recursive_spans(document.text, self.piece_size, 0, measure_for("tokens", tools), "chroma")
        longest = min(self.longest, len(pieces))
        self._check_runs(len(pieces), longest)
        return pieces, np.full(len(pieces), longest)

    def _by_sentence(self, document: Document, tools: Tools) -> tuple[list[tuple[int, int]], IntArray]:
        """Return the sentences, and for each the most sentences of a chunk that begins with it."""
        pieces = [(start, end) for start, end in document.sentences]
        ends = np.cumsum([0, *tools.count_tokens(document.sentence_texts)])
        fit = np.searchsorted(ends, ends[:-1] + self.max_size, side="right") - 1 - np.arange(len(pieces))
        # Sentences without a token fit anywhere, those that are too long stand alone.
        reach = np.clip(fit, 1, len(pieces) - np.arange(len(pieces)))
        self._check_runs(len(pieces), int(reach.max(initial=0)))
        return pieces, reach

    def _check_runs(self, pieces: int, longest: int, about: str = "") -> None:
        """Raise InputError if there are too many runs of at most ``longest`` pieces."""
        if pieces * longest > MOST_RUNS:
            raise InputError(
                f"optimal: pieces in the text × pieces in the largest chunk must be at most {MOST_RUNS:,}; this text has "
                f"{about}{pieces:,} pieces, and its largest chunk up to {longest:,}. Choose a larger piece size."
            )

    def _ledger(self, document: Document, pieces: list[tuple[int, int]], cuts: list[int], gains: FloatArray) -> list[Gap]:
        """Return a gap for each pair of neighbouring sentences, and for each cut inside one."""
        chosen = set(cuts)
        at: dict[int, Gap] = {}
        inside: list[Gap] = []
        for piece, gain in enumerate(gains.tolist(), start=1):
            start = pieces[piece][0]
            index = document.sentence_at(start)
            cut = piece in chosen
            verdict = Verdict.CUT if cut else Verdict.KEPT
            if document.starts[index] == start:
                at[index - 1] = Gap(index - 1, _finite(gain), 0.0, verdict, self._why(gain, cut))
            elif cut:
                why = inside_sentence(index, self._why(gain, cut))
                inside.append(Gap(index, _finite(gain), 0.0, verdict, why, start))
        within = Reason(remark=f"inside a piece of at most {self.piece_size:,} tokens")
        gaps = [at.get(index) or Gap(index, None, 0.0, Verdict.KEPT, within) for index in range(len(document.sentences) - 1)]
        return sorted([*gaps, *inside], key=gap_order)

    def _why(self, gain: float, cut: bool) -> Reason:
        if math.isinf(gain):
            most = f"{self.longest:,} pieces" if self.pieces == "recursive" else f"{self.max_size:,} tokens"
            remark = f"a chunk may hold {most}, so every partition cuts here"
        elif cut:
            remark = f"the best partition with this cut gains {gain:.2f} over the best without"
        else:
            remark = f"the best partition with a cut here loses {-gain:.2f} against the best without"
        return Reason(remark=remark)


def _finite(gain: float) -> float | None:
    return number(gain) if math.isfinite(gain) else None
