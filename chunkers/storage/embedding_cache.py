"""The cache of embeddings: bounded in memory, and with the user's consent in one SQLite file."""

import hashlib
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from chunkers.storage.fair_locks import FairLocks
from chunkers.storage.private_files import file_size, open_private_sqlite, set_sqlite_size_and_sync, write_in_transaction
from chunkers.support import MAX_CACHE_FILE_BYTES, SHARED_CACHE_BYTES, LRUDict, VectorArray

MEMORY_BYTES = 512_000_000
"""Default limit of the vectors in memory: about 330,000 sentences of 384 dimensions."""


class CachedVector(NamedTuple):
    """A cached vector, with its computation time in seconds."""

    vector: VectorArray
    cost: float


class EmbeddingCache:
    """Cache of embeddings, keyed by model, revision and text.

    The file may be missing, corrupt, full, read-only or deleted at any time: vectors that cannot be read are computed
    again, vectors that cannot be written stay in memory, and `complaint` says so. The file holds hashes and vectors,
    never text.

    Parameters
    ----------
    path
        The SQLite file; None keeps everything in memory.
    memory_bytes
        Limit of the vectors in memory; the least recently used are dropped first.

    Attributes
    ----------
    turns
        Lock held by the run that embeds with a model, so that no two runs compute the same vectors.
    """

    def __init__(self, path: Path | None = None, memory_bytes: int = MEMORY_BYTES) -> None:
        self._memory: LRUDict[bytes, CachedVector] = LRUDict(memory_bytes, lambda entry: entry.vector.nbytes)
        self.turns = FairLocks()
        self._lock = threading.Lock()
        self._path = path
        self._file = _VectorFile(path) if path else None

    @staticmethod
    def keys(model: str, revision: str, texts: Sequence[str]) -> list[bytes]:
        """Return the cache keys of texts for a model and revision."""
        model_hasher = hashlib.blake2b(f"{model}\0{revision}\0".encode(), digest_size=16)
        cache_keys = []
        for text in texts:
            text_hasher = model_hasher.copy()
            text_hasher.update(text.encode())
            cache_keys.append(text_hasher.digest())
        return cache_keys

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, CachedVector]:
        """Return the cached entries by key, leaving out keys that are not in the cache."""
        with self._lock:
            memory_entry_by_key = {key: self._memory.get(key) for key in keys}
            found_cache_entry_by_key = {key: entry for key, entry in memory_entry_by_key.items() if entry is not None}
            keys_not_in_memory = [key for key, entry in memory_entry_by_key.items() if entry is None]
            if self._file and keys_not_in_memory:
                entry_from_file_by_key = self._file.read(keys_not_in_memory)
                found_cache_entry_by_key |= entry_from_file_by_key
                self._memory.update(entry_from_file_by_key)
        return found_cache_entry_by_key

    def put_many(self, keys: Sequence[bytes], vectors: VectorArray, cost: float) -> dict[bytes, CachedVector]:
        """Store ``vectors``, each computed in ``cost`` seconds, under ``keys``; return the new cache entries by key."""
        new_cache_entry_by_key = {key: CachedVector(vector.copy(), cost) for key, vector in zip(keys, vectors, strict=True)}
        with self._lock:
            self._memory.update(new_cache_entry_by_key)
            if self._file:
                self._file.write(new_cache_entry_by_key)
        return new_cache_entry_by_key

    def clear(self, *, file: bool = False) -> None:
        """Empty the cache in memory and, if ``file`` is true, on disk too."""
        with self._lock:
            self._memory.clear()
            if file and self._file:
                self._file.clear()

    @property
    def file_bytes(self) -> int:
        """Size of the cache file in bytes; 0 if there is no file."""
        return file_size(self._path) if self._path else 0

    @property
    def complaint(self) -> str:
        """A sentence on why the last write to the file failed; empty if it succeeded or nothing was written."""
        return self._file.complaint if self._file else ""

    def __len__(self) -> int:
        """Return the number of vectors in memory."""
        return len(self._memory)


SHARED_CACHE = EmbeddingCache(memory_bytes=SHARED_CACHE_BYTES)
"""Embedding cache of `chunkers.chunk` and of recipes that are given no cache; ``clear`` empties it."""

