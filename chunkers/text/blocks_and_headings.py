"""The outline of a text: its blocks and headings, found with a Markdown parser."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from chunkers.support import MOST_MARKDOWN_MARKS, InputError
from chunkers.text.document import Span
from chunkers.text.front_matter import clear_front_matter_cache, find_front_matter_offsets

if TYPE_CHECKING:
    # Loaded when a text is first parsed: most chunkers need no parser.
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

BLOCK_KIND_BY_TOKEN_TYPE = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code block",
    "code_block": "code block",
    "formula": "formula",
    "blockquote_open": "quotation",
    "html_block": "HTML",
    "hr": "rule",
    "front_matter": "front matter",
    "definition": "link definitions",
}
"""The parser's names of blocks, and ours."""

BLOCK_KINDS_KEPT_WHOLE = frozenset({"list", "table", "code block", "formula"})
"""The kinds of blocks that should stay whole."""

BLOCK_KINDS_WITHOUT_SENTENCES = frozenset(
    {"heading", "table", "code block", "formula", "HTML", "rule", "front matter", "link definitions"}
)
"""The kinds of blocks that are not made of sentences."""

_BLOCK_KINDS_FOUND_NESTED = BLOCK_KINDS_KEPT_WHOLE | BLOCK_KINDS_WITHOUT_SENTENCES
_FORMULA_END_BY_START = {"$$": "$$", "\\[": "\\]"}
_LINE_END = re.compile(r"\r\n|\n|\r")
_MARKDOWN_MARK_PATTERN = re.compile(r"\r\n|[\n\r|>]|(?:[-+*]|\d[.)])(?=\s)")
_UNINDENTED_NON_ITEM_PATTERN = re.compile(r"(?!\s|\Z|(?:[-+*]|\d{1,9}[.)])(?:\s|\Z))")
# The number of a clause, as 1.1 below “1. The boat”: of a numbered text, not of an item.
_CLAUSE_NUMBER_PATTERN = re.compile(r"\d+(?:\.\d+)+[.)]?\s")
_SENTENCE_END = re.compile(r"""[.?!:;…。！？：；؟۔]["'”’»)\]*_`]*\s*\Z""")
_BYTE_ORDER_MARK = "\ufeff"
_INLINE_MARK_PATTERN = re.compile(r"[*_`\[\]!<&\\]")
_LONGEST_PARSED_HEADING = 1_000
"""Maximum number of characters of a title that is searched for marks; a longer one stays as it is."""


class Block(NamedTuple):
    """A Markdown block of a text, such as a paragraph, a table or a list.

    Attributes
    ----------
    kind
        One of the values of `BLOCK_KIND_BY_TOKEN_TYPE`.
    span
        ``[start, end)`` in code points, surrounding white space left out.
    level
        Level of a heading, from 1 to 6; 0 for other blocks.
    """

    kind: str
    span: Span
    level: int = 0


class Heading(NamedTuple):
    """A heading, with its level from 1 to 6, its span in code points, and its title without Markdown marks."""

    level: int
    span: Span
    title: str


class Outline(NamedTuple):
    """The Markdown blocks of a text, always in order.

    Attributes
    ----------
    blocks
        Top-level blocks; together they cover everything except white space. A text without Markdown has only paragraphs,
        separated by blank lines.
    whole_blocks
        Lists, tables, code blocks and formulas, including those in quotations and lists.
    item_starts
        Offsets, in code points, at which the items of top-level lists begin.
    nested_blocks
        Blocks inside lists and quotations, at every depth, with an outer block before the blocks inside it: list items,
        lists, tables, code blocks and formulas.
    blocks_without_sentences
        Blocks of the kinds in `BLOCK_KINDS_WITHOUT_SENTENCES`, nested ones included, without overlap.
    """

    blocks: tuple[Block, ...] = ()
    whole_blocks: tuple[Block, ...] = ()
    item_starts: tuple[int, ...] = ()
    nested_blocks: tuple[Block, ...] = ()
    blocks_without_sentences: tuple[Block, ...] = ()


