"""The text that the pages are about."""

from __future__ import annotations

from dataclasses import dataclass

from chunkers import Document
from chunkers.text.languages import LANGUAGES


@dataclass(frozen=True)
class Source:
    """A text to chunk; ``known`` are its known boundaries in code points, None where none are known."""

    text: str
    name: str
    known: tuple[int, ...] | None = None
    teaches: str = ""


def sentences_said(document: Document) -> str:
    """Return how many sentences a document has and, where its splitter asks, in which language."""
    count = len(document.sentences)
    said = f"{count:,} sentence{'' if count == 1 else 's'}"
    if document.language is None:
        return said
    detected = "" if ":" in document.splitter else " (detected)"
    return f"{said} by the rules of {LANGUAGES[document.language]}{detected}"


@dataclass(frozen=True)
class Text:
    """A text, and the same split into sentences."""

    source: Source
    document: Document
