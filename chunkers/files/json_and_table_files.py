"""Rows and values of users' files in JSON, JSON lines, CSV and Parquet, with one set of limits for all formats.

All of this runs in the process that reads files, see `chunkers.text.reader_process`, so it imports little. Output is
counted while it is produced, because a small file may expand to any size.
"""

import codecs
import io
import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from chunkers.support import (
    LONGEST_RECIPE_CHARACTERS,
    MAX_FILE_BYTES,
    MOST_FILE_TEXT_CHARACTERS,
    MOST_JSON_BRACKETS,
    MOST_TABLE_ROWS,
    InputError,
    raise_if_extra_missing,
)
from chunkers.text import (
    check_column_count,
    check_row_count,
    csv_reader_with_separator,
    decode_as_chosen_or_detected,
    decode_if_plain_utf_8,
    find_csv_separator,
)

_ROWS_AT_ONCE = 256


class InputCounter:
    """Counter that limits the rows, list items and characters read from a file.

    Parameters
    ----------
    name
        Name of the file, with which messages begin.
    file_kind
        Kind of file for messages, such as “a file of chunks”.
    """

    def __init__(self, name: str, file_kind: str) -> None:
        self._file_name, self._what = name, file_kind
        self._rows = self._characters = self._items = 0

    def count_row(self, *texts: str | None) -> None:
        """Count a row and the characters of its texts. Raise InputError once either count is too high."""
        self._rows += 1
        if self._rows > MOST_TABLE_ROWS:
            raise InputError(
                f"{self._file_name}: {self._what} may have at most {MOST_TABLE_ROWS:,} rows; this one has more."
            )
        self.count_characters(sum(len(text) for text in texts if text is not None))

    def count_list_items(self, item_count: int) -> None:
        """Count items of lists inside rows. Raise InputError once there are too many."""
        self._items += item_count
        if self._items > MOST_TABLE_ROWS:
            raise InputError(
                f"{self._file_name}: the lists in {self._what} may have at most {MOST_TABLE_ROWS:,} items in total; "
                "these lists have "
                "more."
            )

    def count_characters(self, character_count: int) -> None:
        """Count characters of texts. Raise InputError once there are too many."""
        self._characters += character_count
        if self._characters > MOST_FILE_TEXT_CHARACTERS:
            raise InputError(
                f"{self._file_name}: the texts in {self._what} may have at most {MOST_FILE_TEXT_CHARACTERS:,} "
                "characters in total; "
                f"these texts have at least {self._characters:,}."
            )


def decode_file(file_bytes: bytes, name: str) -> str:
    """Decode a file's bytes to text. Raise InputError if the file is too large or not text."""
    if len(file_bytes) > MAX_FILE_BYTES:
        raise InputError(
            f"{name}: a file may have at most {MAX_FILE_BYTES:,} bytes; this file has {len(file_bytes):,}. Use a smaller "
            "file."
        )
    decoded_text = decode_if_plain_utf_8(file_bytes.removeprefix(codecs.BOM_UTF8))
    if decoded_text is not None:
        return decoded_text
    raise_if_extra_missing("files", f"{name}: reading what is not plain UTF-8")
    return decode_as_chosen_or_detected(file_bytes, name).text


def check_bracket_count(text: str, name: str) -> None:
    """Raise InputError if a JSON text has too many opening brackets, including brackets inside strings."""
    opening_bracket_count = text.count("[") + text.count("{")
    if opening_bracket_count > MOST_JSON_BRACKETS:
        raise InputError(
            f"{name}: JSON may have at most {MOST_JSON_BRACKETS:,} opening brackets; this file has "
            f"{opening_bracket_count:,}. "
            "Use a smaller file."
        )


