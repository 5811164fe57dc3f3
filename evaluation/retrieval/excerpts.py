"""Locate excerpts in the documents of a corpus."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from chunkers import Document, InputError, Span
from evaluation.retrieval.corpus import Corpus


class Excerpt(NamedTuple):
    """A range of a document, given by its number in the corpus."""

    document: int
    span: Span


@dataclass(frozen=True)
class Finder:
    """Locates excerpts in the documents of a corpus."""

    corpus: Corpus

    def number(self, name: object) -> int | None:
        """Return the number of the document called ``name``, with or without its file ending; None if no name is given."""
        if name is None or name == "":
            return None
        called = self._called.get(name, []) if isinstance(name, str) else []
        if not called:
            raise InputError(f"corpus_id must be one of {cut(', '.join(self.corpus.names))}; got {short(name)}.")
        if len(called) > 1:
            several = cut(", ".join(self.corpus.names[number] for number in called))
            raise InputError(f"corpus_id must name one document; {short(name)} may be any of {several}.")
        return called[0]

    @cached_property
    def _called(self) -> dict[str, list[int]]:
        """Every name for documents, with the documents' numbers; a full name takes precedence over a stem."""
        stems: dict[str, list[int]] = {}
        for number, known in enumerate(self.corpus.names):
            stems.setdefault(Path(known).stem, []).append(number)
        return stems | {known: [number] for number, known in enumerate(self.corpus.names)}

    def locate(self, item: object, number: int | None) -> Excerpt:
        """Locate an excerpt: at its ``start_index``, else where its text first occurs, if need be without white space.

        ``number`` is the document's; if it is None, all are searched in order.

        Raises
        ------
        InputError
            If it is not found.
        """
        given = item if isinstance(item, dict) else {"content": item}
        content, start = given.get("content"), _start_index(given.get("start_index"))
        if not isinstance(content, str) or not content.strip():
            raise InputError(f"an excerpt must be a text; got {short(content)}.")
        documents = self.corpus.documents
        numbers = range(len(documents)) if number is None else [number]
        if number is not None and start is not None and documents[number].text.startswith(content, start):
            return Excerpt(number, Span(start, start + len(content)))
        for candidate in numbers:
            found = documents[candidate].text.find(content)
            if found >= 0:
                return Excerpt(candidate, Span(found, found + len(content)))
        for candidate in numbers:
            if span := self._visible[candidate].find(content):
                return Excerpt(candidate, span)
        where = "any document" if number is None else documents[number].name
        raise InputError(f"the excerpt must occur in {where}, and {short(content)} does not; it is left out.")

    @cached_property
    def _visible(self) -> list[_Visible]:
        return [_Visible.of(document) for document in self.corpus.documents]


class _Visible(NamedTuple):
    """A text without its white space, and where each of its characters was."""

    text: str
    places: array[int]

    @classmethod
    def of(cls, document: Document) -> _Visible:
        places = array("q", (place for place, character in enumerate(document.text) if not character.isspace()))
        return cls("".join(document.text.split()), places)

    def find(self, content: str) -> Span | None:
        """Return where the same characters first occur, whatever white space is between them."""
        bare = "".join(content.split())
        found = self.text.find(bare)
        return None if found < 0 else Span(self.places[found], self.places[found + len(bare) - 1] + 1)


def _start_index(given: object) -> int | None:
    """Return an excerpt's ``start_index``, None if it has none; tables sometimes write whole numbers as 99.0."""
    if given is None:
        return None
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InputError(f"start_index must be a whole number from 0 on; got {short(given)}.")
    return given


def short(value: object) -> str:
    """Return a value as text, shortened if it is long."""
    return cut(repr(value), 60)


def cut(text: str, most: int = 200) -> str:
    """Return a text, shortened to ``most`` characters."""
    return text if len(text) <= most else text[: most - 3] + "..."
