"""Compare how similar the sentences within chunks are under two ways to cut the same stretch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from chunkers.results.result import Chunking
from chunkers.support.arrays import FloatArray
from chunkers.text.document import Span

SMALL = 0.005
"""The difference of mean similarities below which both ways count as equally good."""


@dataclass(frozen=True)
class Cohesion:
    """Mean cosine over all pairs of sentences that share a chunk, with the number of pairs; NaN without pairs."""

    mean: float
    pairs: int


class Similarities:
    """Precomputed sums of sentence vectors that give the summed cosines within any run of sentences."""

    def __init__(self, vectors: npt.NDArray[np.floating]) -> None:
        """Take one vector per sentence, shape (n, dimension)."""
        rows = vectors.astype(np.float64)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        self._sums: FloatArray = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)])
        self._squares: FloatArray = np.concatenate([[0.0], np.cumsum(np.einsum("ij,ij->i", rows, rows))])

    def within(self, stretch: Span, cuts: Sequence[int]) -> Cohesion:
        """Return the cohesion within chunks of the sentences in ``stretch``, cut after the sentences in ``cuts``."""
        edges = [stretch.start, *(cut + 1 for cut in cuts if stretch.start <= cut < stretch.end - 1), stretch.end]
        total, pairs = 0.0, 0
        for first, last in pairwise(edges):
            summed = self._sums[last] - self._sums[first]
            total += (summed @ summed - (self._squares[last] - self._squares[first])) / 2
            pairs += (last - first) * (last - first - 1) // 2
        return Cohesion(total / pairs if pairs else float("nan"), pairs)


@dataclass(frozen=True)
class StretchComparison:
    """Comparison of a greedy chunker with one that sees the whole text, over the same stretch of sentences.

    ``greedy`` and ``other`` are the sentences inside the stretch after which each chunker cuts.
    """

    stretch: Span
    greedy: tuple[int, ...]
    other: tuple[int, ...]
    greedy_cohesion: Cohesion
    other_cohesion: Cohesion

    @property
    def gain(self) -> float | None:
        """Mean cosine with the greedy cuts minus mean cosine with the other chunker's cuts.

        The gain is 0 if both chunkers cut alike, and None if either leaves no pair of sentences together.
        """
        if self.greedy == self.other:
            return 0.0
        if not (self.greedy_cohesion.pairs and self.other_cohesion.pairs):
            return None
        return self.greedy_cohesion.mean - self.other_cohesion.mean

    def verdict(self) -> str:
        """Return a phrase on the cohesion that greedy decisions gain or cost in this stretch."""
        if self.gain is None:
            return "there is nothing to weigh here: one of the two leaves no two sentences together"
        if abs(self.gain) < SMALL:
            return "deciding gap by gap changes nothing here: what stays together is as alike"
        verb, than = ("gains", "more") if self.gain > 0 else ("costs", "less")
        return f"deciding gap by gap {verb} {abs(self.gain):.2f} here: what stays together is that much {than} alike"


def cut_sentences(chunking: Chunking) -> tuple[int, ...]:
    """Return the numbers of the sentences after which or inside which a chunking cuts."""
    return tuple(sorted({gap.index for gap in chunking.gaps if gap.verdict.is_cut} - {len(chunking.document.sentences) - 1}))


def compare(greedy: Chunking, other: Chunking, similarities: Similarities) -> dict[int, StretchComparison]:
    """Compare a greedy chunking with another chunking of the same document, around each of its cuts.

    Returns
    -------
    dict
        For each sentence after which ``greedy`` cuts, the cuts of both chunkings between its previous and its next cut.
    """
    cuts, others = cut_sentences(greedy), cut_sentences(other)
    edges = [-1, *cuts, len(greedy.document.sentences) - 1]
    compared = {}
    for before, cut, after in zip(edges, cuts, edges[2:], strict=False):
        stretch = Span(before + 1, after + 1)
        inside = tuple(place for place in others if stretch.start <= place < stretch.end - 1)
        here = similarities.within(stretch, (cut,)), similarities.within(stretch, inside)
        compared[cut] = StretchComparison(stretch, (cut,), inside, *here)
    return compared
