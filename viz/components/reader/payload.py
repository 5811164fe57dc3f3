"""The reader's payload for the browser, with verdicts and clickable gaps; offsets in the text are in UTF-16 code units."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypedDict, get_args

from chunkers import Document, Gap, Verdict

# Clickable gaps between sentences, and the events from them.

GapClickPurpose = Literal["marks", "cuts"]
"""The use of clicked gaps: as known boundaries of the text, or as the cuts of the column “You”."""


class MarkingData(TypedDict):
    """Payload of the clickable gaps between sentences.

    Attributes
    ----------
    purpose
        The use of clicked gaps, a `GapClickPurpose`.
    folded
        True if the columns fold into one text without chunks; False if the gaps are between the sentences of every column.
    gaps
        The numbers of the gaps that are set; gap 0 follows the first sentence.
    heard
        The browser's timestamp of the last change that the server has received; None if there was none.
    """

    purpose: str
    folded: bool
    gaps: list[int]
    heard: float | None


def clickable_gaps_data(
    document: Document, purpose: GapClickPurpose, marked_gap_offsets: Collection[int], *, are_columns_folded_into_one: bool
) -> MarkingData:
    """Return the clickable gaps of a text; a gap is set if one of ``marked_gap_offsets``, in code points, follows it.

    `MarkingData` explains ``purpose`` and ``are_columns_folded_into_one``; the reader adds the server's last change.
    """
    return {
        "purpose": purpose,
        "folded": are_columns_folded_into_one,
        "gaps": gap_numbers_at_offsets(document, marked_gap_offsets),
        "heard": None,
    }


class ClickedGaps(NamedTuple):
    """The gaps that the user has set by clicking between sentences.

    Attributes
    ----------
    purpose
        The use of the gaps.
    sentence_starts
        The starts of the sentences after the gaps, in code points; None if the user cleared all gaps.
    """

    purpose: GapClickPurpose
    sentence_starts: tuple[int, ...] | None


def gap_numbers_at_offsets(document: Document, offsets: Collection[int]) -> list[int]:
    """Return the numbers of the gaps before the sentences that begin at ``offsets``."""
    wanted_offsets = frozenset(offsets)
    return [number for number, start in enumerate(document.starts[1:]) if start in wanted_offsets]


def clicked_gaps_from_event(
    event: Mapping[str, Any] | None, document: Document, last_received_time: float | None = None
) -> list[ClickedGaps]:
    """Return the user's changes that a browser event reports, in order; none if it is about another text or invalid.

    The event has the last change, and the earlier changes that the server may not have received. These are the changes
    after ``last_received_time``, the browser's timestamp of the last change that the server has received.
    """
    if not event or event.get("source") != document.identity or event.get("purpose") not in get_args(GapClickPurpose):
        return []
    earlier_clicks = event.get("earlier")
    unreceived_clicks = (
        [step for step in earlier_clicks if _is_later_click(step, last_received_time)]
        if isinstance(earlier_clicks, list)
        else []
    )
    clicked_gap_changes = [
        _parse_clicked_gaps(event["purpose"], step.get("gaps"), document) for step in (*unreceived_clicks, event)
    ]
    return [change for change in clicked_gap_changes if change is not None]


def _is_later_click(click: Any, last_received_time: float | None) -> bool:
    return isinstance(click, Mapping) and (last_received_time is None or click.get("at", 0) > last_received_time)


def _parse_clicked_gaps(
    gap_click_purpose: GapClickPurpose, clicked_gap_indices: Any, document: Document
) -> ClickedGaps | None:
    if clicked_gap_indices is None:
        return ClickedGaps(gap_click_purpose, None)
    max_gap_index = len(document.sentences) - 2
    if not isinstance(clicked_gap_indices, list) or not all(
        isinstance(gap, int) and 0 <= gap <= max_gap_index for gap in clicked_gap_indices
    ):
        return None
    return ClickedGaps(gap_click_purpose, tuple(document.starts[gap + 1] for gap in sorted({*clicked_gap_indices})))


# The verdicts. Each payload describes its own, so that scripts need no fixed order.


class VerdictData(TypedDict):
    """A verdict on a gap as sent to the browser.

    Attributes
    ----------
    name
        The verdict in words, such as ``rejected: below minimum size``.
    cut
        True if a chunk ends at the gap.
    sized
        True if a size limit overruled the score.
    overruled
        True if anything overruled the score: a size limit, or pass two.
    """

    name: str
    cut: bool
    sized: bool
    overruled: bool


def verdict_kind_payload(verdict: Verdict) -> VerdictData:
    """Return a verdict on a gap as a payload for the browser."""
    return {
        "name": str(verdict),
        "cut": verdict.is_cut,
        "sized": verdict.is_sized,
        "overruled": verdict.is_overruled,
    }


def encode_verdicts(gaps: Sequence[Gap], order: Iterable[Verdict] = Verdict) -> tuple[list[Verdict], str]:
    """Return the distinct verdicts in the given ``order``, and a string with each gap's verdict index as one digit.

    A string of digits is half the size of a list of numbers. Scripts rely on no order, since each payload has its own list.
    """
    occurring_verdicts = {gap.verdict for gap in gaps}
    ordered_distinct_verdicts = [verdict for verdict in order if verdict in occurring_verdicts]
    digit_by_verdict = dict(zip(ordered_distinct_verdicts, string.digits, strict=False))
    return ordered_distinct_verdicts, "".join([digit_by_verdict[gap.verdict] for gap in gaps])


class ResultsData(TypedDict):
    """The part of the reader's payload that shows results: the columns and the known boundaries.

    Attributes
    ----------
    known
        Offsets of the known boundaries; None if the document has none.
    knownAt
        The known boundaries as positions on the sentence axis.
    columns
        The columns from left to right.
    """

    known: list[int] | None
    knownAt: list[float]
    columns: list[ColumnData]


class ReaderData(ResultsData):
    """Payload of the reader, without the text, which is sent to the browser's store separately.

    Attributes
    ----------
    source
        The identity of the text in the store.
    title, summary
        The lines above the reader; empty if the page has its own heading.
    selected
        The number, from 0, of the column whose settings are in the side bar.
    margin
        Scores within this distance of a threshold line are marked; 0 marks none.
    heard
        The browser's timestamp of the last line move that the server has received; None if there was none.
    axis
        True if the strips, the curve and the threshold lines are shown.
    marking
        The gaps that can be clicked; None if none can.
    offers
        The purposes for which the columns can fold, each with the reason why not; empty if possible.
    lecture
        True if the page is in lecture mode, which has its own keyboard shortcuts.
    asking
        The settings for asking a question; None if the page has no questions.
    card
        True if the reason of a cut is a button that opens the card with the server's explanation.
    """

    source: str
    title: str
    summary: str
    selected: int
    margin: float
    heard: float | None
    axis: bool
    marking: MarkingData | None
    offers: dict[str, str]
    lecture: bool
    asking: AskingData | None
    card: bool


class AskingData(TypedDict):
    """Payload of the question form: the question, the ranking methods and limits to choose from, and the chosen ones.

    Each item of ``methods`` and ``limits`` is a value and its label.
    """

    question: str
    methods: list[tuple[str, str]]
    method: str
    limits: list[tuple[str, str]]
    limit: str


class ColumnData(TypedDict):
    """Payload of one chunker's column: its title, summary, notes, and result or message.

    Attributes
    ----------
    brief
        The facts under the name, each its words, a tone, and a longer explanation; the tone is empty or a CSS class such
        as ``wrong``.
    rows
        The rows of the summary, each a label, a value and a tone.
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
    """The body of a column: the segments of its text, and its score curve if it has one."""

    segments: Segments
    curve: CurveData | None


