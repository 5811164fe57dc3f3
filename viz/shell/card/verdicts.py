"""Verdicts of a page's columns at the user's position, with reasons and the changes that would reverse them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import streamlit as st

from chunkers import Chunking, Document, Embedder, Gap
from evaluation.asking.effect import Search
from viz.components.assets import script
from viz.components.mounting import component, run_again
from viz.components.offsets import positions
from viz.jobs.chunking import tipping_at_once, worked_at_once
from viz.shell.card.preview import Cut, PreviewData, leave_preview, preview_of, undo_said
from viz.shell.results import ColumnResult
from viz.state.keys import session

KEY = "store_verdicts"
"""Streamlit turns the key into a CSS class, by which the page's style sheet hides the component."""

_NEAR = 0.001
"""Tolerance, in sentences, for two positions on the axis to count as equal, since they are sent rounded."""

_verdicts = component("seamark_verdicts", html='<div class="verdicts"></div>', js=script("shell/card/verdicts.js"))


class ChangeData(TypedDict):
    """Payload of the change of parameters that would reverse the verdict on a gap.

    Attributes
    ----------
    margin
        The distance of the score from its threshold, in words; empty if no score decided.
    words
        The change in words.
    values
        The parameter values that reverse the verdict.
    """

    margin: str
    words: str
    values: dict[str, float]


class VerdictCell(TypedDict):
    """Payload of one column's verdict at a position in the text: whether and why the column cuts there.

    Attributes
    ----------
    cut
        True if the column cuts there.
    reason
        The reason for the verdict; may be empty.
    formula
        The chunker's formula with this gap's values, as lines; may be empty.
    change
        The change that would reverse the verdict; None if unknown.
    undo
        The last change of the column's parameters, in words, if it can be undone; otherwise empty.
    """

    cut: bool
    reason: str
    formula: list[str]
    change: ChangeData | None
    undo: str


class Verdicts(TypedDict):
    """Payload of all columns' verdicts at a position on the sentence axis.

    ``hashes`` are the hashes of the columns' bodies in the reader, so that it can tell whether it still shows these results.
    A cell is None if its column has no result. ``preview`` shows the effects of the change that the user is considering.
    """

    at: float
    hashes: list[str]
    cells: list[VerdictCell | None]
    preview: PreviewData | None


class AnswerData(TypedDict):
    """Payload with the verdicts at the position that the user points at; ``answer`` is None without such a position.

    ``moment`` is the browser's timestamp of the request, by which it recognizes the answer to an earlier one.
    """

    answer: Verdicts | None
    moment: float | None


@st.fragment
def answer_verdicts(
    document: Document,
    results: Sequence[ColumnResult],
    hashes: Sequence[str],
    embedder: Embedder | None,
    known: tuple[int, ...] | None,
    search: Search,
    read: Chunking | None = None,
) -> None:
    """Send the verdicts at the position that the user points at, in a fragment that reruns without the page.

    Streamlit identifies a fragment by its position on the page, and loses requests to an old position. Call this above all
    elements that come and go. ``known`` are the known boundaries. ``search`` has the search settings for the stored
    questions, whose answers a previewed change may gain or lose. ``read`` is the first column's result with the scores
    that the page shows, if they differ from the column's scores.
    """
    asked = (st.session_state.get(KEY) or {}).get("asked") or {}
    at = asked.get("at")
    would = asked.get("would")
    # A request about other results refers to outdated values.
    wanted = would if would and would["hashes"] == [*hashes] else None
    if wanted is None:
        leave_preview()
    answer: Verdicts | None = None
    if isinstance(at, int | float) and 0 < at < len(document.sentences):
        cells = [
            cell_of(column, document, at, embedder, undo_said(session.page, index)) for index, column in enumerate(results)
        ]
        gap = None if read is None else gap_at(read, document, at)
        if gap is not None and cells[0] is not None:
            cells[0]["reason"] = gap.why.brief()
        preview = _previewed(results, wanted, search, known, embedder) if wanted else None
        answer = {"at": at, "hashes": [*hashes], "cells": cells, "preview": preview}
    data: AnswerData = {"answer": answer, "moment": asked.get("moment")}
    _verdicts(key=KEY, data=data, height=0, on_asked_change=run_again)


def _previewed(
    results: Sequence[ColumnResult],
    would: Mapping[str, Any],
    search: Search,
    known: tuple[int, ...] | None,
    embedder: Embedder | None,
) -> PreviewData | None:
    number = would.get("column")
    if not (isinstance(number, int) and 0 <= number < len(results)):
        return None
    column = results[number]
    if column.task is None or column.chunker is None or column.chunking is None:
        return None
    return preview_of(Cut(number, column.task, column.chunker, column.chunking), would, search, known, embedder)


def cell_of(
    column: ColumnResult, document: Document, at: float, embedder: Embedder | None, undo: str = ""
) -> VerdictCell | None:
    """Return a column's verdict at a position in the text; None if the column has no result.

    ``undo`` is the column's last change in words, if it can be undone.
    """
    if column.chunking is None or column.chunker is None or column.task is None:
        return None
    gap = gap_at(column.chunking, document, at)
    if gap is None:
        return {"cut": False, "reason": "", "formula": [], "change": None, "undo": undo}
    decided = (column.task, column.chunker, column.chunking, gap, embedder, session.on_disk)
    tipping = tipping_at_once(*decided)
    change: ChangeData | None = None
    if tipping is not None:
        change = {"margin": tipping.distance(), "words": tipping.claim(), "values": tipping.values}
    return {
        "cut": gap.verdict.is_cut,
        "reason": gap.why.brief(),
        "formula": worked_at_once(*decided),
        "change": change,
        "undo": undo,
    }


def gap_at(chunking: Chunking, document: Document, at: float) -> Gap | None:
    """Return the gap at a position on the sentence axis; None if no gap is at the position."""
    whole = at == int(at)
    index = int(at) - 1 if whole else int(at)
    first = bisect_left(chunking.gaps, index, key=lambda gap: gap.index)
    for gap in chunking.gaps[first:]:
        if gap.index != index:
            break
        if gap.offset is None and whole:
            return gap
        if gap.offset is not None and not whole and abs(positions(document, [gap.offset])[0] - at) < _NEAR:
            return gap
    return None
