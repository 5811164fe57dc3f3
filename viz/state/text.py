"""The text that a page shows."""

from __future__ import annotations

from dataclasses import dataclass

from chunkers import Document
from chunkers.text.languages import LANGUAGES, detect_language
from viz.jobs.texts import CACHED_BYTES, kept


@dataclass(frozen=True)
class Source:
    """A text to chunk; ``known`` holds its known boundaries as offsets in code points, or None if unknown."""

    text: str
    name: str
    known: tuple[int, ...] | None = None
    teaches: str = ""


def sentences_said(document: Document) -> str:
    """Describe how many sentences a document has and, if its splitter is language-specific, in which language."""
    count = len(document.sentences)
    sentences = f"{count:,} sentence{'' if count == 1 else 's'}"
    if document.language is None:
        return sentences
    detected = "" if ":" in document.splitter else " (detected)"
    return f"{sentences} by the rules of {LANGUAGES[document.language]}{detected}"


@kept(CACHED_BYTES, lambda document: (document.identity,), len)
def language_of(document: Document) -> str:
    """Return the code of a document's language: its splitter's, or else the detected one."""
    return document.language or detect_language(document.text)


@dataclass(frozen=True)
class Text:
    """A text and its document, split into sentences."""

    source: Source
    document: Document
