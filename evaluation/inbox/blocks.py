"""Find the lists, tables, code blocks and formulas of a text with a Markdown parser."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from chunkers import Span

KINDS = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code block",
    "code_block": "code block",
    "formula": "formula",
}
"""The parser's names of blocks that should stay whole, and ours."""

_FORMULAS = {"$$": "$$", "\\[": "\\]"}
_LINE_END = re.compile(r"\r\n|\n|\r")


class Block(NamedTuple):
    """A list, table, code block or formula: ``[start, end)`` in code points, surrounding white space left out."""

    kind: str
    span: Span


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    # A formula on lines of its own needs no blank line before it.
    parser.block.ruler.before("fence", "formula", _formula, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    # The contents of paragraphs are not needed.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _formula(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    r"""Parse lines from ``$$`` or ``\[`` to its closing mark as a formula; only a number or a full stop may follow it."""
    begin = state.bMarks[first] + state.tShift[first]
    closing = _FORMULAS.get(state.src[begin : begin + 2])
    if closing is None or state.is_code_block(first):
        return False
    at = state.src.find(closing, begin + 2, state.eMarks[end - 1])
    if at < 0:
        return False
    last = next(line for line in range(first, end) if at <= state.eMarks[line])
    rest = state.src[at + 2 : state.eMarks[last]].strip()
    if rest and rest[0] not in ".,;:(":
        return False
    if not silent:
        state.push("formula", "", 0).map = [first, last + 1]
        state.line = last + 1
    return True


@lru_cache(maxsize=8)
def blocks(text: str) -> tuple[Block, ...]:
    """Return the lists, tables, code blocks and formulas of ``text`` in order; of nested lists only the outermost."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    lines = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    tokens = _parser().parse(text)
    items = {token.map[0] for token in tokens if token.type == "list_item_open" and token.map}
    found = []
    listed = 0
    for token in tokens:
        kind = KINDS.get(token.type)
        if kind is None or token.map is None:
            continue
        first, last = token.map
        if kind == "list":
            if first < listed:
                continue
            last = listed = _list_end(token, lines, items)
        start, end = starts[first], starts[last - 1] + len(lines[last - 1])
        whole = text[start:end]
        found.append(Block(kind, Span(start + len(whole) - len(whole.lstrip()), start + len(whole.rstrip()))))
    return tuple(found)


def _list_end(token: Token, lines: list[str], items: set[int]) -> int:
    """Return the line after a list's last; unindented lines that the parser adds to its last item are not counted."""
    assert token.map is not None
    first, last = token.map
    for number in range(first, last):
        line = lines[number]
        if number not in items and line.strip() and not line[0].isspace():
            return number
    return last
