"""Sizes of chunks: limits on their number, token counts, and chunks merged or cut again to keep within a size."""

import math
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from chunkers.building_blocks.gaps_and_pieces import build_cut_gaps_only, gap_position_sort_key
from chunkers.building_blocks.recursive_splitting import Unit, recursive_spans, text_size_function
from chunkers.contract import Chunker, Tools
from chunkers.results import Gap, Reason, Verdict, combine_reasons
from chunkers.support import MOST_CHUNKS, MOST_TOTAL_CHUNK_CHARACTERS, FloatArray, InputError
from chunkers.text import Document, Span

# Settings that would produce too many chunks or too much repeated text are refused.


def check_overlap(size: int, overlap: int, names_of_set_parameters: Collection[str]) -> None:
    """Raise ValueError if a chunker's overlap is not smaller than its size.

    Parameters
    ----------
    names_of_set_parameters
        Names of the parameters that the caller set; the error message does not claim that a default was set.
    """
    if overlap >= size:
        default_phrase = "" if "overlap" in names_of_set_parameters else " (the default)"
        raise ValueError(
            f"overlap must be less than size ({size}); got {overlap}{default_phrase}. Lower overlap or raise size."
        )


def refuse_excess_chunks_or_characters(chunker_name: str, chunk_count: int, total_chunk_character_count: int) -> None:
    """Raise InputError if a chunker would exceed the limit on chunks or on the chunks' total characters.

    Text that several chunks share counts in each of them.
    """
    if chunk_count > MOST_CHUNKS:
        raise InputError(
            f"{chunker_name}: a text may be cut into at most {MOST_CHUNKS:,} chunks; this text would give {chunk_count:,}. "
            "Choose larger "
            "chunks."
        )
    if total_chunk_character_count > MOST_TOTAL_CHUNK_CHARACTERS:
        raise InputError(
            f"{chunker_name}: all chunks together may have at most {MOST_TOTAL_CHUNK_CHARACTERS:,} characters, overlaps "
            f"included; these {chunk_count:,} chunks have {total_chunk_character_count:,}. Choose a smaller overlap."
        )


def refuse_size_yielding_excess_chunks(chunker_name: str, text: str, size: int, unit: Unit) -> None:
    """Raise InputError if a maximum chunk size of ``size`` is certain to produce more chunks than allowed.

    White space needs no chunk of its own, and all but a few words have at least one token.
    """
    if len(text) <= MOST_CHUNKS * size:
        return
    words_of_text = text.split()
    least_chunk_count = math.ceil((sum(map(len, words_of_text)) if unit == "characters" else len(words_of_text)) / size)
    if least_chunk_count > MOST_CHUNKS:
        raise InputError(
            f"{chunker_name}: a text may be cut into at most {MOST_CHUNKS:,} chunks; size {size:,} gives at least "
            f"{least_chunk_count:,}. Choose a larger size."
        )


# Token counts.

_SURE_TOKEN_END_PATTERN = re.compile(r"(?<=[^\W_])(?=[ \t\n\r,.;:!?、。，！？；：])")
"""Pattern of the positions at which every tokenizer ends a token: between a letter or digit and white space or punctuation.

The byte-pair tokenizers part a text there before they look at what is between, so that the tokens of two parts add up to
those of the whole.
"""