@lru_cache(maxsize=8)
def parse_block_outline(text: str) -> Outline:
    """Return the outline of a text.

    A text with more Markdown marks than `check_markdown_mark_count` allows is not parsed: its outline is empty.
    """
    if _has_too_many_marks(text):
        return Outline()
    line_starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    line_boundary_offsets = [*line_starts, len(text)]
    source_without_front_matter, covered_line_count = _blank_front_matter_counting_lines(text)
    parser = _markdown_parser()
    markdown_block_tokens = _KeptBlockTokens()
    parser.block.parse(source_without_front_matter, parser, {}, markdown_block_tokens)

    def span_of_lines(start_line: int, stop_line: int) -> Span:
        return Span(line_boundary_offsets[start_line], line_boundary_offsets[stop_line]).trimmed(text)

    nesting_levels_and_blocks = (
        [(0, Block("front matter", span_of_lines(0, covered_line_count)))] if covered_line_count else []
    )
    top_level_blocks = [block for _, block in nesting_levels_and_blocks]
    blocks_kept_whole = []
    list_end_line = 0
    for token, block_first_line_number, end_line_number in _pair_tokens_with_line_ranges(markdown_block_tokens):
        block_kind = BLOCK_KIND_BY_TOKEN_TYPE.get(token.type, "item")
        block = Block(
            block_kind,
            span_of_lines(block_first_line_number, end_line_number),
            int(token.tag[1]) if block_kind == "heading" else 0,
        )
        nesting_levels_and_blocks.append((token.level, block))
        if token.level == 0:
            # What the parser leaves out would be lost.
            top_level_blocks += Block("paragraph", span_of_lines(covered_line_count, block_first_line_number)), block
            covered_line_count = end_line_number
        if block_kind in BLOCK_KINDS_KEPT_WHOLE and not (block_kind == "list" and block_first_line_number < list_end_line):
            blocks_kept_whole.append(block)
            list_end_line = end_line_number if block_kind == "list" else list_end_line
    top_level_blocks.append(Block("paragraph", span_of_lines(covered_line_count, len(line_starts))))
    return Outline(
        tuple([block for block in top_level_blocks if block.span.start < block.span.end]),
        tuple(blocks_kept_whole),
        tuple([block.span.start for level, block in nesting_levels_and_blocks if level == 1 and block.kind == "item"]),
        tuple(
            [
                block
                for level, block in nesting_levels_and_blocks
                if level and (block.kind == "item" or block.kind in BLOCK_KINDS_KEPT_WHOLE)
            ]
        ),
        tuple([block for _, block in nesting_levels_and_blocks if block.kind in BLOCK_KINDS_WITHOUT_SENTENCES]),
    )


@lru_cache(maxsize=8)
def headings(text: str) -> tuple[Heading, ...]:
    """Return the headings of a text in order, except those in quotations and lists.

    Empty for a text with more marks than `check_markdown_mark_count` allows.
    """
    heading_blocks = [block for block in parse_block_outline(text).blocks if block.kind == "heading"]
    return tuple([Heading(level, span, _heading_title(text[span.start : span.end])) for _, span, level in heading_blocks])


def heading_path(text: str, offset: int) -> tuple[str, ...]:
    """Return the titles of the sections that contain the code point ``offset``, from the outermost inwards.

    A heading belongs to its own section. Empty before the first heading; headings without a title are left out.
    """
    heading_starts, title_paths = _heading_starts_and_paths(text)
    return title_paths[bisect_right(heading_starts, offset)]


def check_markdown_mark_count(name: str, text: str) -> None:
    """Raise InputError if a text has more Markdown marks than the parser can process in a few seconds.

    The count includes lines, vertical bars, angle brackets, and marks such as those of list items, wherever they occur.
    """
    if _has_too_many_marks(text):
        raise InputError(
            f"{name}: a text may have at most {MOST_MARKDOWN_MARKS:,} lines, table cells, list items and block-quote "
            "markers "
            "in total; this text has more. Divide the text."
        )


def clear_outline_caches() -> None:
    """Empty the caches of parsed outlines."""
    parse_block_outline.cache_clear()
    headings.cache_clear()
    clear_front_matter_cache()
    _heading_starts_and_paths.cache_clear()


def _has_too_many_marks(text: str) -> bool:
    if len(text) <= MOST_MARKDOWN_MARKS:
        return False
    return next(islice(_MARKDOWN_MARK_PATTERN.finditer(text), MOST_MARKDOWN_MARKS, None), None) is not None


@lru_cache(maxsize=8)
def _heading_starts_and_paths(text: str) -> tuple[list[int], list[tuple[str, ...]]]:
    """Return the starts of the headings, and the heading path before the first and after each."""
    heading_starts: list[int] = []
    title_paths: list[tuple[str, ...]] = [()]
    open_headings: list[Heading] = []
    for heading in headings(text):
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        heading_starts.append(heading.span.start)
        title_paths.append(tuple([parent.title for parent in open_headings if parent.title]))
    return heading_starts, title_paths


