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
from chunkers.text.front_matter import find_front_matter_offsets

SeparatorPreset = Literal["chroma", "langchain", "markdown"]

Unit = Literal["characters", "words", "tokens"]

SEPARATORS_BY_PRESET: dict[str, tuple[list[str], bool]] = {
    "chroma": (["\n\n", "\n", ".", "?", "!", " ", ""], False),
    "langchain": (["\n\n", "\n", " ", ""], False),
    "markdown": (
        ["\n#{1,6} ", "```\n", "\n\\*\\*\\*+\n", "\n---+\n", "\n___+\n", "\n\n", "\n", " ", ""],
        True,
    ),
}
"""Separators by preset, and whether they are regular expressions; those for Markdown are LangChain's."""


_LONGEST_CACHED_TEXT, _MOST_CACHED_COUNTS = 16, 100_000
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
            if len(text) <= _LONGEST_CACHED_TEXT and len(token_count_by_text) < _MOST_CACHED_COUNTS:
                token_count_by_text[text] = text_token_count
        return text_token_count

    return count_tokens


@cache
def separator_patterns(separator_preset: SeparatorPreset) -> list[tuple[str, re.Pattern[str]]]:
    """Return the non-empty separators of a preset, each with its compiled regular expression."""
    separators, is_regex = SEPARATORS_BY_PRESET[separator_preset]
    return [(word, re.compile(word if is_regex else re.escape(word))) for word in separators if word]


def recursive_spans(
    text: str,
    size: int,
    overlap: int,
    size_function: Callable[[str], int],
    separator_preset: SeparatorPreset,
    part: Span | None = None,
) -> list[tuple[int, int]]:
    """Return the half-open, trimmed ranges of the chunks that LangChain's RecursiveCharacterTextSplitter would make.

    A text, or a part of it, is split before every occurrence of its first separator. Pieces below ``size`` are merged
    into windows; larger pieces are split at the next separators, and finally between characters. Unlike in LangChain's
    splitter, no chunk repeats pieces of size 0 if ``overlap`` is 0, and a front-matter fence stays in one piece with a
    character of the fields, even if that piece is larger than ``size``.
    """
    text_front_matter = find_front_matter_offsets(text)
    separator_strings, is_regex = SEPARATORS_BY_PRESET[separator_preset]
    separator_regexes = [pattern for _, pattern in separator_patterns(separator_preset)]
    window_spans: list[tuple[int, int]] = []

    def append_windows_of_range(start: int, end: int, separator_index: int) -> None:
        piece_sizes: list[int] = []
        while separator_index < len(separator_regexes) and not piece_sizes:
            piece_sizes = (
                _compute_piece_sizes_at_pattern(text, start, end, separator_regexes[separator_index])
                if is_regex
                else _compute_piece_sizes_at_separator(text[start:end], separator_strings[separator_index])
            )
            separator_index += 1
        if not piece_sizes:
            separator_index, piece_sizes = -1, [1] * (end - start)
        piece_edge_offsets = list(accumulate(piece_sizes, initial=start))
        if text_front_matter and start < text_front_matter.closing_fence_end:
            piece_edge_offsets = [
                start,
                *(edge for edge in piece_edge_offsets[1:-1] if not text_front_matter.cut_separates_fence_from_fields(edge)),
                end,
            ]
            piece_sizes = list(map(sub, piece_edge_offsets[1:], piece_edge_offsets))
        if size_function is len:
            cumulative_piece_sizes = piece_edge_offsets
        else:
            piece_sizes = [size_function(text[first:last]) for first, last in pairwise(piece_edge_offsets)]
            cumulative_piece_sizes = [0, *accumulate(piece_sizes)]
        first_unmerged_piece_index = 0
        for large_piece_index in [place for place, piece in enumerate(piece_sizes) if piece >= size]:
            window_spans.extend(
                merge_into_windows(
                    piece_edge_offsets, cumulative_piece_sizes, first_unmerged_piece_index, large_piece_index, size, overlap
                )
            )
            if separator_index < 0:
                window_spans.append((piece_edge_offsets[large_piece_index], piece_edge_offsets[large_piece_index + 1]))
            else:
                append_windows_of_range(
                    piece_edge_offsets[large_piece_index], piece_edge_offsets[large_piece_index + 1], separator_index
                )
            first_unmerged_piece_index = large_piece_index + 1
        window_spans.extend(
            merge_into_windows(
                piece_edge_offsets, cumulative_piece_sizes, first_unmerged_piece_index, len(piece_sizes), size, overlap
            )
        )

    append_windows_of_range(*(part or (0, len(text))), 0)
    trimmed_window_spans = (Span(*window).trimmed(text) for window in window_spans)
    return [span for span in trimmed_window_spans if span.start < span.end]


def _compute_piece_sizes_at_separator(text: str, separator_text: str) -> list[int]:
    """Return the characters of the pieces that begin with a word, the first perhaps without; none if it does not occur."""
    texts_between_separators = text.split(separator_text)
    if len(texts_between_separators) == 1:
        return []
    separator_length = len(separator_text)
    piece_character_counts = [len(piece) + separator_length for piece in texts_between_separators]
    piece_character_counts[0] -= separator_length
    return piece_character_counts if piece_character_counts[0] else piece_character_counts[1:]


def _compute_piece_sizes_at_pattern(text: str, start: int, end: int, pattern: re.Pattern[str]) -> list[int]:
    """Return the characters of the pieces of ``text[start:end]`` that begin with a match.

    `_compute_piece_sizes_at_separator` does the same for separators.
    """
    match_starts = [match.start() for match in pattern.finditer(text, start, end)]
    if not match_starts:
        return []
    piece_edge_offsets = [*match_starts, end] if match_starts[0] == start else [start, *match_starts, end]
    return list(map(sub, piece_edge_offsets[1:], piece_edge_offsets))


def merge_into_windows(
    piece_edges: Sequence[int],
    cumulative_sizes: Sequence[int],
    first_piece_index: int,
    end_piece_index: int,
    size: int,
    overlap: int,
) -> list[tuple[int, int]]:
    """Merge a range of pieces into windows of at most ``size``; a larger piece is its own window.

    The range is ``first_piece_index`` to ``end_piece_index - 1``. Piece ``number`` lies between ``piece_edges[number]`` and
    the next edge; its size is ``cumulative_sizes[number + 1] - cumulative_sizes[number]``.
    """
    window_spans: list[tuple[int, int]] = []
    while first_piece_index < end_piece_index:
        window_end_piece_index = max(
            first_piece_index + 1,
            bisect_right(
                cumulative_sizes, cumulative_sizes[first_piece_index] + size, first_piece_index + 1, end_piece_index + 1
            )
            - 1,
        )
        window_spans.append((piece_edges[first_piece_index], piece_edges[window_end_piece_index]))
        if window_end_piece_index == end_piece_index:
            break
        if overlap:
            # The next window repeats at most the overlap, and has room for the piece that did not fit.
            overlap_start_cumulative_size = max(
                cumulative_sizes[window_end_piece_index] - overlap,
                min(cumulative_sizes[window_end_piece_index + 1] - size, cumulative_sizes[window_end_piece_index]),
            )
            first_piece_index = bisect_left(
                cumulative_sizes, overlap_start_cumulative_size, first_piece_index, window_end_piece_index
            )
        else:
            first_piece_index = window_end_piece_index
    return window_spans
