"""The answer to a question as the browser is sent it. Places in the text are in UTF-16 code units."""

from __future__ import annotations

from typing import TypedDict

from viz.components.remedies.payload import ColumnRemedies


class AnswerPlace(TypedDict):
    """A chunk that has part of the answer; ``rank`` is from 1, None for one that was not ranked."""

    chunk: int
    rank: int | None
    retrieved: bool


class AnswerFate(TypedDict):
    """Fate of the marked answer in a column.

    Attributes
    ----------
    good
        True if all of it is retrieved in one chunk.
    words
        What became of it; the places follow.
    why
        The seam's reason and the like; may be empty.
    """

    good: bool
    words: str
    places: list[AnswerPlace]
    why: str


class AskedColumn(TypedDict):
    """Chunks that a question retrieves in a column.

    Attributes
    ----------
    chunks
        The numbers of the chunks, from 0, best first; ``scores`` and ``said`` have one entry for each: the score, and where
        it comes from.
    cut
        Where the budget ends within the last of them; None if it is given whole.
    tokens
        How many tokens are given of them all.
    """

    chunks: list[int]
    scores: list[str]
    said: list[str]
    cut: int | None
    tokens: int
    fate: AnswerFate | None


class Asked(TypedDict):
    """State and result of the last question.

    Attributes
    ----------
    moment
        The browser's, of what this answers.
    state
        ``nothing`` while nothing is asked, ``working``, ``done``, or ``failed``.
    share, said
        The share of the work that is done, and a sentence: how far it is, what is wrong, or what else there is to know.
    hashes
        Those of the columns' bodies that this is about, so that the reader can tell whether it shows them.
    found
        None where a column has no result yet.
    answer
        The marked answer, start and end; None if none is.
    remedies
        None where the answer is whole, or nothing can be looked for.
    """

    moment: float | None
    state: str
    share: float
    said: str
    hashes: list[str]
    found: list[AskedColumn | None]
    answer: list[int] | None
    remedies: list[ColumnRemedies | None]
