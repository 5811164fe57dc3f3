"""The rows of blocks on the Double pass page: sentences, mini-chunks and chunks, with the comparisons between them."""

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from chunkers import Chunking, Comparison
from chunkers.results.result import ComparisonKind, Outcome
from chunkers.support.formatting import signed
from viz.components.mounting import Component
from viz.components.text_in_browser import compact_json, positions
from viz.double_pass.story import (
    MOST_SENTENCES,
    attempts_in_words,
    attempts_of,
    compared_group,
    mini_chunk_starts,
    sentences_in_words,
)
from viz.shell.results import Finished


class PassesData(TypedDict):
    """Payload of the rows of both passes; ``made`` is a `PassRowsData` as JSON, or empty if there is a message."""

    title: str
    summary: str
    made: str
    source: str
    message: str
    tone: str


_passes = Component[PassesData](
    "seamark_passes",
    "double_pass/passes.js",
    "components/shared/common.css",
    "double_pass/passes.css",
    "components/shared/zoom_window.css",
    html='<div class="passes"></div>',
    colours="passes",
)


class PassRowsData(TypedDict):
    """The rows of sentences, mini-chunks and chunks, and the comparisons between them.

    Attributes
    ----------
    count
        The number of sentences drawn.
    minis, snippets, chunks, other
        The positions on the sentence axis at which the blocks of each row begin; ``other`` is None without another chunker.
        Snippets are the mini-chunks that pass two merged over.
    labels, names
        The label above each row, and the singular name of its blocks, by row.
    """

    count: int
    minis: list[float]
    snippets: list[float]
    chunks: list[float]
    other: list[float] | None
    labels: dict[str, str]
    names: dict[str, str]
    comparisons: "list[ComparisonData]"


ComparisonData = TypedDict(
    "ComparisonData",
    {
        "pass": Literal[1, 2],
        "kind": ComparisonKind,
        "outcome": Outcome,
        "left": tuple[int, int],
        "right": tuple[int, int],
        "compared": tuple[int, int],
        "value": str,
        "tried": list[str],
        "decides": bool,
        "words": str,
    },
)
"""A `Comparison`: its groups as half-open ranges of sentences; ``compared`` is the part of the left group that is compared.

``value`` is its similarity, ``tried`` the similarities of the earlier attempts for the same chunk; ``decides`` says whether
it is the last attempt.
"""


def show_passes(
    *, title: str, summary: str, rows: PassRowsData | None, source: str, message: str = "", tone: str = "", key: str
) -> None:
    """Mount the rows of blocks that show both passes, or a ``message`` if there are no rows.

    Hovering emits ``seamark-mark`` with the ``ranges`` of sentences; a click emits ``seamark-jump`` and, on a step of the
    stepper, ``seamark-go``. The rows mark the ranges of ``seamark-step``. ``source`` is the identity of the text; if it
    changes, the zoom is reset.
    """
    rows_json = "" if rows is None else compact_json(rows)
    _passes(
        key=key,
        data={
            "title": title,
            "summary": summary,
            "made": rows_json,
            "source": source,
            "message": message,
            "tone": tone,
        },
    )


def pass_rows(chunking: Chunking, beside: Finished | None, labels: dict[str, str]) -> PassRowsData:
    """Return the positions at which the mini-chunks, snippets and chunks of each row begin, and the comparisons in order.

    ``beside`` is another chunker's result, drawn as the bottom row for comparison.
    """
    attempts = attempts_of(chunking)
    over = [so_far[-1] for so_far in attempts if so_far[-1].kind.startswith("over") and so_far[-1].outcome == "joined"]
    starts = mini_chunk_starts(chunking)
    snippets = [
        start for start in starts if any(comparison.left.end <= start < comparison.right.start for comparison in over)
    ]
    names = {"minis": "Mini-chunk", "chunks": "Chunk", "other": ""}
    other = None
    if beside is not None:
        names["other"] = f"{beside.chunker.title}, chunk"
        labels = {**labels, "other": f"{beside.chunker.title} for comparison: {beside.chunker.describe()}"}
        # Positions are fractional for cuts inside a sentence.
        other = _drawn(positions(beside.chunking.document, [chunk.start for chunk in beside.chunking.chunks]))
    return {
        "count": min(len(chunking.document.sentences), MOST_SENTENCES),
        "minis": _drawn(starts),
        "snippets": _drawn(snippets),
        "chunks": _drawn([0, *(gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut)]),
        "other": other,
        "labels": labels,
        "names": names,
        "comparisons": [_comparison(so_far) for so_far in attempts],
    }


def _drawn(starts: Sequence[float]) -> list[float]:
    return [start for start in starts if start < MOST_SENTENCES]


def _comparison(attempts: Sequence[Comparison]) -> ComparisonData:
    comparison = attempts[-1]
    return {
        "pass": 1 if comparison.kind in ("initial", "appending") else 2,
        "kind": comparison.kind,
        "outcome": comparison.outcome,
        "left": comparison.left,
        "right": comparison.right,
        "compared": compared_group(comparison),
        "value": signed(comparison.similarity, ".2f"),
        "tried": [signed(before.similarity, ".2f") for before in attempts[:-1]],
        "decides": bool(comparison.why),
        "words": attempts_in_words(attempts),
    }


def comparison_table(chunking: Chunking) -> dict[str, list[Any]]:
    """Return a table of all similarity comparisons of both passes, by column name."""
    comparisons = chunking.comparisons
    return {
        "step": [number for number, _ in enumerate(comparisons, start=1)],
        "pass": [1 if comparison.kind in ("initial", "appending") else 2 for comparison in comparisons],
        "kind": [comparison.kind for comparison in comparisons],
        "compared": [sentences_in_words(compared_group(comparison)) for comparison in comparisons],
        "with": [sentences_in_words(comparison.right) for comparison in comparisons],
        "similarity": [comparison.similarity for comparison in comparisons],
        "threshold": [comparison.threshold for comparison in comparisons],
        "outcome": [comparison.outcome for comparison in comparisons],
        "characters joined": [comparison.length for comparison in comparisons],
        "decision": [comparison.reason for comparison in comparisons],
    }
