"""The text of a PDF: its pages with their labels, without the lines that return at the top or bottom of most pages."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from chunkers.errors import InputError
from chunkers.text.extracted import Collected, Extracted, LeftOut
from chunkers.text.parts import shortened

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

LEAST_RETURNS = 4
"""Pages on which a line must stand to be one that returns."""

MOST_LINES = 4
"""Lines at the top, and as many at the bottom of a page, that are looked at."""

LONGEST_RUNNING = 200
"""Characters of a running header or footer; a longer line is text."""

EDGE = 0.12
"""Share of a page's height, at its top and as much at its bottom, within which headers and footers are drawn."""

MOST_LOOKS = 20
"""Pages on which it is looked up where lines that return are drawn."""

LONGEST_LOOK = 100_000
"""Characters of such a page."""

_NUMBER = re.compile(r"\d{1,6}")
_WORD = re.compile(r"\w+")


def read_pdf(data: bytes, name: str) -> Extracted:
    """Return the text of the pages, separated by blank lines; where a sentence goes on, by the end of a line.

    Raises
    ------
    InputError
        If the file is locked, or its text too large.
    """
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise InputError(f"{name}: the PDF must be readable without a password; it is locked.")
    labels = _labels(reader)
    pages = Collected(name, "page")
    left_out: list[LeftOut] = []
    for number, page in enumerate(reader.pages):
        pages.add(page.extract_text(), labels[number] if number < len(labels) else "")
        objects = (page.get("/Resources") or {}).get("/XObject") or {}
        pictures = sum(objects[key].get("/Subtype") == "/Image" for key in objects)
        if pictures:
            left_out.append(LeftOut("picture", pictures, number))
    running = running_lines(pages.texts, pages.labels)
    heights = _Heights(reader, pages.texts)
    for number, lines in enumerate(running):
        gone = set()
        for line in lines:
            height = heights(number, line)
            if EDGE < height < 1 - EDGE:
                # A line of the text, however often it is there.
                continue
            what = "page number" if line.bare else "repeated header" if height > 0.5 else "repeated footer"
            left_out.append(LeftOut(what, 1, number, shortened(line.words, LONGEST_RUNNING)))
            gone.add(line.place)
        kept = [line for place, line in enumerate(pages.texts[number].split("\n")) if place not in gone]
        # Without the ends of lines at its edges, so that what stands between two pages is the joint.
        pages.texts[number] = "\n".join(kept).lstrip("\n").rstrip()
    left_out.sort(key=lambda one: one.part or 0)
    return pages.joined(left_out, _joints(pages.texts))


def _labels(reader: PdfReader) -> list[str]:
    """Return the labels of the pages that have one; a PDF whose labels are damaged has none."""
    try:
        return list(reader.page_labels)
    # Damaged files raise errors of any type, and can be read without their labels.
    except Exception:
        return []


def _extent(page: PageObject) -> tuple[float, float] | None:
    """Return where a page begins and ends, from below, in its own units; None where the file does not say its size."""
    try:
        bottom, top = float(page.mediabox.bottom), float(page.mediabox.top)
        return (bottom, top) if top > bottom else None
    # As for labels.
    except Exception:
        return None


class Running(NamedTuple):
    """A line of a page that returns on most pages.

    Attributes
    ----------
    place
        Its number among the lines of the page, from 0.
    words
        What it says.
    upper
        Whether it was found from the page's beginning.
    bare
        Whether it is a page number and nothing else.
    """

    place: int
    words: str
    upper: bool
    bare: bool


class _Heights:
    """How high on their pages running lines are drawn: files may have headers, footers and text in any order.

    It is looked up once for lines that differ in numbers alone, and on at most `MOST_LOOKS` pages, as each is read again.
    """

    def __init__(self, reader: PdfReader, texts: Sequence[str]) -> None:
        self._reader = reader
        self._lengths = [len(text) for text in texts]
        self._known: dict[tuple[bool, str], float] = {}
        self._pages: dict[int, dict[str, float]] = {}

    def __call__(self, number: int, line: Running) -> float:
        """Return how high a line of page ``number`` is drawn, from 0 to 1; where that cannot be told, at the file's edge."""
        alike = line.upper, _NUMBER.sub("0", line.words)
        if alike not in self._known:
            self._known[alike] = self._on_page(number).get(line.words, float(line.upper))
        return self._known[alike]

    def _on_page(self, number: int) -> dict[str, float]:
        """Return for the short pieces of a page's text how high they are drawn, from 0 to 1."""
        found = self._pages.get(number, {})
        page = self._reader.pages[number]
        extent = _extent(page)
        if number in self._pages or len(self._pages) == MOST_LOOKS or self._lengths[number] > LONGEST_LOOK or extent is None:
            return found
        bottom, top = extent

        def drawn(text: str, cm: Sequence[float], tm: Sequence[float], *_: Any) -> None:
            words = " ".join(text.split())
            if words:
                found.setdefault(words, (tm[4] * cm[1] + tm[5] * cm[3] + cm[5] - bottom) / (top - bottom))

        page.extract_text(visitor_text=drawn)
        self._pages[number] = found
        return found


