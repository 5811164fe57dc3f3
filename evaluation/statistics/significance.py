"""Significance level, Holm's correction, and the smallest samples with which a difference can be significant."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import NamedTuple

from chunkers.support.numbers import counted

ALPHA = 0.05
"""The share of comparisons without a difference in which one may be found, all comparisons taken together."""

LEVEL = 1 - ALPHA
"""Confidence level of intervals."""

FEWEST = 6
"""The smallest number of questions, documents or sections with a verdict or an interval: 2 / 2⁶ is below 5 %, 2 / 2⁵ not."""

DRAWS = 10_000
"""Random sign flips, where there are too many to try all."""

ALL = 2**16
"""Sign flips up to which all are tried."""

FALSE_VERDICTS = "Where no chunker is better than another, one is called significantly better at most 5 times in 100."
"""The error rate of a verdict, beside every one; `benchmarks.verdicts` measures it."""


class Corrected(NamedTuple):
    """P-value corrected for multiple comparisons, with the significance level that the correction implies.

    Attributes
    ----------
    p
        Corrected by Holm's step-down procedure.
    alpha
        The significance level below which the uncorrected p-value is significant.
    """

    p: float
    alpha: float

    @property
    def significant(self) -> bool:
        """True if the corrected p-value is below `ALPHA`."""
        return self.p < ALPHA


def holm(p_values: Sequence[float]) -> list[Corrected]:
    """Correct p-values for multiple comparisons by Holm's step-down procedure, keeping their order.

    The i-th smallest of m p-values, counted from 0, is multiplied by m - i. A corrected p-value is at most 1, and never
    below the corrected p-value of a smaller one. If results below 5 % are called significant, the chance of any false result
    is at most 5 %, however the p-values depend on each other. The level of a significant result is 5 % / (m - i). All other
    results have the level at which the procedure stopped. An interval at this level therefore excludes 0 exactly if the
    corrected p-value is below 5 %.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
    """
    order = sorted(range(len(p_values)), key=lambda number: p_values[number])
    corrected = [Corrected(1.0, ALPHA)] * len(order)
    least, stopped = 0.0, None
    for place, number in enumerate(order):
        left = len(order) - place
        least = max(least, min(1.0, left * p_values[number]))
        if stopped is None and least >= ALPHA:
            stopped = ALPHA / left
        corrected[number] = Corrected(least, ALPHA / left if stopped is None else stopped)
    return corrected


def fewest(comparisons: int = 1) -> int:
    """Return the smallest number of questions with which one of several comparisons can be significant.

    The lowest p-value of n sign flips is 2 / 2ⁿ, which Holm's procedure multiplies by the number of comparisons.
    """
    return max(FEWEST, ceil(log2(2 * max(1, comparisons) / ALPHA)))


def draws_for(comparisons: int) -> int:
    """Return the number of random sign flips needed for a corrected p-value as low as 1.25 %."""
    return max(DRAWS, ceil(8 * comparisons / ALPHA))


def too_few(comparisons: int, count: int, unit: str = "question") -> str:
    """Return a sentence on the number of questions, or other units, that a significant difference requires."""
    available = f"there {'is' if count == 1 else 'are'} {count:,}"
    if comparisons < 2:
        return f"A significant difference takes at least {counted(FEWEST, unit)}; {available}."
    return (
        f"Among {comparisons:,} comparisons (Holm's correction), a significant difference takes at least "
        f"{counted(fewest(comparisons), unit)}; {available}."
    )


def p_words(p: float, corrected: bool = False) -> str:
    """Format a p-value with two significant digits, or more if needed to show whether it is below 5 %."""
    digits = next((count for count in range(2, 17) if (float(f"{p:.{count}g}") < ALPHA) == (p < ALPHA)), 17)
    return f"{'adjusted ' if corrected else ''}p = {p:.{digits}g}"


def level_words(alpha: float) -> str:
    """Format a confidence level in percent, such as ``95 %`` or ``99.72 %``."""
    return f"{100 * (1 - alpha):.4g} %"