class TokenSizes:
    """Token counter for slices of a text; each slice is counted as a text of its own.

    Slices neither begin nor end at white space.

    The text is counted in units, such as sentences or blocks, which begin at ``unit_starts``. The token counts of units
    cannot simply be added: white space between units may be tokens too, and a token can span two units. Therefore the
    text is counted from a place in each unit that is known to be the end of a token to such a place in the next unit.
    The count of a slice is the sum of these parts and of the remainders before the first and after the last.
    """

    def __init__(self, text: str, unit_starts: Sequence[int], tools: Tools) -> None:
        self._text = text
        self._unit_starts = unit_starts
        self._tools = tools
        self._skips_space = getattr(tools.tokenizer, "skips_space", False)
        self._token_count_by_range: dict[tuple[int, int], int] = {}

    def __call__(self, start: int, end: int) -> int:
        """Return the number of tokens of the text between two offsets."""
        first_sure_token_end_index, last_sure_token_end_index = (
            bisect_left(self._sure_token_ends, start),
            bisect_left(self._sure_token_ends, end) - 1,
        )
        if first_sure_token_end_index > last_sure_token_end_index:
            return self._count_range_tokens(start, end)
        token_count_between_sure_ends = (
            self._token_totals_at_sure_ends[last_sure_token_end_index]
            - self._token_totals_at_sure_ends[first_sure_token_end_index]
        )
        return (
            self._count_range_tokens(start, self._sure_token_ends[first_sure_token_end_index])
            + token_count_between_sure_ends
            + self._count_range_tokens(self._sure_token_ends[last_sure_token_end_index], end)
        )

    @cached_property
    def _sure_token_ends(self) -> list[int]:
        """A place in each unit that has one, where a token always ends."""
        if self._skips_space:
            # Between two units, so that the parts are units, which are often counted already.
            return [start for start in self._unit_starts if not start or self._text[start - 1] in " \t\n\r"]
        unit_start_end_pairs = pairwise([*self._unit_starts, len(self._text)])
        sure_token_end_matches = (
            _SURE_TOKEN_END_PATTERN.search(self._text, start, following) for start, following in unit_start_end_pairs
        )
        return [match.start() for match in sure_token_end_matches if match]

    @cached_property
    def _token_totals_at_sure_ends(self) -> list[int]:
        """Numbers of tokens from the first of `_sure_token_ends` to each of them."""
        texts_between_ends = [self._text[first:last] for first, last in pairwise(self._sure_token_ends)]
        return [
            0,
            *accumulate(
                self._tools.count_tokens(
                    [part.rstrip() for part in texts_between_ends] if self._skips_space else texts_between_ends
                )
            ),
        ]

    def _count_range_tokens(self, start: int, end: int) -> int:
        if start == end:
            return 0
        range_token_count = self._token_count_by_range.get((start, end))
        if range_token_count is None:
            range_token_count = self._token_count_by_range[start, end] = self._tools.count_tokens([self._text[start:end]])[0]
        return range_token_count


# Minimum and maximum sizes, for any chunker.

SizeUnit = Literal["characters", "words", "tokens", "sentences"]
OversizeTreatment = Literal["weakest_gap", "recursive"]


@dataclass(frozen=True)
class SizeLimits:
    """Minimum and maximum chunk size in ``unit``, None for no limit, and the way to split oversized chunks.

    With ``oversize`` None, oversized chunks are not split.
    """

    least: int | None
    most: int | None
    unit: SizeUnit
    oversize: OversizeTreatment | None = None


class SizeLimitedChunker(Chunker):
    """Base class for chunkers with a minimum and a maximum chunk size."""

    min_size: int | None = Field(
        None,
        ge=1,
        le=100_000,
        title="Minimum chunk size",
        description="A smaller chunk is merged with the one before it; the first with the one after.",
        json_schema_extra={"step": 1},
    )
    max_size: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="A larger chunk is cut again.",
        json_schema_extra={"step": 1},
    )
    size_unit: SizeUnit = Field("characters", title="Size unit", description="What both sizes count.")
    oversize: OversizeTreatment = Field(
        "weakest_gap",
        title="Oversized chunks",
        description="Where a chunk above maximum size is cut: at its largest distance, or by the recursive chunker.",
    )

    @model_validator(mode="after")
    def _check_size_order(self) -> Self:
        if self.min_size is not None and self.max_size is not None and self.min_size > self.max_size:
            raise ValueError(
                f"min_size must be at most max_size ({self.max_size}); got {self.min_size}. Lower min_size or raise "
                "max_size."
            )
        return self

    def idle(self) -> frozenset[str]:
        """Return the names of the size parameters that have no effect because no minimum or maximum is set."""
        idle_size_parameter_names = {"oversize"} if self.max_size is None else set()
        return frozenset(
            idle_size_parameter_names | ({"size_unit"} if self.min_size is None and self.max_size is None else set())
        )

    @property
    def limits(self) -> SizeLimits:
        """The chunker's size limits."""
        return SizeLimits(self.min_size, self.max_size, self.size_unit, self.oversize)


