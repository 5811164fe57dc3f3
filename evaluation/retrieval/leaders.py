"""The leader at each budget, with the significance of its lead among all comparisons, and the curve over all budgets."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

import numpy as np

from chunkers.support import FloatArray, join_words, pluralize, round_up_estimate
from evaluation.retrieval.budget import BudgetResults, Budgets
from evaluation.retrieval.measures import MEASURE_NAMES, mean_and_deviation
from evaluation.statistics import (
    Difference,
    compute_confidence_interval_of_mean,
    corrected_differences_per_comparison,
    questions_needed,
    too_few_values_sentence,
)

_MEAN_TOLERANCE = 1e-9
"""Difference of two means below which they are the same: it is one of rounding."""


Key = TypeVar("Key", bound=Hashable)


class PairedDifferences(Generic[Key]):
    """Differences between every two chunkers by key, such as a budget, with p-values corrected for all comparisons.

    Parameters
    ----------
    values
        By key, the values of every chunker on the same questions, each of shape (questions,), NaN where undefined.
    value_range_width_by_key
        The width of the measure's range by key; 1 if there is none.
    """

    def __init__(
        self,
        values: Mapping[Key, Sequence[FloatArray]],
        value_range_width_by_key: Mapping[Key, float] | None = None,
        seed: int = 0,
    ) -> None:
        differences_by_pair = {
            (key, one, other): measured[one] - measured[other]
            for key, measured in values.items()
            for one, other in combinations(range(len(measured)), 2)
        }
        self.comparison_count = sum(not np.isnan(row).all() for row in differences_by_pair.values())
        value_range_per_difference = [
            1.0 if value_range_width_by_key is None else value_range_width_by_key[key] for key, _, _ in differences_by_pair
        ]
        tested_differences_of_pairs = (
            corrected_differences_per_comparison(np.array([*differences_by_pair.values()]), value_range_per_difference, seed)
            if differences_by_pair
            else []
        )
        self.tested = {
            pair: difference
            for pair, difference in zip(differences_by_pair, tested_differences_of_pairs, strict=True)
            if difference is not None
        }

    def tested_difference_of_chunkers(
        self, measure_key: Key, first_chunker_number: int, second_chunker_number: int
    ) -> Difference | None:
        """Return the first chunker's difference from the second; None if there are too few questions."""
        pair_difference = self.tested.get(
            (measure_key, min(first_chunker_number, second_chunker_number), max(first_chunker_number, second_chunker_number))
        )
        return (
            pair_difference
            if pair_difference is None or first_chunker_number < second_chunker_number
            else pair_difference.reversed()
        )


@dataclass(frozen=True)
class Lead:
    """Chunker with the highest mean at a budget, and its lead over the other chunkers.

    Attributes
    ----------
    best
        Number of the chunker with the highest mean; the first one in case of ties.
    mean
        Mean of the best chunker.
    rival
        The best other chunker over which the lead is not significant; the second best if the lead over all is significant.
    difference
        Difference between the best chunker and the rival; None if too few questions have values for both.
    too_few_sentence
        Sentence on why there is no difference; empty if there is one.
    needed_question_count
        Number of questions with which this comparison alone would probably be significant; None if the two have the same
        mean or share too few questions.
    significantly_worse_chunkers
        Numbers of the chunkers over which the lead is significant, the best of them first.
    compared_chunker_count
        Number of other chunkers.
    equal_chunkers
        Numbers of the other chunkers with the same mean as the best.
    """

    best: int
    mean: float
    rival: int
    difference: Difference | None
    too_few_sentence: str
    needed_question_count: int | None
    significantly_worse_chunkers: tuple[int, ...]
    compared_chunker_count: int
    equal_chunkers: tuple[int, ...] = ()

    @property
    def are_all_means_equal(self) -> bool:
        """True if all chunkers have the same mean."""
        return len(self.equal_chunkers) == self.compared_chunker_count

    @property
    def significant(self) -> bool:
        """True if the lead over every other chunker is significant."""
        return len(self.significantly_worse_chunkers) == self.compared_chunker_count


