"""The text that a page shows."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from chunkers import Document
from chunkers.text import LANGUAGE_NAME_BY_CODE, Omission, TextParts, detect_language
from viz.jobs import MOST_CACHED_BYTES, cached_while_shown


@dataclass(frozen=True)
class TextWithDetails:
    """A text to chunk, with its name and origin.

    Attributes
    ----------
    known
        The known boundaries as offsets in code points; None if unknown.
    teaches
        A short description of the text.
    parts, left_out
        For a text read from a file: its pages or chapters, and the content of the file that was left out.
    """

    text: str
    name: str
    known: tuple[int, ...] | None = None
    teaches: str = ""
    parts: TextParts | None = None
    left_out: tuple[Omission, ...] = ()


def are_offsets_valid_boundaries(offsets: Iterable[int] | None, text: str) -> bool:
    """Return whether offsets are in ascending order inside a text; ``None`` stands for none."""
    return all(first < second for first, second in pairwise((0, *(offsets or ()), len(text))))


@cached_while_shown(MOST_CACHED_BYTES, lambda document: (document.identity,), len)
def document_language_code(document: Document) -> str:
    """Return the language code of a document: the language of its splitter, otherwise the detected language."""
    return document.language or detect_language(document.text)


def language_label(document: Document) -> str:
    """Return the name of a document's language, marked if it was detected."""
    detected_phrase = "" if ":" in document.splitter and document.language else " (detected)"
    return f"{LANGUAGE_NAME_BY_CODE[document_language_code(document)]}{detected_phrase}"


@dataclass(frozen=True)
class PageText:
    """A source text, and the document that results from splitting it into sentences."""

    source: TextWithDetails
    document: Document
