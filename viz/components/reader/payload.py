"""The data that the reader sends to the browser, typed as its scripts expect it. Text offsets are UTF-16 code units."""

from __future__ import annotations

from typing import TypedDict

from viz.components.verdicts import VerdictData


class ResultsData(TypedDict):
    """The results that the reader draws for a document.

    Attributes
    ----------
    known
        Offsets of the known boundaries; None if the document has none.
    knownAt
        The known boundaries as positions on the sentence axis.
    columns
        From left to right.
    """

    known: list[int] | None
    knownAt: list[float]
    columns: list[ColumnData]


class ReaderData(ResultsData):
    """Everything the reader needs except the text, which is in the store.

    Attributes
    ----------
    source
        The identity of the text in the store.
    title, summary
        The lines above the reader; empty if the page has its own heading.
    selected
        The number of the column whose settings the side bar shows, from 0.
    margin
        Scores within this distance of a threshold line are marked; 0 marks none.
    heard
        The browser's moment of the last move of a line that this run knows of; None if there was none.
    axis
        True if the strips, the curve and the threshold lines are shown.
    marking
        True if each gap between sentences is a button.
    lecture
        True if the page is in lecture mode, which has keys of its own.
    asking
        How a question is asked; None where none can be.
    card
        True if the server answers about places: the reason of a cut is a button that opens the card on it.
    """

    source: str
    title: str
    summary: str
    selected: int
    margin: float
    heard: float | None
    axis: bool
    marking: bool
    lecture: bool
    asking: AskingData | None
    card: bool


class AskingData(TypedDict):
    """The question that is asked, and how; of each way and each limit its word and its name, and the word that is chosen."""

    question: str
    methods: list[tuple[str, str]]
    method: str
    limits: list[tuple[str, str]]
    limit: str


class ColumnData(TypedDict):
    """One chunker's column.

    Attributes
    ----------
    brief
        What stands under the name, each its words and a tone; the tone is empty or a class such as ``wrong``.
    rows
        The rows of the head's details, each a label, a value and a tone.
    table
        Rows of cells below the head; the first row and the first cell of each row are headers.
    message, tone
        Shown instead of the text if there is no result; the tone is empty or ``error``.
    wrong
        The numbers of the sentences outside the chunk that fits their section best.
    body, hash
        A `ColumnBody` as JSON, and its hash; both empty if there is no result.
    """

    title: str
    subtitle: str
    brief: list[list[str]]
    rows: list[list[str]]
    table: list[list[str]]
    notes: list[str]
    message: str
    tone: str
    wrong: list[int]
    hash: str
    body: str


class ColumnBody(TypedDict):
    """A result: its chunks in the text, and its score curve if it has one."""

    segments: Segments
    curve: CurveData | None


class StatedData(TypedDict):
    """Text that a language model wrote for the chunk that begins with segment ``at``; title and summary may be empty.

    ``left_out`` are the propositions whose quotation is not in the text: each is with the first chunk that has some of the
    sentence that it names, or with the first of all if none has.
    """

    at: int
    title: str
    summary: str
    propositions: list[PropositionData]
    left_out: list[PropositionData]


class PropositionData(TypedDict):
    """A proposition: its source, the numbers of its first and last sentence, and a remark."""

    text: str
    start: int
    end: int
    first: int
    last: int
    remark: str


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
        "contexts": list[str],
        "context": list[int],
        "split": list[int],
        "stated": list[StatedData],
    },
)
"""The segments of the text covered by chunks, in order; the lists from ``start`` to ``tone`` have one entry per segment.

``start`` and ``end`` are offsets, ``from`` and ``to`` the same positions on the sentence axis; ``over`` holds the numbers
of the chunks that cover the segment. ``label`` says why a segment begins there, and ``tone`` holds the label's classes,
``wrong`` and ``fresh``. ``colours`` has the number of a background colour for each chunk, ``split`` the numbers of the
non-contiguous chunks. ``contexts`` are what chunks repeat beside their text, each once; ``context`` has one entry per
segment, the number from 1 of what the chunk that begins there repeats, 0 for nothing; it is empty if none repeats anything.
``stated`` has one entry per chunk if a language model wrote them, none otherwise.
"""


class CurveData(TypedDict):
    """One score per gap, the threshold lines, and the verdict on each gap.

    Attributes
    ----------
    label
        The name of the score, such as ``distance``.
    scores
        One per gap; None if the gap has no score.
    above
        True if the candidates are the gaps above the threshold line rather than those below it.
    live
        True if the candidates follow from comparing the scores with the single line, so that the browser can preview them.
    constrained
        True if a size limit changed the verdict on any gap, gaps inside sentences included.
    verdicts
        The verdicts that occur.
    verdictOf
        One digit per gap: the index of its verdict in ``verdicts``.
    reasons
        The reason for the verdict on each gap; None in a long text.
    null
        Between which levels the middle half of the scores lies where the text is shuffled; None if that is not known.
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
    null: tuple[float, float] | None


class LineData(TypedDict):
    """A threshold line.

    Attributes
    ----------
    level
        The position of the line, in units of the scores; a line that has none is not sent.
    parameter, value
        The chunker's parameter that moves the line, and its current value: the line's level if it is not set.
    stops
        The parameter values at which the line can be dropped, each with its level; empty if it cannot be dragged.
    around
        The chunker's description before and after the parameter's value; None if the value is not in it.
    """

    label: str
    level: float
    parameter: str
    value: float
    stops: list[tuple[float, float]]
    around: tuple[str, str] | None
