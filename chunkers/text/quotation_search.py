"""Search for an excerpt in a text that may have been edited, by quotation, position and surrounding text.

An excerpt is tied to its text as W3C's Web Annotation Data Model does it (2017): by the quotation with a prefix and a suffix
(TextQuoteSelector), and by its place (TextPositionSelector).

Sources of the search by edit distance: Sellers (1980), the search for a pattern anywhere in a text; Myers (1999), a whole
column of its table in a few operations on long integers, in the form of Hyyrö (2003).
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Literal, NamedTuple

import numpy as np

from chunkers.support import IntArray
from chunkers.text.document import Span

# Search for a quotation by edit distance.


def code_points(text: str) -> IntArray:
    """Return the code points of a text as an array, shape (characters,)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.intp)


def find_nearest_passage_and_distance(
    quotation_code_points: IntArray,
    text_code_points: IntArray,
    max_distance: int,
    preferred_start: int,
    max_comparisons: int,
    searched_ranges: Sequence[Span] | None = None,
) -> tuple[int, int, int, int]:
    """Find the passage closest to a quotation by edit distance; return its distance, start, end and the comparisons made.

    Of passages with the same distance, the one that begins nearest to ``preferred_start`` is returned, and the longest of
    these. The distance is -1 if no passage is within ``max_distance``, and -2 if the search would take more than
    ``max_comparisons``.
    Passages are searched for in disjoint ranges of the text, by default in all of it.
    """
    searched_ranges = [Span(0, len(text_code_points))] if searched_ranges is None else searched_ranges
    character_comparison_count = len(quotation_code_points) * sum(end - start for start, end in searched_ranges)
    if character_comparison_count > max_comparisons:
        return -2, 0, 0, character_comparison_count
    least_distance, nearest_ends = max_distance, list[int]()
    for range_start, range_end in searched_ranges:
        edit_distance, nearest_ends_in_range = _least_edit_distance_and_ends(
            quotation_code_points.tolist(), text_code_points[range_start:range_end].tolist(), least_distance
        )
        if edit_distance < least_distance:
            least_distance, nearest_ends = edit_distance, []
        nearest_ends += [range_start + offset for offset in nearest_ends_in_range]
    best_start = best_end = 0
    # An alignment strays from the diagonal of its end by no more than its distance, and what it is compared with by as much.
    lookback_length = len(quotation_code_points) + 4 * least_distance + 1
    groups_of_ends: list[list[int]] = []
    for match_end in nearest_ends:
        if groups_of_ends and match_end - groups_of_ends[-1][-1] <= lookback_length:
            groups_of_ends[-1].append(match_end)
        else:
            groups_of_ends.append([match_end])
    for ends_in_group in groups_of_ends:
        window_start, window_end = max(0, ends_in_group[0] - lookback_length), ends_in_group[-1]
        character_comparison_count += len(quotation_code_points) * (window_end - window_start)
        if character_comparison_count > max_comparisons:
            return -2, 0, 0, character_comparison_count
        starts_by_end = _nearest_start_for_each_end(quotation_code_points, text_code_points[window_start:window_end])
        for match_end in ends_in_group:
            start_of_match = window_start + int(starts_by_end[match_end - window_start - 1])
            if (
                best_end == 0
                or abs(start_of_match - preferred_start) < abs(best_start - preferred_start)
                or start_of_match == best_start
            ):
                best_start, best_end = start_of_match, match_end
    return least_distance if nearest_ends else -1, best_start, best_end, character_comparison_count


