"""The spans that LangChain's recursive splitter makes, with exact offsets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from chunkers.tools import Tools

Separators = Literal["chroma", "langchain", "markdown"]


Unit = Literal["characters", "words", "tokens"]


def measure_for(unit: Unit, tools: Tools) -> Callable[[str], int]:
    """Return the function that counts ``unit`` in a text."""
    if unit == "characters":
        return len
    if unit == "words":
        return lambda text: len(text.split())
    return lambda text: tools.count_tokens([text])[0]


def recursive_spans(
    text: str, size: int, overlap: int, measure: Callable[[str], int], separators: Separators, tools: Tools
) -> list[tuple[int, int]]:
    """Return the chunks of LangChain's RecursiveCharacterTextSplitter as half-open ranges of code points."""
    with tools.loading():
        # Imported late: LangChain takes as long to load as all the rest of this library.
        from chunkers.building_blocks.langchain_offsets import OffsetSplitter
    return OffsetSplitter(size, overlap, measure, separators).spans(text)
