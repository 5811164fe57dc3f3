"""A document: the original text and where its sentences are."""

from __future__ import annotations

import hashlib
import time
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from chunkers.errors import InputError
from chunkers.limits import MAX_SENTENCES
from chunkers.text.sentences import DEFAULT_SPLITTER, language_of, load_splitter, split_sentences


class Span(NamedTuple):
    """Half-open range ``[start, end)`` in code points of the original text."""

    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A text with its sentences; everything else points into it by offsets.

    Attributes
    ----------
    text
        The original, never changed.
    sentences
        Spans in ascending order without overlap; every non-whitespace character lies in exactly one.
    name
        Its name for the user: a file's name or a title.
    splitter
        The name of the sentence splitter that made ``sentences``.
    split_ms
        Milliseconds that the splitter took.
    language
        The code of the language whose rules the splitter applied, chosen or detected; None where it has none.
    """

    text: str
    sentences: tuple[Span, ...]
    name: str = "text"
    splitter: str = DEFAULT_SPLITTER
    split_ms: float = 0.0
    language: str | None = None

    @classmethod
    def from_text(cls, text: str, sentences: str = DEFAULT_SPLITTER, name: str = "text") -> Document:
        """Split ``text`` with the sentence splitter called ``sentences``.

        Raises
        ------
        InputError
            If the text holds a lone surrogate or more than `MAX_SENTENCES` sentences, or the splitter does not exist.
        """
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            code = ord(text[error.start])
            raise InputError(
                f"{name}: the text must be valid Unicode, but character {error.start} is the lone surrogate U+{code:04X}."
            ) from error
        load_splitter(sentences)
        began = time.perf_counter()
        language = language_of(text, sentences)
        exact = sentences if language is None else f"sentencex:{language}"
        found = split_sentences(text, exact)
        if len(found) > MAX_SENTENCES:
            raise InputError(f"{name}: a text may have at most {MAX_SENTENCES:,} sentences; this one has {len(found):,}.")
        spans = tuple(Span(start, end) for start, end in found)
        return cls(text, spans, name, sentences, (time.perf_counter() - began) * 1000, language)

    @staticmethod
    def identity_of(text: str, splitter: str) -> str:
        """Return the `identity` of the document made from the text by that splitter."""
        return f"{_text_hash(text)}/{splitter}"

    @cached_property
    def identity(self) -> str:
        """A hash of the text, and the splitter: documents with the same identity have the same text and sentences."""
        return self.identity_of(self.text, self.splitter)

    @cached_property
    def sentence_texts(self) -> list[str]:
        """The text of every sentence."""
        return [self.text[start:end] for start, end in self.sentences]

    @cached_property
    def starts(self) -> list[int]:
        """Where every sentence begins."""
        return [span.start for span in self.sentences]

    def sentence_at(self, offset: int) -> int:
        """Return the number of the sentence that ``offset`` lies in, or of the last one before it; -1 if none."""
        return bisect_right(self.starts, offset) - 1

    def slice(self, first: int, last: int) -> Span:
        """Return the span from the start of sentence ``first`` to the end of sentence ``last - 1``."""
        return Span(self.sentences[first].start, self.sentences[last - 1].end)


@lru_cache(maxsize=4)
def _text_hash(text: str) -> str:
    # A lone surrogate is refused elsewhere, with a message.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
