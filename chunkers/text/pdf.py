"""The text of a PDF: its pages with their labels, without the running lines at the top and bottom of most pages."""

from __future__ import annotations

import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from ctypes import byref, c_int
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from chunkers.support import MAX_FILE_BYTES, MAX_UNPACKED_BYTES, InputError
from chunkers.text.extracted_text import ExtractedText, Omission, PartCollector, shorten, too_large_error

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

LEAST_PAGES_WITH_LINE = 4
"""Pages on which a line must stand to be one that returns."""

MOST_EDGE_LINES = 4
"""Maximum number of lines at the top, and as many at the bottom of a page, that are looked at."""

LONGEST_RUNNING_LINE = 200
"""Maximum number of characters of a running header or footer; a longer line is text."""

EDGE_HEIGHT_SHARE = 0.12
"""Share of a page's height, at its top and as much at its bottom, within which headers and footers are drawn."""

HEADING_RELATIVE_LINE_HEIGHT = 1.15
"""Height of a line, in lines of the page's text, above which it is a heading though it has the page's number."""

_PAGE_HEIGHT_STEPS = 10_000
"""Steps into which the height of a page is divided."""

_LINES_SAMPLED_FOR_MEDIAN_HEIGHT = 30
"""About as many lines of a page are measured to know how large its text is."""

_BEYOND_PAGE_COORDINATE = 1e9
"""Points from the page's origin beyond which no text is looked for."""

_JOINED_HYPHEN_CODE = 2
"""The code that PDFium puts in place of a hyphen and the end of its line."""

_LONGEST_STREAM_DICTIONARY = 2000
"""Maximum number of bytes before a stream within which its dictionary is looked for."""

_BYTES_UNPACKED_PER_STEP = 1_000_000
"""Bytes to which a stream is unpacked at a time."""

_MAX_FORM_NESTING_DEPTH = 15
"""Forms within each other in which pictures are counted."""

_STREAM_PATTERN = re.compile(rb"(?<!end)stream\r?\n")
_DEFLATED_STREAM_PATTERN = re.compile(rb"/Filter\s*(?:\[\s*)?/Fl(?:ateDecode)?\b")
_NUMBER_IN_LINE_PATTERN = re.compile(r"\d{1,6}")
_WORD = re.compile(r"\w+")
# Before a number, or around it as in 第3章, these announce a part of the text; if every page begins one, it is no header.
_DIVISION_NOUN_PATTERN = re.compile(
    r"(?:appendix|article|book|chapter|day|episode|exercise|lecture|lesson|module|part|problem|question|section|session|unit"
    r"|week|abschnitt|aufgabe|frage|kapitel|lektion|teil|übung|woche|chapitre|leçon|partie|capítulo|lección|parte|sección"
    r"|unidad|capitolo|lezione|sezione|deel|hoofdstuk|les|глава|часть|раздел|урок|第|§)[\s:#.№]*",
    re.IGNORECASE,
)
_RIGHT_TO_LEFT_WORD_PATTERN = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]{2,}")


