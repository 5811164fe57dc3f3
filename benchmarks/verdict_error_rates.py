"""Error rates of verdicts on simulated questions: false winners, coverage of the intervals, and power.

Every number is a percentage of simulated data sets: by `evaluation.statistics`, then by the percentile bootstrap that
Seamark used before, also with Holm's correction. All pairs of chunkers are compared; a false winner is any chunker that is
found to be significantly ahead of another. Both methods draw 1,000 times here, since a test by random sign flips is valid
with any number of draws. Power, which has no target, is measured on a tenth of the data sets.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from math import sqrt
from typing import NamedTuple

import numpy as np

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table
from chunkers.support import FloatArray, IntArray
from evaluation.segmentation import f1_from_counts
from evaluation.statistics import (
    ALPHA,
    FEWEST_VALUES,
    compute_confidence_interval_of_mean,
    differences_tested_by_section_swaps,
    holm_correction,
    paired_differences_by_family,
)

BOOTSTRAP_DRAW_COUNT = 1000
QUESTION_COUNTS = (5, 6, 8, 10, 20, 40, 100)
SECTION_COUNTS = (5, 6, 8, 10, 20)
CHUNKER_COUNTS = (2, 3, 5)
SKEWNESSES = (1.0, 2.0)
"""Skewnesses with a target; a skewness of 3, without one, shows the limit of the test's correction."""

MOST_FALSE_WINNERS, MOST_FALSE_IF_SKEWED, LEAST_COVERAGE = 5.0, 7.0, 93.0
"""Targets in percent: maximum false winners, the same with skewed differences, and minimum coverage."""

_SETS_PER_BLOCK = 500

ScoreSimulator = Callable[[np.random.Generator, tuple[int, ...], float], FloatArray]
"""A function that simulates scores, shape (chunkers, data sets, questions), higher is better, with the first ahead."""


def simulate_recall_scores(
    random: np.random.Generator, chunkers_sets_questions: tuple[int, ...], winner_advantage: float
) -> FloatArray:
    """Simulate recall: mostly 1 or 0, with the same value for all chunkers on 70 % of the questions."""

    def draw_recall_values(recall_array_shape: tuple[int, ...]) -> FloatArray:
        outcome_draws, partial_recalls = random.random(recall_array_shape), random.random(recall_array_shape)
        return np.where(outcome_draws < 0.65, 1.0, np.where(outcome_draws < 0.8, 0.0, partial_recalls))

    scores = np.where(
        random.random(chunkers_sets_questions) < 0.7,
        draw_recall_values(chunkers_sets_questions[1:]),
        draw_recall_values(chunkers_sets_questions),
    )
    scores[0] = np.where(random.random(chunkers_sets_questions[1:]) < winner_advantage, 1.0, scores[0])
    return scores


def simulate_iou_scores(
    random: np.random.Generator, score_array_shape: tuple[int, ...], winner_advantage: float
) -> FloatArray:
    """Simulate IoU: small and skewed, with one factor per question and one per chunker."""
    scores = np.minimum(1, random.gamma(1, 0.05, score_array_shape[1:]) * random.gamma(2, 0.5, score_array_shape))
    scores[0] = np.minimum(1, scores[0] * (1 + 4 * winner_advantage))
    return scores


def simulate_one_minus_pk_scores(
    random: np.random.Generator, score_array_shape: tuple[int, ...], winner_advantage: float
) -> FloatArray:
    """Simulate 1 - Pk of documents, about 0.7, with some outliers per chunker."""
    deviation_factor = 1 + 2 * (random.random(score_array_shape) < 0.1)
    scores = np.clip(
        random.beta(8, 4, score_array_shape[1:]) + deviation_factor * random.normal(0, 0.08, score_array_shape),
        0,
        1,
    )
    scores[0] = scores[0] + (1 - scores[0]) * winner_advantage
    return scores


MEASURES: dict[str, ScoreSimulator] = {
    "recall": simulate_recall_scores,
    "IoU": simulate_iou_scores,
    "Pk": simulate_one_minus_pk_scores,
}
ADVANTAGES = {"recall": (0.3, 0.6), "IoU": (0.1, 0.3), "Pk": (0.1, 0.3)}
"""Advantage of the first chunker in the simulations, small and large."""


class Shares(NamedTuple):
    """Percentages of the data sets, by `evaluation.statistics` and by the percentile bootstrap."""

    ours: float | None
    bootstrap: float | None = None

    def __str__(self) -> str:
        return " / ".join("–" if share is None else f"{share:.1f}" for share in self)


