"""Runs stored on disk with the user's consent: their settings, and each part as it is finished.

The file contains hashes, numbers and the values of settings, but no text and no link; see `viz.jobs.storage.stored_run`.
"""

import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from chunkers import InputError, __version__
from chunkers.storage.private_files import (
    file_size,
    is_disk_full,
    open_private_sqlite,
    set_sqlite_size_and_sync,
    write_in_transaction,
)

# The format of the file.

_SQLITE_APPLICATION_ID = 0x5EA3A4
"""SQLite's ``application_id``, which distinguishes our files from those of other programs."""

_FILE_FORMAT_VERSION = 1

_SCHEMA_STATEMENTS = (
    "CREATE TABLE runs (key BLOB PRIMARY KEY, kind TEXT, version TEXT, began REAL, plan BLOB, vectors TEXT, checksum BLOB)",
    "CREATE TABLE parts (run BLOB, number INTEGER, part BLOB, checksum BLOB, PRIMARY KEY (run, number)) WITHOUT ROWID",
    f"PRAGMA application_id = {_SQLITE_APPLICATION_ID}",
    f"PRAGMA user_version = {_FILE_FORMAT_VERSION}",
)


class ForeignFileError(Exception):
    """Error for a file of another program or of another format."""


def ensure_run_tables(connection: sqlite3.Connection) -> None:
    """Create the tables of stored runs in an empty file; raises `ForeignFileError` if the file has other content."""
    if _application_id_and_version(connection) == (_SQLITE_APPLICATION_ID, _FILE_FORMAT_VERSION):
        return

    def create_tables_if_empty(connection: sqlite3.Connection) -> None:
        # Another process may have created them meanwhile.
        stored_application_id_and_version = _application_id_and_version(connection)
        if stored_application_id_and_version == (_SQLITE_APPLICATION_ID, _FILE_FORMAT_VERSION):
            return
        if stored_application_id_and_version != (0, 0) or connection.execute(
            "SELECT count(*) FROM sqlite_master"
        ).fetchone() != (0,):
            is_run_store_file = stored_application_id_and_version[0] == _SQLITE_APPLICATION_ID
            raise ForeignFileError(
                f"its format is {stored_application_id_and_version[1]}, not {_FILE_FORMAT_VERSION}"
                if is_run_store_file
                else "it is another program's"
            )
        for statement in _SCHEMA_STATEMENTS:
            connection.execute(statement)

    write_in_transaction(connection, create_tables_if_empty)


def _application_id_and_version(connection: sqlite3.Connection) -> tuple[int, int]:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (format_version,) = connection.execute("PRAGMA user_version").fetchone()
    return application_id, format_version


MAX_RUNS_FILE_BYTES = 200_000_000
"""Size limit of the file in bytes; the largest runs, on whole corpora, take about 20 MB. The oldest are deleted first."""

MAX_PART_BYTES = 20_000_000
"""Size limit of a finished part in bytes; larger parts are not stored."""

MOST_RUNS_ON_DISK = 50
"""Most runs in the file; the oldest is deleted first."""

MOST_STORAGE_DAYS = 30
"""Days that a run is available after it was begun or resumed; expired runs are deleted when another run begins."""

# Runs are ordered by row number, since the clock may be changed.
_NEWEST_BEGIN_QUERY = "SELECT began FROM runs ORDER BY rowid DESC LIMIT 1"
_OLDEST_RUN_QUERY = "SELECT key FROM runs WHERE key != ? ORDER BY rowid LIMIT 1"


