"""Seamark's own files in the user's folders, readable only by the user: in SQLite, or written as a whole."""

import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

_BUSY_WAIT_SECONDS = 2
"""Seconds to wait for another process that writes to the file."""

_DAMAGED_FILE_MESSAGE = "the file is damaged"


class _DamageReportingConnection(sqlite3.Connection):
    """Connection that reports a damaged file as damaged even if SQLite's own message is undecodable."""

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """Execute an SQL statement; an undecodable message about a damaged file is raised as sqlite3.Error too."""
        try:
            return super().execute(*arguments)
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError(_DAMAGED_FILE_MESSAGE) from error

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        """Execute an SQL statement once for each set of values; raises the errors of `execute`."""
        try:
            return super().executemany(*arguments)
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError(_DAMAGED_FILE_MESSAGE) from error


def open_private_sqlite(path: Path, *, creates_file: bool = True) -> sqlite3.Connection:
    """Open an SQLite file for use by any thread; only the owner can read it, where the file system supports that.

    Parameters
    ----------
    creates_file
        True to create the file if it does not exist.

    Raises
    ------
    OSError, sqlite3.Error
        If the file cannot be opened.
    """
    if creates_file:
        # What texts were worked on is nobody else's business, hashes or not. If this fails, the file may still be readable.
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            path.chmod(0o600)
    return sqlite3.connect(
        path if creates_file else f"{path.absolute().as_uri()}?mode=rw",
        timeout=_BUSY_WAIT_SECONDS,
        check_same_thread=False,
        isolation_level=None,
        factory=_DamageReportingConnection,
        uri=not creates_file,
    )


def set_sqlite_size_and_sync(connection: sqlite3.Connection, most_bytes: int | None = None) -> None:
    """Set an SQLite file's maximum size, if any, and turn off waiting for the disk. Raise sqlite3.Error on failure.

    A killed process loses no committed data. If the whole machine stops, a page may be damaged; everything read is
    checked, so the damage costs a computation and never causes a wrong answer.
    """
    connection.execute("PRAGMA synchronous = OFF")
    if most_bytes is not None:
        # Beyond it, writing fails.
        page_size = connection.execute("PRAGMA page_size").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {max(1, most_bytes // page_size)}")


def file_size(path: Path) -> int:
    """Return the size of a file in bytes; 0 if there is no file."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def is_disk_full(sqlite_error: sqlite3.Error) -> bool:
    """Return whether an error means that the file, the disk or the user's quota is full."""
    return getattr(sqlite_error, "sqlite_errorcode", None) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE)


def write_in_transaction(connection: sqlite3.Connection, write_function: Callable[[sqlite3.Connection], object]) -> None:
    """Run ``write_function`` in a single transaction, which is rolled back on an error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        write_function(connection)
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have rolled it back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


# The folders of the user's system for caches and for data.


def user_cache_folder() -> Path:
    """Return Seamark's cache folder, following the platform's conventions; the folder may not exist yet."""
    return _seamark_user_folder("seamark/seamark/Cache", "Caches", "XDG_CACHE_HOME", ".cache")


def user_data_folder() -> Path:
    """Return Seamark's folder for the user's own data, which the system never cleans up; the folder may not exist yet."""
    return _seamark_user_folder("seamark/seamark", "Application Support", "XDG_DATA_HOME", ".local/share")


def _seamark_user_folder(
    windows_subfolder: str, mac_library_folder: str, environment_variable: str, other_system_folder: str
) -> Path:
    """Return a folder below the platform's own; elsewhere an environment variable may name another one than the default."""
    user_home_folder = Path(os.path.expanduser("~"))  # noqa: PTH111 - without a home it stays as it is, where Path raises an error
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or user_home_folder / "AppData" / "Local") / windows_subfolder
    if sys.platform == "darwin":
        return user_home_folder / "Library" / mac_library_folder / "seamark"
    configured_folder = os.environ.get(environment_variable, "").strip()
    return (Path(configured_folder) if configured_folder else user_home_folder / other_system_folder) / "seamark"


def write_atomically(path: Path, content_parts: Iterable[bytes | memoryview]) -> None:
    """Write a file atomically, readable by its owner only; errors are ignored and leave no partial file behind."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        file_descriptor, temporary_path = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(file_descriptor, "wb") as file:
                file.writelines(content_parts)
            Path(temporary_path).replace(path)
        except BaseException:
            Path(temporary_path).unlink(missing_ok=True)
            raise