def pairwise_differences(scores_by_chunker: FloatArray) -> FloatArray:
    """Return the differences of all pairs of chunkers, shape (data sets, pairs, questions)."""
    return np.stack(
        [scores_by_chunker[one] - scores_by_chunker[other] for one, other in combinations(range(len(scores_by_chunker)), 2)],
        axis=1,
    )


def yield_data_set_count_per_batch(data_set_count: int) -> Iterator[int]:
    """Yield the numbers of data sets to simulate at a time."""
    for first, batch_end in pairwise([*range(0, data_set_count, _SETS_PER_BLOCK), data_set_count]):
        yield batch_end - first


def bootstrap_p_values_and_intervals(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the percentile bootstrap's p-values and interval ends for each row, each of shape (rows,)."""
    value_count_per_row = rows.shape[1]
    resample_weights = np.random.default_rng(0).multinomial(
        value_count_per_row, np.full(value_count_per_row, 1 / value_count_per_row), BOOTSTRAP_DRAW_COUNT
    )
    resampled_means = rows @ resample_weights.T.astype(float) / value_count_per_row
    resampled_means[np.abs(resampled_means) < 1e-12] = 0
    smaller_side_counts = (
        np.minimum(np.count_nonzero(resampled_means <= 0, axis=1), np.count_nonzero(resampled_means >= 0, axis=1)) + 1
    )
    interval_end_ranks = (
        round(BOOTSTRAP_DRAW_COUNT * ALPHA / 2),
        BOOTSTRAP_DRAW_COUNT - 1 - round(BOOTSTRAP_DRAW_COUNT * ALPHA / 2),
    )
    resampled_means.partition(interval_end_ranks, axis=1)
    return (
        np.minimum(1, 2 * smaller_side_counts / (BOOTSTRAP_DRAW_COUNT + 1)),
        resampled_means[:, interval_end_ranks[0]],
        resampled_means[:, interval_end_ranks[1]],
    )


def is_any_pair_significant_by_set(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return whether any pair of each data set differs significantly, by both methods, each of shape (data sets,)."""
    data_set_count, pair_count, question_count = differences.shape
    is_set_significant_by_ours = [
        any(difference.significant for difference in family if difference)
        for family in paired_differences_by_family(differences, draw_count=BOOTSTRAP_DRAW_COUNT)
    ]
    p_values, _, _ = bootstrap_p_values_and_intervals(differences.reshape(-1, question_count))
    is_set_significant_by_bootstrap = [
        any(corrected.significant for corrected in holm_correction(list(family)))
        for family in p_values.reshape(data_set_count, pair_count)
    ]
    return np.array(is_set_significant_by_ours), np.array(is_set_significant_by_bootstrap)


def compute_share_with_significant_winner(
    simulate_scores: ScoreSimulator,
    chunker_count: int,
    question_count: int,
    data_set_count: int,
    winner_advantage: float = 0.0,
) -> Shares:
    """Return the percentage of data sets in which a chunker is significantly ahead of another."""
    random = np.random.default_rng([chunker_count, question_count])
    are_sets_significant_by_batch = [
        is_any_pair_significant_by_set(
            pairwise_differences(simulate_scores(random, (chunker_count, size, question_count), winner_advantage))
        )
        for size in yield_data_set_count_per_batch(data_set_count)
    ]
    our_share, bootstrap_share = (
        100 * float(np.concatenate(parts).mean()) for parts in zip(*are_sets_significant_by_batch, strict=True)
    )
    return Shares(None if question_count < FEWEST_VALUES else our_share, bootstrap_share)


def share_significant_if_skewed(skewness: float, question_count: int, data_set_count: int) -> Shares:
    """Return the percentage of data sets in which skewed differences of mean zero are significant."""
    random, gamma_shape = np.random.default_rng([question_count]), 4 / skewness**2
    significance_by_block = [
        is_any_pair_significant_by_set(random.gamma(gamma_shape, 1, (size, 1, question_count)) / gamma_shape - 1)
        for size in yield_data_set_count_per_batch(data_set_count)
    ]
    our_share, bootstrap_share = (
        100 * float(np.concatenate(parts).mean()) for parts in zip(*significance_by_block, strict=True)
    )
    return Shares(None if question_count < FEWEST_VALUES else our_share, bootstrap_share)


def interval_coverage(
    true_value: float,
    data_set_batches: Iterable[FloatArray],
    compute_our_intervals: Callable[[FloatArray], Sequence[tuple[float, float]]],
) -> Shares:
    """Return the percentage of rows whose interval contains the true value; rows that are too short are skipped."""
    is_covered_by_ours, is_covered_by_bootstrap = [], []
    for simulated_value_rows in data_set_batches:
        is_covered_by_ours += [low <= true_value <= high for low, high in compute_our_intervals(simulated_value_rows)]
        _, interval_lows, interval_highs = bootstrap_p_values_and_intervals(simulated_value_rows)
        is_covered_by_bootstrap.append((interval_lows <= true_value) & (true_value <= interval_highs))
    return Shares(
        100 * sum(is_covered_by_ours) / len(is_covered_by_ours) if is_covered_by_ours else None,
        100 * float(np.concatenate(is_covered_by_bootstrap).mean()),
    )


def coverage_of_difference_intervals(
    simulate_scores: ScoreSimulator, question_count: int, data_set_count: int, winner_advantage: float
) -> Shares:
    """Return the percentage of data sets in which a difference's interval contains the true value."""
    random = np.random.default_rng([question_count])
    many_differences = pairwise_differences(simulate_scores(np.random.default_rng(1), (2, 1, 2_000_000), winner_advantage))
    true_difference = float(many_differences.mean()) if winner_advantage else 0.0
    difference_batches = (
        pairwise_differences(simulate_scores(random, (2, size, question_count), winner_advantage))[:, 0]
        for size in yield_data_set_count_per_batch(data_set_count)
    )

    def difference_intervals(difference_rows: FloatArray) -> list[tuple[float, float]]:
        families = paired_differences_by_family(difference_rows[:, np.newaxis], draw_count=BOOTSTRAP_DRAW_COUNT)
        return [(difference.low, difference.high) for (difference,) in families if difference]

    return interval_coverage(true_difference, difference_batches, difference_intervals)


def coverage_of_mean_intervals(simulate_scores: ScoreSimulator, question_count: int, data_set_count: int) -> Shares:
    """Return the percentage of data sets in which a mean's interval contains the true value."""
    random = np.random.default_rng([question_count])
    true_mean = float(simulate_scores(np.random.default_rng(1), (1, 1, 2_000_000), 0.0).mean())
    score_batches = (
        simulate_scores(random, (1, size, question_count), 0.0)[0] for size in yield_data_set_count_per_batch(data_set_count)
    )
    return interval_coverage(
        true_mean, score_batches, lambda rows: [*filter(None, map(compute_confidence_interval_of_mean, rows))]
    )


def simulate_boundary_outcomes(random: np.random.Generator, text_section_count: int) -> IntArray:
    """Simulate found, missed and added boundaries of a chunker, shape (sections, 3)."""
    is_boundary_found = random.random(text_section_count) < 0.5
    return np.stack([is_boundary_found, ~is_boundary_found, random.poisson(1, text_section_count)], axis=1).astype(int)


def share_significant_swapping_sections(section_count: int, data_set_count: int) -> Shares:
    """Return the percentage of texts in which the F1 of two exchangeable chunkers differs significantly."""
    random = np.random.default_rng([section_count])
    section_comparisons = [
        differences_tested_by_section_swaps(
            [
                simulate_boundary_outcomes(random, section_count),
                simulate_boundary_outcomes(random, section_count),
            ],
            [(0, 1)],
            f1_from_counts,
        )[0]
        for _ in range(data_set_count)
    ]
    significance_flags = [comparison.significant for comparison in section_comparisons if comparison is not None]
    return Shares(100 * sum(significance_flags) / len(significance_flags) if significance_flags else None)


def excessive_false_winner_messages(
    name: str, sample_size_share_pairs: Sequence[tuple[int, Shares]], most_percent: float, data_set_count: int
) -> list[str]:
    """Return a message for each number of questions with too many false winners.

    The limit is ``most_percent`` plus two standard errors.
    """
    percent_limit_with_tolerance = most_percent + 200 * sqrt(most_percent / 100 * (1 - most_percent / 100) / data_set_count)
    return [
        f"{name}, {count:,}: {share.ours:.1f} %"
        for count, share in sample_size_share_pairs
        if share.ours is not None and share.ours > percent_limit_with_tolerance
    ]


def too_low_coverage_messages(
    name: str, question_count_share_pairs: Sequence[tuple[int, Shares]], data_set_count: int
) -> list[str]:
    """Return a message for each number of questions with too little coverage.

    The limit is the target less two standard errors.
    """
    limit = LEAST_COVERAGE - (
        200 * sqrt(LEAST_COVERAGE / 100 * (1 - LEAST_COVERAGE / 100) / data_set_count) if data_set_count < 10_000 else 0
    )
    return [
        f"{name}, {count:,}: {share.ours:.1f} %"
        for count, share in question_count_share_pairs
        if share.ours is not None and share.ours < limit
    ]


@command_line_decorator_for_main(
    build_function_adding_option(
        "--sets",
        dest="data_set_count",
        type=int,
        default=10_000,
        metavar="N",
        help="data sets of each cell (default: 10000)",
    ),
    build_function_adding_option(
        "--most", type=int, default=max(QUESTION_COUNTS), metavar="N", help="most questions (default: 100)"
    ),
)
def main(data_set_count: int, most: int) -> int:
    """Print the tables; return 1 if a target is missed."""
    question_counts = [count for count in QUESTION_COUNTS if count <= most]
    missed_target_messages: list[str] = []

    def print_table(first_column_heading: str, rows: dict[str, list[tuple[int, Shares]]], unit: str = "") -> None:
        heads = [first_column_heading, *(f"{count:,}{unit}" for count, _ in next(iter(rows.values())))]
        lines = [[name, *(str(share) for _, share in shares)] for name, shares in rows.items()]
        print(markdown_table(heads, lines), end="\n\n", flush=True)

    false_winner_shares = {
        f"{name}, {chunkers} chunkers": [
            (count, compute_share_with_significant_winner(simulated, chunkers, count, data_set_count))
            for count in question_counts
        ]
        for name, simulated in MEASURES.items()
        for chunkers in CHUNKER_COUNTS
    }
    print_table("false winners, %", false_winner_shares)
    false_winner_shares_by_sections = {
        "boundary F1, 2 chunkers": [
            (count, share_significant_swapping_sections(count, data_set_count)) for count in SECTION_COUNTS if count <= most
        ]
    }
    print_table("false winners, %", false_winner_shares_by_sections, " sections")
    for scenario_name, shares in (false_winner_shares | false_winner_shares_by_sections).items():
        missed_target_messages += excessive_false_winner_messages(
            f"false winners, {scenario_name}", shares, MOST_FALSE_WINNERS, data_set_count
        )
    skewed_significant_shares = {
        f"skewness {skewness:g}": [
            (count, share_significant_if_skewed(skewness, count, data_set_count)) for count in question_counts
        ]
        for skewness in (*SKEWNESSES, 3.0)
    }
    print_table("significant, % (differences of mean zero)", skewed_significant_shares)
    for skewness in SKEWNESSES:
        missed_target_messages += excessive_false_winner_messages(
            f"skewness {skewness:g}",
            skewed_significant_shares[f"skewness {skewness:g}"],
            MOST_FALSE_IF_SKEWED,
            data_set_count,
        )
    coverage_shares = {
        f"mean {name}": [(count, coverage_of_mean_intervals(simulated, count, data_set_count)) for count in question_counts]
        for name, simulated in MEASURES.items()
    }
    coverage_shares |= {
        f"difference in {name}, {size}": [
            (count, coverage_of_difference_intervals(simulated, count, data_set_count, better)) for count in question_counts
        ]
        for name, simulated in MEASURES.items()
        for size, better in zip(("none", "small", "large"), (0.0, *ADVANTAGES[name]), strict=True)
    }
    print_table("coverage of 95 %, %", coverage_shares)
    for scenario_name, shares in coverage_shares.items():
        missed_target_messages += too_low_coverage_messages(f"coverage, {scenario_name}", shares, data_set_count)
    power_shares = {
        f"{name}, {size}, {chunkers} chunkers": [
            (count, compute_share_with_significant_winner(simulated, chunkers, count, max(1, data_set_count // 10), better))
            for count in question_counts
        ]
        for name, simulated in MEASURES.items()
        for size, better in zip(("small", "large"), ADVANTAGES[name], strict=True)
        for chunkers in (2, 5)
    }
    print_table("power, %", power_shares)
    for missed_target_message in missed_target_messages:
        print(f"Missed: {missed_target_message}")
    return int(bool(missed_target_messages))


if __name__ == "__main__":
    raise SystemExit(main())
