"""From the bytes of a file to text: formats by their endings, encodings detected, everything else refused in a sentence."""

from __future__ import annotations

import codecs
from typing import NamedTuple

import charset_normalizer

from chunkers.errors import InputError
from chunkers.text.formats import ENDINGS, extract, format_of, parser_of

MAX_BYTES = 20_000_000
"""The largest document, 20 MB as the page's upload counts them."""

READABLE = (".txt", ".md", *ENDINGS)
"""How the names of documents end."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Decoded(NamedTuple):
    """A file's text, and what it was read as: an encoding, or a format and the package that reads it."""

    text: str
    read_as: str


def read_document(data: bytes, name: str) -> Decoded:
    """Read a document: HTML, PDF, DOCX or EPUB where its name says so, else plain text or Markdown.

    Raises
    ------
    InputError
        If the file, or the text in it, is larger than `MAX_BYTES`; if it is damaged, locked or without text; and as for
        `decode`.
    """
    kind = format_of(name)
    if kind is None:
        return decode(data, name)
    _within_limit(len(data), name)
    text = extract(data, name, kind)
    _within_limit(len(text), f"the text of {name}")
    return Decoded(text, f"{kind}, by {parser_of(kind)}")


def _within_limit(size: int, name: str) -> None:
    if size > MAX_BYTES:
        raise InputError(f"{name}: a document may have at most 20 MB, {MAX_BYTES:,} bytes; this one has {size:,}.")


def decode(data: bytes, name: str) -> Decoded:
    """Decode the bytes of the file called ``name``.

    Raises
    ------
    InputError
        If the file is larger than `MAX_BYTES`, not text, or UTF-8 with broken bytes in it.
    """
    _within_limit(len(data), name)
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                return Decoded(data.decode(encoding), encoding)
            except UnicodeDecodeError as error:
                raise InputError(f"{name}: the file begins as {encoding}, but byte {error.start:,} is not valid.") from error
    if b"\0" in data or data.startswith(b"%PDF-"):
        raise InputError(f"{name}: the file must be plain text or Markdown; it is binary.")
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        first_bad = error.start
    # A page of another encoding decodes to hardly any valid sequence of several bytes; broken UTF-8 to many.
    lenient = data.decode("utf-8", errors="replace")
    broken = lenient.count("\ufffd")
    if sum(character > "\x7f" for character in lenient) - broken >= broken:
        raise InputError(
            f"{name}: byte {first_bad:,} is not valid UTF-8, though the rest of the file is; save it as UTF-8 again."
        )
    best = charset_normalizer.from_bytes(data).best()
    if best is None or charset_normalizer.is_binary(data):
        raise InputError(f"{name}: the file must be text in a known encoding; none was found that fits.")
    return Decoded(str(best), best.encoding)
