"""Results as JSON, JSON lines, CSV and Parquet."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from chunkers.embedded import EmbeddedAs, checked, embedded_text, path_of
from chunkers.errors import InputError
from chunkers.recipe import Recipe, __version__
from chunkers.result import Chunk, Chunking, Gap
from chunkers.spreadsheet import as_cell

COLUMNS = ("chunk", "spans", "characters", "words", "heading_path", "text")
"""The columns of every table of chunks."""


def columns_of(chunking: Chunking, embedded_as: EmbeddedAs = "plain") -> tuple[str, ...]:
    """Return the columns of a table of chunks.

    Pages or chapters have columns only where the document has some, context only where a chunk has some, and what is
    embedded only where that is not the text itself.
    """
    parts = chunking.document.parts
    places = () if parts is None else (parts.kind, f"{parts.kind}s")
    context = ("context",) if _has_context(chunking) else ()
    return (*COLUMNS[:-2], *places, "heading_path", *context, "text", *(() if embedded_as == "plain" else ("embedded_as",)))


def _has_context(chunking: Chunking) -> bool:
    return any(chunk.context for chunk in chunking.chunks)


def _facts(chunking: Chunking, chunk: Chunk, embedded_as: EmbeddedAs) -> dict[str, Any]:
    """Return what every file says of a chunk besides its spans, and the text that is embedded where it is another.

    Its page is the one on which it begins, counted from 1 in the file; its pages have their labels. So have chapters.
    """
    document = chunking.document
    parts = document.parts
    facts: dict[str, Any] = {}
    if parts is not None:
        facts = {parts.kind: parts.at(chunk.start) + 1, f"{parts.kind}s": parts.names(chunk.spans)}
    context = {"context": chunk.context} if chunk.context else {}
    facts |= {"heading_path": list(path_of(document, chunk)), **context, "text": chunk.text}
    return facts if embedded_as == "plain" else {**facts, "embedded_as": embedded_text(document, chunk, embedded_as)}


def _chosen(chunking: Chunking, embedded_as: EmbeddedAs | None) -> EmbeddedAs:
    """Return how chunks are embedded: as asked, or as the result's own recipe says."""
    if embedded_as is not None:
        return checked(embedded_as)
    return "plain" if chunking.recipe is None else chunking.recipe.embedded_as


def to_dict(chunking: Chunking, recipe: Recipe | None = None) -> dict[str, Any]:
    """Return the result as JSON-compatible values: what the command line prints for a document.

    Parameters
    ----------
    chunking
        The result.
    recipe
        The recipe that stands in it; the result's own unless it is given.

    Raises
    ------
    InputError
        If there is neither.
    """
    made_by = chunking.recipe if recipe is None else recipe
    if made_by is None:
        raise InputError("recipe must be given for a result that chunkers.run did not make; got None.")
    document, timing = chunking.document, chunking.timing
    return {
        "version": __version__,
        "recipe": made_by.model_dump(),
        "document": {
            "name": document.name,
            "characters": len(document.text),
            "language": document.language,
            "sentences": [list(span) for span in document.sentences],
        },
        "chunks": [
            {"spans": [list(span) for span in chunk.spans], **_facts(chunking, chunk, made_by.embedded_as)}
            for chunk in chunking.chunks
        ],
        "gaps": [_gap(gap) for gap in chunking.gaps],
        "merges": [
            {
                "left": list(merge.left),
                "right": list(merge.right),
                "similarity": merge.similarity,
                "threshold": merge.threshold,
                "kind": merge.kind,
            }
            for merge in chunking.merges
        ],
        "notes": [*chunking.notes, *(misfit.sentence for misfit in chunking.misfits)],
        "timing": None
        if timing is None
        else {
            "split_ms": timing.split_ms,
            "embed_ms": timing.embed_ms,
            "embedded": timing.embedded,
            "cached": timing.cached,
            "decide_ms": timing.decide_ms + timing.merge_ms,
        },
    }


def _gap(gap: Gap) -> dict[str, Any]:
    entry = {
        "index": gap.index,
        "score": gap.score,
        "threshold": gap.threshold,
        "verdict": str(gap.verdict),
        "reason": gap.reason,
    }
    return entry if gap.offset is None else {**entry, "offset": gap.offset}


def to_json(chunking: Chunking, recipe: Recipe | None = None) -> str:
    """Return the whole result as indented JSON; raises as `to_dict` does."""
    return json.dumps(to_dict(chunking, recipe), ensure_ascii=False, indent=2, allow_nan=False)


def to_jsonl(chunking: Chunking, embedded_as: EmbeddedAs | None = None) -> str:
    """Return one JSON object per chunk, each on a line; with the text to embed if that is another (`chunkers.embedded`)."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(chunking, embedded_as))


def to_csv(chunking: Chunking, embedded_as: EmbeddedAs | None = None) -> str:
    """Return one row per chunk, quoted as in RFC 4180; in a text that looks like a formula, `as_cell` adds an apostrophe.

    ``embedded_as`` as in `to_jsonl`.
    """
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, columns_of(chunking, _chosen(chunking, embedded_as)))
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in _rows(chunking, embedded_as))
    return file.getvalue()


def _cell(value: Any) -> Any:
    """Return a value as it stands in a table: a list as JSON, a text so that no spreadsheet takes it for a formula."""
    return as_cell(json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value)


def to_parquet(chunking: Chunking, embedded_as: EmbeddedAs | None = None) -> bytes:
    """Return one row per chunk; a chunk's spans are a list of lists of two code points, its pages a list of labels.

    ``embedded_as`` as in `to_jsonl`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = pa.int64()
    lists = {
        "spans": pa.list_(pa.list_(whole, 2)),
        **dict.fromkeys(("pages", "chapters", "heading_path"), pa.list_(pa.string())),
    }
    types = {**lists, **dict.fromkeys(("context", "text", "embedded_as"), pa.string())}
    columns = columns_of(chunking, _chosen(chunking, embedded_as))
    schema = pa.schema([(name, types.get(name, whole)) for name in columns])
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(_rows(chunking, embedded_as), schema), file)
    return file.getvalue()


def ledger_to_csv(chunking: Chunking) -> str:
    """Return one row per gap, as in the JSON; ``offset`` is empty where the gap lies between two sentences."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, ("index", "offset", "score", "threshold", "verdict", "reason"))
    writer.writeheader()
    writer.writerows(_gap(gap) for gap in chunking.gaps)
    return file.getvalue()


def _rows(chunking: Chunking, embedded_as: EmbeddedAs | None) -> list[dict[str, Any]]:
    how = _chosen(chunking, embedded_as)
    # All rows have it where one has it.
    context = {"context": ""} if _has_context(chunking) else {}
    return [
        {
            "chunk": number,
            "spans": [list(span) for span in chunk.spans],
            "characters": len(chunk.text),
            "words": len(chunk.text.split()),
            **context,
            **_facts(chunking, chunk, how),
        }
        for number, chunk in enumerate(chunking.chunks, start=1)
    ]
