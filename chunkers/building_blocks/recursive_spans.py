"""The spans that LangChain's recursive splitter makes, with exact offsets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from chunkers.tools import Tools

Separators = Literal["chroma", "langchain", "markdown"]


Unit = Literal["characters", "words", "tokens"]


_SHORT, _REMEMBERED = 16, 100_000
"""Characters of a text whose tokens are counted once, and how many such counts are remembered: the splitter asks for every
word and, where there are no spaces, for every character, of which there may be millions."""


def measure_for(unit: Unit, tools: Tools) -> Callable[[str], int]:
    """Return the function that counts ``unit`` in a text; it remembers the tokens of short ones for as long as it lives."""
    if unit == "characters":
        return len
    if unit == "words":
        return lambda text: len(text.split())
    counted: dict[str, int] = {}

    def tokens(text: str) -> int:
        count = counted.get(text)
        if count is None:
            (count,) = tools.count_tokens([text])
            if len(text) <= _SHORT and len(counted) < _REMEMBERED:
                counted[text] = count
        return count

    return tokens


def recursive_spans(
    text: str, size: int, overlap: int, measure: Callable[[str], int], separators: Separators, tools: Tools
) -> list[tuple[int, int]]:
    """Return the chunks of LangChain's RecursiveCharacterTextSplitter as half-open ranges of code points."""
    with tools.loading():
        # Imported late: LangChain takes as long to load as all the rest of this library.
        from chunkers.building_blocks.langchain_offsets import OffsetSplitter
    return OffsetSplitter(size, overlap, measure, separators).spans(text)
