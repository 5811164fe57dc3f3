"""Corpora on the command line: their documents, in files and tables, and the chunks of a run of ``seamark corpus``."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from chunkers import InputError, Recipe, load_tokenizer
from chunkers.commands.shared_command_parts import document_reader, named_files, read_file_bytes
from chunkers.support import raise_if_extra_missing, short_repr
from chunkers.text import READABLE_ENDINGS, FileText

TABLE_ENDINGS = (".jsonl", ".ndjson", ".parquet")
"""File endings of tables with one document per row: its text in ``text`` and, optionally, its name in ``id``."""

_BYTES_PER_TABLE_PIECE = 1 << 40
"""Bytes of a table that are one piece: all of them."""


def read_corpus_documents(corpus_path: str, encoding: str | None) -> Iterator[tuple[str, FileText | InputError]]:
    """Yield name and text of each document of a folder or file, or an error in place of an unreadable text.

    Raises
    ------
    InputError
        If there is no file to read, or a table has no texts.
    """
    document_reading_function = document_reader(encoding)
    corpus_paths_and_names = [*named_files([corpus_path], (*READABLE_ENDINGS, *TABLE_ENDINGS))]
    for path, document_name in corpus_paths_and_names:
        if not _is_table_name(document_name):
            try:
                yield document_name, document_reading_function(read_file_bytes(path, document_name), document_name)
            except InputError as error:
                yield document_name, error
    if any(_is_table_name(name) for _, name in corpus_paths_and_names):
        yield from _read_table_documents(Path(corpus_path))


def corpus_document_names(corpus_path: str) -> Iterator[str]:
    """Yield the names of `read_corpus_documents`. Raises the same errors."""
    corpus_paths_and_names = [*named_files([corpus_path], (*READABLE_ENDINGS, *TABLE_ENDINGS))]
    yield from (name for _, name in corpus_paths_and_names if not _is_table_name(name))
    if any(_is_table_name(name) for _, name in corpus_paths_and_names):
        yield from (name for name, _ in _read_table_documents(Path(corpus_path)))


def _is_table_name(file_name: str) -> bool:
    return file_name.lower().endswith(TABLE_ENDINGS)


def _read_table_documents(document_folder_or_table: Path) -> Iterator[tuple[str, FileText | InputError]]:
    """Yield the documents in all tables of a folder, or in a single table."""
    raise_if_extra_missing("corpus", "reading JSON lines and Parquet")
    from corpus.inputs import InputDocument, Inputs, Source, TextColumns

    table_document_source = Source([document_folder_or_table.absolute()], [document_folder_or_table], TextColumns())
    for table_part_with_many_documents in Inputs([document_folder_or_table], TextColumns(), _BYTES_PER_TABLE_PIECE).pieces():
        if table_part_with_many_documents.kind == "file" or not _is_table_name(
            table_part_with_many_documents.path or document_folder_or_table.name
        ):
            continue
        for document in table_document_source.documents_in_piece(table_part_with_many_documents):
            if isinstance(document, InputDocument):
                yield document.id, FileText(document.text, "utf-8", "utf-8")
            else:
                yield document.id, InputError(document.message)


# Chunks of a finished run of ``seamark corpus``, read from its folder; docs/corpora.md describes the columns.


_ROWS_AT_ONCE = 4096
"""Rows that are read from a file at once."""

_READ_BUFFER_BYTES = 1 << 20
"""Bytes by which a file is read, instead of whole columns."""

_CHUNK_COLUMNS_READ = ["document_id", "text", "embedded_as", "tokens"]


def is_corpus_run(folder: Path) -> bool:
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
        raise_if_extra_missing("corpus", "reading a corpus run")
        if not (self.folder / "_summary.json").is_file():
            raise InputError(
                f"{self.folder}: the corpus run must be finished; it is not. Run the same “seamark corpus” command again."
            )

    @cached_property
    def _summary(self) -> dict[str, Any]:
        try:
            run_summary_by_field = json.loads((self.folder / "_summary.json").read_bytes())
            return {name: run_summary_by_field[name] for name in ("recipe", "chunks", "shards")}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{self.folder}: the summary of a corpus run must be valid; reading it failed: {short_repr(str(error))}."
            ) from error

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe of the run."""
        return Recipe.of_value(self._summary["recipe"])

    @property
    def chunk_count(self) -> int:
        """Number of chunks of the run."""
        return int(self._summary["chunks"])

    @cached_property
    def embedding_model_identity(self) -> str:
        """The model that the chunker used, as ``name@revision``; empty if it used none."""
        import pyarrow.parquet as pq

        parquet_metadata: dict[bytes, bytes] = pq.read_schema(self._chunk_files[0]).metadata or {}
        return parquet_metadata.get(b"seamark.model", b"").decode()

    @cached_property
    def _chunk_files(self) -> list[Path]:
        parquet_chunk_files = sorted(self.folder.glob("part-*.parquet"))
        if len(parquet_chunk_files) != self._summary["shards"] or not parquet_chunk_files:
            raise InputError(
                f"{self.folder}: a corpus run must have all its files of chunks, {self._summary['shards']:,}; there are "
                f"{len(parquet_chunk_files):,}. Run the same “seamark corpus” command again."
            )
        return parquet_chunk_files

    def embedded_texts_by_document(self) -> Iterator[tuple[str, list[tuple[str, int]]]]:
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

        for chunk_file_path in self._chunk_files:
            try:
                with pq.ParquetFile(chunk_file_path, buffer_size=_READ_BUFFER_BYTES, pre_buffer=False) as parquet_chunk_file:
                    for record_batch in parquet_chunk_file.iter_batches(
                        _ROWS_AT_ONCE, columns=_CHUNK_COLUMNS_READ, use_threads=False
                    ):
                        chunk_tuples_of_batch = zip(
                            *(record_batch.column(name).to_pylist() for name in _CHUNK_COLUMNS_READ), strict=True
                        )
                        for document_id, chunk_rows in groupby(chunk_tuples_of_batch, key=lambda row: str(row[0])):
                            yield document_id, self._texts_with_token_counts([*chunk_rows])
            except (OSError, pa.ArrowException) as error:
                one_line_error_message = " ".join(str(error).split())[:300]
                raise InputError(
                    f"{chunk_file_path}: a file of chunks must be valid Parquet; reading it failed: {one_line_error_message}"
                ) from error

    def _texts_with_token_counts(self, chunk_rows: list[tuple[str, str, str | None, int]]) -> list[tuple[str, int]]:
        embedded_texts = [embedded for _, _, embedded, _ in chunk_rows if embedded is not None]
        text_token_counts = iter(load_tokenizer(self.recipe.tokenizer).count(embedded_texts) if embedded_texts else ())
        return [
            (text, tokens) if embedded is None else (embedded, int(next(text_token_counts)))
            for _, text, embedded, tokens in chunk_rows
        ]
