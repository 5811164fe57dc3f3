"""Search for the parameter value that would reverse the verdict on a gap, checked by running the chunker with it."""

from __future__ import annotations

from collections.abc import Callable

from chunkers.contract.base import Chunker, FieldSpec, Tipping
from chunkers.contract.tools import Tools
from chunkers.results.result import Chunking, Gap
from chunkers.support.errors import ParameterError

MOST_PROVEN = 5_000
"""Most sentences of a text in which a suggestion is proven by running the chunker; without proof it is not made."""


def spec_of(chunker: Chunker, parameter: str) -> FieldSpec:
    """Return the declaration of a parameter, given the values of the others."""
    return next(spec for spec in chunker.fields(chunker.model_dump()) if spec.name == parameter)


def nearest_stop(spec: FieldSpec, present: float, changes: Callable[[float], bool]) -> float | None:
    """Return the stop nearest to the present value for which ``changes`` holds, the higher of two; None if there is none."""
    others = sorted((abs(stop - present), -stop) for stop in spec.stops if stop != present)
    return next((-stop for _, stop in others if changes(-stop)), None)


def next_stop(spec: FieldSpec, score: float, above: bool) -> float | None:
    """Return the least stop of at least ``score``, or, unless ``above``, the greatest below it; None without one."""
    stops = [stop for stop in spec.stops if (stop >= score if above else stop < score)]
    return (min(stops) if above else max(stops)) if stops else None


def is_proven(chunker: Chunker, chunking: Chunking, gap: Gap, tipping: Tipping, tools: Tools) -> bool:
    """Return whether running the chunker with the value changes the verdict, and with the stop before it does not.

    False in a text of more than `MOST_PROVEN` sentences, where the runs would take too long.
    """
    if len(chunking.document.sentences) > MOST_PROVEN:
        return False
    present = getattr(chunker, tipping.parameter)
    stops = spec_of(chunker, tipping.parameter).stops
    between = [stop for stop in stops if min(present, tipping.value) < stop < max(present, tipping.value)]
    before = (max(between) if tipping.value > present else min(between)) if between else None
    if _is_cut(chunker, tipping.parameter, tipping.value, chunking, gap, tools) != tipping.cuts:
        return False
    return before is None or _is_cut(chunker, tipping.parameter, before, chunking, gap, tools) != tipping.cuts


def _is_cut(chunker: Chunker, parameter: str, value: float, chunking: Chunking, gap: Gap, tools: Tools) -> bool | None:
    """Return whether the gap is cut with another value; None where the chunker does not take the value."""
    try:
        other = type(chunker)(**{**chunker.model_dump(), parameter: value})
    except ParameterError:
        return None
    gaps = other.chunk(chunking.document, tools).gaps
    return any(one.verdict.is_cut for one in gaps if (one.index, one.offset) == (gap.index, gap.offset))