_SCHEMA = "CREATE TABLE IF NOT EXISTS embeddings (key BLOB PRIMARY KEY, cost REAL, vector BLOB, checksum BLOB) WITHOUT ROWID"
_KEYS_PER_QUERY = 500
"""Keys per query; older versions of SQLite allow 999 variables."""


class _VectorFile:
    """The SQLite file: on any failure it counts as empty; a damaged file is replaced."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.complaint = ""
        self._connection = self._open(may_replace=True)

    def _open(self, may_replace: bool) -> sqlite3.Connection | None:
        try:
            cache_database_connection = open_private_sqlite(self._path)
        except (OSError, sqlite3.Error) as error:
            self._record_failure(error)
            return None
        try:
            set_sqlite_size_and_sync(cache_database_connection, MAX_CACHE_FILE_BYTES)
            cache_database_connection.execute(_SCHEMA)
            cache_database_connection.execute("SELECT key, cost, vector, checksum FROM embeddings LIMIT 1").fetchone()
        except sqlite3.OperationalError:
            # Read-only, locked or of an older layout: its content may still be readable.
            return cache_database_connection
        except sqlite3.DatabaseError:
            cache_database_connection.close()
            return self._replace() if may_replace else None
        return cache_database_connection

    def _replace(self) -> sqlite3.Connection | None:
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            self._record_failure(error)
            return None
        return self._open(may_replace=False)

    def read(self, keys: list[bytes]) -> dict[bytes, CachedVector]:
        entry_by_key: dict[bytes, CachedVector] = {}
        if self._connection is None:
            return entry_by_key
        try:
            for batch_start in range(0, len(keys), _KEYS_PER_QUERY):
                key_batch = keys[batch_start : batch_start + _KEYS_PER_QUERY]
                sql_key_placeholders = ",".join("?" * len(key_batch))
                embeddings_sql = f"SELECT key, cost, vector, checksum FROM embeddings WHERE key IN ({sql_key_placeholders})"
                for key, computation_seconds, vector, checksum in self._connection.execute(embeddings_sql, key_batch):
                    if checksum == _checksum(key, computation_seconds, vector):
                        entry_by_key[key] = CachedVector(np.frombuffer(vector, dtype=np.float32), computation_seconds)
        except sqlite3.Error as error:
            self._replace_if_damaged(error)
        return entry_by_key

    def write(self, entry_by_key: dict[bytes, CachedVector]) -> None:
        if self._connection is None:
            return
        table_rows = []
        for key, cached_vector in entry_by_key.items():
            embedding_vector_bytes = cached_vector.vector.tobytes()
            table_rows.append(
                (key, cached_vector.cost, embedding_vector_bytes, _checksum(key, cached_vector.cost, embedding_vector_bytes))
            )
        try:
            write_in_transaction(
                self._connection,
                lambda connection: connection.executemany(
                    "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)", table_rows
                ),
            )
            self.complaint = ""
        except sqlite3.Error as error:
            self._record_failure(error)
            self._replace_if_damaged(error)

    def clear(self) -> None:
        if self._connection is None:
            return
        try:
            self._connection.execute("DELETE FROM embeddings")
            self._connection.execute("VACUUM")
            self.complaint = ""
        except sqlite3.Error as error:
            self._record_failure(error)
            self._replace_if_damaged(error)

    def _record_failure(self, error: Exception) -> None:
        self.complaint = (
            f"Embeddings can be kept on disk only while their file can be written; writing it failed: {error}. "
            "They stay in memory, and are computed again after a restart."
        )

    def _replace_if_damaged(self, error: sqlite3.Error) -> None:
        """Start a new file if this one is damaged; leave it alone if it is only locked or read-only."""
        if self._connection is not None and not isinstance(error, sqlite3.OperationalError):
            self._connection.close()
            self._connection = self._replace()


def _checksum(key: bytes, computation_seconds: object, vector: object) -> bytes:
    """Return the checksum of a row, whatever types damage has made of its columns."""
    vector_bytes = vector if isinstance(vector, bytes) else repr(vector).encode()
    return hashlib.blake2b(key + repr(computation_seconds).encode() + vector_bytes, digest_size=8).digest()
