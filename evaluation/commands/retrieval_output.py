"""Output of ``retrieval`` as text and as JSON: results and the leader at each budget, and the cost of near-duplicates."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkers import InputError
from chunkers.support import FloatArray, pluralize, text_table
from evaluation.questions import TokenRuler
from evaluation.report.measure_table_cells import mean_cell
from evaluation.retrieval import (
    LAST_CHUNK_CHOICES,
    MEASURE_NAMES,
    RANGE_UNITS,
    RETRIEVED_TEXT_MEASURES,
    BudgetResults,
    Budgets,
    Evaluation,
    Leads,
    RepeatCost,
    RetrievedDuplicates,
    mean_and_deviation,
)
from evaluation.statistics import FALSE_VERDICT_SENTENCE, Difference, compute_confidence_interval_of_mean

_LAST_CHUNK_CHOICE_BY_OPTION_VALUE = {last.replace("_", "-"): last for last in LAST_CHUNK_CHOICES}


def add_budget_options(command_parser: argparse.ArgumentParser) -> None:
    """Add the options for measuring retrieval at equal budgets to an argument parser."""
    command_parser.add_argument(
        "--budget", metavar="N,N...", help="measure what fills budgets of so many tokens too, and say who is ahead where"
    )
    command_parser.add_argument("--budget-unit", choices=RANGE_UNITS, help="the unit of the budgets (default: tokens)")
    command_parser.add_argument(
        "--last",
        choices=[*_LAST_CHUNK_CHOICE_BY_OPTION_VALUE],
        help="what is done with the chunk that passes a budget (default: cut, where it is full)",
    )


def read_budgets_from_options(options: argparse.Namespace) -> Budgets | None:
    """Return the budgets given on the command line; None if there are none.

    Raises
    ------
    InputError
        If the budgets are not positive integers, if there are too many, or if another budget option is given without them.
    """
    if options.budget is None:
        for option_name, option_value in (("--budget-unit", options.budget_unit), ("--last", options.last)):
            if option_value is not None:
                raise InputError(
                    f"{option_name} works only with --budget, which is missing. Add --budget, or leave {option_name} out."
                )
        return None
    budget_size_texts = [part.strip() for part in options.budget.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) <= 12 for part in budget_size_texts):
        raise InputError(
            f"--budget must be a list of whole numbers separated by commas, such as 1000,2000; got {options.budget[:60]!r}."
        )
    return Budgets(
        tuple(sorted(set(map(int, budget_size_texts)))),
        options.budget_unit or "tokens",
        _LAST_CHUNK_CHOICE_BY_OPTION_VALUE[options.last or "cut"],
    )


@dataclass(frozen=True, eq=False)
class MeasuredRecipe:
    """Retrieval results of a recipe, for the top k and at every budget.

    Attributes
    ----------
    top_k
        Measures over the top k, by name, each of shape (questions,), in the unit of the budgets.
    mean_top_k_length
        Mean length of the top k chunks' text.
    """

    name: str
    top_k: Mapping[str, FloatArray]
    mean_top_k_length: float
    budget_results: BudgetResults


def budget_tables(measured_recipes: Sequence[MeasuredRecipe], k: int) -> str:
    """Return a text table for each measure, with sentences on the leading recipe at each budget."""
    shared_retrieval_budgets = measured_recipes[0].budget_results.budgets
    last_chunk_phrase = (
        "the last chunk cut off" if shared_retrieval_budgets.last == "cut" else "the chunk that does not fit left out"
    )
    budget_column_headings = [
        f"k = {k:,}",
        *(f"{size:,} {shared_retrieval_budgets.unit}" for size in shared_retrieval_budgets.sizes),
    ]
    printed_tables_and_sentences = []
    for measure in RETRIEVED_TEXT_MEASURES:
        measure_table_title = (
            f"{MEASURE_NAMES[measure]} in {shared_retrieval_budgets.unit}, 95 % confidence intervals in brackets; "
            f"{last_chunk_phrase}:"
        )
        recipe_mean_rows = [
            [recipe.name, *map(_mean_and_interval_cell, (recipe.top_k[measure], *_values_at_budgets(recipe, measure)))]
            for recipe in measured_recipes
        ]
        printed_tables_and_sentences.append(text_table(measure_table_title, budget_column_headings, recipe_mean_rows))
        if len(measured_recipes) > 1:
            printed_tables_and_sentences.append(leads_at_budgets(measured_recipes, measure).words())
    if len(measured_recipes) > 1:
        printed_tables_and_sentences.append(FALSE_VERDICT_SENTENCE)
    retrieved_length_rows = [
        [
            recipe.name,
            f"{recipe.mean_top_k_length:,.0f}",
            *(f"{row.mean():,.0f}" for row in recipe.budget_results.given[RANGE_UNITS.index(shared_retrieval_budgets.unit)]),
        ]
        for recipe in measured_recipes
    ]
    printed_tables_and_sentences.append(
        text_table(
            f"{shared_retrieval_budgets.unit} that a question is given:", budget_column_headings, retrieved_length_rows
        )
    )
    return "\n\n".join(printed_tables_and_sentences)


def leads_at_budgets(measured_recipes: Sequence[MeasuredRecipe], measure: str) -> Leads:
    """Return the leading recipe at each budget, by one measure."""
    shared_retrieval_budgets = measured_recipes[0].budget_results.budgets
    all_recipes_values_by_budget = {
        size: [
            recipe.budget_results.question_values_at_budget(measure, size, shared_retrieval_budgets.unit)
            for recipe in measured_recipes
        ]
        for size in shared_retrieval_budgets.sizes
    }
    return Leads.of_chunkers_at_each_budget(
        [recipe.name for recipe in measured_recipes],
        MEASURE_NAMES[measure],
        shared_retrieval_budgets.unit,
        all_recipes_values_by_budget,
    )


def _values_at_budgets(measured_recipe: MeasuredRecipe, measure: str) -> list[FloatArray]:
    return [
        measured_recipe.budget_results.question_values_at_budget(measure, size, measured_recipe.budget_results.budgets.unit)
        for size in measured_recipe.budget_results.budgets.sizes
    ]


def _mean_and_interval_cell(values: FloatArray) -> str:
    mean_phrase, confidence_interval = (
        mean_cell(mean_and_deviation(values), with_deviation=False).text,
        compute_confidence_interval_of_mean(values),
    )
    return (
        mean_phrase
        if confidence_interval is None
        else f"{mean_phrase} ({100 * confidence_interval[0]:.1f} to {100 * confidence_interval[1]:.1f})"
    )


def budget_results_as_json(budget_results: BudgetResults) -> dict[str, Any]:
    """Return a recipe's mean results at every budget as JSON-compatible values, without individual questions."""
    return {
        "unit": budget_results.budgets.unit,
        "last": budget_results.budgets.last,
        "at": [
            {
                "budget": size,
                "chunks": _mean_or_none(budget_results.taken[row]),
                "given": {unit: _mean_or_none(budget_results.given[place, row]) for place, unit in enumerate(RANGE_UNITS)},
                **{
                    unit: {
                        name: _mean_and_interval_as_json(budget_results.question_values_at_budget(name, size, unit))
                        for name in RETRIEVED_TEXT_MEASURES
                    }
                    for unit in RANGE_UNITS
                },
            }
            for row, size in enumerate(budget_results.budgets.sizes)
        ],
    }


