"""Parts of a block that is too long for one chunk: a list between items, a table between rows, code between lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from chunkers.base import Chunker
from chunkers.building_blocks.recursive_spans import measure_for
from chunkers.building_blocks.sizes import fitting_spans
from chunkers.building_blocks.token_sizes import TokenSizes
from chunkers.reason import Reason, chain
from chunkers.text.document import Document, Span
from chunkers.text.outline import Block, blocks, list_items
from chunkers.tools import Tools

_LINE = re.compile(r"[^\r\n]+")
_LETTER = re.compile(r"\w")
_WORD = re.compile(r"\S+")


class Part(NamedTuple):
    """A part of a block.

    Attributes
    ----------
    start, end
        Its half-open range in code points.
    why
        Why the block is cut before it.
    context
        The header of the table whose rows it has, if it does not begin with it.
    """

    start: int
    end: int
    why: Reason
    context: str = ""


class Parts:
    """Cuts the blocks of a document that are too long.

    Parameters
    ----------
    document
        The document.
    inner
        Gives the chunker that cuts prose into chunks of at most so many tokens; None to cut between sentences, and in one
        that is too long between words.
    most
        The most tokens that a chunk may have.
    tools
        Counts tokens, and embeds where the inner chunker does.

    Attributes
    ----------
    size
        Gives the tokens between two code points, neither at white space.
    kept
        What the inner chunker said of the places where it did not cut.
    """

    def __init__(self, document: Document, inner: Callable[[int], Chunker] | None, most: int, tools: Tools) -> None:
        # By blocks: a text whose blocks all fit is never split into sentences.
        self.size = TokenSizes(document.text, [block.span.start for block in blocks(document.text)], tools)
        self.kept: dict[int, Reason] = {}
        self._measure = measure_for("tokens", tools)
        self._document = document
        self._inner = inner
        self._most = most
        self._tools = tools

    def of(self, block: Block, first: int, rest: int) -> list[Part]:
        """Return the parts of a block, in order: the first of at most ``first`` tokens, the others of at most ``rest``."""
        start, end = block.span
        if block.kind == "table":
            return self._of_table(block, first, rest)
        if block.kind == "list":
            return self._packed([*self._of_items(block.span, min(first, rest))], first, rest)
        if block.kind in ("code block", "HTML"):
            said, lines = f"{block.kind} cut between lines", self._fenced(self._lines(start, end), min(first, rest))
            return self._packed([*self._of_lines(lines, said, "line", min(first, rest))], first, rest)
        return self._of_prose(block.span, block.kind, min(first, rest))

    def _of_table(self, block: Block, first: int, rest: int) -> list[Part]:
        head, rule, *rows = self._lines(*block.span)
        if rows and not _LETTER.search(self._document.text, *head):
            # Some readers give a table without a header an empty one: then its first row tells what the columns are.
            rule, *rows = rows
        header = Span(head.start, rule.end)
        held = self.size(*header)
        # A header that takes more than half of each chunk would leave too little of the table in it.
        context = self._document.text[slice(*header)] if held <= self._most // 2 else ""
        rest -= held if context else 0
        lines = [Span(header.start, rows[0].end), *rows[1:]] if rows else [header]
        if lines[0] != header and self.size(*lines[0]) > min(first, rest):
            lines = [header, *rows]
        units = self._of_lines(lines, "table cut between rows", "row", min(first, rest))
        parts = self._packed([*units], first, rest)
        return [_with_context(part, context) if context and part.start >= header.end else part for part in parts]

    def _fenced(self, lines: list[Span], most: int) -> list[Span]:
        """Return the lines of code, its fences joined with the lines beside them if they fit: none stands alone."""
        text = self._document.text
        if not text.startswith(("```", "~~~"), lines[0].start) or len(lines) < 3:
            return lines
        for place in (len(lines) - 2, 0):
            both = Span(lines[place].start, lines[place + 1].end)
            if self.size(*both) <= most:
                lines[place : place + 2] = [both]
        return lines

    def _of_items(self, span: Span, most: int) -> Iterator[Part]:
        items = list_items(self._document.text)
        starts = items[bisect_left(items, span.start) : bisect_left(items, span.end)]
        edges = [span.start, *(start for start in starts if start > span.start), span.end]
        why = self._why("list cut between items")
        for start, following in pairwise(edges):
            end = self._stripped(start, following)
            if self.size(start, end) <= most:
                yield Part(start, end, why)
                continue
            lines = [*self._lines(start, end)]
            if len(lines) == 1:
                yield from _after(why, self._of_prose(lines[0], "item of the list", most))
            else:
                yield from _after(why, self._of_lines(lines, "item of the list cut between lines", "line", most))

    def _of_lines(self, lines: Sequence[Span], said: str, name: str, most: int) -> Iterator[Part]:
        why = self._why(said)
        for start, end in lines:
            if self.size(start, end) <= most:
                yield Part(start, end, why)
            else:
                yield from _after(why, self._of_words(Span(start, end), f"{name} cut between words", most))

    def _of_prose(self, span: Span, name: str, most: int) -> list[Part]:
        if self._inner is None:
            return self._of_sentences(span, name, most)
        inside, inner = self._document_of(span), self._inner(most)
        chunking = inner.chunk(inside, self._tools)
        above = self._why(f"{name} of {self.size(*span):,} tokens cut by {inner.name}")
        whys = {}
        for gap in chunking.gaps:
            step, *others = gap.why.steps()
            # The number of the sentence is that in the block.
            why = chain(step._replace(heading="") if gap.offset is not None else step, *others)
            place = span.start + (inside.sentences[gap.index + 1].start if gap.offset is None else gap.offset)
            if gap.verdict.is_cut:
                whys[place] = chain(above, why)
            else:
                self.kept[place] = chain(Reason(remark=f"not cut by {inner.name}"), why)
        parts: list[Part] = []
        for chunk in chunking.chunks:
            start, end = span.start + chunk.start, span.start + chunk.end
            fits = self.size(start, end) <= most
            some = [Part(start, end, above)] if fits else self._of_sentences(Span(start, end), name, most)
            parts += _after(whys.get(start, above), some)
        return parts

    def _of_sentences(self, span: Span, name: str, most: int) -> list[Part]:
        """Cut between sentences, and one that is too long between its words."""
        why = self._why(f"{name} cut between sentences")
        parts: list[Part] = []
        for start, end in self._sentences(span):
            if self.size(start, end) <= most:
                parts.append(Part(start, end, why))
            else:
                parts += _after(why, self._of_words(Span(start, end), "sentence cut between words", most))
        return self._packed(parts, most, most)

    def _of_words(self, span: Span, said: str, most: int) -> list[Part]:
        """Cut between words, and one that is too long as the recursive chunker does."""
        why, text = self._why(said), self._document.text
        words = [Part(match.start(), match.end(), why) for match in _WORD.finditer(text, *span)]
        sizes = self._tools.count_tokens([text[word.start : word.end] for word in words])
        units: list[Part] = []
        for word, size in zip(words, sizes, strict=True):
            if size <= most:
                units.append(word)
                continue
            inside = fitting_spans(text[word.start : word.end], most, self._measure)
            units += [Part(word.start + start, word.start + end, why) for start, end in inside]
        return self._packed(units, most, most)

    def _packed(self, units: Sequence[Part], first: int, rest: int) -> list[Part]:
        """Join neighbours, from the first on, as many as fit."""
        text = self._document.text
        following = [*(unit.start for unit in units[1:]), units[-1].end]
        sizes = self._tools.count_tokens([text[unit.start : end] for unit, end in zip(units, following, strict=True)])
        parts: list[Part] = []
        begin = 0
        while begin < len(units):
            most = rest if parts else first
            total, end = sizes[begin], begin + 1
            while end < len(units) and total + sizes[end] <= most:
                total += sizes[end]
                end += 1
            # Joined, they may have more tokens than they have apart.
            while end - begin > 1 and self.size(units[begin].start, units[end - 1].end) > most:
                end -= 1
            parts.append(units[begin]._replace(end=units[end - 1].end))
            begin = end
        return parts

    def _why(self, said: str) -> Reason:
        return Reason(remark=f"{said}: {self._most:,} tokens at most")

    def _lines(self, start: int, end: int) -> list[Span]:
        """Return the lines that are not blank, without white space at their ends."""
        text = self._document.text
        found = []
        for match in _LINE.finditer(text, start, end):
            if line := match.group().strip():
                begin = match.start() + match.group().index(line)
                found.append(Span(begin, begin + len(line)))
        return found

    def _sentences(self, span: Span) -> list[Span]:
        """Return the parts of sentences that are inside a span."""
        document = self._document
        first, last = document.sentence_at(span.start), document.sentence_at(span.end - 1)
        inside = [Span(max(one.start, span.start), min(one.end, span.end)) for one in document.sentences[first : last + 1]]
        return [Span(start, self._stripped(start, end)) for start, end in inside if start < end]

    def _stripped(self, start: int, end: int) -> int:
        return start + len(self._document.text[start:end].rstrip())

    def _document_of(self, span: Span) -> Document:
        sentences = tuple([Span(start - span.start, end - span.start) for start, end in self._sentences(span)])
        return Document(self._document.text[slice(*span)], sentences, self._document.name)


def _with_context(part: Part, context: str) -> Part:
    (step,) = part.why.steps()
    return part._replace(why=step._replace(remark=f"{step.remark}; the header is its context"), context=context)


def _after(why: Reason, parts: Sequence[Part] | Iterator[Part]) -> Iterator[Part]:
    """Yield the parts, the first with that reason."""
    for number, part in enumerate(parts):
        yield part if number else part._replace(why=why)
