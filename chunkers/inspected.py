"""Chunks that something else made, found again in their text: what they are, and what was altered or lost."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import index
from pathlib import Path, PurePosixPath
from typing import Any

from chunkers.errors import InputError, shown
from chunkers.extras import need
from chunkers.found_again import GivenChunk, find_again
from chunkers.limits import MAX_BYTES, MAX_UNPACKED, MOST_CHUNKS
from chunkers.result import Chunk, Chunking
from chunkers.text.document import Document, Span
from chunkers.text.given import GivenSentences
from chunkers.text.reading import decode
from chunkers.text.sentences import DEFAULT_SPLITTER

TEXTS = ("text", "page_content", "content", "chunk_text")
"""What a chunk's text is called: by Chonkie, LlamaIndex, Docling and here, by LangChain, by Haystack, in tables."""

STARTS = ("start", "start_index", "start_char_idx", "split_idx_start", "start_offset")
ENDS = ("end", "end_index", "end_char_idx", "end_offset")
"""What its place is called, in the chunk or in its metadata."""

DOCUMENTS = ("document", "file_name", "filename", "source", "corpus_id")
"""What the document that it is of is called, in the chunk or in its metadata."""

_LISTS = ("chunks", "nodes", "documents", "data")
_ROWS_AT_ONCE = 256

MOST_BRACKETS = 3_000_000
"""Lists and objects in a file of chunks in JSON, brackets in their texts counted too: each takes some 100 bytes of memory or
more, a list of nothing as well."""


def inspect(
    text: str | Document,
    chunks: Any,
    *,
    maker: str = "the file",
    document: str | None = None,
    sentences: str | GivenSentences = DEFAULT_SPLITTER,
) -> Chunking:
    """Return chunks that something else made as a result, with notes on what was altered, found elsewhere, or lost.

    A chunk is where it says it is if its text is there, else where its text is nearest to that; one that does not say is
    looked for in the order of the chunks. White space is not compared. Of a chunk with other words around it, such as a line
    that says what the document is, the passage that stands in the text is the chunk and the rest its ``context``. What is
    nowhere is looked for with small changes, as in `chunkers.text.quotations`; what is not found then is left out and named.

    Parameters
    ----------
    text
        The text that was cut, or its document.
    chunks
        A path to a file, or chunks: texts, spans, mappings, or objects of LangChain, LlamaIndex, Haystack, Chonkie or
        Docling; see `read_chunks`.
    maker
        What made them, for the reasons and the notes.
    document
        The name of the document whose chunks count, where there are chunks of several.
    sentences
        How the text is split into sentences; see `Document.from_text`.

    Raises
    ------
    InputError
        If there are no chunks, or they are not as they must be; if they are of several documents and none is chosen.
    """
    whole = text if isinstance(text, Document) else Document.from_text(text, sentences)
    if isinstance(chunks, str | Path):
        given = read_chunks(_bytes(Path(chunks)), Path(chunks).name)
    elif isinstance(chunks, Iterable) and not isinstance(chunks, bytes | Mapping):
        given = [_given(one, f"chunk {number:,}") for number, one in enumerate(chunks, start=1)]
    else:
        raise InputError(f"chunks must be a path, or a sequence of chunks; got {shown(chunks)}.")
    return find_again(whole, chunks_of(given, document, whole.name), maker).chunking


