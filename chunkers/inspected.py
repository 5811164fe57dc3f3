"""Chunks that something else made, found again in their text: what they are, and what was altered or lost."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import index
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from chunkers.adapters.mapping import locate
from chunkers.building_blocks.ledger import cuts_to_gaps, ledger
from chunkers.errors import InputError, shown
from chunkers.extras import need
from chunkers.limits import MAX_BYTES, MOST_CHUNKS
from chunkers.reason import Reason
from chunkers.result import Chunk, Chunking, Verdict
from chunkers.spreadsheet import from_cell
from chunkers.text.document import Document, Span
from chunkers.text.given import GivenSentences
from chunkers.text.quotations import Quotation, Searched
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
_MOST_NAMED = 8


class GivenChunk(NamedTuple):
    """A chunk as something else wrote it.

    Attributes
    ----------
    text
        Its text; None if it has spans alone.
    spans
        Where it says it is, half-open in code points; of a chunk that only begins somewhere, the end is that of its text.
        Empty if it does not say.
    document
        The name of the document it is of; None if it does not say.
    """

    text: str | None
    spans: tuple[Span, ...] = ()
    document: str | None = None


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
    looked for in the order of the chunks. White space is not compared. What is nowhere is looked for with small changes,
    as in `chunkers.text.quotations`; what is not found then is left out and named.

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
    given = _of_document(given, document, whole.name)
    if not given:
        raise InputError("chunks: there must be at least one; there is none.")
    if len(given) > MOST_CHUNKS:
        raise InputError(f"chunks: a text may be cut into at most {MOST_CHUNKS:,} chunks; these are {len(given):,}.")
    return _found(whole, given, maker)


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
    return [_given(row, f"{name}, {place}") for place, row in rows]


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

    try:
        rows = pq.read_table(io.BytesIO(data)).to_pylist()
    except (pa.ArrowException, OSError) as error:
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise InputError(f"{name}: the file must be sound Parquet; reading it failed with: {said}.") from error
    return ((f"row {number:,}", row) for number, row in enumerate(rows, start=1))


def _json(text: str, name: str) -> Iterator[tuple[str, Any]]:
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


def _of_document(given: list[GivenChunk], wanted: str | None, name: str) -> list[GivenChunk]:
    """Return the chunks of a document: the one that is wanted, or that is called as the text is, or the only one."""
    names = list(dict.fromkeys(one.document for one in given if one.document is not None))
    if wanted is None and len(names) > 1:
        wanted = next((one for one in names if name in (one, _stem(one), PurePosixPath(one).name)), None)
        if wanted is None:
            raise InputError(
                f"chunks: document must name one of those that they are of, {shown(', '.join(names))}; got none."
            )
    if wanted is None:
        return given
    chosen = [one for one in given if one.document is None or wanted in (one.document, _stem(one.document))]
    if not chosen:
        raise InputError(f"chunks: document must be one of {shown(', '.join(names))}; got {shown(wanted)}.")
    return chosen


def _stem(name: str) -> str:
    return PurePosixPath(name).stem


def _found(document: Document, given: Sequence[GivenChunk], maker: str) -> Chunking:
    """Return the chunks that are found, in the order of the text."""
    text = document.text
    placed = [_in_place(text, one) for one in given]
    # Those that do not say where they are are looked for in order: what is repeated is told apart by what is before it.
    unplaced = [number for number, one in enumerate(given) if not one.spans]
    ordered = dict(zip(unplaced, locate(text, [given[number].text or "" for number in unplaced]), strict=True))
    searched = Searched(text)
    chunks: list[Chunk] = []
    said = _Said(maker)
    for number, (one, spans) in enumerate(zip(given, placed, strict=True)):
        found = spans
        if not found and (span := ordered.get(number) or _nearest(searched, one, number, said)):
            found = (span,)
            said.compare(number, one, text[span.start : span.end], span)
        if found:
            chunks.append(Chunk.of(document, *found))
        else:
            said.lost.append(_named(number, one))
    chunks.sort(key=lambda chunk: (chunk.start, chunk.end))
    starts = sorted({span.start for chunk in chunks for span in chunk.spans})[1:]
    begins = Reason(remark=f"{maker} begins a chunk here")
    cuts = cuts_to_gaps(document, starts, Verdict.CUT, lambda _: begins)
    return Chunking(
        document,
        tuple(chunks),
        ledger(document, cuts, f"{maker} begins no chunk here"),
        notes=(*said.notes(), *_without_chunk(text, chunks)),
    )


def _nearest(searched: Searched, one: GivenChunk, number: int, said: _Said) -> Span | None:
    """Return where a chunk is nearest to its place, or most like it; None if nowhere."""
    if one.text is None or not one.text.strip():
        return None
    quoted = Quotation(one.text.strip(), start=one.spans[0].start if one.spans else None)
    match = searched.exact(quoted) or searched.typography(quoted)
    if match is None and (match := searched.altered(quoted)):
        said.altered.append(f"{number + 1} ({int(100 * match.alike)} % alike, at {match.span.start:,})")
    elif match is not None and "".join(quoted.text.split()) != "".join(searched.text[slice(*match.span)].split()):
        said.altered.append(f"{number + 1} (other quotation marks, dashes or the like, at {match.span.start:,})")
    return None if match is None else match.span


def _in_place(text: str, one: GivenChunk) -> tuple[Span, ...]:
    """Return the spans at which a chunk says it is, without white space at their ends; none if its text is not there."""
    if not one.spans or one.spans[-1].end > len(text):
        return ()
    if one.text is not None:
        passage = text[one.spans[0].start : one.spans[0].end]
        # A table for spreadsheets has an apostrophe before what would be a formula; see `as_cell`.
        if passage.strip() not in (one.text.strip(), from_cell(one.text).strip()):
            return ()
    stripped = []
    for start, end in one.spans:
        piece = text[start:end]
        if piece.strip():
            begin = start + len(piece) - len(piece.lstrip())
            stripped.append(Span(begin, begin + len(piece.strip())))
    return tuple(sorted(stripped))


class _Said:
    """What is to be told of the chunks."""

    def __init__(self, maker: str) -> None:
        self.maker = maker
        self.lost: list[str] = []
        self.altered: list[str] = []
        self.elsewhere: list[str] = []
        self.spaced = 0

    def compare(self, number: int, one: GivenChunk, passage: str, span: Span) -> None:
        """Note how a chunk that is found differs from what it says."""
        if one.spans and one.spans[0].start != span.start:
            self.elsewhere.append(f"{number + 1} (at {span.start:,}, not {one.spans[0].start:,})")
        if one.text is not None and one.text.strip() != passage and "".join(one.text.split()) == "".join(passage.split()):
            self.spaced += 1

    def notes(self) -> list[str]:
        """Return the sentences."""
        notes = [
            self._listed("Chunks of {} that are not found in the text and left out", self.lost),
            self._listed("Chunks of {} that are altered, and found where the text is most like them", self.altered),
            self._listed("Chunks of {} that are not at the place that they name", self.elsewhere),
            f"Chunks of {self.maker} with other white space than the text: {self.spaced:,}." if self.spaced else "",
        ]
        return [note for note in notes if note]

    def _listed(self, what: str, found: Sequence[str]) -> str:
        if not found:
            return ""
        named = ", ".join(found[:_MOST_NAMED]) + (" and more" if len(found) > _MOST_NAMED else "")
        return f"{what.format(self.maker)}: {len(found):,}: {named}."


def _named(number: int, one: GivenChunk) -> str:
    if one.text is None:
        return f"{number + 1} ({one.spans[0].start:,} to {one.spans[-1].end:,})"
    words = " ".join(one.text.split())
    return f"{number + 1} (“{words if len(words) <= 40 else words[:39] + '…'}”)"


def _without_chunk(text: str, chunks: Sequence[Chunk]) -> list[str]:
    lost = reached = 0
    for start, end in sorted(span for chunk in chunks for span in chunk.spans):
        lost += sum(map(len, text[reached:start].split()))
        reached = max(reached, end)
    lost += sum(map(len, text[reached:].split()))
    return [f"Characters that lie in no chunk, white space not counted: {lost:,}."] if lost else []
