"""Documents that are not plain text: HTML, PDF, office documents, books, tables and notebooks, each through its parser.

Documents with headings, lists and tables become Markdown, so that these stay recognisable; links become their text, and
pictures their alternative text. The resulting text is chunked and shown.
"""

import io
import posixpath
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from chunkers.support.errors import InputError
from chunkers.support.limits import MAX_BYTES, MAX_UNPACKED
from chunkers.text.encodings import Encoded, decode_by_evidence
from chunkers.text.reader_output import Extracted, counted, too_large

_DEEP = 20_000
"""Recursion limit, for HTML nested as deeply as `chunkers.support.limits.MAX_DEPTH`."""

_PIECE = 1_000_000
"""Characters of a document's text that the reader process answers at once."""


def format_of(name: str) -> str | None:
    """Return the document format that matches a file name's extension; None for plain text."""
    return _BY_ENDING.get(posixpath.splitext(name.lower())[1])


def extract(data: bytes, name: str, kind: str, chosen: str | None = None) -> Extracted:
    """Extract the text of a file in the format ``kind``.

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
        extracted = parse(data, name, chosen)
    except (InputError, MemoryError):
        raise
    # Parsers raise errors of any type on damaged files.
    except Exception as error:
        message = " ".join(str(error).split())
        message = message[:300].rstrip(".") or type(error).__name__
        raise InputError(
            f"{name}: the file must be a valid {kind}; reading it failed: {message}. Save or download the file again."
        ) from error
    extracted = extracted.tidied()
    if not extracted.text.strip():
        hint = " If its pages are pictures, run text recognition on it first." if kind == "PDF" else ""
        raise InputError(f"{name}: the {kind} must contain text; it contains none.{hint}")
    return extracted


def read_apart(data: bytes, name: str, kind: str | None, encoding: str | None) -> Iterator[Any]:
    """Read a document in the reader process; yield its details, then its text in pieces.

    The details are ``left_out``; ``encoding``, empty for a binary format, ``guessed`` and ``others``; and ``parts``, with
    kind, starts and labels, None without pages or chapters. The format ``kind`` is None for plain text.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(_DEEP)
    try:
        if kind is None:
            encoded = decode_by_evidence(data, name, chosen=encoding)
            extracted = Extracted(encoded.text, encoded=encoded)
        else:
            extracted = extract(data, name, kind, encoding)
    finally:
        sys.setrecursionlimit(usual)
    text, parts = extracted.text, extracted.parts
    if len(text) > MAX_BYTES:
        raise too_large(name, len(text), what="the text")
    encoded = extracted.encoded or Encoded("", "")
    yield {
        "left_out": extracted.left_out,
        "encoding": encoded.encoding,
        "guessed": encoded.guessed,
        "others": encoded.others,
        "parts": parts and [parts.kind, parts.starts, parts.labels],
    }
    for start in range(0, len(text), _PIECE):
        yield text[start : start + _PIECE]


def parser_of(kind: str) -> str:
    """Return the name of the Python package that reads a document format."""
    return _FORMATS[kind][1]


def _html(data: bytes, name: str, chosen: str | None) -> Extracted:
    """Return HTML as Markdown."""
    from chunkers.text.markup import markdown_of

    encoded = decode_by_evidence(data, name, chosen=chosen, markup=True)
    xml = name.lower().endswith(".xhtml") or encoded.text.lstrip("\ufeff \t\r\n").startswith("<?xml ")
    page = markdown_of(encoded.text, name, xml=xml)
    return Extracted(page.text, tuple(counted(page.left_out)), encoded._replace(text=""))


def _pdf(data: bytes, name: str, _: str | None) -> Extracted:
    """Return the text of the pages."""
    from chunkers.text.pdf import read_pdf

    return read_pdf(data, name)