def _least_edit_distance_and_ends(
    quotation_code_points: list[int], text_code_points: list[int], max_distance: int
) -> tuple[int, list[int]]:
    """Return the least edit distance of a stretch of the text to the quotation, at most ``max_distance``, and its ends.

    The bits of ``vertical_increases_mask`` and ``vertical_decreases_mask`` say in which rows of Sellers' table the distance
    grows or falls by 1 from the row above.
    """
    all_rows_mask = (1 << len(quotation_code_points)) - 1
    last_row_number = len(quotation_code_points) - 1
    row_mask_by_code: dict[int, int] = {}
    for row_number, code_point in enumerate(quotation_code_points):
        row_mask_by_code[code_point] = row_mask_by_code.get(code_point, 0) | 1 << row_number
    vertical_increases_mask, vertical_decreases_mask = all_rows_mask, 0
    distance, least_distance = len(quotation_code_points), max_distance
    nearest_ends: list[int] = []
    for passage_end_offset, code_point in enumerate(text_code_points, start=1):
        matching_rows_mask = row_mask_by_code.get(code_point, 0)
        zero_diagonal_rows_mask = (
            ((matching_rows_mask & vertical_increases_mask) + vertical_increases_mask) ^ vertical_increases_mask
        ) | matching_rows_mask
        horizontal_increases_mask = vertical_decreases_mask | (
            ~(zero_diagonal_rows_mask | vertical_increases_mask) & all_rows_mask
        )
        horizontal_decreases_mask = vertical_increases_mask & zero_diagonal_rows_mask
        distance += (horizontal_increases_mask >> last_row_number & 1) - (horizontal_decreases_mask >> last_row_number & 1)
        matching_rows_mask |= vertical_decreases_mask
        horizontal_increases_mask, horizontal_decreases_mask = horizontal_increases_mask << 1, horizontal_decreases_mask << 1
        vertical_increases_mask = (
            horizontal_decreases_mask | ~(matching_rows_mask | horizontal_increases_mask)
        ) & all_rows_mask
        vertical_decreases_mask = horizontal_increases_mask & matching_rows_mask & all_rows_mask
        if distance <= least_distance:
            if distance < least_distance:
                least_distance = distance
                nearest_ends.clear()
            nearest_ends.append(passage_end_offset)
    return least_distance, nearest_ends


def _nearest_start_for_each_end(quotation_code_points: IntArray, text_code_points: IntArray) -> IntArray:
    """Return for each character of the text where the nearest stretch that ends with it begins, shape (characters,)."""
    row_numbers = np.arange(len(quotation_code_points) + 1)
    edit_distance_by_row, start_by_row = row_numbers.copy(), np.zeros(len(row_numbers), dtype=np.intp)
    match_start_by_end = np.empty(len(text_code_points), dtype=np.intp)
    for text_character_offset, text_code_point in enumerate(text_code_points.tolist()):
        # A character replaced or kept; one of the text left out, if that is less; one of the quotation, if less still.
        updated_distance_by_row = np.concatenate(
            ([0], edit_distance_by_row[:-1] + (quotation_code_points != text_code_point))
        )
        updated_start_by_row = np.concatenate(([text_character_offset + 1], start_by_row[:-1]))
        rows_skipping_character_mask = edit_distance_by_row + 1 < updated_distance_by_row
        updated_distance_by_row, updated_start_by_row = (
            np.where(rows_skipping_character_mask, edit_distance_by_row + 1, updated_distance_by_row),
            np.where(rows_skipping_character_mask, start_by_row, updated_start_by_row),
        )
        distances_minus_row_numbers = updated_distance_by_row - row_numbers
        running_minimum = np.minimum.accumulate(distances_minus_row_numbers)
        start_by_row = updated_start_by_row[
            np.maximum.accumulate(np.where(distances_minus_row_numbers == running_minimum, row_numbers, 0))
        ]
        edit_distance_by_row = running_minimum + row_numbers
        match_start_by_end[text_character_offset] = start_by_row[-1]
    return match_start_by_end


CONTEXT_CHARACTERS = 32
"""Characters before and after an excerpt that are kept with it."""

SHORT_CONTEXT_CHARACTERS = 8
"""Characters of these that are looked for where not all are there any more."""

MIN_ALTERED_SIMILARITY = 0.8
"""Minimum similarity of an altered passage to its excerpt: 1 minus their edit distance over the length of the excerpt."""

MIN_NEAREST_SIMILARITY = 0.5
"""Minimum similarity of the nearest passage for a message about a lost excerpt to quote it."""

