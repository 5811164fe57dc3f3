"""Tests of the differences of chunkers, paired by questions or by the sections of a text, with their intervals.

If two chunkers are exchangeable, the sign of each question's difference is a coin's. Flipping the signs of a subset of the
questions moves the mean beyond its mirror image exactly if the subset's own mean is on the other side of 0; so p is twice
the share of subsets, the empty one included, whose mean is not above 0, or not below it (Fisher, The Design of Experiments,
1935). The means of the subsets are also the ends of the intervals: how many of them lie below the true mean of symmetric
differences is known exactly, however few questions there are (Hartigan, Using subsample values as typical values, Journal
of the American Statistical Association 64, 1969).

Differences whose mean is 0 need not be exchangeable: if they are skewed, the sign-flip test alone finds too many of them.
Therefore p is the larger of its p-value and that of Hall's test (`halls_skew_corrected_p_values`), and the interval holds 0
if either does not reject it: so it excludes 0 exactly if p is below the level. With several comparisons the level is that of
Holm's correction. Of the variants of Hall's and Johnson's tests that were tried, with Student's quantiles or a skewness that
is estimated otherwise, this one costs the least power of those that hold skewed differences to 7 % in simulations.

Where many differences are equal, subsets know nothing of the rare ones that are not: there the interval is widened, as far
as its verdict permits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, erfc, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from chunkers.support import FloatArray, IntArray, format_number
from evaluation.statistics.p_value_correction_and_intervals import (
    ALPHA,
    CONFIDENCE_LEVEL,
    FEWEST_VALUES,
    MOST_SUBSETS,
    CorrectedP,
    compute_interval_with_added_extremes,
    fewest_values_needed,
    format_confidence_level,
    format_p_value,
    holm_correction,
    sign_flip_draws_needed,
    students_t_quantile,
)

_SUBSETS_PER_BATCH = 1000
_CELLS_PER_BATCH = 10_000_000
_ROUNDING_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Difference:
    """Difference between two chunkers' means over the same questions, with its significance.

    Attributes
    ----------
    mean
        The mean difference; above 0 if the first chunker's mean is higher.
    low, high
        The confidence interval at the level 1 - ``alpha``; it excludes 0 exactly if the difference is significant.
    p
        The two-sided p-value of this comparison alone, from the sign-flip test and Hall's test.
    adjusted
        The p-value corrected for all comparisons (Holm).
    alpha
        The level below which ``p`` is significant: 5 % for a single comparison, at most that for several, by Holm.
    count
        The number of sections, or of questions for which both chunkers have a value.
    comparisons
        The number of comparisons for which p-values are corrected.
    """

    mean: float
    low: float
    high: float
    p: float
    adjusted: float
    alpha: float
    count: int
    comparisons: int = 1

    @property
    def significant(self) -> bool:
        """True if the corrected p-value is below 5 %.

        The interval excludes 0 exactly if the difference is significant.
        """
        return self.adjusted < ALPHA

    def reversed(self) -> "Difference":
        """Return the same comparison with the two chunkers swapped."""
        return Difference(-self.mean, -self.high, -self.low, self.p, self.adjusted, self.alpha, self.count, self.comparisons)

    @property
    def points(self) -> str:
        """Mean difference in percentage points, with its sign."""
        return format_number(100 * self.mean, "+.1f")

    @property
    def interval_phrase(self) -> str:
        """Confidence interval in percentage points, such as ``95 % between −1.2 and +3.4``."""
        return format_interval(self.low, self.high, self.alpha, 100, 1)

    @property
    def p_value_phrase(self) -> str:
        """P-value as text, such as ``p = 0.031``; corrected if there are several comparisons."""
        return format_p_value(self.adjusted, self.comparisons > 1)

    def words(self, chunker_name: str, baseline_name: str, measure: str) -> str:
        """Return the difference as a sentence, in percentage points."""
        if not self.significant:
            return (
                f"{chunker_name}: {measure} is not significantly different from {baseline_name} over {self.count:,} "
                f"questions ({self.points} points, {self.interval_phrase}, {self.p_value_phrase})."
            )
        return (
            f"{chunker_name}: {measure} is significantly {'higher' if self.mean > 0 else 'lower'} than with "
            f"{baseline_name}, by {100 * abs(self.mean):.1f} points over {self.count:,} questions ({self.interval_phrase}, "
            f"{self.p_value_phrase})."
        )


def paired_difference(
    chunker_values: FloatArray, baseline_values: FloatArray, measure_range_width: float = 1.0, seed: int = 0
) -> Difference | None:
    """Return the difference between two chunkers in one measure over the same questions, with its significance.

    Both arrays have shape (questions,). See `corrected_differences_per_comparison`.
    """
    return corrected_differences_per_comparison((chunker_values - baseline_values)[None], measure_range_width, seed)[0]


def corrected_differences_per_comparison(
    differences: FloatArray, measure_range_width: float | Sequence[float] = 1.0, seed: int = 0
) -> list[Difference | None]:
    """Test paired differences between chunkers for significance, corrected for multiple comparisons.

    With up to 16 questions, all sign flips are tried; with more, at least 10,000 random ones. Equal seeds give equal
    results.

    Parameters
    ----------
    differences
        Differences of shape (comparisons, questions). Questions for which a chunker has no value are NaN and are left out.
    measure_range_width
        The largest possible difference, that is, the width of the measure's range, for all comparisons or for each.

    Returns
    -------
    The difference for each comparison; None if there are too few questions for significance.
    """
    return paired_differences_by_family(np.asarray(differences, dtype=float)[None], measure_range_width, seed)[0]


def paired_differences_by_family(
    differences: FloatArray, measure_range_width: float | Sequence[float] = 1.0, seed: int = 0, draw_count: int | None = None
) -> list[list[Difference | None]]:
    """Test several families of paired differences for significance, each family corrected separately.

    ``differences`` has shape (families, comparisons, questions).

    All families use the same ``draw_count``; by default, it is the number of draws that the largest family needs.
    """
    comparison_family_count, comparison_count, _ = differences.shape
    value_width_by_comparison = np.broadcast_to(measure_range_width, comparison_count).tolist()
    test_results_by_family: list[list[Difference | None]] = [
        [None] * comparison_count for _ in range(comparison_family_count)
    ]
    testable_indexes_by_family = [testable_comparison_indexes(family) for family in differences]
    difference_row_per_comparison = [
        differences[place, number] for place, numbers in enumerate(testable_indexes_by_family) for number in numbers
    ]
    tails_of_tested_rows = iter(
        _sign_flip_tails_of_rows(
            difference_row_per_comparison,
            draw_count or sign_flip_draws_needed(max(map(len, testable_indexes_by_family), default=0)),
            seed,
        )
    )
    for family_differences, testable_indexes, family_results in zip(
        differences, testable_indexes_by_family, test_results_by_family, strict=True
    ):
        tails_per_family_comparison = [next(tails_of_tested_rows) for _ in testable_indexes]
        for comparison_index, comparison_tails, corrected_p in zip(
            testable_indexes,
            tails_per_family_comparison,
            holm_correction([tail.p for tail in tails_per_family_comparison]),
            strict=True,
        ):
            defined_differences = family_differences[comparison_index][~np.isnan(family_differences[comparison_index])]
            interval_lower_end, interval_upper_end = _widen_interval_for_equal_values(
                comparison_tails.interval(corrected_p.alpha, value_width_by_comparison[comparison_index]),
                defined_differences,
                corrected_p.alpha,
                value_width_by_comparison[comparison_index],
            )
            family_results[comparison_index] = Difference(
                float(defined_differences.mean()),
                interval_lower_end,
                interval_upper_end,
                comparison_tails.p,
                corrected_p.p,
                corrected_p.alpha,
                len(defined_differences),
                len(testable_indexes),
            )
    return test_results_by_family


def testable_comparison_indexes(differences: FloatArray) -> list[int]:
    """Return the numbers of the comparisons that have enough questions to become significant."""
    defined_question_counts = [int(np.count_nonzero(~np.isnan(row))) for row in differences]
    fewest_questions_needed = fewest_values_needed(sum(count >= FEWEST_VALUES for count in defined_question_counts))
    return [number for number, count in enumerate(defined_question_counts) if count >= fewest_questions_needed]


def format_interval(low: float, high: float, alpha: float, scale_factor: float, decimals: int) -> str:
    """Format a confidence interval and its confidence level, with the ends multiplied by ``scale_factor``."""
    return (
        f"{format_confidence_level(alpha)} between {' and '.join(format_interval_ends(low, high, scale_factor, decimals))}"
    )


def format_interval_ends(low: float, high: float, scale_factor: float, decimals: int) -> tuple[str, str]:
    """Format the ends of an interval, with enough decimals to show whether the interval excludes 0."""

    def formatted_end(value: float) -> str:
        decimal_places = decimals
        while (low > 0 or high < 0) and decimal_places < 12 and float(f"{scale_factor * value:.{decimal_places}f}") == 0:
            decimal_places += 1
        return format_number(scale_factor * value, f"+.{decimal_places}f")

    return formatted_end(low), formatted_end(high)


def share_of_most_frequent(values: FloatArray) -> float:
    """Return the share of values that equal the most frequent value; 1 if all are equal.

    Rows of values are compared as a whole.
    """
    _, value_counts = np.unique(np.round(values, 12), axis=0, return_counts=True)
    return float(value_counts.max() / len(values))


@dataclass(frozen=True)
class _Tails:
    """Means of subsets of a comparison's questions, as far as p-value and interval need them, and Hall's test.

    Attributes
    ----------
    below, above
        Number of subsets with a mean of at most 0, and of at least 0, both including the empty ones.
    empty
        Number of empty subsets: at least the one that stands for the data as they are.
    subsets
        Their number.
    lowest, highest
        The lowest and the highest means of the others, ascending and descending.
    skewed
        The one-sided p-values of Hall's test.
    """

    below: int
    above: int
    empty: int
    subsets: int
    lowest: FloatArray
    highest: FloatArray
    skewed: "OneSidedP"

    @property
    def p(self) -> float:
        """Two-sided p-value of the mean, from the sign-flip test and Hall's test.

        On each side, the larger of the two tests' one-sided p-values counts.
        """
        p_below, p_above = (
            max(self.below / self.subsets, self.skewed.below),
            max(self.above / self.subsets, self.skewed.above),
        )
        return min(1.0, 2 * min(p_below, p_above))

    def interval(self, alpha: float, measure_range_width: float) -> tuple[float, float]:
        """Return the confidence interval of the mean: all means that the sign-flip test does not reject at ``alpha``.

        The p-value of a mean t is 2 (empty + number of means up to t) / subsets, or the same from above. The interval also
        includes 0 if Hall's test does not reject 0.
        """
        index_in_extreme_means = ceil(alpha * self.subsets / 2) - self.empty - 1
        if index_in_extreme_means < 0:
            return -measure_range_width, measure_range_width
        low, high = float(self.lowest[index_in_extreme_means]), float(self.highest[index_in_extreme_means])
        return (
            low if self.skewed.below < alpha / 2 else min(low, 0.0),
            high if self.skewed.above < alpha / 2 else max(high, 0.0),
        )


def _sign_flip_tails_of_rows(rows: Sequence[FloatArray], draw_count: int, seed: int) -> list[_Tails]:
    """Return the tails of each row; rows that are defined on the same questions share their subsets."""
    row_indexes_by_mask: dict[bytes, list[int]] = {}
    for row_index, row in enumerate(rows):
        row_indexes_by_mask.setdefault(np.isnan(row).tobytes(), []).append(row_index)
    tails_by_row: dict[int, _Tails] = {}
    for group_row_indexes in row_indexes_by_mask.values():
        is_difference_defined_at = ~np.isnan(rows[group_row_indexes[0]])
        question_count = int(np.count_nonzero(is_difference_defined_at))
        rows_per_batch = max(
            1, _CELLS_PER_BATCH // (2**question_count if _enumerates_all_subsets(question_count, draw_count) else draw_count)
        )
        for batch_start in range(0, len(group_row_indexes), rows_per_batch):
            row_number_batch = group_row_indexes[batch_start : batch_start + rows_per_batch]
            group_tails = _tails_of_complete_rows(
                np.array([rows[number][is_difference_defined_at] for number in row_number_batch]), draw_count, seed
            )
            tails_by_row.update(zip(row_number_batch, group_tails, strict=True))
    return [tails_by_row[number] for number in range(len(rows))]


def _tails_of_complete_rows(rows: FloatArray, draw_count: int, seed: int) -> Iterator[_Tails]:
    """Yield the tails of each of ``rows``, shape (comparisons, questions), without undefined values."""
    subset_mean_batches, empty_subset_count = [], 0
    for subset_mask_batch in all_or_random_subset_masks(rows.shape[1], draw_count, seed):
        subset_sizes = subset_mask_batch.sum(axis=1)
        is_nonempty_by_subset = subset_sizes > 0
        empty_subset_count += int(np.count_nonzero(~is_nonempty_by_subset))
        subset_mean_batches.append(rows @ subset_mask_batch[is_nonempty_by_subset].T / subset_sizes[is_nonempty_by_subset])
    subset_means_by_row = np.concatenate(subset_mean_batches, axis=1)
    # Sums in another order may miss 0 by a rounding.
    subset_means_by_row[np.abs(subset_means_by_row) <= _ROUNDING_TOLERANCE * np.abs(rows).max(axis=1, keepdims=True)] = 0
    total_subset_count = empty_subset_count + subset_means_by_row.shape[1]
    kept_means_per_tail_count = min(subset_means_by_row.shape[1], ceil(ALPHA * total_subset_count / 2))
    for row_subset_means, halls_test_p_values in zip(subset_means_by_row, halls_skew_corrected_p_values(rows), strict=True):
        nonpositive_mean_count, nonnegative_mean_count = (
            int(np.count_nonzero(row_subset_means <= 0)),
            int(np.count_nonzero(row_subset_means >= 0)),
        )
        row_subset_means.partition((kept_means_per_tail_count - 1, len(row_subset_means) - kept_means_per_tail_count))
        # Copies: a view would keep the means of all rows.
        lowest_means, highest_means = (
            np.sort(row_subset_means[:kept_means_per_tail_count]),
            np.sort(row_subset_means[-kept_means_per_tail_count:])[::-1],
        )
        yield _Tails(
            empty_subset_count + nonpositive_mean_count,
            empty_subset_count + nonnegative_mean_count,
            empty_subset_count,
            total_subset_count,
            lowest_means,
            highest_means,
            halls_test_p_values,
        )


def _enumerates_all_subsets(item_count: int, draw_count: int) -> bool:
    return item_count < 60 and 2**item_count <= max(draw_count, MOST_SUBSETS)


def all_or_random_subset_masks(item_count: int, draw_count: int, seed: int) -> Iterator[FloatArray]:
    """Yield subsets of ``item_count`` items as rows of 0 and 1, up to 1000 rows at a time, including the empty subset.

    All subsets are yielded if their number is at most ``draw_count`` or `MOST_SUBSETS`, whichever is greater; otherwise the
    empty subset and ``draw_count`` random ones.
    """
    if _enumerates_all_subsets(item_count, draw_count):
        for batch_start in range(0, 2**item_count, _SUBSETS_PER_BATCH):
            subset_bitmask_numbers = np.arange(batch_start, min(batch_start + _SUBSETS_PER_BATCH, 2**item_count))
            yield ((subset_bitmask_numbers[:, None] >> np.arange(item_count)) & 1).astype(float)
        return
    random_generator = np.random.default_rng(seed)
    yield np.zeros((1, item_count))
    for batch_start in range(0, draw_count, _SUBSETS_PER_BATCH):
        batch_subset_count = min(_SUBSETS_PER_BATCH, draw_count - batch_start)
        packed_subset_bits = random_generator.integers(0, 256, (batch_subset_count, ceil(item_count / 8)), dtype=np.uint8)
        yield np.unpackbits(packed_subset_bits, axis=1, count=item_count).astype(float)


def _widen_interval_for_equal_values(
    interval: tuple[float, float], paired_differences: FloatArray, alpha: float, measure_range_width: float
) -> tuple[float, float]:
    """Widen an interval where many values are equal, without letting it reach or leave 0.

    By Student's interval of the values and two that stand for those not seen, one above 0 and one below: if all values
    differ, half as large again as the largest; if all are equal, as large as there can be; otherwise between these, by the
    share of the most frequent value. `benchmarks.verdict_error_rates` measures how often the interval holds the true
    difference.
    """
    most_frequent_share = share_of_most_frequent(paired_differences / measure_range_width)
    assumed_unseen_value = (
        min(measure_range_width, 1.5 * float(np.abs(paired_differences).max())) ** (1 - most_frequent_share)
        * measure_range_width**most_frequent_share
    )
    widened_lower_end, widened_upper_end = interval
    lower_end_with_added_extremes, upper_end_with_added_extremes = compute_interval_with_added_extremes(
        paired_differences, -assumed_unseen_value, assumed_unseen_value, alpha
    )
    if widened_lower_end <= 0:
        widened_lower_end = max(-measure_range_width, min(widened_lower_end, lower_end_with_added_extremes))
    if widened_upper_end >= 0:
        widened_upper_end = min(measure_range_width, max(widened_upper_end, upper_end_with_added_extremes))
    return widened_lower_end, widened_upper_end


# Test of a mean whose values are skewed: Student's statistic with its skewness removed.


_NORMAL_VALUE_WITH_ZERO_TAIL = 1e9
"""Standard normal value whose tail is 0."""


class OneSidedP(NamedTuple):
    """One-sided p-values of a sample's mean, against a true mean of at most 0 and of at least 0.

    Attributes
    ----------
    below
        The p-value of the null hypothesis that the true mean is 0 or below; small if the sample's mean is clearly above 0.
    above
        The p-value of the null hypothesis that the true mean is 0 or above; small if the sample's mean is clearly below 0.
    """

    below: float
    above: float


def halls_skew_corrected_p_values(rows: FloatArray) -> list[OneSidedP]:
    """Return Hall's one-sided p-values of the mean of each sample, a row of at least three values.

    ``rows`` has shape (samples, values).
    """
    sample_value_count = rows.shape[1]
    # Cubes of very small values would vanish.
    largest_absolute_value_per_row = np.abs(rows).max(axis=1, initial=0, keepdims=True)
    samples_scaled_by_largest_value = rows / np.where(largest_absolute_value_per_row > 0, largest_absolute_value_per_row, 1)
    means_of_scaled_rows = samples_scaled_by_largest_value.mean(axis=1)
    deviations_from_sample_means = samples_scaled_by_largest_value - means_of_scaled_rows[:, None]
    squared_deviations = deviations_from_sample_means * deviations_from_sample_means
    sample_variances = squared_deviations.sum(axis=1) / (sample_value_count - 1)
    # As products, the cubes of negative values are exactly the negative ones.
    unbiased_third_moments = (
        (squared_deviations * deviations_from_sample_means).sum(axis=1)
        * sample_value_count
        / ((sample_value_count - 1) * (sample_value_count - 2))
    )
    is_positive_variance_at = sample_variances > 0
    student_t_statistics = np.divide(
        means_of_scaled_rows,
        np.sqrt(sample_variances / sample_value_count),
        out=_NORMAL_VALUE_WITH_ZERO_TAIL * np.sign(means_of_scaled_rows),
        where=is_positive_variance_at,
    )
    sample_skewnesses = np.divide(
        unbiased_third_moments,
        sample_variances**1.5 * sqrt(sample_value_count),
        out=np.zeros(len(rows)),
        where=is_positive_variance_at,
    )
    hall_t_statistics = (
        student_t_statistics
        + sample_skewnesses * (2 * student_t_statistics * student_t_statistics + 1) / 6
        + sample_skewnesses**2 * student_t_statistics**3 / 27
    )
    return [OneSidedP(erfc(z_score / sqrt(2)) / 2, erfc(-z_score / sqrt(2)) / 2) for z_score in hall_t_statistics.tolist()]


# Number of questions that a difference would need to become significant.


POWER = 0.8
"""The chance that a difference is significant with as many questions as `questions_needed` says."""


def questions_needed(differences: FloatArray) -> int | None:
    """Return the number of questions needed to detect a mean paired difference with a power of 80 %.

    For a two-sided test at 5 % with a power of 80 %, by the normal approximation:
    n = ((z_0.975 + z_0.8) s / d)², with d the mean of the paired differences and s their standard deviation (of a sample,
    with n - 1 in the denominator), undefined ones left out.
    Returns None if d is 0 or there are fewer than `FEWEST_VALUES` questions. The result is at least `FEWEST_VALUES`.

    Source: Lachin, Introduction to sample size determination and power analysis for clinical trials, Controlled Clinical
    Trials 2 (1981), the paired difference of means.
    """
    defined_differences = differences[~np.isnan(differences)]
    if len(defined_differences) < FEWEST_VALUES or abs(defined_differences.mean()) < 1e-12:
        return None
    normal_distribution = NormalDist()
    level_power_quantile_sum = normal_distribution.inv_cdf((1 + CONFIDENCE_LEVEL) / 2) + normal_distribution.inv_cdf(POWER)
    return max(
        FEWEST_VALUES,
        ceil((level_power_quantile_sum * float(defined_differences.std(ddof=1)) / float(defined_differences.mean())) ** 2),
    )


# Differences of a statistic that is no mean, such as F1 over the sections of a text: the test that swaps sections.


Statistic = Callable[[FloatArray], FloatArray]
"""From summed counts, shape (..., k), to values, shape (...)."""


def differences_tested_by_section_swaps(
    counts_by_chunker: Sequence[IntArray],
    chunker_pairs: Sequence[tuple[int, int]],
    statistic_function: Statistic,
    measure_range_width: float = 1.0,
    seed: int = 0,
) -> list[Difference | None]:
    """Test differences between chunkers for significance by swapping text sections between them.

    The difference is in a statistic of counts summed over the sections. What each of two chunkers does in a section is
    swapped, as if both were one chunker; p is the share of swaps whose difference is at least the observed one (the paired
    permutation test: Noreen, Computer-Intensive Methods for Testing Hypotheses, 1989). For a mean this is the sign-flip
    test. The interval is the observed difference plus and minus the one that would just be significant.

    If up to 16 sections differ, all swaps are tried; with more, at least 10,000 random ones. Equal seeds give equal results.

    Parameters
    ----------
    counts_by_chunker
        Counts in every section for each chunker, shape (sections, k).
    chunker_pairs
        Numbers of the two chunkers of each comparison.
    measure_range_width
        The largest possible difference.

    Returns
    -------
    The difference for each comparison; None if there are too few sections for significance.
    """
    section_count = len(counts_by_chunker[0]) if counts_by_chunker else 0
    if not chunker_pairs or section_count < fewest_values_needed(len(chunker_pairs)):
        return [None] * len(chunker_pairs)
    total_counts_by_chunker = [table.sum(axis=0) for table in counts_by_chunker]
    observed_differences = [
        float(statistic_function(total_counts_by_chunker[one]) - statistic_function(total_counts_by_chunker[other]))
        for one, other in chunker_pairs
    ]
    count_differences_by_section = np.stack(
        [counts_by_chunker[other] - counts_by_chunker[one] for one, other in chunker_pairs]
    ).astype(float)
    absolute_swap_differences = _absolute_differences_of_swaps(
        count_differences_by_section,
        [(total_counts_by_chunker[one], total_counts_by_chunker[other]) for one, other in chunker_pairs],
        statistic_function,
        seed,
    )
    swap_count = absolute_swap_differences.shape[1]
    p_values = [
        float(np.count_nonzero(swapped >= abs(difference) - _ROUNDING_TOLERANCE)) / swap_count
        for difference, swapped in zip(observed_differences, absolute_swap_differences, strict=True)
    ]
    differences_with_test_results: list[Difference | None] = []
    for pair_index, corrected_p in enumerate(holm_correction(p_values)):
        critical_swap_index = swap_count - ceil(corrected_p.alpha * swap_count)
        smallest_significant_swap_difference = float(
            np.partition(absolute_swap_differences[pair_index], critical_swap_index)[critical_swap_index]
        )
        interval_lower_end, interval_upper_end = _interval_around_observed_difference(
            observed_differences[pair_index],
            smallest_significant_swap_difference,
            _least_half_width(count_differences_by_section[pair_index], measure_range_width, corrected_p.alpha),
            corrected_p,
            measure_range_width,
        )
        differences_with_test_results.append(
            Difference(
                observed_differences[pair_index],
                interval_lower_end,
                interval_upper_end,
                p_values[pair_index],
                corrected_p.p,
                corrected_p.alpha,
                section_count,
                len(chunker_pairs),
            )
        )
    return differences_with_test_results


def _absolute_differences_of_swaps(
    section_count_differences: FloatArray,
    total_counts_of_chunker_pairs: Sequence[tuple[IntArray, IntArray]],
    statistic_function: Statistic,
    seed: int,
) -> FloatArray:
    """Return the absolute differences of every pair in all swaps, shape (pairs, swaps), one without any swap among them."""
    # Where no pair differs, a swap changes nothing.
    section_count_differences = section_count_differences[:, section_count_differences.any(axis=(0, 2))]
    chunker_pair_count, section_count, quantity_kind_count = section_count_differences.shape
    flattened_section_differences = section_count_differences.transpose(1, 0, 2).reshape(
        section_count, chunker_pair_count * quantity_kind_count
    )
    absolute_difference_batches = []
    for swap_masks in all_or_random_subset_masks(section_count, sign_flip_draws_needed(chunker_pair_count), seed):
        count_sum_changes_of_swaps = (swap_masks @ flattened_section_differences).reshape(
            -1, chunker_pair_count, quantity_kind_count
        )
        absolute_difference_batches.append(
            [
                np.abs(
                    statistic_function(one + count_sum_changes_of_swaps[:, number])
                    - statistic_function(other - count_sum_changes_of_swaps[:, number])
                )
                for number, (one, other) in enumerate(total_counts_of_chunker_pairs)
            ]
        )
    return np.concatenate(absolute_difference_batches, axis=1)


def _interval_around_observed_difference(
    observed_difference: float,
    critical_difference: float,
    least_half_width: float,
    corrected_p: CorrectedP,
    measure_range_width: float,
) -> tuple[float, float]:
    """Return the confidence interval of a difference.

    Each side is at least ``least_half_width`` wide, except the side towards 0 if the difference is significant.
    """
    if not corrected_p.significant:
        lower_half_width = upper_half_width = max(critical_difference, least_half_width, abs(observed_difference))
    else:
        lower_half_width = critical_difference if observed_difference > 0 else max(critical_difference, least_half_width)
        upper_half_width = critical_difference if observed_difference < 0 else max(critical_difference, least_half_width)
    return max(-measure_range_width, observed_difference - lower_half_width), min(
        measure_range_width, observed_difference + upper_half_width
    )


def _least_half_width(section_differences: FloatArray, measure_range_width: float, alpha: float) -> float:
    """Return half the width of Student's interval of equal values among which the largest differences are added."""
    section_count = len(section_differences)
    assumed_unseen_difference = measure_range_width * share_of_most_frequent(section_differences)
    return (
        students_t_quantile(1 - alpha / 2, section_count + 1)
        * assumed_unseen_difference
        * sqrt(2 / ((section_count + 1) * (section_count + 2)))
    )
