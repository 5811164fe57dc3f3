"""The database tables of stored runs, and the check that a file has them."""

from __future__ import annotations

import sqlite3

from chunkers.storage.private_file import at_once

_APPLICATION = 0x5EA3A4
"""SQLite's ``application_id``, which distinguishes our files from those of other programs."""

_FORMAT = 1

_SCHEMA = (
    "CREATE TABLE runs (key BLOB PRIMARY KEY, kind TEXT, version TEXT, began REAL, plan BLOB, vectors TEXT, checksum BLOB)",
    "CREATE TABLE parts (run BLOB, number INTEGER, part BLOB, checksum BLOB, PRIMARY KEY (run, number)) WITHOUT ROWID",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_FORMAT}",
)


class Foreign(Exception):
    """Error for a file of another program or of another format."""


def check_format(connection: sqlite3.Connection) -> None:
    """Create the tables of stored runs in an empty file; raises `Foreign` if the file has other content."""
    if _format(connection) == (_APPLICATION, _FORMAT):
        return

    def create(connection: sqlite3.Connection) -> None:
        # Another process may have created them meanwhile.
        stored = _format(connection)
        if stored == (_APPLICATION, _FORMAT):
            return
        if stored != (0, 0) or connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
            ours = stored[0] == _APPLICATION
            raise Foreign(f"its format is {stored[1]}, not {_FORMAT}" if ours else "it is another program's")
        for statement in _SCHEMA:
            connection.execute(statement)

    at_once(connection, create)


def _format(connection: sqlite3.Connection) -> tuple[int, int]:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    return application, number
