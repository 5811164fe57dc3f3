"""What of a chunk is embedded: its text as it is, or with the headings above it, and its context, in front."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from chunkers.errors import InputError, shown
from chunkers.shapes import Piece
from chunkers.text.document import Document
from chunkers.text.outline import heading_path
from chunkers.text.parts import shortened

EmbeddedAs = Literal["plain", "heading_path"]

EMBEDDED_AS: Mapping[EmbeddedAs, str] = {"plain": "Plain", "heading_path": "With heading path"}
"""The ways to embed a chunk, with their names on the page."""

assert tuple(EMBEDDED_AS) == get_args(EmbeddedAs)

LONGEST_TITLE = 200
"""Characters of a heading in a heading path; a longer one is cut."""

BETWEEN = " > "
"""What stands between the headings of a path."""


def path_of(document: Document, chunk: Piece) -> tuple[str, ...]:
    """Return the heading path of a chunk: the headings in whose sections its beginning lies, from the outermost inwards.

    Each is on one line and has at most `LONGEST_TITLE` characters. Empty in a text without headings.
    """
    return tuple([shortened(title, LONGEST_TITLE) for title in heading_path(document.text, chunk.start)])


def embedded_text(document: Document, chunk: Piece, embedded_as: EmbeddedAs) -> str:
    """Return the very text that is embedded for a chunk; its own text and spans are what they are.

    With the heading path, that stands on a line of its own, before a blank line, and then comes what the chunker repeats
    beside the chunk, such as the header of a table that it cut. A chunk without either is embedded as it is.
    """
    if embedded_as == "plain":
        return chunk.text
    path = BETWEEN.join(path_of(document, chunk))
    # The rows of a table follow its header without a blank line.
    text = f"{chunk.context.rstrip()}\n{chunk.text}" if chunk.context else chunk.text
    return f"{path}\n\n{text}" if path else text


def checked(embedded_as: object) -> EmbeddedAs:
    """Return the way to embed chunks.

    Raises
    ------
    InputError
        If it is none.
    """
    for one in EMBEDDED_AS:
        if one == embedded_as:
            return one
    raise InputError(f"embedded_as must be one of {', '.join(EMBEDDED_AS)}; got {shown(embedded_as)}.")
