"""The ledger of gaps: every decision in a table that leads to the text and follows it."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from chunkers import Chunking, Verdict
from viz.breakpoints.story import is_near
from viz.components.assets import script, styles
from viz.components.text_store import source_id

_ledger = st.components.v2.component(
    "seamark_ledger",
    html='<div class="ledger"></div>',
    css=styles("components/shared/common.css", "breakpoints/gap_table.css"),
    js=script("breakpoints/gap_table.js"),
)

STANDING = {
    Verdict.CUT: "cut",
    Verdict.KEPT: "kept",
    Verdict.REJECTED: "candidate, rejected",
    Verdict.FORCED: "forced, no candidate",
    Verdict.MERGED: "merged",
}
"""A verdict in a word or two: whether the gap was a candidate, and whether it is a cut."""


def ledger(chunking: Chunking, margin: float, key: str) -> None:
    """Mount the ledger; gaps whose score lies within ``margin`` of the line are marked.

    A click or Enter on a row fires the window's events ``seamark-jump`` and ``seamark-step``; ``seamark-gap`` leads to the
    row of that gap. The sentences are taken from the text that the reader holds.
    """
    data = {
        "source": source_id(chunking.document),
        "score": chunking.curves[0].label if chunking.curves else "score",
        "standing": list(STANDING.values()),
        "cuts": [verdict.is_cut for verdict in STANDING],
        "rows": json.dumps(rows(chunking, margin), ensure_ascii=False, separators=(",", ":")),
    }
    _ledger(key=key, data=data)


def rows(chunking: Chunking, margin: float) -> dict[str, list[Any]]:
    """Return what is known of every gap, a list a property, in the ledger's order."""
    verdicts = list(STANDING)
    gaps = chunking.gaps
    return {
        "gaps": [gap.index for gap in gaps],
        "scores": [gap.score for gap in gaps],
        "away": [None if gap.score is None or gap.threshold is None else gap.score - gap.threshold for gap in gaps],
        "verdicts": [verdicts.index(gap.verdict) for gap in gaps],
        "inside": [gap.offset is not None for gap in gaps],
        "near": [is_near(gap, margin) for gap in gaps],
        "reasons": [gap.reason for gap in gaps],
    }
