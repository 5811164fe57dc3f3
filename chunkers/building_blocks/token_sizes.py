"""Exact token counts of a text's slices, without counting the same text repeatedly."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from chunkers.contract.tools import Tools

_SURE = re.compile(r"(?<=[^\W_])(?=[ \t\n\r,.;:!?、。，！？；：])")
"""Pattern of the positions at which every tokenizer ends a token: between a letter or digit and white space or punctuation.

The byte-pair tokenizers part a text there before they look at what is between, so that the tokens of two parts add up to
those of the whole.
"""


class TokenSizes:
    """Token counter for slices of a text; each slice is counted as a text of its own.

    Slices neither begin nor end at white space.

    The text is counted in units, such as sentences or blocks, which begin at ``starts``. The token counts of units
    cannot simply be added: white space between units may be tokens too, and a token can span two units. Therefore the
    text is counted from a place in each unit that is known to be the end of a token to such a place in the next unit.
    The count of a slice is the sum of these parts and of the remainders before the first and after the last.
    """

    def __init__(self, text: str, starts: Sequence[int], tools: Tools) -> None:
        self._text = text
        self._starts = starts
        self._tools = tools
        self._skips_space = getattr(tools.tokenizer, "skips_space", False)
        self._counted: dict[tuple[int, int], int] = {}

    def __call__(self, start: int, end: int) -> int:
        """Return the number of tokens of the text between two offsets."""
        first, last = bisect_left(self._ends, start), bisect_left(self._ends, end) - 1
        if first > last:
            return self._count(start, end)
        parts = self._totals[last] - self._totals[first]
        return self._count(start, self._ends[first]) + parts + self._count(self._ends[last], end)

    @cached_property
    def _ends(self) -> list[int]:
        """A place in each unit that has one, where a token always ends."""
        if self._skips_space:
            # Between two units, so that the parts are units, which are often counted already.
            return [start for start in self._starts if not start or self._text[start - 1] in " \t\n\r"]
        ends = []
        for start, following in pairwise([*self._starts, len(self._text)]):
            if match := _SURE.search(self._text, start, following):
                ends.append(match.start())
        return ends

    @cached_property
    def _totals(self) -> list[int]:
        """The tokens from the first of `_ends` to each."""
        parts = [self._text[first:last] for first, last in pairwise(self._ends)]
        return [0, *accumulate(self._tools.count_tokens([part.rstrip() for part in parts] if self._skips_space else parts))]

    def _count(self, start: int, end: int) -> int:
        if start == end:
            return 0
        size = self._counted.get((start, end))
        if size is None:
            size = self._counted[start, end] = self._tools.count_tokens([self._text[start:end]])[0]
        return size
