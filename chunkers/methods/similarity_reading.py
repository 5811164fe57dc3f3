"""A breakpoint chunker's result read as similarity: 1 less the distance in every number, on the other side of the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chunkers import Breakpoint, Chunking, Gap
from chunkers.reason import Reason, Relation

_MIRRORED: dict[Relation, Relation] = {">": "<", "≤": "≥", "largest": "lowest"}


class SimilarityReading(Breakpoint):
    """The same chunker, whose line lies on the curve of similarities."""

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return the line's level among similarities for every amount in ``values``."""
        return [1 - level for level in super().levels(parameter, values, [1 - score for score in scores])]


def has_similarity_reading(chunker: Breakpoint) -> bool:
    """Whether the chunker compares distances; a gradient of them cannot be read as similarity."""
    return chunker.rule.score_name == "distance"


def read_as_similarity(chunking: Chunking) -> Chunking:
    """Return the result of a chunker that `has_similarity_reading` with similarities in place of distances."""
    (curve,) = chunking.curves
    similarities = replace(
        curve,
        label="similarity",
        scores=tuple(1 - score for score in curve.scores),
        lines=tuple(replace(line, level=1 - line.level) for line in curve.lines),
        cut_above=False,
    )
    return replace(chunking, gaps=tuple(_gap(gap) for gap in chunking.gaps), curves=(similarities,))


def _gap(gap: Gap) -> Gap:
    return gap._replace(score=_mirrored(gap.score), threshold=_mirrored(gap.threshold), why=_reason(gap.why))


def _reason(reason: Reason) -> Reason:
    earlier = None if reason.earlier is None else _reason(reason.earlier)
    if reason.score_name != "distance":
        return reason._replace(earlier=earlier)
    return reason._replace(
        score_name="similarity",
        score=_mirrored(reason.score),
        relation=_MIRRORED[reason.relation],
        threshold=_mirrored(reason.threshold),
        earlier=earlier,
    )


def _mirrored(distance: float | None) -> float | None:
    return None if distance is None else 1 - distance
