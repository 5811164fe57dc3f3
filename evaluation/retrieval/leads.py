"""The leader at each budget, with all comparisons corrected together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil

import numpy as np

from chunkers.arrays import FloatArray
from chunkers.numbers import counted, rounded_up
from evaluation.retrieval.bootstrap import LEVEL, RESAMPLES, Difference, holm, paired_all, questions_to_tell
from evaluation.retrieval.measures import mean_and_deviation

_FINENESS = 4
"""Factor by which the smallest possible adjusted p-value must lie below the level, so that the resamples decide nothing."""


@dataclass(frozen=True)
class Comparison:
    """Two chunkers at a budget.

    Attributes
    ----------
    difference
        Of the first to the second.
    adjusted
        Its p-value, adjusted for all comparisons of all budgets.
    """

    difference: Difference
    adjusted: float

    @property
    def told(self) -> bool:
        """True if the difference is significant, by the adjusted p-value and by the interval."""
        return self.adjusted < 1 - LEVEL and self.difference.told


@dataclass(frozen=True)
class Lead:
    """The leader at one budget.

    Attributes
    ----------
    best
        The number of the chunker with the highest mean, the first of equal ones.
    mean
        Its mean.
    rival
        The best of the others from which it cannot be told; if it can be told from all, the next best.
    comparison
        Of the best and the rival; None if too few questions have both.
    needed
        The number of questions it would take to tell them apart, this one comparison alone; None if they are level.
    behind
        The numbers of the others from which it can be told, the next best first.
    others
        The number of the others.
    """

    best: int
    mean: float
    rival: int
    comparison: Comparison | None
    needed: int | None
    behind: tuple[int, ...]
    others: int

    @property
    def told(self) -> bool:
        """True if the lead over every other chunker is significant."""
        return len(self.behind) == self.others


@dataclass(frozen=True)
class Leads:
    """The leaders at all budgets.

    Attributes
    ----------
    names
        The chunkers'.
    measure
        What it is called in sentences.
    unit
        Of the budgets.
    leads
        By budget, without those at which fewer than two chunkers have a mean.
    comparisons
        How many were made: of every two chunkers at every budget.
    """

    names: tuple[str, ...]
    measure: str
    unit: str
    leads: Mapping[int, Lead]
    comparisons: int

    @classmethod
    def of(
        cls, names: Sequence[str], measure: str, unit: str, values: Mapping[int, Sequence[FloatArray]], seed: int = 0
    ) -> Leads:
        """Compare the chunkers of these names at every budget.

        ``values`` have for each budget the measure of every chunker, each of shape (questions,), NaN where undefined. Any
        chunker may turn out to be the best, so all pairs are compared, and all count for Holm's step-down. A budget's means
        and differences are over the same questions: those on which every chunker has the measure that has it anywhere.
        """
        values = {size: on_same_questions(measured) for size, measured in values.items()}
        pairs = [(size, one, other) for size in values for one, other in combinations(range(len(names)), 2)]
        rows = np.array([values[size][one] - values[size][other] for size, one, other in pairs])
        resamples = max(RESAMPLES, ceil(2 * _FINENESS * len(pairs) / (1 - LEVEL)))
        differences = {key: found for key, found in zip(pairs, paired_all(rows, seed, resamples), strict=True) if found}
        adjusted = dict(zip(differences, holm([one.p for one in differences.values()]), strict=True))

        def compare(size: int, one: int, other: int) -> Comparison | None:
            key = (size, min(one, other), max(one, other))
            if key not in differences:
                return None
            difference = differences[key] if one < other else differences[key].reversed()
            return Comparison(difference, adjusted[key])

        leads = {}
        for size, measured in values.items():
            means = {number: found[0] for number, one in enumerate(measured) if (found := mean_and_deviation(one))}
            if len(means) < 2:
                continue
            best, *others = sorted(means, key=lambda number: -means[number])
            compared = {other: compare(size, best, other) for other in others}
            doubted = [other for other, found in compared.items() if found is None or not found.told]
            rival = (doubted or others)[0]
            needed = questions_to_tell(measured[best] - measured[rival])
            behind = tuple(other for other in others if other not in doubted)
            leads[size] = Lead(best, means[best], rival, compared[rival], needed, behind, len(others))
        return cls(tuple(names), measure, unit, leads, len(differences))

    @property
    def told(self) -> tuple[int, ...]:
        """The budgets at which the best can be told from every other."""
        return tuple(size for size, lead in self.leads.items() if lead.told)

    def words(self) -> str:
        """Return in a few sentences who is ahead where, where that can be told, and what it would take where it cannot."""
        if not self.leads:
            return "There is nothing to compare: it takes two chunkers and a question with an excerpt."
        ahead: dict[int, list[int]] = {}
        for size, lead in self.leads.items():
            ahead.setdefault(lead.best, []).append(size)
        where = [f"with {self.names[best]} at {self._sizes(sizes)}" for best, sizes in ahead.items()]
        said = [f"The highest {self.measure} is {_listed(where)}.", self._told()]
        open_sizes = [size for size, lead in self.leads.items() if not lead.told]
        if open_sizes:
            said += [self._behind(size) for size in open_sizes if self.leads[size].behind]
            said.append(self._doubt(open_sizes[0]))
        return " ".join(said)

    def _behind(self, size: int) -> str:
        """Return from which of the others the best can be told, where these are not all."""
        lead = self.leads[size]
        behind = _listed([self.names[number] for number in lead.behind])
        return f"At {self._sizes([size])}, {len(lead.behind)} of {lead.others} others can be told to be behind: {behind}."

    def _told(self) -> str:
        count, told = len(self.leads), self.told
        holms = f"Holm's correction for {counted(self.comparisons, 'comparison')}"
        if count == 1:
            return f"That it is ahead of every other can{'' if told else 'not'} be told ({holms})."
        if not told:
            return f"That the best is ahead of every other can be told at none of the {count} budgets ({holms})."
        if len(told) == count:
            every = "both" if count == 2 else f"all {count}"
            return f"That the best is ahead of every other can be told at {every} budgets ({holms})."
        where = f"{len(told)} of {count} budgets, {self._sizes(told)}"
        return f"That the best is ahead of every other can be told at {where} ({holms})."

    def _doubt(self, size: int) -> str:
        """Return what is seen of a lead that cannot be told, and what it would take."""
        lead = self.leads[size]
        best, rival = self.names[lead.best], self.names[lead.rival]
        if lead.comparison is None:
            return f"At {self._sizes([size])} too few questions have a {self.measure} with {best} and with {rival}."
        one = lead.comparison.difference
        points = "less than 0.1" if one.mean < 0.001 else f"{100 * one.mean:.1f}"
        seen = (
            f"At {self._sizes([size])}, {best} is {points} points ahead of {rival} ({one.interval}, "
            f"adjusted p = {lead.comparison.adjusted:.2g})"
        )
        if lead.needed is None:
            return f"At {self._sizes([size])}, {best} and {rival} are level."
        if lead.needed <= one.questions:
            return (
                f"{seen}: {counted(one.questions, 'question')} may tell that by itself, but not among so many comparisons."
            )
        needed = f"it would take some {rounded_up(lead.needed):,} questions to tell such a difference"
        return f"{seen}: {needed}, and there are {one.questions:,}."

    def _sizes(self, sizes: Sequence[int]) -> str:
        unit = self.unit.removesuffix("s") if list(sizes) == [1] else self.unit
        return f"{_listed([f'{size:,}' for size in sizes])} {unit}"


def on_same_questions(measured: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the values with NaN for all wherever any is undefined; one that is undefined everywhere spoils none."""
    missing = [np.isnan(one) for one in measured if not np.isnan(one).all()]
    lost = np.logical_or.reduce(missing) if missing else True
    return [np.where(lost, np.nan, one) for one in measured]


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
