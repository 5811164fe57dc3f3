"""A breakpoint chunker's result read as similarity: 1 less the distance in every number, on the other side of the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chunkers import Breakpoint, Chunking, Gap
from chunkers.result import compared

_ACROSS = {">": "<", "≤": "≥"}


class Turned(Breakpoint):
    """The same chunker, whose line lies on the curve of similarities."""

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return the line's level among similarities for every amount in ``values``."""
        return [1 - level for level in super().levels(parameter, values, [1 - score for score in scores])]


def can_turn(chunker: Breakpoint) -> bool:
    """Whether the chunker compares distances; of a gradient there is no such reading."""
    return chunker.rule.score_name == "distance"


def as_similarity(chunking: Chunking) -> Chunking:
    """Return the result of a chunker that `can_turn` with similarities in place of distances, in the reasons too."""
    (curve,) = chunking.curves
    turned = replace(
        curve,
        label="similarity",
        scores=tuple(1 - score for score in curve.scores),
        lines=tuple(replace(line, level=1 - line.level) for line in curve.lines),
        cut_above=False,
    )
    return replace(chunking, gaps=tuple(_turn(gap) for gap in chunking.gaps), curves=(turned,))


def _turn(gap: Gap) -> Gap:
    score, threshold = gap.score, gap.threshold
    if score is None or threshold is None:
        return gap
    # The words are made of these parts, so they are found by making them again.
    relation = ">" if score > threshold else "≤"
    said = gap.reason.replace(
        compared("distance", score, threshold, relation),
        compared("similarity", 1 - score, 1 - threshold, _ACROSS[relation]),
    ).replace(f"its largest distance, {score:.2f}, is here", f"its lowest similarity, {1 - score:.2f}, is here")
    return gap._replace(score=1 - score, threshold=1 - threshold, reason=said)
