"""The text, sent to the browser once and stored there for all components."""

from __future__ import annotations

import json
from typing import Any

from chunkers import Document
from viz.components.offsets import utf16_offsets
from viz.components.store import store
from viz.jobs.texts import CACHED_BYTES, kept

text_store = store("seamark_text", "storeText")


@kept(CACHED_BYTES, lambda document: (document.identity,), len)
def source_bytes(document: Document) -> bytes:
    """Return the bytes for the browser's store: a line of JSON with the sentences and pages, then the text.

    All offsets are in UTF-16 code units.
    """
    starts = utf16_offsets(document.text, document.starts)
    ends = utf16_offsets(document.text, [span.end for span in document.sentences])
    head: dict[str, Any] = {"id": document.identity, "starts": starts, "ends": ends}
    parts = document.parts
    if parts is not None:
        names = [parts.name(number) for number in range(len(parts.starts))]
        head["pages"] = {"kind": parts.kind, "starts": utf16_offsets(document.text, parts.starts), "names": names}
    return f"{compact_json(head)}\n{document.text}".encode()


def compact_json(data: Any) -> str:
    """Return ``data`` as JSON without whitespace between tokens."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
