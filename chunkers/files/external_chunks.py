"""Chunks made by another tool, from a file or another library's objects, and the text put together from them.

A file is read in another process, so this module imports little.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from operator import index
from typing import Any, NamedTuple

from chunkers.files.json_and_table_files import (
    InputCounter,
    column_positions,
    decode_file,
    numbered_lines,
    parquet_rows,
    parse_json_limiting_bracket_count,
    read_csv_rows_as_lists,
)
from chunkers.support import MOST_CHUNKS, InputError, short_repr
from chunkers.text import Span

TEXT_FIELDS = ("text", "page_content", "content", "chunk_text")
"""Names of the field with a chunk's text: in Chonkie, LlamaIndex, Docling and here, in LangChain, in Haystack, in tables."""

START_FIELDS = ("start", "start_index", "start_char_idx", "split_idx_start", "start_offset")
END_FIELDS = ("end", "end_index", "end_char_idx", "end_offset")
"""Names of the field with its position, in the chunk or in its metadata."""

DOCUMENT_FIELDS = ("document", "file_name", "filename", "source", "corpus_id")
"""Names of the field with its document, in the chunk or in its metadata."""

ID_FIELDS = ("id", "id_", "node_id", "chunk_id")
"""Names of the field with its identifier: in LangChain, Haystack and Chonkie, in LlamaIndex, in tables."""

KNOWN_FIELDS = frozenset(
    (
        *TEXT_FIELDS,
        *START_FIELDS,
        *END_FIELDS,
        *DOCUMENT_FIELDS,
        *ID_FIELDS,
        "spans",
        "metadata",
        "meta",
        "kwargs",
        "__data__",
    )
)
"""The fields that are read."""

_CHUNK_LIST_FIELDS = ("chunks", "nodes", "documents", "data")
_CHUNK_FILE_KIND_NAME = "a file of chunks"


class GivenChunk(NamedTuple):
    """A chunk as written by another program, not yet located in the text.

    Attributes
    ----------
    text
        The chunk's text; None if it states only spans, or more than one span.
    spans
        Stated spans, half-open in code points; if only a start is stated, the end follows from the text's length. Empty if
        no place is stated.
    document
        Stated name of the chunk's document; None if the chunk states none.
    id
        Stated identifier, as text; None if the chunk states none.
    """

    text: str | None
    spans: tuple[Span, ...] = ()
    document: str | None = None
    id: str | None = None


def read_chunk_file(file_bytes: bytes, name: str) -> Iterator[GivenChunk]:
    """Parse a file of chunks and yield the chunks; run by `chunkers.text.reader_process.run_parser_in_reader_process`."""
    input_counter = InputCounter(name, _CHUNK_FILE_KIND_NAME)
    if file_bytes.startswith(b"PAR1"):
        # Of its rows, what is not read is not counted; their texts are, before they are copied.
        rows_with_place_phrases: Iterator[tuple[str, Any]] = (
            (f"row {number:,}", row)
            for number, row in enumerate(
                parquet_rows(file_bytes, name, KNOWN_FIELDS, InputCounter(name, _CHUNK_FILE_KIND_NAME)), start=1
            )
        )
    else:
        file_text = decode_file(file_bytes, name)
        if not file_text.strip():
            raise InputError(f"{name}: a file of chunks must contain at least one chunk; this file is empty.")
        rows_with_place_phrases = (
            _json_rows(file_text, name) if file_text.lstrip().startswith(("{", "[", '"')) else _csv_rows(file_text, name)
        )
    total_span_count = 0
    for row_place_phrase, row in rows_with_place_phrases:
        given_chunk = as_given_chunk(row, f"{name}, {row_place_phrase}")
        input_counter.count_row(given_chunk.text, given_chunk.document)
        total_span_count += len(given_chunk.spans)
        if total_span_count > MOST_CHUNKS:
            raise InputError(
                f"{name}: the chunks of a file may have at most {MOST_CHUNKS:,} spans in total; these chunks have more. "
                "Divide the file."
            )
        yield given_chunk


def _json_rows(text: str, name: str) -> Iterator[tuple[str, Any]]:
    try:
        parsed_json = parse_json_limiting_bracket_count(text, name)
    except InputError:
        raise
    except (ValueError, RecursionError):
        yield from _json_lines(text, name)
        return
    if isinstance(parsed_json, dict):
        parsed_json = next(
            (parsed_json[key] for key in _CHUNK_LIST_FIELDS if isinstance(parsed_json.get(key), list)), [parsed_json]
        )
    if not isinstance(parsed_json, list):
        raise InputError(
            f"{name}: the file must be a list of chunks, or an object that contains a list of chunks; got "
            f"{short_repr(parsed_json)}."
        )
    yield from ((f"chunk {number:,}", chunk) for number, chunk in enumerate(parsed_json, start=1))


def _json_lines(text: str, name: str) -> Iterator[tuple[str, Any]]:
    for line_number, line in numbered_lines(text):
        try:
            yield f"line {line_number:,}", json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{name}, line {line_number:,}: every line must be valid JSON; this one is not ({error})."
            ) from error