Pattern = tuple[str, str, int | str]
"""What a line has before and after the number of its page, and by how much that number exceeds the page's place in the file,
or ``label`` where it is the page's label; or the line, an empty text and ``whole``."""


def running_lines(pages: Sequence[str], labels: Sequence[str]) -> list[list[Running]]:
    """Return, for every page, the lines that are headers, footers or page numbers and no text.

    A line is one only if it is among the first or the last lines of its page, with nothing but such lines between it and the
    edge, and if the same line is there on most pages, or on most left-hand or most right-hand pages, and on at least
    `LEAST_RETURNS`. The same means character by character, white space apart, but for one number, which must be the page's
    label or its place in the file, up to a difference that is the same on all these pages. What has other numbers, such
    as a row of a table, is text. Where the lines at the edge of most pages begin or end with that number, whatever else they
    say, the number alone is one too, and so is the title of a chapter with it, if two pages have it.

    On the first page a header without the page's number stays, as it may be the title. If these rules left fewer than
    half of the pages any text, all of it stays.
    """
    lines = [page.split("\n") for page in pages]
    found: list[list[Running]] = [[] for _ in pages]
    for upper in (True, False):
        _from_edge(lines, labels, found, upper=upper)
    written = [number for number, some in enumerate(lines) if any(map(str.strip, some))]
    left = 0
    for number in written:
        gone = {one.place for one in found[number]}
        left += any(line.strip() and index not in gone for index, line in enumerate(lines[number]))
    return found if 2 * left >= len(written) else [[] for _ in pages]


def _from_edge(
    lines: Sequence[Sequence[str]], labels: Sequence[str], found: Sequence[list[Running]], *, upper: bool
) -> None:
    """Add the running lines at one edge of the pages, from the outermost inwards."""
    inner = [_inwards(some, taken, upper=upper) for some, taken in zip(lines, found, strict=True)]
    outermost = [next(some, None) for some in inner]
    for _ in range(MOST_LINES):
        patterns = {
            number: _patterns(line[1], number + 1, labels[number])
            for number, line in enumerate(outermost)
            if line is not None
        }
        returning = _returning(patterns)
        if not returning:
            return
        for number, own in patterns.items():
            line = outermost[number]
            here = [pattern for pattern in own if pattern in returning]
            if not here or line is None:
                continue
            index, words = line
            numbered = [pattern for pattern in here if pattern[2] != "whole"]
            if numbered or number > 0 or not upper:
                bare = any(not before and not after for before, after, _ in numbered)
                found[number].append(Running(index, words, upper, bare))
            outermost[number] = next(inner[number], None)


def _inwards(lines: Sequence[str], taken: Sequence[Running], *, upper: bool) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page that are not blank nor taken yet, with their numbers, from an edge."""
    gone = {one.place for one in taken}
    order = range(len(lines)) if upper else range(len(lines) - 1, -1, -1)
    for index in order:
        words = " ".join(lines[index].split())
        if words and index not in gone:
            yield index, words


def _patterns(words: str, number: int, label: str) -> list[Pattern]:
    """Return what a line may have in common with those of other pages."""
    if len(words) > LONGEST_RUNNING:
        return []
    found: list[Pattern] = [(words, "", "whole")]
    for run in _NUMBER.finditer(words):
        found.append((words[: run.start()], words[run.end() :], int(run[0]) - number))
    for run in _WORD.finditer(words):
        if run[0].casefold() == label.casefold():
            found.append((words[: run.start()], words[run.end() :], "label"))
    return list(dict.fromkeys(found))


def _returning(patterns: dict[int, list[Pattern]]) -> set[Pattern]:
    """Return the patterns of lines that are on most pages, or on most of those with an even or with an odd number."""
    returning: set[Pattern] = set()
    for pages in (patterns, *({n: own for n, own in patterns.items() if n % 2 == side} for side in (0, 1))):
        counts = Counter(pattern for own in pages.values() for pattern in own)
        returning |= {one for one, count in counts.items() if count >= LEAST_RETURNS and 2 * count > len(pages)}
    return returning | _numbered(patterns)


def _numbered(patterns: dict[int, list[Pattern]]) -> set[Pattern]:
    """Return the patterns of lines that begin or end with the number of the page, where those of most pages do."""
    at_end = [[one for one in own if one[2] != "whole" and not (one[0] and one[1])] for own in patterns.values()]
    shifts = Counter(shift for own in at_end for shift in {shift for _, _, shift in own})
    usual = {one for one, count in shifts.items() if count >= LEAST_RETURNS and 2 * count > len(patterns)}
    counts = Counter(one for own in at_end for one in own if one[2] in usual)
    return {one for one, count in counts.items() if count > 1 or not (one[0] or one[1])}


def _joints(texts: Sequence[str]) -> Iterator[str]:
    """Yield what stands between each two pages: a blank line, or the end of a line where a sentence goes on."""
    before = ""
    for number, text in enumerate(texts):
        bare = text.strip()
        if number:
            goes_on = before and bare and (before[-1].isalnum() or before[-1] in ",;-–—\u00ad") and bare[0].islower()
            yield "\n" if goes_on else "\n\n"
        before = bare or before
