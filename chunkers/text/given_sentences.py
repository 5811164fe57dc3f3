"""Sentences given by the caller as texts or spans, located in the text and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

from chunkers.support.errors import InputError, shown

GivenSentences = Sequence[str] | Sequence[tuple[int, int]]
"""Sentences as texts, or as half-open ranges of code points."""

_SPACE = re.compile(r"\s*")


def given_spans(text: str, sentences: object) -> list[tuple[int, int]]:
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
        given = list(sentences)
    except TypeError:
        raise InputError(
            f"sentences must be the name of a splitter, or a sequence of sentences or their spans; got {shown(sentences)}."
        ) from None
    if given and all(isinstance(sentence, str) for sentence in given):
        return _located(text, given)
    return checked_spans(text, given)


def checked_spans(text: str, spans: Iterable[Any]) -> list[tuple[int, int]]:
    """Check the spans of sentences and trim their white space. Raises the errors of `given_spans`."""
    trimmed: list[tuple[int, int]] = []
    reached = 0
    for number, span in enumerate(spans, start=1):
        start, end = _pair(number, span)
        if not 0 <= start <= end <= len(text):
            raise InputError(
                f"sentences: each span must lie in the text, which has {len(text):,} characters; span {number:,} is "
                f"({start}, {end})."
            )
        if start < reached:
            raise InputError(
                f"sentences: each span must begin at or after the end of the previous one; span {number:,} is ({start}, "
                f"{end}), and the previous span ends at {reached}."
            )
        _nothing_between(text, reached, start)
        reached = end
        piece = text[start:end]
        if stripped := piece.strip():
            start += len(piece) - len(piece.lstrip())
            trimmed.append((start, start + len(stripped)))
    _nothing_between(text, reached, len(text))
    return trimmed


def _pair(number: int, given: Any) -> tuple[int, int]:
    try:
        start, end = given
        return index(start), index(end)
    except (TypeError, ValueError):
        raise InputError(
            f"sentences: the items must be all strings, or all spans (pairs of whole numbers); item {number:,} is "
            f"{shown(given)}."
        ) from None


def _nothing_between(text: str, start: int, end: int) -> None:
    """Raise InputError if there is more than white space between two offsets."""
    between = text[start:end]
    if between and not between.isspace():
        place = start + len(between) - len(between.lstrip())
        raise InputError(
            f"sentences: every character except white space must lie in a sentence; {shown(text[place:end].rstrip())}, at "
            f"character {place:,}, lies in none."
        )


def _located(text: str, sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Locate the sentences, one after another with nothing but white space between."""
    spans = []
    reached = 0
    for number, sentence in enumerate(sentences, start=1):
        words = sentence.split()
        if not words:
            continue
        space = _SPACE.match(text, reached)
        start = space.end() if space else reached
        stripped = sentence.strip()
        if text.startswith(stripped, start):
            reached = start + len(stripped)
        elif match := re.compile(r"\s+".join(map(re.escape, words))).match(text, start):
            reached = match.end()
        else:
            what_follows = f"the text has {shown(text[start : start + 100])}" if start < len(text) else "the text ends"
            raise InputError(
                f"sentences: each sentence must follow the previous one in the text; sentence {number:,}, "
                f"{shown(stripped)}, is not at character {start:,}, where {what_follows}."
            )
        spans.append((start, reached))
    _nothing_between(text, reached, len(text))
    return spans
