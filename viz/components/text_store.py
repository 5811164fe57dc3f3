"""The text, sent to the browser once and kept there for all components."""

from __future__ import annotations

import json
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from chunkers import Document
from viz.components.offsets import utf16_offsets
from viz.components.store import store

text_store = store("seamark_text", "storeText")


CACHED_BYTES = 64 * 2**20
"""Size limit of each cache of data prepared for the browser; the least recently used entries are evicted first."""


@cached(LRUCache(CACHED_BYTES, getsizeof=len), key=lambda document: document.identity, lock=Lock())
def source_bytes(document: Document) -> bytes:
    """Return a line of JSON with the identity and the sentences in UTF-16 code units, followed by the text."""
    starts = utf16_offsets(document.text, document.starts)
    ends = utf16_offsets(document.text, [span.end for span in document.sentences])
    return f"{compact_json({'id': document.identity, 'starts': starts, 'ends': ends})}\n{document.text}".encode()


def compact_json(data: Any) -> str:
    """Return ``data`` as JSON without white space between tokens."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
