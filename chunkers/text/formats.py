"""Documents that are not plain text: HTML, PDF, DOCX and EPUB, each through a parser of its own.

What has headings, lists and tables becomes Markdown, so that they can still be told; links and pictures become their words.
The text that comes out is what is chunked and shown.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from chunkers.errors import InputError

MAX_UNPACKED = 200_000_000
"""Bytes that a DOCX or EPUB may have when unpacked."""

_UNSEEN = ("head", "script", "style", "template", "noscript", "svg")
"""Elements of HTML whose text no browser shows."""


def format_of(name: str) -> str | None:
    """Return the format that a file's name says it has, None for plain text."""
    return _BY_ENDING.get(posixpath.splitext(name.lower())[1])


def extract(data: bytes, name: str, kind: str) -> str:
    """Return the text of a file of this format.

    Raises
    ------
    InputError
        If the file is damaged, locked, too large when unpacked, or has no text.
    """
    parse, _ = _FORMATS[kind]
    try:
        text = parse(data, name)
    except InputError:
        raise
    # Nobody knows what a parser raises over a damaged file.
    except Exception as error:
        said = " ".join(str(error).split())
        said = said.rstrip(".") or type(error).__name__
        raise InputError(f"{name}: the file must be a sound {kind}; reading it failed with: {said}.") from error
    text = re.sub(r"\n(?:[^\S\n]*\n){2,}", "\n\n", text.replace("\r\n", "\n")).strip("\n")
    if not text.strip():
        perhaps = ", perhaps pictures of it" if kind == "PDF" else ""
        raise InputError(f"{name}: the {kind} must hold text; it has none{perhaps}.")
    return text


def parser_of(kind: str) -> str:
    """Return the name of the package that reads a format."""
    return _FORMATS[kind][1]


def _html(data: bytes, name: str) -> str:
    """Return HTML as Markdown; its encoding is detected, or the one that it names."""
    from bs4 import BeautifulSoup
    from markdownify import ATX, MarkdownConverter

    soup = BeautifulSoup(data, "html.parser")
    for element in soup(_UNSEEN):
        element.decompose()
    for picture in soup("img"):
        picture.replace_with(str(picture.get("alt", "")))
    converter = MarkdownConverter(
        heading_style=ATX,
        bullets="-",
        strip=["a"],
        # What is read is text to be cut, not Markdown to be shown.
        escape_asterisks=False,
        escape_underscores=False,
    )
    return str(converter.convert_soup(soup))


def _pdf(data: bytes, name: str) -> str:
    """Return the text of every page, blank lines between them."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise InputError(f"{name}: the PDF must be readable without a password; it is locked.")
    return "\n\n".join(page.extract_text() for page in reader.pages)


def _docx(data: bytes, name: str) -> str:
    """Return the document as Markdown, by way of HTML."""
    import mammoth

    _unpacked(data, name).close()
    # Without the bytes of its pictures, which are only dropped afterwards.
    pictures = mammoth.images.img_element(lambda picture: {})
    return _html(mammoth.convert_to_html(io.BytesIO(data), convert_image=pictures).value.encode(), name)


def _epub(data: bytes, name: str) -> str:
    """Return the chapters in the order in which they are read."""
    with _unpacked(data, name) as book:
        return "\n\n".join(_html(book.read(chapter), name) for chapter in _chapters(book))


def _chapters(book: zipfile.ZipFile) -> Iterator[str]:
    """Give the names of the chapters' files; source: EPUB 3.3, sections 4 and 5."""
    from defusedxml.ElementTree import fromstring

    container = fromstring(book.read("META-INF/container.xml"))
    package_name = next(element.attrib["full-path"] for element in container.iterfind(".//{*}rootfile"))
    package = fromstring(book.read(package_name))
    items = {item.attrib["id"]: item.attrib["href"] for item in package.iterfind("{*}manifest/{*}item")}
    folder = posixpath.dirname(package_name)
    for reference in package.iterfind("{*}spine/{*}itemref"):
        yield posixpath.normpath(posixpath.join(folder, unquote(items[reference.attrib["idref"]])))


def _unpacked(data: bytes, name: str) -> zipfile.ZipFile:
    """Open a packed file, unless it would unpack to too much."""
    packed = zipfile.ZipFile(io.BytesIO(data))
    size = sum(member.file_size for member in packed.infolist())
    if size > MAX_UNPACKED:
        raise InputError(f"{name}: the file may unpack to at most {MAX_UNPACKED:,} bytes; it has {size:,}.")
    return packed


_FORMATS: dict[str, tuple[Callable[[bytes, str], str], str]] = {
    "HTML": (_html, "markdownify"),
    "PDF": (_pdf, "pypdf"),
    "DOCX": (_docx, "mammoth"),
    "EPUB": (_epub, "markdownify"),
}

_BY_ENDING = {".html": "HTML", ".htm": "HTML", ".xhtml": "HTML", ".pdf": "PDF", ".docx": "DOCX", ".epub": "EPUB"}

ENDINGS = tuple(_BY_ENDING)
"""The ends of file names that are read as something else than plain text."""
