"""The documents of a corpus on the command line: files, and rows of JSON lines and Parquet as in ``seamark corpus``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from chunkers import InputError
from chunkers.commands.arguments import document_reader, file_bytes, named_files
from chunkers.support.extras import need
from chunkers.text.reading import READABLE, FileText

TABLES = (".jsonl", ".ndjson", ".parquet")
"""File endings of tables with one document per row: its text in ``text`` and, optionally, its name in ``id``."""

_PART = 1 << 40
"""Bytes of a table that are one piece: all of them."""


def documents_of(corpus: str, encoding: str | None) -> Iterator[tuple[str, FileText | InputError]]:
    """Yield name and text of each document of a folder or file, or an error in place of an unreadable text.

    Raises
    ------
    InputError
        If there is no file to read, or a table has no texts.
    """
    read = document_reader(encoding)
    files = [*named_files([corpus], (*READABLE, *TABLES))]
    for path, name in files:
        if not _is_table(name):
            try:
                yield name, read(file_bytes(path, name), name)
            except InputError as error:
                yield name, error
    if any(_is_table(name) for _, name in files):
        yield from _rows(Path(corpus))


def names_of(corpus: str) -> Iterator[str]:
    """Yield the names of `documents_of`. Raises the same errors."""
    files = [*named_files([corpus], (*READABLE, *TABLES))]
    yield from (name for _, name in files if not _is_table(name))
    if any(_is_table(name) for _, name in files):
        yield from (name for name, _ in _rows(Path(corpus)))


def _is_table(name: str) -> bool:
    return name.lower().endswith(TABLES)


def _rows(root: Path) -> Iterator[tuple[str, FileText | InputError]]:
    """Yield the documents in all tables of a folder, or in a single table."""
    need("corpus", "reading JSON lines and Parquet")
    from corpus.pieces import Columns, Inputs
    from corpus.reading import Given, Source

    source = Source([root.absolute()], [root], Columns())
    for piece in Inputs([root], Columns(), _PART).pieces():
        if piece.kind == "file" or not _is_table(piece.path or root.name):
            continue
        for document in source.documents(piece):
            if isinstance(document, Given):
                yield document.id, FileText(document.text, "utf-8", "utf-8")
            else:
                yield document.id, InputError(document.said)