def read_chunks(data: bytes, name: str) -> list[GivenChunk]:
    """Return the chunks in a file: JSON, JSON lines, CSV or Parquet, told by what is in it.

    A row has a text, by one of the names in `TEXTS`, or ``spans``, or a start and an end by those in `STARTS` and `ENDS`, or
    both; places and the document's name may stand in ``metadata`` or ``meta``. JSON may also be a list of texts or of spans,
    or an object with the list as ``chunks``, ``nodes``, ``documents`` or ``data``. What LangChain's ``dumps``, LlamaIndex's
    ``to_dict`` and ``to_json``, Haystack's and Chonkie's ``to_dict`` and Docling's ``model_dump`` write are such rows.

    Raises
    ------
    InputError
        If the file is too large, empty or none of these, or a chunk in it has neither text nor place; the sentence names it.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"{name}: a file of chunks may have at most {MAX_BYTES:,} bytes; this one has {len(data):,}.")
    if data.startswith(b"PAR1"):
        rows = _parquet(data, name)
    else:
        text = decode(data, name).text
        if not text.strip():
            raise InputError(f"{name}: a file of chunks must have at least one; it is empty.")
        rows = _json(text, name) if text.lstrip().startswith(("{", "[", '"')) else _csv(text, name)
    given: list[GivenChunk] = []
    for place, row in rows:
        if len(given) == MOST_CHUNKS:
            raise InputError(f"{name}: a file of chunks may have at most {MOST_CHUNKS:,}; this one has more.")
        given.append(_given(row, f"{name}, {place}"))
    return given


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: the file must be readable; {error.strerror}.") from error


def _parquet(data: bytes, name: str) -> Iterator[tuple[str, Any]]:
    need("corpus", "Parquet", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows: list[Any] = []
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        groups = (file.metadata.row_group(number) for number in range(file.metadata.num_row_groups))
        unpacked = sum(group.total_byte_size for group in groups)
        _check_unpacked(unpacked, name)
        # What is written once and stands in many rows is small in the file only.
        unpacked = 0
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            unpacked += batch.nbytes
            _check_unpacked(unpacked, name)
            rows += batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise InputError(f"{name}: the file must be sound Parquet; reading it failed with: {said}.") from error
    return ((f"row {number:,}", row) for number, row in enumerate(rows, start=1))


def _check_unpacked(unpacked: int, name: str) -> None:
    if unpacked > MAX_UNPACKED:
        raise InputError(
            f"{name}: a file of chunks may unpack to at most {MAX_UNPACKED:,} bytes; this one has {unpacked:,} or more."
        )


def _json(text: str, name: str) -> Iterator[tuple[str, Any]]:
    brackets = text.count("[") + text.count("{")
    if brackets > MOST_BRACKETS:
        raise InputError(
            f"{name}: a file of chunks in JSON may have at most {MOST_BRACKETS:,} brackets that open; it has {brackets:,}."
        )
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield from _json_lines(text, name)
        return
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [value])
    if not isinstance(value, list):
        raise InputError(f"{name}: chunks must be a list, or an object with one; got {shown(value)}.")
    yield from ((f"chunk {number:,}", one) for number, one in enumerate(value, start=1))


def _json_lines(text: str, name: str) -> Iterator[tuple[str, Any]]:
    # Not splitlines, which also splits at characters that JSON allows inside strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {number:,}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{name}, line {number:,}: every line must be JSON; this one is not ({error}).") from error


def _csv(text: str, name: str) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(MAX_BYTES)
    head = text.lstrip().partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True)
    try:
        for number, row in enumerate(reader, start=1):
            # An empty cell is none.
            yield f"row {number:,}", {key: value for key, value in row.items() if value not in (None, "")}
    except csv.Error as error:
        raise InputError(f"{name}: the file must be CSV; it is not ({error}).") from error


def _given(one: Any, place: str) -> GivenChunk:
    """Return a chunk of whatever form.

    Raises
    ------
    InputError
        If it has neither a text nor a place, or these are none.
    """
    if isinstance(one, str):
        return GivenChunk(one)
    if isinstance(one, Chunk):
        return GivenChunk(one.text if len(one.spans) == 1 else None, one.spans)
    if _is_pair(one):
        return GivenChunk(None, (_span(one[0], one[1], place),))
    row: Mapping[str, Any] = one if isinstance(one, Mapping) else _attributes(one)
    # LangChain's dumps and LlamaIndex's stores wrap the fields of a chunk.
    row = _inner(row, "kwargs", "__data__") or row
    inner = _inner(row, "metadata", "meta")
    origin = _inner(inner, "origin")
    text = next((row[key] for key in TEXTS if row.get(key) is not None), None)
    if text is not None and not isinstance(text, str):
        raise InputError(f"{place}: a chunk's text must be a text; got {shown(text)}.")
    spans = _spans(row, inner, text, place)
    if text is None and not spans:
        named = ", ".join(map(str, row))
        raise InputError(f"{place}: a chunk must have a text, or a start and an end; this one has {shown(named)}.")
    if len(spans) > 1:
        # The text of several spans is joined by whatever made it; they say where it is.
        text = None
    name = next((held[key] for held in (row, inner, origin) for key in DOCUMENTS if isinstance(held.get(key), str)), None)
    return GivenChunk(text, spans, name)


def _inner(row: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the mapping that stands in another under one of the keys; an empty one if none does."""
    return next((row[key] for key in keys if isinstance(row.get(key), Mapping)), {})


def _is_pair(one: Any) -> bool:
    return isinstance(one, Sequence) and len(one) == 2 and not any(isinstance(part, str | bytes) for part in one)


def _attributes(one: Any) -> dict[str, Any]:
    """Return what an object of another library has of the fields of a chunk."""
    names = (*TEXTS, *STARTS, *ENDS, *DOCUMENTS, "metadata", "meta")
    found = {name: getattr(one, name) for name in names if hasattr(one, name)}
    if "meta" in found and not isinstance(found["meta"], Mapping) and hasattr(found["meta"], "model_dump"):
        found["meta"] = found["meta"].model_dump()
    return {name: value for name, value in found.items() if not callable(value)}


