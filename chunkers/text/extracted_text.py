"""The text extracted from a file: where its pages, chapters, rows, slides or cells begin, and what was left out."""

import hashlib
import re
import zipfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, repeat
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element

from chunkers.support import MAX_FILE_BYTES, InputError
from chunkers.text.encodings import Encoded

PartKind = Literal["page", "chapter", "row", "slide", "cell"]

LONGEST_LABEL = 200
"""Maximum number of characters of a page's label or a chapter's title that are kept."""

MOST_NAMED_RANGES = 4
"""Maximum number of page ranges in the label that `TextParts.label_of_spans` gives a chunk of several spans."""


@dataclass(frozen=True)
class TextParts:
    """The pages or chapters of a text, or the rows of a table, the slides of a presentation, the cells of a notebook.

    Attributes
    ----------
    kind
        ``page``, ``chapter``, ``row``, ``slide`` or ``cell``.
    starts
        Start offsets of the parts, in code points, ascending; a part without text begins where the next one does.
    labels
        Labels of the parts: a page's label, such as ``iv`` or ``12``, a chapter's title, a row's number, such as ``7`` or
        ``Prices!7``, or the number of the part if there is none.
    """

    kind: PartKind
    starts: tuple[int, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check that there are parts in order; raises ValueError."""
        if not self.starts or len(self.starts) != len(self.labels):
            raise ValueError("there must be at least one part, and each part must have a start and a label")
        if self.starts[0] < 0 or any(first > second for first, second in pairwise(self.starts)):
            raise ValueError("the starts of parts must not be negative, and must be in ascending order")

    @cached_property
    def identity(self) -> str:
        """Hash of the kind, the starts and the labels of the pages or chapters."""
        starts_and_labels_bytes = repr((self.kind, self.starts, self.labels)).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(starts_and_labels_bytes, digest_size=12).hexdigest()

    def part_number_at(self, offset: int) -> int:
        """Return the index of the page or chapter that contains an offset."""
        return max(0, bisect_right(self.starts, offset) - 1)

    def overlapped_part_number_ranges(self, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the runs of consecutive pages or chapters that ascending spans overlap, as (first, last) pairs."""
        merged_part_number_ranges: list[tuple[int, int]] = []
        for start, end in spans:
            first_part_index, last_part_index = self.part_number_at(start), self.part_number_at(max(start, end - 1))
            if merged_part_number_ranges and first_part_index <= merged_part_number_ranges[-1][1] + 1:
                merged_part_number_ranges[-1] = (
                    merged_part_number_ranges[-1][0],
                    max(merged_part_number_ranges[-1][1], last_part_index),
                )
            else:
                merged_part_number_ranges.append((first_part_index, last_part_index))
        return merged_part_number_ranges

    def labels_of_overlapped_parts(self, spans: Iterable[tuple[int, int]]) -> list[str]:
        """Return the labels of the pages or chapters that ascending spans overlap, skipping those without text."""
        return [
            self.labels[number]
            for first, last in self.overlapped_part_number_ranges(spans)
            for number in self._part_numbers_with_text(first, last)
        ]

    def _part_numbers_with_text(self, first_part_number: int, last_part_number: int) -> Iterator[int]:
        return (
            number
            for number in range(first_part_number, last_part_number + 1)
            if number == last_part_number or self.starts[number] < self.starts[number + 1]
        )

    def label_of_spans(self, spans: Iterable[tuple[int, int]]) -> str:
        """Return a label for the position of ascending spans, such as ``p. 12``, ``rows 12–13`` or a chapter title."""
        return self._label_of_ranges(self.overlapped_part_number_ranges(spans))

    def label_of_part(self, number: int) -> str:
        """Return the label of a single part, such as ``p. 12``, ``row 7`` or a chapter title."""
        return self._label_of_ranges([(number, number)])

    def _label_of_ranges(self, part_number_ranges: Sequence[tuple[int, int]]) -> str:
        range_names = [
            self._label_for_consecutive_parts(first, last) for first, last in part_number_ranges[:MOST_NAMED_RANGES]
        ]
        comma_separated_range_names = ", ".join(
            [*range_names, "…"] if len(part_number_ranges) > MOST_NAMED_RANGES else range_names
        )
        if self.kind == "chapter":
            return comma_separated_range_names
        spans_several_parts = len(part_number_ranges) > 1 or any(first < last for first, last in part_number_ranges)
        singular, plural = ("p.", "pp.") if self.kind == "page" else (self.kind, f"{self.kind}s")
        return f"{plural if spans_several_parts else singular} {comma_separated_range_names}"

    def _label_for_consecutive_parts(self, first_part_number: int, last_part_number: int) -> str:
        first_part_name, last_part_name = (
            self.short_label_of_part(first_part_number),
            self.short_label_of_part(last_part_number),
        )
        return (
            first_part_name
            if first_part_number == last_part_number
            else f"{first_part_name} – {last_part_name}"
            if self.kind == "chapter"
            else f"{first_part_name}–{last_part_name}"
        )

    def short_label_of_part(self, number: int) -> str:
        """Return a part's label, shortened to fit next to a chunk, such as ``12`` or ``ch. 3``."""
        full_part_label = self.labels[number]
        if self.kind == "chapter" and full_part_label == str(number + 1):
            return f"ch. {full_part_label}"
        return shorten(full_part_label, 12 if self.kind == "page" else 40)

    def with_starts(self, starts: Iterable[int]) -> "TextParts":
        """Return a copy of the pages or chapters with new start offsets."""
        return TextParts(self.kind, tuple(starts), self.labels)


def shorten(text: str, max_length: int) -> str:
    """Return ``text`` on one line, shortened to ``max_length`` characters with an ellipsis if necessary."""
    one_line = " ".join(text[: 20 * max_length].split())
    return (
        one_line
        if len(one_line) <= max_length and len(text) <= 20 * max_length
        else f"{one_line[: max_length - 1].rstrip()}…"
    )


def shorten_label_or_use_number(label_text: str, part_number: int) -> str:
    """Return the label of a page or chapter, on one line and shortened, or its number if ``label_text`` is blank."""
    return shorten(label_text, LONGEST_LABEL) or str(part_number)


def substitute_and_move_offsets(
    pattern: re.Pattern[str], replacement: str, text: str, offsets_to_adjust: Sequence[int]
) -> tuple[str, list[int]]:
    """Replace all matches of a pattern; return the new text and the offsets adjusted to the new text.

    The offsets must ascend. An offset inside a match is moved to the end of the replacement.
    """
    if not offsets_to_adjust:
        return pattern.sub(replacement, text), []
    new_text_pieces: list[str] = []
    offsets_in_new_text: list[int] = []
    copied_until = built_text_length = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        while len(offsets_in_new_text) < len(offsets_to_adjust) and offsets_to_adjust[len(offsets_in_new_text)] <= start:
            offsets_in_new_text.append(built_text_length + offsets_to_adjust[len(offsets_in_new_text)] - copied_until)
        new_text_pieces += [text[copied_until:start], replacement]
        built_text_length += start - copied_until + len(replacement)
        copied_until = end
        while len(offsets_in_new_text) < len(offsets_to_adjust) and offsets_to_adjust[len(offsets_in_new_text)] < end:
            offsets_in_new_text.append(built_text_length)
    offsets_in_new_text += [
        built_text_length + place - copied_until for place in offsets_to_adjust[len(offsets_in_new_text) :]
    ]
    return "".join([*new_text_pieces, text[copied_until:]]), offsets_in_new_text


# What the readers of formats return.


_CRLF_PATTERN = re.compile(r"\r\n")
_REPEATED_BLANK_LINES_PATTERN = re.compile(r"\n(?:[^\S\n]*+\n){2,}")


class Omission(NamedTuple):
    """Content of a file, such as pictures, that is missing from the extracted text.

    Attributes
    ----------
    noun
        Kind of thing, in the singular, such as ``picture``.
    occurrence_count
        Number of things of this kind.
    part_number
        The index of the page or chapter; None if the file has none.
    text
        Text of the omitted content, if any.
    """

    noun: str
    occurrence_count: int = 1
    part_number: int | None = None
    text: str = ""


class ExtractedText(NamedTuple):
    """Text extracted from a file, with the omissions, the encoding if known, and the pages or chapters."""

    text: str
    left_out: tuple[Omission, ...] = ()
    encoded: Encoded | None = None
    parts: TextParts | None = None

    def tidied(self) -> "ExtractedText":
        """Return a copy with Unix line endings, single blank lines, and no blank lines at either end."""
        original_part_starts = self.parts.starts if self.parts is not None else ()
        tidied_text, moved_part_starts = substitute_and_move_offsets(_CRLF_PATTERN, "\n", self.text, original_part_starts)
        tidied_text, moved_part_starts = substitute_and_move_offsets(
            _REPEATED_BLANK_LINES_PATTERN, "\n\n", tidied_text, moved_part_starts
        )
        left_trimmed_text = tidied_text.lstrip("\n")
        leading_line_break_count = len(tidied_text) - len(left_trimmed_text)
        tidied_text = left_trimmed_text.rstrip("\n")
        parts_with_tidied_starts = self.parts and self.parts.with_starts(
            min(max(0, place - leading_line_break_count), len(tidied_text)) for place in moved_part_starts
        )
        return self._replace(text=tidied_text, parts=parts_with_tidied_starts)


class PartCollector:
    """Collector of page or chapter texts. Raises InputError as soon as the texts together are too large."""

    def __init__(self, file_name: str, kind: PartKind) -> None:
        self._file_name = file_name
        self._kind = kind
        self._total_length = 0
        self.texts: list[str] = []
        self.labels: list[str] = []

    def add(self, text: str, label: str) -> None:
        """Add a page or chapter; without a label, the page or chapter is labelled by its number."""
        self.texts.append(text)
        self.labels.append(shorten_label_or_use_number(label, len(self.texts)))
        self._total_length += len(text)
        if self._total_length > MAX_FILE_BYTES:
            raise too_large_error(self._file_name, self._total_length, "at least ", refused_item_noun="the text")

    def joined(self, omissions: Iterable[Omission], separators: Iterable[str] | None = None) -> ExtractedText:
        """Join the collected pages or chapters, separated by blank lines or ``separators``, into one extracted text."""
        separators_and_texts_in_order, part_starts, joined_length = [], [], 0
        separators_between_parts = repeat("\n\n") if separators is None else separators
        for separator, part_text in zip(chain([""], separators_between_parts), self.texts, strict=False):
            separators_and_texts_in_order += [separator, part_text]
            part_starts.append(joined_length + len(separator))
            joined_length += len(separator) + len(part_text)
        document_parts = TextParts(self._kind, tuple(part_starts), tuple(self.labels)) if part_starts else None
        return ExtractedText("".join(separators_and_texts_in_order), tuple(omissions), parts=document_parts)


def omissions_from_counts(omission_counts: Counter[str], part_number: int | None = None) -> list[Omission]:
    """Convert counts of omitted items, such as pictures, to a list of `Omission`."""
    return [Omission(what, count, part_number) for what, count in omission_counts.items() if count > 0]


def read_xml_root_from_archive(archive: "zipfile.ZipFile", member_name: str) -> "Element":
    """Return the root element of an XML file in an archive."""
    from defusedxml.ElementTree import fromstring

    root: Element = fromstring(archive.read(member_name))
    return root


def too_large_error(name: str, size: int, size_prefix: str = "", *, refused_item_noun: str = "a document") -> InputError:
    """Return the InputError for a document, or a ``refused_item_noun``, of more than `MAX_FILE_BYTES`."""
    return InputError(
        f"{name}: {refused_item_noun} may have at most 20 MB, {MAX_FILE_BYTES:,} bytes; this one has {size_prefix}{size:,}."
    )
