"""Shards, each the chunks of some pieces in one Parquet file that is there whole or not at all, and their manifest."""

import hashlib
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from chunkers import Recipe
from chunkers.support import InputError, raise_if_cancelled, short_repr
from corpus.batch_chunking import CHUNK_TABLE_SCHEMA_VERSION, DOCUMENTS, Chunks
from corpus.inputs import MAX_FILES_PER_SHARD, InputDocument, InputPiece, Source, Unreadable, input_file_label

PROBLEMS_FOLDER = "_problems"
"""The folder of the shards' problems; what reads a folder of Parquet passes by names with such a beginning."""

UNFINISHED_PREFIX = ".unfinished-"
"""Prefix of files that are still being written."""

BATCH_CHARACTERS = 1_000_000
"""Characters of documents that are cut together, or `BATCH_DOCUMENTS` of them; one document in any case."""

BATCH_DOCUMENTS = 256

ROW_GROUP_BYTES = 16_000_000
"""Bytes of chunks that are kept before they are written as a row group."""


@dataclass(frozen=True)
class Shard:
    """Part of a corpus run: its number, and the input pieces whose chunks go into one output file."""

    number: int
    pieces: tuple[InputPiece, ...]

    @property
    def file_name(self) -> str:
        """Name of the shard's output file."""
        return f"part-{self.number:06d}.parquet"

    @property
    def problem_file_path(self) -> str:
        """Path of the shard's problem file, which exists only if the shard has problems."""
        return f"{PROBLEMS_FOLDER}/part-{self.number:06d}.jsonl"

    def to_json(self) -> str:
        """Return the shard as one line of JSON."""
        return json.dumps(
            {"shard": self.number, "file": self.file_name, "pieces": [piece._asdict() for piece in self.pieces]}
        )

    @classmethod
    def from_json(cls, line: str) -> "Shard":
        """Return the shard described by a line that `to_json` wrote."""
        shard_fields = json.loads(line)
        return cls(shard_fields["shard"], tuple(InputPiece(**fields) for fields in shard_fields["pieces"]))


class Tally(NamedTuple):
    """Counts of documents cut, of their chunks and characters, and of documents that failed.

    ``doubts`` is the number of documents whose encoding was guessed.
    """

    documents: int = 0
    chunks: int = 0
    characters: int = 0
    problems: int = 0
    doubts: int = 0

    def __add__(self, other: object) -> "Tally":
        """Return the sums."""
        assert isinstance(other, Tally)
        return Tally(*(one + another for one, another in zip(self, other, strict=True)))


@dataclass(frozen=True)
class Job:
    """Settings of a corpus run that all its shards and workers share.

    Attributes
    ----------
    source
        Reader of the documents.
    output
        The folder of the shards.
    recipe
        The recipe that cuts the documents.
    device
        Device on which torch runs the model.
    plan
        A hash of the recipe and the options of the run.
    model
        The model of the existing shards; empty if there are no shards or no model is needed.
    run_process_id
        The id of the process that runs the job; once it has ended, nothing more is written. 0 if there is no single such
        process.
    """

    source: Source
    output: Path
    recipe: Recipe
    device: str
    plan: str
    model: str = ""
    run_process_id: int = 0

    def settings_and_shard_hash(self, shard: Shard) -> str:
        """Return a hash of everything that determines the content of a shard's file."""
        return hashlib.blake2b(f"{self.plan}\n{shard.to_json()}".encode(), digest_size=16).hexdigest()

    def recorded_shard_tally_and_model(self, shard: Shard) -> tuple[Tally, str] | None:
        """Return the counts and the model recorded in a shard's file; None if the file is missing or of another plan."""
        try:
            shard_file_metadata = pq.read_metadata(self.output / shard.file_name).metadata or {}
            if shard_file_metadata.get(b"seamark.shard") != self.settings_and_shard_hash(shard).encode():
                return None
            return Tally(**json.loads(shard_file_metadata[b"seamark.tally"])), shard_file_metadata[b"seamark.model"].decode()
        except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
            return None

    def write_shard(self, shard: Shard, batch_chunker: Chunks | None = None) -> Tally:
        """Cut the documents of a shard, write its output file and return its counts.

        Raises
        ------
        InputError
            If the model differs from the model of the existing shards, or if the output is not writable.
        Cancelled
            If the process that started the run has ended.
        """
        try:
            return _ShardWriter(
                self, shard, batch_chunker or _batch_chunker_for_recipe(self.recipe.to_json(), self.device)
            ).write_whole_shard()
        except OSError as error:
            raise InputError(
                f"--output must be writable; writing {shard.file_name} failed: {error.strerror or error}. Check the "
                "folder's permissions and free space."
            ) from error

    def raise_if_run_ended(self) -> None:
        """Raise Cancelled if the process that started the run has ended.

        Another run may have taken its place.
        """
        raise_if_cancelled(lambda: self.run_process_id not in (0, os.getppid(), os.getpid()))


