"""LangChain's recursive splitter, made to say where each chunk lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any, NamedTuple

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

SEPARATORS: dict[str, tuple[list[str], bool]] = {
    "chroma": (["\n\n", "\n", ".", "?", "!", " ", ""], False),
    "langchain": (["\n\n", "\n", " ", ""], False),
    "markdown": (RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN), True),
}
"""Separators by preset, and whether they are regular expressions."""


class _Run(NamedTuple):
    """The windows over one run of splits, relative to the run's beginning, and the run's length."""

    windows: list[tuple[int, int]]
    length: int


class OffsetSplitter(RecursiveCharacterTextSplitter):
    """Decides as its parent does; returns spans instead of strings.

    With separators kept, the splits of the parent are consecutive slices of the text in order, so a running sum of their
    lengths is their place. Only the merging is replaced: the same windows over the splits, by place and not by joining.
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
        runs: list[_Run | str] = self._split_text(text, self._separators)  # type: ignore[assignment]
        for run in runs:
            # A split that no separator makes smaller is a chunk by itself.
            windows, length = run if isinstance(run, _Run) else ([(0, len(run))], len(run))
            for first, last in windows:
                window = text[position + first : position + last]
                if stripped := window.strip():
                    start = position + last - len(window.lstrip())
                    spans.append((start, start + len(stripped)))
            position += length
        return spans

    def _merge_splits(self, splits: Iterable[str], separator: str) -> list[Any]:
        pieces = list(splits)
        sizes = list(map(self._length_function, pieces))
        edges = [0, *accumulate(map(len, pieces))]
        windows = []
        first = total = 0
        for place, size in enumerate(sizes):
            if total + size > self._chunk_size and place > first:
                windows.append((edges[first], edges[place]))
                while total > self._chunk_overlap or (total + size > self._chunk_size and total > 0):
                    total -= sizes[first]
                    first += 1
            total += size
        windows.append((edges[first], edges[-1]))
        return [_Run(windows, edges[-1])]
