"""The two tables: documents as they come in, and chunks as they go out. docs/corpora.md describes the columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import pyarrow as pa

from chunkers.recipes.export import propositions_type
from chunkers.support.errors import InputError, shown
from chunkers.text.parts import Kind, Parts

SCHEMA = 3
"""The number of the schema of `CHUNKS`; another one when a column is added or removed, or changes what it means."""

_TEXTS = pa.list_(pa.string())

PARTS = pa.struct([("kind", pa.string()), ("starts", pa.list_(pa.int64())), ("labels", _TEXTS)])
"""Start of each page or chapter of a document, in code points, with its label; ``kind`` is page or chapter."""

DOCUMENTS = pa.schema([("id", pa.string()), ("text", pa.string()), ("parts", PARTS)])
"""Schema of a batch of documents; ``parts`` is optional, and other columns are ignored."""

CHUNKS = pa.schema(
    [
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("chunk_id", pa.string(), nullable=False),
        pa.field("chunk", pa.int64(), nullable=False),
        pa.field("start", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        # No list of fixed size: Spark has none.
        pa.field("spans", pa.list_(pa.list_(pa.int64())), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        ("context", pa.string()),
        ("title", pa.string()),
        ("summary", pa.string()),
        ("propositions", propositions_type()),
        ("embedded_as", pa.string()),
        pa.field("characters", pa.int64(), nullable=False),
        pa.field("words", pa.int64(), nullable=False),
        pa.field("tokens", pa.int64(), nullable=False),
        *(field for kind in get_args(Kind) for field in ((kind, pa.int64()), (f"{kind}s", _TEXTS))),
        pa.field("heading_path", _TEXTS, nullable=False),
        ("cut_score", pa.float64()),
        ("cut_threshold", pa.float64()),
        ("cut_reason", pa.string()),
    ]
)
"""A row for each chunk, in the order of the documents and of their chunks."""


def parts_of(given: Mapping[str, Any] | None, name: str) -> Parts | None:
    """Convert a value of the column ``parts`` to a document's pages or chapters.

    Raises
    ------
    InputError
        If the value is malformed.
    """
    if given is None:
        return None
    if given.get("kind") not in get_args(Kind):
        raise InputError(
            f"{name}: the kind of parts must be one of {', '.join(get_args(Kind))}; got {shown(given.get('kind'))}."
        )
    try:
        return Parts(given["kind"], tuple(given["starts"] or ()), tuple(given["labels"] or ()))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{name}: the parts must be in ascending order, each with a start and a label; got {shown(given)}."
        ) from error


def told_parts(parts: Parts | None) -> dict[str, Any] | None:
    """Convert a document's pages or chapters to a value of the column ``parts``."""
    return None if parts is None else {"kind": parts.kind, "starts": list(parts.starts), "labels": list(parts.labels)}
