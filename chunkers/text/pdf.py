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

from chunkers.support import MAX_BYTES, MAX_UNPACKED, InputError
from chunkers.text.extracted_text import ExtractedText, Omission, PartCollector, shorten, too_large_error

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

LEAST_RETURNS = 4
"""Pages on which a line must stand to be one that returns."""

MOST_LINES = 4
"""Maximum number of lines at the top, and as many at the bottom of a page, that are looked at."""

LONGEST_RUNNING = 200
"""Maximum number of characters of a running header or footer; a longer line is text."""

EDGE = 0.12
"""Share of a page's height, at its top and as much at its bottom, within which headers and footers are drawn."""

LARGER = 1.15
"""Height of a line, in lines of the page's text, above which it is a heading though it has the page's number."""

_FINE = 10_000
"""Steps into which the height of a page is divided."""

_MEASURED = 30
"""About as many lines of a page are measured to know how large its text is."""

_FAR = 1e9
"""Points from the page's origin beyond which no text is looked for."""

_JOINED = 2
"""The code that PDFium puts in place of a hyphen and the end of its line."""

_LONGEST_DICTIONARY = 2000
"""Maximum number of bytes before a stream within which its dictionary is looked for."""

_AT_ONCE = 1_000_000
"""Bytes to which a stream is unpacked at a time."""

_NESTED_FORMS = 15
"""Forms within each other in which pictures are counted."""

_STREAM = re.compile(rb"(?<!end)stream\r?\n")
_DEFLATED = re.compile(rb"/Filter\s*(?:\[\s*)?/Fl(?:ateDecode)?\b")
_NUMBER = re.compile(r"\d{1,6}")
_WORD = re.compile(r"\w+")
# Before a number, or around it as in 第3章, these announce a part of the text; if every page begins one, it is no header.
_DIVISION = re.compile(
    r"(?:appendix|article|book|chapter|day|episode|exercise|lecture|lesson|module|part|problem|question|section|session|unit"
    r"|week|abschnitt|aufgabe|frage|kapitel|lektion|teil|übung|woche|chapitre|leçon|partie|capítulo|lección|parte|sección"
    r"|unidad|capitolo|lezione|sezione|deel|hoofdstuk|les|глава|часть|раздел|урок|第|§)[\s:#.№]*",
    re.IGNORECASE,
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]{2,}")


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
    drawn_lines_by_page: list[dict[int, DrawnLine]] = []
    omissions: list[Omission] = []
    with closing(pdf_document):
        for number in range(len(pdf_document)):
            with closing(pdf_document[number]) as page:
                with closing(page.get_textpage()) as text_page:
                    character_texts = _page_character_texts(text_page, name)
                    drawn_lines_by_page.append(_drawn_edge_lines(page, text_page, character_texts))
                pdf_page_collector.add("".join(character_texts).replace("\r", ""), pdf_document.get_page_label(number))
                picture_count = _count_pictures(page)
            if picture_count:
                omissions.append(Omission("picture", picture_count, number))
    if damaged_stream_count := _count_damaged_streams(data):
        omissions.append(Omission("damaged stream", damaged_stream_count))
    running_lines_by_page = running_lines(pdf_page_collector.texts, pdf_page_collector.labels)
    for number, lines_on_page in enumerate(running_lines_by_page):
        removed_line_numbers = set()
        for line in lines_on_page:
            vertical_position, relative_line_size = drawn_lines_by_page[number].get(
                line.place, DrawnLine(float(line.upper), 1.0)
            )
            if EDGE < vertical_position < 1 - EDGE or (line.counts and not line.bare and relative_line_size > LARGER):
                # A line of the text, however often it is there; or a heading whose number is by chance that of the page.
                continue
            omission_kind = (
                "page number" if line.bare else "repeated header" if vertical_position > 0.5 else "repeated footer"
            )
            omissions.append(Omission(omission_kind, 1, number, shorten(line.words, LONGEST_RUNNING)))
            removed_line_numbers.add(line.place)
        kept_lines = [
            line
            for place, line in enumerate(pdf_page_collector.texts[number].split("\n"))
            if place not in removed_line_numbers
        ]
        # Without the ends of lines at its edges, so that what stands between two pages is the joint.
        pdf_page_collector.texts[number] = "\n".join(kept_lines).lstrip("\n").rstrip()
    omissions.sort(key=lambda omission: omission.part or 0)
    return pdf_page_collector.joined(omissions, _page_separators(pdf_page_collector.texts))


def _page_character_texts(drawn: PdfTextPage, name: str) -> Sequence[str]:
    """Return the text of PDFium's characters on a page by their numbers; one character may be several letters or none.

    Raises
    ------
    InputError
        If the page alone is too large.
    """
    character_count = drawn.count_chars()
    if character_count > MAX_BYTES:
        raise too_large_error(name, character_count, "at least ", what="the text")
    character_texts = drawn.get_text_bounded(-_FAR, -_FAR, _FAR, _FAR)
    if len(character_texts) != character_count or chr(_JOINED) in character_texts:
        character_texts = _texts_of_characters(drawn, character_count)
    return _reverse_drawn_words(drawn, character_texts)


