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
    token_count_by_text: dict[str, int] = {}

    def count_tokens(text: str) -> int:
        text_token_count = token_count_by_text.get(text)
        if text_token_count is None:
            (text_token_count,) = tools.count_tokens([text])
            if len(text) <= _SHORT and len(token_count_by_text) < _REMEMBERED:
                token_count_by_text[text] = text_token_count
        return text_token_count

    return count_tokens


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
    text_front_matter = front_matter(text)
    separator_texts, is_regex = SEPARATORS[separators]
    separator_regexes = [pattern for _, pattern in separator_patterns(separators)]
    windows: list[tuple[int, int]] = []

    def split_into_windows(start: int, end: int, level: int) -> None:
        piece_sizes: list[int] = []
        while level < len(separator_regexes) and not piece_sizes:
            piece_sizes = (
                _piece_sizes_by_pattern(text, start, end, separator_regexes[level])
                if is_regex
                else _piece_sizes_by_separator(text[start:end], separator_texts[level])
            )
            level += 1
        if not piece_sizes:
            level, piece_sizes = -1, [1] * (end - start)
        piece_edge_offsets = list(accumulate(piece_sizes, initial=start))
        if text_front_matter and start < text_front_matter.closed:
            piece_edge_offsets = [
                start,
                *(edge for edge in piece_edge_offsets[1:-1] if not text_front_matter.cut_separates_fence(edge)),
                end,
            ]
            piece_sizes = list(map(sub, piece_edge_offsets[1:], piece_edge_offsets))
        if measure is len:
            cumulative_piece_sizes = piece_edge_offsets
        else:
            piece_sizes = [measure(text[first:last]) for first, last in pairwise(piece_edge_offsets)]
            cumulative_piece_sizes = [0, *accumulate(piece_sizes)]
        next_piece_index = 0
        for large_piece_index in [place for place, piece in enumerate(piece_sizes) if piece >= size]:
            windows.extend(
                merge_into_windows(
                    piece_edge_offsets, cumulative_piece_sizes, next_piece_index, large_piece_index, size, overlap
                )
            )
            if level < 0:
                windows.append((piece_edge_offsets[large_piece_index], piece_edge_offsets[large_piece_index + 1]))
            else:
                split_into_windows(piece_edge_offsets[large_piece_index], piece_edge_offsets[large_piece_index + 1], level)
            next_piece_index = large_piece_index + 1
        windows.extend(
            merge_into_windows(piece_edge_offsets, cumulative_piece_sizes, next_piece_index, len(piece_sizes), size, overlap)
        )

    split_into_windows(*(part or (0, len(text))), 0)
    trimmed_window_spans = (Span(*window).trimmed(text) for window in windows)
    return [span for span in trimmed_window_spans if span.start < span.end]


def _piece_sizes_by_separator(text: str, word: str) -> list[int]:
    """Return the characters of the pieces that begin with a word, the first perhaps without; none if it does not occur."""
    texts_between_separators = text.split(word)
    if len(texts_between_separators) == 1:
        return []
    word_length = len(word)
    piece_character_counts = [len(piece) + word_length for piece in texts_between_separators]
    piece_character_counts[0] -= word_length
    return piece_character_counts if piece_character_counts[0] else piece_character_counts[1:]


def _piece_sizes_by_pattern(text: str, start: int, end: int, pattern: re.Pattern[str]) -> list[int]:
    """Return the characters of the pieces of ``text[start:end]`` that begin with a match.

    `_piece_sizes_by_separator` does the same for separators.
    """
    match_starts = [match.start() for match in pattern.finditer(text, start, end)]
    if not match_starts:
        return []
    piece_edge_offsets = [*match_starts, end] if match_starts[0] == start else [start, *match_starts, end]
    return list(map(sub, piece_edge_offsets[1:], piece_edge_offsets))


def merge_into_windows(
    edges: Sequence[int], totals: Sequence[int], first: int, stop: int, size: int, overlap: int
) -> list[tuple[int, int]]:
    """Merge pieces ``first`` to ``stop - 1`` into windows of at most ``size``; a larger piece becomes a window by itself.

    Piece ``number`` lies between ``edges[number]`` and the next edge; its size is ``totals[number + 1] -
    totals[number]``.
    """
    windows: list[tuple[int, int]] = []
    while first < stop:
        window_end_piece_index = max(first + 1, bisect_right(totals, totals[first] + size, first + 1, stop + 1) - 1)
        windows.append((edges[first], edges[window_end_piece_index]))
        if window_end_piece_index == stop:
            break
        if overlap:
            # The next window repeats at most the overlap, and has room for the piece that did not fit.
            overlap_start_total = max(
                totals[window_end_piece_index] - overlap,
                min(totals[window_end_piece_index + 1] - size, totals[window_end_piece_index]),
            )
            first = bisect_left(totals, overlap_start_total, first, window_end_piece_index)
        else:
            first = window_end_piece_index
    return windows
