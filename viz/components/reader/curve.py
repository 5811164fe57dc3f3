"""The score curve of a result and its threshold lines, as sent to the browser."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from chunkers import Chunker, Chunking, Curve
from chunkers.results.result import Line
from chunkers.support.arrays import FloatArray
from viz.components.reader.payload import CurveData, LineData
from viz.components.verdicts import verdict_data, verdicts_of

MOST_REASONS = 2000
"""Most gaps for which all reasons are sent; in longer texts, only cuts have reasons, as labels of the segments."""

_ROUNDING = 2e-6
"""Upper bound of the change in the distance between two numbers when both are rounded to six decimals."""


_NO_AMOUNT = 987.123
"""A placeholder for the amount that no description contains otherwise; its position is the amount's."""


def curve_of(chunker: Chunker, chunking: Chunking, movable: bool) -> CurveData | None:
    """Return the payload of a result's score curve, or None if the result has no scores.

    If ``movable``, the threshold lines can be dragged.
    """
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
            "level": short(line.level),
            "parameter": line.parameter,
            "value": _value(chunker, line),
            "stops": [(amount, short(level)) for amount, level in some],
            "around": _around(chunker, line.parameter) if some else None,
        }
        for line, some in zip(curve.lines, stops, strict=True)
        if not math.isnan(line.level)
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
        "null": None if curve.null is None else (curve.null.low, curve.null.high),
    }


def shortener(scores: Sequence[float], levels: Sequence[float]) -> Callable[[float], float]:
    """Return a function that rounds numbers to six decimals unless that would change what the browser shows.

    If a score and a level differ by less than the rounding, both keep all decimals, so that the score stays on the same
    side of the level. A number that would end in the digit 5 keeps more decimals, because rounding it again in the browser
    could otherwise differ from rounding the full number.
    """
    ours, theirs = (np.unique([number for number in values if not math.isnan(number)]) for values in (scores, levels))
    full = _nearly_equal(ours, theirs) | _nearly_equal(theirs, ours)

    def short(number: float) -> float:
        return number if number in full else _rounded(number)

    return short


def _nearly_equal(numbers: FloatArray, others: FloatArray) -> set[float]:
    """Return the numbers less than `_ROUNDING` from one of ``others`` but not equal to it; both arrays ascend."""
    before = np.concatenate([[-np.inf], others])[np.searchsorted(others, numbers, side="left")]
    after = np.concatenate([others, [np.inf]])[np.searchsorted(others, numbers, side="right")]
    return set(numbers[np.minimum(numbers - before, after - numbers) < _ROUNDING].tolist())


def _rounded(number: float) -> float:
    written = f"{number:.6f}"
    decimals = 6
    while written[-1] in "05" and written.rstrip("0")[-1] == "5":
        decimals += 1
        if decimals > 16:
            return number
        written = f"{number:.{decimals}f}"
    return float(written)


def _value(chunker: Chunker, line: Line) -> float:
    """Return the value of the parameter that moves a line, or the line's level if the parameter is not set."""
    value: float | None = getattr(chunker, line.parameter)
    return line.level if value is None else value


def _around(chunker: Chunker, parameter: str) -> tuple[str, str] | None:
    """Return the chunker's description before and after the parameter's value; None unless it has the value once."""
    described = chunker.model_copy(update={parameter: _NO_AMOUNT}).describe().split(f"{_NO_AMOUNT:g}")
    return (described[0], described[1]) if len(described) == 2 else None


def _stops(chunker: Chunker, curve: Curve, parameter: str) -> list[tuple[float, float]]:
    """Return the amounts to which the line can be dragged (the slider's steps), each with its level."""
    spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == parameter)
    levels = chunker.levels(parameter, spec.stops, curve.scores)
    return [(amount, level) for amount, level in zip(spec.stops, levels, strict=True) if not math.isnan(level)]
