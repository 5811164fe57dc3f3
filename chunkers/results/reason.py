"""Reasons for decisions: the numbers compared, and their wording as a sentence."""

from typing import Literal, NamedTuple

from chunkers.support.formatting import signed

Relation = Literal["", ">", "≤", "<", "≥", "=", "largest", "lowest"]
"""Relation of a score to its threshold: `=` if they differ only by rounding; the last two relate it to the other possible
cuts."""


class Reason(NamedTuple):
    """The last step of a decision, linked to the steps before it.

    Attributes
    ----------
    score_name, score
        Name and value of the score; None if there is no score.
    relation, threshold_name, threshold
        Comparison and threshold, named if a chunker has several thresholds; None for no comparison.
    remark
        Further explanation; the whole reason if there is no score.
    heading
        The part of the chunker's work that the step belongs to, or its place: ``pass one``, ``inside sentence 3``.
    earlier
        The step before this one, such as the score's decision before a size limit.
    short
        A shorter wording of the step; empty if `brief` derives one.
    """

    # A link and not a list, as each further object burdens the garbage collector and a long text has a reason per gap.
    score_name: str = ""
    score: float | None = None
    relation: Relation = ""
    threshold: float | None = None
    threshold_name: str = ""
    remark: str = ""
    heading: str = ""
    earlier: "Reason | None" = None
    short: str = ""

    def __str__(self) -> str:
        """Return the decision in words, numbers included."""
        name, score, relation, threshold, threshold_name, remark, heading, earlier, _ = self
        words = remark
        if score is not None:
            if threshold is not None:
                left, right = (signed(score, ".2f"),) * 2 if relation == "=" else told_apart(score, threshold)
                words = f"{name} {left} {relation} {f'{threshold_name} ' if threshold_name else ''}{right}".lstrip()
            else:
                number = signed(score, ".2f")
                words = f"its {relation} {name}, {number}, is here" if relation else f"{name} {number}"
            if remark:
                words = f"{words}, {remark}"
        if heading:
            words = f"{heading}: {words}"
        return f"{earlier}; {words}" if earlier is not None else words

    def brief(self) -> str:
        """Return the deciding step in a few words, short enough to compare chunkers side by side."""
        if self.short or self.score is None:
            return self.short or self.remark
        if self.threshold is None:
            return f"{self.relation} {self.score_name} {signed(self.score, '.2f')}".lstrip()
        same = self.relation == "="
        left, right = (signed(self.score, ".2f"),) * 2 if same else told_apart(self.score, self.threshold)
        compared = " ".join(part for part in (left, self.relation, self.threshold_name, right) if part)
        return f"{compared}, {self.remark}" if self.remark else compared

    def steps(self) -> "list[Reason]":
        """Return the decision's steps in order, each without the steps before it."""
        return [self] if self.earlier is None else [*self.earlier.steps(), self._replace(earlier=None)]


def chain(*reasons: Reason) -> Reason:
    """Link several reasons into one decision, in the given order."""
    whole, *others = reasons
    for reason in others:
        for step in reason.steps():
            # A pass over a long text links thousands: `_replace` takes several times as long.
            whole = Reason(*step[:7], whole, step.short)
    return whole


def told_apart(score: float, threshold: float) -> tuple[str, str]:
    """Format two numbers with the fewest decimals, from 2 to 17, at which they differ; equal numbers get six decimals.

    Numbers that differ only in later decimals are written with an exponent, and with the fewest digits, from 6 to 17, at
    which they differ. Zero has no sign.
    """
    if score == threshold:
        return signed(score, ".6f"), signed(threshold, ".6f")
    specs = [*(f".{decimals}f" for decimals in range(2, 18)), *(f".{digits}g" for digits in range(6, 18))]
    shown = ((signed(score, spec), signed(threshold, spec)) for spec in specs)
    return next((pair for pair in shown if pair[0] != pair[1]), (signed(score), signed(threshold)))
