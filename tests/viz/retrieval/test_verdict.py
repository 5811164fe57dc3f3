"""The leader, its significance and the costs in words."""

from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.retrieval.computed_reports import Costs, ReportChoice
from evaluation.retrieval.leaders import Leads
from evaluation.retrieval.measures import mean_and_deviation
from evaluation.statistics.paired_tests import corrected_differences_per_comparison
from viz.retrieval.retrieval_results import KeyFigure, differences_in_words, key_figures

NAMES = {0: "1. Recursive", 1: "2. Optimal", 2: "3. Breakpoint"}
NOISE = np.random.default_rng(5).normal(0, 0.1, 40)
HIGH, LOW = 0.8 + NOISE, 0.5 + NOISE
ALIKE = 0.5 + NOISE[::-1]
COSTS = {number: Costs(2.0 * (number + 1), 0.5, 300.0, 10, number) for number in NAMES}
ASKED = KeyFigure("Asked", "40 questions", "of 3 documents")


def said(values, *, everything=False):
    means = {number: (mean_and_deviation(scores) or (None,))[0] for number, scores in values.items()}
    report = SimpleNamespace(
        chunkers=dict.fromkeys(values),
        is_everything_retrieved=everything,
        choice=ReportChoice("recall", "tokens", 5, 0, 500),
        distributions={number: SimpleNamespace(mean=mean) for number, mean in means.items()},
        time_and_token_costs=COSTS,
        best_chunker_lead=Leads.of_chunkers_at_each_budget(
            [NAMES[number] for number in values], "recall", "tokens", {500: list(values.values())}
        ).leads.get(500),
    )
    return [tuple(cell) for cell in key_figures(report, NAMES, "recall", ASKED)[1:]]


def test_the_one_that_is_significantly_ahead_of_all_others_is_named():
    ahead, certainty, cost = said({0: LOW, 1: HIGH, 2: ALIKE})
    assert ahead == ("Highest recall", "2. Optimal", f"{100 * HIGH.mean():.1f} %")
    assert certainty[1] == "Significant"
    assert "adjusted p = " in certainty[2]
    assert cost[1] == "4 s to index"
    assert cost[2].startswith("2. Optimal, with 300 tokens retrieved per question. ")


def test_nobody_is_called_ahead_whose_lead_is_not_significant():
    ahead, certainty, _ = said({0: LOW, 2: ALIKE + 0.001})
    assert ahead[1] == "Not significant"
    assert ahead[2].startswith("3. Breakpoint has ")
    assert ahead[2].endswith(f"it is not significantly ahead of 1. Recursive ({100 * LOW.mean():.1f} %).")
    assert certainty[1].startswith("It takes some ")
    assert "+0.1 points on 1. Recursive" in certainty[2]


def test_only_those_are_named_of_which_it_is_not_significantly_ahead():
    ahead, *_ = said({0: HIGH - 0.3, 1: HIGH, 2: HIGH[::-1].copy() - 0.001})
    assert ahead[1] == "Not significant"
    assert "3. Breakpoint" in ahead[2]
    assert "1. Recursive" not in ahead[2]


def test_a_tie_is_said_as_a_tie():
    assert said({0: HIGH, 1: HIGH})[0] == ("Highest recall", "A tie", f"All have {100 * HIGH.mean():.1f} %.")
    ahead = said({0: HIGH, 1: HIGH, 2: LOW})[0]
    assert ahead[1:] == ("A tie", f"1. Recursive and 2. Optimal have {100 * HIGH.mean():.1f} %.")


def test_where_everything_was_retrieved_nobody_is_ahead():
    ones = np.ones(40)
    cell, cost = said({0: ones, 1: ones}, everything=True)
    assert cell == (
        "Found",
        "Everything was retrieved",
        "The budget of 500 tokens holds all of the text with every chunker, so nothing can be missed. Choose a smaller "
        "budget.",
    )
    assert cost[0] == "What it cost"


def test_those_that_are_level_and_too_few_questions_are_said():
    assert said({0: HIGH, 1: HIGH})[1][1] == "They are level"
    assert said({0: LOW[:4], 2: HIGH[:4]})[1][1] == "Too few questions"


@pytest.mark.parametrize(
    ("unknown", "head", "rival"), [(1, "Time to index not known", "2 s"), (0, "4 s to index", "time not known")]
)
def test_a_time_that_is_not_known_is_said(monkeypatch, unknown, head, rival):
    monkeypatch.setitem(COSTS, unknown, Costs(None, 0.5, 300.0, 10, 0))
    *_, cost = said({0: LOW, 1: HIGH})
    assert cost[1] == head
    assert f"1. Recursive: {rival}, 300 tokens." in cost[2]


def test_one_chunker_alone_is_not_compared():
    (alone, cost) = said({0: LOW})
    assert alone == ("Mean recall", "1. Recursive", f"{100 * LOW.mean():.1f} %")
    assert cost[2] == "300 tokens retrieved per question"


def test_undefined_for_every_question_is_no_verdict():
    assert said({0: np.full(40, np.nan)}) == [("Found", "Nothing to measure", "Recall is undefined for every question.")]
    # Where only one has the measure, it is compared with nobody.
    assert said({0: np.full(40, np.nan), 1: LOW})[0][:2] == ("Mean recall", "2. Optimal")


def test_where_the_embeddings_came_from():
    sources = [
        Costs(1, 1, 1, embedded, cached).embeddings_origin_phrase() for embedded, cached in ((5, 0), (0, 5), (5, 5), (0, 0))
    ]
    assert sources == ["computed", "from the cache", "partly from the cache", "none"]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({1: HIGH}, ["2. Optimal: recall is significantly higher than with 1. Recursive, by 30.0 points over 40 questions"]),
        (
            {1: HIGH, 2: ALIKE},
            [
                "2. Optimal: recall is significantly higher than with 1. Recursive, by 30.0 points over 40 questions "
                "(97.5 % between +30.0 and ",
                "No significant difference in recall from 1. Recursive over 40 questions: 3. Breakpoint (",
            ],
        ),
        ({2: ALIKE}, ["3. Breakpoint: recall is not significantly different from 1. Recursive over 40 questions"]),
        (
            {1: ALIKE, 2: ALIKE},
            ["No significant difference in recall from 1. Recursive over 40 questions: 2. Optimal (+0.0 points, "],
        ),
    ],
)
def test_differences_in_words(others, expected):
    comparisons = corrected_differences_per_comparison(np.array([*others.values()]) - LOW)
    sentences = differences_in_words(dict(zip(others, comparisons, strict=True)), NAMES, NAMES[0], "recall")
    assert len(sentences) == len(expected)
    for sentence, beginning in zip(sentences, expected, strict=True):
        assert sentence.startswith(beginning)


def test_a_difference_that_only_the_correction_undoes_is_not_significant():
    values = LOW + NOISE - NOISE.mean() + 0.032
    comparison, *_ = comparisons = corrected_differences_per_comparison(np.array([values, ALIKE, ALIKE[::-1]]) - LOW)
    assert comparison.p < 0.05 < comparison.adjusted
    assert comparison.low <= 0
    (sentence,) = differences_in_words(dict(enumerate(comparisons)), NAMES, NAMES[0], "recall")
    assert sentence.startswith("No significant difference in recall")
