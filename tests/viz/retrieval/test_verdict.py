"""Who found most, whether it can be told, and what it cost: in words."""

import numpy as np
import pytest

from evaluation.retrieval.bootstrap import paired
from evaluation.retrieval.measures import mean_and_deviation
from evaluation.retrieval.report import Costs, Winner
from viz.retrieval.summary import Cell
from viz.retrieval.verdict import cells, differences_in_words

NAMES = {0: "1. Recursive", 1: "2. Optimal", 2: "3. Breakpoint"}
NOISE = np.random.default_rng(5).normal(0, 0.1, 40)
HIGH, LOW = 0.8 + NOISE, 0.5 + NOISE
ALIKE = 0.5 + NOISE[::-1]
COSTS = {number: Costs(2.0 * (number + 1), 0.5, 300.0, 10, number) for number in NAMES}
ASKED = Cell("Asked", "40 questions", "of 3 documents")


def winner_of(values, baseline):
    means = {number: found[0] for number, one in values.items() if (found := mean_and_deviation(one)) is not None}
    return Winner.of(means, baseline, lambda one, other: paired(values[one], values[other]))


def said(values, baseline):
    winner = winner_of(values, baseline)
    return [(cell.value, cell.detail) for cell in cells(winner, COSTS, NAMES, "recall", ASKED, baseline)[1:]]


def test_the_best_is_compared_with_the_baseline():
    winner, certainty, cost = said({0: LOW, 1: HIGH, 2: ALIKE}, 0)
    assert winner == ("2. Optimal", f"{100 * HIGH.mean():.1f} %")
    assert certainty[0] == "Yes"
    assert certainty[1].startswith("+30.0 points on 1. Recursive, the baseline: 95 % between +30.0 and +30.0")
    assert cost == ("4 s to index", "300 tokens retrieved per question. 1. Recursive: 2 s, 300 tokens.")


def test_where_the_baseline_is_best_it_is_compared_with_the_next():
    winner, certainty, _ = said({0: LOW, 1: HIGH, 2: ALIKE - 0.01}, 1)
    assert winner[0] == "2. Optimal"
    assert "on 1. Recursive, the next" in certainty[1]


def test_what_cannot_be_told_is_not_called_a_difference():
    assert said({0: LOW, 2: ALIKE + 0.001}, 0)[1][0] == "No"
    assert said({0: LOW[:4], 2: HIGH[:4]}, 0)[1][0] == "Too few questions"


def test_those_that_are_level_share_the_first_place():
    assert said({0: HIGH, 1: HIGH, 2: LOW}, 0)[0][1].endswith("level with 2. Optimal")


def test_one_chunker_alone_is_not_compared():
    (winner, cost) = said({0: LOW}, 0)
    assert winner == ("1. Recursive", f"{100 * LOW.mean():.1f} %")
    assert cost[1] == "300 tokens retrieved per question"


def test_undefined_for_every_question_is_no_verdict():
    assert winner_of({0: np.full(40, np.nan)}, 0) is None
    assert winner_of({0: np.full(40, np.nan), 1: LOW}, 0).other is None


def test_where_the_embeddings_came_from():
    sources = [Costs(1, 1, 1, embedded, cached).source() for embedded, cached in ((5, 0), (0, 5), (5, 5), (0, 0))]
    assert sources == ["computed", "from the cache", "partly from the cache", "none"]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({1: HIGH}, ["2. Optimal: recall is 30.0 points higher than with 1. Recursive over 40 questions"]),
        ({2: ALIKE}, ["3. Breakpoint: no difference in recall from 1. Recursive can be told from 40 questions"]),
        (
            {1: ALIKE, 2: ALIKE},
            ["No difference in recall from 1. Recursive can be told from 40 questions for 2. Optimal (+0.0 points, p = "],
        ),
    ],
)
def test_differences_in_words(others, expected):
    found = {number: paired(one, LOW) for number, one in others.items()}
    sentences = differences_in_words(found, NAMES, NAMES[0], "recall")
    assert len(sentences) == len(expected)
    for sentence, beginning in zip(sentences, expected, strict=True):
        assert sentence.startswith(beginning)