def enforce_size_limits_on_gaps(
    document: Document,
    gaps: Sequence[Gap],
    limits: SizeLimits,
    tools: Tools,
    compute_distances: Callable[[], Sequence[float]],
) -> list[Gap]:
    """Return the gaps with the size limits enforced, changing verdicts and reasons where necessary.

    Parameters
    ----------
    document
        The document that the gaps belong to.
    gaps
        One gap per pair of neighbouring sentences, and the cuts inside sentences, in order.
    limits
        The size limits, and the way to split oversized chunks.
    tools
        Services for counting tokens.
    compute_distances
        Function that returns one distance per pair of neighbouring sentences; called at most once, for the weakest gap.

    Raises
    ------
    InputError
        If the maximum size would produce too many chunks.
    """
    cuts_large_chunks = limits.most is not None and limits.oversize is not None
    if not document.sentences or (limits.least is None and not cuts_large_chunks):
        return list(gaps)
    size_limit_enforcer = _SizeEnforcer(document, limits, tools, compute_distances)
    if cuts_large_chunks and limits.unit != "sentences":
        refuse_size_yielding_excess_chunks("max_size", document.text, size_limit_enforcer.most, limits.unit)
    gaps_after_merging = (
        size_limit_enforcer.build_gaps_merging_small_chunks(list(gaps)) if limits.least is not None else list(gaps)
    )
    return (
        size_limit_enforcer.build_gaps_cutting_large_chunks(gaps_after_merging) if cuts_large_chunks else gaps_after_merging
    )