def one_question_results_as_json(budget_results: BudgetResults, question_number: int) -> list[dict[str, Any]]:
    """Return one question's results at every budget as JSON-compatible values."""
    return [
        {
            "budget": size,
            "chunks": int(budget_results.taken[row, question_number]),
            **{
                unit: {
                    name: _none_if_undefined(budget_results.question_values_at_budget(name, size, unit)[question_number])
                    for name in RETRIEVED_TEXT_MEASURES
                }
                | {"given": int(budget_results.given[place, row, question_number])}
                for place, unit in enumerate(RANGE_UNITS)
            },
        }
        for row, size in enumerate(budget_results.budgets.sizes)
    ]


def leads_as_json(measured_recipes: Sequence[MeasuredRecipe]) -> dict[str, Any]:
    """Return the leader at each budget, for every measure, as JSON-compatible values."""
    return {
        "leads": {
            measure: _leads_for_measure_json(leads_at_budgets(measured_recipes, measure))
            for measure in RETRIEVED_TEXT_MEASURES
        }
    }


def _leads_for_measure_json(leads_for_measure: Leads) -> dict[str, Any]:
    return {
        "comparisons": leads_for_measure.comparisons,
        "at": [
            {
                "budget": size,
                "best": leads_for_measure.names[lead.best],
                "mean": lead.mean,
                "behind": [leads_for_measure.names[other] for other in lead.significantly_worse_chunkers],
                "rival": leads_for_measure.names[lead.rival],
                "told": lead.significant,
                "difference": difference_as_json(lead.difference),
                "questions_to_tell": lead.needed_question_count,
            }
            for size, lead in leads_for_measure.leads.items()
        ],
        "words": leads_for_measure.words(),
    }


def difference_as_json(difference: Difference | None) -> dict[str, float] | None:
    """Return a difference with its interval and p-values as JSON-compatible values; None if it was not tested."""
    if difference is None:
        return None
    return {
        "mean": difference.mean,
        "low": difference.low,
        "high": difference.high,
        "level": 1 - difference.alpha,
        "p": difference.p,
        "adjusted_p": difference.adjusted,
        "questions": difference.count,
    }


def _mean_and_interval_as_json(values: FloatArray) -> dict[str, float | None] | None:
    mean_and_standard_deviation = mean_and_deviation(values)
    if mean_and_standard_deviation is None:
        return None
    interval_low, interval_high = compute_confidence_interval_of_mean(values) or (None, None)
    return {
        "mean": mean_and_standard_deviation[0],
        "standard_deviation": mean_and_standard_deviation[1],
        "low": interval_low,
        "high": interval_high,
    }


