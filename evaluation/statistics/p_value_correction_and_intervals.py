"""Significance level, Holm's correction, the fewest values with which a difference can be significant, and intervals."""

from collections.abc import Sequence
from math import ceil, inf, log2, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from chunkers.support import FloatArray, pluralize

ALPHA = 0.05
"""The share of comparisons without a difference in which one may be found, all comparisons taken together."""

CONFIDENCE_LEVEL = 1 - ALPHA
"""Confidence level of intervals."""

FEWEST_VALUES = 6
"""The smallest number of questions, documents or sections with a verdict or an interval: 2 / 2⁶ is below 5 %, 2 / 2⁵ not."""

FEWEST_DRAWS = 10_000
"""Random sign flips, where there are too many to try all."""

MOST_SUBSETS = 2**16
"""Sign flips up to which all are tried."""

FALSE_VERDICT_SENTENCE = (
    "Where no chunker is better than another, one is called significantly better at most 5 times in 100."
)
"""The error rate of a verdict, beside every one; `benchmarks.verdict_error_rates` measures it."""


class CorrectedP(NamedTuple):
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


def holm_correction(p_values: Sequence[float]) -> list[CorrectedP]:
    """Correct p-values for multiple comparisons by Holm's step-down procedure, keeping their order.

    The i-th smallest of m p-values, counted from 0, is multiplied by m - i. A corrected p-value is at most 1, and never
    below the corrected p-value of a smaller one. If results below 5 % are called significant, the chance of any false result
    is at most 5 %, however the p-values depend on each other. The level of a significant result is 5 % / (m - i). All other
    results have the level at which the procedure stopped. An interval at this level therefore excludes 0 exactly if the
    corrected p-value is below 5 %.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
    """
    ascending_p_value_indexes = sorted(range(len(p_values)), key=lambda number: p_values[number])
    corrected_p_values = [CorrectedP(1.0, ALPHA)] * len(ascending_p_value_indexes)
    largest_adjusted_p_value, alpha_where_holm_stopped = 0.0, None
    for ascending_rank, original_comparison_index in enumerate(ascending_p_value_indexes):
        remaining_comparison_count = len(ascending_p_value_indexes) - ascending_rank
        largest_adjusted_p_value = max(
            largest_adjusted_p_value, min(1.0, remaining_comparison_count * p_values[original_comparison_index])
        )
        if alpha_where_holm_stopped is None and largest_adjusted_p_value >= ALPHA:
            alpha_where_holm_stopped = ALPHA / remaining_comparison_count
        corrected_p_values[original_comparison_index] = CorrectedP(
            largest_adjusted_p_value,
            ALPHA / remaining_comparison_count if alpha_where_holm_stopped is None else alpha_where_holm_stopped,
        )
    return corrected_p_values


def fewest_values_needed(comparison_count: int = 1) -> int:
    """Return the smallest number of questions with which one of several comparisons can be significant.

    The lowest p-value of n sign flips is 2 / 2ⁿ, which Holm's procedure multiplies by the number of comparisons.
    """
    return max(FEWEST_VALUES, ceil(log2(2 * max(1, comparison_count) / ALPHA)))


def sign_flip_draws_needed(comparison_count: int) -> int:
    """Return the number of random sign flips needed for a corrected p-value as low as 1.25 %."""
    return max(FEWEST_DRAWS, ceil(8 * comparison_count / ALPHA))


def too_few_values_sentence(comparison_count: int, value_count: int, unit_noun: str = "question") -> str:
    """Return a sentence on the number of questions, or other units, that a significant difference requires."""
    available_count_phrase = f"there {'is' if value_count == 1 else 'are'} {value_count:,}"
    if comparison_count < 2:
        return f"A significant difference takes at least {pluralize(FEWEST_VALUES, unit_noun)}; {available_count_phrase}."
    return (
        f"Among {comparison_count:,} comparisons (Holm's correction), a significant difference takes at least "
        f"{pluralize(fewest_values_needed(comparison_count), unit_noun)}; {available_count_phrase}."
    )