def read_pdf(data: bytes, name: str) -> ExtractedText:
    """Return the text of a PDF; pages are joined by blank lines, or by a line break where a sentence continues.

    Raises
    ------
    InputError
        If the file is locked, or its text too large.
    """
    from pypdfium2 import PdfDocument, PdfiumError
    from pypdfium2.raw import FPDF_ERR_PASSWORD

    try:
        pdf_document = PdfDocument(data)
    except PdfiumError as error:
        if error.err_code == FPDF_ERR_PASSWORD:
            raise InputError(
                f"{name}: the PDF must open without a password; it is locked. Save a copy without a password."
            ) from error
        raise
    pdf_page_collector = PartCollector(name, "page")
    line_positions_by_page: list[dict[int, DrawnLine]] = []
    omissions: list[Omission] = []
    with closing(pdf_document):
        for page_number in range(len(pdf_document)):
            with closing(pdf_document[page_number]) as page:
                with closing(page.get_textpage()) as text_page:
                    character_texts = _read_text_of_each_character(text_page, name)
                    line_positions_by_page.append(_locate_and_measure_edge_lines(page, text_page, character_texts))
                pdf_page_collector.add("".join(character_texts).replace("\r", ""), pdf_document.get_page_label(page_number))
                picture_count_on_page = _count_pictures_on_page(page)
            if picture_count_on_page:
                omissions.append(Omission("picture", picture_count_on_page, page_number))
    if damaged_stream_count := _count_damaged_streams(data):
        omissions.append(Omission("damaged stream", damaged_stream_count))
    running_lines_by_page = find_header_footer_lines(pdf_page_collector.texts, pdf_page_collector.labels)
    for page_number, running_lines_of_page in enumerate(running_lines_by_page):
        removed_line_numbers = set()
        for line in running_lines_of_page:
            vertical_position, relative_line_size = line_positions_by_page[page_number].get(
                line.line_number, DrawnLine(float(line.is_at_top), 1.0)
            )
            if EDGE_HEIGHT_SHARE < vertical_position < 1 - EDGE_HEIGHT_SHARE or (
                line.has_page_number and not line.is_page_number_alone and relative_line_size > HEADING_RELATIVE_LINE_HEIGHT
            ):
                # A line of the text, however often it is there; or a heading whose number is by chance that of the page.
                continue
            omission_kind = (
                "page number"
                if line.is_page_number_alone
                else "repeated header"
                if vertical_position > 0.5
                else "repeated footer"
            )
            omissions.append(Omission(omission_kind, 1, page_number, shorten(line.text, LONGEST_RUNNING_LINE)))
            removed_line_numbers.add(line.line_number)
        kept_lines = [
            line
            for place, line in enumerate(pdf_page_collector.texts[page_number].split("\n"))
            if place not in removed_line_numbers
        ]
        # Without the ends of lines at its edges, so that what stands between two pages is the joint.
        pdf_page_collector.texts[page_number] = "\n".join(kept_lines).lstrip("\n").rstrip()
    omissions.sort(key=lambda omission: omission.part_number or 0)
    return pdf_page_collector.joined(omissions, _choose_separators_between_pages(pdf_page_collector.texts))


def _read_text_of_each_character(text_page: PdfTextPage, name: str) -> Sequence[str]:
    """Return the text of PDFium's characters on a page by their numbers; one character may be several letters or none.

    Raises
    ------
    InputError
        If the page alone is too large.
    """
    character_count = text_page.count_chars()
    if character_count > MAX_FILE_BYTES:
        raise too_large_error(name, character_count, "at least ", refused_item_noun="the text")
    character_texts = text_page.get_text_bounded(
        -_BEYOND_PAGE_COORDINATE, -_BEYOND_PAGE_COORDINATE, _BEYOND_PAGE_COORDINATE, _BEYOND_PAGE_COORDINATE
    )
    if len(character_texts) != character_count or chr(_JOINED_HYPHEN_CODE) in character_texts:
        character_texts = _decode_page_characters(text_page, character_count)
    return _reverse_page_hebrew_arabic_words(text_page, character_texts)


def _decode_page_characters(text_page: PdfTextPage, character_count: int) -> list[str]:
    """Return the text of each character of a page, if PDFium's own string differs in length or joins hyphens."""
    from pypdfium2.raw import FPDFText_GetUnicode, FPDFText_IsHyphen

    character_codes = [FPDFText_GetUnicode(text_page.raw, index) for index in range(character_count)]
    character_texts = [chr(code) if 0 < code <= sys.maxunicode else "" for code in character_codes]
    for character_index, character_code in enumerate(character_codes):
        if character_code == _JOINED_HYPHEN_CODE and FPDFText_IsHyphen(text_page.raw, character_index) == 1:
            character_texts[character_index] = "-\n"
        elif (
            "\ud800" <= character_texts[character_index] <= "\udbff"
            and character_index + 1 < character_count
            and "\udc00" <= character_texts[character_index + 1] <= "\udfff"
        ):
            # The halves of a letter beyond the first 65,536, such as an emoji.
            joined_surrogate_pair = (
                (character_texts[character_index] + character_texts[character_index + 1])
                .encode("utf-16-le", "surrogatepass")
                .decode("utf-16-le")
            )
            character_texts[character_index : character_index + 2] = [joined_surrogate_pair, ""]
    return character_texts