class StatedData(TypedDict):
    """A title, summary and propositions that a language model wrote for the chunk at segment ``at``.

    Title and summary may be empty. ``left_out`` are the propositions whose quotation is not in the text; each is listed with
    the first chunk that overlaps the sentence it names, or with the first chunk of all if none does.
    """

    at: int
    title: str
    summary: str
    propositions: list[PropositionData]
    left_out: list[PropositionData]


class PropositionData(TypedDict):
    """A proposition with its source: a range of the text, the first and last sentence, and a remark."""

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
        "outer": list[int],
        "parentFrom": list[float],
        "parentTo": list[float],
    },
)
"""The segments of the text covered by chunks, in order; the lists from ``start`` to ``tone`` have one entry per segment.

``start`` and ``end`` are offsets, ``from`` and ``to`` the same positions on the sentence axis; ``over`` holds the numbers
of the chunks that cover the segment. ``label`` says why a segment begins there, and ``tone`` holds the label's classes,
``wrong`` and ``fresh``. ``colours`` has the number of a background colour for each chunk, ``split`` the numbers of the
non-contiguous chunks. ``contexts`` are the texts that chunks repeat, such as a heading path, each once; ``context`` has one
entry per segment: the number, from 1, of the text that the chunk beginning there repeats, or 0. It is empty without any.
``stated`` has one entry per chunk if a language model wrote them, none otherwise. If chunks have parents, ``outer`` has one
entry per segment, the number of parents that stand last in ``over``, and ``parentFrom`` and ``parentTo`` are the parents'
positions; all three are empty otherwise. The tone ``parent`` marks a segment with which a parent begins.
"""


class CurveData(TypedDict):
    """Payload of a score curve: one score per gap, the threshold lines, and the verdict on each gap.

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
        The interquartile range of the scores after the text is shuffled; None if unknown.
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
    """Payload of a threshold line: its level, the parameter that moves it, and the values to which it can be dragged.

    Attributes
    ----------
    level
        The position of the line, in units of the scores; lines without a level are not sent.
    parameter, value
        The chunker's parameter that moves the line, and its current value; if it is not set, the line's level.
    stops
        The parameter values to which the line can be dragged, each with its level; empty if it cannot be dragged.
    around
        The chunker's description before and after the parameter's value; None if the value is not in it.
    """

    label: str
    level: float
    parameter: str
    value: float
    stops: list[tuple[float, float]]
    around: tuple[str, str] | None
