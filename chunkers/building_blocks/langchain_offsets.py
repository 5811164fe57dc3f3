"""LangChain's recursive splitter, extended to return where each chunk lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

SEPARATORS: dict[str, tuple[list[str], bool]] = {
    "chroma": (["\n\n", "\n", ".", "?", "!", " ", ""], False),
    "langchain": (["\n\n", "\n", " ", ""], False),
    "markdown": (RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN), True),
}
"""Separators by preset, and whether they are regular expressions."""


class OffsetSplitter(RecursiveCharacterTextSplitter):
    """Split as the parent class does, but return spans instead of strings.

    With separators kept, the splits of the parent are consecutive slices of the text in order, so a running sum of their
    lengths gives their offsets. Only the merging is replaced: it returns the same windows over a run of splits as ranges
    relative to the run's beginning, followed by the run's length; but without an overlap it never repeats what has no size.
    They are objects that the garbage collector need not track, as there may be hundreds of thousands.
    """

    def __init__(self, size: int, overlap: int, measure: Callable[[str], int], preset: str) -> None:
        separators, is_regex = SEPARATORS[preset]
        super().__init__(
            separators=separators,
            is_separator_regex=is_regex,
            chunk_size=size,
            chunk_overlap=overlap,
            length_function=measure,
        )

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the half-open range of every chunk of ``text``, without surrounding white space."""
        spans: list[tuple[int, int]] = []
        position = 0
        parts: list[Any] = self._split_text(text, self._separators)
        for part in parts:
            if isinstance(part, int):
                position += part
                continue
            # A split that no separator makes smaller is a chunk by itself.
            window = part if isinstance(part, range) else range(len(part))
            start, end = position + window.start, position + window.stop
            while start < end and text[start].isspace():
                start += 1
            while start < end and text[end - 1].isspace():
                end -= 1
            if start < end:
                spans.append((start, end))
            if isinstance(part, str):
                position += len(part)
        return spans

    def _merge_splits(self, splits: Iterable[str], separator: str) -> list[Any]:
        pieces = list(splits)
        sizes = list(map(self._length_function, pieces))
        if sum(sizes) <= self._chunk_size:
            length = sum(map(len, pieces))
            return [range(length), length]
        edges = [0, *accumulate(map(len, pieces))]
        windows: list[range | int] = []
        first = total = 0
        for place, size in enumerate(sizes):
            if total + size > self._chunk_size and place > first:
                windows.append(range(edges[first], edges[place]))
                while total > self._chunk_overlap or (total + size > self._chunk_size and total > 0):
                    total -= sizes[first]
                    first += 1
                if not self._chunk_overlap:
                    # What is left of the window has no size, as a character without a token; it is not to be repeated.
                    first = place
            total += size
        return [*windows, range(edges[first], edges[-1]), edges[-1]]
