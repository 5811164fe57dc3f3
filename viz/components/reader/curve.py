"""The curve of a result and the lines on it, as the browser draws them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from chunkers import Chunker, Chunking, Curve
from viz.components.reader.payload import CurveData, LineData
from viz.components.verdicts import verdict_data, verdicts_of

MOST_REASONS = 2000
"""Gaps up to which every reason is sent; beyond, only those of the cuts are."""


def curve_of(chunker: Chunker, chunking: Chunking, movable: bool) -> CurveData | None:
    """Return the curve of a result, its verdicts and its lines, which can be dragged where they are ``movable``."""
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
    """Return the scores with six decimals, and more where the browser would else say or decide otherwise than the server.

    A score next to a level keeps all of its decimals, so that it stays on its side. One that ends in a 5 after six of them
    has as many as it takes to end in another digit: rounded again to fewer, it would not always go the way of the full one.
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
    """Return where a line lies, and where it can."""
    return [*([] if line["level"] is None else [line["level"]]), *(level for _, level in line["stops"])]


def _stops(chunker: Chunker, curve: Curve, parameter: str) -> list[tuple[float, float]]:
    """Return the amounts that the line can be let go at, each with its level: the steps of the slider."""
    spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == parameter)
    levels = chunker.levels(parameter, spec.stops, curve.scores)
    return [(amount, level) for amount, level in zip(spec.stops, levels, strict=True) if not math.isnan(level)]
