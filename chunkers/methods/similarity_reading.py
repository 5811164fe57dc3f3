"""Breakpoint results as similarities: every number is 1 minus the distance, and cuts lie below the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chunkers.methods.breakpoint import Breakpoint
from chunkers.results.reason import Reason, Relation
from chunkers.results.result import Band, Chunking, Gap

_MIRRORED: dict[Relation, Relation] = {">": "<", "≤": "≥", "=": "=", "largest": "lowest"}


class SimilarityReading(Breakpoint):
    """The breakpoint chunker, with its threshold expressed as a similarity instead of a distance."""

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return the threshold level, as a similarity, for each amount in ``values``."""
        return [1 - level for level in super().levels(parameter, values, [1 - score for score in scores])]


def has_similarity_reading(chunker: Breakpoint) -> bool:
    """Return whether a chunker's score is a plain distance, which can also be shown as a similarity."""
    return chunker.rule.score_name == "distance"


def read_as_similarity(chunking: Chunking) -> Chunking:
    """Convert a result's distances and thresholds to similarities; see `has_similarity_reading` for supported chunkers."""
    (curve,) = chunking.curves
    similarities = replace(
        curve,
        label="similarity",
        scores=tuple(1 - score for score in curve.scores),
        lines=tuple(replace(line, level=1 - line.level) for line in curve.lines),
        cut_above=False,
        null=None if curve.null is None else Band(1 - curve.null.high, 1 - curve.null.low),
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
