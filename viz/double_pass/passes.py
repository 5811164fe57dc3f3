"""What the page Double pass draws beside the text: the rows, the corrections, the similarities of each threshold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import streamlit as st

from chunkers import Chunking, Comparison
from chunkers.result import MergeKind, Outcome
from viz.components.assets import script, styles
from viz.components.offsets import positions
from viz.double_pass.story import MOST_SENTENCES, compared_group, minis, numbers, told, words
from viz.theme import palette

_passes = st.components.v2.component(
    "seamark_passes",
    html='<div class="passes"></div>',
    css=palette.css("passes")
    + styles("components/shared/common.css", "double_pass/passes.css", "components/shared/zoom_window.css"),
    js=script("double_pass/passes.js"),
)


@dataclass(frozen=True)
class Beside:
    """Another chunker's result, drawn below the rows: what it is, and its chunking."""

    title: str
    label: str
    chunking: Chunking


class PassesData(TypedDict):
    """The rows of both passes, a `PassRowsData` as JSON in ``made``; that is empty where a message stands in their place."""

    title: str
    summary: str
    made: str
    source: str
    message: str
    tone: str


class PassRowsData(TypedDict):
    """What the rows are drawn from.

    Attributes
    ----------
    count
        Sentences that are drawn.
    minis, snippets, chunks, other
        Where the blocks of each row begin, on the axis of sentences; None where there is no other chunker. Snippets are the
        mini-chunks that pass two merged over.
    labels, names
        What stands above a row, and what a block of it is called, by the name of the row.
    """

    count: int
    minis: list[float]
    snippets: list[float]
    chunks: list[float]
    other: list[float] | None
    labels: dict[str, str]
    names: dict[str, str]
    comparisons: list[ComparisonData]


ComparisonData = TypedDict(
    "ComparisonData",
    {
        "pass": Literal[1, 2],
        "kind": MergeKind,
        "outcome": Outcome,
        "left": list[int],
        "right": list[int],
        "compared": list[int],
        "value": str,
        "tried": list[str],
        "decides": bool,
        "words": str,
    },
)
"""A `Comparison`: its groups as half-open ranges of sentences, ``compared`` being those of the left one that are.

``value`` is its similarity, and ``tried`` those of the looks before it; ``decides`` says whether it is the last of them.
"""


def passes(
    *, title: str, summary: str, rows: PassRowsData | None, source: str, message: str = "", tone: str = "", key: str
) -> None:
    """Mount the rows, or ``message`` where there are none.

    Hovering fires ``seamark-mark`` with the ``ranges`` of sentences, a click ``seamark-jump`` and, on what is a step of the
    stepper, ``seamark-go``; the rows show what ``seamark-step`` is about. ``source`` names the text: another one begins
    with another window.
    """
    made = "" if rows is None else json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    data: PassesData = {
        "title": title,
        "summary": summary,
        "made": made,
        "source": source,
        "message": message,
        "tone": tone,
    }
    _passes(key=key, data=data)


def pass_rows(chunking: Chunking, beside: Beside | None, labels: dict[str, str]) -> PassRowsData:
    """Return the blocks of every row, by the sentence at which each begins, and the comparisons in their order."""
    looks = told(chunking)
    over = [tried[-1] for tried in looks if tried[-1].kind.startswith("over") and tried[-1].outcome == "joined"]
    starts = minis(chunking)
    snippets = [start for start in starts if any(one.left.end <= start < one.right.start for one in over)]
    count = len(chunking.document.sentences)
    return {
        "count": min(count, MOST_SENTENCES),
        "minis": _seen(starts),
        "snippets": _seen(snippets),
        "chunks": _seen([0, *(gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut)]),
        "other": None if beside is None else _seen(_begins(beside.chunking)),
        "labels": labels | ({} if beside is None else {"other": beside.label}),
        "names": {"minis": "Mini-chunk", "chunks": "Chunk", "other": "" if beside is None else f"{beside.title}, chunk"},
        "comparisons": [_comparison(tried) for tried in looks],
    }


def _seen(starts: Sequence[float]) -> list[float]:
    return [start for start in starts if start < MOST_SENTENCES]


def _begins(chunking: Chunking) -> list[float]:
    """Return where the chunks begin on the axis of sentences; a cut may lie inside one."""
    return positions(chunking.document, [chunk.start for chunk in chunking.chunks])


def _comparison(tried: Sequence[Comparison]) -> ComparisonData:
    here = tried[-1]
    return {
        "pass": 1 if here.kind in ("initial", "appending") else 2,
        "kind": here.kind,
        "outcome": here.outcome,
        "left": list(here.left),
        "right": list(here.right),
        "compared": list(compared_group(here)),
        "value": f"{here.similarity:.2f}",
        "tried": [f"{before.similarity:.2f}" for before in tried[:-1]],
        "decides": bool(here.why),
        "words": words(tried),
    }


def table(chunking: Chunking) -> dict[str, list[Any]]:
    """Return every comparison of both passes, a column a name."""
    comparisons = chunking.comparisons
    return {
        "step": [number for number, _ in enumerate(comparisons, start=1)],
        "pass": [1 if one.kind in ("initial", "appending") else 2 for one in comparisons],
        "kind": [one.kind for one in comparisons],
        "compared": [numbers(compared_group(one)) for one in comparisons],
        "with": [numbers(one.right) for one in comparisons],
        "similarity": [one.similarity for one in comparisons],
        "threshold": [one.threshold for one in comparisons],
        "outcome": [one.outcome for one in comparisons],
        "characters joined": [one.length for one in comparisons],
        "decision": [one.reason for one in comparisons],
    }