def _reverse_page_hebrew_arabic_words(text_page: PdfTextPage, character_texts: Sequence[str]) -> Sequence[str]:
    """Turn words of Arabic and Hebrew round that PDFium leaves as they are drawn, from left to right.

    It does so where a font has all letters of a word as presentation forms, as in files that Chromium prints.
    """
    corrected_characters = list[str]()
    # One character a place, so that places in the string are PDFium's numbers.
    page_string = (
        character_texts
        if isinstance(character_texts, str)
        else "".join(char if len(char) == 1 else " " for char in character_texts)
    )
    for right_to_left_match in _RIGHT_TO_LEFT_WORD_PATTERN.finditer(page_string):
        start, end = right_to_left_match.span()
        character_middles = [left + right for left, _, right, _ in map(text_page.get_charbox, range(start, end))]
        # Vowel signs lie anywhere above their letter, so what most neighbours do counts.
        if sum((after > before) - (after < before) for before, after in pairwise(character_middles)) > 0:
            corrected_characters = corrected_characters or list(character_texts)
            corrected_characters[start:end] = corrected_characters[start:end][::-1]
    return corrected_characters or character_texts


class DrawnLine(NamedTuple):
    """Vertical position of a text line on its page, from 0 to 1, and its size relative to the page's median line."""

    height: float
    size: float


