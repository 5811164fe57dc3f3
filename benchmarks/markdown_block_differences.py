"""Markdown blocks compared with markdown-it's tree, to find differences that docs/chunkers.md does not document."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table
from chunkers import Span
from chunkers.text import (
    BLOCK_KIND_BY_TOKEN_TYPE,
    BLOCK_KINDS_KEPT_WHOLE,
    BLOCK_KINDS_WITHOUT_SENTENCES,
    parse_block_outline,
    read_document_text,
)
from sample_docs import load_sample, sample_titles
from tests.fixtures.structured_files import FILES

LIST_TOKEN_TYPES = ("bullet_list_open", "ordered_list_open")
_LIST_ITEM_START_PATTERN = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?:\s|$)")
_CLAUSE_NUMBER_PATTERN = re.compile(r"\d+(?:\.\d+)+[.)]?\s")
_END_OF_SENTENCE = re.compile(r"""[.?!:;…。！？：；؟۔]["'”’»)\]*_`]*$""")


class ComparedBlock(NamedTuple):
    """A block in a form both sides share; its depth is 0, or 1 inside a list or quotation."""

    depth: int
    kind: str
    span: Span


def our_blocks(text: str) -> set[ComparedBlock]:
    """Return the blocks that `chunkers.text.blocks_and_headings` finds, including nested ones."""
    outermost_blocks = {ComparedBlock(0, block.kind, block.span) for block in parse_block_outline(text).blocks}
    blocks_containing_no_prose = {
        ComparedBlock(0, block.kind, block.span) for block in parse_block_outline(text).blocks_without_sentences
    } - outermost_blocks
    nested_blocks = {ComparedBlock(1, block.kind, block.span) for block in parse_block_outline(text).nested_blocks}
    return outermost_blocks | nested_blocks | {block._replace(depth=1) for block in blocks_containing_no_prose}


def expected_blocks(text: str) -> set[ComparedBlock]:
    """Return the blocks of markdown-it's tree, adapted to the differences that docs/chunkers.md lists.

    The text is adapted before it is parsed: front matter becomes blank lines, formulas become comments, and a blank line is
    inserted before each line that ends a list.
    """
    lines = _Lines(text)
    front_matter_line_count = _blank_and_count_front_matter_lines(lines)
    formula_start_offsets = _replace_formulas_and_find_offsets(text, lines)
    parser = MarkdownIt("commonmark", {"inline_definitions": True}).enable("table")
    tokens = parser.parse("\n".join(lines.parser_input))
    while (line_number_for_blank_line := _line_number_after_our_list(tokens, lines.parser_input)) is not None:
        lines.insert_blank_line(line_number_for_blank_line)
        tokens = parser.parse("\n".join(lines.parser_input))
    blocks_expected_so_far = (
        {ComparedBlock(0, "front matter", lines.span(0, front_matter_line_count))} if front_matter_line_count else set()
    )
    if re.match(r"\ufeff[ \t]*(?:[\r\n]|$)", text):
        blocks_expected_so_far.add(ComparedBlock(0, "paragraph", Span(0, 1)))
    for previous_token, token in zip([None, *tokens], tokens, strict=False):
        if (
            previous_token
            and previous_token.type == token.type == "definition"
            and previous_token.map
            and token.map
            and previous_token.map[1] == token.map[0]
        ):
            # Adjacent ones are one block.
            blocks_expected_so_far.discard(
                ComparedBlock(min(token.level, 1), "link definitions", lines.span(*previous_token.map))
            )
            token.map[0] = previous_token.map[0]
        kind = "item" if token.type == "list_item_open" else BLOCK_KIND_BY_TOKEN_TYPE.get(token.type)
        if (
            kind is None
            or not token.map
            or (token.level and kind not in BLOCK_KINDS_KEPT_WHOLE | BLOCK_KINDS_WITHOUT_SENTENCES | {"item"})
        ):
            continue
        span = lines.span(*token.map)
        kind = "formula" if kind == "HTML" and span.start in formula_start_offsets else kind
        blocks_expected_so_far.add(ComparedBlock(min(token.level, 1), kind, span))
    # White space that only Unicode counts as such is not a block.
    return {block for block in blocks_expected_so_far if block.span.start < block.span.end}


def differing_blocks(text: str) -> set[ComparedBlock]:
    """Return the blocks that only one side has."""
    return our_blocks(text) ^ expected_blocks(text)


