"""The passage of a given chunk that occurs in the text; the rest of the chunk is its context."""

from collections.abc import Sequence
from typing import NamedTuple

from chunkers.text.document import Span
from chunkers.text.quotations import CONTEXT, SHORTEST, Quotation, Searched, folded

LEAST_SHARE = 0.5
"""Share of a chunk's characters that its passage must have, for the rest to be context."""

LEAST_SHARE_OF_LINES = 0.25
"""The same where a line break separates the context, which then may well be longer than the passage."""


class Passage(NamedTuple):
    """The part of a chunk that occurs in the text, and the rest of the chunk as its context.

    Attributes
    ----------
    text
        The passage, as the chunk has it.
    context
        The rest of the chunk: in front, behind, or both with a line break between.
    span
        Span of the passage if the chunk states it; None if it must be searched for.
    """

    text: str
    context: str
    span: Span | None = None


def shared_front(texts: Sequence[str]) -> str:
    """Return the whole lines that all of the texts share at the beginning; empty if there are none."""
    if len(texts) < 2:
        return ""
    first, last = min(texts), max(texts)
    length = next((place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[: first.rfind("\n", 0, length) + 1]


def passage_of(searched: Searched, text: str, spans: Sequence[Span], front: str, within: Span) -> Passage | None:
    """Find the part of a chunk that occurs in the text; None if too little of the chunk occurs, or the whole chunk.

    Parameters
    ----------
    spans
        Spans that the chunk states; empty if it states none.
    front
        Lines with which all chunks begin; see `shared_front`.
    within
        Range of the text in which to search for the passage.
    """
    return (
        _at_named_place(searched, text, spans)
        or _behind_shared_front(searched, text, front)
        or _longest_part(searched, text, within)
    )


def _at_named_place(searched: Searched, text: str, spans: Sequence[Span]) -> Passage | None:
    """Return the passage at the place that the chunk names."""
    if len(spans) != 1:
        return None
    start, end = spans[0]
    words = searched.text[start:end].strip()
    if words and (match := Searched(text).typography(Quotation(words))) is not None:
        follows_line = "\n" in _space_before(text, match.span.start) and not text[match.span.end :].strip()
        size = len(folded(words))
        if follows_line or size >= SHORTEST or size >= LEAST_SHARE * len(folded(text)):
            return _passage_in_context(text, match.span, Span(start, end).trimmed(searched.text))
    # The end of a chunk that names its start alone is that of its text, which is too long by the context.
    found_end = searched.begins_with(text, start)
    return None if found_end is None else _passage_in_context(text, found_end)


def _behind_shared_front(searched: Searched, text: str, front: str) -> Passage | None:
    """Return the passage that follows the lines in front of every chunk."""
    if not front.strip() or not searched.has(text[len(front) :]):
        return None
    return _passage_in_context(text, Span(len(front), len(text)))


def _longest_part(searched: Searched, text: str, within: Span) -> Passage | None:
    """Return the longest stretch of the chunk that stands in the text, in whole words."""
    passage = searched.longest_passage(text, within)
    if passage is None or passage.altered:
        return None
    start, end = passage.quoted
    if start > 0:
        start = _whole_words(searched.text, text, passage.span, passage.quoted)
    if end < len(text) and not text[end].isspace():
        end = max((place for place in range(start, end) if text[place].isspace()), default=start)
    size, length = len(folded(text[start:end])), len(folded(text))
    in_lines = "\n" in _space_before(text, start) or start == 0
    in_lines &= "\n" in _space_after(text, end) or not text[end:].strip()
    share = LEAST_SHARE_OF_LINES if in_lines else LEAST_SHARE
    return _passage_in_context(text, Span(start, end)) if size >= max(SHORTEST, share * length) else None


def _whole_words(whole: str, text: str, span: Span, quoted: Span) -> int:
    """Return the start of the passage's first word in the chunk.

    The end of a context may be what stands before the passage in the text too, such as a heading: where the passage begins
    inside a line of both, it begins with the next line of the chunk if that is near.
    """
    starts = [place for place in range(quoted.start, quoted.end) if not text[place].isspace() and text[place - 1].isspace()]
    if not starts:
        return quoted.end
    first = starts[0]
    left = len(folded(text[quoted.start : first]))
    place = span.start
    while left > 0:
        left -= len(folded(whole[place]))
        place += 1
    place += len(whole[place:]) - len(whole[place:].lstrip()) if whole[place : place + 1].isspace() else 0
    if "\n" in _space_before(text, first) or place == 0 or "\n" in _space_before(whole, place):
        return first
    near = (start for start in starts if start - quoted.start <= CONTEXT and "\n" in _space_before(text, start))
    return next(near, first)


def _passage_in_context(text: str, passage: Span, span: Span | None = None) -> Passage | None:
    around = (text[: passage.start].strip(), text[passage.end :].strip())
    context = "\n".join(part for part in around if part)
    return Passage(text[passage.start : passage.end].strip(), context, span) if context else None


def _space_before(text: str, place: int) -> str:
    start = place
    while start > 0 and text[start - 1].isspace():
        start -= 1
    return text[start:place]


def _space_after(text: str, place: int) -> str:
    end = place
    while end < len(text) and text[end].isspace():
        end += 1
    return text[place:end]
