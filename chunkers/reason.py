"""Why a decision was made: the numbers that were compared, and the one place that says them as a sentence."""

from __future__ import annotations

from typing import Literal, NamedTuple

Relation = Literal["", ">", "≤", "<", "≥", "largest", "lowest"]
"""How a score stands to its threshold; of the last two, to the other scores that a cut could have been made at."""


class Reason(NamedTuple):
    """A step of a decision, and the steps before it.

    Attributes
    ----------
    score_name, score
        The number that was looked at, and what it is called; None where there is none.
    relation, threshold_name, threshold
        What it was compared with, by name where a chunker has several thresholds; None where nothing was compared.
    remark
        What else there is to say, or all of it where no number was looked at.
    heading
        What part of a chunker's work the step belongs to, or where it lies: ``pass one``, ``inside sentence 3``.
    earlier
        The step before, of a decision of several: what the score said, where this one is what a size made of it.
    """

    # A link, because every object more is one more for the garbage collector, and a long text has a reason for each gap.
    score_name: str = ""
    score: float | None = None
    relation: Relation = ""
    threshold: float | None = None
    threshold_name: str = ""
    remark: str = ""
    heading: str = ""
    earlier: Reason | None = None

    def __str__(self) -> str:
        """Say the decision in words, numbers included."""
        name, score, relation, threshold, threshold_name, remark, heading, earlier = self
        said = remark
        if score is not None:
            if threshold is not None:
                left, right = told_apart(score, threshold)
                said = f"{name} {left} {relation} {f'{threshold_name} ' if threshold_name else ''}{right}".lstrip()
            else:
                said = f"its {relation} {name}, {score:.2f}, is here" if relation else f"{name} {score:.2f}"
            if remark:
                said = f"{said}, {remark}"
        if heading:
            said = f"{heading}: {said}"
        return f"{earlier}; {said}" if earlier is not None else said

    def steps(self) -> list[Reason]:
        """Return the steps of the decision in their order, this one last, each without those before it."""
        return [self] if self.earlier is None else [*self.earlier.steps(), self._replace(earlier=None)]


def chain(*reasons: Reason) -> Reason:
    """Return one decision of all their steps, in this order."""
    first, *others = [step for reason in reasons for step in reason.steps()]
    whole = first
    for step in others:
        whole = step._replace(earlier=whole)
    return whole


def told_apart(score: float, threshold: float) -> tuple[str, str]:
    """Write two numbers with as many decimals, two to six, as it takes to tell them apart."""
    left, right = f"{score:.2f}", f"{threshold:.2f}"
    for decimals in range(3, 7):
        if left != right:
            break
        left, right = f"{score:.{decimals}f}", f"{threshold:.{decimals}f}"
    return left, right
