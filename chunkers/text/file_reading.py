"""Read the bytes of a file as text: plain text by its encoding, and the other formats each by a parser.

Documents with headings, lists and tables become Markdown, so that these stay recognisable; links become their text, and
pictures their alternative text. The resulting text is chunked and shown.
"""

import io
import posixpath
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from chunkers.support import (
    MAX_FILE_BYTES,
    MAX_UNPACKED_BYTES,
    InputError,
    join_words,
    one_line_message,
    pluralize,
    raise_if_extra_missing,
)
from chunkers.text.encodings import Encoded, canonical_encoding, decode_as_chosen_or_detected, decode_if_plain_utf_8
from chunkers.text.extracted_text import ExtractedText, Omission, TextParts, omissions_from_counts, too_large_error
from chunkers.text.reader_process import run_parser_in_reader_process

_RECURSION_LIMIT = 20_000
"""Recursion limit, for HTML nested as deeply as `chunkers.support.limits.MAX_HTML_NESTING_DEPTH`."""

_CHARACTERS_PER_TEXT_PIECE = 1_000_000
"""Characters of a document's text that the reader process answers at once."""


def document_format_of_name(name: str) -> str | None:
    """Return the document format that matches a file name's extension; None for plain text."""
    return _FORMAT_BY_ENDING.get(posixpath.splitext(name.lower())[1])


def extract_text(data: bytes, name: str, document_format: str, chosen_encoding: str | None = None) -> ExtractedText:
    """Extract the text of a file in a given format.

    Parameters
    ----------
    chosen_encoding
        The encoding that the user named, for HTML.

    Raises
    ------
    InputError
        If the file is damaged, locked, too large when unpacked, or has no text.
    """
    format_parser, _ = _READER_AND_PACKAGE_BY_FORMAT[document_format]
    try:
        extracted_file_text = format_parser(data, name, chosen_encoding)
    except (InputError, MemoryError):
        raise
    # Parsers raise errors of any type on damaged files.
    except Exception as error:
        failure_reason = one_line_message(error).rstrip(".") or type(error).__name__
        raise InputError(
            f"{name}: the file must be a valid {document_format}; reading it failed: {failure_reason}. Save or download "
            "the file again."
        ) from error
    extracted_file_text = extracted_file_text.tidied()
    if not extracted_file_text.text.strip():
        hint_phrase = " If its pages are pictures, run text recognition on it first." if document_format == "PDF" else ""
        raise InputError(f"{name}: the {document_format} must contain text; it contains none.{hint_phrase}")
    return extracted_file_text


def yield_file_details_then_text(data: bytes, name: str, document_format: str | None, encoding: str | None) -> Iterator[Any]:
    """Read a document in the reader process; yield its details, then its text in pieces.

    The details are ``left_out``; ``encoding``, empty for a binary format, ``guessed`` and ``others``; and ``parts``, with
    kind, starts and labels, None without pages or chapters. ``document_format`` is None for plain text.
    """
    usual_recursion_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(_RECURSION_LIMIT)
    try:
        if document_format is None:
            decoded_text_and_encoding = decode_as_chosen_or_detected(data, name, chosen_encoding=encoding)
            extracted_file_text = ExtractedText(decoded_text_and_encoding.text, encoded=decoded_text_and_encoding)
        else:
            extracted_file_text = extract_text(data, name, document_format, encoding)
    finally:
        sys.setrecursionlimit(usual_recursion_limit)
    text, document_parts = extracted_file_text.text, extracted_file_text.parts
    if len(text) > MAX_FILE_BYTES:
        raise too_large_error(name, len(text), refused_item_noun="the text")
    decoded_text_and_encoding = extracted_file_text.encoded or Encoded("", "")
    yield {
        "left_out": extracted_file_text.left_out,
        "encoding": decoded_text_and_encoding.encoding,
        "guessed": decoded_text_and_encoding.is_guessed,
        "others": decoded_text_and_encoding.others,
        "parts": document_parts and [document_parts.kind, document_parts.starts, document_parts.labels],
    }
    for piece_start in range(0, len(text), _CHARACTERS_PER_TEXT_PIECE):
        yield text[piece_start : piece_start + _CHARACTERS_PER_TEXT_PIECE]


def parser_package_name(document_format: str) -> str:
    """Return the name of the Python package that reads a document format."""
    return _READER_AND_PACKAGE_BY_FORMAT[document_format][1]


def _read_html(data: bytes, name: str, chosen_encoding: str | None) -> ExtractedText:
    """Return HTML as Markdown."""
    from chunkers.text.html_to_markdown import markdown_of

    decoded_html_and_encoding = decode_as_chosen_or_detected(data, name, chosen_encoding=chosen_encoding, is_markup=True)
    is_xhtml = name.lower().endswith(".xhtml") or decoded_html_and_encoding.text.lstrip("\ufeff \t\r\n").startswith("<?xml ")
    converted_page = markdown_of(decoded_html_and_encoding.text, name, is_xhtml=is_xhtml)
    return ExtractedText(
        converted_page.text,
        tuple(omissions_from_counts(converted_page.left_out)),
        decoded_html_and_encoding._replace(text=""),
    )


