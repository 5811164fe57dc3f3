"""Inputs of a run: files and folders, split into pieces, and the documents that are read from each piece.

For the pieces, nothing is read but names, sizes and the footers of Parquet files, so that a run knows of terabytes within
minutes. Neither all names nor all documents are ever in memory: the names are those of one folder at a time.
"""

import json
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from chunkers.commands.shared_command_parts import printable_file_name, read_file_bytes
from chunkers.support import InputError, message_with_document_name, one_line_message, short_repr
from chunkers.text import READABLE_ENDINGS, check_is_unicode_string, read_document_text
from corpus.batch_chunking import document_pages_or_chapters_cell

JSON_LINES_ENDINGS = (".jsonl", ".ndjson")
"""Endings of files with a document on each line, as JSON."""

PARQUET_ENDINGS = (".parquet",)
"""Endings of files with a document in each row."""

MAX_FILES_PER_SHARD = 1_000
"""Maximum number of files that make one shard together, however small they are."""

InputPieceKind = Literal["file", "lines", "rows", "problem"]


class InputPiece(NamedTuple):
    """Unit of input: a file with one document, or part of a file with many documents.

    Attributes
    ----------
    root
        Number of the input that contains the piece.
    path
        Path below that input, in the system's own encoding; empty if the input is the file itself.
    kind
        A ``file`` with one document, ``lines`` of JSON, ``rows`` of Parquet, or a ``problem`` with a file or folder that
        cannot be read.
    size, changed
        Size of the whole file in bytes, and time of its last change in nanoseconds.
    begin, end
        For lines, the range of bytes in which the lines begin; for rows, the range of rows within the row group.
    group, before
        For rows, the number of the row group, and the number of rows in the groups before it.
    weight
        Approximate number of bytes to read for the piece.
    said
        For a problem, the message.
    """

    root: int
    path: str
    kind: InputPieceKind
    size: int = 0
    changed: int = 0
    begin: int = 0
    end: int = 0
    group: int = 0
    before: int = 0
    weight: int = 0
    said: str = ""


@dataclass(frozen=True)
class TextColumns:
    """Names of the columns or JSON keys that hold the documents' texts and ids.

    Attributes
    ----------
    text
        Column or key with the text.
    id
        Column or key with the id. If None, ``id`` is used if it exists; otherwise ids are made from positions in the file.
    """

    text: str = "text"
    id: str | None = None