SHORTEST_ALTERED_EXCERPT = 12
"""Minimum number of characters, without white space, of an excerpt that is searched for with small changes: shorter ones
resemble too many passages.
"""

MOST_QUOTATION_PARTS = 5
"""Maximum number of parts of a quotation that are looked for in different places."""

MOST_CHARACTER_COMPARISONS = 20_000_000_000
"""Maximum number of pairs of characters that are compared to find the altered excerpts of one file of questions: some half
a minute.
"""

_MOST_COMPARED_NEIGHBOURING_CHARACTERS = 500
"""Characters next to a passage that are compared."""

MatchKind = Literal["in place", "elsewhere", "typography", "altered"]

_PLAIN_SIGNS = (
    str.maketrans(dict.fromkeys("‘’‚‛′´`ʼ‹›", "'"))
    | str.maketrans(dict.fromkeys("“”„‟″«»", '"'))
    | str.maketrans(dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"))
)


class Quotation(NamedTuple):
    """A quotation to find in a text, with its context and original position where they are known."""

    text: str
    prefix: str = ""
    suffix: str = ""
    start: int | None = None


class Match(NamedTuple):
    """The position of a quotation in a text, and how it was matched.

    Attributes
    ----------
    kind
        ``in place``: word for word, where it was or, if no place is known, anywhere; ``elsewhere``: word for word in another
        place; ``typography``: with other white space, quotation marks, dashes or ligatures; ``altered``: with
        small changes, within `MIN_ALTERED_SIMILARITY`.
    similarity
        From 0 to 1, see `MIN_ALTERED_SIMILARITY`.
    is_ambiguous
        True if it occurs more than once and nothing tells the occurrences apart.
    """

    span: Span
    kind: MatchKind
    similarity: float = 1.0
    is_ambiguous: bool = False


class CommonPassage(NamedTuple):
    """A part of a quotation that occurs word for word in the text.

    Attributes
    ----------
    quotation_range
        Offsets of the part in the quotation, in code points.
    span
        First occurrence in the text.
    is_altered
        True if the surroundings of quotation and text are similar, so that it is the same passage, altered.
    """

    quotation_range: Span
    span: Span
    is_altered: bool


def max_edit_distance(quotation_length: int, min_similarity: float = MIN_ALTERED_SIMILARITY) -> int:
    """Return the maximum edit distance of a passage to a folded quotation of this length."""
    return int((1 - min_similarity) * quotation_length + 1e-9)


def surrounding_text(text: str, span: Span) -> tuple[str, str]:
    """Return the text before and after a span, up to `CONTEXT_CHARACTERS` characters each."""
    return text[max(0, span.start - CONTEXT_CHARACTERS) : span.start], text[span.end : span.end + CONTEXT_CHARACTERS]


@dataclass
class ComparisonBudget:
    """Budget of comparisons for approximate searches."""

    remaining: int = MOST_CHARACTER_COMPARISONS

    @property
    def is_used_up(self) -> bool:
        """True if no comparisons are left."""
        return self.remaining <= 0


@dataclass(frozen=True)
class SearchableText:
    """A text prepared for searching for quotations."""

    text: str
    comparison_budget: ComparisonBudget = field(default_factory=ComparisonBudget, compare=False)

    def exact_match(self, quotation: Quotation) -> Match | None:
        """Find a quotation word for word; return None if the quotation does not occur.

        Of several occurrences, the one with the same text before and after, in full or in its nearest part, is
        preferred, then the one nearest to the original position, or the first.
        """
        start_and_ambiguity = _find_contextual_start_and_ambiguity(self.text, quotation)
        if start_and_ambiguity is None:
            return None
        start, is_ambiguous = start_and_ambiguity
        match_kind: MatchKind = "in place" if quotation.start in (None, start) else "elsewhere"
        return Match(Span(start, start + len(quotation.text)), match_kind, is_ambiguous=is_ambiguous)

    def typographic_match(self, quotation: Quotation) -> Match | None:
        """Find a quotation, ignoring white space and typography; return None if the quotation does not occur."""
        folded_quotation = self._simplify_searched_quotation(quotation)
        start_and_ambiguity = (
            _find_contextual_start_and_ambiguity(self._folded_text_with_offsets.text, folded_quotation)
            if folded_quotation.text
            else None
        )
        if start_and_ambiguity is None:
            return None
        start, is_ambiguous = start_and_ambiguity
        return Match(
            self._folded_text_with_offsets.original(Span(start, start + len(folded_quotation.text))),
            "typography",
            is_ambiguous=is_ambiguous,
        )

    def occurrences(self, text: str, max_count: int) -> list[Span]:
        """Return the first ``max_count`` places of a text: word for word, else ignoring white space and typography."""
        text_occurrence_spans = [Span(start, start + len(text)) for start in _occurrence_starts(self.text, text, max_count)]
        if text_occurrence_spans:
            return text_occurrence_spans
        simplified_passage = drop_spaces_and_simplify_signs(text)
        folded_spans = [
            Span(start, start + len(simplified_passage))
            for start in _occurrence_starts(self._folded_text_with_offsets.text, simplified_passage, max_count)
        ]
        return [self._folded_text_with_offsets.original(span) for span in folded_spans]

    def altered_match(
        self,
        quotation: Quotation,
        min_similarity: float = MIN_ALTERED_SIMILARITY,
        searched_ranges: Sequence[Span] | None = None,
    ) -> Match | None:
        """Find the passage most similar to a quotation; None if no similarity is at least ``min_similarity``.

        Of equally similar passages, the one nearest to the original position is returned. None also if the
        `ComparisonBudget` is used up.

        Parameters
        ----------
        searched_ranges
            Ranges of `spaceless_simplified_text` to search in, disjoint; None for all of it.
        """
        simplified_quotation = self._simplify_searched_quotation(quotation)
        folded_quotation_length = len(simplified_quotation.text)
        if folded_quotation_length < SHORTEST_ALTERED_EXCERPT or self.comparison_budget.is_used_up:
            return None
        max_distance = max_edit_distance(folded_quotation_length, min_similarity)
        quotation_code_points, preferred_start = code_points(simplified_quotation.text), simplified_quotation.start or 0
        edit_distance, start, end, comparison_count = find_nearest_passage_and_distance(
            quotation_code_points,
            self._spaceless_simplified_code_points,
            max_distance,
            preferred_start,
            self.comparison_budget.remaining,
            searched_ranges,
        )
        self.comparison_budget.remaining -= comparison_count
        if edit_distance < 0 or start >= end:
            return None
        return Match(
            self._folded_text_with_offsets.original(Span(start, end)), "altered", 1 - edit_distance / folded_quotation_length
        )

    def match_in_parts(self, quotation_text: str) -> list[Span]:
        """Find a quotation whose parts now stand apart, in the same order; return their spans, or none.

        Each part occurs as in `typographic_match`, and has at least `SHORTEST_ALTERED_EXCERPT` characters. The first parts
        are the longest.
        """
        searched_text, remaining_quotation, search_start_offset = (
            self._folded_text_with_offsets.text,
            drop_spaces_and_simplify_signs(quotation_text),
            0,
        )
        part_spans: list[Span] = []
        # Most lost quotations are told by their beginning or end.
        if (
            self.comparison_budget.is_used_up
            or remaining_quotation[:SHORTEST_ALTERED_EXCERPT] not in searched_text
            or remaining_quotation[-SHORTEST_ALTERED_EXCERPT:] not in searched_text
        ):
            return []
        self.comparison_budget.remaining -= len(searched_text) * len(remaining_quotation).bit_length() * MOST_QUOTATION_PARTS
        while remaining_quotation:
            if len(remaining_quotation) < SHORTEST_ALTERED_EXCERPT or len(part_spans) == MOST_QUOTATION_PARTS:
                return []
            # The longest beginning of the rest that the text has behind the part before.
            part_length = bisect_left(
                range(1, len(remaining_quotation) + 1),
                True,
                key=lambda size: searched_text.find(remaining_quotation[:size], search_start_offset) < 0,
            )
            # What is left for the last part must not be too short for one.
            if part_length < len(remaining_quotation):
                part_length = min(part_length, len(remaining_quotation) - SHORTEST_ALTERED_EXCERPT)
            if part_length < SHORTEST_ALTERED_EXCERPT:
                return []
            part_start_in_searched_text = searched_text.find(remaining_quotation[:part_length], search_start_offset)
            search_start_offset = part_start_in_searched_text + part_length
            part_spans.append(
                self._folded_text_with_offsets.original(Span(part_start_in_searched_text, search_start_offset))
            )
            remaining_quotation = remaining_quotation[part_length:]
        return part_spans

    def contains(self, text: str) -> bool:
        """Return whether the searched text contains ``text``, ignoring white space and typography."""
        simplified_passage = drop_spaces_and_simplify_signs(text)
        return simplified_passage != "" and simplified_passage in self._folded_text_with_offsets.text

    def find_longest_suffix_span_at(self, quotation_text: str, suffix_start_in_text: int) -> Span | None:
        """Return the range of the longest suffix of the quotation that begins at ``suffix_start_in_text``, or None."""
        simplified_quotation, simplified_text_offset = _Folded.of(quotation_text), self._folded_offset(suffix_start_in_text)
        following_simplified_text = self._folded_text_with_offsets.text[
            simplified_text_offset : simplified_text_offset + SHORTEST_ALTERED_EXCERPT
        ]
        suffix_start_in_quotation = (
            simplified_quotation.text.find(following_simplified_text)
            if len(following_simplified_text) == SHORTEST_ALTERED_EXCERPT
            else -1
        )
        while suffix_start_in_quotation >= 0:
            if self._folded_text_with_offsets.text.startswith(
                simplified_quotation.text[suffix_start_in_quotation:], simplified_text_offset
            ):
                return simplified_quotation.original(Span(suffix_start_in_quotation, len(simplified_quotation.text)))
            suffix_start_in_quotation = simplified_quotation.text.find(
                following_simplified_text, suffix_start_in_quotation + 1
            )
        return None

    def longest_common_passage(self, quotation_text: str, searched_range: Span) -> CommonPassage | None:
        """Find the longest passage of ``quotation_text`` in a range; None if it is shorter than `SHORTEST_ALTERED_EXCERPT`.

        Texts are compared as in `typographic_match`. The passage is at the end, at the beginning or around the middle of
        ``quotation_text``.
        """
        folded_range_start = self._folded_offset(searched_range.start)
        simplified_quotation, searched_text = (
            _Folded.of(quotation_text),
            self._folded_text_with_offsets.text[folded_range_start : self._folded_offset(searched_range.end)],
        )
        quotation_length = len(simplified_quotation.text)
        if quotation_length < SHORTEST_ALTERED_EXCERPT:
            return None
        quotation_middle_offset = quotation_length // 2

        def longest_found_length(max_length: int, get_quotation_part_of_length: Callable[[int], str]) -> int:
            """Return the greatest size up to ``max_length`` of which the part of the quotation is in the searched text."""
            return bisect_left(
                range(1, max_length + 1), True, key=lambda size: get_quotation_part_of_length(size) not in searched_text
            )

        common_suffix_length = longest_found_length(
            quotation_length, lambda size: simplified_quotation.text[quotation_length - size :]
        )
        common_prefix_length = longest_found_length(quotation_length, lambda size: simplified_quotation.text[:size])
        found_spans_in_quotation = [
            Span(quotation_length - common_suffix_length, quotation_length),
            Span(0, common_prefix_length),
        ]
        if max(common_prefix_length, common_suffix_length) < quotation_middle_offset:
            common_length_after_middle = longest_found_length(
                quotation_length - quotation_middle_offset,
                lambda size: simplified_quotation.text[quotation_middle_offset : quotation_middle_offset + size],
            )
            common_length_before_middle = longest_found_length(
                quotation_middle_offset,
                lambda size: simplified_quotation.text[
                    quotation_middle_offset - size : quotation_middle_offset + common_length_after_middle
                ],
            )
            found_spans_in_quotation.append(
                Span(
                    quotation_middle_offset - common_length_before_middle,
                    quotation_middle_offset + common_length_after_middle,
                )
            )
        longest_span = max(found_spans_in_quotation, key=lambda span: span.end - span.start)
        if longest_span.end - longest_span.start < SHORTEST_ALTERED_EXCERPT:
            return None
        span_start_in_range = searched_text.find(simplified_quotation.text[longest_span.start : longest_span.end])
        folded_span = Span(
            folded_range_start + span_start_in_range,
            folded_range_start + span_start_in_range + longest_span.end - longest_span.start,
        )
        simplified_text_before_passage = self._folded_text_with_offsets.text[
            max(0, folded_span.start - 2 * _MOST_COMPARED_NEIGHBOURING_CHARACTERS) : folded_span.start
        ]
        simplified_text_after_passage = self._folded_text_with_offsets.text[
            folded_span.end : folded_span.end + 2 * _MOST_COMPARED_NEIGHBOURING_CHARACTERS
        ]
        has_similar_surroundings = _unmatched_part_roughly_agrees(
            simplified_quotation.text[: longest_span.start], simplified_text_before_passage, is_before_passage=True
        )
        has_similar_surroundings = has_similar_surroundings or _unmatched_part_roughly_agrees(
            simplified_quotation.text[longest_span.end :], simplified_text_after_passage, is_before_passage=False
        )
        return CommonPassage(
            simplified_quotation.original(longest_span),
            self._folded_text_with_offsets.original(folded_span),
            has_similar_surroundings,
        )

    def _folded_offset(self, original_offset: int) -> int:
        return int(np.searchsorted(self._folded_text_with_offsets.places, original_offset))

    def _simplify_searched_quotation(self, quotation: Quotation) -> Quotation:
        text, text_before_quotation, suffix, quotation_start_in_original_text = quotation
        quotation_start_in_simplified_text = (
            None if quotation_start_in_original_text is None else self._folded_offset(quotation_start_in_original_text)
        )
        return Quotation(
            drop_spaces_and_simplify_signs(text),
            drop_spaces_and_simplify_signs(text_before_quotation),
            drop_spaces_and_simplify_signs(suffix),
            quotation_start_in_simplified_text,
        )

    @property
    def spaceless_simplified_text(self) -> str:
        """The text after normalisation by `drop_spaces_and_simplify_signs`."""
        return self._folded_text_with_offsets.text

    @cached_property
    def _folded_text_with_offsets(self) -> "_Folded":
        return _Folded.of(self.text)

    @cached_property
    def _spaceless_simplified_code_points(self) -> IntArray:
        return code_points(self._folded_text_with_offsets.text)


def _occurrence_starts(text: str, passage: str, max_count: int) -> list[int]:
    """Return up to ``max_count`` starts of a passage that is not empty, overlapping ones included."""
    starts: list[int] = []
    occurrence_start = text.find(passage) if passage else -1
    while occurrence_start >= 0 and len(starts) < max_count:
        starts.append(occurrence_start)
        occurrence_start = text.find(passage, occurrence_start + 1)
    return starts


def _unmatched_part_roughly_agrees(unmatched_part: str, neighbouring_text: str, *, is_before_passage: bool) -> bool:
    """Return whether half of ``unmatched_part`` agrees with what stands next to the passage in the text; both are folded."""
    # Enough to tell a repeated passage from another text, and of bounded cost.
    unmatched_part = (
        unmatched_part[-_MOST_COMPARED_NEIGHBOURING_CHARACTERS:]
        if is_before_passage
        else unmatched_part[:_MOST_COMPARED_NEIGHBOURING_CHARACTERS]
    )
    compared_neighbouring_length = len(unmatched_part) * 5 // 4
    neighbouring_text = (
        neighbouring_text[-compared_neighbouring_length:]
        if is_before_passage
        else neighbouring_text[:compared_neighbouring_length]
    )
    if not unmatched_part or not neighbouring_text:
        return False
    edit_distance, *_ = find_nearest_passage_and_distance(
        code_points(unmatched_part), code_points(neighbouring_text), len(unmatched_part) // 2, 0, MOST_CHARACTER_COMPARISONS
    )
    return edit_distance >= 0


def _find_contextual_start_and_ambiguity(text: str, quotation: Quotation) -> tuple[int, bool] | None:
    """Return the start of a quotation, and whether another place fits as well; None if it is not found."""
    if text.find(quotation.text) < 0:
        return None
    narrow_prefix_and_suffix = quotation.prefix[-SHORT_CONTEXT_CHARACTERS:], quotation.suffix[:SHORT_CONTEXT_CHARACTERS]
    # The most distinctive first.
    prefix_and_suffix_pairs = [
        (quotation.prefix, quotation.suffix),
        (quotation.prefix, ""),
        ("", quotation.suffix),
        narrow_prefix_and_suffix,
        (narrow_prefix_and_suffix[0], ""),
        ("", narrow_prefix_and_suffix[1]),
    ]
    for prefix, suffix in dict.fromkeys([*prefix_and_suffix_pairs, ("", "")]):
        quotation_with_context = prefix + quotation.text + suffix
        context_start = (
            text.find(quotation_with_context)
            if quotation.start is None
            else _nearest_occurrence_start(text, quotation_with_context, quotation.start - len(prefix))
        )
        if context_start >= 0:
            return context_start + len(prefix), quotation.start is None and text.find(
                quotation_with_context, context_start + 1
            ) >= 0
    # The last context is empty, and every text contains it.
    raise AssertionError


def _nearest_occurrence_start(text: str, searched_passage: str, preferred_offset: int) -> int:
    """Return the start of the occurrence nearest to ``preferred_offset``; -1 if the passage is not found."""
    preferred_offset = max(0, preferred_offset)
    next_occurrence_start = text.find(searched_passage, preferred_offset)
    if next_occurrence_start == preferred_offset:
        return next_occurrence_start
    previous_occurrence_start = text.rfind(searched_passage, 0, preferred_offset + len(searched_passage) - 1)
    if next_occurrence_start < 0 or previous_occurrence_start < 0:
        return max(next_occurrence_start, previous_occurrence_start)
    return (
        previous_occurrence_start
        if preferred_offset - previous_occurrence_start <= next_occurrence_start - preferred_offset
        else next_occurrence_start
    )


class _Folded(NamedTuple):
    """A text without its white space and with plain signs, and where each of its characters was."""

    text: str
    places: IntArray

    @classmethod
    def of(cls, text: str) -> "_Folded":
        plain_replacements = _plain_replacements(text)
        replacement_lengths = np.array([len(plain_replacements[code]) for code in sorted(plain_replacements)], dtype=np.intp)
        original_character_codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        folded_length_per_character = replacement_lengths[
            np.searchsorted(np.array(sorted(plain_replacements), dtype=np.uint32), original_character_codes)
        ]
        return cls(
            text.translate(plain_replacements),
            np.repeat(np.arange(len(original_character_codes)), folded_length_per_character),
        )

    def original(self, folded_span: Span) -> Span:
        """Convert a range of the folded text to the corresponding range of the original text."""
        return Span(int(self.places[folded_span.start]), int(self.places[folded_span.end - 1]) + 1)


def drop_spaces_and_simplify_signs(text: str) -> str:
    """Normalise a text for comparison: drop white space and invisible characters, simplify quotation marks and dashes."""
    return text.translate(_plain_replacements(text))


def _plain_replacements(text: str) -> dict[int, str]:
    """Return the plain replacement of each character of a text, by code point."""
    return {ord(sign): _plain_form_of_sign(sign) for sign in set(text)}


@cache
def _plain_form_of_sign(sign: str) -> str:
    if unicodedata.category(sign) == "Cf":
        return ""
    return "".join(unicodedata.normalize("NFKD", sign.translate(_PLAIN_SIGNS)).split())