def _csv_rows(text: str, name: str) -> Iterator[tuple[str, Any]]:
    try:
        csv_row_iterator = read_csv_rows_as_lists(text, name)
        csv_column_names = next(csv_row_iterator, [])
        position_by_column = column_positions(csv_column_names, KNOWN_FIELDS)
        for row_number, row in enumerate(csv_row_iterator, start=1):
            # An empty cell is none.
            known_cell_by_column = {
                column: row[at] for column, at in position_by_column.items() if at < len(row) and row[at]
            }
            yield (
                f"row {row_number:,}",
                known_cell_by_column or {column: None for column, cell in zip(csv_column_names, row, strict=False) if cell},
            )
    except csv.Error as error:
        raise InputError(f"{name}: the file must be valid CSV; this one is not ({error}).") from error


def as_given_chunk(raw_chunk: Any, chunk_label: str, *, allows_id_alone: bool = False) -> GivenChunk:
    """Convert a text, a span, a mapping or another library's object to a `GivenChunk`.

    Parameters
    ----------
    allows_id_alone
        True if a chunk may have nothing but an identifier.

    Raises
    ------
    InputError
        If the object has neither a text nor a place, or these are invalid.
    """
    if isinstance(raw_chunk, str):
        return GivenChunk(raw_chunk)
    if _is_pair(raw_chunk):
        return GivenChunk(None, (_checked_span(raw_chunk[0], raw_chunk[1], chunk_label),))
    chunk_fields: Mapping[str, Any] = (
        raw_chunk if isinstance(raw_chunk, dict | Mapping) else _chunk_fields_of_library_object(raw_chunk)
    )
    # LangChain's dumps and LlamaIndex's stores wrap the fields of a chunk.
    chunk_fields = _nested_mapping(chunk_fields, "kwargs", "__data__") or chunk_fields
    chunk_metadata = _nested_mapping(chunk_fields, "metadata", "meta")
    origin_fields = _nested_mapping(chunk_metadata, "origin")
    chunk_text = next((chunk_fields[key] for key in TEXT_FIELDS if chunk_fields.get(key) is not None), None)
    if chunk_text is not None and not isinstance(chunk_text, str):
        raise InputError(f"{chunk_label}: a chunk's text must be a string; got {short_repr(chunk_text)}.")
    stated_chunk_spans = _read_stated_spans_of_chunk(chunk_fields, chunk_metadata, chunk_text, chunk_label)
    chunk_identifier = next(
        (
            str(chunk_fields[key])
            for key in ID_FIELDS
            if isinstance(chunk_fields.get(key), str | int) and chunk_fields[key] != ""
        ),
        None,
    )
    if chunk_text is None and not stated_chunk_spans and not (allows_id_alone and chunk_identifier is not None):
        present_fields_phrase = ", ".join(map(str, chunk_fields))
        text_field_names_phrase = " or ".join(TEXT_FIELDS)
        raise InputError(
            f"{chunk_label}: a chunk must have a text ({text_field_names_phrase}), or a start and an end; this chunk has "
            "only "
            f"{short_repr(present_fields_phrase)}."
        )
    if len(stated_chunk_spans) > 1:
        # The text of several spans is joined by whatever made it; they say where it is.
        chunk_text = None
    document_name = next(
        (
            mapping[key]
            for mapping in (chunk_fields, chunk_metadata, origin_fields)
            if mapping
            for key in DOCUMENT_FIELDS
            if isinstance(mapping.get(key), str)
        ),
        None,
    )
    return GivenChunk(chunk_text, stated_chunk_spans, document_name, chunk_identifier)


