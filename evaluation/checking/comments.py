"""Comments in a document that have a check ignore problems at one place."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from typing import NamedTuple

from chunkers import Span
from chunkers.text.outline import blocks, blocks_without_prose, nested_blocks

_COMMENT = re.compile(r"<!--\s*seamark:\s*ignore\b([^<>]*?)-->")
_NAMES = re.compile(r"[\s,]+")


class Ignored(NamedTuple):
    """Comment that turns off rules for a passage; an empty set of rules means all rules."""

    span: Span
    rules: frozenset[str]

    def has(self, rule: str, span: Span) -> bool:
        """Return whether the comment turns off a rule for a span.

        The span must overlap the comment's passage.
        """
        return (not self.rules or rule in self.rules) and span.start < self.span.end and self.span.start < span.end


def ignored_in(text: str, known_rules: Collection[str]) -> tuple[list[Ignored], list[tuple[Span, str]]]:
    """Return the passages and rules that ``ignore`` comments exclude, and the unknown rule names in the comments.

    A comment ``<!-- seamark: ignore RULE, RULE -->`` on lines of its own applies to the next block or list item. Without a
    rule, it turns off all rules. Comments inside code are not read.
    """
    if "seamark:" not in text:
        return [], []
    comments = [block.span for block in blocks_without_prose(text) if block.kind == "HTML"]
    others = sorted(
        {block.span for block in (*blocks(text), *nested_blocks(text)) if block.kind != "HTML"},
        key=lambda span: (span.start, -span.end),
    )
    ignored, wrong = [], []
    for html in comments:
        for comment in _COMMENT.finditer(text, *html):
            span = Span(*comment.span())
            names = [name for name in _NAMES.split(comment[1]) if name]
            wrong += [(span, name) for name in names if name not in known_rules]
            rules = frozenset(name for name in names if name in known_rules)
            place = bisect_left(others, span.end, key=lambda other: other.start)
            # A comment whose words are all wrong is about nothing, not about all.
            if place < len(others) and (rules or not names):
                ignored.append(Ignored(others[place], rules))
    return ignored, wrong
