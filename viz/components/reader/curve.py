"""The curve of a result and the lines on it, as the browser draws them."""

from __future__ import annotations

import math
from typing import Any

from chunkers import Chunker, Chunking, Curve, Verdict

MOST_REASONS = 2000
"""Gaps up to which every reason is sent; beyond, only those of the cuts are."""

_VERDICTS = {verdict: number for number, verdict in enumerate(Verdict)}


def curve_of(chunker: Chunker, chunking: Chunking, movable: bool) -> dict[str, Any] | None:
    """Return the curve of a result, its verdicts and its lines, which can be dragged where they are ``movable``."""
    if not chunking.curves or not chunking.curves[0].scores:
        return None
    curve = chunking.curves[0]
    at_gaps = [gap for gap in chunking.gaps if gap.offset is None]
    few = len(at_gaps) <= MOST_REASONS
    return {
        "label": curve.label,
        "scores": [None if math.isnan(score) else round(score, 6) for score in curve.scores],
        "above": curve.cut_above,
        "live": curve.live,
        "constrained": any(gap.verdict in (Verdict.REJECTED, Verdict.FORCED) for gap in chunking.gaps),
        "verdicts": [_VERDICTS[gap.verdict] for gap in at_gaps],
        "verdictNames": [str(verdict) for verdict in Verdict],
        "reasons": [gap.reason for gap in at_gaps] if few else None,
        "lines": [
            {
                "label": line.label,
                "level": None if math.isnan(line.level) else line.level,
                "parameter": line.parameter,
                "value": getattr(chunker, line.parameter),
                "stops": _stops(chunker, curve, line.parameter) if movable else [],
            }
            for line in curve.lines
        ],
    }


def _stops(chunker: Chunker, curve: Curve, parameter: str) -> list[list[float]]:
    """Return the amounts that the line can be let go at, each with its level: the steps of the slider."""
    spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == parameter)
    levels = chunker.levels(parameter, spec.stops, curve.scores)
    return [[amount, level] for amount, level in zip(spec.stops, levels, strict=True) if not math.isnan(level)]