def _docx(data: bytes, name: str, _: str | None) -> Extracted:
    """Return the document as Markdown, by way of HTML."""
    import mammoth

    from chunkers.text.markup import markdown_of

    _unpacked(data, name).close()
    left_out: Counter[str] = Counter()

    def picture(_: object) -> dict[str, str]:
        """Count a picture as omitted, without reading its image data."""
        left_out["picture"] += 1
        return {}

    html = mammoth.convert_to_html(io.BytesIO(data), convert_image=mammoth.images.img_element(picture)).value
    page = markdown_of(html, name)
    return Extracted(page.text, tuple(counted(page.left_out | left_out)))


def _epub(data: bytes, name: str, _: str | None) -> Extracted:
    """Return the chapters in reading order."""
    from chunkers.text.markup import read_epub

    with _unpacked(data, name) as book:
        return read_epub(book, name)


def _csv(data: bytes, name: str, chosen: str | None) -> Extracted:
    """Return the rows as a Markdown table."""
    from chunkers.text.table_text import read_csv

    encoded = decode_by_evidence(data, name, chosen=chosen)
    table = read_csv(encoded.text, name)
    return Extracted(table.text, encoded=encoded._replace(text=""), parts=table.parts())


def _xlsx(data: bytes, name: str, _: str | None) -> Extracted:
    """Return the visible sheets."""
    from chunkers.text.workbook import read_workbook

    with _unpacked(data, name) as packed:
        return read_workbook(data, packed, name)


def _pptx(data: bytes, name: str, _: str | None) -> Extracted:
    """Return the visible slides."""
    from chunkers.text.slides import read_slides

    with _unpacked(data, name) as packed:
        return read_slides(packed, name)


def _notebook(data: bytes, name: str, _: str | None) -> Extracted:
    """Return the cells."""
    from chunkers.text.notebook import read_notebook

    return read_notebook(data, name)


def _unpacked(data: bytes, name: str) -> zipfile.ZipFile:
    """Open a ZIP file; raise InputError if it, or a part of it that is read, would unpack to too much."""
    if data.startswith(_OLDER):
        raise InputError(
            f"{name}: the file must not have a password or the format of Office 2003 and before; this one has one of them. "
            "Save it again without a password."
        )
    packed = zipfile.ZipFile(io.BytesIO(data))
    members = packed.infolist()
    size = sum(member.file_size for member in members)
    if size > MAX_UNPACKED:
        raise InputError(
            f"{name}: the file may unpack to at most {MAX_UNPACKED:,} bytes; it would unpack to {size:,}. Divide the "
            "document."
        )
    for member in members:
        if member.file_size > MAX_BYTES and member.filename.lower().endswith((".xml", ".html", ".htm", ".xhtml", ".opf")):
            raise too_large(name, member.file_size, what=f"the part {member.filename[:100]}")
    return packed


_FORMATS: dict[str, tuple[Callable[[bytes, str, str | None], Extracted], str]] = {
    "HTML": (_html, "markdownify"),
    "PDF": (_pdf, "pypdfium2"),
    "DOCX": (_docx, "mammoth"),
    "EPUB": (_epub, "markdownify"),
    "CSV": (_csv, "csv"),
    "XLSX": (_xlsx, "openpyxl"),
    "PPTX": (_pptx, "defusedxml"),
    "notebook": (_notebook, "json"),
}

_BY_ENDING = {
    **{".html": "HTML", ".htm": "HTML", ".xhtml": "HTML", ".pdf": "PDF", ".docx": "DOCX", ".epub": "EPUB"},
    **{".csv": "CSV", ".tsv": "CSV", ".xlsx": "XLSX", ".pptx": "PPTX", ".ipynb": "notebook"},
}

_OLDER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of Microsoft's compound files, which encrypted documents are too."""

ENDINGS = tuple(_BY_ENDING)
"""The endings of file names that are read as something other than plain text."""

WITHOUT_ENCODING = frozenset({None, "HTML", "CSV"})
"""The formats whose files need not say their encoding; None is plain text."""
