"""What the reader sends to the browser, by the names that its scripts read. Offsets in the text are UTF-16 units."""

from __future__ import annotations

from typing import TypedDict

from viz.components.verdicts import VerdictData


class ResultsData(TypedDict):
    """What the reader draws of a document and its results.

    Attributes
    ----------
    known
        Where known boundaries lie; None where none are known.
    knownAt
        The same on the axis of sentences.
    columns
        From left to right.
    """

    known: list[int] | None
    knownAt: list[float]
    columns: list[ColumnData]


class ReaderData(ResultsData):
    """All of the reader, but the text, which the store has.

    Attributes
    ----------
    source
        The name of the text in the store.
    title, summary
        What stands above the reader; empty where the page has its own.
    selected
        The number of the column that the side bar sets.
    margin
        Distance from a line within which a score is near it; 0 marks none.
    axis
        Whether strips, curve and lines are shown.
    marking
        Whether every gap between sentences is a button.
    """

    source: str
    title: str
    summary: str
    selected: int
    margin: float
    axis: bool
    marking: bool


class ColumnData(TypedDict):
    """One chunker's column.

    Attributes
    ----------
    rows
        Of the head: a label, a value and a tone, which is empty or ``wrong``.
    table
        Below them: rows of cells, the first row and the first cells being heads.
    message, tone
        What stands in place of the text where there is no result; the tone is empty or ``error``.
    wrong
        The numbers of sentences outside of their section's chunk.
    body, hash
        A `ColumnBody` as JSON, and what tells it from others; both empty where there is no result.
    """

    title: str
    subtitle: str
    rows: list[list[str]]
    table: list[list[str]]
    notes: list[str]
    message: str
    tone: str
    wrong: list[int]
    hash: str
    body: str


class ColumnBody(TypedDict):
    """A result: its chunks in the text, and its scores where it has any."""

    segments: Segments
    curve: CurveData | None


Segments = TypedDict(
    "Segments",
    {
        "start": list[int],
        "end": list[int],
        "over": list[list[int]],
        "from": list[float],
        "to": list[float],
        "label": list[str],
        "tone": list[str],
        "colours": list[int],
        "split": list[int],
    },
)
"""The parts of the text that chunks lie over, in its order; all lists but the last two have an entry a part.

``start`` and ``end`` are offsets, ``from`` and ``to`` the same on the axis of sentences; ``over`` are the numbers of the
chunks over a part. ``label`` says why it begins there, and ``tone`` has the classes of that: ``wrong`` and ``fresh``.
``colours`` is the number of a ground for every chunk, ``split`` has the numbers of the chunks that lie in several places.
"""


class CurveData(TypedDict):
    """One score a gap, the lines that it is compared with, and what became of every gap.

    Attributes
    ----------
    label
        What the score is called: ``distance``.
    scores
        None where a gap has none.
    above
        Whether the gaps above the line are the candidates; if not, those below it are.
    live
        Whether comparing the scores with the one line gives the candidates.
    constrained
        Whether a size changed what became of any gap, those inside sentences included.
    verdicts
        The verdicts that occur.
    verdictOf
        For every gap a digit: the place of its verdict in ``verdicts``.
    reasons
        Why, for every gap; None in a long text.
    """

    label: str
    scores: list[float | None]
    above: bool
    live: bool
    constrained: bool
    verdicts: list[VerdictData]
    verdictOf: str
    reasons: list[str] | None
    lines: list[LineData]


class LineData(TypedDict):
    """A threshold line.

    Attributes
    ----------
    level
        Where it lies, in units of the scores; None where that is not defined.
    parameter, value
        The chunker's parameter that moves it, and what that is now; None where it is not set.
    stops
        The values that it can be let go at, each with its level; empty where it cannot be moved.
    """

    label: str
    level: float | None
    parameter: str
    value: float | None
    stops: list[tuple[float, float]]