def _spans(row: Mapping[str, Any], inner: Mapping[str, Any], text: str | None, place: str) -> tuple[Span, ...]:
    """Return where a chunk says it is."""
    listed = row.get("spans")
    if isinstance(listed, str):
        try:
            listed = json.loads(listed)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{place}: spans must be a list of pairs; got {shown(listed)}.") from error
    if listed is not None:
        if not isinstance(listed, Sequence) or not listed or not all(map(_is_pair, listed)):
            raise InputError(f"{place}: spans must be a list of pairs; got {shown(listed)}.")
        return tuple(_span(start, end, place) for start, end in listed)
    start, end = (
        next((held[key] for held in (row, inner) for key in names if held.get(key) is not None), None)
        for names in (STARTS, ENDS)
    )
    if start is None:
        return ()
    if end is None:
        if text is None:
            raise InputError(f"{place}: a chunk without a text must have an end; this one begins at {shown(start)}.")
        end = _whole(start, place) + len(text)
    return (_span(start, end, place),)


def _span(start: Any, end: Any, place: str) -> Span:
    first, last = _whole(start, place), _whole(end, place)
    if not 0 <= first <= last:
        raise InputError(f"{place}: a chunk must begin at 0 or after and end after that; got {first:,} to {last:,}.")
    return Span(first, last)


def _whole(value: Any, place: str) -> int:
    """Return a place as a number; tables write it as text, or as 99.0."""
    try:
        if isinstance(value, bool):
            raise TypeError
        if isinstance(value, str):
            return int(value) if len(value) <= 12 else int("too long")
        return int(value) if isinstance(value, float) and value.is_integer() else index(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{place}: a chunk's place must be a whole number; got {shown(value)}.") from error


def documents_of(given: Iterable[GivenChunk]) -> list[str]:
    """Return the names of the documents that chunks are of, in their order."""
    return list(dict.fromkeys(one.document for one in given if one.document is not None))


class DocumentNames:
    """The names that the documents of a file of chunks have there, in their order."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = dict.fromkeys(names)
        self._by_end: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        for name in self._names:
            self._by_end.setdefault(_file(name), []).append(name)
            self._by_stem.setdefault(_stem(name), []).append(name)

    def called(self, name: str) -> list[str]:
        """Return which of them a document called ``name`` may have.

        One that is the same; else those of which one is the end of the other's path, as ``/data/notes/a.md`` and ``a.md``;
        else those of which that is true but for an ending that one of the two lacks, as ``notes/a.md`` and ``a``.
        """
        if name in self._names:
            return [name]
        path = _path(name)
        alike = [one for one in self._by_end.get(_file(name), ()) if _is_end(path, _path(one))]
        if alike:
            return alike
        with_ending = [one for one in self._by_stem.get(_file(name), ()) if _is_end(path, _without_ending(one))]
        without = [one for one in self._by_end.get(_stem(name), ()) if _is_end(_without_ending(name), _path(one))]
        return with_ending + without


def _path(name: str) -> tuple[str, ...]:
    # Windows writes its paths with the other slash.
    return PurePosixPath(name.replace("\\", "/")).parts


def _file(name: str) -> str:
    return "".join(_path(name)[-1:])


def _stem(name: str) -> str:
    return PurePosixPath(_file(name)).stem


def _without_ending(name: str) -> tuple[str, ...]:
    return (*_path(name)[:-1], _stem(name))


def _is_end(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    length = min(len(one), len(other))
    return one[-length:] == other[-length:]


def chunks_of(given: Sequence[GivenChunk], wanted: str | None, name: str) -> Sequence[GivenChunk]:
    """Return the chunks of a document: the one that is wanted, or that is called as the text is, or the only one.

    Raises
    ------
    InputError
        If there is none, or more than a text may have; if they are of several documents and it cannot be told of which.
    """
    found = _of_document(given, wanted, name)
    if not found:
        raise InputError("chunks: there must be at least one; there is none.")
    if len(found) > MOST_CHUNKS:
        raise InputError(f"chunks: a text may be cut into at most {MOST_CHUNKS:,} chunks; these are {len(found):,}.")
    return found


def _of_document(given: Sequence[GivenChunk], wanted: str | None, name: str) -> Sequence[GivenChunk]:
    names = documents_of(given)
    if wanted is None and len(names) > 1:
        called = DocumentNames(names).called(name)
        if len(called) != 1:
            raise InputError(
                f"chunks: document must name one of those that they are of, {shown(', '.join(called or names))}; got none."
            )
        wanted = called[0]
    if wanted is None:
        return given
    # "README" means that one alone where there is a "README.md" beside it.
    meant = [wanted] if wanted in names else [one for one in names if _stem(one) == wanted]
    if len(meant) > 1:
        raise InputError(f"chunks: document must name one; {shown(wanted)} may be any of {shown(', '.join(meant))}.")
    chosen = [one for one in given if one.document is None or one.document in meant]
    if not chosen:
        raise InputError(f"chunks: document must be one of {shown(', '.join(names))}; got {shown(wanted)}.")
    return chosen
