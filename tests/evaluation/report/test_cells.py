"""Rows of tables of measures: their labels, texts and values."""

from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.report.measure_table_cells import (
    answer_cost_rows,
    answer_measures_row,
    chunker_pair_difference_row,
    mean_cell,
    near_duplicate_row,
    retrieval_row,
)
from evaluation.retrieval.budgets_and_near_duplicates import RepeatCost
from evaluation.retrieval.computed_reports import Costs
from evaluation.statistics import paired_difference

NAN = np.nan


def words_of(row):
    return {head.label: cell.text for head, cell in row.items()}


def test_a_mean_is_in_percent_with_its_deviation():
    assert mean_cell((0.5, 0.125)).text == "50.0 ± 12.5"
    assert mean_cell((0.5, 0.125), with_deviation=False).text == "50.0"
    assert mean_cell((0.5, 0.125)).value == 0.5
    assert mean_cell(None).text == "undefined"


@pytest.mark.parametrize(("recall", "everything", "shown"), [(None, True, "undefined"), ((1.0, 0.0), True, "everything")])
def test_recall_says_nothing_where_everything_is_given(recall, everything, shown):
    means = {"recall": recall, "precision": (0.25, 0.1), "precision_omega": None, "iou": (0.2, 0.1)}
    row = retrieval_row("All", means, 1_200, 99.6, retrieves_everything=everything)
    assert words_of(row)["Recall, %"] == shown
    assert words_of(row)["Precision, %"] == "25.0 ± 10.0"
    assert [*words_of(row)][1:5] == ["Recall, %", "Precision, %", "Best possible precision, %", "IoU, %"]
    assert all(head.help for head in [*row][1:5])
    # The numbers of the whole text, which is not indexed, and those of a chunker.
    assert [cell.value for cell in row.values()][-4:] == [1_200, 100, None, None]
    row = retrieval_row("One", means, 3, 5.0, Costs(None, 0.5, 9.0, 0, 0), retrieves_everything=False)
    assert [cell.value for cell in row.values()][-4:] == [3, 5, None, 0.5]


def test_near_duplicates_have_their_share_of_the_places():
    recall, without = np.linspace(0.1, 0.6, 12), np.linspace(0.3, 0.8, 12)
    difference = paired_difference(without, recall)
    cost = RepeatCost(12, np.full(12, 5), np.array([1, 0] * 6), recall, without, difference)
    words = words_of(near_duplicate_row("A", cost, 1_038))
    assert words["with a near-duplicate"] == "12 of 1,038"
    assert (words["places taken"], words["in questions"]) == ("0.50 of 5", "6 of 12")
    assert (words["recall, %"], words["without them, %"]) == ("35.0", "55.0")
    assert words["difference, points"].startswith(f"{difference.points} (")
    few = RepeatCost(12, np.full(1, 5), np.array([1]), recall[:1], without[:1], None)
    assert words_of(near_duplicate_row("A", few, 38))["difference, points"] == "too few questions"


@pytest.mark.parametrize(
    ("values", "unjudged", "shown"),
    [
        ([0.5, 0.7, NAN], 0, "0.60 ± 0.10"),
        ([0.5, NAN, NAN], 2, "0.50 ± 0.00, 2 not judged"),
        ([-0.5, NAN, NAN], 0, "−0.50 ± 0.00"),
        ([NAN] * 3, 3, "3 not judged"),
        ([NAN] * 3, 0, "undefined"),
    ],
)
def test_answers_that_could_not_be_judged_are_counted(values, unjudged, shown):
    report = SimpleNamespace(
        names=["A"],
        questions=3,
        usable_answer_count=lambda number: 2,
        values=lambda name: [np.array(values)],
        count_answers_with_unreadable_judgement=lambda number, name: unjudged,
    )
    row = answer_measures_row(report, 0, ["aqs"], {"AQS": "A mean."})
    assert words_of(row) == {"chunker": "A", "answers": "2 of 3", "AQS": shown}
    assert [head.help for head in row] == ["", "", "A mean."]


def test_a_difference_has_its_interval_and_its_p_value():
    difference = paired_difference(np.linspace(0.3, 0.8, 12), np.linspace(0.1, 0.6, 12))
    row = chunker_pair_difference_row("A", "B", difference)
    assert words_of(row)["difference"] == "+0.200"
    assert [*row.values()][4].value == round(difference.adjusted, 4)
    assert [*row.values()][6].value == 12


def test_a_column_of_costs_without_any_value_says_unknown():
    costs = [{"chunker": "A", "chunking, s": None, "chunks": 1_234, "cost, $": None}, {"chunker": "B", "chunking, s": 0.5}]
    costs[1] |= {"chunks": 5, "cost, $": None}
    first, second = answer_cost_rows(costs)
    assert [head.number for head in first] == [None, "%.3g", "", None]
    assert [cell.text for head, cell in first.items() if head.number is None] == ["A", "unknown"]
    assert [cell.value for head, cell in first.items() if head.number is not None] == [None, 1_234]
    assert [cell.value for head, cell in second.items() if head.number is not None] == [0.5, 5]