def format_p_value(p: float, is_corrected: bool = False) -> str:
    """Format a p-value with two significant digits, or more if needed to show whether it is below 5 %."""
    significant_digit_count = next((count for count in range(2, 17) if (float(f"{p:.{count}g}") < ALPHA) == (p < ALPHA)), 17)
    return f"{'adjusted ' if is_corrected else ''}p = {p:.{significant_digit_count}g}"


def format_confidence_level(alpha: float) -> str:
    """Format a confidence level in percent, such as ``95 %`` or ``99.72 %``."""
    return f"{100 * (1 - alpha):.4g} %"


# Confidence interval of a mean whose values have a known range.


def compute_confidence_interval_of_mean(
    values: FloatArray, lowest_possible_value: float = 0.0, highest_possible_value: float = 1.0
) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of the mean of values between the two bounds, ignoring NaN.

    Student's t interval over the values plus one ``lowest_possible_value`` and one ``highest_possible_value``, clipped to
    the range. Few values, or many equal values, say little about rare values outside the sample. Agresti and Coull similarly
    add two successes and two failures to a proportion. `benchmarks.verdict_error_rates` measures the coverage of the
    interval.

    Returns None with fewer than `FEWEST_VALUES` values.
    """
    defined_values = values[~np.isnan(values)]
    if len(defined_values) < FEWEST_VALUES:
        return None
    padded_lower_end, padded_upper_end = compute_interval_with_added_extremes(
        defined_values, lowest_possible_value, highest_possible_value
    )
    # All values at one end have their mean there; sums may miss it by a rounding.
    mean_of_defined_values = float(defined_values.mean())
    return max(lowest_possible_value, min(padded_lower_end, mean_of_defined_values)), min(
        highest_possible_value, max(padded_upper_end, mean_of_defined_values)
    )


def compute_interval_with_added_extremes(
    values: FloatArray, lowest_possible_value: float, highest_possible_value: float, alpha: float = ALPHA
) -> tuple[float, float]:
    """Return Student's confidence interval of the mean, with the lowest and the highest possible value added once each."""
    padded_value_count = len(values) + 2
    # Summed so that the interval of the negative values is exactly the negative one.
    padded_values_mean = (float(values.sum()) + (lowest_possible_value + highest_possible_value)) / padded_value_count
    squared_deviation_sum = float(((values - padded_values_mean) ** 2).sum()) + (
        (lowest_possible_value - padded_values_mean) ** 2 + (highest_possible_value - padded_values_mean) ** 2
    )
    interval_half_width = students_t_quantile(1 - alpha / 2, padded_value_count - 1) * sqrt(
        squared_deviation_sum / (padded_value_count - 1) / padded_value_count
    )
    return padded_values_mean - interval_half_width, padded_values_mean + interval_half_width


def students_t_quantile(probability: float, degrees_of_freedom: int) -> float:
    """Return a quantile of Student's t distribution.

    The probability must be at least 0.5, and the degrees of freedom at least 7.

    The result is an expansion about the normal quantile. From 7 degrees of freedom on, its error is below 0.01 % at 97.5 %.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.5.
    """
    if probability >= 1:
        return inf
    normal_quantile = NormalDist().inv_cdf(probability)
    t_quantile_expansion_terms = (
        normal_quantile,
        (normal_quantile**3 + normal_quantile) / 4,
        (5 * normal_quantile**5 + 16 * normal_quantile**3 + 3 * normal_quantile) / 96,
        (3 * normal_quantile**7 + 19 * normal_quantile**5 + 17 * normal_quantile**3 - 15 * normal_quantile) / 384,
        (
            79 * normal_quantile**9
            + 776 * normal_quantile**7
            + 1482 * normal_quantile**5
            - 1920 * normal_quantile**3
            - 945 * normal_quantile
        )
        / 92160,
    )
    return sum(
        (term / float(degrees_of_freedom) ** power for power, term in enumerate(t_quantile_expansion_terms)), start=0.0
    )
