"""A cache of language models' answers: bounded in memory, and complete in a file if one is named."""

import hashlib
import json
import secrets
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from chunkers.language_models.base import AnswerShape, LanguageModel, Message, Reply
from chunkers.storage.fair_locks import FairLocks
from chunkers.storage.private_files import file_size, open_private_sqlite, set_sqlite_size_and_sync
from chunkers.support import SHARED_ANSWERS_BYTES, LRUDict

_CACHE_TABLE_SQL = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, reply BLOB, checksum BLOB) WITHOUT ROWID"


class AnswerCache:
    """Cache of language models' answers, keyed by model, revision, settings and conversation.

    The file may be missing, corrupt, read-only or deleted at any time: an answer that cannot be read is requested again,
    and an answer that cannot be written stays in memory. The file holds hashes of conversations, and the answers as
    text, which may repeat parts of a document. Its size is unlimited, because dropped answers would have to be paid for
    twice.

    Parameters
    ----------
    path
        The SQLite file; None keeps everything in memory.
    memory_bytes
        Limit of the answers in memory; the least recently used are dropped first.

    Attributes
    ----------
    turns
        Lock held while a question is asked, so that no two callers ask the same question.
    identity
        Identifier that distinguishes this cache from others, which may hold other answers to the same question.
    """

    def __init__(self, path: Path | None = None, memory_bytes: int = SHARED_ANSWERS_BYTES) -> None:
        self._memory: LRUDict[bytes, bytes] = LRUDict(memory_bytes, len)
        self.turns = FairLocks()
        self.identity = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._path = path
        self._file = _open_cache_file(path, may_replace_damaged_file=True) if path else None

    @property
    def file_bytes(self) -> int:
        """Size of the cache file in bytes; 0 if there is no file."""
        return file_size(self._path) if self._path else 0

    @staticmethod
    def key(
        language_model: LanguageModel,
        most_tokens: int,
        messages: Sequence[Message],
        repeat_number: int = 0,
        answer_shape: AnswerShape | None = None,
    ) -> bytes:
        """Return the cache key of a conversation with a model; each repeat and each ``answer_shape`` has its own key."""
        extra_fields = [*([repeat_number] if repeat_number else []), *([answer_shape] if answer_shape else [])]
        request_json = json.dumps(
            [language_model.name, language_model.revision, language_model.settings, most_tokens, messages, *extra_fields]
        )
        return hashlib.blake2b(request_json.encode(), digest_size=16).digest()

    def get(self, key: bytes) -> Reply | None:
        """Return the cached answer for a key; None if there is none."""
        with self._lock:
            reply_json = self._memory.get(key)
            if reply_json is None and self._file is not None:
                with suppress(sqlite3.Error):
                    answer_row = self._file.execute("SELECT reply, checksum FROM answers WHERE key = ?", (key,)).fetchone()
                    if answer_row and isinstance(answer_row[0], bytes) and answer_row[1] == _checksum(key, answer_row[0]):
                        reply_json = answer_row[0]
                        self._memory[key] = reply_json
        return None if reply_json is None else Reply(*json.loads(reply_json))

    def put(self, key: bytes, reply: Reply) -> None:
        """Store an answer in memory and in the cache file, if there is one."""
        reply_json = json.dumps(reply).encode()
        with self._lock:
            self._memory[key] = reply_json
            if self._file is not None:
                with suppress(sqlite3.Error):
                    self._file.execute(
                        "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, reply_json, _checksum(key, reply_json))
                    )

    def clear(self, *, file: bool = False) -> None:
        """Empty the cache in memory and, if ``file`` is true, on disk too."""
        with self._lock:
            self._memory.clear()
            if file and self._file is not None:
                with suppress(sqlite3.Error):
                    self._file.execute("DELETE FROM answers")
                    self._file.execute("VACUUM")


def _open_cache_file(path: Path, *, may_replace_damaged_file: bool) -> sqlite3.Connection | None:
    """Return the file, replaced by an empty one if it is damaged; None where it cannot be used."""
    try:
        cache_file_connection = open_private_sqlite(path)
        set_sqlite_size_and_sync(cache_file_connection)
        cache_file_connection.execute(_CACHE_TABLE_SQL)
    except (OSError, sqlite3.OperationalError):
        return None
    except sqlite3.Error:
        if not may_replace_damaged_file:
            return None
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return _open_cache_file(path, may_replace_damaged_file=False)
    return cache_file_connection


def _checksum(key: bytes, reply_bytes: bytes) -> bytes:
    return hashlib.blake2b(key + reply_bytes, digest_size=8).digest()


SHARED_ANSWERS = AnswerCache()
"""Answer cache used if no other is given; ``clear`` empties it."""