class _SizeEnforcer:
    def __init__(
        self, document: Document, limits: SizeLimits, tools: Tools, compute_distances: Callable[[], Sequence[float]]
    ) -> None:
        self.document = document
        self.least, self.most = limits.least or 0, limits.most or sys.maxsize
        self.unit, self.oversize = limits.unit, limits.oversize
        self.tools = tools
        self.size = span_size_function(document, limits.unit, tools)
        self._compute_distances = compute_distances

    @cached_property
    def distances(self) -> FloatArray:
        return np.asarray(self._compute_distances(), dtype=np.float64)

    def build_gaps_merging_small_chunks(self, gaps: list[Gap]) -> list[Gap]:
        """Merge chunks below the minimum size from left to right, unless merging would exceed the maximum."""
        cut_gap_list_positions = [position for position, gap in enumerate(gaps) if gap.verdict.is_cut]
        chunk_end_offsets_before_merging = [
            *(gaps[position].end_before(self.document) for position in cut_gap_list_positions),
            self.document.sentences[-1].end,
        ]
        kept_cut_gap_list_positions: list[int] = []
        merged_chunk_start_offsets = [self.document.starts[0]]
        for chunk_index, (chunk_end_offset, cut_position_in_gaps) in enumerate(
            zip(chunk_end_offsets_before_merging, [*cut_gap_list_positions, None], strict=True)
        ):
            current_chunk_size = self.size(merged_chunk_start_offsets[-1], chunk_end_offset)
            # The first chunk has none before it: remove the cut after it and let it grow.
            adjacent_cut_gap_list_position = (
                kept_cut_gap_list_positions[-1] if kept_cut_gap_list_positions else cut_position_in_gaps
            )
            if current_chunk_size < self.least and adjacent_cut_gap_list_position is not None:
                merged_chunk_size = (
                    self.size(merged_chunk_start_offsets[-2], chunk_end_offset)
                    if kept_cut_gap_list_positions
                    else self.size(merged_chunk_start_offsets[-1], chunk_end_offsets_before_merging[chunk_index + 1])
                )
                can_merge_chunk = merged_chunk_size <= self.most
                small_chunk_remark = (
                    f"a chunk of {current_chunk_size:,} {self.unit} beside it, below minimum size {self.least:,}"
                )
                small_chunk_remark += "" if can_merge_chunk else f", but with its neighbour above maximum size {self.most:,}"
                adjacent_cut_verdict = Verdict.REJECTED if can_merge_chunk else gaps[adjacent_cut_gap_list_position].verdict
                cut_reason_beside_small_chunk = combine_reasons(
                    gaps[adjacent_cut_gap_list_position].why, Reason(remark=small_chunk_remark)
                )
                gaps[adjacent_cut_gap_list_position] = gaps[adjacent_cut_gap_list_position]._replace(
                    verdict=adjacent_cut_verdict, why=cut_reason_beside_small_chunk
                )
                if can_merge_chunk and kept_cut_gap_list_positions:
                    kept_cut_gap_list_positions.pop()
                    merged_chunk_start_offsets.pop()
            if cut_position_in_gaps is not None and gaps[cut_position_in_gaps].verdict.is_cut:
                kept_cut_gap_list_positions.append(cut_position_in_gaps)
                merged_chunk_start_offsets.append(gaps[cut_position_in_gaps].start_after(self.document))
        return gaps

    def build_gaps_cutting_large_chunks(self, gaps: list[Gap]) -> list[Gap]:
        document = self.document
        forced_cuts: list[Gap] = []
        chunk_start_offset = document.starts[0]
        for chunk_end_gap_or_none in [*(gap for gap in gaps if gap.verdict.is_cut), None]:
            chunk_end_offset = (
                chunk_end_gap_or_none.end_before(document)
                if chunk_end_gap_or_none is not None
                else document.sentences[-1].end
            )
            unchecked_part_spans = [Span(chunk_start_offset, chunk_end_offset)]
            while unchecked_part_spans:
                checked_part_span = unchecked_part_spans.pop()
                chunk_part_size = self.size(*checked_part_span)
                if chunk_part_size <= self.most:
                    continue
                too_large_reason = Reason(
                    remark=f"a chunk of {chunk_part_size:,} {self.unit}, above maximum size {self.most:,}"
                )
                weakest_gap_index = self.weakest_gap(checked_part_span) if self.oversize == "weakest_gap" else None
                if weakest_gap_index is not None:
                    cut_reason = combine_reasons(
                        too_large_reason, Reason("distance", float(self.distances[weakest_gap_index]), "largest")
                    )
                    if min(self.sizes_beside_gap(checked_part_span, weakest_gap_index)) < self.least:
                        cut_reason = combine_reasons(
                            cut_reason, Reason(remark=f"a side below minimum size {self.least:,} is left")
                        )
                    forced_cuts.append(Gap(weakest_gap_index, None, None, Verdict.FORCED, cut_reason))
                    part_before_weakest_gap = Span(checked_part_span.start, document.sentences[weakest_gap_index].end)
                    unchecked_part_spans += [
                        Span(document.sentences[weakest_gap_index + 1].start, checked_part_span.end),
                        part_before_weakest_gap,
                    ]
                else:
                    forced_cuts.extend(self.build_cuts_by_recursive_chunker(checked_part_span, too_large_reason))
            chunk_start_offset = (
                chunk_end_gap_or_none.start_after(document) if chunk_end_gap_or_none is not None else chunk_end_offset
            )
        return _insert_forced_cuts(gaps, forced_cuts)

    def sizes_beside_gap(self, span_divided_by_gap: Span, gap_index: int) -> tuple[int, int]:
        """Return the sizes of the two sides of ``span_divided_by_gap``, before and after ``gap_index``."""
        document_sentences = self.document.sentences
        return self.size(span_divided_by_gap.start, document_sentences[gap_index].end), self.size(
            document_sentences[gap_index + 1].start, span_divided_by_gap.end
        )

    def weakest_gap(self, part_span: Span) -> int | None:
        """Return the gap with the largest distance in ``part_span``, preferring gaps that leave both sides large enough."""
        gap_indices_inside = range(self.document.sentence_at(part_span.start), self.document.sentence_at(part_span.end - 1))
        if not gap_indices_inside:
            return None
        # From gap to gap the left side grows and the right side shrinks, so those that leave both large enough adjoin.
        first_allowed_gap_index = bisect_left(
            gap_indices_inside, self.least, key=lambda gap: self.sizes_beside_gap(part_span, gap)[0]
        )
        allowed_gaps_end_index = bisect_right(
            gap_indices_inside, -self.least, key=lambda gap: -self.sizes_beside_gap(part_span, gap)[1]
        )
        candidate_gap_indices = gap_indices_inside[first_allowed_gap_index:allowed_gaps_end_index] or gap_indices_inside
        return candidate_gap_indices.start + int(
            np.argmax(self.distances[candidate_gap_indices.start : candidate_gap_indices.stop])
        )

    def build_cuts_by_recursive_chunker(self, part_span: Span, oversize_reason: Reason) -> list[Gap]:
        if self.unit == "sentences":
            return self.build_cuts_after_maximum_sentences(part_span, oversize_reason)
        document_text, size_function = self.document.text, text_size_function(self.unit, self.tools)
        recursive_piece_spans = split_text_into_fitting_spans(document_text, self.most, size_function, part_span)
        has_too_small_piece = any(
            size_function(document_text[start:end]) < self.least for start, end in recursive_piece_spans
        )
        recursive_cut_remark = "cut by the recursive chunker"
        recursive_cut_remark += f", which leaves pieces below minimum size {self.least:,}" if has_too_small_piece else ""
        recursive_cut_offsets = [start for start, _ in recursive_piece_spans[1:]]
        return build_cut_gaps_only(
            self.document,
            recursive_cut_offsets,
            Verdict.FORCED,
            lambda offset: combine_reasons(oversize_reason, Reason(remark=recursive_cut_remark)),
        )

    def build_cuts_after_maximum_sentences(self, part_span: Span, oversize_reason: Reason) -> list[Gap]:
        """Cut ``part_span`` after every run of as many sentences as the maximum chunk size allows."""
        first_sentence_index, last_sentence_index = (
            self.document.sentence_at(part_span.start),
            self.document.sentence_at(part_span.end - 1),
        )
        cut_interval_remark = f"cut after every {self.most:,}"
        last_part_sentence_count = (last_sentence_index - first_sentence_index) % self.most + 1
        cut_interval_remark += (
            f", which leaves {last_part_sentence_count:,}, below minimum size {self.least:,}"
            if last_part_sentence_count < self.least
            else ""
        )
        cut_reason = combine_reasons(oversize_reason, Reason(remark=cut_interval_remark))
        return [
            Gap(gap, None, None, Verdict.FORCED, cut_reason)
            for gap in range(first_sentence_index + self.most - 1, last_sentence_index, self.most)
        ]


