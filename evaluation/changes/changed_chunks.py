"""Chunks kept, changed, new and gone between two ways to cut the same documents, and the tokens to embed again.

What counts is the text that is embedded for a chunk, with headings or a context in front if there are any, and not its
position: an index needs one vector for each text, wherever the text stands in its document. If a document has a text b
times before and a times after, then min(a, b) of its chunks are kept. Of the other chunks of a document, as many as there
are on both sides are changed; the rest are new, or gone. Changed and new chunks must be embedded again. Vectors of another
model are of no use, and by late chunking a vector depends on the text around the chunk, so that nothing is kept.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from types import TracebackType
from typing import NamedTuple, Self

DIGEST_BYTES = 16
"""Bytes of a text's hash: two of a thousand million texts share one with a probability below 1 to 10²⁰."""

_TABLES = """
    CREATE TABLE chunks (document TEXT, text BLOB, is_after INTEGER, tokens INTEGER)
"""

_COUNTED = """
    CREATE TABLE documents AS
    SELECT document, sum(min(before, after)) AS kept, sum(before) AS before, sum(after) AS after,
        sum(max(after - before, 0) * tokens) AS again, sum(after * tokens) AS tokens
    FROM (
        SELECT document, sum(is_after = 0) AS before, sum(is_after) AS after, max(is_after * tokens) AS tokens
        FROM chunks GROUP BY document, text
    )
    GROUP BY document
"""

_CHANGES = """
    kept, min(before, after) - kept AS changed, max(after - before, 0) AS new, max(before - after, 0) AS gone, again, tokens
"""


class Changes(NamedTuple):
    """Numbers of kept, changed, new and gone chunks, and tokens.

    Attributes
    ----------
    kept, changed, new, gone
        Numbers of chunks, as this module counts them. There are kept + changed + gone chunks before, and kept + changed +
        new after.
    tokens_again
        Tokens of the changed and new chunks, which must be embedded again.
    tokens
        Tokens of all chunks after the change.
    """

    kept: int = 0
    changed: int = 0
    new: int = 0
    gone: int = 0
    tokens_again: int = 0
    tokens: int = 0

    @property
    def before(self) -> int:
        """Number of chunks before the change."""
        return self.kept + self.changed + self.gone

    @property
    def after(self) -> int:
        """Number of chunks after the change."""
        return self.kept + self.changed + self.new


def dollars_for(tokens: int, price: float | None) -> float | None:
    """Return the dollars for embedding tokens at a price for a million; None without a price."""
    return None if price is None else tokens / 1_000_000 * price


def dollar_words(dollars: float) -> str:
    """Format dollars with two decimals, or with two significant digits below a cent."""
    return f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else f"${dollars:.2g}"


class DocumentChanges(NamedTuple):
    """Name and changes of one document."""

    document: str
    changes: Changes


class Comparison(NamedTuple):
    """Changes of all documents together, and the documents that change most.

    Attributes
    ----------
    documents, changed_documents
        Number of documents with a chunk on either side, and of those with a chunk that is not kept.
    only_before, only_after
        Number of documents with chunks on only one side.
    most_changed
        Documents with the most tokens to embed again, then with the most chunks that are not kept; names decide ties.
    """

    total: Changes
    documents: int
    changed_documents: int
    only_before: int
    only_after: int
    most_changed: tuple[DocumentChanges, ...]


class ChunkComparison:
    """Comparison of the chunks of two indexes, in memory that does not grow with their number.

    Hashes of the texts are in a temporary database on disk, which a close removes; use the object in a ``with`` statement.
    Documents may be added in any order, and in parts.

    Parameters
    ----------
    keeps_vectors
        True if the same text has the same vector on both sides; otherwise, as with another model or by late chunking, no
        chunk is kept.
    """

    def __init__(self, keeps_vectors: bool = True) -> None:
        self._keeps_vectors = keeps_vectors
        # A database without a name is in memory as far as the cache of 2 MB holds it, and then in a file without a name.
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(_TABLES)
        self._database.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._database.close()

    def add(self, document: str, chunks: Iterable[tuple[str, int]], after: bool) -> None:
        """Add chunks of a document to one side: the embedded text of each, and its tokens.

        ``after`` is true for the side that replaces the other.
        """
        salt = b"" if self._keeps_vectors else (b"before", b"after")[after]
        rows = (
            (document, hashlib.blake2b(text.encode(), digest_size=DIGEST_BYTES, salt=salt).digest(), after, tokens)
            for text, tokens in chunks
        )
        self._database.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", rows)

    def result(self, most: int = 10) -> Comparison:
        """Return the changes of all documents, and the ``most`` documents that change most."""
        run = self._database.execute
        run("DROP TABLE IF EXISTS documents")
        run(_COUNTED)
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in ("kept", "changed", "new", "gone", "again", "tokens"))
        total = Changes(*run(f"SELECT {sums} FROM (SELECT {_CHANGES} FROM documents)").fetchone())
        counts = run(
            "SELECT count(*), coalesce(sum(before > kept OR after > kept), 0), coalesce(sum(after = 0), 0), "
            "coalesce(sum(before = 0), 0) FROM documents"
        ).fetchone()
        listed = run(
            f"SELECT document, {_CHANGES} FROM documents WHERE before > kept OR after > kept "
            "ORDER BY again DESC, before + after - 2 * kept DESC, document LIMIT ?",
            (most,),
        )
        documents, changed, only_before, only_after = map(int, counts)
        return Comparison(
            total,
            documents,
            changed,
            only_before,
            only_after,
            tuple(DocumentChanges(name, Changes(*values)) for name, *values in listed),
        )
