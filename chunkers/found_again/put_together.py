"""The text that chunks were cut from, put together from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chunkers.files.chunk_rows import GivenChunk
from chunkers.text.document import Span

LONGEST_GAP = 4
"""Maximum number of characters between two chunks that are taken for white space where a text is rebuilt from them; more
are lost text.
"""

_UNKNOWN = 2
"""Characters of white space in the place of lost text, or of text of which nothing is known."""


class PutTogether(NamedTuple):
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


def put_together(chunks: Sequence[GivenChunk]) -> PutTogether | None:
    """Return the text that is put together from chunks, by their places or else in their order.

    None is returned if a chunk has no text, or if no chunk has a visible character.
    """
    if any(chunk.text is None for chunk in chunks) or not any((chunk.text or "").strip() for chunk in chunks):
        return None
    is_placed = is_whole = all(_is_placed(chunk) for chunk in chunks)
    parts: list[str] = []
    placed: list[GivenChunk] = []
    length = original = 0
    for chunk in sorted(chunks, key=lambda piece: piece.spans) if is_placed else chunks:
        words = chunk.text or ""
        gap = chunk.spans[0].start - original if is_placed else None
        if gap is None or gap > LONGEST_GAP:
            is_whole = False
            gap = _UNKNOWN if parts else 0
        start = length + gap
        parts += ["\n" * gap if gap > 1 else " " * gap, words[max(0, -gap) :]]
        length = max(length, start + len(words))
        original = chunk.spans[0].end if is_placed and chunk.spans[0].end > original else original
        placed.append(chunk._replace(spans=(Span(start, start + len(words)),)))
    return PutTogether("".join(parts), tuple(placed), is_whole)


def _is_placed(chunk: GivenChunk) -> bool:
    return len(chunk.spans) == 1 and chunk.spans[0].end - chunk.spans[0].start == len(chunk.text or "")