def span_size_function(document: Document, unit: SizeUnit, tools: Tools) -> Callable[[int, int], int]:
    """Return a function that computes the size, in ``unit``, of the text between two offsets.

    Neither offset may be at white space.

    The function looks sizes up in running totals, so that measuring every prefix of a long text takes a single pass.
    """
    if unit == "characters":
        return lambda start, end: end - start
    if unit == "sentences":
        return lambda start, end: document.sentence_at(end - 1) - document.sentence_at(start) + 1
    if unit == "words":
        word_starts = [match.start() for match in re.finditer(r"\S+", document.text)]
        return lambda start, end: bisect_left(word_starts, end) - bisect_right(word_starts, start) + 1
    return TokenSizes(document.text, document.starts, tools)


def first_unit_index_after_window(
    unit_token_counts: Sequence[int], start_unit_index: int, max_tokens: int, min_units: int
) -> int:
    """Return the exclusive end index of the window that begins at unit ``start_unit_index``.

    Parameters
    ----------
    unit_token_counts
        Number of tokens in every unit.
    start_unit_index
        Index of the first unit in the window.
    max_tokens
        Maximum number of tokens in the window.
    min_units
        Minimum number of units in the window, whatever their size, unless the text ends earlier.
    """
    end_unit_index, window_token_count = (
        start_unit_index + min_units,
        sum(unit_token_counts[start_unit_index : start_unit_index + min_units]),
    )
    while end_unit_index < len(unit_token_counts) and window_token_count + unit_token_counts[end_unit_index] <= max_tokens:
        window_token_count += unit_token_counts[end_unit_index]
        end_unit_index += 1
    return min(end_unit_index, len(unit_token_counts))


def split_text_into_fitting_spans(
    text: str, max_size: int, size_function: Callable[[str], int], span_to_split: Span
) -> list[tuple[int, int]]:
    """Split part of a text recursively into spans of at most ``max_size``, wherever a split is possible.

    Joined pieces may have more tokens than the sum of their sizes; a span that becomes too large is split again with a
    smaller limit.
    """
    parts_to_split_with_limits, spans = [(span_to_split, max_size)], []
    while parts_to_split_with_limits:
        part_to_split, span_size_limit = parts_to_split_with_limits.pop()
        for span in recursive_spans(text, span_size_limit, 0, size_function, "chroma", part_to_split):
            if span_size_limit > 1 and size_function(text[slice(*span)]) > max_size:
                parts_to_split_with_limits.append((Span(*span), span_size_limit - 1))
            else:
                spans.append(span)
    return sorted(spans)


def _insert_forced_cuts(gaps: Sequence[Gap], forced_cuts: Sequence[Gap]) -> list[Gap]:
    """Insert the forced cuts: on the gap between sentences where they fall on one, else inside the sentence."""
    forced_cut_by_gap = {gap.index: gap for gap in forced_cuts if gap.offset is None}
    gaps_with_forced_cuts = []
    for gap in gaps:
        forced_cut = forced_cut_by_gap.get(gap.index) if gap.offset is None and not gap.verdict.is_cut else None
        if forced_cut is not None:
            gap = gap._replace(verdict=Verdict.FORCED, why=combine_reasons(gap.why, forced_cut.why))
        gaps_with_forced_cuts.append(gap)
    cuts_inside_sentences = [gap for gap in forced_cuts if gap.offset is not None]
    return sorted([*gaps_with_forced_cuts, *cuts_inside_sentences], key=gap_position_sort_key)
