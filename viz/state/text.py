"""The text that a page shows."""

from __future__ import annotations

from dataclasses import dataclass

from chunkers import Document
from chunkers.text.extracted import LeftOut
from chunkers.text.languages import LANGUAGES, detect_language
from chunkers.text.parts import Parts
from viz.jobs.texts import CACHED_BYTES, kept


@dataclass(frozen=True)
class Source:
    """A text to chunk.

    Attributes
    ----------
    known
        Its known boundaries as offsets in code points, or None if unknown.
    teaches
        What is said about it in a few words.
    parts, left_out
        Of a text that was read from a file: where its pages or chapters begin, and what of the file is not in it.
    """

    text: str
    name: str
    known: tuple[int, ...] | None = None
    teaches: str = ""
    parts: Parts | None = None
    left_out: tuple[LeftOut, ...] = ()


@kept(CACHED_BYTES, lambda document: (document.identity,), len)
def language_of(document: Document) -> str:
    """Return the code of a document's language: its splitter's, or else the detected one."""
    return document.language or detect_language(document.text)


def language_said(document: Document) -> str:
    """Name the language, and say so if it was detected."""
    detected = "" if ":" in document.splitter and document.language else " (detected)"
    return f"{LANGUAGES[language_of(document)]}{detected}"


@dataclass(frozen=True)
class Text:
    """A text and its document, split into sentences."""

    source: Source
    document: Document
