"""A document: the original text and the positions of its sentences, which a splitter finds or the caller gives."""

import hashlib
import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import Any, NamedTuple

from chunkers.support import MAX_SENTENCES, InputError, short_repr
from chunkers.text.extracted_text import TextParts
from chunkers.text.sentences import (
    DEFAULT_SPLITTER,
    GIVEN_SPLITTER,
    check_splitter,
    preload_splitter,
    split_into_sentence_spans,
    splitter_language_for_text,
)

GivenSentences = Sequence[str] | Sequence[tuple[int, int]]
"""Sentences as texts, or as half-open ranges of code points."""

_WHITE_SPACE_PATTERN = re.compile(r"\s*")
_MARKDOWN_HEADING_PATTERN = re.compile(r"#{1,6}[ \t][^\r\n]*\Z")


class Span(NamedTuple):
    """Half-open range ``[start, end)`` in code points of the original text."""

    start: int
    end: int

    def trimmed(self, text: str) -> "Span":
        """Return the span without the white space at its ends; it is empty if the text there is only white space."""
        untrimmed_span_text = text[self.start : self.end]
        first_visible_offset = self.start + len(untrimmed_span_text) - len(untrimmed_span_text.lstrip())
        return Span(first_visible_offset, first_visible_offset + len(untrimmed_span_text.strip()))


@dataclass(frozen=True)
class Document:
    """A text with its sentences; chunks and gaps refer to the text by offsets.

    Two documents are equal if all their attributes except ``split_ms`` are equal.

    Attributes
    ----------
    text
        The original, never changed.
    sentences
        Spans in ascending order without overlap or white space at their ends; every other character lies in exactly one.
        They may be given as pairs of numbers, and with white space at their ends, which is trimmed.
    name
        Name for the user: a file's name or a title.
    splitter
        The name of the sentence splitter that made ``sentences``; ``given`` if the caller gave them.
    split_ms
        Milliseconds that the splitter took. Reading this attribute, ``sentences`` or ``language`` splits the text if it
        is not yet split.
    language
        The code of the language whose rules the splitter applied, chosen or detected; None if it uses none.
    parts
        Pages or chapters of the file that the text was read from; None if it has none.

    Raises
    ------
    InputError
        If a sentence is not a span of the text, overlaps another sentence or leaves out text; the message names the
        first such sentence.
    """

    text: str
    sentences: tuple[Span, ...]
    name: str = "text"
    splitter: str = GIVEN_SPLITTER
    # Defaults by factories leave no attribute in the class, so that reading a missing one calls `__getattr__`.
    split_ms: float = field(default_factory=float, compare=False)
    language: str | None = field(default_factory=lambda: None)
    parts: TextParts | None = None

    def __post_init__(self) -> None:
        """Check the text and the sentences."""
        check_is_unicode_string(self.text, self.name)
        trimmed_sentence_spans = trimmed_checked_spans(self.text, self.sentences)
        object.__setattr__(self, "sentences", tuple(map(Span._make, trimmed_sentence_spans)))

    def __repr__(self) -> str:
        """Return a short description without the text."""
        sentence_count, character_count = len(self.sentences), len(self.text)
        return (
            f"<Document {short_repr(self.name)}: {character_count:,} character{'s' * (character_count != 1)}, "
            f"{sentence_count:,} sentence{'s' * (sentence_count != 1)} ({self.splitter})>"
        )

    @classmethod
    def from_text(
        cls,
        text: str,
        sentences: str | GivenSentences = DEFAULT_SPLITTER,
        name: str = "text",
        parts: TextParts | None = None,
    ) -> "Document":
        """Return a document for a text, with sentences found by a splitter or given by the caller as texts or spans.

        The splitter runs when a sentence is first needed; many chunkers need none.

        Raises
        ------
        InputError
            If the text is not a str or contains a lone surrogate, the splitter does not exist or is not installed, or
            the given sentences do not match the text.
        """
        check_is_unicode_string(text, name)
        if not isinstance(sentences, str):
            return cls(text, tuple(map(Span._make, spans_of_given_sentences(text, sentences))), name, parts=parts)
        check_splitter(sentences)
        document = cls.__new__(cls)
        document.__dict__.update(text=text, name=name, splitter=sentences, parts=parts)
        return document

    @property
    def is_split(self) -> bool:
        """True once the text has been split into sentences."""
        return "sentences" in self.__dict__

    def split(self, cancelled: Callable[[], bool] = bool) -> "Document":
        """Split the text into sentences, unless it is already split, and return the document.

        ``cancelled`` is called at every sentence; it returns True once the user has cancelled.

        Raises
        ------
        InputError
            If the text has more than `MAX_SENTENCES` sentences, or the splitter's pipeline sets no boundaries.
        Cancelled
            If the user has cancelled.
        """
        if not self.is_split:
            preload_splitter(self.splitter, self.text)
            start_time = time.perf_counter()
            language = splitter_language_for_text(self.text, self.splitter)
            sentence_spans = split_into_sentence_spans(
                self.text, f"sentencex:{language}" if language else self.splitter, cancelled
            )
            if len(sentence_spans) > MAX_SENTENCES:
                raise InputError(
                    f"{self.name}: a text may have at most {MAX_SENTENCES:,} sentences; this text has "
                    f"{len(sentence_spans):,}. "
                    "Divide the text."
                )
            elapsed_ms = (time.perf_counter() - start_time) * 1000
            self.__dict__.update(language=language, split_ms=elapsed_ms, sentences=tuple(map(Span._make, sentence_spans)))
        return self

    def __getattr__(self, name: str) -> object:
        """Split the text when its sentences, or facts about the splitting, are first asked for."""
        if name not in ("sentences", "split_ms", "language") or "splitter" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.split().__dict__[name]

    @staticmethod
    def identity_of(text: str, splitter: str, parts: TextParts | None = None) -> str:
        """Return the `identity` of a document with this text, splitter and parts, without splitting the text."""
        # A lone surrogate is refused elsewhere, with a message.
        text_digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        parts_suffix = "" if parts is None else f"/{parts.identity}"
        return f"{text_digest}{parts_suffix}/{splitter}"

    @cached_property
    def identity(self) -> str:
        """Hash of the document's text, pages or chapters, and sentences."""
        splitter_identity = self.splitter
        if splitter_identity == GIVEN_SPLITTER:
            # The name does not say which.
            comma_separated_offset_pairs = ",".join(f"{start}-{end}" for start, end in self.sentences)
            splitter_identity += hashlib.blake2b(comma_separated_offset_pairs.encode(), digest_size=12).hexdigest()
        return self.identity_of(self.text, splitter_identity, self.parts)

    @cached_property
    def sentence_texts(self) -> list[str]:
        """The texts of all sentences, in order."""
        return [self.text[start:end] for start, end in self.sentences]

    @cached_property
    def starts(self) -> list[int]:
        """Start offsets of all sentences, in code points."""
        return [span.start for span in self.sentences]

    def sentence_at(self, offset: int) -> int:
        """Return the index of the last sentence that begins at or before ``offset``; -1 if there is none."""
        return bisect_right(self.starts, offset) - 1

    def slice(self, first: int, last: int) -> Span:
        """Return the span from the start of sentence ``first`` to the end of sentence ``last - 1``."""
        return Span(self.sentences[first].start, self.sentences[last - 1].end)


