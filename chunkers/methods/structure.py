"""Structure: cut at headings and between blocks, and keep tables, lists and code whole where they fit."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise, takewhile
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from chunkers.building_blocks import (
    add_uncut_gaps,
    build_cut_gaps_only,
    refuse_excess_chunks_or_characters,
    refuse_size_yielding_excess_chunks,
)
from chunkers.building_blocks.block_parts import PART_KINDS_WITH_OWN_OUTLINE, BlockSplitter, find_blocks_by_selector
from chunkers.contract import Chunker, Tools
from chunkers.methods.breakpoint import Breakpoint
from chunkers.methods.change_point import ChangePoint
from chunkers.methods.optimal import Optimal
from chunkers.results import Chunk, Chunking, Gap, LazyTuple, Reason, Verdict, combine_reasons
from chunkers.text import BLOCK_KINDS_KEPT_WHOLE, Block, Document, Span, check_markdown_mark_count

LEADING_SIZE_DIVISOR, TRAILING_SIZE_DIVISOR = 2, 4
"""Divisors of the maximum size: headings and an introduction before a block that is too long may take a half of it, headings
after the block a quarter. Longer ones are cut off like any text."""

_OPTIMAL_PIECE_TOKENS, _LEAST_OPTIMAL_PIECES = 50, 5
"""Tokens of a piece of `optimal`, as at its defaults, and how many a chunk must be able to hold: of one or two, there is no
choice."""

_BLOCK_KINDS_WITHOUT_ARTICLE = ("HTML", "front matter", "link definitions")

_GROUPS_BETWEEN_PROGRESS_REPORTS = 64
"""Groups of blocks between two reports."""


class _EmbedsByInner:
    """Descriptor for ``embeds``: true if the inner chunker embeds; on the class, the value for its defaults."""

    def __get__(self, chunker: "Structure | None", chunker_class: type) -> bool:
        return chunker is not None and chunker.inner != "recursive"


class Structure(Chunker):
    """Chunker that cuts at headings, joins small blocks under the same heading, and cuts blocks that are too long.

    The blocks are Markdown blocks, which the readers of other files produce too. A heading stays with the text that
    follows, and a list with the sentence that introduces it. A table that is too long is cut between rows, with its header
    as the context of each further chunk; a list between items, code between lines, and prose by the inner chunker. Slides
    and cells of notebooks stay whole where they fit; the title of a longer slide is context too. None of the sources
    describes this chunker; Docling's HybridChunker and LangChain's MarkdownHeaderTextSplitter also follow the structure.
    """

    name: ClassVar[str] = "structure"
    title: ClassVar[str] = "Structure"
    idea: ClassVar[str] = "Cuts at headings and between blocks; tables, lists and code stay whole where they fit."
    source: ClassVar[str] = "Seamark; Docling's HybridChunker and LangChain's MarkdownHeaderTextSplitter do alike"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\text{cut before a heading;} \\ &\text{under one, join neighbours} \\ "
        r"&\text{while } |a| + |b| \le s \text{ and} \\ &\min(|a|, |b|) < m \text{;} \\ "
        r"&\text{cut a block only if } |b| > s \end{aligned}"
    )
    symbols: ClassVar[str] = r"$|a|, |b|$ tokens of blocks with what belongs to them; $s$ maximum size; $m$ join below"
    failure: ClassVar[str] = (
        "Sees only what is marked: a text without headings is cut by the lengths of its paragraphs, and a line that looks "
        "like a heading is one."
    )
    reads_blocks: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("markdown-it-py",)
    # Without the settings it is a bool all the same.
    embeds: ClassVar[Any] = _EmbedsByInner()

    max_size: int = Field(
        250,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="The most that a chunk may hold; only a formula and a table's delimiter row may be longer.",
        json_schema_extra={"unit": "tokens", "step": 10, "offered": [50, 2000], "main": True},
    )
    join_below: int = Field(
        100,
        ge=1,
        le=1_000_000,
        title="Minimum block size",
        description="What is smaller is joined with its neighbour under the same heading, if both fit into one chunk.",
        json_schema_extra={"unit": "tokens", "step": 10, "offered": [10, 1000], "main": True},
    )
    inner: Literal["recursive", "breakpoint", "change_point", "optimal"] = Field(
        "recursive",
        title="Inner chunker",
        description="What cuts a paragraph that is too long: recursive between sentences, the others by their embeddings.",
        json_schema_extra={"main": True},
    )
    heading_levels: int = Field(
        6,
        ge=1,
        le=6,
        title="Heading levels",
        description="Headings down to this level begin a chunk; deeper ones stay with what follows.",
        json_schema_extra={"step": 1},
    )

    def describe(self) -> str:
        """Return the chunker's settings as a short phrase, omitting default block joining and the default inner chunker."""
        token_noun = "token" if self.max_size == 1 else "tokens"
        setting_phrases = [f"at most {self.max_size:,} {token_noun}"]
        if self.join_below != type(self).model_fields["join_below"].default:
            setting_phrases.append(f"join below {self.join_below:,}")
        if self.inner != "recursive":
            setting_phrases.append(f"{self.inner} inside")
        return ", ".join(setting_phrases)

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document along its headings and blocks; a cut inside a sentence adds a gap to the result.

        Raises
        ------
        InputError
            If the text has too many Markdown marks, there would be too many chunks, or the inner chunker raises the
            error.
        Cancelled
            If the user asked to stop.
        """
        return (
            self._run_structure_cutter(document, tools).chunking() if document.text.strip() else Chunking(document, (), ())
        )

    def block_steps(self, document: Document, tools: Tools) -> "list[BlockStep]":
        """Return the decision on each block and each part of a block, in the order of the text; raises as `chunk` does."""
        return self._run_structure_cutter(document, tools).steps() if document.text.strip() else []

    def _run_structure_cutter(self, document: Document, tools: Tools) -> "_StructureCutter":
        refuse_size_yielding_excess_chunks(self.name, document.text, self.max_size, "tokens")
        check_markdown_mark_count(self.name, document.text)
        # As they are at their defaults, but for the size.
        inner_chunker_factory_by_name: dict[str, Callable[[int], Chunker] | None] = {
            "recursive": None,
            "breakpoint": lambda most: Breakpoint(max_size=most, size_unit="tokens"),
            # Inside a block there are no paragraphs.
            "change_point": lambda most: ChangePoint(max_size=most, size_unit="tokens", cuts_at="sentences"),
            "optimal": lambda most: Optimal(
                max_size=most, piece_size=min(_OPTIMAL_PIECE_TOKENS, most, max(2, most // _LEAST_OPTIMAL_PIECES))
            ),
        }
        block_splitter = BlockSplitter(document, inner_chunker_factory_by_name[self.inner], self.max_size, tools)
        structure_cutter = _StructureCutter(
            self, document, tools, block_splitter, find_blocks_by_selector(document, lambda outline: outline.blocks)
        )
        structure_cutter.decide_and_record_cuts()
        return structure_cutter


class BlockStep(NamedTuple):
    """The decision on a block or on a part of one.

    Attributes
    ----------
    start, end
        Its offsets in the text, in code points.
    kind
        The kind of block, such as ``list``.
    size
        Its tokens.
    cut
        True if a chunk begins with it.
    why
        The reason; None for the first block.
    together
        Tokens of the open chunk and of what is joined with it or not; None if the decision is not about sizes.
    """

    start: int
    end: int
    kind: str
    size: int
    cut: bool
    why: Reason | None
    together: int | None


class _BlockGroup(NamedTuple):
    """A block, the headings and the introduction that stay with it, and headings at the text's end."""

    lead: list[Block]
    block: Block
    tail: list[Block]

    @property
    def start_offset(self) -> int:
        return (self.lead or [self.block])[0].span.start

    @property
    def end_offset(self) -> int:
        return (self.tail or [self.block])[-1].span.end