def _heading_title(heading_source: str) -> str:
    """Return the text of a heading without its marks and those of emphasis, links and code."""
    heading_source = heading_source.removeprefix(_BYTE_ORDER_MARK)
    # Either marks before it, and perhaps after it, or a line below it.
    unmarked_line = (
        re.sub(r"(?:^|\s)#+$", "", heading_source.lstrip("#"))
        if heading_source.startswith("#")
        else heading_source.rstrip("=-\t ")
    )
    unmarked_heading_text = " ".join(unmarked_line.split())
    if len(unmarked_heading_text) > _LONGEST_PARSED_HEADING or not _INLINE_MARK_PATTERN.search(unmarked_heading_text):
        return unmarked_heading_text
    (inline_token,) = _markdown_parser().parseInline(unmarked_heading_text)
    return " ".join("".join(_yield_plain_inline_texts(inline_token)).split())


def _yield_plain_inline_texts(token: Token) -> Iterator[str]:
    if token.children:
        for child in token.children:
            yield from _yield_plain_inline_texts(child)
    elif token.type in ("text", "code_inline"):
        yield token.content


@lru_cache(maxsize=1)
def _markdown_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"inline_definitions": True}).enable("table")
    parser.block.ruler.at("list", _parse_list_into_state, {"alt": ["paragraph", "reference", "blockquote"]})
    # A formula on lines of its own needs no blank line before it.
    parser.block.ruler.before(
        "fence", "formula", _parse_formula_into_state, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    return parser


class _KeptBlockTokens(list["Token"]):
    """The tokens of blocks: those of text and of nested paragraphs would take a gigabyte in a large text."""

    paragraph: Token | None = None
    """The last paragraph, at any depth."""

    def append(self, token: Token) -> None:
        if token.type == "paragraph_open":
            self.paragraph = token
        is_top_level = token.level == 0 and token.nesting >= 0
        if token.type == "list_item_open" or (
            token.type in BLOCK_KIND_BY_TOKEN_TYPE
            and (is_top_level or BLOCK_KIND_BY_TOKEN_TYPE[token.type] in _BLOCK_KINDS_FOUND_NESTED)
        ):
            super().append(token)


def _parse_list_into_state(
    parser_state: StateBlock, first_line_number: int, parsing_end_line_number: int, only_checks: bool
) -> bool:
    """Parse a list; a new sentence on an unindented line below it is none of its items', though the parser takes it so.

    Nor is the number of a clause. A list that is nested deeper than the parser goes does not hold the rest of the text.
    """
    from markdown_it.rules_block import list_block

    if only_checks or parser_state.level:
        return list_block(parser_state, first_line_number, parsing_end_line_number, only_checks)
    # No list goes on behind this line. For lists that touch it is the same, so that each line is looked at once.
    known_list_start_line, list_end_line_number = parser_state.env.get("listed", (0, 0))
    if not known_list_start_line <= first_line_number < list_end_line_number:
        list_end_line_number = first_line_number + 1
        while list_end_line_number < parsing_end_line_number and not _is_past_list_end(parser_state, list_end_line_number):
            list_end_line_number += 1
        parser_state.env["listed"] = first_line_number, list_end_line_number
    token_count_before = len(parser_state.tokens)
    # A paragraph inside goes on to the state's last line, whatever the end it is given.
    original_parser_line_limit, parser_state.lineMax = (
        parser_state.lineMax,
        min(parsing_end_line_number, list_end_line_number),
    )
    is_list = list_block(parser_state, first_line_number, parser_state.lineMax, only_checks)
    parser_state.lineMax = original_parser_line_limit
    if is_list:
        _end_list_before_sentence(parser_state, first_line_number, parser_state.tokens[token_count_before:])
    return is_list


def _is_past_list_end(parser_state: StateBlock, line_number: int) -> bool:
    """Return whether no list goes on at a line: unindented, it is no item, and comes after a blank one or has a number."""
    if not parser_state.isEmpty(line_number - 1):
        return (
            _CLAUSE_NUMBER_PATTERN.match(
                parser_state.src, parser_state.bMarks[line_number], parser_state.eMarks[line_number]
            )
            is not None
        )
    return _is_unindented_text(parser_state, line_number)


def _end_list_before_sentence(parser_state: StateBlock, list_first_line_number: int, list_tokens: Sequence[Token]) -> None:
    """End the list of these tokens before an unindented line that begins a sentence in the paragraph it ends with."""
    last_paragraph_token = parser_state.tokens.paragraph if isinstance(parser_state.tokens, _KeptBlockTokens) else None
    if last_paragraph_token is None or not last_paragraph_token.map or last_paragraph_token.map[0] < list_first_line_number:
        return
    paragraph_start_line, paragraph_end_line = last_paragraph_token.map
    if not all(parser_state.isEmpty(line) for line in range(paragraph_end_line, parser_state.line)):
        return
    for line_number in range(paragraph_start_line + 1, paragraph_end_line):
        if _is_unindented_text(parser_state, line_number) and _SENTENCE_END.search(
            parser_state.src, parser_state.bMarks[line_number - 1], parser_state.eMarks[line_number - 1]
        ):
            parser_state.line = line_number
            for token in list_tokens:
                if token.map:
                    token.map[1] = min(token.map[1], line_number)
            return


def _is_unindented_text(parser_state: StateBlock, line_number: int) -> bool:
    """Return whether a line is neither blank nor indented, and no item begins with it."""
    return (
        _UNINDENTED_NON_ITEM_PATTERN.match(
            parser_state.src, parser_state.bMarks[line_number], parser_state.eMarks[line_number]
        )
        is not None
    )


def _parse_formula_into_state(
    parser_state: StateBlock, first_line_number: int, parsing_end_line_number: int, only_checks: bool
) -> bool:
    r"""Parse lines from ``$$`` or ``\[`` to its closing mark as a formula; only a number or a full stop may follow it."""
    formula_start_offset = parser_state.bMarks[first_line_number] + parser_state.tShift[first_line_number]
    opening_mark = parser_state.src[formula_start_offset : formula_start_offset + 2]
    closing_mark = _FORMULA_END_BY_START.get(opening_mark)
    if closing_mark is None or parser_state.is_code_block(first_line_number):
        return False
    # Many that are opened have the same end, or none: it is looked for once.
    search_start_offset, closing_offset = parser_state.env.get(opening_mark, (0, -2))
    if not search_start_offset <= formula_start_offset + 2 <= closing_offset and not (
        closing_offset == -1 and search_start_offset <= formula_start_offset + 2
    ):
        search_start_offset, closing_offset = (
            formula_start_offset + 2,
            parser_state.src.find(closing_mark, formula_start_offset + 2),
        )
        parser_state.env[opening_mark] = search_start_offset, closing_offset
    if closing_offset < 0 or closing_offset + 2 > parser_state.eMarks[parsing_end_line_number - 1]:
        return False
    last_line_number = bisect_right(parser_state.bMarks, closing_offset, first_line_number, parsing_end_line_number) - 1
    text_after_formula = parser_state.src[closing_offset + 2 : parser_state.eMarks[last_line_number]].strip()
    if (text_after_formula and text_after_formula[0] not in ".,;:(") or _formula_leaves_container(
        parser_state, first_line_number, last_line_number
    ):
        return False
    if not only_checks:
        parser_state.push("formula", "", 0).map = [first_line_number, last_line_number + 1]
        parser_state.line = last_line_number + 1
    return True


def _formula_leaves_container(parser_state: StateBlock, first_line_number: int, last_line_number: int) -> bool:
    """Return whether any of the lines lies outside the item or quotation in which the first of them begins."""
    # Many that begin there may reach the same line behind it: it is looked for once.
    cached_formula_first_line, line_number_outside_container, cached_block_indent = parser_state.env.get("left", (0, 0, 0))
    if (
        cached_formula_first_line <= first_line_number < line_number_outside_container <= last_line_number
        and parser_state.blkIndent >= cached_block_indent
    ):
        return True
    for examined_line_number in range(first_line_number + 1, last_line_number + 1) if parser_state.level else ():
        if parser_state.sCount[examined_line_number] < parser_state.blkIndent and not parser_state.isEmpty(
            examined_line_number
        ):
            parser_state.env["left"] = first_line_number, examined_line_number, parser_state.blkIndent
            return True
    return False


def _blank_front_matter_counting_lines(text: str) -> tuple[str, int]:
    """Return a text whose lines end in LF, with blank lines for its front matter, and their number."""
    front_matter_offsets = find_front_matter_offsets(text)
    if front_matter_offsets is None:
        return _LINE_END.sub("\n", text).removeprefix(_BYTE_ORDER_MARK), 0
    front_matter_line_count = len(_LINE_END.findall(text, 0, front_matter_offsets.closing_fence_end)) + 1
    return "\n" * front_matter_line_count + _LINE_END.sub("\n", text[front_matter_offsets.end :]), front_matter_line_count


def _pair_tokens_with_line_ranges(tokens: Iterable[Token]) -> list[tuple[Token, int, int]]:
    """Return each token with its first line and the line behind its last; definitions of links that touch are one."""
    tokens_with_lines: list[tuple[Token, int, int]] = []
    for token in tokens:
        if token.map is None:
            continue
        first_line_number, end_line_number = token.map
        previous_token, previous_first_line, previous_end_line = (
            tokens_with_lines[-1] if tokens_with_lines else (token, first_line_number, -1)
        )
        if (
            token.type == previous_token.type == "definition"
            and token.level == previous_token.level
            and previous_end_line == first_line_number
        ):
            tokens_with_lines[-1] = previous_token, previous_first_line, end_line_number
        else:
            tokens_with_lines.append((token, first_line_number, end_line_number))
    return tokens_with_lines
