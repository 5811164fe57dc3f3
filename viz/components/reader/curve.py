"""The curve of a result and the lines on it, as the browser draws them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from chunkers import Chunker, Chunking, Curve
from chunkers.arrays import FloatArray
from viz.components.reader.payload import CurveData, LineData
from viz.components.verdicts import verdict_data, verdicts_of

MOST_REASONS = 2000
"""Gaps up to which every reason is sent; beyond, only those of the cuts are."""

_ROUNDING = 2e-6
"""More than rounding two numbers to six decimals moves them towards each other."""


def curve_of(chunker: Chunker, chunking: Chunking, movable: bool) -> CurveData | None:
    """Return the curve of a result, its verdicts and its lines, which can be dragged where they are ``movable``."""
    if not chunking.curves or not chunking.curves[0].scores:
        return None
    curve = chunking.curves[0]
    at_gaps = [gap for gap in chunking.gaps if gap.offset is None]
    verdicts, verdict_of = verdicts_of(at_gaps)
    stops = [_stops(chunker, curve, line.parameter) if movable else [] for line in curve.lines]
    levels = [line.level for line in curve.lines] + [level for some in stops for _, level in some]
    short = shortener(curve.scores, levels)
    lines: list[LineData] = [
        {
            "label": line.label,
            "level": None if math.isnan(line.level) else short(line.level),
            "parameter": line.parameter,
            "value": getattr(chunker, line.parameter),
            "stops": [(amount, short(level)) for amount, level in some],
        }
        for line, some in zip(curve.lines, stops, strict=True)
    ]
    return {
        "label": curve.label,
        "scores": [None if math.isnan(score) else short(score) for score in curve.scores],
        "above": curve.cut_above,
        "live": curve.live,
        "constrained": any(verdict.is_sized for verdict in {gap.verdict for gap in chunking.gaps}),
        "verdicts": [verdict_data(verdict) for verdict in verdicts],
        "verdictOf": verdict_of,
        "reasons": [gap.reason for gap in at_gaps] if len(at_gaps) <= MOST_REASONS else None,
        "lines": lines,
    }


def shortener(scores: Sequence[float], levels: Sequence[float]) -> Callable[[float], float]:
    """Return what gives a score or a level six decimals, and more where else the browser would say or decide something else.

    Where a score and a level are no more than a rounding apart, both keep all decimals, so that each stays on its side. One
    that ends in a 5 after six decimals has as many as it takes to end in another digit: rounded again to fewer, as in a
    sentence, it would not always go the way of the full one.
    """
    ours, theirs = (np.unique([number for number in some if not math.isnan(number)]) for some in (scores, levels))
    full = _beside(ours, theirs) | _beside(theirs, ours)

    def short(number: float) -> float:
        return number if number in full else _rounded(number)

    return short


def _beside(some: FloatArray, others: FloatArray) -> set[float]:
    """Return those of ``some`` that lie within a rounding of one of ``others`` and are not equal to it; both ascend."""
    before = np.concatenate([[-np.inf], others])[np.searchsorted(others, some, side="left")]
    after = np.concatenate([others, [np.inf]])[np.searchsorted(others, some, side="right")]
    return set(some[np.minimum(some - before, after - some) < _ROUNDING].tolist())


def _rounded(number: float) -> float:
    written = f"{number:.6f}"
    decimals = 6
    while written[-1] in "05" and written.rstrip("0")[-1] == "5":
        decimals += 1
        if decimals > 16:
            return number
        written = f"{number:.{decimals}f}"
    return float(written)


def _stops(chunker: Chunker, curve: Curve, parameter: str) -> list[tuple[float, float]]:
    """Return the amounts that the line can be let go at, each with its level: the steps of the slider."""
    spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == parameter)
    levels = chunker.levels(parameter, spec.stops, curve.scores)
    return [(amount, level) for amount, level in zip(spec.stops, levels, strict=True) if not math.isnan(level)]
