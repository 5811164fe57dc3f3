"""The text that the pages are about."""

from __future__ import annotations

from dataclasses import dataclass

from chunkers import Document


@dataclass(frozen=True)
class Source:
    """A text to chunk; ``known`` are its known boundaries in code points, None where none are known."""

    text: str
    name: str
    known: tuple[int, ...] | None = None
    teaches: str = ""


@dataclass(frozen=True)
class Text:
    """A text, and the same split into sentences."""

    source: Source
    document: Document