class RunStore:
    """A store of runs in a SQLite file, which is created with the first run.

    Like the embedding cache, the file may be missing, damaged, full, read-only or deleted at any time; data that cannot be
    written is dropped. Several threads and processes may use the store concurrently.

    Attributes
    ----------
    complaint
        The reason why the latest run, or a part written since it began, could not be stored; otherwise empty.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self.complaint = ""

    def begin(self, key: bytes, kind: str, plan_json: bytes, embedder_hash: str = "") -> None:
        """Create a run, or extend the lifetime of an existing one; a file with other content is replaced.

        ``embedder_hash`` is the hash of the run's embedding model, if it is known already.
        """
        if len(plan_json) > MAX_PART_BYTES:
            return
        run_begin_time = time.time()
        run_row_values = (
            key,
            kind,
            __version__,
            run_begin_time,
            plan_json,
            embedder_hash,
            _row_checksum(key, kind, __version__, plan_json),
        )

        def insert_or_renew_run(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE runs SET began = ? WHERE began > ?", (run_begin_time, run_begin_time))
            # Age is measured up to the previous run's start, so that a clock that is ahead once deletes nothing.
            (newest_run_begin_time,) = connection.execute(_NEWEST_BEGIN_QUERY).fetchone() or (run_begin_time,)
            connection.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET began = excluded.began",
                run_row_values,
            )
            connection.execute("UPDATE runs SET rowid = 1 + (SELECT max(rowid) FROM runs) WHERE key = ?", (key,))
            _delete_runs(
                connection, "SELECT key FROM runs WHERE began < ?", newest_run_begin_time - MOST_STORAGE_DAYS * 86_400
            )
            _delete_runs(connection, "SELECT key FROM runs ORDER BY rowid DESC LIMIT -1 OFFSET ?", MOST_RUNS_ON_DISK)

        with self._lock, self._recording_write_failure():
            self.complaint = ""
            try:
                self._write(key, insert_or_renew_run)
            except sqlite3.OperationalError:
                raise
            except (ForeignFileError, sqlite3.DatabaseError):
                self._remove_file()
                self._write(key, insert_or_renew_run)

    def add_part(self, key: bytes, part_number: int, part_json: bytes) -> None:
        """Store a finished part of a run, unless the run was deleted, and return only after the part is written."""
        if len(part_json) > MAX_PART_BYTES:
            return
        part_row_values = (key, part_number, part_json, _row_checksum(key, part_number, part_json), key)

        def insert_part(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO parts SELECT ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM runs WHERE key = ?)",
                part_row_values,
            )

        with self._lock, self._recording_write_failure():
            self._write(key, insert_part)

    def record_or_compare_embedder_hash(self, key: bytes, embedder_hash: str) -> bool:
        """Record the hash of a run's embedding model; return False if a different hash was recorded before."""
        recorded_embedder_hash_rows: list[tuple[str]] = []

        def record_embedder_hash(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE runs SET vectors = ? WHERE key = ? AND vectors = ''", (embedder_hash, key))
            recorded_embedder_hash_rows[:] = connection.execute("SELECT vectors FROM runs WHERE key = ?", (key,)).fetchall()

        with self._lock, suppress(OSError, sqlite3.Error, ForeignFileError):
            self._write(key, record_embedder_hash)
        return recorded_embedder_hash_rows in ([], [(embedder_hash,)])

    def plan(self, key: bytes, kind: str) -> bytes | None:
        """Return a run's plan as unchecked JSON, or None if no run of this kind is stored or the run has expired.

        Raises
        ------
        InputError
            If the file or the run is not as this version of Seamark writes them.
        """
        if not self._file_identity():
            return None
        with self._open_for_reading() as connection:
            stored_row = connection.execute(
                "SELECT kind, version, plan, checksum FROM runs WHERE key = ? AND began >= ?",
                (key, time.time() - MOST_STORAGE_DAYS * 86_400),
            ).fetchone()
        if stored_row is None:
            return None
        stored_kind, seamark_version, plan_json, checksum = stored_row
        if checksum != _row_checksum(key, stored_kind, seamark_version, plan_json):
            raise InputError("The run stored on disk is damaged. Run it again.")
        if seamark_version != __version__:
            raise InputError(
                f"The run was stored by Seamark {seamark_version}, and this is Seamark {__version__}. Run it again."
            )
        return bytes(plan_json) if stored_kind == kind else None

    def parts(self, key: bytes) -> dict[int, bytes]:
        """Return a run's finished parts by number, as unchecked JSON; damaged parts are left out.

        Raises
        ------
        InputError
            If the file is not as this version of Seamark writes it.
        """
        if not self._file_identity():
            return {}
        with self._open_for_reading() as connection:
            part_rows = connection.execute("SELECT number, part, checksum FROM parts WHERE run = ?", (key,)).fetchall()
        return {number: part for number, part, checksum in part_rows if checksum == _row_checksum(key, number, part)}

    def clear(self) -> None:
        """Delete all runs, including those of other processes."""
        with self._lock, suppress(OSError, sqlite3.OperationalError):
            if self._file_identity():
                try:
                    run_store_connection = self._current_connection()
                    run_store_connection.execute("DELETE FROM parts")
                    run_store_connection.execute("DELETE FROM runs")
                    run_store_connection.execute("VACUUM")
                except sqlite3.OperationalError:
                    raise
                except (ForeignFileError, sqlite3.DatabaseError):
                    self._remove_file()

    @property
    def file_size_in_bytes(self) -> int:
        """The size of the store's file in bytes; 0 if there is no file."""
        return file_size(self._path)

    @contextmanager
    def _open_for_reading(self) -> Iterator[sqlite3.Connection]:
        """Open a connection for the block; raises InputError if the file cannot be read."""
        try:
            with self._lock:
                yield self._current_connection()
        except (OSError, sqlite3.OperationalError) as error:
            raise InputError(
                f"The file of kept runs cannot be read: {error}. Check its permissions, then try again."
            ) from error
        except (ForeignFileError, sqlite3.Error) as error:
            raise InputError(
                f"The file of kept runs must be written by this version of Seamark; this one is not ({error}). The "
                "next kept run replaces it."
            ) from error

    def _write(self, run_key: bytes, write_rows: Callable[[sqlite3.Connection], None]) -> None:
        """Write in one transaction; if the file or the disk is full, delete the oldest runs first."""
        run_store_connection = self._current_connection()
        try:
            while True:
                try:
                    write_in_transaction(run_store_connection, write_rows)
                    return
                except sqlite3.OperationalError as error:
                    if (
                        not is_disk_full(error)
                        or run_store_connection.execute(_OLDEST_RUN_QUERY, (run_key,)).fetchone() is None
                    ):
                        raise
                self._delete_oldest_other_run(run_store_connection, run_key)
        finally:
            if run_store_connection.execute("PRAGMA journal_mode").fetchone() == ("memory",):
                run_store_connection.execute("PRAGMA journal_mode = DELETE")

    def _delete_oldest_other_run(self, connection: sqlite3.Connection, run_key_to_keep: bytes) -> None:
        """Delete the oldest run whose key is not ``run_key_to_keep``."""

        def delete_oldest_run(connection: sqlite3.Connection) -> None:
            _delete_runs(connection, _OLDEST_RUN_QUERY, run_key_to_keep)

        try:
            write_in_transaction(connection, delete_oldest_run)
        except sqlite3.OperationalError as error:
            if not is_disk_full(error):
                raise
            # A full disk has no space for the journal either.
            connection.execute("PRAGMA journal_mode = MEMORY")
            write_in_transaction(connection, delete_oldest_run)

    @contextmanager
    def _recording_write_failure(self) -> Iterator[None]:
        """Record the reason if writing fails inside the block."""
        try:
            yield
        except (OSError, sqlite3.Error, ForeignFileError) as error:
            self.complaint = (
                f"Runs can be kept on disk only while their file can be written; writing it failed: {error}. "
                "What is finished stays on the page, but may not be there after a restart."
            )

    def _current_connection(self) -> sqlite3.Connection:
        """Return a connection to the current file, since another process may have replaced or deleted the earlier one."""
        store_file_identity = self._file_identity()
        if self._connection is not None and store_file_identity and store_file_identity == self._inode:
            return self._connection
        self._close()
        if (store_file_size := file_size(self._path)) > MAX_RUNS_FILE_BYTES:
            raise ForeignFileError(f"the file may have at most {MAX_RUNS_FILE_BYTES:,} bytes; it has {store_file_size:,}")
        new_store_connection = open_private_sqlite(self._path)
        try:
            set_sqlite_size_and_sync(new_store_connection, MAX_RUNS_FILE_BYTES)
            # Overwrite deleted content instead of leaving it in free pages.
            new_store_connection.execute("PRAGMA secure_delete = ON")
            ensure_run_tables(new_store_connection)
            self._inode = self._file_identity()
        except BaseException:
            new_store_connection.close()
            raise
        self._connection = new_store_connection
        return new_store_connection

    def _file_identity(self) -> int:
        """Return an identifier of the current file, which changes if the file is replaced; 0 if there is none."""
        try:
            return self._path.stat().st_ino
        except OSError:
            return 0

    def _remove_file(self) -> None:
        self._close()
        for store_file_path in (self._path, self._path.with_name(f"{self._path.name}-journal")):
            store_file_path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class MemoryRunStore(RunStore):
    """A store of runs in memory, for a run that is read from a file of its own or will be written to one."""

    def __init__(self) -> None:
        super().__init__(Path(":memory:"))

    def _file_identity(self) -> int:
        return 1

    def _current_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
            ensure_run_tables(self._connection)
        return self._connection

    def _discard_database(self) -> None:
        self._close()


def _row_checksum(*values: object) -> bytes:
    """Return the checksum of a row; works for any column types, since damage may change them."""
    return hashlib.blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _delete_runs(connection: sqlite3.Connection, run_keys_query: str, query_argument: object) -> None:
    """Delete the runs whose keys ``run_keys_query``, a query in SQL, selects."""
    for (key,) in connection.execute(run_keys_query, (query_argument,)).fetchall():
        connection.execute("DELETE FROM parts WHERE run = ?", (key,))
        connection.execute("DELETE FROM runs WHERE key = ?", (key,))
