"""Significance of differences between chunkers, and intervals of means, exact for few questions."""

from evaluation.statistics.paired_tests import (
    Difference,
    Statistic,
    format_interval,
    format_interval_ends,
    paired_difference,
    paired_differences,
    paired_differences_by_family,
    questions_needed,
    section_swap_differences,
)
from evaluation.statistics.significance import (
    ALPHA,
    FALSE_VERDICT_SENTENCE,
    FEWEST_VALUES,
    compute_confidence_interval_of_mean,
    fewest_values_needed,
    format_confidence_level,
    holm_correction,
    too_few_values_sentence,
)
