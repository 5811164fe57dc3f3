"""Verdicts as sent to the browser; each payload describes its verdicts, so that scripts need no fixed order."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from typing import TypedDict

from chunkers import Gap, Verdict


class VerdictData(TypedDict):
    """A verdict on a gap as sent to the browser.

    Attributes
    ----------
    name
        The verdict in words, such as ``rejected: below minimum size``.
    cut
        True if a chunk ends at the gap.
    sized
        True if a size limit overruled the score.
    overruled
        True if anything overruled the score: a size limit, or pass two.
    """

    name: str
    cut: bool
    sized: bool
    overruled: bool


def verdict_data(verdict: Verdict) -> VerdictData:
    """Return a verdict on a gap as a payload for the browser."""
    return {
        "name": str(verdict),
        "cut": verdict.is_cut,
        "sized": verdict.is_sized,
        "overruled": verdict.is_overruled,
    }


def verdicts_of(gaps: Sequence[Gap], order: Iterable[Verdict] = Verdict) -> tuple[list[Verdict], str]:
    """Return the distinct verdicts in the given ``order``, and a string with each gap's verdict index as one digit.

    A string of digits is half the size of a list of numbers. Scripts rely on no order, since each payload has its own list.
    """
    occur = {gap.verdict for gap in gaps}
    verdicts = [verdict for verdict in order if verdict in occur]
    digit = dict(zip(verdicts, string.digits, strict=False))
    return verdicts, "".join([digit[gap.verdict] for gap in gaps])
