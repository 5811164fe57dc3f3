"""Locate excerpts in the documents of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from chunkers import InputError, Span
from chunkers.text.quotations import ALIKE, NEAREST, How, Match, Quotation, Searched, Work
from evaluation.questions.corpus import Corpus
from evaluation.questions.quoting import cut, short


class Excerpt(NamedTuple):
    """Passage of a document, given by its span and the document's number in the corpus."""

    document: int
    span: Span


class Located(NamedTuple):
    """Excerpt found in a document.

    Attributes
    ----------
    spans
        The place of the excerpt; several if other text now stands between its parts.
    how
        How it was found.
    remark
        A sentence if it differs from the quotation in position or wording, or occurs more than once; otherwise empty.
    """

    document: int
    spans: tuple[Span, ...]
    how: How | Literal["divided"] = "in place"
    remark: str = ""

    @property
    def excerpts(self) -> list[Excerpt]:
        """Passages of the document that the excerpt consists of."""
        return [Excerpt(self.document, span) for span in self.spans]


@dataclass(frozen=True)
class Finder:
    """Finder of quoted excerpts in the documents of a corpus."""

    corpus: Corpus

    def number(self, name: object) -> int | None:
        """Return the number of the document called ``name``, with or without file extension; None if no name is given."""
        if name is None or name == "":
            return None
        called = self._called.get(name, []) if isinstance(name, str) else []
        if not called:
            raise InputError(f"corpus_id must be one of {cut(', '.join(self.corpus.names))}; got {short(name)}.")
        if len(called) > 1:
            several = cut(", ".join(self.corpus.names[number] for number in called))
            raise InputError(
                f"corpus_id must match one document; {short(name)} matches several: {several}. Give the full name."
            )
        return called[0]

    @cached_property
    def _called(self) -> dict[str, list[int]]:
        """Every name for documents, with the documents' numbers; a full name takes precedence over a stem."""
        stems: dict[str, list[int]] = {}
        for number, known in enumerate(self.corpus.names):
            stems.setdefault(Path(known).stem, []).append(number)
        return stems | {known: [number] for number, known in enumerate(self.corpus.names)}

    def whole(self, name: object) -> Located:
        """Return an excerpt that covers the whole document called ``name``, without surrounding white space."""
        number = self.number(name)
        if number is None:
            raise InputError(f"each item of documents must be the name of a document; got {short(name)}.")
        text = self.corpus.documents[number].text
        if not text.strip():
            raise InputError(f"a document that answers a question must have text; {self.corpus.names[number]} has none.")
        return Located(number, (Span(len(text) - len(text.lstrip()), len(text.rstrip())),))

    def locate(self, item: object, number: int | None) -> Located:
        """Locate a quoted excerpt in the documents: verbatim, else ignoring typography, else in parts or with small changes.

        Parts stand in the same order, with other text between them.

        An item is a text, or an object with ``content`` and, if known, ``start_index``, ``prefix``, ``suffix`` and
        ``corpus_id``, the document's name. Without ``corpus_id``, the document ``number`` is searched, or all documents in
        order if ``number`` is None.

        Raises
        ------
        InputError
            If the excerpt is not found; the message names the most similar passage if there is one.
        """
        given = item if isinstance(item, dict) else {"content": item}
        quoted = _quotation(given)
        own = self.number(given.get("corpus_id"))
        number = number if own is None else own
        numbers = range(len(self._searched)) if number is None else [number]
        for way in (Searched.exact, Searched.typography):
            for candidate in numbers:
                if match := way(self._searched[candidate], quoted):
                    return self._located(candidate, quoted, match)
        if best := self._most_alike(numbers, quoted, ALIKE):
            return self._located(*best)
        for candidate in numbers:
            if spans := self._searched[candidate].divided(quoted.text):
                places = " and ".join(f"{span.start:,}" for span in spans)
                remark = f"the excerpt {short(quoted.text)} stands in {self.corpus.names[candidate]} in parts, at {places}."
                return Located(candidate, tuple(spans), "divided", remark)
        where = "any document" if number is None else self.corpus.names[number]
        message = f"the excerpt must occur in {where}, and {short(quoted.text)} does not; it is left out."
        if best := self._most_alike(numbers, quoted, NEAREST):
            candidate, _, match = best
            passage = self.corpus.documents[candidate].text[match.span.start : match.span.end]
            place_phrase = f"in {self.corpus.names[candidate]} is" if number is None else "is"
            message += (
                f" The nearest passage {place_phrase} {short(passage)} at {match.span.start:,}, {_percent(match)} alike."
            )
        elif self._work.spent:
            message += " It was not compared with all passages, as too many excerpts of this file are not found."
        raise InputError(message)

    def _most_alike(self, numbers: Iterable[int], quoted: Quotation, alike: float) -> tuple[int, Quotation, Match] | None:
        matches = [
            (candidate, match) for candidate in numbers if (match := self._searched[candidate].altered(quoted, alike))
        ]
        if not matches:
            return None
        number, match = max(matches, key=lambda pair: pair[1].alike)
        return number, quoted, match

    def _located(self, number: int, quoted: Quotation, match: Match) -> Located:
        """Return the excerpt with a remark where it is not as it was given."""
        name, passage = self.corpus.names[number], self.corpus.documents[number].text[match.span.start : match.span.end]
        remark = ""
        if match.how == "elsewhere":
            remark = f"stands in {name} word for word, but at {match.span.start:,} and not at {quoted.start:,}"
        elif match.how == "typography":
            remark = f"stands in {name} at {match.span.start:,} with other white space or signs"
        elif match.how == "altered":
            remark = f"stands in {name} at {match.span.start:,} altered, {_percent(match)} alike: {short(passage)}"
        if match.several:
            remark += f"{'; it' if remark else ''} stands in {name} more than once, and the first is used"
        sentence = f"the excerpt {short(quoted.text)} {remark}." if remark else ""
        return Located(number, (match.span,), match.how, sentence)

    @cached_property
    def _work(self) -> Work:
        return Work()

    @cached_property
    def _searched(self) -> list[Searched]:
        return [Searched(document.text, self._work) for document in self.corpus.documents]


def _percent(match: Match) -> str:
    # Rounded down: what is not the same is not 100 % alike.
    return f"{int(100 * match.alike)} %"


def _quotation(given: Mapping[str, Any]) -> Quotation:
    """Return an item's quotation.

    Raises
    ------
    InputError
        If it has no text, or its place is none.
    """
    content, start = given.get("content"), _start_index(given.get("start_index"))
    if not isinstance(content, str) or not content.strip():
        raise InputError(f"every excerpt must be a string that is not empty; got {short(content)}.")
    prefix, suffix = given.get("prefix") or "", given.get("suffix") or ""
    for name, context in (("prefix", prefix), ("suffix", suffix)):
        if not isinstance(context, str):
            raise InputError(f"the {name} of an excerpt must be a string; got {short(context)}.")
    return Quotation(content, prefix, suffix, start)


def _start_index(given: object) -> int | None:
    """Return an excerpt's ``start_index``, None if it has none; tables sometimes write whole numbers as 99.0."""
    if given is None:
        return None
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InputError(f"start_index must be a whole number of at least 0; got {short(given)}.")
    return given