class _SlideTitle(NamedTuple):
    """The title of a slide, as it stands in the text, its tokens and its offset."""

    words: str = ""
    tokens: int = 0
    start: int = 0


class _Piece(NamedTuple):
    """Group of blocks, or part of a long one, that is joined with its neighbours or cut off, with the reason for a cut."""

    start: int
    end: int
    name: str
    why: Reason | None = None
    context: str = ""


@dataclass
class _StructureCutter:
    """The cutting of a document: cuts with reasons, and reasons for block starts without a cut."""

    chunker: Structure
    document: Document
    tools: Tools
    splitter: BlockSplitter
    outline: Sequence[Block]
    cuts: dict[int, Reason] = field(default_factory=dict)
    uncut_reasons: dict[int, Reason] = field(default_factory=dict)
    contexts: dict[int, str] = field(default_factory=dict)
    together: dict[int, int] = field(default_factory=dict)
    long: list[tuple[str, int]] = field(default_factory=list)
    title: _SlideTitle = field(default_factory=lambda: _SlideTitle())

    def decide_and_record_cuts(self) -> None:
        """Cut the document section by section."""
        outline_blocks = self.outline
        decided_block_count = 0
        for heading_level, section_blocks in self._sections_with_heading_levels(outline_blocks):
            if section_blocks[0].span.start > outline_blocks[0].span.start:
                self.cuts[section_blocks[0].span.start] = Reason(remark=f"new heading of level {heading_level}")
            pieces: list[_Piece] = []
            self.title = self._slide_title_of(section_blocks)
            for group_number, block_group in enumerate(self._group_blocks_staying_together(section_blocks)):
                if group_number % _GROUPS_BETWEEN_PROGRESS_REPORTS == 0:
                    self.tools.decided(decided_block_count, len(outline_blocks))
                pieces += self._pieces_of_group(block_group, self.title.tokens if group_number else 0)
                decided_block_count += len(block_group.lead) + 1 + len(block_group.tail)
            self._decide_joins_of_neighbouring_pieces(
                self._add_slide_title_as_context(self._join_slide_or_cell_pieces(pieces)), section_blocks
            )
        refuse_excess_chunks_or_characters(self.chunker.name, len(self.cuts) + 1, len(self.document.text))

    def steps(self) -> list[BlockStep]:
        """Return the decision on each block, and on each part of a block that is cut."""
        block_by_start = {block.span.start: block for block in self.outline}
        step_start_offsets = sorted({*block_by_start, *self.cuts, *self.together})
        block_decision_steps = []
        current_block = self.outline[0]
        for step_start_offset, next_step_start in pairwise([*step_start_offsets, len(self.document.text)]):
            current_block = block_by_start.get(step_start_offset, current_block)
            step_end_offset = step_start_offset + len(
                self.document.text[step_start_offset : min(current_block.span.end, next_step_start)].rstrip()
            )
            cut_reason = self.cuts.get(step_start_offset)
            cut_or_uncut_reason = cut_reason or self.uncut_reasons.get(step_start_offset)
            step_token_count = self.splitter.count_tokens_between(step_start_offset, step_end_offset)
            block_decision_steps.append(
                BlockStep(
                    step_start_offset,
                    step_end_offset,
                    current_block.kind,
                    step_token_count,
                    cut_reason is not None,
                    cut_or_uncut_reason,
                    self.together.get(step_start_offset),
                )
            )
        return block_decision_steps

    def chunking(self) -> Chunking:
        """Return the result."""
        text, chunk_starts = self.document.text, sorted(self.cuts)
        trimmed_chunk_spans = [Span(*edges).trimmed(text) for edges in pairwise([0, *chunk_starts, len(text)])]
        chunks_with_contexts = tuple(
            [Chunk((span,), text[slice(*span)], self.contexts.get(span.start, "")) for span in trimmed_chunk_spans]
        )
        block_notes = [
            f"A {name} of {size:,} tokens stays whole, though a chunk may have {self.chunker.max_size:,} at most."
            for name, size in self.long
        ]
        block_notes += self.splitter.notes_on_long_delimiter_rows()
        return Chunking(
            self.document,
            chunks_with_contexts,
            LazyTuple(lambda: self._cuts_and_sentence_gaps(chunk_starts)),
            notes=tuple(block_notes),
        )

    def _sections_with_heading_levels(self, outline: Sequence[Block]) -> Iterator[tuple[int, list[Block]]]:
        """Yield the level that opens each section, 0 for none, and its blocks.

        Front matter goes with the first section, headings at the end with the last.
        """
        sections: list[tuple[int, list[Block]]] = [(0, [])]
        pending_heading_run: list[Block] = []
        for block in outline:
            if block.kind in ("heading", "front matter") and self._may_open_section(block):
                pending_heading_run.append(block)
                continue
            _add_heading_run_to_sections(sections, pending_heading_run, self.chunker.heading_levels)
            sections[-1][1].append(block)
            pending_heading_run = []
        if sections[-1][1]:
            sections[-1][1].extend(pending_heading_run)
        else:
            _add_heading_run_to_sections(sections, pending_heading_run, self.chunker.heading_levels)
        return ((level, section) for level, section in sections if section)

    @cached_property
    def _slide_or_cell_spans(self) -> list[Span]:
        """The slides or cells of the document, without white space around them; empty if it has none."""
        document_parts, text = self.document.parts, self.document.text
        if document_parts is None or document_parts.kind not in PART_KINDS_WITH_OWN_OUTLINE:
            return []
        return [Span(*edges).trimmed(text) for edges in pairwise([*document_parts.starts, len(text)])]

    def _slide_or_notebook_cell_at(self, offset: int) -> Span | None:
        """Return the span of the slide or cell that contains an offset; None if the document has none."""
        document_parts = self.document.parts
        return (
            self._slide_or_cell_spans[document_parts.part_number_at(offset)]
            if document_parts is not None and self._slide_or_cell_spans
            else None
        )

    def _may_open_section(self, block: Block) -> bool:
        """Return whether a heading may begin a section: not inside a slide or a cell that fits."""
        slide_or_cell_span = self._slide_or_notebook_cell_at(block.span.start)
        return (
            slide_or_cell_span is None
            or block.span.start == slide_or_cell_span.start
            or self.splitter.count_tokens_between(*slide_or_cell_span) > self.chunker.max_size
        )

    def _group_blocks_staying_together(self, section_blocks: Sequence[Block]) -> list[_BlockGroup]:
        """Return the blocks of a section, each grouped with the blocks that stay with it."""
        block_groups: list[_BlockGroup] = []
        lead_blocks: list[Block] = []
        for block, next_block in zip(section_blocks, [*section_blocks[1:], None], strict=True):
            if self._stays_with_next(block, next_block):
                while (
                    lead_blocks
                    and block.kind != "paragraph"
                    and not self._blocks_leave_enough_room(lead_blocks[0], block, next_block)
                ):
                    block_groups.append(_BlockGroup([], lead_blocks.pop(0), []))
                if self._blocks_leave_enough_room((lead_blocks or [block])[0], block, next_block):
                    lead_blocks.append(block)
                    continue
            if lead_blocks and self._fits_only_without_surrounding_blocks(block, lead_blocks[0].span.start, block.span.end):
                block_groups.append(_BlockGroup(lead_blocks[:-1], lead_blocks[-1], []))
                lead_blocks = []
            block_groups.append(_BlockGroup(lead_blocks, block, []))
            lead_blocks = []
        if (
            lead_blocks
            and block_groups
            and self._slide_or_notebook_cell_at(block_groups[-1].block.span.start)
            == self._slide_or_notebook_cell_at(lead_blocks[-1].span.start)
        ):
            block_groups[-1] = block_groups[-1]._replace(tail=lead_blocks)
        else:
            block_groups += [_BlockGroup([], block, []) for block in lead_blocks]
        return block_groups

    def _blocks_leave_enough_room(self, first_block: Block, last_block: Block, following_block: Block | None) -> bool:
        """Return whether the blocks from first to last leave enough of a chunk for the block that they stay with."""
        first_block_start, chunk_token_limit = first_block.span.start, self.chunker.max_size
        attached_blocks_token_limit = chunk_token_limit // (
            TRAILING_SIZE_DIVISOR if following_block is None else LEADING_SIZE_DIVISOR
        )
        if self.splitter.count_tokens_between(first_block_start, last_block.span.end) <= attached_blocks_token_limit:
            return True
        return (
            following_block is not None
            and self.splitter.count_tokens_between(first_block_start, following_block.span.end) <= chunk_token_limit
        )

    def _fits_only_without_surrounding_blocks(self, block: Block, surrounding_start: int, surrounding_end: int) -> bool:
        """Return whether a block that should stay whole fits into a chunk, but not together with all up to the ends."""
        if block.kind not in BLOCK_KINDS_KEPT_WHOLE:
            return False
        return (
            self.splitter.count_tokens_between(*block.span)
            <= self.chunker.max_size
            < self.splitter.count_tokens_between(surrounding_start, surrounding_end)
        )

    def _stays_with_next(self, block: Block, following: Block | None) -> bool:
        """Return whether a block stays with the following one."""
        slide_or_cell_span = self._slide_or_notebook_cell_at(block.span.start)
        if (
            slide_or_cell_span
            and following
            and slide_or_cell_span.start < block.span.start
            and slide_or_cell_span.end <= following.span.start
        ):
            # The end of a slide or a cell stays with its own beginning, not with the next one.
            return False
        if block.kind != "paragraph" or following is None or following.kind not in BLOCK_KINDS_KEPT_WHOLE:
            return block.kind in ("heading", "rule", "front matter")
        document_text = self.document.text
        introduces_list = (
            following.kind == "list" and len(document_text[block.span.end : following.span.start].splitlines()) == 1
        )
        return introduces_list or document_text[block.span.end - 1] in ":\N{FULLWIDTH COLON}"

    def _slide_title_of(self, section_blocks: Sequence[Block]) -> _SlideTitle:
        """Return the title of a slide, which a chunk that begins inside it has as its context; empty for other sections."""
        document_parts = self.document.parts
        if document_parts is None or document_parts.kind != "slide" or section_blocks[0].kind != "heading":
            return _SlideTitle()
        # Slides with nothing but a title are in the section of the next.
        *_, heading = takewhile(lambda block: block.kind == "heading", section_blocks)
        title_text = self.document.text[slice(*heading.span)]
        title_token_count = self.tools.count_tokens([title_text])[0]
        return (
            _SlideTitle(title_text, title_token_count, heading.span.start)
            if title_token_count <= self.chunker.max_size // LEADING_SIZE_DIVISOR
            else _SlideTitle()
        )

    def _join_slide_or_cell_pieces(self, pieces: Sequence[_Piece]) -> list[_Piece]:
        """Return the pieces, those of a slide or a cell as one if they fit into a chunk together."""
        document_parts = self.document.parts
        if document_parts is None or not self._slide_or_cell_spans:
            return [*pieces]
        merged_pieces: list[_Piece] = []
        for slide_or_cell_span, pieces_in_part in groupby(
            pieces, key=lambda piece: self._slide_or_notebook_cell_at(piece.end - 1)
        ):
            first_piece, *later_pieces_in_part = pieces_in_part
            # Headings of slides or cells that have nothing else may be in front.
            slide_or_cell_start, slide_or_cell_end = (
                max(first_piece.start, slide_or_cell_span.start if slide_or_cell_span else 0),
                (later_pieces_in_part or [first_piece])[-1].end,
            )
            can_slide_or_cell_fit = (
                self.splitter.count_tokens_between(slide_or_cell_start, slide_or_cell_end) <= self.chunker.max_size
            )
            if (
                slide_or_cell_start > first_piece.start
                and can_slide_or_cell_fit
                and self.splitter.count_tokens_between(first_piece.start, slide_or_cell_end) > self.chunker.max_size
            ):
                text_before_slide_or_cell = self.document.text[first_piece.start : slide_or_cell_start].rstrip()
                merged_pieces.append(
                    first_piece._replace(end=first_piece.start + len(text_before_slide_or_cell), name="heading")
                )
                first_piece = first_piece._replace(start=slide_or_cell_start, why=None)
            if later_pieces_in_part and can_slide_or_cell_fit:
                for piece in later_pieces_in_part:
                    self.uncut_reasons[piece.start] = Reason(
                        remark=f"the {document_parts.kind} is whole: it fits into a chunk"
                    )
                merged_pieces.append(first_piece._replace(end=slide_or_cell_end, name=document_parts.kind))
            else:
                merged_pieces += [first_piece, *later_pieces_in_part]
        return merged_pieces

    def _add_slide_title_as_context(self, pieces: Sequence[_Piece]) -> list[_Piece]:
        """Return the pieces of a slide, those behind the first with its title as context where it fits."""
        if not self.title.words:
            return [*pieces]
        # What begins with the title, or with the titles of slides that have nothing else, does not repeat it.
        pieces_with_slide_title = [piece for piece in pieces if piece.start <= self.title.start]
        for slide_piece in pieces[len(pieces_with_slide_title) :]:
            title_and_piece_context = "\n\n".join(filter(None, [self.title.words, slide_piece.context]))
            token_count_with_context = (
                self.splitter.count_tokens_between(slide_piece.start, slide_piece.end)
                + self.tools.count_tokens([title_and_piece_context])[0]
            )
            if token_count_with_context <= self.chunker.max_size:
                piece_cut_reason = slide_piece.why
                if piece_cut_reason is not None:
                    first_reason_step, *further_reason_steps = piece_cut_reason.steps()
                    piece_cut_reason = combine_reasons(
                        first_reason_step._replace(remark=f"{first_reason_step.remark}; the slide's title is context"),
                        *further_reason_steps,
                    )
                slide_piece = slide_piece._replace(context=title_and_piece_context, why=piece_cut_reason)
            pieces_with_slide_title.append(slide_piece)
        return pieces_with_slide_title

    def _pieces_of_group(self, block_group: _BlockGroup, context_token_count: int) -> list[_Piece]:
        """Return a group as one piece if it fits, or else its parts, leaving ``context_token_count`` tokens for context."""
        for previous_block, block in pairwise([*block_group.lead, block_group.block, *block_group.tail]):
            self.uncut_reasons[block.span.start] = _reason_kept_with_previous_block(previous_block, block, block_group)
        group_start, group_end, block = block_group.start_offset, block_group.end_offset, block_group.block
        group_token_count, chunk_token_limit = (
            self.splitter.count_tokens_between(group_start, group_end),
            self.chunker.max_size,
        )
        if self._fits_only_without_surrounding_blocks(block, group_start, group_end):
            return [_Piece(group_start, block.span.end, block.kind), *_piece_of_headings_at_end(block_group)]
        if group_token_count <= chunk_token_limit or block.kind == "formula":
            if group_token_count > chunk_token_limit:
                self.long.append((block.kind, self.splitter.count_tokens_between(*block.span)))
            return [_Piece(group_start, group_end, block.kind)]
        # What leads takes of the first part, and what is behind of the last, of which it is not known yet which it is.
        trailing_blocks_token_count = group_token_count - self.splitter.count_tokens_between(group_start, block.span.end)
        leading_blocks_token_count = self.splitter.count_tokens_between(
            group_start, block.span.end
        ) - self.splitter.count_tokens_between(*block.span)
        first_part_token_limit = max(
            1, chunk_token_limit - leading_blocks_token_count - trailing_blocks_token_count - context_token_count
        )
        other_part_token_limit = max(
            1, chunk_token_limit - trailing_blocks_token_count - (context_token_count or self.title.tokens)
        )
        fitted_parts = self.splitter.split(block, first_part_token_limit, other_part_token_limit)
        # Some tokenizers count more in what is left of a text than the difference, so that the first part is cut shorter.
        while (
            fitted_parts
            and (
                first_part_excess_token_count := self.splitter.count_tokens_between(group_start, fitted_parts[0].end)
                - chunk_token_limit
            )
            > 0
            and first_part_token_limit > 1
        ):
            first_part_token_limit = max(1, first_part_token_limit - first_part_excess_token_count)
            fitted_parts = self.splitter.split(block, first_part_token_limit, other_part_token_limit)
        are_leading_blocks_separate = (
            not fitted_parts or self.splitter.count_tokens_between(group_start, fitted_parts[0].end) > chunk_token_limit
        )
        split_block_parts = fitted_parts or self.splitter.split(block, chunk_token_limit, chunk_token_limit) or []
        group_pieces = [_Piece(part.start, part.end, block.kind, part.why, part.context) for part in split_block_parts]
        if not are_leading_blocks_separate:
            group_pieces[0] = group_pieces[0]._replace(start=group_start, why=None)
        elif block_group.lead:
            group_pieces = [
                _Piece(group_start, block_group.lead[-1].span.end, block_group.lead[-1].kind),
                group_pieces[0]._replace(why=None),
                *group_pieces[1:],
            ]
        if block_group.tail and (
            not fitted_parts or self.splitter.count_tokens_between(group_pieces[-1].start, group_end) > chunk_token_limit
        ):
            return [*group_pieces, *_piece_of_headings_at_end(block_group)]
        group_pieces[-1] = group_pieces[-1]._replace(end=group_end)
        return group_pieces

    def _decide_joins_of_neighbouring_pieces(self, pieces: Sequence[_Piece], section_blocks: Sequence[Block]) -> None:
        """Join the pieces of a section with their neighbours from left to right, where one is small and both fit."""
        join_below_token_count, max_tokens = self.chunker.join_below, self.chunker.max_size
        tokenizer_skips_space = getattr(self.tools.tokenizer, "skips_space", False)
        section_opening_block = next((block for block in section_blocks if block.kind != "front matter"), section_blocks[0])
        same_section_phrase = "same heading" if section_opening_block.kind == "heading" else "no heading between"
        # The first piece of a slide has its title in it.
        chunk_start, open_chunk_context = pieces[0].start, self._piece_context_or_slide_title(pieces[0])
        text = self.document.text
        open_chunk_size, *piece_sizes = [self.splitter.count_tokens_between(piece.start, piece.end) for piece in pieces]
        context_token_count = self._store_and_count_chunk_context(chunk_start, pieces[0].context)
        for piece, piece_token_count in zip(pieces[1:], piece_sizes, strict=True):
            is_piece_after_space = tokenizer_skips_space and text[piece.start - 1].isspace()
            joined_size = (
                open_chunk_size + piece_token_count
                if is_piece_after_space
                else self.splitter.count_tokens_between(chunk_start, piece.end)
            )
            token_count_with_context = self.together[piece.start] = joined_size + context_token_count
            # What has its context in its own chunk would lose it in another's.
            has_same_context = not piece.context or piece.context == open_chunk_context
            if (
                has_same_context
                and token_count_with_context <= max_tokens
                and min(open_chunk_size, piece_token_count) < join_below_token_count
            ):
                self.uncut_reasons[piece.start] = Reason(
                    remark=f"joined: {same_section_phrase}, {open_chunk_size:,} + {piece_token_count:,} tokens"
                )
                open_chunk_size = joined_size
                continue
            # White space between them may be tokens too, and so are those of a header that is repeated.
            joined_tokens_phrase = (
                f"{open_chunk_size:,} + {piece_token_count:,} tokens"
                if token_count_with_context == open_chunk_size + piece_token_count
                else f"{token_count_with_context:,} tokens together"
            )
            too_large_phrase = f"{joined_tokens_phrase}, {max_tokens:,} at most"
            both_large_enough_phrase = (
                f"{open_chunk_size:,} and {piece_token_count:,} tokens, both at least {join_below_token_count:,}"
            )
            new_piece_remark = (
                f"new {piece.name}: "
                f"{too_large_phrase if token_count_with_context > max_tokens else both_large_enough_phrase}"
            )
            self.cuts[piece.start] = piece.why or Reason(remark=new_piece_remark)
            chunk_start, open_chunk_context, open_chunk_size = (
                piece.start,
                self._piece_context_or_slide_title(piece),
                piece_token_count,
            )
            context_token_count = self._store_and_count_chunk_context(piece.start, piece.context)

    def _piece_context_or_slide_title(self, piece: _Piece) -> str:
        """Return the context of a piece, or the title that it begins with."""
        return piece.context or (self.title.words if piece.start <= self.title.start else "")

    def _store_and_count_chunk_context(self, chunk_start: int, repeated_chunk_context: str) -> int:
        """Store the context of the chunk that begins at ``chunk_start``; return its number of tokens."""
        if not repeated_chunk_context:
            return 0
        self.contexts[chunk_start] = repeated_chunk_context
        return self.tools.count_tokens([repeated_chunk_context])[0]

    def _cuts_and_sentence_gaps(self, cut_offsets: Sequence[int]) -> tuple[Gap, ...]:
        """Return the cuts and a gap for each other pair of neighbouring sentences."""

        def uncut_reason(start_offset: int) -> Reason:
            block_kind = self.outline[bisect_right(self.outline, start_offset, key=lambda block: block.span.start) - 1].kind
            inside_block_reason = Reason(
                remark=f"inside {'' if block_kind in _BLOCK_KINDS_WITHOUT_ARTICLE else 'a '}{block_kind}"
            )
            return (
                self.uncut_reasons.get(start_offset) or self.splitter.uncut_reasons.get(start_offset) or inside_block_reason
            )

        return add_uncut_gaps(
            self.document, build_cut_gaps_only(self.document, cut_offsets, Verdict.CUT, self.cuts.__getitem__), uncut_reason
        )