@dataclass(frozen=True)
class Leads:
    """Leading chunker at each budget.

    Attributes
    ----------
    names
        Names of the chunkers.
    measure
        Name of the measure in sentences.
    unit
        Unit of the budgets.
    leads
        Lead by budget, without budgets at which fewer than two chunkers have a mean.
    comparisons
        Number of comparisons: one for each pair of chunkers and budget with enough questions.
    everything
        The budgets at which every chunker returns the whole text for every question, so that there is nothing to compare.
    """

    names: tuple[str, ...]
    measure: str
    unit: str
    leads: Mapping[int, Lead]
    comparisons: int
    everything: tuple[int, ...] = ()

    @classmethod
    def of_chunkers_at_each_budget(
        cls,
        names: Sequence[str],
        measure: str,
        unit: str,
        scores_by_budget_size: Mapping[int, Sequence[FloatArray]],
        seed: int = 0,
        budgets_retrieving_everything: Collection[int] = (),
    ) -> "Leads":
        """Return the leading chunker at each budget, with p-values corrected for all comparisons.

        ``scores_by_budget_size`` holds the measure of every chunker at each budget, from 0 to 1, each of shape (questions,),
        NaN where undefined. Any chunker may be the best, so all pairs are compared, and Holm's procedure corrects for all of
        them. The means and differences at a budget are over the same questions, for which all chunkers with this measure
        have a value. Budgets in ``budgets_retrieving_everything`` are left out.
        """
        scores_by_budget_size = {
            size: scores_on_shared_questions(measured)
            for size, measured in scores_by_budget_size.items()
            if size not in budgets_retrieving_everything
        }
        all_pair_differences = PairedDifferences(scores_by_budget_size, seed=seed)
        leads_at_budgets = {}
        for budget_size, scores_by_chunker in scores_by_budget_size.items():
            mean_by_chunker = {
                number: moments[0]
                for number, scores in enumerate(scores_by_chunker)
                if (moments := mean_and_deviation(scores))
            }
            if len(mean_by_chunker) < 2:
                continue
            best_chunker_number, *other_chunker_numbers = sorted(
                mean_by_chunker, key=lambda number: -mean_by_chunker[number]
            )
            differences_from_best = {
                other: all_pair_differences.tested_difference_of_chunkers(budget_size, best_chunker_number, other)
                for other in other_chunker_numbers
            }
            chunkers_not_behind = [
                other
                for other, difference in differences_from_best.items()
                if difference is None or not difference.significant
            ]
            closest_rival_number = (chunkers_not_behind or other_chunker_numbers)[0]
            question_leads_over_rival = scores_by_chunker[best_chunker_number] - scores_by_chunker[closest_rival_number]
            too_few_sentence = (
                ""
                if differences_from_best[closest_rival_number]
                else too_few_values_sentence(
                    all_pair_differences.comparison_count, int(np.count_nonzero(~np.isnan(question_leads_over_rival)))
                )
            )
            significantly_behind_chunkers = tuple(
                other for other in other_chunker_numbers if other not in chunkers_not_behind
            )
            chunkers_sharing_best_mean = tuple(
                other
                for other in other_chunker_numbers
                if abs(mean_by_chunker[best_chunker_number] - mean_by_chunker[other]) < _MEAN_TOLERANCE
            )
            needed_question_count = questions_needed(question_leads_over_rival)
            leads_at_budgets[budget_size] = Lead(
                best_chunker_number,
                mean_by_chunker[best_chunker_number],
                closest_rival_number,
                differences_from_best[closest_rival_number],
                too_few_sentence,
                needed_question_count,
                significantly_behind_chunkers,
                len(other_chunker_numbers),
                chunkers_sharing_best_mean,
            )
        return cls(
            tuple(names),
            measure,
            unit,
            leads_at_budgets,
            len(all_pair_differences.tested),
            tuple(budgets_retrieving_everything),
        )

    @property
    def budgets_with_significant_lead(self) -> tuple[int, ...]:
        """Budgets at which the leader is significantly ahead of every other chunker."""
        return tuple(size for size, lead in self.leads.items() if lead.significant)

    def words(self) -> str:
        """Return a summary in words of the leading chunkers at all budgets, and of the significance of their leads."""
        leader_summary_sentences = [self._everything_retrieved_sentence()] if self.everything else []
        if not self.leads:
            return (
                " ".join(leader_summary_sentences)
                or "There is nothing to compare: it takes two chunkers and a question with an excerpt."
            )
        budget_sizes_by_leaders: dict[tuple[int, ...], list[int]] = {}
        for budget_size, lead in self.leads.items():
            budget_sizes_by_leaders.setdefault((lead.best, *lead.equal_chunkers), []).append(budget_size)
        budget_sizes_by_leading_chunkers = {
            best: sizes
            for best, sizes in budget_sizes_by_leaders.items()
            if len(best) <= self.leads[sizes[0]].compared_chunker_count
        }
        if budget_sizes_by_leading_chunkers:
            leaders_by_budget_phrases = [
                f"with {self._leaders_in_words(best)} at {self._budget_sizes_in_words(sizes)}"
                for best, sizes in budget_sizes_by_leading_chunkers.items()
            ]
            leader_summary_sentences.append(f"The highest {self.measure} is {join_words(leaders_by_budget_phrases)}.")
        all_tied_budget_sizes = [size for size, lead in self.leads.items() if lead.are_all_means_equal]
        if all_tied_budget_sizes:
            every_chunker_phrase = "both chunkers" if len(self.names) == 2 else "all chunkers"
            leader_summary_sentences.append(
                f"{self.measure[0].upper()}{self.measure[1:]} is the same with {every_chunker_phrase} at "
                f"{self._budget_sizes_in_words(all_tied_budget_sizes)}."
            )
        budget_sizes_with_undecided_lead = [
            size for size, lead in self.leads.items() if not lead.significant and not lead.are_all_means_equal
        ]
        if self.comparisons and budget_sizes_by_leading_chunkers:
            leader_summary_sentences.append(self._significance_sentence())
        if budget_sizes_with_undecided_lead:
            leader_summary_sentences += [
                self._significantly_beaten_chunkers_sentence(size)
                for size in budget_sizes_with_undecided_lead
                if self.leads[size].significantly_worse_chunkers
            ]
            leader_summary_sentences.append(self._doubtful_lead_sentence(budget_sizes_with_undecided_lead[0]))
        return " ".join(leader_summary_sentences)

    def _everything_retrieved_sentence(self) -> str:
        full_retrieval_sizes_phrase = self._budget_sizes_in_words(self.everything)
        return f"At {full_retrieval_sizes_phrase} everything was retrieved with every chunker: there is nothing to compare."

    def _leaders_in_words(self, best_chunker_numbers: Sequence[int]) -> str:
        """Return the chunkers with the highest mean."""
        leader_names_phrase = join_words([self.names[number] for number in best_chunker_numbers])
        return leader_names_phrase if len(best_chunker_numbers) == 1 else f"{leader_names_phrase} (a tie)"

    def _significantly_beaten_chunkers_sentence(self, budget_size: int) -> str:
        """Return over which of the others the lead is significant, where these are not all."""
        lead_at_budget_size = self.leads[budget_size]
        chunkers_behind_phrase = join_words(
            [self.names[number] for number in lead_at_budget_size.significantly_worse_chunkers]
        )
        return (
            f"At {self._budget_sizes_in_words([budget_size])}, {self.names[lead_at_budget_size.best]} is significantly "
            "ahead of "
            f"{len(lead_at_budget_size.significantly_worse_chunkers)} of "
            f"{lead_at_budget_size.compared_chunker_count} others: {chunkers_behind_phrase}."
        )

    def _significance_sentence(self) -> str:
        budget_count, significant_budgets = len(self.leads), self.budgets_with_significant_lead
        correction_phrase = f"Holm's correction for {pluralize(self.comparisons, 'comparison')}"
        if budget_count == 1:
            return f"It is {'' if significant_budgets else 'not '}significantly ahead of every other ({correction_phrase})."
        if not significant_budgets:
            return (
                f"The best is significantly ahead of every other at none of the {budget_count} budgets "
                f"({correction_phrase})."
            )
        if len(significant_budgets) == budget_count:
            all_budgets_phrase = "both" if budget_count == 2 else f"all {budget_count}"
            return f"The best is significantly ahead of every other at {all_budgets_phrase} budgets ({correction_phrase})."
        significant_budgets_phrase = (
            f"{len(significant_budgets)} of {budget_count} budgets, {self._budget_sizes_in_words(significant_budgets)}"
        )
        return f"The best is significantly ahead of every other at {significant_budgets_phrase} ({correction_phrase})."

    def _doubtful_lead_sentence(self, budget_size: int) -> str:
        """Describe a lead that is not significant, and the number of questions it would take."""
        lead, at_budget_phrase = self.leads[budget_size], f"At {self._budget_sizes_in_words([budget_size])}"
        best_chunker_name, rival_chunker_name = self.names[lead.best], self.names[lead.rival]
        if lead.difference is None:
            return (
                f"{at_budget_phrase}, {best_chunker_name} and {rival_chunker_name} cannot be compared. "
                f"{lead.too_few_sentence}"
            )
        if lead.needed_question_count is None:
            return f"{at_budget_phrase}, {best_chunker_name} and {rival_chunker_name} are level."
        lead_difference = lead.difference
        lead_in_points_phrase = "less than 0.1" if lead_difference.mean < 0.001 else f"{100 * lead_difference.mean:.1f}"
        lead_phrase = (
            f"{at_budget_phrase}, {best_chunker_name} is {lead_in_points_phrase} points ahead of {rival_chunker_name} "
            f"({lead_difference.interval_phrase}, {lead_difference.p_value_phrase})"
        )
        if lead.needed_question_count <= lead_difference.count:
            return f"{lead_phrase}: not significant among so many comparisons, though it may be by itself."
        return (
            f"{lead_phrase}: not significant; it would take some {round_up_estimate(lead.needed_question_count):,} "
            "questions, and there "
            "are "
            f"{lead_difference.count:,}."
        )

    def _budget_sizes_in_words(self, budget_sizes: Sequence[int]) -> str:
        budget_unit_word = self.unit.removesuffix("s") if list(budget_sizes) == [1] else self.unit
        return f"{join_words([f'{size:,}' for size in budget_sizes])} {budget_unit_word}"


