"""What a verdict means, as the browser is told: by name, with each payload, so that no script counts verdicts."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from typing import TypedDict

from chunkers import Gap, Verdict


class VerdictData(TypedDict):
    """A verdict.

    Attributes
    ----------
    name
        The verdict in words: ``rejected: below minimum size``.
    cut
        Whether a chunk ends at the gap.
    sized
        Whether a size decided against the score.
    overruled
        Whether anything decided against the score: a size, or pass two.
    """

    name: str
    cut: bool
    sized: bool
    overruled: bool


def verdict_data(verdict: Verdict) -> VerdictData:
    """Return what the browser is told of a verdict."""
    return {
        "name": str(verdict),
        "cut": verdict.is_cut,
        "sized": verdict.is_sized,
        "overruled": verdict.is_overruled,
    }


def verdicts_of(gaps: Sequence[Gap], order: Iterable[Verdict] = Verdict) -> tuple[list[Verdict], str]:
    """Return the verdicts that occur, in ``order``, and for every gap a digit: the place of its verdict among them.

    A digit is half of what a number in a list would weigh. The order means nothing: each payload brings its own.
    """
    occur = {gap.verdict for gap in gaps}
    verdicts = [verdict for verdict in order if verdict in occur]
    digit = dict(zip(verdicts, string.digits, strict=False))
    return verdicts, "".join([digit[gap.verdict] for gap in gaps])
