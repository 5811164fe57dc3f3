"""The ledger of gaps: a table of every decision, linked with the text in both directions."""

from collections.abc import Hashable
from typing import TypedDict

from chunkers import Chunking, Verdict
from viz.breakpoints.decision_steps_by_chunker import is_near_threshold
from viz.components.browser_exchange import Component, compact_json
from viz.components.reader.payload import VerdictData, encode_verdicts, verdict_kind_payload
from viz.jobs import MOST_CACHED_BYTES, cached_while_shown

SHORT_VERDICT_NAMES = {
    Verdict.CUT: "cut",
    Verdict.KEPT: "kept",
    Verdict.REJECTED: "candidate, rejected",
    Verdict.FORCED: "forced, no candidate",
    Verdict.MERGED: "merged",
}
"""Short names of the verdicts: whether the gap was a candidate, and whether it is a cut."""


class StandingData(VerdictData):
    """A verdict on a gap, with the short name that the table of gaps shows for the verdict."""

    standing: str


class GapRows(TypedDict):
    """The rows of the table of gaps, as one list per column.

    Attributes
    ----------
    gaps
        The number of the sentence before each gap, from 0.
    scores, away
        Each score, and its signed distance from the threshold line, negative below it; None if undefined.
    verdicts
        The verdicts that occur, in the table's sort order.
    verdictOf
        One digit per gap: the index of its verdict in ``verdicts``.
    inside
        True if each gap lies inside a sentence.
    near
        True if each score is near the threshold line.
    reasons
        The reasons for the verdicts, in words.
    """

    gaps: list[int]
    scores: list[float | None]
    away: list[float | None]
    verdicts: list[StandingData]
    verdictOf: str
    inside: list[bool]
    near: list[bool]
    reasons: list[str]


class GapTableData(TypedDict):
    """Payload of the table of gaps: the text's identity, the name of the score, and a `GapRows` as JSON.

    ``hash`` is the hash of the column's body in the reader; answers about a gap are matched to these rows by it.
    """

    source: str
    hash: str
    score: str
    rows: str


_gap_table_component = Component[GapTableData](
    "seamark_ledger",
    "breakpoints/gap_table.js",
    "components/shared/common.css",
    "breakpoints/gap_table.css",
    html='<div class="ledger"></div>',
)


def show_gap_table(
    chunking: Chunking, chunking_identity: Hashable, near_threshold_margin: float, column_body_hash: str, key: str
) -> None:
    """Mount the table of gaps, in which scores within ``near_threshold_margin`` of the threshold are marked.

    Results with the same ``chunking_identity`` are equal; ``column_body_hash`` is the hash of the column's body in the
    reader.

    A click or Enter on a row emits the events ``seamark-jump``, ``seamark-step`` and ``seamark-place`` on the window; the
    answer to the last says what would change the verdict. On ``seamark-gap`` the table scrolls to the row of that gap. The
    sentences come from the text in the store.
    """
    _gap_table_component(
        key=key,
        data={
            "source": chunking.document.identity,
            "hash": column_body_hash,
            "score": chunking.curves[0].label if chunking.curves else "score",
            "rows": _gap_table_component_json(chunking, chunking_identity, near_threshold_margin),
        },
    )


@cached_while_shown(
    MOST_CACHED_BYTES, lambda chunking, identity, margin: (chunking.document.identity, identity, margin), len
)
def _gap_table_component_json(chunking: Chunking, chunking_identity: Hashable, near_threshold_margin: float) -> str:
    return compact_json(build_gap_table_columns(chunking, near_threshold_margin))


def build_gap_table_columns(chunking: Chunking, near_threshold_margin: float) -> GapRows:
    """Return the rows of the table of gaps as one list per column, in the order of the gaps."""
    gaps_in_order = chunking.gaps
    distinct_verdicts, verdict_codes_by_gap = encode_verdicts(gaps_in_order, SHORT_VERDICT_NAMES)
    return {
        "gaps": [gap.index for gap in gaps_in_order],
        "scores": [gap.score for gap in gaps_in_order],
        "away": [None if gap.score is None or gap.threshold is None else gap.score - gap.threshold for gap in gaps_in_order],
        "verdicts": [
            {**verdict_kind_payload(verdict), "standing": SHORT_VERDICT_NAMES[verdict]} for verdict in distinct_verdicts
        ],
        "verdictOf": verdict_codes_by_gap,
        "inside": [gap.offset is not None for gap in gaps_in_order],
        "near": [is_near_threshold(gap, near_threshold_margin) for gap in gaps_in_order],
        "reasons": [gap.reason for gap in gaps_in_order],
    }
