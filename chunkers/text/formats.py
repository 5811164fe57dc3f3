"""Documents that are not plain text: HTML, PDF, DOCX and EPUB, each through a parser of its own.

What has headings, lists and tables becomes Markdown, so that they stay recognisable; links become their text, and
pictures their alternative text. The resulting text is what is chunked and shown.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from chunkers.errors import InputError
from chunkers.limits import MAX_BYTES, MAX_UNPACKED
from chunkers.text.encodings import Encoded, decode_by_evidence


class Extracted(NamedTuple):
    """The text of a file, what was left out and how often, and, where the file itself is text, its encoding."""

    text: str
    left_out: Counter[str]
    encoded: Encoded | None = None


def format_of(name: str) -> str | None:
    """Return the format by a file's name, None for plain text."""
    return _BY_ENDING.get(posixpath.splitext(name.lower())[1])


def extract(data: bytes, name: str, kind: str, chosen: str | None = None) -> Extracted:
    """Return the text of a file of this format.

    Parameters
    ----------
    chosen
        The encoding that the user named, for HTML.

    Raises
    ------
    InputError
        If the file is damaged, locked, too large when unpacked, or has no text.
    """
    parse, _ = _FORMATS[kind]
    try:
        found = parse(data, name, chosen)
    except (InputError, MemoryError):
        raise
    # Parsers raise errors of any type on damaged files.
    except Exception as error:
        said = " ".join(str(error).split())
        said = said[:300].rstrip(".") or type(error).__name__
        raise InputError(f"{name}: the file must be a sound {kind}; reading it failed with: {said}.") from error
    text = re.sub(r"\n(?:[^\S\n]*+\n){2,}", "\n\n", found.text.replace("\r\n", "\n")).strip("\n")
    if not text.strip():
        perhaps = ", perhaps pictures of it" if kind == "PDF" else ""
        raise InputError(f"{name}: the {kind} must hold text; it has none{perhaps}.")
    return found._replace(text=text)


def parser_of(kind: str) -> str:
    """Return the name of the package that reads a format."""
    return _FORMATS[kind][1]


def _html(data: bytes, name: str, chosen: str | None) -> Extracted:
    """Return HTML as Markdown."""
    from chunkers.text.markup import markdown_of

    encoded = decode_by_evidence(data, name, chosen=chosen, markup=True)
    xml = name.lower().endswith(".xhtml") or encoded.text.lstrip("\ufeff \t\r\n").startswith("<?xml ")
    page = markdown_of(encoded.text, name, xml=xml)
    return Extracted(page.text, page.left_out, encoded._replace(text=""))


def _pdf(data: bytes, name: str, _: str | None) -> Extracted:
    """Return the text of the pages, separated by blank lines."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise InputError(f"{name}: the PDF must be readable without a password; it is locked.")
    pages = _Parts(name)
    left_out: Counter[str] = Counter()
    for page in reader.pages:
        pages.add(page.extract_text())
        objects = (page.get("/Resources") or {}).get("/XObject") or {}
        left_out["picture"] += sum(objects[key].get("/Subtype") == "/Image" for key in objects)
    return Extracted(pages.joined(), +left_out)


def _docx(data: bytes, name: str, _: str | None) -> Extracted:
    """Return the document as Markdown, by way of HTML."""
    import mammoth

    from chunkers.text.markup import markdown_of

    _unpacked(data, name).close()
    left_out: Counter[str] = Counter()

    def picture(_: object) -> dict[str, str]:
        """Count a picture without looking at its bytes."""
        left_out["picture"] += 1
        return {}

    html = mammoth.convert_to_html(io.BytesIO(data), convert_image=mammoth.images.img_element(picture)).value
    page = markdown_of(html, name)
    return Extracted(page.text, page.left_out | left_out)


def _epub(data: bytes, name: str, _: str | None) -> Extracted:
    """Return the chapters in reading order, each once."""
    from chunkers.text.markup import markdown_of

    chapters = _Parts(name)
    left_out: Counter[str] = Counter()
    with _unpacked(data, name) as book:
        for chapter in dict.fromkeys(_chapters(book)):
            page = markdown_of(decode_by_evidence(book.read(chapter), name, markup=True).text, name, xml=True)
            chapters.add(page.text)
            left_out += page.left_out
    return Extracted(chapters.joined(), left_out)


class _Parts:
    """The texts of pages or chapters; raises InputError as soon as they are too large together."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts: list[str] = []
        self._size = 0

    def add(self, text: str) -> None:
        self._parts.append(text)
        self._size += len(text)
        if self._size > MAX_BYTES:
            raise too_large(f"the text of {self._name}", self._size, "at least ")

    def joined(self) -> str:
        return "\n\n".join(self._parts)


def too_large(name: str, size: int, about: str = "") -> InputError:
    """Return the error for a document larger than `MAX_BYTES`."""
    return InputError(f"{name}: a document may have at most 20 MB, {MAX_BYTES:,} bytes; this one has {about}{size:,}.")


def _chapters(book: zipfile.ZipFile) -> Iterator[str]:
    """Yield the names of the chapters' files; source: EPUB 3.3, sections 4 and 5."""
    from defusedxml.ElementTree import fromstring

    container = fromstring(book.read("META-INF/container.xml"))
    package_name = next(element.attrib["full-path"] for element in container.iterfind(".//{*}rootfile"))
    package = fromstring(book.read(package_name))
    items = {item.attrib["id"]: item.attrib["href"] for item in package.iterfind("{*}manifest/{*}item")}
    folder = posixpath.dirname(package_name)
    for reference in package.iterfind("{*}spine/{*}itemref"):
        yield posixpath.normpath(posixpath.join(folder, unquote(items[reference.attrib["idref"]])))


def _unpacked(data: bytes, name: str) -> zipfile.ZipFile:
    """Open a ZIP file; raise InputError if it, or a part of it that is read, would unpack to too much."""
    packed = zipfile.ZipFile(io.BytesIO(data))
    members = packed.infolist()
    size = sum(member.file_size for member in members)
    if size > MAX_UNPACKED:
        raise InputError(f"{name}: the file may unpack to at most {MAX_UNPACKED:,} bytes; it has {size:,}.")
    for member in members:
        if member.file_size > MAX_BYTES and member.filename.lower().endswith((".xml", ".html", ".htm", ".xhtml", ".opf")):
            raise too_large(f"{member.filename[:100]} in {name}", member.file_size)
    return packed


_FORMATS: dict[str, tuple[Callable[[bytes, str, str | None], Extracted], str]] = {
    "HTML": (_html, "markdownify"),
    "PDF": (_pdf, "pypdf"),
    "DOCX": (_docx, "mammoth"),
    "EPUB": (_epub, "markdownify"),
}

_BY_ENDING = {".html": "HTML", ".htm": "HTML", ".xhtml": "HTML", ".pdf": "PDF", ".docx": "DOCX", ".epub": "EPUB"}

ENDINGS = tuple(_BY_ENDING)
"""The endings of file names that are read as something other than plain text."""
