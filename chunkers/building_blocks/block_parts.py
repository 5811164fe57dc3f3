"""Parts of a block that is too long for one chunk: a list between items, a table between rows, code between lines."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from chunkers.building_blocks.gaps_and_pieces import Piece
from chunkers.building_blocks.recursive_splitting import text_size_function
from chunkers.building_blocks.size_limits import TokenSizes, split_text_into_fitting_spans
from chunkers.contract import Chunker, Tools
from chunkers.results import Reason, combine_reasons
from chunkers.text import Block, Document, Outline, Span, parse_block_outline
from chunkers.text.front_matter import find_front_matter_offsets

_LINE_WITHOUT_NEWLINE_PATTERN = re.compile(r"[^\r\n]+")
_WORD_CHARACTER_PATTERN = re.compile(r"\w")
_NONSPACE_RUN_PATTERN = re.compile(r"\S+")
_DASH_RUN_OR_SPACES_PATTERN = re.compile(r"-{4,}|[ \t]+")


PART_KINDS_WITH_OWN_OUTLINE = frozenset({"slide", "cell"})
"""The parts of a file that stay whole where they fit, whatever blocks are in them."""


def find_blocks_by_selector(document: Document, block_selector: Callable[[Outline], Sequence[Block]]) -> tuple[Block, ...]:
    """Return the selected blocks of a document's outline, in which each slide and cell has its own."""
    pages_or_similar_parts = document.parts
    if pages_or_similar_parts is None or pages_or_similar_parts.kind not in PART_KINDS_WITH_OWN_OUTLINE:
        return tuple(block_selector(parse_block_outline(document.text)))
    return tuple(
        Block(kind, Span(start + span.start, start + span.end), level)
        for start, end in pairwise([*pages_or_similar_parts.starts, len(document.text)])
        for kind, span, level in block_selector(parse_block_outline(document.text[start:end]))
    )