@lru_cache(maxsize=1)
def _batch_chunker_for_recipe(recipe_json: str, device: str) -> Chunks:
    """Return the `Chunks` callable for a recipe in JSON, which is created once per process and then reused."""
    return Chunks(Recipe.from_json(recipe_json), device)


@dataclass
class _ShardWriter:
    """A shard that is being written."""

    job: Job
    shard: Shard
    chunks: Chunks
    tables: list[pa.Table] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def write_whole_shard(self) -> Tally:
        chunk_table_schema, embedding_model_identity = self.chunks.schema, self.chunks.embedding_model_identity
        if self.job.model and embedding_model_identity != self.job.model:
            raise InputError(
                f"The embedding model must be the same as for the existing shards, {self.job.model}; it is now "
                f"{embedding_model_identity or 'none'}. Name a new --output folder."
            )
        problems_path = self.job.output / self.shard.problem_file_path
        with atomic_write(self.job.output / self.shard.file_name) as chunks_file:
            # Before the shard's own file appears, so that there is none without its problems.
            with (
                atomic_write(problems_path) as problems_file,
                pq.ParquetWriter(chunks_file, chunk_table_schema, compression="zstd") as parquet_writer,
            ):
                self._problems_file = problems_file
                for document_batch in self._document_batches():
                    self._cut_and_buffer_documents(document_batch, parquet_writer)
                self._write_row_group(parquet_writer)
                tally_json = json.dumps(self.tally._asdict())
                parquet_writer.add_key_value_metadata(
                    {"seamark.shard": self.job.settings_and_shard_hash(self.shard), "seamark.tally": tally_json}
                )
            if not problems_path.stat().st_size:
                problems_path.unlink()
            self.job.raise_if_run_ended()
        return self.tally

    def _document_batches(self) -> Iterator[list[InputDocument]]:
        """Yield the documents some at a time."""
        batch: list[InputDocument] = []
        batch_character_count = 0
        for input_piece in self.shard.pieces:
            for document in self.job.source.documents_in_piece(input_piece):
                if isinstance(document, Unreadable):
                    self._record_problem(document.id, document.message)
                    continue
                if document.doubt:
                    self.tally += Tally(doubts=1)
                    self._write_problem_or_doubt("doubt", document.id, document.doubt)
                if batch and (
                    batch_character_count + len(document.text) > BATCH_CHARACTERS or len(batch) >= BATCH_DOCUMENTS
                ):
                    yield batch
                    batch, batch_character_count = [], 0
                batch.append(document)
                batch_character_count += len(document.text)
        if batch:
            yield batch

    def _cut_and_buffer_documents(self, documents: list[InputDocument], writer: pq.ParquetWriter) -> None:
        self.job.raise_if_run_ended()
        input_document_rows = [{"id": document.id, "text": document.text, "parts": document.parts} for document in documents]
        earlier_problem_count = self.tally.problems
        chunk_table_of_documents = self.chunks.cut_batch(
            pa.Table.from_pylist(input_document_rows, DOCUMENTS), self._record_problem
        )
        failed_document_count = self.tally.problems - earlier_problem_count
        self.tally += Tally(
            len(documents) - failed_document_count,
            chunk_table_of_documents.num_rows,
            sum(len(document.text) for document in documents),
        )
        self.tables.append(chunk_table_of_documents)
        if sum(table.nbytes for table in self.tables) >= ROW_GROUP_BYTES:
            self._write_row_group(writer)

    def _write_row_group(self, writer: pq.ParquetWriter) -> None:
        if self.tables:
            concatenated_chunk_table = pa.concat_tables(self.tables)
            self.tables = []
            # One row group, whatever the number of rows.
            writer.write_table(concatenated_chunk_table, max(1, concatenated_chunk_table.num_rows))

    def _record_problem(self, document_name: str, problem: str) -> None:
        self.tally += Tally(problems=1)
        self._write_problem_or_doubt("problem", document_name, problem)

    def _write_problem_or_doubt(self, problem_or_doubt_key: str, document_name: str, message: str) -> None:
        self._problems_file.write(
            json.dumps({"document": document_name, problem_or_doubt_key: message}, ensure_ascii=False).encode(
                "utf-8", "backslashreplace"
            )
            + b"\n"
        )

    _problems_file: BinaryIO = field(init=False, repr=False)


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Return a context manager that writes a file under a temporary name and renames it only on success."""
    temporary_file_path = path.with_name(f"{UNFINISHED_PREFIX}{os.getpid()}-{uuid.uuid4().hex}")
    try:
        with temporary_file_path.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary_file_path.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary_file_path.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, on systems that support it."""
    if os.name == "posix":
        folder_file_descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(folder_file_descriptor)
        finally:
            os.close(folder_file_descriptor)