def check_is_unicode_string(text: object, name: str) -> None:
    """Raise InputError if the text of a document is not a str or contains a lone surrogate."""
    if not isinstance(text, str):
        raise InputError(f"{name}: the text must be a str; got {short_repr(text)}.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        surrogate_code = ord(text[error.start])
        raise InputError(
            f"{name}: the text must be valid Unicode; character {error.start:,} is the lone surrogate "
            f"U+{surrogate_code:04X}."
        ) from error


def paragraph_first_sentence_indices(document: Document) -> list[int]:
    """Return the indices of the sentences that begin a paragraph.

    A heading marked with ``#`` belongs to the paragraph below it, and a sentence that continues over a blank line does
    not begin a paragraph. Empty for a text without sentences.
    """
    text = document.text
    paragraph_spans = split_into_sentence_spans(text, "paragraphs")
    paragraph_starts_below_headings = {
        after[0] for before, after in pairwise(paragraph_spans) if _MARKDOWN_HEADING_PATTERN.match(text, *before)
    }
    paragraph_offsets = {start for start, _ in paragraph_spans} - paragraph_starts_below_headings
    return [number for number, start in enumerate(document.starts) if number == 0 or start in paragraph_offsets]


# Sentences that the caller gives: they are located in the text and checked.


def spans_of_given_sentences(text: str, sentences: object) -> list[tuple[int, int]]:
    """Return the trimmed spans of sentences given as texts or spans, leaving out blank sentences.

    Parameters
    ----------
    text
        The original text.
    sentences
        All sentences of the text in order, as texts or as spans. White space inside a sentence's text may differ from the
        original's.

    Raises
    ------
    InputError
        If ``sentences`` are neither texts nor spans, or a sentence is not at its place in the text; the message names
        the first such sentence.
    """
    try:
        if isinstance(sentences, str | bytes) or not isinstance(sentences, Iterable):
            raise TypeError
        # An array without dimensions says that it can be iterated over.
        given_sentences = list(sentences)
    except TypeError:
        raise InputError(
            f"sentences must be the name of a splitter, or a sequence of sentences or their spans; got "
            f"{short_repr(sentences)}."
        ) from None
    if given_sentences and all(isinstance(sentence, str) for sentence in given_sentences):
        return _locate_sentences(text, given_sentences)
    return trimmed_checked_spans(text, given_sentences)


def trimmed_checked_spans(text: str, spans: Iterable[Any]) -> list[tuple[int, int]]:
    """Check the spans of sentences and trim their white space. Raises the errors of `spans_of_given_sentences`."""
    trimmed_spans: list[tuple[int, int]] = []
    previous_span_end = 0
    for sentence_number, span in enumerate(spans, start=1):
        start, end = _span_as_pair(sentence_number, span)
        if not 0 <= start <= end <= len(text):
            raise InputError(
                f"sentences: each span must lie in the text, which has {len(text):,} characters; span {sentence_number:,} "
                "is "
                f"({start}, {end})."
            )
        if start < previous_span_end:
            raise InputError(
                f"sentences: each span must begin at or after the end of the previous one; span {sentence_number:,} is "
                f"({start}, "
                f"{end}), and the previous span ends at {previous_span_end}."
            )
        _check_blank_between(text, previous_span_end, start)
        previous_span_end = end
        untrimmed_sentence_text = text[start:end]
        if trimmed_text := untrimmed_sentence_text.strip():
            start += len(untrimmed_sentence_text) - len(untrimmed_sentence_text.lstrip())
            trimmed_spans.append((start, start + len(trimmed_text)))
    _check_blank_between(text, previous_span_end, len(text))
    return trimmed_spans


def _span_as_pair(sentence_number: int, given_span: Any) -> tuple[int, int]:
    try:
        start, end = given_span
        return index(start), index(end)
    except (TypeError, ValueError):
        raise InputError(
            f"sentences: the items must be all strings, or all spans (pairs of whole numbers); item {sentence_number:,} is "
            f"{short_repr(given_span)}."
        ) from None


def _check_blank_between(text: str, start: int, end: int) -> None:
    """Raise InputError if there is more than white space between two offsets."""
    text_between_offsets = text[start:end]
    if text_between_offsets and not text_between_offsets.isspace():
        first_visible_offset = start + len(text_between_offsets) - len(text_between_offsets.lstrip())
        raise InputError(
            f"sentences: every character except white space must lie in a sentence; "
            f"{short_repr(text[first_visible_offset:end].rstrip())}, at character {first_visible_offset:,}, lies in none."
        )


def _locate_sentences(text: str, sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Locate the sentences, one after another with nothing but white space between."""
    located_sentence_spans = []
    previous_sentence_end = 0
    for sentence_number, sentence in enumerate(sentences, start=1):
        sentence_words = sentence.split()
        if not sentence_words:
            continue
        leading_space_match = _WHITE_SPACE_PATTERN.match(text, previous_sentence_end)
        start = leading_space_match.end() if leading_space_match else previous_sentence_end
        stripped_sentence = sentence.strip()
        if text.startswith(stripped_sentence, start):
            previous_sentence_end = start + len(stripped_sentence)
        elif sentence_match := re.compile(r"\s+".join(map(re.escape, sentence_words))).match(text, start):
            previous_sentence_end = sentence_match.end()
        else:
            following_text_phrase = (
                f"the text has {short_repr(text[start : start + 100])}" if start < len(text) else "the text ends"
            )
            raise InputError(
                f"sentences: each sentence must follow the previous one in the text; sentence {sentence_number:,}, "
                f"{short_repr(stripped_sentence)}, is not at character {start:,}, where {following_text_phrase}."
            )
        located_sentence_spans.append((start, previous_sentence_end))
    _check_blank_between(text, previous_sentence_end, len(text))
    return located_sentence_spans