def scores_on_shared_questions(scores_by_chunker: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the measures with NaN for every question on which any of the measures is undefined.

    A measure that is undefined for all questions is ignored.
    """
    undefined_score_masks = [np.isnan(scores) for scores in scores_by_chunker if not np.isnan(scores).all()]
    undefined_for_any_mask = np.logical_or.reduce(undefined_score_masks) if undefined_score_masks else True
    return [np.where(undefined_for_any_mask, np.nan, scores) for scores in scores_by_chunker]


# The curve of a measure over all budgets.


@dataclass(frozen=True, eq=False)
class BudgetCurve:
    """A retrieval measure as a function of the budget, for every chunker.

    Attributes
    ----------
    means
        Mean at every budget by chunker number, shape (budgets,), NaN where undefined.
    bounds
        The 95 % confidence interval of each mean by chunker number, shape (2, budgets), NaN with too few questions.
    leads
        The leading chunker at each budget, with the chunkers in the order of their numbers.
    """

    budgets: Budgets
    means: Mapping[int, FloatArray]
    bounds: Mapping[int, FloatArray]
    leads: Leads

    @classmethod
    def of_all_chunkers(
        cls,
        results_by_column: Mapping[int, BudgetResults],
        names: Mapping[int, str],
        measure: str,
        budgets_retrieving_everything: Collection[int] = (),
    ) -> "BudgetCurve":
        """Return the curve of a retrieval measure over the budgets, measured in the budgets' unit.

        The measure is one of `RETRIEVED_TEXT_MEASURES`.

        At the budgets in ``budgets_retrieving_everything``, every chunker returns the whole text.
        """
        curve_budgets = next(iter(results_by_column.values())).budgets
        values_by_chunker = {
            number: np.array(
                [at_budgets.question_values_at_budget(measure, size, curve_budgets.unit) for size in curve_budgets.sizes]
            )
            for number, at_budgets in results_by_column.items()
        }
        interval_bounds_by_chunker = {
            number: np.array([compute_confidence_interval_of_mean(row) or (np.nan, np.nan) for row in rows]).T
            for number, rows in values_by_chunker.items()
        }
        means_by_chunker = {
            number: np.array([(mean_and_deviation(row) or (np.nan,))[0] for row in rows])
            for number, rows in values_by_chunker.items()
        }
        values_by_budget_size = {
            size: [rows[row] for rows in values_by_chunker.values()] for row, size in enumerate(curve_budgets.sizes)
        }
        leads_at_budgets = Leads.of_chunkers_at_each_budget(
            [names[number] for number in results_by_column],
            MEASURE_NAMES[measure],
            curve_budgets.unit,
            values_by_budget_size,
            budgets_retrieving_everything=budgets_retrieving_everything,
        )
        return cls(curve_budgets, means_by_chunker, interval_bounds_by_chunker, leads_at_budgets)