def _locate_and_measure_edge_lines(
    page: PdfPage, text_page: PdfTextPage, character_texts: Sequence[str]
) -> dict[int, DrawnLine]:
    """Return the height and the size of the first and last lines of a page, by their numbers among its lines.

    Files may have headers, footers and text in any order.
    """
    from pypdfium2.raw import FPDF_PageToDevice

    line_number, first_character_index_by_line = 0, dict[int, int]()
    for character_index, char in enumerate(character_texts):
        if char.strip():
            first_character_index_by_line.setdefault(line_number, character_index)
        line_number += char.count("\n")
    visible_line_numbers = list(first_character_index_by_line)

    def line_height(measured_line_number: int) -> float:
        _, bottom, _, top = text_page.get_charbox(first_character_index_by_line[measured_line_number], loose=True)
        return float(top - bottom)

    median_line_height = (
        median(
            map(line_height, visible_line_numbers[:: max(1, len(visible_line_numbers) // _LINES_SAMPLED_FOR_MEDIAN_HEIGHT)])
        )
        if visible_line_numbers
        else 0
    )
    position_by_line_number = {}
    for edge_line_number in {*visible_line_numbers[:MOST_EDGE_LINES], *visible_line_numbers[-MOST_EDGE_LINES:]}:
        character_left, character_bottom, _, _ = text_page.get_charbox(first_character_index_by_line[edge_line_number])
        device_x, device_y = c_int(), c_int()
        # As it is seen: rotated, and without what is cropped.
        if FPDF_PageToDevice(
            page.raw,
            0,
            0,
            _PAGE_HEIGHT_STEPS,
            _PAGE_HEIGHT_STEPS,
            0,
            character_left,
            character_bottom,
            byref(device_x),
            byref(device_y),
        ):
            position_by_line_number[edge_line_number] = DrawnLine(
                1 - device_y.value / _PAGE_HEIGHT_STEPS,
                line_height(edge_line_number) / median_line_height if median_line_height > 0 else 1.0,
            )
    return position_by_line_number


def _count_pictures_on_page(page: PdfPage) -> int:
    """Count the pictures on a page."""
    from pypdfium2 import raw

    picture_count = 0
    # Not page.get_objects: an object of Python for every letter that is placed by itself takes longer than all else.
    unvisited_containers = [(raw.FPDFPage_GetObject, page.raw, raw.FPDFPage_CountObjects(page.raw), 0)]
    while unvisited_containers:
        get_contained_object, container, contained_object_count, depth = unvisited_containers.pop()
        for object_index in range(contained_object_count):
            page_object = get_contained_object(container, object_index)
            object_type = raw.FPDFPageObj_GetType(page_object)
            if object_type == raw.FPDF_PAGEOBJ_IMAGE:
                picture_count += 1
            elif object_type == raw.FPDF_PAGEOBJ_FORM and depth < _MAX_FORM_NESTING_DEPTH:
                unvisited_containers.append(
                    (raw.FPDFFormObj_GetObject, page_object, raw.FPDFFormObj_CountObjects(page_object), depth + 1)
                )
    return picture_count


def _count_damaged_streams(data: bytes) -> int:
    """Count the streams of a file that cannot be unpacked, pictures apart.

    PDFium reads what is left of them, and does not say so. Streams that are not deflated are not checked, nor those of
    a protected file.
    """
    damaged_stream_count = search_offset = 0
    remaining_unpacked_byte_limit = 0 if b"/Encrypt" in data else MAX_UNPACKED_BYTES
    while remaining_unpacked_byte_limit > 0 and (stream_keyword_match := _STREAM_PATTERN.search(data, search_offset)):
        stream_end = data.find(b"endstream", stream_keyword_match.end())
        bytes_before_stream = data[
            max(0, stream_keyword_match.start() - _LONGEST_STREAM_DICTIONARY) : stream_keyword_match.start()
        ]
        stream_dictionary_bytes = bytes_before_stream[bytes_before_stream.rfind(b" obj") + 1 :]
        stream_end = stream_end if stream_end >= 0 else len(data)
        search_offset = stream_end
        if b"/Image" in stream_dictionary_bytes or not _DEFLATED_STREAM_PATTERN.search(stream_dictionary_bytes):
            continue
        packed_bytes, decompressor = data[stream_keyword_match.end() : stream_end], zlib.decompressobj()
        try:
            while packed_bytes and remaining_unpacked_byte_limit > 0 and not decompressor.eof:
                remaining_unpacked_byte_limit -= len(decompressor.decompress(packed_bytes, _BYTES_UNPACKED_PER_STEP))
                packed_bytes = decompressor.unconsumed_tail
            damaged_stream_count += remaining_unpacked_byte_limit > 0 and not decompressor.eof
        except zlib.error:
            damaged_stream_count += 1
    return damaged_stream_count


class RunningLine(NamedTuple):
    """A running line of a page: a header, footer or page number that recurs on most pages.

    Attributes
    ----------
    line_number
        Number of the line on its page, from 0.
    text
        Text of the line.
    is_at_top
        True if it was found from the page's beginning.
    is_page_number_alone
        True if the line is only a page number.
    has_page_number
        True if the line has the page number, so that it is not the same on all these pages.
    """

    line_number: int
    text: str
    is_at_top: bool
    is_page_number_alone: bool
    has_page_number: bool


RunningLineTemplate = tuple[str, str, int | str]
"""Text of a line before and after its page number, and the number's offset from the page's place in the file, or ``label``
if it is the page's label; or the whole line, an empty text and ``whole``."""


def find_header_footer_lines(page_texts: Sequence[str], page_labels: Sequence[str]) -> list[list[RunningLine]]:
    """Return, for every page, the lines that are running headers, running footers or page numbers.

    A line counts as a running line only if it is among the first or the last lines of its page, with nothing but running
    lines between it and the edge of the page. The same line must recur on most pages, or on most left-hand or most
    right-hand pages, and on at least `LEAST_PAGES_WITH_LINE` pages. Two lines are the same if they agree character by
    character, apart from white space and one number, which must be the page's label or its position in the file, up to a
    difference that is the same on all these pages. A line with other numbers, such as a row of a table, is text. If the
    lines at the edge of most pages begin or end with the page number, whatever else they say, the number by itself is a
    running line too, and so is a chapter title with the number, if two pages have it.

    A line that numbers the parts of a text, such as “Chapter 3”, is text even if every page begins a part.

    On the first page, a header without the page number is kept, because it may be the title. If these rules left text on
    fewer than half of the pages that have text, all lines are kept.
    """
    lines_by_page = [page.split("\n") for page in page_texts]
    running_lines_by_page: list[list[RunningLine]] = [[] for _ in page_texts]
    for is_upper_edge in (True, False):
        _add_headers_or_footers(lines_by_page, page_labels, running_lines_by_page, is_upper_edge=is_upper_edge)
    text_page_numbers = [number for number, some in enumerate(lines_by_page) if any(map(str.strip, some))]
    page_count_with_body = 0
    for page_number in text_page_numbers:
        removed_line_numbers = {running_line.line_number for running_line in running_lines_by_page[page_number]}
        page_count_with_body += any(
            line.strip() and index not in removed_line_numbers for index, line in enumerate(lines_by_page[page_number])
        )
    return running_lines_by_page if 2 * page_count_with_body >= len(text_page_numbers) else [[] for _ in page_texts]


def _add_headers_or_footers(
    lines_by_page: Sequence[Sequence[str]],
    page_labels: Sequence[str],
    running_lines_by_page: Sequence[list[RunningLine]],
    *,
    is_upper_edge: bool,
) -> None:
    """Add the running lines at one edge of the pages, from the outermost inwards."""
    line_iterators = [
        _lines_from_edge(some, taken, is_upper_edge=is_upper_edge)
        for some, taken in zip(lines_by_page, running_lines_by_page, strict=True)
    ]
    outermost_lines = [next(some, None) for some in line_iterators]
    for _ in range(MOST_EDGE_LINES):
        line_patterns_by_page_number = {
            number: _comparable_forms_of_line(lines[1], number + 1, page_labels[number])
            for number, lines in enumerate(outermost_lines)
            if lines is not None
        }
        recurring_patterns = _recurring_patterns(line_patterns_by_page_number)
        if not recurring_patterns:
            return
        for page_number, patterns_of_line in line_patterns_by_page_number.items():
            outermost_line_of_page = outermost_lines[page_number]
            shared_patterns = [pattern for pattern in patterns_of_line if pattern in recurring_patterns]
            if not shared_patterns or outermost_line_of_page is None:
                continue
            line_index, line_text = outermost_line_of_page
            patterns_with_page_number = [pattern for pattern in shared_patterns if pattern[2] != "whole"]
            if patterns_with_page_number or page_number > 0 or not is_upper_edge:
                is_bare_page_number = any(not before and not after for before, after, _ in patterns_with_page_number)
                running_lines_by_page[page_number].append(
                    RunningLine(line_index, line_text, is_upper_edge, is_bare_page_number, bool(patterns_with_page_number))
                )
            outermost_lines[page_number] = next(line_iterators[page_number], None)


def _lines_from_edge(
    lines: Sequence[str], running_lines_of_page: Sequence[RunningLine], *, is_upper_edge: bool
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page that are not blank nor taken yet, with their numbers, from an edge."""
    running_line_indices = {running_line.line_number for running_line in running_lines_of_page}
    line_indices_from_edge = range(len(lines)) if is_upper_edge else range(len(lines) - 1, -1, -1)
    for line_index_in_page in line_indices_from_edge:
        line_text = " ".join(lines[line_index_in_page].split())
        if line_text and line_index_in_page not in running_line_indices:
            yield line_index_in_page, line_text


def _comparable_forms_of_line(line_text: str, page_number: int, page_label: str) -> list[RunningLineTemplate]:
    """Return the patterns that a line may share with lines of other pages."""
    if len(line_text) > LONGEST_RUNNING_LINE:
        return []
    line_templates: list[RunningLineTemplate] = [(line_text, "", "whole")]
    for number_or_label_match in _NUMBER_IN_LINE_PATTERN.finditer(line_text):
        line_templates.append(
            (
                line_text[: number_or_label_match.start()],
                line_text[number_or_label_match.end() :],
                int(number_or_label_match[0]) - page_number,
            )
        )
    for number_or_label_match in _WORD.finditer(line_text):
        if number_or_label_match[0].casefold() == page_label.casefold():
            line_templates.append(
                (line_text[: number_or_label_match.start()], line_text[number_or_label_match.end() :], "label")
            )
    return [
        pattern
        for pattern in dict.fromkeys(line_templates)
        if pattern[2] == "whole" or not _DIVISION_NOUN_PATTERN.fullmatch(pattern[0])
    ]


def _recurring_patterns(patterns_by_page: dict[int, list[RunningLineTemplate]]) -> set[RunningLineTemplate]:
    """Return the patterns of lines that are on most pages, or on most of those with an even or with an odd number."""
    recurring_patterns: set[RunningLineTemplate] = set()
    for templates_by_page_in_group in (
        patterns_by_page,
        *({n: own_patterns for n, own_patterns in patterns_by_page.items() if n % 2 == side} for side in (0, 1)),
    ):
        page_count_by_pattern = Counter(
            pattern for own_patterns in templates_by_page_in_group.values() for pattern in own_patterns
        )
        recurring_patterns |= {
            pattern
            for pattern, count in page_count_by_pattern.items()
            if count >= LEAST_PAGES_WITH_LINE and 2 * count > len(templates_by_page_in_group)
        }
    return recurring_patterns | _find_patterns_with_page_number(patterns_by_page)


def _find_patterns_with_page_number(patterns_by_page: dict[int, list[RunningLineTemplate]]) -> set[RunningLineTemplate]:
    """Return the patterns of lines that begin or end with the number of the page, where those of most pages do."""
    templates_with_outermost_number = [
        [pattern for pattern in own_patterns if pattern[2] != "whole" and not (pattern[0] and pattern[1])]
        for own_patterns in patterns_by_page.values()
    ]
    page_count_by_number_shift = Counter(
        shift for own_patterns in templates_with_outermost_number for shift in {shift for _, _, shift in own_patterns}
    )
    recurring_number_shifts = {
        shift
        for shift, count in page_count_by_number_shift.items()
        if count >= LEAST_PAGES_WITH_LINE and 2 * count > len(patterns_by_page)
    }
    page_count_by_pattern = Counter(
        pattern
        for own_patterns in templates_with_outermost_number
        for pattern in own_patterns
        if pattern[2] in recurring_number_shifts
    )
    return {pattern for pattern, count in page_count_by_pattern.items() if count > 1 or not (pattern[0] or pattern[1])}


def _choose_separators_between_pages(texts: Sequence[str]) -> Iterator[str]:
    """Yield the separator between every two pages: a blank line, or a line end where a sentence continues."""
    previous_page_text = ""
    for next_page_number, page_text in enumerate(texts):
        stripped_page = page_text.strip()
        if next_page_number:
            sentence_continues = (
                previous_page_text
                and stripped_page
                and (previous_page_text[-1].isalnum() or previous_page_text[-1] in ",;-–—\u00ad")
                and stripped_page[0].islower()
            )
            yield "\n" if sentence_continues else "\n\n"
        previous_page_text = stripped_page or previous_page_text
