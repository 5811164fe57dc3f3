"""From the bytes of a file to text: encodings detected, everything else refused in a sentence."""

from __future__ import annotations

import codecs
from typing import NamedTuple

import charset_normalizer

from chunkers.errors import InputError

MAX_BYTES = 20_000_000
"""The largest document, 20 MB as the page's upload counts them."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Decoded(NamedTuple):
    """A file's text and the encoding that it was read in."""

    text: str
    encoding: str


def decode(data: bytes, name: str) -> Decoded:
    """Decode the bytes of the file called ``name``.

    Raises
    ------
    InputError
        If the file is larger than `MAX_BYTES`, not text, or UTF-8 with broken bytes in it.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"{name}: a document may have at most 20 MB, {MAX_BYTES:,} bytes; this one has {len(data):,}.")
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
