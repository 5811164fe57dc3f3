"""Code: cut source code between functions, classes and statements, and repeat the names around what is cut."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import metadata
from importlib.util import find_spec
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from chunkers.building_blocks import (
    Piece,
    PieceCutter,
    TokenSizes,
    build_all_gaps_of_pieces,
    make_one_chunk_per_piece,
    refuse_excess_chunks_or_characters,
    refuse_size_yielding_excess_chunks,
    split_text_into_fitting_spans,
    text_size_function,
)
from chunkers.contract import Chunker, Tools
from chunkers.results import Chunking, LazyTuple, Reason
from chunkers.support import MODULES_BY_EXTRA, pluralize, raise_if_cancelled
from chunkers.text import CodeBreak, DetectedLanguage, Document, Span, Syntax, detect_programming_language, paragraph_breaks
from chunkers.text.front_matter import find_front_matter_offsets

_PARTS_BETWEEN_REPORTS = 256
"""Parts of the code between two reports of progress."""


class Code(Chunker):
    """Chunker that keeps functions and classes whole where they fit, and cuts longer ones between their members.

    `chunkers.text.code_syntax` finds the places. A class that does not fit is cut between its methods, a function
    between its statements, a statement between its branches or entries, and anything else between lines. Neighbours in the
    same definition are joined while they fit. The names of the definitions around a cut are the context of the chunk
    behind it, and count with it. A text in no known language is cut between paragraphs.
    """

    name: ClassVar[str] = "code"
    title: ClassVar[str] = "Code"
    idea: ClassVar[str] = "Cuts source code between functions, classes and statements, by its syntax tree."
    source: ClassVar[str] = "Seamark; tree-sitter; LlamaIndex's CodeSplitter and Chonkie's CodeChunker do alike"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\text{join neighbours while} \\ &\textstyle\sum |n| \le s \text{;} \\ "
        r"&\text{cut inside a definition} \\ &\text{only if } |n| > s \end{aligned}"
    )
    symbols: ClassVar[str] = r"$|n|$ tokens of a function, class or statement; $s$ maximum size"
    failure: ClassVar[str] = (
        "Knows syntax and lengths alone: small functions share a chunk whatever they are about, and a function is parted "
        "from those that it calls."
    )
    extra: ClassVar[str] = "code"
    packages: ClassVar[tuple[str, ...]] = tuple(module.replace("_", "-") for module in MODULES_BY_EXTRA["code"])

    max_size: int = Field(
        250,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="The most that a chunk may hold, with the names that are repeated; a function that is longer is cut.",
        json_schema_extra={"unit": "tokens", "step": 10, "offered": [20, 2000], "main": True},
    )
    language: Literal["auto", "python", "javascript", "typescript", "tsx", "java", "go", "rust", "c", "cpp"] = Field(
        "auto",
        title="Code language",
        description="auto: by the ending of the file's name, or else the grammar that finds the fewest syntax errors.",
        json_schema_extra={"main": True},
    )

    def describe(self) -> str:
        """Return the maximum size, and the language unless it is detected, as a short phrase."""
        return ", ".join(
            [f"at most {pluralize(self.max_size, 'token')}", *([self.language] if self.language != "auto" else [])]
        )

    @classmethod
    def versions(cls) -> dict[str, str]:
        """Return the version of each installed package of tree-sitter; grammars may be missing."""
        return dict(_installed_versions(cls.packages))

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document along its syntax; a cut inside a sentence adds a gap to the result.

        Raises
        ------
        ModelError
            If tree-sitter or the grammar of the language is not installed.
        InputError
            If there would be too many chunks or there are too many statements, or parsing takes too long.
        Cancelled
            If the user asked to stop.
        """
        text = document.text
        refuse_size_yielding_excess_chunks(self.name, text, self.max_size, "tokens")
        if not text.strip():
            return Chunking(document, (), ())
        code_language = DetectedLanguage(self.language)
        if self.language == "auto":
            code_language = detect_programming_language(text, document.name, self.name, tools.cancelled)
        document_syntax = (
            Syntax.of(text, code_language.language, self.name, tools.cancelled) if code_language.language else None
        )
        code_cutter = _CodeCutter(document, tools, self.max_size, document_syntax)
        code_pieces = code_cutter.cut()
        refuse_excess_chunks_or_characters(self.name, len(code_pieces), len(text))
        language_and_syntax_error_notes = (
            code_language.why,
            document_syntax.syntax_error_note() if document_syntax else "",
        )
        lazy_piece_gaps = LazyTuple(lambda: build_all_gaps_of_pieces(document, code_pieces, code_cutter.uncut_reason))
        return Chunking(
            document,
            make_one_chunk_per_piece(text, code_pieces),
            lazy_piece_gaps,
            notes=tuple(filter(None, language_and_syntax_error_notes)),
        )


