"""The documents of a piece, one after another: no more of a file is in memory than one document and a buffer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from chunkers.commands.arguments import file_bytes
from chunkers.support.errors import InputError, shown
from chunkers.text.document import check_text
from chunkers.text.reading import read_document
from corpus.pieces import Columns, Piece, label, text_bytes
from corpus.tables import told_parts

LONGEST_LINE = 120_000_000
"""Maximum number of bytes of a line of JSON: six for each character of the largest document, as JSON may escape all of
them.
"""

READ_AT_ONCE = 4_000_000
"""Bytes of texts that are taken from a Parquet file at once, if its rows are about equally long; one row in any case."""

READ_ROWS = 256
"""Rows that are taken from it at once at the most, as some may be far longer than the others."""

BLANK = b" \t\r\n\xef\xbb\xbf"
"""Bytes of which an empty line is made; the last three are the mark of the byte order with which some files begin."""

BUFFER = 1 << 20
"""Bytes by which a Parquet file is read, instead of whole columns."""


class Given(NamedTuple):
    """Document to cut, with its id, its text and the starts of its pages or chapters."""

    id: str
    text: str
    parts: dict[str, Any] | None = None
    doubt: str = ""
    """A sentence on an encoding that was guessed; empty where it is known."""


class Problem(NamedTuple):
    """Document or part of a file that cannot be read, with the reason in a sentence."""

    id: str
    said: str


@dataclass(frozen=True)
class Source:
    """Reader that opens input files and yields their documents.

    Attributes
    ----------
    roots
        The inputs as absolute paths, since a worker may have a different working directory.
    names
        The inputs as the user gave them, from which ids are made.
    columns
        Columns or keys of the documents in JSON lines and Parquet.
    encoding
        The encoding of text and HTML, if it was given.
    """

    roots: Sequence[Path]
    names: Sequence[Path]
    columns: Columns
    encoding: str | None = None

    def documents(self, piece: Piece) -> Iterator[Given | Problem]:
        """Yield the documents of an input piece in order, with a `Problem` in place of each unreadable document."""
        name = label(self.names, piece)
        path = self.roots[piece.root] / piece.path if piece.path else self.roots[piece.root]
        try:
            if piece.kind == "problem":
                yield Problem(name, f"{name}: {piece.said}")
                return
            now = path.stat()
            if (now.st_size, now.st_mtime_ns) != (piece.size, piece.changed):
                raise InputError(
                    f"{name}: the file must not change during a run; it has changed since the run began. To cut the new "
                    "version, start a run with a new --output folder."
                )
            if piece.kind == "file":
                yield self._file(path, name)
            elif piece.kind == "lines":
                with path.open("rb") as lines:
                    yield from self._lines(lines, name, piece)
            else:
                yield from self._rows(path, name, piece)
        except InputError as error:
            sentence = str(error)
            yield Problem(name, sentence if sentence.startswith(name) else f"{name}: {sentence}")
        except (OSError, pa.ArrowException) as error:
            line = " ".join(str(error).split())[:300]
            yield Problem(name, f"{name}: the file must be readable and undamaged; reading it failed: {line}")

    def _file(self, path: Path, name: str) -> Given:
        document = read_document(file_bytes(str(path), name), name, self.encoding)
        check_text(document.text, name)
        return Given(name, document.text, told_parts(document.parts), document.doubts(name))

    def _lines(self, lines: BinaryIO, name: str, piece: Piece) -> Iterator[Given | Problem]:
        """Yield the documents of the lines that begin in the piece; one that begins before it is the piece before's."""
        at = piece.begin
        if at:
            # From the byte before, which is a line end where a line begins with the piece.
            lines.seek(at - 1)
            at += _rest_of_line(lines) - 1
        while at < piece.end:
            place, line = f"{name}#{at}", lines.readline(LONGEST_LINE + 1)
            if not line:
                return
            at += len(line)
            if len(line) > LONGEST_LINE:
                at += 0 if line.endswith(b"\n") else _rest_of_line(lines)
                yield Problem(place, f"{place}: a line may have at most {LONGEST_LINE:,} bytes; this one has more.")
            elif line.strip(BLANK):
                yield self._line(line, place)

    def _line(self, line: bytes, place: str) -> Given | Problem:
        try:
            row = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            return Problem(place, f"{place}: a line must be JSON in UTF-8; {error}.")
        if not isinstance(row, dict):
            return Problem(place, f"{place}: a line must be an object of JSON; got {shown(row)}.")
        for column in (self.columns.text, self.columns.id):
            if column is not None and column not in row:
                return Problem(place, f"{place}: a line must have the key {shown(column)}; this one has {shown([*row])}.")
        key = self.columns.id or "id"
        return self._document_of(row[self.columns.text], row.get(key, place) if key in row else place, place)

    def _rows(self, path: Path, name: str, piece: Piece) -> Iterator[Given | Problem]:
        with pq.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False) as file:
            key = self.columns.id or ("id" if "id" in file.schema_arrow.names else None)
            wanted = [self.columns.text, *([] if key in (None, self.columns.text) else [key])]
            group = file.metadata.row_group(piece.group)
            length = text_bytes(group, self.columns.text) / max(1, group.num_rows)
            rows = max(1, min(READ_ROWS, int(READ_AT_ONCE / max(1.0, length))))
            at = 0
            for batch in file.iter_batches(rows, row_groups=[piece.group], columns=wanted, use_threads=False):
                first, at = at, at + batch.num_rows
                for row in range(max(piece.begin, first) - first, min(piece.end, at) - first):
                    place = f"{name}#{piece.before + first + row}"
                    text = _value(batch, self.columns.text, row)
                    yield self._document_of(text, place if key is None else _value(batch, key, row), place)
                if at >= piece.end:
                    return

    def _document_of(self, text: object, number: object, place: str) -> Given | Problem:
        """Return a document of a table; its id is a text or a whole number."""
        if isinstance(number, bool) or not isinstance(number, str | int):
            return Problem(place, f"{place}: an id must be a text or a whole number; got {shown(number)}.")
        name = str(number)
        try:
            check_text(name, place)
            check_text(text, name)
        except InputError as error:
            return Problem(place, str(error) if str(error).startswith(place) else f"{place}: {error}")
        assert isinstance(text, str)
        return Given(name, text)


def _value(batch: pa.RecordBatch, column: str, row: int) -> object:
    try:
        return batch.column(column)[row].as_py()
    except UnicodeDecodeError as error:
        # Arrow takes on trust that texts are UTF-8.
        return error.object


def _rest_of_line(lines: BinaryIO) -> int:
    """Go behind the next line end, a buffer at a time; return how many bytes that are."""
    length = 0
    while piece := lines.readline(BUFFER):
        length += len(piece)
        if piece.endswith(b"\n"):
            break
    return length