def _mean_or_none(values: Any) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _none_if_undefined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


# Output of ``retrieval`` on near-duplicates: the places that they take, and recall without them.


def near_duplicate_recall_cost_text(
    retrieved_duplicates: RetrievedDuplicates,
    evaluation: Evaluation,
    token_ruler: TokenRuler,
    budget_results: BudgetResults | None,
) -> str:
    """Return the cost of near-duplicates in the top k and at every budget as lines of text."""
    indexed_chunk_count = len(evaluation.searched_index.chunks)
    if not retrieved_duplicates.near_duplicate_count:
        return f"none of {pluralize(indexed_chunk_count, 'chunk')} has one"
    near_duplicate_cost_lines = [
        f"{retrieved_duplicates.near_duplicate_count:,} of {pluralize(indexed_chunk_count, 'chunk')} have one",
        _near_duplicate_cost_phrase(
            f"top {evaluation.top_k:,}",
            retrieved_duplicates.repeat_cost_in_top_k(evaluation, RANGE_UNITS[0], token_ruler),
            RANGE_UNITS[0],
        ),
    ]
    if budget_results is not None:
        budget_unit = budget_results.budgets.unit
        near_duplicate_cost_lines += [
            _near_duplicate_cost_phrase(
                f"{size:,} {budget_unit}",
                retrieved_duplicates.repeat_cost_at_budget(budget_results, size, budget_unit),
                budget_unit,
            )
            for size in budget_results.budgets.sizes
        ]
    return "\n    ".join(near_duplicate_cost_lines)


def _near_duplicate_cost_phrase(limit_phrase: str, near_duplicate_cost: RepeatCost, recalled_text_unit: str) -> str:
    recall_difference = near_duplicate_cost.difference
    recall_with_duplicates_phrase, recall_without_duplicates_phrase = (
        mean_cell(mean_and_deviation(values), with_deviation=False).text
        for values in (near_duplicate_cost.recall, near_duplicate_cost.recall_without_repeats)
    )
    recall_gain_phrase = (
        "too few questions for an interval"
        if recall_difference is None
        else f"{recall_difference.points}, {recall_difference.interval_phrase}"
    )
    return (
        f"{limit_phrase}: {near_duplicate_cost.taken.mean():.2f} of {near_duplicate_cost.retrieved.mean():.1f} chunks "
        "repeat a better one, in "
        f"{np.count_nonzero(near_duplicate_cost.taken):,} of {pluralize(len(near_duplicate_cost.taken), 'question')}; "
        f"recall in {recalled_text_unit} {recall_with_duplicates_phrase}, "
        f"without them {recall_without_duplicates_phrase} ({recall_gain_phrase})"
    )


def near_duplicate_costs_as_json(
    retrieved_duplicates: RetrievedDuplicates,
    evaluation: Evaluation,
    token_ruler: TokenRuler,
    budget_results: BudgetResults | None,
) -> dict[str, Any]:
    """Return the cost of near-duplicates in the top k and at every budget as JSON-compatible values."""
    near_duplicates_json = {
        "chunks": retrieved_duplicates.near_duplicate_count,
        "groups": retrieved_duplicates.group_count,
        "top_k": _duplicate_costs_as_json(
            {unit: retrieved_duplicates.repeat_cost_in_top_k(evaluation, unit, token_ruler) for unit in RANGE_UNITS}
        ),
    }
    if budget_results is not None:
        near_duplicates_json["budgets"] = [
            {"budget": size}
            | _duplicate_costs_as_json(
                {unit: retrieved_duplicates.repeat_cost_at_budget(budget_results, size, unit) for unit in RANGE_UNITS}
            )
            for size in budget_results.budgets.sizes
        ]
    return near_duplicates_json


def _duplicate_costs_as_json(cost_by_unit: dict[str, RepeatCost]) -> dict[str, Any]:
    first_unit_cost = next(iter(cost_by_unit.values()))
    return {
        "retrieved": float(first_unit_cost.retrieved.mean()),
        "taken": float(first_unit_cost.taken.mean()),
        "questions": int(np.count_nonzero(first_unit_cost.taken)),
        **{unit: _recall_cost_as_json(cost) for unit, cost in cost_by_unit.items()},
    }


def _recall_cost_as_json(near_duplicate_cost: RepeatCost) -> dict[str, Any]:
    recall_means_and_deviations = [
        mean_and_deviation(values) for values in (near_duplicate_cost.recall, near_duplicate_cost.recall_without_repeats)
    ]
    mean_recall, mean_recall_without_duplicates = (None if mean is None else mean[0] for mean in recall_means_and_deviations)
    return {
        "recall": mean_recall,
        "recall_without": mean_recall_without_duplicates,
        "difference": difference_as_json(near_duplicate_cost.difference),
    }
