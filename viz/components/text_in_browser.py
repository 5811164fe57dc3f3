"""A text as the browser has it: its stored bytes, UTF-16 offsets, and positions on the sentence axis."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from chunkers import Document
from chunkers.support.arrays import IntArray
from viz.components.mounting import Store
from viz.jobs.resources import CACHED_BYTES, cached_while_shown, on_text_gone


def utf16_offsets(text: str, offsets: Sequence[int]) -> list[int]:
    """Convert offsets in code points of ``text`` to offsets in UTF-16 code units, which browsers use."""
    astral = _astral(text)
    return (np.asarray(offsets, dtype=np.int64) + np.searchsorted(astral, offsets)).tolist() if len(astral) else [*offsets]


def code_point_offsets(text: str, offsets: Sequence[int]) -> list[int]:
    """Convert offsets in UTF-16 code units of ``text`` to offsets in code points, the inverse of `utf16_offsets`.

    An offset between the two units of a character is converted to the start of that character.
    """
    astral = _astral(text)
    if not len(astral):
        return [*offsets]
    before = np.searchsorted(astral + np.arange(len(astral)), offsets)
    points: list[int] = (np.asarray(offsets, dtype=np.int64) - before).tolist()
    return points


@lru_cache(maxsize=4)
def _astral(text: str) -> IntArray:
    """Return the offsets, in code points, of the characters with two UTF-16 code units."""
    if text.isascii():
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32) > 0xFFFF)


on_text_gone(lambda _: _astral.cache_clear())


def sentence_positions(document: Document, offsets: Sequence[int]) -> list[float]:
    """Convert offsets in code points to positions on the sentence axis: 2.5 is the middle of the third sentence."""
    if not (offsets and document.sentences):
        return [0.0 for _ in offsets]
    at = np.asarray(offsets, dtype=np.int64)
    starts, ends = np.asarray(document.sentences).T
    index = np.maximum(np.searchsorted(starts, at, side="right") - 1, 0)
    within = (at - starts[index]) / (ends - starts)[index]
    rounded: list[float] = np.round(index + np.clip(within, 0, 1), 4).tolist()
    return rounded


# The text, sent to the browser once and stored there for all components.


text_store = Store[bytes]("seamark_text", "storeText")


@cached_while_shown(CACHED_BYTES, lambda document: (document.identity,), len)
def text_payload(document: Document) -> bytes:
    """Return the bytes for the browser's store: a line of JSON with the sentences and pages, then the text.

    All offsets are in UTF-16 code units.
    """
    starts = utf16_offsets(document.text, document.starts)
    head: dict[str, Any] = {
        "id": document.identity,
        "starts": starts,
        "ends": utf16_offsets(document.text, [span.end for span in document.sentences]),
    }
    parts = document.parts
    if parts is not None:
        head["pages"] = {
            "kind": parts.kind,
            "starts": utf16_offsets(document.text, parts.starts),
            "names": [parts.name(number) for number in range(len(parts.starts))],
        }
    return f"{compact_json(head)}\n{document.text}".encode()


def compact_json(data: Any) -> str:
    """Return ``data`` as JSON without whitespace between tokens."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
