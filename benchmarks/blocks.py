"""Markdown blocks compared with markdown-it's tree, to find differences that docs/chunkers.md does not document."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchmarks.harness import benchmark, markdown_table, option
from chunkers import Span
from chunkers.text import KIND_BY_TOKEN_TYPE, KINDS_KEPT_WHOLE, KINDS_WITHOUT_SENTENCES, outline_of, read_document
from sample_docs import load_sample, sample_titles
from tests.fixtures.structured_files import FILES

LISTS = ("bullet_list_open", "ordered_list_open")
_MARKED = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?:\s|$)")
_CLAUSE = re.compile(r"\d+(?:\.\d+)+[.)]?\s")
_END_OF_SENTENCE = re.compile(r"""[.?!:;…。！？：；؟۔]["'”’»)\]*_`]*$""")


class ComparedBlock(NamedTuple):
    """A block in a form both sides share; its depth is 0, or 1 inside a list or quotation."""

    depth: int
    kind: str
    span: Span


def our_blocks(text: str) -> set[ComparedBlock]:
    """Return the blocks that `chunkers.text.outline` finds, including nested ones."""
    outer = {ComparedBlock(0, block.kind, block.span) for block in outline_of(text).blocks}
    without_prose = {ComparedBlock(0, block.kind, block.span) for block in outline_of(text).not_prose} - outer
    nested = {ComparedBlock(1, block.kind, block.span) for block in outline_of(text).nested}
    return outer | nested | {block._replace(depth=1) for block in without_prose}


def expected_blocks(text: str) -> set[ComparedBlock]:
    """Return the blocks of markdown-it's tree, adapted to the differences that docs/chunkers.md lists.

    The text is adapted before it is parsed: front matter becomes blank lines, formulas become comments, and a blank line is
    inserted before each line that ends a list.
    """
    lines = _Lines(text)
    front = _blank_front_matter(lines)
    formulas = _comment_formulas(text, lines)
    parser = MarkdownIt("commonmark", {"inline_definitions": True}).enable("table")
    tokens = parser.parse("\n".join(lines.parser_input))
    while (place := _line_after_our_list(tokens, lines.parser_input)) is not None:
        lines.insert_blank(place)
        tokens = parser.parse("\n".join(lines.parser_input))
    expected = {ComparedBlock(0, "front matter", lines.span(0, front))} if front else set()
    if re.match(r"\ufeff[ \t]*(?:[\r\n]|$)", text):
        expected.add(ComparedBlock(0, "paragraph", Span(0, 1)))
    for before, token in zip([None, *tokens], tokens, strict=False):
        if (
            before
            and before.type == token.type == "definition"
            and before.map
            and token.map
            and before.map[1] == token.map[0]
        ):
            # Adjacent ones are one block.
            expected.discard(ComparedBlock(min(token.level, 1), "link definitions", lines.span(*before.map)))
            token.map[0] = before.map[0]
        kind = "item" if token.type == "list_item_open" else KIND_BY_TOKEN_TYPE.get(token.type)
        if (
            kind is None
            or not token.map
            or (token.level and kind not in KINDS_KEPT_WHOLE | KINDS_WITHOUT_SENTENCES | {"item"})
        ):
            continue
        span = lines.span(*token.map)
        kind = "formula" if kind == "HTML" and span.start in formulas else kind
        expected.add(ComparedBlock(min(token.level, 1), kind, span))
    # White space that only Unicode counts as such is not a block.
    return {block for block in expected if block.span.start < block.span.end}


def differing_blocks(text: str) -> set[ComparedBlock]:
    """Return the blocks that only one side has."""
    return our_blocks(text) ^ expected_blocks(text)


def lists_with_blank_lines(text: str) -> Iterator[bool]:
    """Yield, for each outermost list with blank lines in the tree, whether ours is a single list too."""
    ours = {block.span.start: block.span.end for block in outline_of(text).blocks if block.kind == "list"}
    lines = _Lines(text)
    _blank_front_matter(lines)
    for token in MarkdownIt("commonmark").enable("table").parse("\n".join(lines.parser_input)):
        if token.type in LISTS and token.level == 0 and token.map:
            span = lines.span(*token.map)
            blank = [match.end() for match in re.finditer(r"(?:\r\n|\n|\r(?!\n))[ \t]*(?=[\r\n])", text[slice(*span)])]
            if blank:
                # Lines below a list that are a paragraph here may belong to the last item there.
                yield ours.get(span.start, 0) >= span.start + blank[-1]


