"""Chunks of a finished run of ``seamark corpus``, read from its folder; docs/corpora.md describes the columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from chunkers import InputError, Recipe, load_tokenizer
from chunkers.support.errors import shown
from chunkers.support.extras import need

_ROWS = 4096
"""Rows that are read from a file at once."""

_BUFFER = 1 << 20
"""Bytes by which a file is read, instead of whole columns."""

_COLUMNS = ["document_id", "text", "embedded_as", "tokens"]


def is_run(folder: Path) -> bool:
    """Return whether a folder belongs to a run of ``seamark corpus``, finished or not."""
    return (folder / "_manifest.jsonl").is_file()


@dataclass(frozen=True)
class CorpusRun:
    """Finished run of ``seamark corpus``.

    Attributes
    ----------
    folder
        The output folder of the run.

    Raises
    ------
    InputError
        If the run is not finished, or pyarrow is not installed.
    """

    folder: Path

    def __post_init__(self) -> None:
        need("corpus", "reading a corpus run")
        if not (self.folder / "_summary.json").is_file():
            raise InputError(
                f"{self.folder}: the corpus run must be finished; it is not. Run the same “seamark corpus” command again."
            )

    @cached_property
    def _summary(self) -> dict[str, Any]:
        try:
            summary = json.loads((self.folder / "_summary.json").read_bytes())
            return {name: summary[name] for name in ("recipe", "chunks", "shards")}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{self.folder}: the summary of a corpus run must be valid; reading it failed: {shown(str(error))}."
            ) from error

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe of the run."""
        return Recipe.of_value(self._summary["recipe"])

    @property
    def count(self) -> int:
        """Number of chunks of the run."""
        return int(self._summary["chunks"])

    @cached_property
    def model(self) -> str:
        """The model that the chunker used, as ``name@revision``; empty if it used none."""
        import pyarrow.parquet as pq

        metadata: dict[bytes, bytes] = pq.read_schema(self._files[0]).metadata or {}
        return metadata.get(b"seamark.model", b"").decode()

    @cached_property
    def _files(self) -> list[Path]:
        files = sorted(self.folder.glob("part-*.parquet"))
        if len(files) != self._summary["shards"] or not files:
            raise InputError(
                f"{self.folder}: a corpus run must have all its files of chunks, {self._summary['shards']:,}; there are "
                f"{len(files):,}. Run the same “seamark corpus” command again."
            )
        return files

    def documents(self) -> Iterator[tuple[str, list[tuple[str, int]]]]:
        """Yield the ids of documents with their chunks' embedded texts and tokens; a long document comes in parts.

        Tokens are those of the run's column, or counted again by the run's tokenizer where the embedded text has more than
        the chunk.

        Raises
        ------
        InputError
            If a file cannot be read.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        for path in self._files:
            try:
                with pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as file:
                    for batch in file.iter_batches(_ROWS, columns=_COLUMNS, use_threads=False):
                        rows = zip(*(batch.column(name).to_pylist() for name in _COLUMNS), strict=True)
                        for document, chunks in groupby(rows, key=lambda row: str(row[0])):
                            yield document, self._embedded([*chunks])
            except (OSError, pa.ArrowException) as error:
                line = " ".join(str(error).split())[:300]
                raise InputError(f"{path}: a file of chunks must be valid Parquet; reading it failed: {line}") from error

    def _embedded(self, rows: list[tuple[str, str, str | None, int]]) -> list[tuple[str, int]]:
        longer = [embedded for _, _, embedded, _ in rows if embedded is not None]
        sizes = iter(load_tokenizer(self.recipe.tokenizer).count(longer) if longer else ())
        return [(text, tokens) if embedded is None else (embedded, int(next(sizes))) for _, text, embedded, tokens in rows]
