"""Windows at random places of documents, about each of which a question is asked."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from random import Random
from typing import NamedTuple

from chunkers import InputError, Span

EDGE = 100
"""Characters at either end of a window within which it is moved to the end of a word."""

TRIES = 20
"""Maximum number of random positions tried for a window without overlap; after that, the least overlap counts."""


class Window(NamedTuple):
    """Span of a document that is shown to a model, which writes a question about it."""

    document: int
    span: Span

    def overlaps(self, other: "Window") -> bool:
        """Return whether the window shares text with another window."""
        return self.shared(other) > 0

    def shared(self, other: "Window") -> int:
        """Return the number of characters that the window shares with another window."""
        start, end = max(self.span.start, other.span.start), min(self.span.end, other.span.end)
        return max(0, end - start) if self.document == other.document else 0


def windows(texts: Sequence[str], size: int, seed: int) -> Iterator[Window]:
    """Yield an endless sequence of random windows; equal seeds give equal windows.

    A document is chosen with a probability proportional to its length, then a position in it uniformly at random, up to
    `TRIES` times until the window overlaps no earlier one. If all do, the window with the least overlap is used. A document
    that is not longer than a window is shown whole.

    Parameters
    ----------
    texts
        The documents' texts; texts without words are never chosen.
    size
        Maximum number of characters in a window.
    seed
        Seed of the random choice.

    Raises
    ------
    InputError
        If no document has text.
    """
    weights = [len(text) if text.strip() else 0 for text in texts]
    if not any(weights):
        raise InputError("Generating questions needs at least one document with text; there is none. Add a document.")
    return _without_end(texts, [*accumulate(weights)], size, Random(seed))


def _without_end(texts: Sequence[str], sums: Sequence[int], size: int, random: Random) -> Iterator[Window]:
    chosen: list[Window] = []
    draws = _draws(texts, sums, size, random)
    while True:
        tried: list[Window] = []
        for window in islice(draws, TRIES):
            tried.append(window)
            if not any(map(window.overlaps, chosen)):
                break
        window = min(tried, key=lambda candidate: sum(map(candidate.shared, chosen)))
        chosen.append(window)
        yield window


def _draws(texts: Sequence[str], sums: Sequence[int], size: int, random: Random) -> Iterator[Window]:
    while True:
        # Python promises the same numbers in every version for this function alone.
        place, within = int(random.random() * sums[-1]), random.random()
        document = next(number for number, most in enumerate(sums) if place < most)
        text = texts[document]
        start = int(within * (max(0, len(text) - size) + 1))
        span = _of_whole_words(text, start, min(len(text), start + size))
        if text[span.start : span.end].strip():
            yield Window(document, span)


def _of_whole_words(text: str, start: int, end: int) -> Span:
    """Return the range without a part of a word at its ends, where white space is near; not every script has it."""
    if start and not text[start - 1].isspace():
        start = next((at + 1 for at in range(start, min(start + EDGE, end)) if text[at].isspace()), start)
    if end < len(text) and not text[end].isspace():
        end = next((at for at in range(end, max(end - EDGE, start), -1) if text[at - 1].isspace()), end)
    return Span(start, end)