def _texts_of_characters(drawn: PdfTextPage, count: int) -> list[str]:
    """Return the text of each character of a page, if PDFium's own string differs in length or joins hyphens."""
    from pypdfium2.raw import FPDFText_GetUnicode, FPDFText_IsHyphen

    character_codes = [FPDFText_GetUnicode(drawn.raw, index) for index in range(count)]
    character_texts = [chr(code) if 0 < code <= sys.maxunicode else "" for code in character_codes]
    for index, code in enumerate(character_codes):
        if code == _JOINED and FPDFText_IsHyphen(drawn.raw, index) == 1:
            character_texts[index] = "-\n"
        elif (
            "\ud800" <= character_texts[index] <= "\udbff"
            and index + 1 < count
            and "\udc00" <= character_texts[index + 1] <= "\udfff"
        ):
            # The halves of a letter beyond the first 65,536, such as an emoji.
            joined_surrogate_pair = (
                (character_texts[index] + character_texts[index + 1])
                .encode("utf-16-le", "surrogatepass")
                .decode("utf-16-le")
            )
            character_texts[index : index + 2] = [joined_surrogate_pair, ""]
    return character_texts


def _reverse_drawn_words(drawn: PdfTextPage, text: Sequence[str]) -> Sequence[str]:
    """Turn words of Arabic and Hebrew round that PDFium leaves as they are drawn, from left to right.

    It does so where a font has all letters of a word as presentation forms, as in files that Chromium prints.
    """
    reversed_characters = list[str]()
    # One character a place, so that places in the string are PDFium's numbers.
    page_string = text if isinstance(text, str) else "".join(char if len(char) == 1 else " " for char in text)
    for right_to_left_word in _RIGHT_TO_LEFT.finditer(page_string):
        start, end = right_to_left_word.span()
        character_middles = [left + right for left, _, right, _ in map(drawn.get_charbox, range(start, end))]
        # Vowel signs lie anywhere above their letter, so what most neighbours do counts.
        if sum((after > before) - (after < before) for before, after in pairwise(character_middles)) > 0:
            reversed_characters = reversed_characters or list(text)
            reversed_characters[start:end] = reversed_characters[start:end][::-1]
    return reversed_characters or text


class DrawnLine(NamedTuple):
    """Vertical position of a text line on its page, from 0 to 1, and its size relative to the page's median line."""

    height: float
    size: float


