"""A chunking that the rules check, with what several rules ask about it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from chunkers import Chunking, Embedder, Span
from chunkers.results.levels import parents_among
from chunkers.text.languages import detect_language
from chunkers.text.outline import Block, blocks, blocks_without_prose, nested_blocks
from evaluation.inbox.worthless import Worthless, worthless
from evaluation.segmentation.measures import cuts_of

HAIR = 0.01
"""Distance from the threshold within which a cut counts as made by a hair."""


@dataclass(frozen=True)
class Case:
    """Chunking to check, with its embedder and ``hair``, the margin within which a decision counts as narrow."""

    chunking: Chunking
    embedder: Embedder | None = None
    hair: float = HAIR

    @cached_property
    def cuts(self) -> list[int]:
        """Offsets in code points at which the chunks' spans begin, except the first."""
        return cuts_of(self.chunking)

    @cached_property
    def sizes(self) -> list[int]:
        """Length of each chunk in characters."""
        return [len(chunk.text) for chunk in self.chunking.chunks]

    @cached_property
    def parents(self) -> frozenset[int]:
        """Numbers of the chunks that are parents of others."""
        return frozenset(parents_among(self.chunking.chunks))

    @cached_property
    def _edges(self) -> list[int]:
        """The code points at which blocks begin and end, at every depth, in ascending order."""
        text = self.chunking.document.text
        spans = (block.span for block in (*blocks(text), *nested_blocks(text), *self._without_prose))
        return sorted({0, *(edge for span in spans for edge in span), len(text)})

    @cached_property
    def _without_prose(self) -> list[Block]:
        return [*blocks_without_prose(self.chunking.document.text)]

    @cached_property
    def language(self) -> str:
        """Code of the language whose rules the sentence splitter applied, or else of the text's detected language."""
        document = self.chunking.document
        return document.language or detect_language(document.text)

    @cached_property
    def worthless(self) -> list[Worthless | None]:
        """Fault that makes each chunk worthless in an index; None for a chunk without one."""
        chunking = self.chunking
        return worthless(chunking.document.text, [chunk.text for chunk in chunking.chunks])

    def is_prose(self, place: int) -> bool:
        """Return whether the character at an offset is in none of the blocks without prose."""
        number = bisect_right(self._without_prose, place, key=lambda block: block.span.start) - 1
        return number < 0 or self._without_prose[number].span.end <= place

    def prose_around(self, place: int) -> Span | None:
        """Return the span of prose around an offset, within its block; None at a block's edge or outside prose."""
        number = bisect_left(self._without_prose, place, key=lambda block: block.span.end)
        if number < len(self._without_prose) and self._without_prose[number].span.start < place:
            return None
        edge = bisect_left(self._edges, place)
        if edge in (0, len(self._edges)) or self._edges[edge] == place:
            return None
        return Span(self._edges[edge - 1], self._edges[edge])


Found = Iterator[tuple[Span, float, str]]
"""Findings of a rule: the passage, its score from 0 to 1, and the reason."""