@dataclass
class Inputs:
    """Input files and folders of a corpus run, in order.

    Attributes
    ----------
    roots
        Files and folders.
    columns
        Columns or keys of the documents in JSON lines and Parquet.
    piece_bytes
        Size in bytes of the pieces of a large file.
    left_out
        Number of hidden files, symbolic links and files of other kinds skipped so far.
    """

    roots: Sequence[Path]
    columns: TextColumns
    piece_bytes: int
    left_out: Counter[str] = field(default_factory=Counter)

    def pieces(self) -> Iterator[InputPiece]:
        """Yield all pieces of the input files in a fixed order: by input, then by name within each folder.

        Raises
        ------
        InputError
            If an input is not there, lies within another one, or is a table without the columns.
        """
        check_inputs_disjoint(self.roots)
        for root_number, input_path in enumerate(self.roots):
            try:
                input_root_file_status = input_path.stat()
            except OSError as error:
                raise InputError(
                    f"{printable_file_name(str(input_path))}: the input cannot be read: {error.strerror}. Check its path "
                    "and "
                    "permissions."
                ) from error
            if stat.S_ISDIR(input_root_file_status.st_mode):
                yield from self._pieces_of_folder(root_number, input_path)
            else:
                yield from self._pieces_of_file(root_number, "", input_path, input_root_file_status)

    def _pieces_of_folder(self, root_number: int, root: Path) -> Iterator[InputPiece]:
        """Yield the pieces of a folder, with a stack instead of recursion, which a deep folder would exhaust."""
        folder_listing_stack = [self._visible_entries_of_folder(root_number, root, "")]
        while folder_listing_stack:
            next_path_and_entry = next(folder_listing_stack[-1], None)
            if next_path_and_entry is None:
                folder_listing_stack.pop()
            elif isinstance(next_path_and_entry, InputPiece):
                yield next_path_and_entry
            else:
                relative_path, folder_entry = next_path_and_entry
                if folder_entry.is_dir(follow_symlinks=False):
                    folder_listing_stack.append(self._visible_entries_of_folder(root_number, root, f"{relative_path}/"))
                elif not folder_entry.name.lower().endswith((*READABLE_ENDINGS, *JSON_LINES_ENDINGS, *PARQUET_ENDINGS)):
                    self.left_out["file of another kind"] += 1
                else:
                    yield from self._pieces_of_file_in_folder(root_number, relative_path, folder_entry)

    def _visible_entries_of_folder(
        self, root_number: int, root: Path, folder_path: str
    ) -> Iterator[tuple[str, os.DirEntry[str]] | InputPiece]:
        try:
            with os.scandir(root / folder_path) as entries:
                sorted_folder_entries = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            yield InputPiece(
                root_number,
                folder_path,
                "problem",
                said=f"the folder cannot be read: {error.strerror}. Check its permissions.",
            )
            return
        for entry in sorted_folder_entries:
            if entry.name.startswith("."):
                self.left_out["hidden file or folder"] += 1
            elif entry.is_symlink():
                self.left_out["symbolic link"] += 1
            else:
                yield folder_path + entry.name, entry

    def _pieces_of_file_in_folder(
        self, root_number: int, relative_path: str, folder_entry: os.DirEntry[str]
    ) -> Iterator[InputPiece]:
        try:
            entry_file_status = folder_entry.stat(follow_symlinks=False)
        except OSError as error:
            yield InputPiece(
                root_number,
                relative_path,
                "problem",
                said=f"the file cannot be read: {error.strerror}. Check its permissions.",
            )
            return
        if stat.S_ISREG(entry_file_status.st_mode):
            yield from self._pieces_of_file(root_number, relative_path, Path(folder_entry.path), entry_file_status)
        else:
            self.left_out["file of another kind"] += 1

    def _pieces_of_file(
        self, root_number: int, relative_path: str, file_path: Path, file_status: os.stat_result
    ) -> Iterator[InputPiece]:
        file_piece = InputPiece(
            root_number, relative_path, "file", file_status.st_size, file_status.st_mtime_ns, weight=file_status.st_size
        )
        lower_case_file_ending = file_path.suffix.lower()
        if lower_case_file_ending in JSON_LINES_ENDINGS:
            for begin_byte_offset in range(0, file_status.st_size, self.piece_bytes):
                end_byte_offset = min(begin_byte_offset + self.piece_bytes, file_status.st_size)
                yield file_piece._replace(
                    kind="lines", begin=begin_byte_offset, end=end_byte_offset, weight=end_byte_offset - begin_byte_offset
                )
        elif lower_case_file_ending in PARQUET_ENDINGS:
            yield from self._pieces_of_parquet_file(file_piece, file_path)
        else:
            yield file_piece

    def _pieces_of_parquet_file(self, whole_file_piece: InputPiece, file_path: Path) -> Iterator[InputPiece]:
        """Yield the row groups of a Parquet file, large ones in parts, by its footer alone."""
        try:
            with pq.ParquetFile(file_path) as parquet_file:
                schema, parquet_file_metadata = parquet_file.schema_arrow, parquet_file.metadata
        except (OSError, pa.ArrowException) as error:
            yield whole_file_piece._replace(
                kind="problem", said=f"the file must be valid Parquet; reading it failed: {one_line_message(error)}"
            )
            return
        self._check_columns(schema, printable_file_name(whole_file_piece.path or file_path.name))
        row_count_of_earlier_groups = 0
        for row_group_number in range(parquet_file_metadata.num_row_groups):
            row_group_row_count = parquet_file_metadata.row_group(row_group_number).num_rows
            row_group_text_byte_count = uncompressed_column_byte_count(
                parquet_file_metadata.row_group(row_group_number), self.columns.text
            )
            row_group_part_count = max(1, min(row_group_row_count, -(-row_group_text_byte_count // self.piece_bytes)))
            part_edge_row_numbers = [
                row_group_row_count * number // row_group_part_count for number in range(row_group_part_count + 1)
            ]
            for part_begin_row_number, end_row in pairwise(part_edge_row_numbers):
                if part_begin_row_number < end_row:
                    yield whole_file_piece._replace(
                        kind="rows",
                        begin=part_begin_row_number,
                        end=end_row,
                        group=row_group_number,
                        before=row_count_of_earlier_groups,
                        weight=row_group_text_byte_count // row_group_part_count,
                    )
            row_count_of_earlier_groups += row_group_row_count

    def _check_columns(self, schema: pa.Schema, file_name: str) -> None:
        """Raise InputError if a table does not have the columns: that is a slip in the command, not in a document."""
        for option_name, column_name in (("--text-column", self.columns.text), ("--id-column", self.columns.id)):
            if column_name is not None and column_name not in schema.names:
                raise InputError(
                    f"{option_name} must name a column of {file_name} ({', '.join(map(short_repr, schema.names))}); got "
                    f"{short_repr(column_name)}."
                )
        text_column_type = schema.field(self.columns.text).type
        text_column_type = text_column_type.value_type if pa.types.is_dictionary(text_column_type) else text_column_type
        if not (
            pa.types.is_string(text_column_type)
            or pa.types.is_large_string(text_column_type)
            or pa.types.is_string_view(text_column_type)
        ):
            raise InputError(
                f"--text-column must name a column of strings; {self.columns.text} of {file_name} has the type "
                f"{text_column_type}. "
                "Name another column."
            )


def uncompressed_column_byte_count(row_group: Any, column_name: str) -> int:
    """Return the uncompressed size in bytes of a column in a Parquet row group."""
    column_chunks_of_group = (row_group.column(number) for number in range(row_group.num_columns))
    return sum(
        column_chunk.total_uncompressed_size
        for column_chunk in column_chunks_of_group
        if column_chunk.path_in_schema == column_name
    )


def check_inputs_disjoint(input_paths: Iterable[Path]) -> None:
    """Raise InputError if an input is given twice or lies inside another, which would duplicate documents."""
    real_and_given_input_paths = sorted((Path(os.path.realpath(root)), root) for root in input_paths)
    for (previous_real_path, previous_given_path), (real_path, given_path) in pairwise(real_and_given_input_paths):
        # Sorted by their parts, all that lies below a folder follows it.
        if real_path.is_relative_to(previous_real_path):
            overlap_phrase = (
                "is given twice"
                if previous_real_path == real_path
                else f"lies within {printable_file_name(str(previous_given_path))}"
            )
            raise InputError(
                f"No input may lie within another or be given twice; {printable_file_name(str(given_path))} "
                f"{overlap_phrase}. "
                "Name only one of the two."
            )


def input_file_label(input_paths: Sequence[Path], input_piece: InputPiece) -> str:
    """Return a file's name for document ids: its path below the input, prefixed with the input if there are several."""
    input_path = input_paths[input_piece.root]
    label_prefix = os.path.normpath(input_path) if len(input_paths) > 1 else "" if input_piece.path else input_path.name
    return printable_file_name(Path(label_prefix, input_piece.path).as_posix())


# The documents of a piece, one after another: no more of a file is in memory than one document and a buffer.

MAX_LINE_BYTES = 120_000_000
"""Maximum number of bytes of a line of JSON: six for each character of the largest document, as JSON may escape all of
them.
"""

READ_TEXT_BYTES = 4_000_000
"""Bytes of texts that are taken from a Parquet file at once, if its rows are about equally long; one row in any case."""

READ_ROWS = 256
"""Rows that are taken from it at once at the most, as some may be far longer than the others."""

SPACE_AND_BOM_BYTES = b" \t\r\n\xef\xbb\xbf"
"""Bytes of which an empty line is made; the last three are the mark of the byte order with which some files begin."""

READ_BUFFER_BYTES = 1 << 20
"""Bytes by which a Parquet file is read, instead of whole columns."""


class InputDocument(NamedTuple):
    """Document to cut, with its id, its text and the starts of its pages or chapters."""

    id: str
    text: str
    parts: dict[str, Any] | None = None
    doubt: str = ""
    """A sentence on an encoding that was guessed; empty where it is known."""


class Unreadable(NamedTuple):
    """Document or part of a file that cannot be read, with the reason in a sentence."""

    id: str
    message: str


@dataclass(frozen=True)
class Source:
    """Reader that opens input files and yields their documents.

    Attributes
    ----------
    roots
        The inputs as absolute paths, since a worker may have a different working directory.
    names
        The inputs as the user gave them, from which ids are made.
    columns
        Columns or keys of the documents in JSON lines and Parquet.
    encoding
        The encoding of text and HTML, if it was given.
    """

    roots: Sequence[Path]
    names: Sequence[Path]
    columns: TextColumns
    encoding: str | None = None

    def documents_in_piece(self, input_piece: InputPiece) -> Iterator[InputDocument | Unreadable]:
        """Yield the documents of an input piece in order, with an `Unreadable` in place of each unreadable document."""
        input_piece_label = input_file_label(self.names, input_piece)
        path = self.roots[input_piece.root] / input_piece.path if input_piece.path else self.roots[input_piece.root]
        try:
            if input_piece.kind == "problem":
                raise InputError(f"{input_piece_label}: {input_piece.said}")
            current_file_status = path.stat()
            if (current_file_status.st_size, current_file_status.st_mtime_ns) != (input_piece.size, input_piece.changed):
                raise InputError(
                    f"{input_piece_label}: the file must not change during a run; it has changed since the run began. To "
                    "cut the new version, start a run with a new --output folder."
                )
            if input_piece.kind == "file":
                yield self._document_of_file(path, input_piece_label)
            elif input_piece.kind == "lines":
                with path.open("rb") as opened_file:
                    yield from self._documents_in_lines(opened_file, input_piece_label, input_piece)
            else:
                yield from self._documents_in_parquet_rows(path, input_piece_label, input_piece)
        except InputError as error:
            yield Unreadable(input_piece_label, message_with_document_name(input_piece_label, error))
        except (OSError, pa.ArrowException) as error:
            yield Unreadable(
                input_piece_label,
                f"{input_piece_label}: the file must be readable and undamaged; reading it failed: "
                f"{one_line_message(error)}",
            )

    def _document_of_file(self, path: Path, file_label: str) -> InputDocument:
        file_text = read_document_text(read_file_bytes(str(path), file_label), file_label, self.encoding)
        check_is_unicode_string(file_text.text, file_label)
        return InputDocument(
            file_label,
            file_text.text,
            document_pages_or_chapters_cell(file_text.parts),
            file_text.guessed_encoding_warning(file_label),
        )

    def _documents_in_lines(
        self, opened_file: BinaryIO, file_label: str, piece: InputPiece
    ) -> Iterator[InputDocument | Unreadable]:
        """Yield the documents of the lines that begin in the piece; one that begins before it is the piece before's."""
        line_offset = piece.begin
        if line_offset:
            # From the byte before, which is a line end where a line begins with the piece.
            opened_file.seek(line_offset - 1)
            line_offset += _skip_rest_of_line(opened_file) - 1
        while line_offset < piece.end:
            line_label, line = f"{file_label}#{line_offset}", opened_file.readline(MAX_LINE_BYTES + 1)
            if not line:
                return
            line_offset += len(line)
            if len(line) > MAX_LINE_BYTES:
                line_offset += 0 if line.endswith(b"\n") else _skip_rest_of_line(opened_file)
                yield Unreadable(
                    line_label, f"{line_label}: a line may have at most {MAX_LINE_BYTES:,} bytes; this one has more."
                )
            elif line.strip(SPACE_AND_BOM_BYTES):
                yield self._document_of_line(line, line_label)

    def _document_of_line(self, line: bytes, line_label: str) -> InputDocument | Unreadable:
        try:
            parsed_json_line = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            return Unreadable(line_label, f"{line_label}: a line must be JSON in UTF-8; {error}.")
        if not isinstance(parsed_json_line, dict):
            return Unreadable(
                line_label, f"{line_label}: a line must be an object of JSON; got {short_repr(parsed_json_line)}."
            )
        for required_column_name in (self.columns.text, self.columns.id):
            if required_column_name is not None and required_column_name not in parsed_json_line:
                return Unreadable(
                    line_label,
                    f"{line_label}: a line must have the key {short_repr(required_column_name)}; this one has "
                    f"{short_repr([*parsed_json_line])}.",
                )
        document_id_key = self.columns.id or "id"
        return self._checked_input_document(
            parsed_json_line[self.columns.text],
            parsed_json_line.get(document_id_key, line_label) if document_id_key in parsed_json_line else line_label,
            line_label,
        )

    def _documents_in_parquet_rows(
        self, path: Path, file_label: str, piece: InputPiece
    ) -> Iterator[InputDocument | Unreadable]:
        with pq.ParquetFile(path, buffer_size=READ_BUFFER_BYTES, pre_buffer=False) as parquet_file:
            id_column_name = self.columns.id or ("id" if "id" in parquet_file.schema_arrow.names else None)
            text_and_id_column_names = [
                self.columns.text,
                *([] if id_column_name in (None, self.columns.text) else [id_column_name]),
            ]
            row_group_metadata = parquet_file.metadata.row_group(piece.group)
            mean_text_byte_count = uncompressed_column_byte_count(row_group_metadata, self.columns.text) / max(
                1, row_group_metadata.num_rows
            )
            rows_per_batch = max(1, min(READ_ROWS, int(READ_TEXT_BYTES / max(1.0, mean_text_byte_count))))
            batch_end_row = 0
            for batch in parquet_file.iter_batches(
                rows_per_batch, row_groups=[piece.group], columns=text_and_id_column_names, use_threads=False
            ):
                batch_first_row_in_group, batch_end_row = batch_end_row, batch_end_row + batch.num_rows
                for row_index_in_batch in range(
                    max(piece.begin, batch_first_row_in_group) - batch_first_row_in_group,
                    min(piece.end, batch_end_row) - batch_first_row_in_group,
                ):
                    file_and_row_number_label = (
                        f"{file_label}#{piece.before + batch_first_row_in_group + row_index_in_batch}"
                    )
                    document_text = _cell_value(batch, self.columns.text, row_index_in_batch)
                    yield self._checked_input_document(
                        document_text,
                        file_and_row_number_label
                        if id_column_name is None
                        else _cell_value(batch, id_column_name, row_index_in_batch),
                        file_and_row_number_label,
                    )
                if batch_end_row >= piece.end:
                    return

    def _checked_input_document(self, text: object, document_id: object, place_label: str) -> InputDocument | Unreadable:
        """Return a document of a table; its id is a text or a whole number."""
        if isinstance(document_id, bool) or not isinstance(document_id, str | int):
            return Unreadable(
                place_label, f"{place_label}: an id must be a text or a whole number; got {short_repr(document_id)}."
            )
        document_id_text = str(document_id)
        try:
            check_is_unicode_string(document_id_text, place_label)
            check_is_unicode_string(text, document_id_text)
        except InputError as error:
            return Unreadable(place_label, message_with_document_name(place_label, error))
        assert isinstance(text, str)
        return InputDocument(document_id_text, text)


def _cell_value(batch: pa.RecordBatch, column_name: str, row_index_in_batch: int) -> object:
    try:
        return batch.column(column_name)[row_index_in_batch].as_py()
    except UnicodeDecodeError as error:
        # Arrow takes on trust that texts are UTF-8.
        return error.object


def _skip_rest_of_line(opened_file: BinaryIO) -> int:
    """Go behind the next line end, a buffer at a time; return how many bytes that are."""
    rest_of_line_byte_count = 0
    while skipped_line_content := opened_file.readline(READ_BUFFER_BYTES):
        rest_of_line_byte_count += len(skipped_line_content)
        if skipped_line_content.endswith(b"\n"):
            break
    return rest_of_line_byte_count
