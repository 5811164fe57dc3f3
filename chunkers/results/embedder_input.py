"""Input of the embedder for a chunk: its text, with a heading path or context in front, or its tokens in the document."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, get_args

from chunkers.support.errors import InputError, shown
from chunkers.text.code_syntax import CODE_ENDINGS
from chunkers.text.document import Document
from chunkers.text.file_parts import shortened
from chunkers.text.outline import heading_path

if TYPE_CHECKING:
    from chunkers.results.result import Chunk

EmbeddedAs = Literal["plain", "heading_path", "context", "late"]

EMBEDDED_AS: Mapping[EmbeddedAs, str] = {
    "plain": "Plain",
    "heading_path": "With heading path",
    "context": "With a context sentence",
    "late": "Late chunking",
}
"""The ways to embed a chunk, with their names on the page; see `chunkers.recipes.situating` and
`chunkers.embedders.late_chunking` for the last two."""

assert tuple(EMBEDDED_AS) == get_args(EmbeddedAs)

WITH_TEXT_IN_FRONT: tuple[EmbeddedAs, ...] = ("heading_path", "context")
"""The ways in which the embedded text is another than the chunk's, so that files of chunks have both."""

LONGEST_TITLE = 200
"""Maximum number of characters of a heading in a heading path; a longer one is cut."""

BETWEEN = " > "
"""Separator between the headings of a path."""


def path_of(document: Document, chunk: "Chunk") -> tuple[str, ...]:
    """Return the titles of the sections in which a chunk begins, from the outermost heading inwards.

    Each title is on one line and has at most `LONGEST_TITLE` characters. The result is empty in a text without headings, and
    in a file of code, whose comments are none.
    """
    if document.name.lower().endswith(CODE_ENDINGS):
        return ()
    return tuple([shortened(title, LONGEST_TITLE) for title in heading_path(document.text, chunk.start)])


def embedded_text(document: Document, chunk: "Chunk", embedded_as: EmbeddedAs) -> str:
    """Return the text to embed for a chunk, preceded by headings or context as ``embedded_as`` specifies.

    The heading path, or the language model's context, comes first, followed by a blank line and by text that the chunker
    repeats with the chunk, such as the header of a table that it cut. A chunk without any of these, or without a usable
    answer from the model, is embedded unchanged. Late chunking embeds the tokens of the chunk's own text as they stand in
    the document.
    """
    if embedded_as not in WITH_TEXT_IN_FRONT or (embedded_as == "context" and not chunk.situation):
        return chunk.text
    path = chunk.situation if embedded_as == "context" else BETWEEN.join(path_of(document, chunk))
    # The rows of a table follow its header without a blank line.
    text = f"{chunk.context.rstrip()}\n{chunk.text}" if chunk.context else chunk.text
    return f"{path}\n\n{text}" if path else text


def checked(embedded_as: object) -> EmbeddedAs:
    """Return ``embedded_as`` if it is one of `EMBEDDED_AS`. Raise InputError otherwise.

    Raises
    ------
    InputError
        If ``embedded_as`` is unknown.
    """
    for choice in EMBEDDED_AS:
        if choice == embedded_as:
            return choice
    raise InputError(f"embedded_as must be one of {', '.join(EMBEDDED_AS)}; got {shown(embedded_as)}.")