def _nested_mapping(outer_mapping: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the mapping that stands in another under one of the keys; an empty one if none does."""
    # What is not there is asked first: whether None is a Mapping takes longer to tell.
    return next(
        (
            outer_mapping[key]
            for key in keys
            if outer_mapping.get(key) is not None and isinstance(outer_mapping[key], dict | Mapping)
        ),
        {},
    )


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, Sequence) and len(pair) == 2 and not any(isinstance(part, str | bytes) for part in pair)


def _chunk_fields_of_library_object(other_library_chunk: Any) -> dict[str, Any]:
    """Return the fields of a chunk that an object of another library has."""
    possible_attribute_names = (*TEXT_FIELDS, *START_FIELDS, *END_FIELDS, *DOCUMENT_FIELDS, *ID_FIELDS, "metadata", "meta")
    value_by_attribute = {
        name: getattr(other_library_chunk, name) for name in possible_attribute_names if hasattr(other_library_chunk, name)
    }
    if (
        "meta" in value_by_attribute
        and not isinstance(value_by_attribute["meta"], Mapping)
        and hasattr(value_by_attribute["meta"], "model_dump")
    ):
        value_by_attribute["meta"] = value_by_attribute["meta"].model_dump()
    return {name: value for name, value in value_by_attribute.items() if not callable(value)}


def _read_stated_spans_of_chunk(
    chunk_fields: Mapping[str, Any], metadata: Mapping[str, Any], chunk_text: str | None, chunk_label: str
) -> tuple[Span, ...]:
    """Return the spans that a chunk gives."""
    stated_spans_value = chunk_fields.get("spans")
    if isinstance(stated_spans_value, str):
        try:
            stated_spans_value = json.loads(stated_spans_value)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{chunk_label}: spans must be a list of pairs, each a start and an end; got "
                f"{short_repr(stated_spans_value)}."
            ) from error
    if stated_spans_value is not None:
        if (
            not isinstance(stated_spans_value, Sequence)
            or not stated_spans_value
            or not all(map(_is_pair, stated_spans_value))
        ):
            raise InputError(
                f"{chunk_label}: spans must be a list of pairs, each a start and an end; got "
                f"{short_repr(stated_spans_value)}."
            )
        return tuple(_checked_span(start, end, chunk_label) for start, end in stated_spans_value)
    chunk_start_offset, chunk_end_offset = (
        next(
            (
                mapping[key]
                for mapping in (chunk_fields, metadata)
                if mapping
                for key in names
                if mapping.get(key) is not None
            ),
            None,
        )
        for names in (START_FIELDS, END_FIELDS)
    )
    if chunk_start_offset is None:
        return ()
    if chunk_end_offset is None:
        if chunk_text is None:
            raise InputError(
                f"{chunk_label}: a chunk without a text must have an end; this chunk has only its start, "
                f"{short_repr(chunk_start_offset)}."
            )
        chunk_end_offset = _require_whole_number(chunk_start_offset, chunk_label) + len(chunk_text)
    return (_checked_span(chunk_start_offset, chunk_end_offset, chunk_label),)


def _checked_span(start: Any, end: Any, chunk_label: str) -> Span:
    start_number, end_number = _require_whole_number(start, chunk_label), _require_whole_number(end, chunk_label)
    if not 0 <= start_number <= end_number:
        raise InputError(
            f"{chunk_label}: a chunk must start at 0 or later, and must not end before its start; got {start_number:,} to "
            f"{end_number:,}."
        )
    return Span(start_number, end_number)


def _require_whole_number(value: Any, chunk_label: str) -> int:
    """Return a place as a number; tables write it as text, or as 99.0."""
    try:
        if isinstance(value, bool):
            raise TypeError
        if isinstance(value, str):
            return int(value) if len(value) <= 12 else int("too long")
        return int(value) if isinstance(value, float) and value.is_integer() else index(value)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{chunk_label}: a chunk's start and end must be whole numbers; got {short_repr(value)}."
        ) from error


# The text that the chunks were cut from.

LONGEST_WHITESPACE_GAP = 4
"""Maximum number of characters between two chunks that are taken for white space where a text is rebuilt from them; more
are lost text.
"""

_SPACES_FOR_LOST_TEXT = 2
"""Characters of white space in the place of lost text, or of text of which nothing is known."""


class RebuiltText(NamedTuple):
    """A text that is put together from chunks.

    Attributes
    ----------
    text
        The text; parts that chunks with a stated place have in common stand there once.
    chunks
        The chunks in the order of the text, with their places in it.
    is_whole
        True if the chunks state their places and cover the whole text but for white space, so that places in it are places
        in the original.
    """

    text: str
    chunks: tuple[GivenChunk, ...]
    is_whole: bool


def rebuild_text(chunks: Sequence[GivenChunk]) -> RebuiltText | None:
    """Return the text that is put together from chunks, by their places or else in their order.

    None is returned if a chunk has no text, or if no chunk has a visible character.
    """
    if any(chunk.text is None for chunk in chunks) or not any((chunk.text or "").strip() for chunk in chunks):
        return None
    has_every_chunk_stated_place = is_text_whole = all(_span_matches_text_length(chunk) for chunk in chunks)
    text_parts: list[str] = []
    chunks_with_rebuilt_spans: list[GivenChunk] = []
    rebuilt_length = furthest_original_end = 0
    for chunk in sorted(chunks, key=lambda piece: piece.spans) if has_every_chunk_stated_place else chunks:
        chunk_text = chunk.text or ""
        gap_length = chunk.spans[0].start - furthest_original_end if has_every_chunk_stated_place else None
        if gap_length is None or gap_length > LONGEST_WHITESPACE_GAP:
            is_text_whole = False
            gap_length = _SPACES_FOR_LOST_TEXT if text_parts else 0
        rebuilt_start = rebuilt_length + gap_length
        text_parts += ["\n" * gap_length if gap_length > 1 else " " * gap_length, chunk_text[max(0, -gap_length) :]]
        rebuilt_length = max(rebuilt_length, rebuilt_start + len(chunk_text))
        furthest_original_end = (
            chunk.spans[0].end
            if has_every_chunk_stated_place and chunk.spans[0].end > furthest_original_end
            else furthest_original_end
        )
        chunks_with_rebuilt_spans.append(chunk._replace(spans=(Span(rebuilt_start, rebuilt_start + len(chunk_text)),)))
    return RebuiltText("".join(text_parts), tuple(chunks_with_rebuilt_spans), is_text_whole)


def _span_matches_text_length(chunk: GivenChunk) -> bool:
    return len(chunk.spans) == 1 and chunk.spans[0].end - chunk.spans[0].start == len(chunk.text or "")
