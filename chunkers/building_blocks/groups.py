"""Vectors and lengths of groups of consecutive sentences, in the two ways of double-pass merging."""

import math
from collections.abc import Sequence

import numpy as np

from chunkers.building_blocks.distances import row_cosines
from chunkers.contract.tools import Tools
from chunkers.support.arrays import FloatArray, IntArray
from chunkers.support.errors import InputError
from chunkers.support.limits import MOST_JOINED_CHARACTERS
from chunkers.text.document import Document, Span


class MeanGroups:
    """Sentence groups whose vectors are the token-weighted means of their sentences' vectors."""

    def __init__(self, document: Document, sentences: FloatArray, tools: Tools) -> None:
        self._starts = document.starts
        self._ends = [span.end for span in document.sentences]
        weights = np.maximum(tools.count_tokens(document.sentence_texts), 1).astype(np.float64)
        self._weighted = sentences * weights[:, None]
        self._sums = np.zeros((len(sentences) + 1, sentences.shape[1]))
        # `cumsum` along the first axis takes several times as long, as it goes from row to row for each column.
        for row, weighted in enumerate(self._weighted):
            np.add(self._sums[row], weighted, out=self._sums[row + 1])

    def pairs(self, first: IntArray) -> FloatArray:
        """Return one vector for each pair of sentences starting at an index in ``first``, shape (len(first), dimension)."""
        return np.asarray(self._weighted[first] + self._weighted[first + 1])

    def prepare(self, groups: Sequence[Span]) -> None:
        """Do nothing: comparing groups needs only the sentence vectors, which already exist."""

    def similarity(self, left: Span, right: Span) -> float:
        """Return the cosine similarity of two groups' vectors."""
        a = self._sums[left.end] - self._sums[left.start]
        b = self._sums[right.end] - self._sums[right.start]
        return float(a @ b) / max(math.sqrt(float(a @ a) * float(b @ b)), 1e-12)

    def length(self, first: int, last: int) -> int:
        """Return the number of characters in sentences ``first`` to ``last - 1``, as counted for the size limit."""
        return self._ends[last - 1] - self._starts[first]


class JoinedGroups:
    """Sentence groups whose vectors are the embeddings of their sentences joined by single spaces.

    A group's length is that of the joined text, as LlamaIndex counts it; the chunk itself is longer if its sentences are
    separated by more white space.
    """

    def __init__(self, document: Document, tools: Tools) -> None:
        self._texts = document.sentence_texts
        self._embed = tools.embed
        self._ends = np.concatenate([[0], np.cumsum([len(text) for text in self._texts])])
        self._characters = 0

    def pairs(self, first: IntArray) -> FloatArray:
        """Return one vector for each pair of sentences starting at an index in ``first``, shape (len(first), dimension)."""
        return self._embed([f"{self._texts[i]} {self._texts[i + 1]}" for i in first]).astype(np.float64)

    def prepare(self, groups: Sequence[Span]) -> None:
        """Embed the groups in batches, so that later comparisons need no further embedding.

        Raises
        ------
        InputError
            If the texts of all groups so far have more than `MOST_JOINED_CHARACTERS`.
        """
        self._embed([self._joined(group) for group in groups])

    def similarity(self, left: Span, right: Span) -> float:
        """Return the cosine similarity of two groups' vectors. Raises the errors of `prepare`."""
        vectors = self._embed([self._joined(left), self._joined(right)]).astype(np.float64)
        return float(row_cosines(vectors[:1], vectors[1:])[0])

    def length(self, first: int, last: int) -> int:
        """Return the number of characters in sentences ``first`` to ``last - 1``, as counted for the size limit."""
        return int(self._ends[last] - self._ends[first]) + last - first - 1

    def _joined(self, group: Span) -> str:
        self._characters += self.length(group.start, group.end)
        if self._characters > MOST_JOINED_CHARACTERS:
            raise InputError(
                f"double_pass: the re-embedded groups may have at most {MOST_JOINED_CHARACTERS:,} characters in total; the "
                f"groups up to sentence {group.end:,} of {len(self._texts):,} have more. Set max_size, or set vector to "
                "mean."
            )
        return " ".join(self._texts[group.start : group.end])


Groups = MeanGroups | JoinedGroups