def _add_heading_run_to_sections(
    sections: list[tuple[int, list[Block]]], heading_run: Sequence[Block], deepest_section_level: int
) -> None:
    """Add a run of headings to the sections: a new one if one of them has a level that begins a chunk."""
    section_heading_level = next((block.level for block in heading_run if block.level <= deepest_section_level), 0)
    if section_heading_level:
        sections.append((section_heading_level, []))
    sections[-1][1].extend(heading_run)


def _piece_of_headings_at_end(block_group: _BlockGroup) -> list[_Piece]:
    """Return the headings at the text's end as a piece of their own."""
    return (
        [_Piece(block_group.tail[0].span.start, block_group.end_offset, block_group.tail[0].kind)]
        if block_group.tail
        else []
    )


def _reason_kept_with_previous_block(
    previous_block: Block, block_kept_with_previous: Block, block_group: _BlockGroup
) -> Reason:
    """Return the reason for keeping a block with the previous one."""
    if block_kept_with_previous in block_group.tail:
        kept_together_remark = f"a {block_kept_with_previous.kind} at the end stays with what is before"
    elif previous_block.kind == "paragraph":
        kept_together_remark = f"{block_kept_with_previous.kind} kept with its introduction"
    else:
        kept_together_remark = f"{previous_block.kind} kept with what follows"
    return Reason(remark=kept_together_remark)
