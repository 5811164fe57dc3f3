"""Whole corpora: a table of documents in, a table of chunks out, in memory that does not grow with their number.

`Chunks` cuts one Arrow batch after another, wherever these come from; the command of this package reads folders, JSON
lines and Parquet and writes Parquet, on all cores, and goes on where it was killed. docs/corpora.md says how.
"""

from corpus.batch_chunking import CHUNKS, DOCUMENTS, Chunks

__all__ = ["CHUNKS", "DOCUMENTS", "Chunks"]