def _drawn_edge_lines(page: PdfPage, drawn: PdfTextPage, text: Sequence[str]) -> dict[int, DrawnLine]:
    """Return the height and the size of the first and last lines of a page, by their numbers among its lines.

    Files may have headers, footers and text in any order.
    """
    from pypdfium2.raw import FPDF_PageToDevice

    line_number, first_character_by_line = 0, dict[int, int]()
    for index, char in enumerate(text):
        if char.strip():
            first_character_by_line.setdefault(line_number, index)
        line_number += char.count("\n")
    visible_line_numbers = list(first_character_by_line)

    def line_height(place: int) -> float:
        _, bottom, _, top = drawn.get_charbox(first_character_by_line[place], loose=True)
        return float(top - bottom)

    median_height = (
        median(map(line_height, visible_line_numbers[:: max(1, len(visible_line_numbers) // _MEASURED)]))
        if visible_line_numbers
        else 0
    )
    drawn_lines = {}
    for edge_line_number in {*visible_line_numbers[:MOST_LINES], *visible_line_numbers[-MOST_LINES:]}:
        left, bottom, _, _ = drawn.get_charbox(first_character_by_line[edge_line_number])
        x, y = c_int(), c_int()
        # As it is seen: rotated, and without what is cropped.
        if FPDF_PageToDevice(page.raw, 0, 0, _FINE, _FINE, 0, left, bottom, byref(x), byref(y)):
            drawn_lines[edge_line_number] = DrawnLine(
                1 - y.value / _FINE, line_height(edge_line_number) / median_height if median_height > 0 else 1.0
            )
    return drawn_lines


def _count_pictures(page: PdfPage) -> int:
    """Count the pictures on a page."""
    from pypdfium2 import raw

    picture_count = 0
    # Not page.get_objects: an object of Python for every letter that is placed by itself takes longer than all else.
    unvisited_holders = [(raw.FPDFPage_GetObject, page.raw, raw.FPDFPage_CountObjects(page.raw), 0)]
    while unvisited_holders:
        get_object, holder, object_count, depth = unvisited_holders.pop()
        for index in range(object_count):
            page_object = get_object(holder, index)
            object_type = raw.FPDFPageObj_GetType(page_object)
            if object_type == raw.FPDF_PAGEOBJ_IMAGE:
                picture_count += 1
            elif object_type == raw.FPDF_PAGEOBJ_FORM and depth < _NESTED_FORMS:
                unvisited_holders.append(
                    (raw.FPDFFormObj_GetObject, page_object, raw.FPDFFormObj_CountObjects(page_object), depth + 1)
                )
    return picture_count


def _count_damaged_streams(data: bytes) -> int:
    """Count the streams of a file that cannot be unpacked, pictures apart.

    PDFium reads what is left of them, and does not say so. Streams that are not deflated are not checked, nor those of
    a protected file.
    """
    damaged_stream_count = search_offset = 0
    unpacking_budget = 0 if b"/Encrypt" in data else MAX_UNPACKED
    while unpacking_budget > 0 and (stream_keyword_match := _STREAM.search(data, search_offset)):
        stream_end = data.find(b"endstream", stream_keyword_match.end())
        bytes_before = data[max(0, stream_keyword_match.start() - _LONGEST_DICTIONARY) : stream_keyword_match.start()]
        stream_dictionary_bytes = bytes_before[bytes_before.rfind(b" obj") + 1 :]
        stream_end = stream_end if stream_end >= 0 else len(data)
        search_offset = stream_end
        if b"/Image" in stream_dictionary_bytes or not _DEFLATED.search(stream_dictionary_bytes):
            continue
        packed_bytes, decompressor = data[stream_keyword_match.end() : stream_end], zlib.decompressobj()
        try:
            while packed_bytes and unpacking_budget > 0 and not decompressor.eof:
                unpacking_budget -= len(decompressor.decompress(packed_bytes, _AT_ONCE))
                packed_bytes = decompressor.unconsumed_tail
            damaged_stream_count += unpacking_budget > 0 and not decompressor.eof
        except zlib.error:
            damaged_stream_count += 1
    return damaged_stream_count


class RunningLine(NamedTuple):
    """A running line of a page: a header, footer or page number that recurs on most pages.

    Attributes
    ----------
    place
        Number of the line on its page, from 0.
    words
        Text of the line.
    upper
        True if it was found from the page's beginning.
    bare
        True if the line is only a page number.
    counts
        True if the line has the page number, so that it is not the same on all these pages.
    """

    place: int
    words: str
    upper: bool
    bare: bool
    counts: bool


Pattern = tuple[str, str, int | str]
"""Text of a line before and after its page number, and the number's offset from the page's place in the file, or ``label``
if it is the page's label; or the whole line, an empty text and ``whole``."""


def running_lines(pages: Sequence[str], labels: Sequence[str]) -> list[list[RunningLine]]:
    """Return, for every page, the lines that are running headers, running footers or page numbers.

    A line counts as a running line only if it is among the first or the last lines of its page, with nothing but running
    lines between it and the edge of the page. The same line must recur on most pages, or on most left-hand or most
    right-hand pages, and on at least `LEAST_RETURNS` pages. Two lines are the same if they agree character by character,
    apart from white space and one number, which must be the page's label or its position in the file, up to a difference
    that is the same on all these pages. A line with other numbers, such as a row of a table, is text. If the lines at
    the edge of most pages begin or end with the page number, whatever else they say, the number by itself is a running
    line too, and so is a chapter title with the number, if two pages have it.

    A line that numbers the parts of a text, such as “Chapter 3”, is text even if every page begins a part.

    On the first page, a header without the page number is kept, because it may be the title. If these rules left text on
    fewer than half of the pages that have text, all lines are kept.
    """
    lines_by_page = [page.split("\n") for page in pages]
    running_lines_by_page: list[list[RunningLine]] = [[] for _ in pages]
    for is_upper_edge in (True, False):
        _add_running_lines(lines_by_page, labels, running_lines_by_page, upper=is_upper_edge)
    text_page_numbers = [number for number, some in enumerate(lines_by_page) if any(map(str.strip, some))]
    page_count_with_body = 0
    for number in text_page_numbers:
        removed_line_numbers = {running_line.place for running_line in running_lines_by_page[number]}
        page_count_with_body += any(
            line.strip() and index not in removed_line_numbers for index, line in enumerate(lines_by_page[number])
        )
    return running_lines_by_page if 2 * page_count_with_body >= len(text_page_numbers) else [[] for _ in pages]


def _add_running_lines(
    lines: Sequence[Sequence[str]], labels: Sequence[str], running_by_page: Sequence[list[RunningLine]], *, upper: bool
) -> None:
    """Add the running lines at one edge of the pages, from the outermost inwards."""
    line_iterators = [_lines_from_edge(some, taken, upper=upper) for some, taken in zip(lines, running_by_page, strict=True)]
    outermost_lines = [next(some, None) for some in line_iterators]
    for _ in range(MOST_LINES):
        line_patterns_by_page_number = {
            number: _line_patterns(lines[1], number + 1, labels[number])
            for number, lines in enumerate(outermost_lines)
            if lines is not None
        }
        recurring_patterns = _recurring_patterns(line_patterns_by_page_number)
        if not recurring_patterns:
            return
        for number, patterns_of_line in line_patterns_by_page_number.items():
            outermost_line_of_page = outermost_lines[number]
            shared_patterns = [pattern for pattern in patterns_of_line if pattern in recurring_patterns]
            if not shared_patterns or outermost_line_of_page is None:
                continue
            line_index, line_text = outermost_line_of_page
            numbered_patterns = [pattern for pattern in shared_patterns if pattern[2] != "whole"]
            if numbered_patterns or number > 0 or not upper:
                is_bare_page_number = any(not before and not after for before, after, _ in numbered_patterns)
                running_by_page[number].append(
                    RunningLine(line_index, line_text, upper, is_bare_page_number, bool(numbered_patterns))
                )
            outermost_lines[number] = next(line_iterators[number], None)


def _lines_from_edge(
    lines: Sequence[str], running_before: Sequence[RunningLine], *, upper: bool
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page that are not blank nor taken yet, with their numbers, from an edge."""
    running_line_indices = {running_line.place for running_line in running_before}
    line_order = range(len(lines)) if upper else range(len(lines) - 1, -1, -1)
    for line_index in line_order:
        line_text = " ".join(lines[line_index].split())
        if line_text and line_index not in running_line_indices:
            yield line_index, line_text


def _line_patterns(words: str, number: int, label: str) -> list[Pattern]:
    """Return the patterns that a line may share with lines of other pages."""
    if len(words) > LONGEST_RUNNING:
        return []
    patterns: list[Pattern] = [(words, "", "whole")]
    for number_or_label_match in _NUMBER.finditer(words):
        patterns.append(
            (
                words[: number_or_label_match.start()],
                words[number_or_label_match.end() :],
                int(number_or_label_match[0]) - number,
            )
        )
    for number_or_label_match in _WORD.finditer(words):
        if number_or_label_match[0].casefold() == label.casefold():
            patterns.append((words[: number_or_label_match.start()], words[number_or_label_match.end() :], "label"))
    return [pattern for pattern in dict.fromkeys(patterns) if pattern[2] == "whole" or not _DIVISION.fullmatch(pattern[0])]


def _recurring_patterns(patterns: dict[int, list[Pattern]]) -> set[Pattern]:
    """Return the patterns of lines that are on most pages, or on most of those with an even or with an odd number."""
    recurring_patterns: set[Pattern] = set()
    for patterns_of_pages in (
        patterns,
        *({n: own_patterns for n, own_patterns in patterns.items() if n % 2 == side} for side in (0, 1)),
    ):
        page_count_by_pattern = Counter(pattern for own_patterns in patterns_of_pages.values() for pattern in own_patterns)
        recurring_patterns |= {
            pattern
            for pattern, count in page_count_by_pattern.items()
            if count >= LEAST_RETURNS and 2 * count > len(patterns_of_pages)
        }
    return recurring_patterns | _page_number_patterns(patterns)


def _page_number_patterns(patterns: dict[int, list[Pattern]]) -> set[Pattern]:
    """Return the patterns of lines that begin or end with the number of the page, where those of most pages do."""
    edge_number_patterns = [
        [pattern for pattern in own_patterns if pattern[2] != "whole" and not (pattern[0] and pattern[1])]
        for own_patterns in patterns.values()
    ]
    page_count_by_shift = Counter(
        shift for own_patterns in edge_number_patterns for shift in {shift for _, _, shift in own_patterns}
    )
    recurring_number_shifts = {
        shift for shift, count in page_count_by_shift.items() if count >= LEAST_RETURNS and 2 * count > len(patterns)
    }
    page_count_by_pattern = Counter(
        pattern for own_patterns in edge_number_patterns for pattern in own_patterns if pattern[2] in recurring_number_shifts
    )
    return {pattern for pattern, count in page_count_by_pattern.items() if count > 1 or not (pattern[0] or pattern[1])}


def _page_separators(texts: Sequence[str]) -> Iterator[str]:
    """Yield the separator between every two pages: a blank line, or a line end where a sentence continues."""
    previous_page_text = ""
    for number, text in enumerate(texts):
        stripped_page = text.strip()
        if number:
            sentence_continues = (
                previous_page_text
                and stripped_page
                and (previous_page_text[-1].isalnum() or previous_page_text[-1] in ",;-–—\u00ad")
                and stripped_page[0].islower()
            )
            yield "\n" if sentence_continues else "\n\n"
        previous_page_text = stripped_page or previous_page_text