def parse_json_limiting_bracket_count(text: str, name: str) -> Any:
    """Parse JSON. Raise ValueError or RecursionError for invalid JSON, InputError for too many brackets."""
    check_bracket_count(text, name)
    return json.loads(text)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number, counted from 1, and the text of each line that is not empty."""
    # Not splitlines, which also splits at characters that JSON allows inside strings.
    for line_number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if line.strip():
            yield line_number, line.rstrip("\n")


def read_csv_rows_as_lists(text: str, name: str, *, is_tab_separated: bool = False) -> Iterator[list[str]]:
    """Yield the fields of each CSV row that is not empty, starting with the column names.

    Parameters
    ----------
    is_tab_separated
        True if tabs separate the fields and quotation marks mean nothing; otherwise `find_csv_separator` finds it.

    Raises
    ------
    InputError
        If there are too many columns, or rows.
    csv.Error
        If the text is not CSV.
    """
    csv_field_separator = "\t" if is_tab_separated else find_csv_separator(text)
    for row_number, row in enumerate(
        csv_reader_with_separator(text, csv_field_separator, uses_quotation_marks=not is_tab_separated, strict=True)
    ):
        if not row_number:
            check_column_count(len(row), name)
        check_row_count(row_number, name)
        if row or not row_number:
            yield row


def column_positions(column_names: Sequence[str], wanted_columns: Collection[str]) -> dict[str, int]:
    """Return the positions of the wanted columns, keyed by column name; for a repeated name, the last position."""
    return {column: place for place, column in enumerate(column_names) if column in wanted_columns}


def parquet_rows(
    file_bytes: bytes, name: str, wanted_columns: Collection[str], input_counter: InputCounter
) -> Iterator[dict[str, Any]]:
    """Yield the wanted columns of each row of a Parquet file; if there are none, yield all column names without values.

    A text that the file stores once and refers to in many rows is counted in each of these rows. Rows with long texts are
    copied one at a time, so that the limit ends the reading early.

    Raises
    ------
    InputError
        If there are too many columns, rows or characters, or the file is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Each text stays what it is in the file, one entry of a dictionary, instead of being copied into 256 rows.
        file_schema = pq.read_schema(io.BytesIO(file_bytes))
        check_column_count(len(file_schema.names), name)
        string_column_names = [
            field.name for field in file_schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        parquet_file = pq.ParquetFile(io.BytesIO(file_bytes), read_dictionary=string_column_names)
        wanted_columns_in_file = [column for column in file_schema.names if column in wanted_columns]
        if not wanted_columns_in_file:
            yield dict.fromkeys(file_schema.names)
            return
        if parquet_file.metadata.num_rows > MOST_TABLE_ROWS:
            raise InputError(
                f"{name}: a table may have at most {MOST_TABLE_ROWS:,} rows; this table has "
                f"{parquet_file.metadata.num_rows:,}. "
                "Divide the table."
            )
        for batch in parquet_file.iter_batches(_ROWS_AT_ONCE, columns=wanted_columns_in_file, use_threads=False):
            slice_row_count = (
                _ROWS_AT_ONCE if _measure_longest_text_in_batch(batch) * _ROWS_AT_ONCE <= MOST_FILE_TEXT_CHARACTERS else 1
            )
            for slice_start_row in range(0, batch.num_rows, slice_row_count):
                for row in batch.slice(slice_start_row, slice_row_count).to_pylist():
                    input_counter.count_row(*(value for value in row.values() if isinstance(value, str)))
                    yield row
    except pa.ArrowMemoryError as error:
        raise MemoryError from error
    except (pa.ArrowException, OSError) as error:
        failure_reason = " ".join(str(error).split())[:200].rstrip(".")
        raise InputError(
            f"{name}: the file must be valid Parquet; reading it failed: {failure_reason}. Write or download the file again."
        ) from error


def _measure_longest_text_in_batch(batch: Any) -> int:
    """Return the approximate size in bytes of the longest text in the dictionaries of a batch."""
    import pyarrow as pa
    import pyarrow.compute as pc

    longest_byte_count = 0
    for column in batch.columns:
        if pa.types.is_dictionary(column.type) and len(column.dictionary):
            distinct_texts = column.dictionary
            if pa.types.is_string(distinct_texts.type) or pa.types.is_large_string(distinct_texts.type):
                longest_byte_count = max(longest_byte_count, pc.max(pc.binary_length(distinct_texts)).as_py() or 0)
    return longest_byte_count


def parse_json_file_bytes(file_bytes: bytes, name: str, max_json_characters: int) -> Iterator[Any]:
    """Parse a JSON file and yield its value; run by `chunkers.text.reader_process.run_parser_in_reader_process`.

    Parameters
    ----------
    max_json_characters
        Maximum number of characters of the value as compact JSON.

    Raises
    ------
    InputError
        If the file is not JSON or is too large.
    """
    yield check_compact_json_length(parse_json_file_text(decode_file(file_bytes, name), name), name, max_json_characters)


def parse_json_file_text(text: str, name: str) -> Any:
    """Parse the text of a JSON file. Raise InputError if the text is invalid or has too many brackets."""
    try:
        return parse_json_limiting_bracket_count(text, name)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: the file must be valid JSON; this one is not ({error}).") from error


def check_compact_json_length(value: Any, name: str, max_characters: int) -> Any:
    """Return the value unchanged; raise InputError if its compact JSON has more than ``max_characters`` characters."""
    character_count = 0
    for json_fragment in json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).iterencode(value):
        character_count += len(json_fragment)
        if character_count > max_characters:
            raise InputError(
                f"{name}: the part of the file that Seamark reads may have at most {max_characters:,} characters of JSON; "
                "it has more."
            )
    return value


def read_recipe_entry(file_bytes: bytes, file_name: str) -> Iterator[Any]:
    """Parse a JSON file and yield the recipe in it; run by `chunkers.recipes.recipe.Recipe.in_file`."""
    yield parse_recipe_json(decode_file(file_bytes, file_name), file_name)


def parse_recipe_json(text: str, file_name: str) -> Any:
    """Parse a JSON text and return its recipe: the entry ``recipe`` or, without such an entry, the whole value.

    Raises
    ------
    InputError
        If the text is not JSON or is too large for a recipe.
    """
    return unwrap_recipe_entry(parse_json_file_text(text, file_name), file_name)


def unwrap_recipe_entry(value: Any, file_name: str) -> Any:
    """Return the entry ``recipe`` of a JSON value, or else the value itself. Raise InputError if the recipe is too large."""
    if isinstance(value, dict) and isinstance(value.get("recipe"), dict):
        value = value["recipe"]
    return check_compact_json_length(value, file_name, LONGEST_RECIPE_CHARACTERS)
