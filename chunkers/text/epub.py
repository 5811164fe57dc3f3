"""The text of a book in EPUB: its chapters in reading order, with the titles of its table of contents."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from chunkers.support.errors import InputError
from chunkers.text.encodings import decode_by_evidence
from chunkers.text.extracted import Collected, Extracted, LeftOut, counted, xml_root
from chunkers.text.parts import LONGEST_LABEL, shortened

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ENCRYPTION = "META-INF/encryption.xml"
_XML_ENC = "{http://www.w3.org/2001/04/xmlenc#}"
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_MARKS = re.compile(r"[*`]+")


class _Package(NamedTuple):
    """The chapters' files in reading order, the files that may hold the table of contents, and chapters without a file."""

    chapters: tuple[str, ...]
    contents: tuple[str, ...]
    missing: int


def read_epub(book: zipfile.ZipFile, name: str) -> Extracted:
    """Return the text of an EPUB, with its chapters in reading order.

    A chapter's label is the first entry for its file in the table of contents, or its first heading, or else its number.
    A chapter that the book lists but does not contain is left out and counted.

    Raises
    ------
    InputError
        If the text is too large, chapters are encrypted, or elements are nested too deeply.
    """
    from chunkers.text.markup import markdown_of

    package = _package(book)
    if encrypted := _encrypted(book) & {*package.chapters}:
        raise InputError(
            f"{name}: an EPUB must not be encrypted, for example by copy protection; {len(encrypted):,} of its "
            f"{len(package.chapters):,} chapters are encrypted. Open a copy without encryption."
        )
    titles = _titles(book, package)
    chapters = Collected(name, "chapter")
    left_out = [LeftOut("missing chapter", package.missing)] if package.missing else []
    for number, chapter in enumerate(dict.fromkeys(package.chapters)):
        page = markdown_of(decode_by_evidence(book.read(chapter), name, markup=True).text, name, xml=True)
        heading = _HEADING.search(page.text)
        chapters.add(page.text, titles.get(chapter) or (_MARKS.sub("", heading[1]).rstrip(" #") if heading else ""))
        left_out += counted(page.left_out, number)
    return chapters.joined(left_out)


def _package(book: zipfile.ZipFile) -> _Package:
    """Read the package of the book; source: EPUB 3.3, sections 4 and 5."""
    container = xml_root(book, "META-INF/container.xml")
    package_name = next(element.attrib["full-path"] for element in container.iterfind(".//{*}rootfile"))
    package = xml_root(book, package_name)
    folder = posixpath.dirname(package_name)
    items = {item.get("id", ""): item for item in package.iterfind("{*}manifest/{*}item")}
    files = {number: _file(folder, item.attrib["href"]) for number, item in items.items() if "href" in item.attrib}
    members = {*book.namelist()}
    spine = [files.get(reference.get("idref", "")) for reference in package.iterfind("{*}spine/{*}itemref")]
    chapters = tuple(file for file in spine if file in members)
    navigation = [number for number, item in items.items() if "nav" in item.get("properties", "").split()]
    older = [number for number, item in items.items() if item.get("media-type") == "application/x-dtbncx+xml"]
    contents = tuple(files[number] for number in [*navigation, *older] if number in files)
    return _Package(chapters, contents, len(spine) - len(chapters))


def _encrypted(book: zipfile.ZipFile) -> set[str]:
    """Return the files that are encrypted, fonts among them; source: EPUB 3.3, section 4.2.6.3.2."""
    if _ENCRYPTION not in book.namelist():
        return set()
    return {
        _file("", reference.get("URI", "")) for reference in xml_root(book, _ENCRYPTION).iter(f"{_XML_ENC}CipherReference")
    }


def _titles(book: zipfile.ZipFile, package: _Package) -> dict[str, str]:
    """Return the first title of each file in the first table of contents that can be read."""
    for name in package.contents:
        titles: dict[str, str] = {}
        # A book can be read without its table of contents, whose errors are of any type.
        with suppress(Exception):
            for target, title in _entries(xml_root(book, name)):
                if words := shortened(title, LONGEST_LABEL):
                    titles.setdefault(_file(posixpath.dirname(name), target.partition("#")[0]), words)
        if titles:
            return titles
    return {}


def _entries(root: Element) -> Iterator[tuple[str, str]]:
    """Yield target and title of every entry; source: EPUB 3.3, section 7.4, and the NCX of EPUB 2.0.1, section 2.4.1."""
    for point in root.iter("{http://www.daisy.org/z3986/2005/ncx/}navPoint"):
        target = point.find("{*}content")
        words = point.find("{*}navLabel/{*}text")
        if target is not None and words is not None:
            yield target.get("src", ""), words.text or ""
    kind = "{http://www.idpf.org/2007/ops}type"
    tables = [nav for nav in root.iter("{http://www.w3.org/1999/xhtml}nav") if "toc" in nav.get(kind, "").split()]
    for table in tables[:1]:
        for link in table.iter("{http://www.w3.org/1999/xhtml}a"):
            yield link.get("href", ""), "".join(link.itertext())


def _file(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(reference)))
