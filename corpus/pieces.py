"""Inputs of a run, split into pieces that are read one by one.

Nothing is read but names, sizes and the footers of Parquet files, so that a run knows of terabytes within minutes; the names
are those of one folder at a time.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from chunkers.commands.arguments import readable
from chunkers.support.errors import InputError, shown
from chunkers.text.reading import READABLE

LINES = (".jsonl", ".ndjson")
"""Endings of files with a document on each line, as JSON."""

PARQUET = (".parquet",)
"""Endings of files with a document in each row."""

MOST_FILES = 1_000
"""Maximum number of files that make one shard together, however small they are."""

Kind = Literal["file", "lines", "rows", "problem"]


class Piece(NamedTuple):
    """Unit of input: a file with one document, or part of a file with many documents.

    Attributes
    ----------
    root
        Number of the input that contains the piece.
    path
        Path below that input, in the system's own encoding; empty if the input is the file itself.
    kind
        A ``file`` with one document, ``lines`` of JSON, ``rows`` of Parquet, or a ``problem`` with a file or folder that
        cannot be read.
    size, changed
        Size of the whole file in bytes, and time of its last change in nanoseconds.
    begin, end
        For lines, the range of bytes in which the lines begin; for rows, the range of rows within the row group.
    group, before
        For rows, the number of the row group, and the number of rows in the groups before it.
    weight
        Approximate number of bytes to read for the piece.
    said
        For a problem, the message.
    """

    root: int
    path: str
    kind: Kind
    size: int = 0
    changed: int = 0
    begin: int = 0
    end: int = 0
    group: int = 0
    before: int = 0
    weight: int = 0
    said: str = ""


@dataclass(frozen=True)
class Columns:
    """Names of the columns or JSON keys that hold the documents' texts and ids.

    Attributes
    ----------
    text
        Column or key with the text.
    id
        Column or key with the id. If None, ``id`` is used if it exists; otherwise ids are made from positions in the file.
    """

    text: str = "text"
    id: str | None = None


@dataclass
class Inputs:
    """Input files and folders of a corpus run, in order.

    Attributes
    ----------
    roots
        Files and folders.
    columns
        Columns or keys of the documents in JSON lines and Parquet.
    part
        Size in bytes of the pieces of a large file.
    left_out
        Number of hidden files, symbolic links and files of other kinds skipped so far.
    """

    roots: Sequence[Path]
    columns: Columns
    part: int
    left_out: Counter[str] = field(default_factory=Counter)

    def pieces(self) -> Iterator[Piece]:
        """Yield all pieces of the input files in a fixed order: by input, then by name within each folder.

        Raises
        ------
        InputError
            If an input is not there, lies within another one, or is a table without the columns.
        """
        check_apart(self.roots)
        for number, root in enumerate(self.roots):
            try:
                status = root.stat()
            except OSError as error:
                raise InputError(
                    f"{readable(str(root))}: the input cannot be read: {error.strerror}. Check its path and permissions."
                ) from error
            if stat.S_ISDIR(status.st_mode):
                yield from self._folder(number, root)
            else:
                yield from self._file(number, "", root, status)

    def _folder(self, number: int, root: Path) -> Iterator[Piece]:
        """Yield the pieces of a folder, with a stack instead of recursion, which a deep folder would exhaust."""
        open_folders = [self._entries(number, root, "")]
        while open_folders:
            child = next(open_folders[-1], None)
            if child is None:
                open_folders.pop()
            elif isinstance(child, Piece):
                yield child
            else:
                path, entry = child
                if entry.is_dir(follow_symlinks=False):
                    open_folders.append(self._entries(number, root, f"{path}/"))
                elif not entry.name.lower().endswith((*READABLE, *LINES, *PARQUET)):
                    self.left_out["file of another kind"] += 1
                else:
                    yield from self._entry(number, path, entry)

    def _entries(self, number: int, root: Path, below: str) -> Iterator[tuple[str, os.DirEntry[str]] | Piece]:
        try:
            with os.scandir(root / below) as entries:
                children = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            yield Piece(
                number, below, "problem", said=f"the folder cannot be read: {error.strerror}. Check its permissions."
            )
            return
        for entry in children:
            if entry.name.startswith("."):
                self.left_out["hidden file or folder"] += 1
            elif entry.is_symlink():
                self.left_out["symbolic link"] += 1
            else:
                yield below + entry.name, entry

    def _entry(self, number: int, path: str, entry: os.DirEntry[str]) -> Iterator[Piece]:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            yield Piece(number, path, "problem", said=f"the file cannot be read: {error.strerror}. Check its permissions.")
            return
        if stat.S_ISREG(status.st_mode):
            yield from self._file(number, path, Path(entry.path), status)
        else:
            self.left_out["file of another kind"] += 1

    def _file(self, number: int, path: str, where: Path, status: os.stat_result) -> Iterator[Piece]:
        whole = Piece(number, path, "file", status.st_size, status.st_mtime_ns, weight=status.st_size)
        ending = where.suffix.lower()
        if ending in LINES:
            for begin in range(0, status.st_size, self.part):
                end = min(begin + self.part, status.st_size)
                yield whole._replace(kind="lines", begin=begin, end=end, weight=end - begin)
        elif ending in PARQUET:
            yield from self._rows(whole, where)
        else:
            yield whole

    def _rows(self, whole: Piece, where: Path) -> Iterator[Piece]:
        """Yield the row groups of a Parquet file, large ones in parts, by its footer alone."""
        try:
            with pq.ParquetFile(where) as file:
                schema, metadata = file.schema_arrow, file.metadata
        except (OSError, pa.ArrowException) as error:
            line = " ".join(str(error).split())[:300]
            yield whole._replace(kind="problem", said=f"the file must be valid Parquet; reading it failed: {line}")
            return
        self._check_columns(schema, readable(whole.path or where.name))
        before = 0
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group).num_rows
            size = text_bytes(metadata.row_group(group), self.columns.text)
            parts = max(1, min(rows, -(-size // self.part)))
            edges = [rows * number // parts for number in range(parts + 1)]
            for begin, end in pairwise(edges):
                if begin < end:
                    yield whole._replace(kind="rows", begin=begin, end=end, group=group, before=before, weight=size // parts)
            before += rows

    def _check_columns(self, schema: pa.Schema, name: str) -> None:
        """Raise InputError if a table does not have the columns: that is a slip in the command, not in a document."""
        for option, column in (("--text-column", self.columns.text), ("--id-column", self.columns.id)):
            if column is not None and column not in schema.names:
                raise InputError(
                    f"{option} must name a column of {name} ({', '.join(map(shown, schema.names))}); got {shown(column)}."
                )
        kind = schema.field(self.columns.text).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
            raise InputError(
                f"--text-column must name a column of strings; {self.columns.text} of {name} has the type {kind}. Name "
                "another column."
            )


def text_bytes(group: Any, column: str) -> int:
    """Return the uncompressed size in bytes of a column in a Parquet row group."""
    columns = (group.column(number) for number in range(group.num_columns))
    return sum(column_chunk.total_uncompressed_size for column_chunk in columns if column_chunk.path_in_schema == column)


def check_apart(roots: Iterable[Path]) -> None:
    """Raise InputError if an input is given twice or lies inside another, which would duplicate documents."""
    places = sorted((Path(os.path.realpath(root)), root) for root in roots)
    for (outer, given), (other, again) in pairwise(places):
        # Sorted by their parts, all that lies below a folder follows it.
        if other.is_relative_to(outer):
            within = "is given twice" if outer == other else f"lies within {readable(str(given))}"
            raise InputError(
                f"No input may lie within another or be given twice; {readable(str(again))} {within}. Name only one of the "
                "two."
            )


def label(roots: Sequence[Path], piece: Piece) -> str:
    """Return a file's name for document ids: its path below the input, prefixed with the input if there are several."""
    root = roots[piece.root]
    above = os.path.normpath(root) if len(roots) > 1 else "" if piece.path else root.name
    return readable(Path(above, piece.path).as_posix())
