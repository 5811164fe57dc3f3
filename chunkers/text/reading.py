"""Read the bytes of a file as text: formats by file ending, encodings by evidence; anything else raises InputError."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from chunkers.support.extras import need
from chunkers.support.formatting import counted, listed
from chunkers.support.limits import MAX_BYTES
from chunkers.text.encodings import as_plain_utf_8, checked_encoding
from chunkers.text.file_parts import Parts
from chunkers.text.formats import ENDINGS, format_of, parser_of, read_apart
from chunkers.text.reader_output import LeftOut, too_large
from chunkers.text.reader_process import parsed_apart

READABLE = (".txt", ".md", ".srt", ".vtt", *ENDINGS)
"""The endings of documents' names."""

READ_KINDS = "text, Markdown, SRT, WebVTT, HTML, PDF, DOCX, EPUB, CSV, XLSX, PPTX and notebooks"
"""The kinds of documents, for help texts."""


class FileText(NamedTuple):
    """A file's text, with its format or encoding and its omitted content."""

    text: str
    read_as: str
    """An encoding, or a format with the package that reads it, and its encoding where it has one."""
    encoding: str = ""
    """Python's name of the encoding; empty for a binary format."""
    guessed: bool = False
    """True if the encoding was guessed from the letters."""
    others: tuple[str, ...] = ()
    """Encodings that are about as likely."""
    left_out: str = ""
    """A sentence on what was left out of the file, if anything."""
    omissions: tuple[LeftOut, ...] = ()
    """Content left out, page by page or chapter by chapter if the file has them."""
    parts: Parts | None = None
    """Pages or chapters of the text."""

    def doubts(self, name: str) -> str:
        """Return a sentence that warns of a guessed encoding; empty if the encoding is known."""
        if not self.guessed:
            return ""
        perhaps = f"; {' or '.join(self.others[:3])} would be about as likely" if self.others else ""
        return f"{name}: the file does not say its encoding; by its letters it was read as {self.encoding}{perhaps}."


def read_document(data: bytes, name: str, encoding: str | None = None, cancelled: Callable[[], bool] = bool) -> FileText:
    """Read a document in the format of its file extension, one of `ENDINGS`, or else as plain text or Markdown.

    Everything but plain UTF-8 is read in a separate process, see `chunkers.text.reader_process`.

    Parameters
    ----------
    encoding
        The encoding that the user chose for text and HTML; the other formats declare theirs.
    cancelled
        Called repeatedly while a file is read; returns true to stop.

    Raises
    ------
    InputError
        If the file, or the text in it, is larger than `MAX_BYTES`; if it is damaged, locked or without text, takes too long
        or too much memory; and as for `decode`.
    Cancelled
        If the user asked to stop.
    """
    return _read(data, name, format_of(name), encoding, cancelled)


def decode(data: bytes, name: str, encoding: str | None = None, cancelled: Callable[[], bool] = bool) -> FileText:
    """Decode a file as text, whatever its extension.

    Raises
    ------
    InputError
        If the file is larger than `MAX_BYTES`, not text, not in the given encoding, or UTF-8 with broken bytes in it.
    Cancelled
        If the user asked to stop.
    """
    return _read(data, name, None, encoding, cancelled)


def _read(data: bytes, name: str, kind: str | None, encoding: str | None, cancelled: Callable[[], bool]) -> FileText:
    if len(data) > MAX_BYTES:
        raise too_large(name, len(data))
    encoding = checked_encoding(encoding) if encoding else None
    if kind is None and encoding in (None, "utf-8"):
        text = as_plain_utf_8(data)
        if text is not None:
            return FileText(text, "utf-8", "utf-8")
    need("files", f"{name}: reading what is not plain UTF-8")
    facts, *pieces = parsed_apart(read_apart, data, name, cancelled, kind=kind, encoding=encoding)
    text = "".join(pieces)
    used_encoding = facts["encoding"]
    read_as = used_encoding
    if kind is not None:
        read_as = f"{kind}, by {parser_of(kind)}" + (f", in {used_encoding}" if used_encoding else "")
    omissions = tuple(LeftOut(*omission) for omission in facts["left_out"])
    parts = facts["parts"]
    return FileText(
        text=text,
        read_as=read_as,
        encoding=used_encoding,
        guessed=facts["guessed"],
        others=tuple(facts["others"]),
        left_out=left_out_said(omissions),
        omissions=omissions,
        parts=None if parts is None else Parts(parts[0], tuple(parts[1]), tuple(parts[2])),
    )


def left_out_said(omissions: Iterable[LeftOut]) -> str:
    """Return a sentence that counts the omitted content by kind; empty if nothing was omitted."""
    counts: dict[str, int] = {}
    for omission in omissions:
        counts[omission.what] = counts.get(omission.what, 0) + omission.times
    return f"Left out: {listed([counted(count, what) for what, count in counts.items()])}." if counts else ""
