"""Numbers of tokens of a text's slices: exact, without counting the same text over and over."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate, pairwise

from chunkers.text.document import Document
from chunkers.tools import Tools

_SURE = re.compile(r"(?<=[^\W_])(?=[ \t\n\r,.;:!?、。，！？；：])")
"""Where a token always ends, whatever stands before and after: between a letter or a digit, and white space or a mark.

All tokenizers of `TOKENIZERS` part a text there before they look at what is between, so that the tokens of two parts add up
to those of the whole; `words` does at white space alone.
"""

_AT_SPACE = re.compile(r"(?<=\S)(?=\s)")


class TokenSizes:
    """Counts the tokens of slices of a document as if each were a text by itself.

    The tokens of sentences do not add up: white space between them may be tokens too, and a token can cross from one to the
    next. So the text is counted from a sure end of a token in each sentence to that in the next, and a slice is the sum of
    such parts and of what stands before the first and after the last.
    """

    def __init__(self, document: Document, tools: Tools) -> None:
        self._text = document.text
        self._starts = document.starts
        self._tools = tools
        self._counted: dict[tuple[int, int], int] = {}

    def __call__(self, start: int, end: int) -> int:
        """Return the number of tokens of the text between two offsets."""
        first, last = bisect_right(self._ends, start), bisect_left(self._ends, end) - 1
        if first > last:
            return self._count(start, end)
        parts = self._totals[last] - self._totals[first]
        return self._count(start, self._ends[first]) + parts + self._count(self._ends[last], end)

    @cached_property
    def _ends(self) -> list[int]:
        """A place in each sentence that has one, where a token always ends."""
        pattern = _AT_SPACE if self._tools.tokenizer.name == "words" else _SURE
        ends = []
        for start, following in pairwise([*self._starts, len(self._text)]):
            if found := pattern.search(self._text, start, following):
                ends.append(found.start())
        return ends

    @cached_property
    def _totals(self) -> list[int]:
        """The tokens from the first of `_ends` to each."""
        return [0, *accumulate(self._tools.count_tokens([self._text[a:b] for a, b in pairwise(self._ends)]))]

    def _count(self, start: int, end: int) -> int:
        size = self._counted.get((start, end))
        if size is None:
            size = self._counted[start, end] = self._tools.count_tokens([self._text[start:end]])[0]
        return size
