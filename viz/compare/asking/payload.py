"""The answer to a question as sent to the browser; positions in the text are in UTF-16 code units."""

from __future__ import annotations

from typing import TypedDict

from viz.components.remedies.payload import ColumnRemedies


class AnswerPlace(TypedDict):
    """A chunk that contains part of the marked answer, with its rank (from 1; None if the chunk is not ranked)."""

    chunk: int
    rank: int | None
    retrieved: bool


class AnswerFate(TypedDict):
    """The outcome for the marked answer in one column: whether it was retrieved, and which chunks contain its parts.

    Attributes
    ----------
    good
        True if one retrieved chunk contains the whole answer.
    words
        The outcome in words; the places follow.
    why
        The reason, such as the cut that splits the answer; may be empty.
    """

    good: bool
    words: str
    places: list[AnswerPlace]
    why: str


class AskedColumn(TypedDict):
    """The chunks that a question retrieves in one column.

    Attributes
    ----------
    chunks
        The numbers of the chunks, from 0, best first. ``scores`` and ``said`` have one entry per chunk: its score, and the
        origin of the score.
    cut
        Where the budget ends within the last chunk; None if that chunk is given whole.
    tokens
        The number of tokens given in all.
    """

    chunks: list[int]
    scores: list[str]
    said: list[str]
    cut: int | None
    tokens: int
    fate: AnswerFate | None


class Asked(TypedDict):
    """Payload with the state and the result of the last question asked on Compare.

    Attributes
    ----------
    moment
        The browser's timestamp of the event that this answers.
    state
        ``nothing`` while nothing is asked, ``working``, ``done``, or ``failed``.
    share, said
        The share of the work that is done, and a sentence with the status, the error or a note.
    hashes
        Hashes of the columns' bodies, so that the reader can tell whether it shows the same columns.
    found
        The retrieved chunks by column; None for a column without a result.
    answer
        Start and end of the marked answer; None if no answer is marked.
    remedies
        The remedies by column; None if the column keeps the answer whole or no search is possible.
    """

    moment: float | None
    state: str
    share: float
    said: str
    hashes: list[str]
    found: list[AskedColumn | None]
    answer: list[int] | None
    remedies: list[ColumnRemedies | None]
