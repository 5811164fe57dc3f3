"""Clickable gaps between sentences: the payload for the browser and the events from it."""

from collections.abc import Collection, Mapping
from typing import Any, Literal, NamedTuple, TypedDict, get_args

from chunkers import Document

Purpose = Literal["marks", "cuts"]
"""The use of clicked gaps: as known boundaries of the text, or as the cuts of the column “You”."""


class MarkingData(TypedDict):
    """Payload of the clickable gaps between sentences.

    Attributes
    ----------
    purpose
        The use of clicked gaps, a `Purpose`.
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


def marking_data(document: Document, purpose: Purpose, places: Collection[int], *, folded: bool) -> MarkingData:
    """Return the clickable gaps of a text; a gap is set if one of ``places`` (offsets in code points) follows it.

    `MarkingData` explains ``purpose`` and ``folded``; the reader adds the last change that the server has received.
    """
    return {"purpose": purpose, "folded": folded, "gaps": gap_numbers(document, places), "heard": None}


class ClickedGaps(NamedTuple):
    """The gaps that the user has set by clicking between sentences.

    Attributes
    ----------
    purpose
        The use of the gaps.
    places
        The starts of the sentences after the gaps, in code points; None if the user cleared all gaps.
    """

    purpose: Purpose
    places: tuple[int, ...] | None


def gap_numbers(document: Document, places: Collection[int]) -> list[int]:
    """Return the numbers of the gaps before the sentences that begin at ``places``."""
    wanted = frozenset(places)
    return [number for number, start in enumerate(document.starts[1:]) if start in wanted]


def clicked_gaps_of(event: Mapping[str, Any] | None, document: Document, heard: float | None = None) -> list[ClickedGaps]:
    """Return the user's changes that a browser event reports, in order; none if it is about another text or invalid.

    The event has the last change, and those before it that the server may not have received: the changes after ``heard``,
    the browser's timestamp of the last one that it has.
    """
    if not event or event.get("source") != document.identity or event.get("purpose") not in get_args(Purpose):
        return []
    earlier = event.get("earlier")
    steps = [step for step in earlier if _is_after(step, heard)] if isinstance(earlier, list) else []
    clicks = [_clicked(event["purpose"], step.get("gaps"), document) for step in (*steps, event)]
    return [change for change in clicks if change is not None]


def _is_after(step: Any, heard: float | None) -> bool:
    return isinstance(step, Mapping) and (heard is None or step.get("at", 0) > heard)


def _clicked(purpose: Purpose, gaps: Any, document: Document) -> ClickedGaps | None:
    if gaps is None:
        return ClickedGaps(purpose, None)
    last = len(document.sentences) - 2
    if not isinstance(gaps, list) or not all(isinstance(gap, int) and 0 <= gap <= last for gap in gaps):
        return None
    return ClickedGaps(purpose, tuple(document.starts[gap + 1] for gap in sorted({*gaps})))