class _Part(NamedTuple):
    """The code from one break to the next, without white space at its ends."""

    start: int
    end: int
    at: CodeBreak


@dataclass
class _CodeCutter(PieceCutter):
    """The cutting of code along its syntax, or between paragraphs if it has none."""

    syntax: Syntax | None
    pieces: list[Piece] = field(default_factory=list)

    @cached_property
    def visible_line_starts(self) -> list[int]:
        """The first visible character of each line that has one."""
        line_starts, line_offset = [], 0
        for line in self.document.text.splitlines(keepends=True):
            if line_without_indent := line.lstrip():
                line_starts.append(line_offset + len(line) - len(line_without_indent))
            line_offset += len(line)
        return line_starts

    @cached_property
    def size(self) -> TokenSizes:
        return TokenSizes(self.document.text, self.visible_line_starts, self.tools)

    @cached_property
    def breaks(self) -> list[CodeBreak]:
        """The places at which the text may be cut, and its beginning."""
        text, document_front_matter = self.document.text, find_front_matter_offsets(self.document.text)
        code_or_paragraph_breaks = (
            paragraph_breaks(text) if self.syntax is None else self.syntax.find_breaks_of_whole_code(self.fits, Code.name)
        )
        first_visible_offset = len(text) - len(text.lstrip())
        breaks_added_at_document_start = (
            []
            if code_or_paragraph_breaks and code_or_paragraph_breaks[0].offset == first_visible_offset
            else [CodeBreak(first_visible_offset, "", "a passage")]
        )
        return [
            *breaks_added_at_document_start,
            *(
                at
                for at in code_or_paragraph_breaks
                if document_front_matter is None or not document_front_matter.cut_separates_fence_from_fields(at.offset)
            ),
        ]

    def fits(self, start: int, end: int) -> bool:
        """Return whether the text between two offsets fits into a chunk."""
        raise_if_cancelled(self.tools.cancelled)
        # A token has a character at least.
        return end - start <= self.most or self.size(start, self.trimmed_end_offset(start, end)) <= self.most

    def cut(self) -> list[Piece]:
        """Return the chunks."""
        for parts_group_index, parts_kept_together in enumerate(self._parts_belonging_together()):
            if parts_group_index % _PARTS_BETWEEN_REPORTS == 0:
                self.tools.decided(parts_kept_together[0].start, len(self.document.text))
            new_chunk_reason = self._join_or_explain_why_not(parts_kept_together[0].at, parts_kept_together[-1].end)
            if new_chunk_reason is None or self._begin_chunk_if_fitting(
                parts_kept_together[0], parts_kept_together[-1].end, new_chunk_reason
            ):
                continue
            for part in parts_kept_together:
                # What leads a definition is not joined with what is in front of both.
                new_chunk_reason = (
                    new_chunk_reason if part is parts_kept_together[0] else self._join_or_explain_why_not(part.at, part.end)
                )
                if new_chunk_reason is not None and not self._begin_chunk_if_fitting(part, part.end, new_chunk_reason):
                    self._split_part(part, new_chunk_reason)
        return self.pieces

    def _parts_belonging_together(self) -> Iterator[list[_Part]]:
        """Yield the parts of the text, those that belong together in one list."""
        related_code_parts: list[_Part] = []
        for code_break, next_break in pairwise([*self.breaks, CodeBreak(len(self.document.text), "", "")]):
            if related_code_parts and not code_break.is_weak:
                yield related_code_parts
                related_code_parts = []
            related_code_parts.append(
                _Part(code_break.offset, self.trimmed_end_offset(code_break.offset, next_break.offset), code_break)
            )
        yield related_code_parts

    def _join_or_explain_why_not(self, code_break: CodeBreak, end: int) -> Reason | None:
        """Join what is behind a break with the last chunk, or return the reason why not."""
        if not self.pieces:
            return Reason(remark="")
        if code_break.long_neighbour:
            return Reason(
                remark=(
                    f"{code_break.between}; the {code_break.long_neighbour} is longer than {pluralize(self.most, 'token')}"
                )
            )
        last_chunk_piece = self.pieces[-1]
        joined_size = self.size(last_chunk_piece.start, end) + self.count_context_tokens(last_chunk_piece.context)
        if joined_size > self.most:
            return Reason(remark=f"{code_break.between}; together {joined_size:,} > {pluralize(self.most, 'token')}")
        self.join_reasons[code_break.offset] = Reason(
            remark=f"{code_break.between}, joined: together {joined_size:,} ≤ {pluralize(self.most, 'token')}"
        )
        self.pieces[-1] = last_chunk_piece._replace(end=end)
        return None

    def _begin_chunk_if_fitting(self, part: _Part, end: int, cut_reason: Reason) -> bool:
        """Begin a chunk with a part, up to ``end``; return False if this is too long."""
        part_token_count = self.size(part.start, end)
        if part_token_count > self.most:
            return False
        context, context_token_count = self._enclosing_names_and_token_count(part.at.path)
        # Rather without the names than cut.
        self.pieces.append(
            Piece(part.start, end, cut_reason, context if part_token_count + context_token_count <= self.most else "")
        )
        return True

    def _split_part(self, part: _Part, cut_reason_before_piece: Reason) -> None:
        """Cut a part that is too long between lines, and lines that are too long inside."""
        part_line_starts = self._line_starts_outside_fitting_definitions(part)
        context, context_token_count = self._enclosing_names_and_token_count(part.at.path)
        repeated_context, line_token_limit = self._enclosing_names_and_token_count(part.at.inside)
        line_token_limit = max(1, self.most - max(context_token_count, line_token_limit))
        token_size_function = text_size_function("tokens", self.tools)
        name_phrase = f" of {part.at.path[-1]}" if part.at.path else ""
        part_is_longer_phrase = f"{part.at.after}{name_phrase} is longer than {pluralize(self.most, 'token')}"
        pending_lines_span: tuple[int, int] | None = None

        def append_piece(start: int, end: int, cut_place_phrase: str) -> None:
            nonlocal cut_reason_before_piece, context
            # Rather without the names than cut.
            has_room_for_context = self.size(start, end) + self.count_context_tokens(context) <= self.most
            self.pieces.append(Piece(start, end, cut_reason_before_piece, context if has_room_for_context else ""))
            cut_reason_before_piece, context = (
                Reason(remark=f"{part_is_longer_phrase}: cut {cut_place_phrase}"),
                repeated_context,
            )

        for line_start, next_line_start in pairwise([*part_line_starts, part.end]):
            line_end = self.trimmed_end_offset(line_start, next_line_start)
            if pending_lines_span and self.size(pending_lines_span[0], line_end) <= line_token_limit:
                pending_lines_span = pending_lines_span[0], line_end
                continue
            if pending_lines_span:
                is_at_line_start = (
                    line_start
                    in self.visible_line_starts[
                        bisect_left(self.visible_line_starts, line_start) : bisect_right(
                            self.visible_line_starts, line_start
                        )
                    ]
                )
                append_piece(*pending_lines_span, "between lines" if is_at_line_start else "beside a function")
            pending_lines_span = line_start, line_end
            if self.size(line_start, line_end) > self.most:
                *spans_before_last, final_span_of_line = split_text_into_fitting_spans(
                    self.document.text, line_token_limit, token_size_function, Span(line_start, line_end)
                )
                for span in spans_before_last:
                    append_piece(*span, "inside a line")
                pending_lines_span = final_span_of_line
        if pending_lines_span:
            append_piece(*pending_lines_span, "between lines")

    def _line_starts_outside_fitting_definitions(self, part: _Part) -> list[int]:
        """Return the starts of the lines of a part, without lines inside a function or class that fits."""
        document_front_matter = find_front_matter_offsets(self.document.text)
        line_offsets_inside_part = self.visible_line_starts[
            bisect_right(self.visible_line_starts, part.start) : bisect_left(self.visible_line_starts, part.end)
        ]
        all_line_starts_of_part = [
            part.start,
            *(
                line_start
                for line_start in line_offsets_inside_part
                if document_front_matter is None or not document_front_matter.cut_separates_fence_from_fields(line_start)
            ),
        ]
        all_definition_spans = self.syntax.definition_spans if self.syntax else []
        possible_cut_offsets: list[int] = []
        for definition_start, definition_end in all_definition_spans[
            bisect_left(all_definition_spans, (part.start, 0)) : bisect_left(all_definition_spans, (part.end, 0))
        ]:
            reached_offset = possible_cut_offsets[-1] if possible_cut_offsets else part.start
            if (
                definition_start >= reached_offset
                and definition_end <= part.end
                and self.fits(definition_start, definition_end)
            ):
                definition_line_start = max(
                    reached_offset, all_line_starts_of_part[bisect_right(all_line_starts_of_part, definition_start) - 1]
                )
                cut_offset_before_definition = (
                    definition_line_start if self.fits(definition_line_start, definition_end) else definition_start
                )
                possible_cut_offsets += [
                    *all_line_starts_of_part[
                        bisect_left(all_line_starts_of_part, reached_offset) : bisect_right(
                            all_line_starts_of_part, cut_offset_before_definition
                        )
                    ],
                    cut_offset_before_definition,
                    self._next_visible_offset(definition_end),
                ]
        possible_cut_offsets += all_line_starts_of_part[
            bisect_left(all_line_starts_of_part, possible_cut_offsets[-1] if possible_cut_offsets else part.start) :
        ]
        return [start for start in dict.fromkeys(possible_cut_offsets) if start < part.end]

    def _enclosing_names_and_token_count(self, enclosing_labels: Sequence[str]) -> tuple[str, int]:
        """Return the names around a place, and their tokens; none if they would take more than half of a chunk."""
        return self.context_with_tokens_if_fitting(" > ".join(enclosing_labels))

    def _next_visible_offset(self, start: int) -> int:
        """Return the first place from an offset on that is no white space."""
        while start < len(self.document.text) and self.document.text[start].isspace():
            start += 1
        return start

    def uncut_reason(self, place_offset: int) -> Reason:
        """Return the reason why the text is not cut at an offset."""
        code_break = self.breaks[max(0, bisect_right(self.breaks, place_offset, key=lambda at: at.offset) - 1)]
        inside_phrase = f"inside {code_break.after}{f' of {code_break.path[-1]}' if code_break.path else ''}"
        return self.join_reasons.get(place_offset) or Reason(remark=inside_phrase)


@cache
def _installed_versions(packages: Sequence[str]) -> list[tuple[str, str]]:
    """Return the versions of installed packages; every run asks for them, and reading the metadata takes milliseconds."""
    installed_package_names = [package for package in packages if find_spec(package.replace("-", "_")) is not None]
    return [(package, metadata.version(package)) for package in installed_package_names]
