"""LangChain's recursive splitter, made to say where each chunk lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

SEPARATORS: dict[str, tuple[list[str], bool]] = {
    "chroma": (["\n\n", "\n", ".", "?", "!", " ", ""], False),
    "langchain": (["\n\n", "\n", " ", ""], False),
    "markdown": (RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN), True),
}
"""Separators by preset, and whether they are regular expressions."""


class _Piece(str):
    """A split of the text that knows where it begins in its run of splits."""

    __slots__ = ("start",)
    start: int


class _Run(NamedTuple):
    """The chunks merged from one run of splits, relative to the run's beginning, and the run's length."""

    spans: list[tuple[int, int]]
    length: int


class OffsetSplitter(RecursiveCharacterTextSplitter):
    """Decides as its parent does; returns spans instead of strings.

    With separators kept, the splits of the parent are consecutive slices of the text in order, so a running sum of
    their lengths is their place. The parent merges them by measuring and joining; only the joining is replaced.
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
            if isinstance(run, _Run):
                spans.extend((position + start, position + end) for start, end in run.spans)
                position += run.length
            else:
                # A split that no separator makes smaller is a chunk by itself.
                if stripped := run.strip():
                    start = position + len(run) - len(run.lstrip())
                    spans.append((start, start + len(stripped)))
                position += len(run)
        return spans

    def _merge_splits(self, splits: Iterable[str], separator: str) -> list[Any]:
        position = 0
        pieces = []
        for split in splits:
            piece = _Piece(split)
            piece.start = position
            pieces.append(piece)
            position += len(split)
        return [_Run(super()._merge_splits(pieces, separator), position)]  # type: ignore[arg-type]

    def _join_docs(self, docs: list[Any], separator: str) -> Any:
        joined = "".join(docs)
        stripped = joined.strip()
        if not stripped:
            return None
        start = docs[0].start + len(joined) - len(joined.lstrip())
        return start, start + len(stripped)
