"""Reader of session and recipe files, run in a separate process that passes the content on in pieces.

Texts and spans are most of a session file. They are validated in that process, so that the page only has to insert them.
"""

from collections.abc import Iterator
from typing import Any

from chunkers.files.tables import Counted, recipe_of, text_of, value_of, within
from chunkers.support.errors import InputError, shown

LONGEST_HEAD = 4_000_000
"""Most characters of a session file's JSON without its text and chunks, mostly the offsets of known boundaries."""

PIECE = 1_000_000
"""Number of characters of a piece of the text."""


def not_one(name: str, where: str, why: str) -> InputError:
    """Return the error for a file that is neither a session nor a recipe."""
    return InputError(f"{name}: the file must be a session or a recipe of Seamark; {where}{': ' * bool(where)}{why}.")


def read(data: bytes, name: str) -> Iterator[tuple[Any, ...]]:
    """Yield a session file's pieces, or a recipe, each with its kind; for `viz.state.session_file.read`.

    A ``recipe`` is the only piece. A ``session`` has everything but texts and chunks. It is followed by the pieces of its
    ``text``, by a ``chunk`` for each chunk (the column's number and the spans), and by a ``given`` for each chunk of a
    column's file.

    Raises
    ------
    InputError
        If the file is neither, is too large, or has spans outside the text; the message names the place.
    """
    try:
        content = value_of(text_of(data, name), name)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise not_one(name, "", f"Invalid JSON: {error}") from error
    if not isinstance(content, dict):
        raise not_one(name, "", f"it must be an object; got {shown(content)}")
    if "recipe" in content and "seamark_session" not in content:
        yield "recipe", recipe_of(content, name)
        return
    yield from _session(content, name)


def _session(content: dict[str, Any], name: str) -> Iterator[tuple[Any, ...]]:
    text = content["text"] if isinstance(content.get("text"), str) else ""
    if isinstance(content.get("text"), str) and not text.strip():
        raise not_one(name, "", "text must contain more than white space")
    content |= {"text": ""} if text else {}
    columns = [raw_column for raw_column in _list(content.get("columns")) if isinstance(raw_column, dict)]
    chunks = [_taken(raw_column, "chunks") for raw_column in columns]
    file_chunks = [
        _taken(raw_column["file"], "chunks") if isinstance(raw_column.get("file"), dict) else [] for raw_column in columns
    ]
    yield "session", within(content, name, LONGEST_HEAD)
    counted = Counted(name, "a session")
    counted.row(text)
    for start in range(0, len(text), PIECE):
        yield "text", text[start : start + PIECE]
    for number, column in enumerate(chunks):
        for index, spans in enumerate(column):
            valid_spans = _checked(spans, len(text), name, f"columns.{number}.chunks.{index}")
            counted.row()
            counted.items(len(valid_spans))
            yield "chunk", number, valid_spans
    for number, column in enumerate(file_chunks):
        for index, chunk in enumerate(column):
            words, spans, document, identifier = _given(chunk, name, f"columns.{number}.file.chunks.{index}")
            counted.row(words, document, identifier)
            counted.items(len(spans))
            yield "given", number, (words, spans, document, identifier)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _taken(holder: dict[str, Any], field: str) -> list[Any]:
    """Remove and return the list in a field, leaving an empty one; other values stay and are rejected later."""
    content = holder.get(field)
    if isinstance(content, list):
        holder[field] = []
    return _list(content)


def _checked(spans: Any, most: int | None, name: str, where: str) -> list[list[int]]:
    """Return the spans; raises InputError if they are malformed or outside a text of ``most`` characters."""
    listed: list[list[int]] = spans if isinstance(spans, list) else [spans]
    for span in listed:
        if not (isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span)):
            raise not_one(name, where, f"a span must be two whole numbers; got {shown(span)}")
        if not 0 <= span[0] <= span[1]:
            raise not_one(
                name, where, f"a span must start at 0 or later, and end after its start; got {span[0]:,} to {span[1]:,}"
            )
        if most is not None and span[1] > most:
            raise not_one(name, where, f"a span must lie in the text, from 0 to {most:,}; got {span[0]:,} to {span[1]:,}")
    return listed


def _given(chunk: Any, name: str, where: str) -> tuple[str | None, list[list[int]], str | None, str | None]:
    """Return the text, the spans, the document and the id of an external chunk; older files have no ids."""
    fields = _list(chunk)
    text, spans, *names = [*fields, *[None, [], None, None][len(fields) :]][:4]
    if not fields or len(fields) > 4 or not all(isinstance(string, str | None) for string in (text, *names)):
        raise not_one(name, where, f"a chunk must be a text, spans, a document's name and an id; got {shown(chunk)}")
    spans = _checked(spans, None, name, where)
    if text is None and not spans:
        raise not_one(name, where, "a chunk must have a text or spans")
    return text, spans, names[0], names[1]