class BlockSplitter:
    """Splitter for blocks that are too long for a single chunk.

    Parameters
    ----------
    document
        The document.
    inner_chunker_factory
        Function from a maximum number of tokens to the chunker that cuts prose; None to cut between sentences, and between
        words in a sentence that is too long.
    max_tokens
        Maximum number of tokens in a chunk.
    tools
        Services for counting tokens, and for embedding if the inner chunker needs embeddings.

    Attributes
    ----------
    uncut_reasons
        The inner chunker's reasons for the places where it did not cut.
    """

    def __init__(
        self, document: Document, inner_chunker_factory: Callable[[int], Chunker] | None, max_tokens: int, tools: Tools
    ) -> None:
        # By blocks: a text whose blocks all fit is never split into sentences.
        selected_outline_blocks = find_blocks_by_selector(document, lambda outline: outline.blocks)
        self._slice_token_counter = TokenSizes(document.text, [block.span.start for block in selected_outline_blocks], tools)
        self.uncut_reasons: dict[int, Reason] = {}
        self._token_counter = text_size_function("tokens", tools)
        self._document = document
        self._inner_chunker_factory = inner_chunker_factory
        self._max_tokens = max_tokens
        self._tools = tools
        self._nested_blocks = find_blocks_by_selector(document, lambda outline: outline.nested_blocks)
        self._rule_savings = self._compute_delimiter_row_token_savings()

    def count_tokens_between(self, start: int, end: int) -> int:
        """Return the number of tokens between two offsets in code points, neither of which may be at white space.

        If a table's header is too long for a chunk, its delimiter row is counted in a shortened form, with three dashes
        per cell.
        """
        return self._slice_token_counter(start, end) - self._sum_delimiter_row_savings_between(start, end)

    def notes_on_long_delimiter_rows(self) -> list[str]:
        """Return a note if long table delimiter rows were counted in a shortened form; otherwise an empty list."""
        delimiter_row_count = len(self._rule_savings)
        delimiter_rows_phrase = (
            "The delimiter row of a table is"
            if delimiter_row_count == 1
            else f"The delimiter rows of {delimiter_row_count:,} tables are"
        )
        return [
            f"{delimiter_rows_phrase} longer than a chunk may be: it stays whole, and counts with three dashes a cell."
        ] * bool(delimiter_row_count)

    def split(self, block: Block, first_part_limit: int, later_part_limit: int) -> list[Piece] | None:
        """Split a block into parts of at most ``later_part_limit`` tokens, the first of at most ``first_part_limit``.

        Return None if this would cut an item, a line or a table header that fits into a chunk by itself.
        """
        block_span, lower_of_token_limits = block.span, min(first_part_limit, later_part_limit)
        if block.kind == "table":
            return self._split_table(block_span, first_part_limit, later_part_limit)
        if block.kind == "list":
            block_pieces_to_pack = [*self._split_items(self._inner_block_numbers(block_span), lower_of_token_limits)]
        elif block.kind in ("code block", "HTML", "front matter", "link definitions"):
            block_pieces_to_pack = [*self._split_code(block_span, f"{block.kind} cut between lines", lower_of_token_limits)]
        elif block.kind == "quotation" and (inner_block_numbers := [*self._inner_block_numbers(block_span)]):
            block_pieces_to_pack = [
                *self._split_around_inner_blocks(block_span, inner_block_numbers, block.kind, lower_of_token_limits)
            ]
        else:
            return self._split_prose(block_span, block.kind, lower_of_token_limits)
        return (
            self._join_fitting_neighbours(block_pieces_to_pack, first_part_limit, later_part_limit)
            if self._every_piece_fits_its_limit(block_pieces_to_pack, first_part_limit, later_part_limit)
            else None
        )

    def _every_piece_fits_its_limit(
        self, pieces_to_join: Sequence[Piece], first_part_limit: int, later_part_limit: int
    ) -> bool:
        """Return whether every unit that fits into a chunk also fits into the rest of one."""
        if min(first_part_limit, later_part_limit) >= self._max_tokens:
            return True
        unit_token_counts = [self.count_tokens_between(unit.start, unit.end) for unit in pieces_to_join]
        return unit_token_counts[0] <= first_part_limit and max(unit_token_counts) <= later_part_limit

    def _split_table(self, span: Span, first_part_limit: int, later_part_limit: int) -> list[Piece] | None:
        header_row_span, delimiter_row_span, *body_rows = self._nonblank_lines(*span)
        document_text, cut_remark = self._document.text, "table cut between rows"
        # Some readers give a table without a header an empty one: then its first row tells what the columns are.
        last_header_line_span = (
            body_rows.pop(0)
            if body_rows and not _WORD_CHARACTER_PATTERN.search(document_text, *header_row_span)
            else delimiter_row_span
        )
        header_span = Span(header_row_span.start, last_header_line_span.end)
        header_with_short_delimiter_row = (
            document_text[header_row_span.start : delimiter_row_span.start]
            + _shortened_delimiter_row(document_text[slice(*delimiter_row_span)])
            + document_text[delimiter_row_span.end : header_span.end]
        )
        repeated_header_token_count = self._tools.count_tokens([header_with_short_delimiter_row])[0]
        if repeated_header_token_count >= later_part_limit:
            header_with_short_delimiter_row, repeated_header_token_count = "", 0
        if body_rows and self.count_tokens_between(header_span.start, body_rows[0].end) <= min(
            first_part_limit, later_part_limit
        ):
            row_run_pieces = [Piece(header_span.start, body_rows.pop(0).end, self._cut_reason(cut_remark))]
        else:
            row_run_pieces = self._split_table_header_into_parts(
                header_span, delimiter_row_span, min(first_part_limit, later_part_limit)
            )
            if not self._every_piece_fits_its_limit(row_run_pieces, first_part_limit, later_part_limit):
                return None
        # Runs of rows that have the header beside them, and of rows that fit without it alone.
        row_runs_with_repetition_flags = [(True, row_run_pieces)]
        for row in body_rows:
            row_token_count = self.count_tokens_between(*row)
            # The header is repeated beside a row if both fit, or if the row must be cut anyway.
            repeats_header = (
                not repeated_header_token_count
                or row_token_count + repeated_header_token_count <= later_part_limit
                or (row_token_count > later_part_limit and repeated_header_token_count <= self._max_tokens // 2)
            )
            if repeats_header != row_runs_with_repetition_flags[-1][0]:
                row_runs_with_repetition_flags.append((repeats_header, []))
            row_runs_with_repetition_flags[-1][1].extend(
                self._split_lines([row], cut_remark, "row", later_part_limit - repeated_header_token_count * repeats_header)
            )
        parts: list[Piece] = []
        for repeats_header, row_run_pieces in row_runs_with_repetition_flags:
            token_limit_beside_header = later_part_limit - repeated_header_token_count * repeats_header
            packed_run_parts = self._join_fitting_neighbours(
                row_run_pieces, token_limit_beside_header if parts else first_part_limit, token_limit_beside_header
            )
            parts += [
                _part_with_header_context(part, header_with_short_delimiter_row, repeats_header)
                if repeated_header_token_count and part.start >= header_span.end
                else part
                for part in packed_run_parts
            ]
        return parts

    def _split_table_header_into_parts(self, header_span: Span, delimiter_row_span: Span, max_tokens: int) -> list[Piece]:
        """Return the parts of a table's header: one that fits into a chunk is whole, and so is the delimiter row."""
        document_text, cut_remark = self._document.text, "table cut between rows"
        if self.count_tokens_between(*header_span) <= self._max_tokens:
            return [Piece(*header_span, self._cut_reason(cut_remark))]
        shortened_delimiter_token_count = self._tools.count_tokens(
            [_shortened_delimiter_row(document_text[slice(*delimiter_row_span)])]
        )[0]
        nonblank_header_lines = self._nonblank_lines(*header_span)
        if shortened_delimiter_token_count > max_tokens or all(
            self.count_tokens_between(*line) <= max_tokens for line in nonblank_header_lines
        ):
            return [*self._split_lines(nonblank_header_lines, cut_remark, "row", max_tokens)]
        header_row_span = Span(header_span.start, delimiter_row_span.start).trimmed(document_text)
        header_row_pieces = [
            *self._split_words(
                header_row_span, "row cut between words", max(1, max_tokens - shortened_delimiter_token_count)
            )
        ]
        if self.count_tokens_between(header_row_pieces[-1].start, delimiter_row_span.end) <= max_tokens:
            header_row_pieces[-1] = header_row_pieces[-1]._replace(end=delimiter_row_span.end)
        else:
            header_row_pieces.append(Piece(*delimiter_row_span, self._cut_reason(cut_remark)))
        return [
            *header_row_pieces,
            *self._split_lines(self._nonblank_lines(delimiter_row_span.end, header_span.end), cut_remark, "row", max_tokens),
        ]

    def _compute_delimiter_row_token_savings(self) -> list[tuple[int, int]]:
        """Return the start of each delimiter row too long with its header, and the number of tokens it is shortened by."""
        document_text, delimiter_row_start_saving_pairs = self._document.text, []
        for block in find_blocks_by_selector(self._document, lambda outline: outline.whole_blocks):
            # A token has a character at least.
            if block.kind != "table" or block.span.end - block.span.start <= self._max_tokens:
                continue
            header_row_span, delimiter_row_span, *_ = self._nonblank_lines(*block.span)
            if (
                delimiter_row_span.end - header_row_span.start
                > self._max_tokens
                < self._slice_token_counter(header_row_span.start, delimiter_row_span.end)
            ):
                shortened_delimiter_token_count = self._tools.count_tokens(
                    [_shortened_delimiter_row(document_text[slice(*delimiter_row_span)])]
                )[0]
                if shortened_delimiter_token_count <= min(
                    self._max_tokens, self._slice_token_counter(*delimiter_row_span) - 1
                ):
                    delimiter_row_start_saving_pairs.append(
                        (
                            delimiter_row_span.start,
                            self._slice_token_counter(*delimiter_row_span) - shortened_delimiter_token_count,
                        )
                    )
        return delimiter_row_start_saving_pairs

    def _sum_delimiter_row_savings_between(self, start_offset: int, end_offset: int) -> int:
        """Return by how many tokens the delimiter rows are shortened that begin between two code points."""
        first_shortened_row_index, shortened_rows_end_index = (
            bisect_left(self._rule_savings, (place, 0)) for place in (start_offset, end_offset)
        )
        return sum(saved for _, saved in self._rule_savings[first_shortened_row_index:shortened_rows_end_index])

    def _join_code_fences(self, code_line_spans: list[Span], max_tokens: int) -> list[Span]:
        """Return the lines of code, each fence joined with the line next to it if they fit, so that none stands alone."""
        text = self._document.text
        if not text.startswith(("```", "~~~"), code_line_spans[0].start) or len(code_line_spans) < 3:
            return code_line_spans
        for first_joined_line_index in (len(code_line_spans) - 2, 0):
            fence_and_neighbour_line_span = Span(
                code_line_spans[first_joined_line_index].start, code_line_spans[first_joined_line_index + 1].end
            )
            if self.count_tokens_between(*fence_and_neighbour_line_span) <= max_tokens:
                code_line_spans[first_joined_line_index : first_joined_line_index + 2] = [fence_and_neighbour_line_span]
        return code_line_spans

    def _join_front_matter_fences(self, lines_or_words: list[Span]) -> list[Span]:
        """Return lines or words, the fences of front matter joined with those beside them, whether they fit or not."""
        document_front_matter = find_front_matter_offsets(self._document.text)
        if (
            not document_front_matter
            or not lines_or_words
            or lines_or_words[0].start >= document_front_matter.closing_fence_end
        ):
            return lines_or_words
        joined_unit_starts = [
            lines_or_words[0].start,
            *(
                unit.start
                for unit in lines_or_words[1:]
                if not document_front_matter.cut_separates_fence_from_fields(unit.start)
            ),
        ]
        joined_unit_ends = [
            unit.end
            for unit, following in pairwise(lines_or_words)
            if not document_front_matter.cut_separates_fence_from_fields(following.start)
        ]
        return [Span(*edges) for edges in zip(joined_unit_starts, [*joined_unit_ends, lines_or_words[-1].end], strict=True)]

    def _inner_block_numbers(self, span: Span, candidate_block_number: int | None = None) -> Iterator[int]:
        """Yield the numbers of the nested blocks directly inside a span: of the outermost block there, or the one before."""
        if candidate_block_number is None:
            candidate_block_number = bisect_left(self._nested_blocks, span.start, key=lambda block: block.span.start)
        covered_end_offset = span.start
        while (
            candidate_block_number < len(self._nested_blocks)
            and self._nested_blocks[candidate_block_number].span.start < span.end
        ):
            if self._nested_blocks[candidate_block_number].span.start >= covered_end_offset:
                yield candidate_block_number
                covered_end_offset = self._nested_blocks[candidate_block_number].span.end
            candidate_block_number += 1

    def _split_items(self, list_item_numbers: Iterable[int], max_tokens: int) -> Iterator[Piece]:
        """Cut between items; one that is too long, between the blocks and lines inside it."""
        item_cut_reason = self._cut_reason("list cut between items")
        for item_block_number in list_item_numbers:
            list_item_span = self._nested_blocks[item_block_number].span
            inner_block_numbers = [*self._inner_block_numbers(list_item_span, item_block_number + 1)]
            if self.count_tokens_between(*list_item_span) <= self._max_tokens:
                yield Piece(*list_item_span, item_cut_reason)
            elif inner_block_numbers or len(self._nonblank_lines(*list_item_span)) > 1:
                yield from _replace_reason_of_first_part(
                    item_cut_reason, self._split_around_inner_blocks(list_item_span, inner_block_numbers, "item", max_tokens)
                )
            else:
                yield from _replace_reason_of_first_part(
                    item_cut_reason, self._split_prose(list_item_span, "item of the list", max_tokens)
                )

    def _split_around_inner_blocks(
        self, span: Span, inner_block_numbers: Sequence[int], outer_block_kind: str, max_tokens: int
    ) -> Iterator[Piece]:
        """Cut an item or a quotation around the blocks inside it, which are whole where they fit."""
        outer_block_cut_remark = (
            "item of the list cut between lines"
            if outer_block_kind == "item"
            else f"{outer_block_kind} cut between its blocks"
        )
        covered_end_offset = span.start
        for inner_block_number in (*inner_block_numbers, None):
            inner_block = None if inner_block_number is None else self._nested_blocks[inner_block_number]
            line_spans_before_inner_block = self._nonblank_lines(
                covered_end_offset, inner_block.span.start if inner_block else span.end
            )
            if line_spans_before_inner_block and outer_block_kind == "item":
                yield from self._split_lines(line_spans_before_inner_block, outer_block_cut_remark, "line", max_tokens)
            elif line_spans_before_inner_block:
                yield from _replace_reason_of_first_part(
                    self._cut_reason(outer_block_cut_remark),
                    self._split_prose(
                        Span(line_spans_before_inner_block[0].start, line_spans_before_inner_block[-1].end),
                        outer_block_kind,
                        max_tokens,
                    ),
                )
            if inner_block is None or inner_block_number is None:
                return
            covered_end_offset = inner_block.span.end
            # A list in an item goes on with it.
            if (outer_block_kind != "item" or inner_block.kind != "list") and self.count_tokens_between(
                *inner_block.span
            ) <= self._max_tokens:
                yield Piece(*inner_block.span, self._cut_reason(outer_block_cut_remark))
            elif inner_block.kind == "list":
                yield from self._split_items(self._inner_block_numbers(inner_block.span, inner_block_number + 1), max_tokens)
            elif inner_block.kind == "table":
                yield from self._split_table(inner_block.span, max_tokens, max_tokens) or self._split_lines(
                    self._nonblank_lines(*inner_block.span), outer_block_cut_remark, "row", max_tokens
                )
            else:
                yield from self._split_code(inner_block.span, outer_block_cut_remark, max_tokens)

    def _split_code(self, span: Span, cut_remark: str, max_tokens: int) -> Iterator[Piece]:
        fence_joined_code_lines = self._join_front_matter_fences(
            self._join_code_fences(self._nonblank_lines(*span), self._max_tokens)
        )
        return self._split_lines(fence_joined_code_lines, cut_remark, "line", max_tokens)

    def _split_lines(self, line_spans: Iterable[Span], cut_remark: str, unit_noun: str, max_tokens: int) -> Iterator[Piece]:
        line_cut_reason = self._cut_reason(cut_remark)
        for line_start, line_end in line_spans:
            if self.count_tokens_between(line_start, line_end) <= max_tokens:
                yield Piece(line_start, line_end, line_cut_reason)
            else:
                yield from _replace_reason_of_first_part(
                    line_cut_reason,
                    self._split_words(Span(line_start, line_end), f"{unit_noun} cut between words", max_tokens),
                )

    def _split_prose(self, span: Span, block_noun: str, max_tokens: int) -> list[Piece]:
        if self._inner_chunker_factory is None:
            return self._split_sentences(span, block_noun, max_tokens)
        inner_document, inner_chunker = self._document_of_span(span), self._inner_chunker_factory(max_tokens)
        chunking = inner_chunker.chunk(inner_document, self._tools)
        block_cut_reason = self._cut_reason(
            f"{block_noun} of {self.count_tokens_between(*span):,} tokens cut by {inner_chunker.name}"
        )
        cut_reason_by_start = {}
        for gap in chunking.gaps:
            first_reason_step, *further_reason_steps = gap.why.steps()
            # The number of the sentence is that in the block.
            inner_chunker_gap_reason = combine_reasons(
                first_reason_step._replace(heading="") if gap.offset is not None else first_reason_step,
                *further_reason_steps,
            )
            inner_gap_document_offset = span.start + gap.start_after(inner_document)
            if gap.verdict.is_cut:
                cut_reason_by_start[inner_gap_document_offset] = combine_reasons(block_cut_reason, inner_chunker_gap_reason)
            else:
                self.uncut_reasons[inner_gap_document_offset] = combine_reasons(
                    Reason(remark=f"not cut by {inner_chunker.name}"), inner_chunker_gap_reason
                )
        parts: list[Piece] = []
        for inner_chunk in chunking.chunks:
            chunk_start, chunk_end = span.start + inner_chunk.start, span.start + inner_chunk.end
            is_within_limit = self.count_tokens_between(chunk_start, chunk_end) <= max_tokens
            chunk_parts = (
                [Piece(chunk_start, chunk_end, block_cut_reason)]
                if is_within_limit
                else self._split_sentences(Span(chunk_start, chunk_end), block_noun, max_tokens)
            )
            parts += _replace_reason_of_first_part(cut_reason_by_start.get(chunk_start, block_cut_reason), chunk_parts)
        return parts

    def _split_sentences(self, span: Span, block_noun: str, max_tokens: int) -> list[Piece]:
        """Cut between sentences, and one that is too long between its words."""
        cut_remark = f"{block_noun} cut between sentences"
        return self._join_fitting_neighbours(
            [*self._split_lines(self._sentence_parts_in(span), cut_remark, "sentence", max_tokens)], max_tokens, max_tokens
        )

    def _split_words(self, span: Span, cut_remark: str, max_tokens: int) -> list[Piece]:
        """Cut between words, and one that is too long as the recursive chunker does."""
        word_cut_reason, text = self._cut_reason(cut_remark), self._document.text
        words_as_pieces = [
            Piece(*word, word_cut_reason)
            for word in self._join_front_matter_fences(
                [Span(*match.span()) for match in _NONSPACE_RUN_PATTERN.finditer(text, *span)]
            )
        ]
        word_token_counts = self._tools.count_tokens([text[word.start : word.end] for word in words_as_pieces])
        pieces_to_pack: list[Piece] = []
        for word_as_piece, word_token_count in zip(words_as_pieces, word_token_counts, strict=True):
            if word_token_count <= max_tokens:
                pieces_to_pack.append(word_as_piece)
                continue
            word_part_spans = split_text_into_fitting_spans(
                text, max_tokens, self._token_counter, Span(word_as_piece.start, word_as_piece.end)
            )
            pieces_to_pack += [Piece(start, end, word_cut_reason) for start, end in word_part_spans]
        return self._join_fitting_neighbours(pieces_to_pack, max_tokens, max_tokens)

    def _join_fitting_neighbours(
        self, pieces_to_join: Sequence[Piece], first_part_limit: int, later_part_limit: int
    ) -> list[Piece]:
        """Join neighbours, from the first on, as many as fit."""
        document_text = self._document.text
        next_unit_starts = [*(unit.start for unit in pieces_to_join[1:]), pieces_to_join[-1].end]
        unit_token_counts = self._tools.count_tokens(
            [document_text[unit.start : end] for unit, end in zip(pieces_to_join, next_unit_starts, strict=True)]
        )
        if self._rule_savings:
            unit_token_counts = [
                size - self._sum_delimiter_row_savings_between(unit.start, unit.end)
                for size, unit in zip(unit_token_counts, pieces_to_join, strict=True)
            ]
        parts: list[Piece] = []
        first_unit_index = 0
        while first_unit_index < len(pieces_to_join):
            part_token_limit = later_part_limit if parts else first_part_limit
            part_token_count, part_end_index = unit_token_counts[first_unit_index], first_unit_index + 1
            while (
                part_end_index < len(pieces_to_join)
                and part_token_count + unit_token_counts[part_end_index] <= part_token_limit
            ):
                part_token_count += unit_token_counts[part_end_index]
                part_end_index += 1
            # Joined, they may have more tokens than they have apart.
            while (
                part_end_index - first_unit_index > 1
                and self.count_tokens_between(pieces_to_join[first_unit_index].start, pieces_to_join[part_end_index - 1].end)
                > part_token_limit
            ):
                part_end_index -= 1
            parts.append(pieces_to_join[first_unit_index]._replace(end=pieces_to_join[part_end_index - 1].end))
            first_unit_index = part_end_index
        return parts

    def _cut_reason(self, cut_remark: str) -> Reason:
        return Reason(remark=f"{cut_remark}: {self._max_tokens:,} tokens at most")

    def _nonblank_lines(self, start: int, end: int) -> list[Span]:
        """Return the lines that are not blank, without white space at their ends."""
        text = self._document.text
        trimmed_line_spans = [
            Span(*match.span()).trimmed(text) for match in _LINE_WITHOUT_NEWLINE_PATTERN.finditer(text, start, end)
        ]
        return [line for line in trimmed_line_spans if line.start < line.end]

    def _sentence_parts_in(self, span: Span) -> list[Span]:
        """Return the parts of sentences that are inside a span."""
        document = self._document
        first_sentence_index, last_sentence_index = (
            document.sentence_at(span.start),
            document.sentence_at(span.end - 1),
        )
        clipped_sentence_spans = [
            Span(max(sentence.start, span.start), min(sentence.end, span.end))
            for sentence in document.sentences[first_sentence_index : last_sentence_index + 1]
        ]
        return [part.trimmed(document.text) for part in clipped_sentence_spans if part.start < part.end]

    def _document_of_span(self, span: Span) -> Document:
        sentence_spans = tuple([Span(start - span.start, end - span.start) for start, end in self._sentence_parts_in(span)])
        return Document(self._document.text[slice(*span)], sentence_spans, self._document.name)


def _shortened_delimiter_row(delimiter_row: str) -> str:
    """Return a table's delimiter row as it is if no cell has more than three dashes, else with three and no white space."""
    if "----" not in delimiter_row:
        return delimiter_row
    return _DASH_RUN_OR_SPACES_PATTERN.sub(lambda match: "---" if match[0].startswith("-") else "", delimiter_row)


def _part_with_header_context(table_part: Piece, table_header: str, has_repeated_header: bool) -> Piece:
    (part_cut_reason,) = table_part.why.steps()
    context_phrase = "the header is its context" if has_repeated_header else "the header does not fit beside it"
    return table_part._replace(
        why=part_cut_reason._replace(remark=f"{part_cut_reason.remark}; {context_phrase}"),
        context=table_header if has_repeated_header else "",
    )


def _replace_reason_of_first_part(
    first_part_reason: Reason, block_parts: Sequence[Piece] | Iterator[Piece]
) -> Iterator[Piece]:
    """Yield the parts of a block, the first with ``first_part_reason``."""
    for part_index, block_part in enumerate(block_parts):
        yield block_part if part_index else block_part._replace(why=first_part_reason)
