"""The ledger of gaps: every decision in a table that leads to the text and follows it."""

from __future__ import annotations

import json
from pathlib import Path

import streamlit as st

from chunkers import Chunking, Verdict
from viz.greedy import is_near
from viz.reader import source_id

_HERE = Path(__file__).parent
_ledger = st.components.v2.component(
    "seamark_ledger",
    html='<div class="ledger"></div>',
    css=(_HERE / "ledger.css").read_text(encoding="utf-8"),
    js=(_HERE / "ledger.js").read_text(encoding="utf-8"),
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
    document = chunking.document
    verdicts = list(STANDING)
    rows = {
        "gaps": [gap.index for gap in chunking.gaps],
        "scores": [gap.score for gap in chunking.gaps],
        "away": [None if gap.score is None or gap.threshold is None else gap.score - gap.threshold for gap in chunking.gaps],
        "verdicts": [verdicts.index(gap.verdict) for gap in chunking.gaps],
        "inside": [gap.offset is not None for gap in chunking.gaps],
        "near": [is_near(gap, margin) for gap in chunking.gaps],
        "reasons": [gap.reason for gap in chunking.gaps],
    }
    _ledger(
        key=key,
        data={
            "source": source_id(document),
            "score": chunking.curves[0].label if chunking.curves else "score",
            "standing": list(STANDING.values()),
            "cuts": [verdict.is_cut for verdict in verdicts],
            "rows": json.dumps(rows, ensure_ascii=False, separators=(",", ":")),
        },
    )