def _read_pdf(data: bytes, name: str, _: str | None) -> ExtractedText:
    """Return the text of the pages."""
    from chunkers.text.pdf import read_pdf

    return read_pdf(data, name)


def _read_docx(data: bytes, name: str, _: str | None) -> ExtractedText:
    """Return the document as Markdown, by way of HTML."""
    import mammoth

    from chunkers.text.html_to_markdown import markdown_of

    _open_archive(data, name).close()
    omission_counts: Counter[str] = Counter()

    def count_picture_returning_no_attributes(_: object) -> dict[str, str]:
        """Count a picture as omitted, without reading its image data."""
        omission_counts["picture"] += 1
        return {}

    html_of_word_document = mammoth.convert_to_html(
        io.BytesIO(data), convert_image=mammoth.images.img_element(count_picture_returning_no_attributes)
    ).value
    markdown_of_word_document = markdown_of(html_of_word_document, name)
    return ExtractedText(
        markdown_of_word_document.text, tuple(omissions_from_counts(markdown_of_word_document.left_out | omission_counts))
    )


def _read_epub(data: bytes, name: str, _: str | None) -> ExtractedText:
    """Return the chapters in reading order."""
    from chunkers.text.html_to_markdown import read_epub

    with _open_archive(data, name) as archive:
        return read_epub(archive, name)


def _read_csv(data: bytes, name: str, chosen_encoding: str | None) -> ExtractedText:
    """Return the rows as a Markdown table."""
    from chunkers.text.spreadsheets import read_csv

    decoded_csv_and_encoding = decode_as_chosen_or_detected(data, name, chosen_encoding=chosen_encoding)
    csv_table = read_csv(decoded_csv_and_encoding.text, name)
    return ExtractedText(
        csv_table.text, encoded=decoded_csv_and_encoding._replace(text=""), parts=csv_table.row_starts_and_labels()
    )


def _read_xlsx(data: bytes, name: str, _: str | None) -> ExtractedText:
    """Return the visible sheets."""
    from chunkers.text.spreadsheets import read_workbook_text

    with _open_archive(data, name) as archive:
        return read_workbook_text(data, archive, name)


def _read_pptx(data: bytes, name: str, _: str | None) -> ExtractedText:
    """Return the visible slides."""
    from chunkers.text.pptx_slides import read_slides

    with _open_archive(data, name) as archive:
        return read_slides(archive, name)


def _read_notebook(data: bytes, name: str, _: str | None) -> ExtractedText:
    """Return the cells."""
    from chunkers.text.notebook import read_notebook

    return read_notebook(data, name)


def _open_archive(data: bytes, name: str) -> zipfile.ZipFile:
    """Open a ZIP file; raise InputError if it, or a part of it that is read, would unpack to too much."""
    if data.startswith(_OLE_FILE_SIGNATURE):
        raise InputError(
            f"{name}: the file must not have a password or the format of Office 2003 and before; this one has one of them. "
            "Save it again without a password."
        )
    opened_zip_archive = zipfile.ZipFile(io.BytesIO(data))
    zip_archive_members = opened_zip_archive.infolist()
    unpacked_size = sum(member.file_size for member in zip_archive_members)
    if unpacked_size > MAX_UNPACKED_BYTES:
        raise InputError(
            f"{name}: the file may unpack to at most {MAX_UNPACKED_BYTES:,} bytes; it would unpack to {unpacked_size:,}. "
            "Divide "
            "the document."
        )
    for member in zip_archive_members:
        if member.file_size > MAX_FILE_BYTES and member.filename.lower().endswith(
            (".xml", ".html", ".htm", ".xhtml", ".opf")
        ):
            raise too_large_error(name, member.file_size, refused_item_noun=f"the part {member.filename[:100]}")
    return opened_zip_archive


_READER_AND_PACKAGE_BY_FORMAT: dict[str, tuple[Callable[[bytes, str, str | None], ExtractedText], str]] = {
    "HTML": (_read_html, "markdownify"),
    "PDF": (_read_pdf, "pypdfium2"),
    "DOCX": (_read_docx, "mammoth"),
    "EPUB": (_read_epub, "markdownify"),
    "CSV": (_read_csv, "csv"),
    "XLSX": (_read_xlsx, "openpyxl"),
    "PPTX": (_read_pptx, "defusedxml"),
    "notebook": (_read_notebook, "json"),
}