# The manifest of a run: which inputs are in which shard, written before the first of them, and never changed.

MANIFEST_FILE = "_manifest.jsonl"
LOCK_FILE = "_lock"

MANIFEST_VERSION = 1
"""The number of the manifest's form."""


def group_into_shards(input_pieces: Iterable[InputPiece], most_shard_bytes: int) -> Iterator[Shard]:
    """Group consecutive input pieces into shards of at most ``most_shard_bytes`` and `MAX_FILES_PER_SHARD` pieces each.

    A piece larger than ``most_shard_bytes`` forms a shard of its own.
    """
    shard_number, shard_pieces, shard_byte_count = 0, list[InputPiece](), 0
    for input_piece in input_pieces:
        if shard_pieces and (
            shard_byte_count + input_piece.weight > most_shard_bytes or len(shard_pieces) >= MAX_FILES_PER_SHARD
        ):
            yield Shard(shard_number, tuple(shard_pieces))
            shard_number, shard_pieces, shard_byte_count = shard_number + 1, [], 0
        shard_pieces.append(input_piece)
        shard_byte_count += input_piece.weight
    if shard_pieces:
        yield Shard(shard_number, tuple(shard_pieces))


class Manifest:
    """Manifest file of an output folder, which lists the recipe, the options and all shards of a run.

    Parameters
    ----------
    output_folder
        The output folder.
    input_names
        The inputs as the user gave them, for messages.
    settings
        Recipe and options of the run, as JSON-compatible values; with the inputs, they determine the chunks.
    """

    def __init__(self, output_folder: Path, input_names: Sequence[Path], settings: Mapping[str, Any]) -> None:
        self._folder = output_folder
        self._path = output_folder / MANIFEST_FILE
        self._names = input_names
        self._settings = {"manifest": MANIFEST_VERSION, "schema": CHUNK_TABLE_SCHEMA_VERSION, **settings}
        self.plan = hashlib.blake2b(json.dumps(self._settings, sort_keys=True).encode(), digest_size=16).hexdigest()

    def write_or_check_manifest(self, shards: Iterable[Shard]) -> bool:
        """Write the manifest, or check that an existing manifest matches this run; return True if one existed.

        Raises
        ------
        InputError
            If the folder contains other files, if the inputs contain no document, or if the existing manifest has a
            different recipe, columns, options or inputs.
        """
        if self._path.exists():
            self._check_settings()
            self._check_input_pieces(shards)
            return True
        output_names_except_lock = sorted(path.name for path in self._folder.iterdir() if path.name != LOCK_FILE)
        if output_names_except_lock:
            raise InputError(
                "--output must be a new or empty folder, or the folder of an earlier run; this folder contains "
                f"{short_repr(output_names_except_lock[0])}. Name another folder."
            )
        with atomic_write(self._path) as manifest_file:
            settings_line_byte_count = manifest_file.write(json.dumps(self._settings).encode() + b"\n")
            manifest_file.writelines(shard.to_json().encode() + b"\n" for shard in shards)
            if manifest_file.tell() == settings_line_byte_count:
                raise InputError(
                    "The inputs must contain at least one readable document; they contain none. Name other inputs."
                )
        (self._folder / PROBLEMS_FOLDER).mkdir(exist_ok=True)
        return False

    def shards(self) -> Iterator[Shard]:
        """Yield the shards listed in the manifest, in order."""
        with self._path.open(encoding="utf-8") as planned_shards_manifest_file:
            next(planned_shards_manifest_file)
            yield from map(Shard.from_json, planned_shards_manifest_file)

    def remove_unfinished_files(self) -> None:
        """Remove unfinished files left by a killed run."""
        for folder in (self._folder, self._folder / PROBLEMS_FOLDER):
            for unfinished_path in folder.glob(f"{UNFINISHED_PREFIX}*"):
                unfinished_path.unlink(missing_ok=True)

    def _check_settings(self) -> None:
        """Raise InputError if the columns, the recipe or an option differ."""
        with self._path.open(encoding="utf-8") as earlier_run_manifest_file:
            # The first manifests did not name the schema.
            earlier_run_settings = {"schema": 1, **json.loads(earlier_run_manifest_file.readline())}
        if earlier_run_settings["schema"] != CHUNK_TABLE_SCHEMA_VERSION:
            raise InputError(
                f"--output must continue a run with the same columns; {self._folder} has version "
                f"{short_repr(earlier_run_settings['schema'])} of the columns, and this Seamark writes version "
                f"{CHUNK_TABLE_SCHEMA_VERSION}. "
                "Name a new folder."
            )
        for setting_name in {**earlier_run_settings, **self._settings}:
            old_value, new_value = earlier_run_settings.get(setting_name), self._settings.get(setting_name)
            if old_value == new_value:
                continue
            if setting_name == "recipe" and isinstance(old_value, dict) and isinstance(new_value, dict):
                setting_name, old_value, new_value = _first_differing_entry(old_value, new_value)
            raise InputError(
                f"--output must continue a run with the same recipe and options; {setting_name} was "
                f"{short_repr(old_value)} and is now "
                f"{short_repr(new_value)}. Name a new folder."
            )

    def _check_input_pieces(self, new_shards: Iterable[Shard]) -> None:
        """Raise InputError if the inputs differ, naming the first difference."""
        for old_piece, piece_of_present_run in zip_longest(
            _input_pieces_of_shards(self.shards()), _input_pieces_of_shards(new_shards)
        ):
            if old_piece == piece_of_present_run:
                continue
            if piece_of_present_run is None or (
                old_piece is not None and _piece_sort_key(old_piece) < _piece_sort_key(piece_of_present_run)
            ):
                differing_input_piece, change_phrase = old_piece, "is gone"
            elif old_piece is None or _piece_sort_key(piece_of_present_run) < _piece_sort_key(old_piece):
                differing_input_piece, change_phrase = piece_of_present_run, "is new"
            else:
                differing_input_piece, change_phrase = piece_of_present_run, "has changed"
            raise InputError(
                f"--output must continue a run with the same inputs; {input_file_label(self._names, differing_input_piece)} "
                f"{change_phrase} "
                "since that run began. Name a new folder."
            )


def _input_pieces_of_shards(all_shards: Iterable[Shard]) -> Iterator[InputPiece]:
    return chain.from_iterable(shard.pieces for shard in all_shards)


def _piece_sort_key(input_piece: InputPiece) -> tuple[int, list[bytes]]:
    """Return the sort key for pieces of different files."""
    return input_piece.root, os.fsencode(input_piece.path).split(b"/")


def _first_differing_entry(old_mapping: Mapping[str, Any], new_mapping: Mapping[str, Any]) -> tuple[str, Any, Any]:
    """Return the first entry that differs between two recipes, or between mappings in them."""
    for entry_name in {**old_mapping, **new_mapping}:
        old_entry, new_recipe_entry = old_mapping.get(entry_name), new_mapping.get(entry_name)
        if isinstance(old_entry, dict) and isinstance(new_recipe_entry, dict) and old_entry != new_recipe_entry:
            inner_entry_name, old_entry, new_recipe_entry = _first_differing_entry(old_entry, new_recipe_entry)
            return f"{entry_name}.{inner_entry_name}", old_entry, new_recipe_entry
        if old_entry != new_recipe_entry:
            return entry_name, old_entry, new_recipe_entry
    raise AssertionError
