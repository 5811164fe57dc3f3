"""The spans that LangChain's RecursiveCharacterTextSplitter makes, found without it and with exact offsets."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, pairwise
from operator import sub
from typing import Literal

from chunkers.contract import Tools
from chunkers.text import Span
from chunkers.text.front_matter import front_matter

Separators = Literal["chroma", "langchain", "markdown"]

Unit = Literal["characters", "words", "tokens"]

SEPARATORS: dict[str, tuple[list[str], bool]] = {
    "chroma": (["\n\n", "\n", ".", "?", "!", " ", ""], False),
    "langchain": (["\n\n", "\n", " ", ""], False),
    "markdown": (
        ["\n#{1,6} ", "```\n", "\n\\*\\*\\*+\n", "\n---+\n", "\n___+\n", "\n\n", "\n", " ", ""],
        True,
    ),
}
"""Separators by preset, and whether they are regular expressions; those for Markdown are LangChain's."""


_SHORT, _REMEMBERED = 16, 100_000
"""Characters of a text whose tokens are counted once, and how many such counts are remembered: the splitter asks for every
word and, where there are no spaces, for every character, of which there may be millions."""


def text_size_function(unit: Unit, tools: Tools) -> Callable[[str], int]:
    """Return a function that measures the size of a text in ``unit`` and caches the token counts of short texts."""
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


@cache
def separator_patterns(preset: Separators) -> list[tuple[str, re.Pattern[str]]]:
    """Return the non-empty separators of a preset, each with its compiled regular expression."""
    separators, is_regex = SEPARATORS[preset]
    return [(word, re.compile(word if is_regex else re.escape(word))) for word in separators if word]


def recursive_spans(
    text: str,
    size: int,
    overlap: int,
    measure: Callable[[str], int],
    separators: Separators,
    part: Span | None = None,
) -> list[tuple[int, int]]:
    """Return the half-open, trimmed ranges of the chunks that LangChain's RecursiveCharacterTextSplitter would make.

    A text, or a part of it, is split before every occurrence of its first separator. Pieces below ``size`` are merged
    into windows; larger pieces are split at the next separators, and finally between characters. Unlike in LangChain's
    splitter, no chunk repeats pieces of size 0 if ``overlap`` is 0, and a front-matter fence stays in one piece with a
    character of the fields, even if that piece is larger than ``size``.
    """
    front = front_matter(text)
    separator_texts, is_regex = SEPARATORS[separators]
    patterns = [pattern for _, pattern in separator_patterns(separators)]
    windows: list[tuple[int, int]] = []

    def split(start: int, end: int, level: int) -> None:
        sizes: list[int] = []
        while level < len(patterns) and not sizes:
            sizes = (
                _piece_sizes_by_pattern(text, start, end, patterns[level])
                if is_regex
                else _piece_sizes_by_word(text[start:end], separator_texts[level])
            )
            level += 1
        if not sizes:
            level, sizes = -1, [1] * (end - start)
        edges = list(accumulate(sizes, initial=start))
        if front and start < front.closed:
            edges = [start, *(edge for edge in edges[1:-1] if not front.separates_fence(edge)), end]
            sizes = list(map(sub, edges[1:], edges))
        if measure is len:
            totals = edges
        else:
            sizes = [measure(text[first:last]) for first, last in pairwise(edges)]
            totals = [0, *accumulate(sizes)]
        begin = 0
        for place in [place for place, piece in enumerate(sizes) if piece >= size]:
            windows.extend(merge_into_windows(edges, totals, begin, place, size, overlap))
            if level < 0:
                windows.append((edges[place], edges[place + 1]))
            else:
                split(edges[place], edges[place + 1], level)
            begin = place + 1
        windows.extend(merge_into_windows(edges, totals, begin, len(sizes), size, overlap))

    split(*(part or (0, len(text))), 0)
    trimmed = (Span(*window).trimmed(text) for window in windows)
    return [span for span in trimmed if span.start < span.end]


def _piece_sizes_by_word(text: str, word: str) -> list[int]:
    """Return the characters of the pieces that begin with a word, the first perhaps without; none if it does not occur."""
    pieces = text.split(word)
    if len(pieces) == 1:
        return []
    word_length = len(word)
    sizes = [len(piece) + word_length for piece in pieces]
    sizes[0] -= word_length
    return sizes if sizes[0] else sizes[1:]


def _piece_sizes_by_pattern(text: str, start: int, end: int, pattern: re.Pattern[str]) -> list[int]:
    """Return the characters of the pieces of ``text[start:end]`` that begin with a match, as `_piece_sizes_by_word` does."""
    starts = [match.start() for match in pattern.finditer(text, start, end)]
    if not starts:
        return []
    edges = [*starts, end] if starts[0] == start else [start, *starts, end]
    return list(map(sub, edges[1:], edges))


def merge_into_windows(
    edges: Sequence[int], totals: Sequence[int], first: int, stop: int, size: int, overlap: int
) -> list[tuple[int, int]]:
    """Merge pieces ``first`` to ``stop - 1`` into windows of at most ``size``; a larger piece becomes a window by itself.

    Piece ``number`` lies between ``edges[number]`` and the next edge; its size is ``totals[number + 1] -
    totals[number]``.
    """
    windows: list[tuple[int, int]] = []
    while first < stop:
        last = max(first + 1, bisect_right(totals, totals[first] + size, first + 1, stop + 1) - 1)
        windows.append((edges[first], edges[last]))
        if last == stop:
            break
        if overlap:
            # The next window repeats at most the overlap, and has room for the piece that did not fit.
            repeated_from = max(totals[last] - overlap, min(totals[last + 1] - size, totals[last]))
            first = bisect_left(totals, repeated_from, first, last)
        else:
            first = last
    return windows