_FORMAT_BY_ENDING = {
    **{".html": "HTML", ".htm": "HTML", ".xhtml": "HTML", ".pdf": "PDF", ".docx": "DOCX", ".epub": "EPUB"},
    **{".csv": "CSV", ".tsv": "CSV", ".xlsx": "XLSX", ".pptx": "PPTX", ".ipynb": "notebook"},
}

_OLE_FILE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of Microsoft's compound files, which encrypted documents are too."""

FORMATTED_ENDINGS = tuple(_FORMAT_BY_ENDING)
"""The endings of file names that are read as something other than plain text."""

FORMATS_WITH_ENCODING_CHOICE = frozenset({None, "HTML", "CSV"})
"""The formats whose files need not say their encoding; None is plain text."""


READABLE_ENDINGS = (".txt", ".md", ".srt", ".vtt", *FORMATTED_ENDINGS)
"""The endings of documents' names."""

READABLE_FORMATS_PHRASE = "text, Markdown, SRT, WebVTT, HTML, PDF, DOCX, EPUB, CSV, XLSX, PPTX and notebooks"
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
    omissions: tuple[Omission, ...] = ()
    """Content left out, page by page or chapter by chapter if the file has them."""
    parts: TextParts | None = None
    """Pages or chapters of the text."""

    def guessed_encoding_warning(self, name: str) -> str:
        """Return a sentence that warns of a guessed encoding; empty if the encoding is known."""
        if not self.guessed:
            return ""
        other_encodings_phrase = f"; {' or '.join(self.others[:3])} would be about as likely" if self.others else ""
        return (
            f"{name}: the file does not say its encoding; by its letters it was read as "
            f"{self.encoding}{other_encodings_phrase}."
        )


def read_document_text(
    data: bytes, name: str, encoding: str | None = None, cancelled: Callable[[], bool] = bool
) -> FileText:
    """Read a document in the format of its file extension, one of `FORMATTED_ENDINGS`, or else as plain text or Markdown.

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
        If the file, or the text in it, is larger than `MAX_FILE_BYTES`; if it is damaged, locked or without text, takes too
        long or too much memory; and as for `decode_text`.
    Cancelled
        If the user asked to stop.
    """
    return _read_in_format(data, name, document_format_of_name(name), encoding, cancelled)


def decode_text(data: bytes, name: str, encoding: str | None = None, cancelled: Callable[[], bool] = bool) -> FileText:
    """Decode a file as text, whatever its extension.

    Raises
    ------
    InputError
        If the file is larger than `MAX_FILE_BYTES`, not text, not in the given encoding, or UTF-8 with broken bytes in it.
    Cancelled
        If the user asked to stop.
    """
    return _read_in_format(data, name, None, encoding, cancelled)


def _read_in_format(
    data: bytes, name: str, document_format: str | None, encoding: str | None, cancelled: Callable[[], bool]
) -> FileText:
    if len(data) > MAX_FILE_BYTES:
        raise too_large_error(name, len(data))
    encoding = canonical_encoding(encoding) if encoding else None
    if document_format is None and encoding in (None, "utf-8"):
        text = decode_if_plain_utf_8(data)
        if text is not None:
            return FileText(text, "utf-8", "utf-8")
    raise_if_extra_missing("files", f"{name}: reading what is not plain UTF-8")
    document_details, *text_pieces = run_parser_in_reader_process(
        yield_file_details_then_text, data, name, cancelled, document_format=document_format, encoding=encoding
    )
    text = "".join(text_pieces)
    used_encoding = document_details["encoding"]
    format_and_encoding_phrase = used_encoding
    if document_format is not None:
        format_and_encoding_phrase = f"{document_format}, by {parser_package_name(document_format)}" + (
            f", in {used_encoding}" if used_encoding else ""
        )
    document_omissions = tuple(Omission(*omission) for omission in document_details["left_out"])
    serialised_pages_or_chapters = document_details["parts"]
    return FileText(
        text=text,
        read_as=format_and_encoding_phrase,
        encoding=used_encoding,
        guessed=document_details["guessed"],
        others=tuple(document_details["others"]),
        left_out=omissions_sentence(document_omissions),
        omissions=document_omissions,
        parts=None
        if serialised_pages_or_chapters is None
        else TextParts(
            serialised_pages_or_chapters[0], tuple(serialised_pages_or_chapters[1]), tuple(serialised_pages_or_chapters[2])
        ),
    )


def omissions_sentence(omissions: Iterable[Omission]) -> str:
    """Return a sentence that counts the omitted content by kind; empty if nothing was omitted."""
    count_by_kind: dict[str, int] = {}
    for omission in omissions:
        count_by_kind[omission.noun] = count_by_kind.get(omission.noun, 0) + omission.occurrence_count
    return (
        f"Left out: {join_words([pluralize(count, what) for what, count in count_by_kind.items()])}."
        if count_by_kind
        else ""
    )
