"""Why a decision was made: the numbers that were compared, and the one place that says them as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Relation = Literal["", ">", "≤", "<", "≥", "largest", "lowest"]
"""How a score stands to its threshold; of the last two, to the other scores that a cut could have been made at."""

_DECIMALS = range(2, 7)


class Reason(NamedTuple):
    """One step of a decision; a gap's reason is made of one or more.

    Attributes
    ----------
    score_name, score
        The number that was looked at, and what it is called; None where there is none.
    relation, threshold_name, threshold
        What it was compared with, by name where a chunker has several thresholds; None where nothing was compared.
    remark
        What else there is to say, or all of it where no number was looked at.
    heading
        What a part of a chunker's work the step belongs to, or where it lies: ``pass one``, ``inside sentence 3``.
    """

    score_name: str = ""
    score: float | None = None
    relation: Relation = ""
    threshold: float | None = None
    threshold_name: str = ""
    remark: str = ""
    heading: str = ""

    def __str__(self) -> str:
        """Say the step in words, numbers included."""
        said = ", ".join(filter(None, (self._numbers(), self.remark)))
        return f"{self.heading}: {said}" if self.heading else said

    def _numbers(self) -> str:
        score, threshold = self.score, self.threshold
        if score is None:
            return ""
        if threshold is not None:
            left, right = told_apart(score, threshold)
            return " ".join(filter(None, (self.score_name, left, self.relation, self.threshold_name, right)))
        if self.relation:
            return f"its {self.relation} {self.score_name}, {score:.2f}, is here"
        return f"{self.score_name} {score:.2f}"


def sentence(reasons: Sequence[Reason]) -> str:
    """Say the steps of a decision in their order."""
    return "; ".join(map(str, reasons))


def told_apart(score: float, threshold: float) -> tuple[str, str]:
    """Write two numbers with as many decimals, two to six, as it takes to tell them apart."""
    for decimals in _DECIMALS:
        left, right = f"{score:.{decimals}f}", f"{threshold:.{decimals}f}"
        if left != right:
            break
    return left, right
