"""Reader of session and recipe files, run in a separate process that passes the content on in pieces.

Texts and spans are most of a session file. They are validated in that process, so that the page only has to insert them.
"""

from collections.abc import Iterator
from typing import Any

from chunkers.files.json_and_table_files import (
    InputCounter,
    check_compact_json_length,
    decode_file,
    parse_json_limiting_bracket_count,
    unwrap_recipe_entry,
)
from chunkers.support import InputError, short_repr

MAX_CHARACTERS_WITHOUT_TEXTS = 4_000_000
"""Most characters of a session file's JSON without its text and chunks, mostly the offsets of known boundaries."""

CHARACTERS_PER_TEXT_PIECE = 1_000_000
"""Number of characters of a piece of the text."""


def not_a_session_error(file_name: str, field_path: str, reason: str) -> InputError:
    """Return the error for a file that is neither a session nor a recipe."""
    return InputError(
        f"{file_name}: the file must be a session or a recipe of Seamark; {field_path}{': ' * bool(field_path)}{reason}."
    )


def parse_session_file_into_pieces(file_bytes: bytes, file_name: str) -> Iterator[tuple[Any, ...]]:
    """Yield the pieces of a session file or a recipe; called by `viz.state.session_file.read_session_or_recipe_file`.

    A ``recipe`` is the only piece. A ``session`` has everything but texts and chunks. It is followed by the pieces of its
    ``text``, by a ``chunk`` for each chunk (the column's number and the spans), and by a ``given`` for each chunk of a
    column's file.

    Raises
    ------
    InputError
        If the file is neither, is too large, or has spans outside the text; the message names the place.
    """
    try:
        parsed_file_content = parse_json_limiting_bracket_count(decode_file(file_bytes, file_name), file_name)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise not_a_session_error(file_name, "", f"Invalid JSON: {error}") from error
    if not isinstance(parsed_file_content, dict):
        raise not_a_session_error(file_name, "", f"it must be an object; got {short_repr(parsed_file_content)}")
    if "recipe" in parsed_file_content and "seamark_session" not in parsed_file_content:
        yield "recipe", unwrap_recipe_entry(parsed_file_content, file_name)
        return
    yield from _session_pieces(parsed_file_content, file_name)


def _session_pieces(session_content: dict[str, Any], file_name: str) -> Iterator[tuple[Any, ...]]:
    text = session_content["text"] if isinstance(session_content.get("text"), str) else ""
    if isinstance(session_content.get("text"), str) and not text.strip():
        raise not_a_session_error(file_name, "", "text must contain more than white space")
    session_content |= {"text": ""} if text else {}
    raw_session_columns = [
        raw_column for raw_column in _list_or_empty(session_content.get("columns")) if isinstance(raw_column, dict)
    ]
    spans_per_column = [_pop_list_of_field(raw_column, "chunks") for raw_column in raw_session_columns]
    file_chunks_per_column = [
        _pop_list_of_field(raw_column["file"], "chunks") if isinstance(raw_column.get("file"), dict) else []
        for raw_column in raw_session_columns
    ]
    yield "session", check_compact_json_length(session_content, file_name, MAX_CHARACTERS_WITHOUT_TEXTS)
    input_counter = InputCounter(file_name, "a session")
    input_counter.count_row(text)
    for piece_start in range(0, len(text), CHARACTERS_PER_TEXT_PIECE):
        yield "text", text[piece_start : piece_start + CHARACTERS_PER_TEXT_PIECE]
    for column_index, raw_chunks_of_column in enumerate(spans_per_column):
        for chunk_index, spans in enumerate(raw_chunks_of_column):
            valid_spans = _checked_spans(spans, len(text), file_name, f"columns.{column_index}.chunks.{chunk_index}")
            input_counter.count_row()
            input_counter.count_list_items(len(valid_spans))
            yield "chunk", column_index, valid_spans
    for column_index, raw_chunks_of_column in enumerate(file_chunks_per_column):
        for chunk_index, chunk in enumerate(raw_chunks_of_column):
            chunk_text, spans, document_name, chunk_id = _checked_chunk(
                chunk, file_name, f"columns.{column_index}.file.chunks.{chunk_index}"
            )
            input_counter.count_row(chunk_text, document_name, chunk_id)
            input_counter.count_list_items(len(spans))
            yield "given", column_index, (chunk_text, spans, document_name, chunk_id)


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _pop_list_of_field(mapping: dict[str, Any], field_name: str) -> list[Any]:
    """Remove and return the list in a field, leaving an empty one; other values stay and are rejected later."""
    field_value = mapping.get(field_name)
    if isinstance(field_value, list):
        mapping[field_name] = []
    return _list_or_empty(field_value)


def _checked_spans(spans: Any, text_length: int | None, file_name: str, field_path: str) -> list[list[int]]:
    """Return the spans; raises InputError if they are malformed or outside a text of ``text_length`` characters."""
    span_list: list[list[int]] = spans if isinstance(spans, list) else [spans]
    for span in span_list:
        if not (isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span)):
            raise not_a_session_error(file_name, field_path, f"a span must be two whole numbers; got {short_repr(span)}")
        if not 0 <= span[0] <= span[1]:
            raise not_a_session_error(
                file_name,
                field_path,
                f"a span must start at 0 or later, and end after its start; got {span[0]:,} to {span[1]:,}",
            )
        if text_length is not None and span[1] > text_length:
            raise not_a_session_error(
                file_name,
                field_path,
                f"a span must lie in the text, from 0 to {text_length:,}; got {span[0]:,} to {span[1]:,}",
            )
    return span_list


def _checked_chunk(
    chunk: Any, file_name: str, field_path: str
) -> tuple[str | None, list[list[int]], str | None, str | None]:
    """Return the text, the spans, the document and the id of an external chunk; older files have no ids."""
    chunk_field_list = _list_or_empty(chunk)
    text, checked_chunk_spans, *document_and_id = [*chunk_field_list, *[None, [], None, None][len(chunk_field_list) :]][:4]
    if (
        not chunk_field_list
        or len(chunk_field_list) > 4
        or not all(isinstance(string, str | None) for string in (text, *document_and_id))
    ):
        raise not_a_session_error(
            file_name, field_path, f"a chunk must be a text, spans, a document's name and an id; got {short_repr(chunk)}"
        )
    checked_chunk_spans = _checked_spans(checked_chunk_spans, None, file_name, field_path)
    if text is None and not checked_chunk_spans:
        raise not_a_session_error(file_name, field_path, "a chunk must have a text or spans")
    return text, checked_chunk_spans, document_and_id[0], document_and_id[1]
