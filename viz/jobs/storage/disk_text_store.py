"""Texts that the user keeps on this machine, with their questions, boundaries and columns, in a private SQLite file."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from chunkers import InputError
from chunkers.storage.private_files import is_disk_full, open_private_sqlite, set_sqlite_size_and_sync

MOST_STORED_BYTES = 400_000_000
"""Size limit of the file in bytes, enough for about 20 of the largest documents."""

_CREATE_TABLE_STATEMENT = """
CREATE TABLE IF NOT EXISTS notebooks (
    id TEXT PRIMARY KEY, revision INTEGER, changed REAL, name TEXT, questions INTEGER, head BLOB, digest TEXT, text BLOB
)
"""


class Listed(NamedTuple):
    """The list entry of a stored text: its id, name, time of the last change (Unix time), and number of questions."""

    id: str
    name: str
    changed: float
    question_count: int


class StoredTextKey(NamedTuple):
    """The key of a stored text: its id, and the last revision that this session has seen."""

    id: str
    revision: int


class DiskTextStore:
    """A store of texts in a SQLite file, safe for several threads and processes.

    The file is created with the first text. All methods raise `InputError`, with the reason in a sentence, if the file
    cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def listed(self) -> list[Listed]:
        """Return the list entries of the stored texts, most recently changed first."""
        with self._open_database(creates_file=False) as connection:
            if connection is None:
                return []
            list_query = "SELECT id, name, changed, questions FROM notebooks ORDER BY changed DESC, id"
            return [Listed(*row) for row in connection.execute(list_query)]

    def read(self, id: str) -> tuple[StoredTextKey, bytes, str] | None:
        """Return a text's key, its metadata as unchecked JSON, and the text itself; None if the text was removed."""
        with self._open_database(creates_file=False) as connection:
            read_query = "SELECT revision, head, text FROM notebooks WHERE id = ?"
            stored_text_row = None if connection is None else connection.execute(read_query, (id,)).fetchone()
        return (
            None
            if stored_text_row is None
            else (
                StoredTextKey(id, stored_text_row[0]),
                bytes(stored_text_row[1]),
                bytes(stored_text_row[2]).decode("utf-8", "surrogatepass"),
            )
        )

    def write(
        self,
        stored_key: StoredTextKey | None,
        text_name: str,
        question_count: int,
        metadata: bytes,
        text_change_digest: str,
        text: str,
    ) -> StoredTextKey:
        """Store a text with its metadata, and return its key.

        Parameters
        ----------
        stored_key
            The key from the last read or write. If another tab has changed or removed the entry since, or there is no key
            yet, the text becomes a new entry, so that neither overwrites the other.
        text_change_digest
            The text's digest; the text is only written if the digest has changed.
        """
        with self._open_database(creates_file=True) as connection:
            assert connection is not None
            connection.execute("BEGIN IMMEDIATE")
            try:
                stored_entry_revision_and_digest = None
                if stored_key is not None:
                    stored_entry_revision_and_digest = connection.execute(
                        "SELECT revision, digest FROM notebooks WHERE id = ?", (stored_key.id,)
                    ).fetchone()
                if (
                    stored_key is None
                    or stored_entry_revision_and_digest is None
                    or stored_entry_revision_and_digest[0] != stored_key.revision
                ):
                    stored_key = StoredTextKey(uuid4().hex, 0)
                    connection.execute("INSERT INTO notebooks (id, digest) VALUES (?, '')", (stored_key.id,))
                    stored_entry_revision_and_digest = (0, "")
                stored_key = StoredTextKey(stored_key.id, stored_key.revision + 1)
                connection.execute(
                    "UPDATE notebooks SET revision = ?, changed = ?, name = ?, questions = ?, head = ? WHERE id = ?",
                    (stored_key.revision, time.time(), text_name, question_count, metadata, stored_key.id),
                )
                if stored_entry_revision_and_digest[1] != text_change_digest:
                    encoded_text = text.encode("utf-8", "surrogatepass")
                    connection.execute(
                        "UPDATE notebooks SET digest = ?, text = ? WHERE id = ?",
                        (text_change_digest, encoded_text, stored_key.id),
                    )
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        return stored_key

    def remove(self, id: str | None = None) -> None:
        """Delete a stored text, or all stored texts if ``id`` is None."""
        with self._open_database(creates_file=False) as connection:
            if connection is not None:
                connection.execute("DELETE FROM notebooks WHERE ? IS NULL OR id = ?", (id, id))
                connection.execute("VACUUM")

    @contextmanager
    def _open_database(self, *, creates_file: bool) -> Iterator[sqlite3.Connection | None]:
        """Open a connection for the block; one per use, since another process may replace or delete the file in between.

        Yields None if there is no file; a missing file is only created with ``creates_file``.
        """
        try:
            with self._lock:
                try:
                    store_connection = open_private_sqlite(self._path, creates_file=creates_file)
                except sqlite3.OperationalError:
                    if creates_file or self._path.exists():
                        raise
                    store_connection = None
                if store_connection is None:
                    yield None
                    return
                with closing(store_connection):
                    set_sqlite_size_and_sync(store_connection, MOST_STORED_BYTES)
                    # Unlike a cache, the file must survive a crash of the machine.
                    store_connection.execute("PRAGMA synchronous = FULL")
                    store_connection.execute("PRAGMA secure_delete = ON")
                    store_connection.execute(_CREATE_TABLE_STATEMENT)
                    yield store_connection
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, sqlite3.Error) and is_disk_full(error):
                raise InputError(
                    f"The file of kept texts may have at most {MOST_STORED_BYTES / 1e6:,.0f} MB, and the disk must have "
                    "room for "
                    "it; there is no more room. Remove a kept text, or save a session file."
                ) from error
            raise InputError(
                f"The file of kept texts, {self._path.name}, cannot be read or written: {error}. Save a session file "
                "to keep the text."
            ) from error
