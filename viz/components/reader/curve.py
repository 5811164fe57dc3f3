"""The score curve of a result and its threshold lines, as sent to the browser."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from chunkers import Chunker, Chunking, Curve
from viz.components.reader.payload import CurveData, LineData
from viz.components.verdicts import verdict_data, verdicts_of

MOST_REASONS = 2000
"""Most gaps for which all reasons are sent; with more, only cuts carry theirs, as the labels of the segments."""


def curve_of(chunker: Chunker, chunking: Chunking, movable: bool) -> CurveData | None:
    """Return the curve of a result with its verdicts and threshold lines, or None if the result has no scores.

    If ``movable``, the lines can be dragged.
    """
    if not chunking.curves or not chunking.curves[0].scores:
        return None
    curve = chunking.curves[0]
    at_gaps = [gap for gap in chunking.gaps if gap.offset is None]
    verdicts, verdict_of = verdicts_of(at_gaps)
    lines: list[LineData] = [
        {
            "label": line.label,
            "level": None if math.isnan(line.level) else line.level,
            "parameter": line.parameter,
            "value": getattr(chunker, line.parameter),
            "stops": _stops(chunker, curve, line.parameter) if movable else [],
        }
        for line in curve.lines
    ]
    return {
        "label": curve.label,
        "scores": rounded(curve.scores, [level for line in lines for level in _levels(line)]),
        "above": curve.cut_above,
        "live": curve.live,
        "constrained": any(gap.verdict.is_sized for gap in chunking.gaps),
        "verdicts": [verdict_data(verdict) for verdict in verdicts],
        "verdictOf": verdict_of,
        "reasons": [gap.reason for gap in at_gaps] if len(at_gaps) <= MOST_REASONS else None,
        "lines": lines,
    }


def rounded(scores: Sequence[float], levels: Iterable[float]) -> list[float | None]:
    """Round the scores to six decimals, keeping more where the browser would otherwise show or decide something else.

    A score next to a level keeps all its decimals, so that it stays on the same side of the level. A score whose last
    decimal would be a 5 keeps as many as it takes to end in another digit: when the browser rounds it again to fewer
    decimals, the result could otherwise differ from rounding the full score.
    """
    full, steps = np.asarray(scores), np.sort(np.asarray([-np.inf, *levels, np.inf]))
    after = np.searchsorted(steps[1:-1], full) + 1
    close = np.minimum(full - steps[after - 1], steps[after] - full) < 1e-6
    return [score if near else _rounded(score) for score, near in zip(scores, close.tolist(), strict=True)]


def _rounded(score: float) -> float | None:
    if math.isnan(score):
        return None
    for decimals in range(6, 17):
        written = f"{score:.{decimals}f}"
        if not written.rstrip("0").endswith("5"):
            return float(written)
    return score


def _levels(line: LineData) -> list[float]:
    """Return the level of a line and all levels that it can be dragged to."""
    return [*([] if line["level"] is None else [line["level"]]), *(level for _, level in line["stops"])]


def _stops(chunker: Chunker, curve: Curve, parameter: str) -> list[tuple[float, float]]:
    """Return the amounts at which the line can be dropped, which are the steps of the slider, each with its level."""
    spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == parameter)
    levels = chunker.levels(parameter, spec.stops, curve.scores)
    return [(amount, level) for amount, level in zip(spec.stops, levels, strict=True) if not math.isnan(level)]
