"""Significance of differences between chunkers, and intervals of means, exact for few questions."""

from evaluation.statistics.paired_tests import (
    Difference,
    Statistic,
    interval_end_words,
    interval_words,
    paired_difference,
    paired_differences,
    paired_differences_by_family,
    questions_needed,
    section_swap_differences,
)
from evaluation.statistics.significance import (
    ALPHA,
    FALSE_VERDICTS,
    FEWEST_VALUES,
    confidence_level_words,
    fewest_values,
    holm_correction,
    mean_interval,
    too_few_values_words,
)