class _Lines:
    """The lines of a text as the parser reads them, with their positions in the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        ends = [match.end() for match in re.finditer(r"\r\n|\n|\r", text)]
        self._edges = [0, *ends, len(text)]
        self._numbers = [*range(len(ends) + 1)]
        self._inserted = [False] * (len(ends) + 1)
        self.parser_input = re.split(r"\r\n|\n|\r", text)
        self.parser_input[0] = self.parser_input[0].removeprefix("\ufeff")

    def insert_blank(self, place: int) -> None:
        """Insert a blank line that is not in the text, and remove earlier insertions after it."""
        for number in reversed(range(place, len(self.parser_input))):
            if self._inserted[number]:
                del self.parser_input[number], self._numbers[number], self._inserted[number]
        self.parser_input.insert(place, "")
        self._numbers.insert(place, self._numbers[place])
        self._inserted.insert(place, True)

    def span(self, first: int, last: int) -> Span:
        """Return the span of a range of lines in code points, without white space at the ends."""
        start = self._edges[self._numbers[first]]
        end = self._edges[self._numbers[last - 1] + (not self._inserted[last - 1])]
        return Span(start, end).trimmed(self._text)

    def line_number(self, offset: int) -> int:
        """Return the number of the line that contains a code point."""
        return next(number for number, edge in enumerate(self._edges[1:]) if offset < edge)


def _blank_front_matter(lines: _Lines) -> int:
    """Blank the lines of front matter, and return their number."""
    mark = lines.parser_input[0].rstrip(" \t")
    ends = [number for number, line in enumerate(lines.parser_input) if number and line.rstrip(" \t") == mark]
    if mark not in ("---", "+++") or not ends:
        return 0
    fields = [line.strip() for line in lines.parser_input[1 : ends[0]] if line.strip() and not line.lstrip().startswith("#")]
    pattern = r"""\{|[\w"'].*?:(\s|$)""" if mark == "---" else r"""\[|[\w"'].*?="""
    if fields and not re.match(pattern, fields[0]):
        return 0
    lines.parser_input[: ends[0] + 1] = [""] * (ends[0] + 1)
    return ends[0] + 1


def _comment_formulas(text: str, lines: _Lines) -> set[int]:
    """Replace each formula by an HTML comment on the same lines, and return the lines at which they begin."""
    formulas = [block for block in {*outline_of(text).nested, *outline_of(text).blocks} if block.kind == "formula"]
    starts = set()
    for formula in formulas:
        first, last = (lines.line_number(offset) for offset in (formula.span.start, formula.span.end - 1))
        mark = min(
            (lines.parser_input[first].find(mark), mark) for mark in ("$$", "\\[") if mark in lines.parser_input[first]
        )[1]
        for number in range(first, last + 1):
            lines.parser_input[number] = lines.parser_input[number].replace("-->", "...")
        lines.parser_input[first] = lines.parser_input[first].replace(mark, "<!--", 1)
        closing = "$$" if mark == "$$" else "\\]"
        before, separator, after = lines.parser_input[last].rpartition(closing)
        if not separator or not re.fullmatch(r"\s*([.,;:(].*)?", after):
            raise AssertionError(f"no formula: {text[slice(*formula.span)]!r}")
        lines.parser_input[last] = f"{before}-->{after}"
        starts.add(formula.span.start)
    return starts


def _line_after_our_list(tokens: Sequence[Token], lines: Sequence[str]) -> int | None:
    """Return the first line of an outermost list in the tree that is in no item of our list."""
    for opening, token in enumerate(tokens):
        if token.type not in LISTS or token.level or not token.map:
            continue
        first, last = token.map
        clauses = [
            number for number in range(first + 1, last) if lines[number - 1].strip(" \t") and _CLAUSE.match(lines[number])
        ]
        closing = next(
            number for number in range(opening, len(tokens)) if tokens[number].nesting < 0 and not tokens[number].level
        )
        paragraphs = [inner.map for inner in tokens[opening:closing] if inner.type == "paragraph_open" and inner.map]
        begin, end = paragraphs[-1] if paragraphs else (last, last)
        if any(line.strip(" \t") for line in lines[end:last]):
            begin = end
        sentences = [
            number
            for number in range(begin + 1, end)
            if not re.match(r"\s|$", lines[number])
            and not _MARKED.match(lines[number])
            and _END_OF_SENTENCE.search(lines[number - 1].rstrip())
        ]
        if clauses or sentences:
            return min([*clauses, *sentences])
    return None


def markdown_files(folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each distinct Markdown file in the folders; without folders, of the bundled documents."""
    if not folders:
        yield from ((name, load_sample(name).text) for name in sample_titles())
        yield from ((name, read_document(data(), name).text) for name, data in FILES.items())
        return
    seen = set()
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if text not in seen:
            seen.add(text)
            yield path.name, text


@benchmark(
    option("folders", nargs="*", metavar="FOLDER", help="with files of Markdown (default: what is bundled)"),
)
def main(folders: list[str]) -> int:
    """Print the counts and the differences; return 1 if there are any."""
    files = lists = torn = compared = 0
    different = []
    for name, text in markdown_files(folders):
        whole_lists = [*lists_with_blank_lines(text)]
        files, lists, torn = files + 1, lists + len(whole_lists), torn + whole_lists.count(False)
        compared += len(our_blocks(text))
        different += [(name, *block) for block in sorted(differing_blocks(text))]
    head = ["files", "blocks", "different", "lists with blank lines", "torn"]
    print(markdown_table(head, [[f"{count:,}" for count in (files, compared, len(different), lists, torn)]]))
    for name, depth, kind, span in different:
        print(f"{name}: {kind} at {span.start:,} to {span.end:,}, {'nested' if depth else 'outermost'}")
    return int(bool(different or torn))


if __name__ == "__main__":
    raise SystemExit(main())
