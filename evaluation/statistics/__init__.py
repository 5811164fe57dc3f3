"""Significance of differences between chunkers, and intervals of means, exact for few questions."""

from evaluation.statistics.p_value_correction_and_intervals import (
    ALPHA,
    FALSE_VERDICT_SENTENCE,
    FEWEST_VALUES,
    compute_confidence_interval_of_mean,
    fewest_values_needed,
    format_confidence_level,
    holm_correction,
    too_few_values_sentence,
)
from evaluation.statistics.paired_tests import (
    Difference,
    Statistic,
    corrected_differences_per_comparison,
    differences_tested_by_section_swaps,
    format_interval,
    format_interval_ends,
    paired_difference,
    paired_differences_by_family,
    questions_needed,
)