def yield_whether_lists_are_whole(text: str) -> Iterator[bool]:
    """Yield, for each outermost list with blank lines in the tree, whether ours is a single list too."""
    list_end_offset_by_start = {
        block.span.start: block.span.end for block in parse_block_outline(text).blocks if block.kind == "list"
    }
    lines = _Lines(text)
    _blank_and_count_front_matter_lines(lines)
    for token in MarkdownIt("commonmark").enable("table").parse("\n".join(lines.parser_input)):
        if token.type in LIST_TOKEN_TYPES and token.level == 0 and token.map:
            span = lines.span(*token.map)
            blank_line_ends = [
                match.end() for match in re.finditer(r"(?:\r\n|\n|\r(?!\n))[ \t]*(?=[\r\n])", text[slice(*span)])
            ]
            if blank_line_ends:
                # Lines below a list that are a paragraph here may belong to the last item there.
                yield list_end_offset_by_start.get(span.start, 0) >= span.start + blank_line_ends[-1]


class _Lines:
    """The lines of a text as the parser reads them, with their positions in the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        ends = [match.end() for match in re.finditer(r"\r\n|\n|\r", text)]
        self._edges = [0, *ends, len(text)]
        self._original_line_numbers = [*range(len(ends) + 1)]
        self._is_inserted = [False] * (len(ends) + 1)
        self.parser_input = re.split(r"\r\n|\n|\r", text)
        self.parser_input[0] = self.parser_input[0].removeprefix("\ufeff")

    def insert_blank_line(self, insertion_line_number: int) -> None:
        """Insert a blank line that is not in the text, and remove earlier insertions after it."""
        for later_line_number in reversed(range(insertion_line_number, len(self.parser_input))):
            if self._is_inserted[later_line_number]:
                del (
                    self.parser_input[later_line_number],
                    self._original_line_numbers[later_line_number],
                    self._is_inserted[later_line_number],
                )
        self.parser_input.insert(insertion_line_number, "")
        self._original_line_numbers.insert(insertion_line_number, self._original_line_numbers[insertion_line_number])
        self._is_inserted.insert(insertion_line_number, True)

    def span(self, first_line_number: int, line_number_after_last: int) -> Span:
        """Return the span of a range of lines in code points, without white space at the ends."""
        start = self._edges[self._original_line_numbers[first_line_number]]
        end = self._edges[
            self._original_line_numbers[line_number_after_last - 1] + (not self._is_inserted[line_number_after_last - 1])
        ]
        return Span(start, end).trimmed(self._text)

    def line_number(self, offset: int) -> int:
        """Return the number of the line that contains a code point."""
        return next(number for number, edge in enumerate(self._edges[1:]) if offset < edge)


def _blank_and_count_front_matter_lines(lines: _Lines) -> int:
    """Blank the lines of front matter, and return their number."""
    front_matter_mark = lines.parser_input[0].rstrip(" \t")
    closing_mark_line_numbers = [
        number for number, line in enumerate(lines.parser_input) if number and line.rstrip(" \t") == front_matter_mark
    ]
    if front_matter_mark not in ("---", "+++") or not closing_mark_line_numbers:
        return 0
    field_lines = [
        line.strip()
        for line in lines.parser_input[1 : closing_mark_line_numbers[0]]
        if line.strip() and not line.lstrip().startswith("#")
    ]
    field_line_pattern = r"""\{|[\w"'].*?:(\s|$)""" if front_matter_mark == "---" else r"""\[|[\w"'].*?="""
    if field_lines and not re.match(field_line_pattern, field_lines[0]):
        return 0
    lines.parser_input[: closing_mark_line_numbers[0] + 1] = [""] * (closing_mark_line_numbers[0] + 1)
    return closing_mark_line_numbers[0] + 1


def _replace_formulas_and_find_offsets(text: str, lines: _Lines) -> set[int]:
    """Replace each formula by an HTML comment on the same lines, and return the offsets at which they begin."""
    formulas = [
        block
        for block in {*parse_block_outline(text).nested_blocks, *parse_block_outline(text).blocks}
        if block.kind == "formula"
    ]
    formula_start_offsets = set()
    for formula_block in formulas:
        first_line_number, last_line_number = (
            lines.line_number(offset) for offset in (formula_block.span.start, formula_block.span.end - 1)
        )
        opening_mark = min(
            (lines.parser_input[first_line_number].find(mark), mark)
            for mark in ("$$", "\\[")
            if mark in lines.parser_input[first_line_number]
        )[1]
        for formula_line_number in range(first_line_number, last_line_number + 1):
            lines.parser_input[formula_line_number] = lines.parser_input[formula_line_number].replace("-->", "...")
        lines.parser_input[first_line_number] = lines.parser_input[first_line_number].replace(opening_mark, "<!--", 1)
        closing_mark = "$$" if opening_mark == "$$" else "\\]"
        text_before_closing_mark, closing_mark_or_empty, text_after_mark = lines.parser_input[last_line_number].rpartition(
            closing_mark
        )
        if not closing_mark_or_empty or not re.fullmatch(r"\s*([.,;:(].*)?", text_after_mark):
            raise AssertionError(f"no formula: {text[slice(*formula_block.span)]!r}")
        lines.parser_input[last_line_number] = f"{text_before_closing_mark}-->{text_after_mark}"
        formula_start_offsets.add(formula_block.span.start)
    return formula_start_offsets


def _line_number_after_our_list(tokens: Sequence[Token], lines: Sequence[str]) -> int | None:
    """Return the first line of an outermost list in the tree that is in no item of our list."""
    for opening_token_index, token in enumerate(tokens):
        if token.type not in LIST_TOKEN_TYPES or token.level or not token.map:
            continue
        parsed_list_first_line_number, parsed_list_end_line_number = token.map
        clause_line_numbers = [
            number
            for number in range(parsed_list_first_line_number + 1, parsed_list_end_line_number)
            if lines[number - 1].strip(" \t") and _CLAUSE_NUMBER_PATTERN.match(lines[number])
        ]
        closing_token_index = next(
            number
            for number in range(opening_token_index, len(tokens))
            if tokens[number].nesting < 0 and not tokens[number].level
        )
        paragraph_line_ranges_in_list = [
            inner.map
            for inner in tokens[opening_token_index:closing_token_index]
            if inner.type == "paragraph_open" and inner.map
        ]
        last_paragraph_first_line_number, last_paragraph_end_line_number = (
            paragraph_line_ranges_in_list[-1]
            if paragraph_line_ranges_in_list
            else (parsed_list_end_line_number, parsed_list_end_line_number)
        )
        if any(line.strip(" \t") for line in lines[last_paragraph_end_line_number:parsed_list_end_line_number]):
            last_paragraph_first_line_number = last_paragraph_end_line_number
        sentence_start_line_numbers = [
            number
            for number in range(last_paragraph_first_line_number + 1, last_paragraph_end_line_number)
            if not re.match(r"\s|$", lines[number])
            and not _LIST_ITEM_START_PATTERN.match(lines[number])
            and _END_OF_SENTENCE.search(lines[number - 1].rstrip())
        ]
        if clause_line_numbers or sentence_start_line_numbers:
            return min([*clause_line_numbers, *sentence_start_line_numbers])
    return None


def names_and_texts_of_markdown_files(folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each distinct Markdown file in the folders; without folders, of the bundled documents."""
    if not folders:
        yield from ((name, load_sample(name).text) for name in sample_titles())
        yield from ((name, read_document_text(data(), name).text) for name, data in FILES.items())
        return
    seen_texts = set()
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if text not in seen_texts:
            seen_texts.add(text)
            yield path.name, text


@command_line_decorator_for_main(
    build_function_adding_option(
        "folders", nargs="*", metavar="FOLDER", help="with files of Markdown (default: what is bundled)"
    ),
)
def main(folders: list[str]) -> int:
    """Print the counts and the differences; return 1 if there are any."""
    file_count = list_count = torn_list_count = compared_block_count = 0
    differing_block_rows = []
    for name, text in names_and_texts_of_markdown_files(folders):
        list_wholeness_flags = [*yield_whether_lists_are_whole(text)]
        file_count, list_count, torn_list_count = (
            file_count + 1,
            list_count + len(list_wholeness_flags),
            torn_list_count + list_wholeness_flags.count(False),
        )
        compared_block_count += len(our_blocks(text))
        differing_block_rows += [(name, *block) for block in sorted(differing_blocks(text))]
    head = ["files", "blocks", "different", "lists with blank lines", "torn"]
    print(
        markdown_table(
            head,
            [
                [
                    f"{count:,}"
                    for count in (file_count, compared_block_count, len(differing_block_rows), list_count, torn_list_count)
                ]
            ],
        )
    )
    for name, block_depth, block_kind, span in differing_block_rows:
        print(f"{name}: {block_kind} at {span.start:,} to {span.end:,}, {'nested' if block_depth else 'outermost'}")
    return int(bool(differing_block_rows or torn_list_count))


if __name__ == "__main__":
    raise SystemExit(main())
