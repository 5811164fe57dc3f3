"""What the page Double pass draws beside the text: the rows, the corrections, the similarities of each threshold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from chunkers import Chunking, Comparison, Verdict
from viz.components.assets import asset
from viz.components.reader.segments import positions
from viz.double_pass.story import MOST_SENTENCES, compared_group, minis, numbers, seams, told, words
from viz.theme import palette

_passes = st.components.v2.component(
    "seamark_passes",
    html='<div class="passes"></div>',
    css=palette.css("passes")
    + asset("components/shared/common.css", "double_pass/passes.css", "components/shared/zoom_window.css"),
    js=asset(
        "components/shared/dom.js", "double_pass/passes.js", "double_pass/pass_rows.js", "components/shared/zoom_window.js"
    ),
)
_corrections = st.components.v2.component(
    "seamark_corrections",
    html='<section class="corrections"></section>',
    css=asset("double_pass/corrections.css"),
    js=asset("components/shared/dom.js", "double_pass/corrections.js"),
)
_histogram = st.components.v2.component(
    "seamark_similarities",
    html='<figure class="similarities"><svg></svg><figcaption></figcaption></figure>',
    css=asset("double_pass/similarities.css"),
    js=asset("components/shared/dom.js", "double_pass/similarities.js"),
)


@dataclass(frozen=True)
class Beside:
    """Another chunker's result, drawn below the rows: what it is, and its chunking."""

    title: str
    label: str
    chunking: Chunking


def passes(
    *, title: str, summary: str, rows: dict[str, Any] | None, source: str, message: str = "", tone: str = "", key: str
) -> None:
    """Mount the rows, or ``message`` where there are none.

    Hovering fires ``seamark-mark`` with the ``ranges`` of sentences, a click ``seamark-jump`` and, on what is a step of the
    stepper, ``seamark-go``; the rows show what ``seamark-step`` is about. ``source`` names the text: another one begins
    with another window.
    """
    made = "" if rows is None else json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    _passes(
        key=key, data={"title": title, "summary": summary, "made": made, "source": source, "message": message, "tone": tone}
    )


def rows(chunking: Chunking, beside: Beside | None, labels: dict[str, str]) -> dict[str, Any]:
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


def _comparison(tried: Sequence[Comparison]) -> dict[str, Any]:
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
        "decides": bool(here.reason),
        "words": words(tried),
    }


@dataclass(frozen=True)
class Correction:
    """A boundary of pass one that does not stand.

    Attributes
    ----------
    gap
        Between this sentence and the next.
    reason
        Why, in the words of the ledger.
    step
        The number of the step that took it away; None where the minimum size did.
    beside
        Whether the chunker that stands beside cuts here.
    """

    gap: int
    reason: str
    step: int | None
    beside: bool


def corrections(chunking: Chunking, beside: Chunking | None) -> list[Correction]:
    """Return the boundaries that pass two and the minimum size took away, in the order of the text."""
    cut_beside = set() if beside is None else {gap.index for gap in beside.gaps if gap.verdict.is_cut and gap.offset is None}
    starts = minis(chunking)
    joined = {
        gap: (number, tried[-1].reason)
        for number, tried in enumerate(told(chunking))
        if tried[-1].outcome == "joined" and tried[-1].kind not in ("initial", "appending")
        for gap in seams(tried, starts)
    }
    found = []
    for gap in chunking.gaps:
        if gap.verdict in (Verdict.MERGED, Verdict.REJECTED):
            step, reason = joined.get(gap.index, (None, gap.reason))
            found.append(Correction(gap.index, reason, step, gap.index in cut_beside))
    return found


def balance(chunking: Chunking, found: Sequence[Correction], beside: Chunking | None, name: str) -> list[str]:
    """Say how many boundaries pass one made and pass two took away, and what became of those of the chunker beside."""
    made = len(minis(chunking)) - 1
    if made <= 0:
        return ["Pass one made no boundary, so there is none to take away."]
    gone = f"{len(found):,} {'is' if len(found) == 1 else 'are'} gone again"
    said = [f"Of the {_boundaries(made)} that pass one made, {gone}."]
    if beside is not None:
        cuts = {gap.index for gap in beside.gaps if gap.verdict.is_cut and gap.offset is None}
        removed = sum(one.beside for one in found)
        stand = sum(gap.verdict.is_cut for gap in chunking.gaps if gap.index in cuts)
        fates = {"here too": stand, "taken away by pass two": removed, "never made by pass one": len(cuts) - stand - removed}
        told = ", ".join(f"{count:,} {fate}" for fate, count in fates.items() if count)
        said.append(f"Of the {_boundaries(len(cuts))} that {name} makes between sentences: {told or 'none'}.")
    return said


def _boundaries(count: int) -> str:
    return "1 boundary" if count == 1 else f"{count:,} boundaries"


def show_corrections(found: Sequence[Correction], said: Sequence[str], name: str, key: str) -> None:
    """Mount the list: a click leads to the place in the text and to the step."""
    listed = [
        {
            "sentence": one.gap + 1,
            "step": one.step,
            "where": f"after sentence {one.gap + 1}",
            "reason": one.reason.removeprefix("merged in pass two: "),
            "also": f"{name} cuts here" if one.beside else "",
        }
        for one in found
        if one.gap < MOST_SENTENCES
    ]
    _corrections(key=key, data={"title": "Corrections", "words": list(said), "rows": listed})


def compared_with(chunking: Chunking, parameter: str) -> list[float]:
    """Return the similarities that a threshold, by its parameter's name, was compared with."""
    kind = parameter.removesuffix("_threshold")
    return [
        one.similarity
        for one in chunking.comparisons
        if (one.kind if one.kind in ("initial", "appending") else "merging") == kind
    ]


def above(similarities: Sequence[float], threshold: float) -> str:
    """Say how many lie above."""
    if not similarities:
        return "Nothing was compared with it in this text."
    count = sum(similarity > threshold for similarity in similarities)
    return f"{count:,} of {len(similarities):,} similarities {'lies' if count == 1 else 'lie'} above {threshold:.2f}"


BINS = 25


def show_similarities(similarities: Sequence[float], threshold: float, bounds: tuple[float, float], key: str) -> None:
    """Draw the distribution of similarities under a threshold's slider; what lies beyond ``bounds`` is at their ends."""
    low, high = bounds
    counts, _ = np.histogram(np.clip(similarities, low, high), BINS, bounds)
    data = {
        "counts": counts.tolist() if len(similarities) else [],
        "at": (threshold - low) / (high - low),
        "words": above(similarities, threshold),
    }
    _histogram(key=key, data=data)


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
