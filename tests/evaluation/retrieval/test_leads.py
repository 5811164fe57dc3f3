"""The leader at each budget, if its lead is significant among all comparisons."""

import numpy as np
import pytest

from evaluation.retrieval.leaders import Leads

HALF = np.tile([0.4, 0.6], 30)
NOISE = np.random.default_rng(4).normal(0, 0.1, 60)


def leads(values, names=("A", "B", "C"), measure="recall", unit="tokens"):
    return Leads.of_chunkers_at_each_budget(names, measure, unit, values)


def test_a_lead_on_every_question_is_significant_at_every_budget():
    leaders = leads({1000: [HALF + 0.2, HALF, HALF + 0.1], 2000: [HALF, HALF + 0.3, HALF - 0.1]})
    assert leaders.budgets_with_significant_lead == (1000, 2000)
    assert [(lead.best, lead.rival) for lead in leaders.leads.values()] == [(0, 2), (1, 0)]
    assert leaders.leads[1000].mean == pytest.approx(0.7)
    assert leaders.leads[2000].difference.mean == pytest.approx(0.3)
    # Of six equal p-values of 2 / 10,001, all are adjusted to six times as much.
    assert leaders.leads[1000].difference.adjusted == pytest.approx(6 * 2 / 10_001)
    assert leaders.words() == (
        "The highest recall is with A at 1,000 tokens and with B at 2,000 tokens. The best is significantly ahead of "
        "every other at both budgets (Holm's correction for 6 comparisons)."
    )


def test_a_lead_that_is_not_significant_names_the_rival_and_what_it_would_take():
    leaders = leads({500: [HALF + 0.2, HALF, HALF - 0.1], 1000: [HALF + 0.01 + NOISE, HALF + NOISE.mean(), HALF - 0.2]})
    assert leaders.budgets_with_significant_lead == (500,)
    lead = leaders.leads[1000]
    assert (lead.best, lead.rival, lead.significant) == (0, 1, False)
    assert (
        lead.significantly_worse_chunkers,
        lead.compared_chunker_count,
        leaders.leads[500].significantly_worse_chunkers,
    ) == ((2,), 2, (1, 2))
    words = leaders.words()
    assert "At 1,000 tokens, A is significantly ahead of 1 of 2 others: C. At 1,000 tokens, A is" in words
    assert "At 500 tokens," not in words
    assert "The highest recall is with A at 500 and 1,000 tokens." in words
    assert "every other at 1 of 2 budgets, 500 tokens (Holm's correction for 6 comparisons)" in words
    assert "At 1,000 tokens, A is 1.0 points ahead of B (" in words
    assert lead.needed_question_count == int(np.ceil((2.8015852 * NOISE.std(ddof=1) / 0.01) ** 2))
    # Rounded up to two digits.
    assert 100 <= lead.needed_question_count < 1000
    about = 10 * int(np.ceil(lead.needed_question_count / 10))
    assert f"not significant; it would take some {about} questions, and there are 60." in words


def test_what_is_significant_alone_may_not_be_among_many():
    # Alone, the difference is significant; among 45 at once it is not.
    shift = NOISE - NOISE.mean() + 0.04
    alone = leads({1000: [HALF + shift, HALF]}, ("A", "B"))
    assert alone.budgets_with_significant_lead == (1000,)
    assert alone.words().endswith("It is significantly ahead of every other (Holm's correction for 1 comparison).")
    names = [f"C{number}" for number in range(10)]
    others = np.random.default_rng(6).normal(0, 0.1, (8, 60))
    others -= others.mean(axis=1, keepdims=True) + 0.001
    many = leads({1000: [HALF + shift, HALF, *(HALF + others)]}, names)
    assert many.leads[1000].difference.p < 0.05
    assert many.budgets_with_significant_lead == ()
    assert many.words().endswith("not significant among so many comparisons, though it may be by itself.")
    assert "It is not significantly ahead of every other (Holm's correction for 45 comparisons)." in many.words()


def test_level_chunkers_have_no_winner():
    leaders = leads({7: [HALF, HALF]}, ("A", "B"), unit="characters")
    assert not leaders.budgets_with_significant_lead
    assert leaders.words() == "Recall is the same with both chunkers at 7 characters."


def test_ties_are_said_as_ties():
    leaders = leads({1: [HALF, HALF, HALF], 2: [HALF, HALF, HALF / 2], 3: [HALF / 2, HALF / 2, HALF]}, ("A", "B", "C"))
    words = leaders.words()
    assert words.startswith("The highest recall is with A and B (a tie) at 2 tokens and with C at 3 tokens. ")
    assert "Recall is the same with all chunkers at 1 token." in words
    assert [lead.equal_chunkers for lead in leaders.leads.values()] == [(1, 2), (1,), ()]


def test_where_everything_was_retrieved_nothing_is_compared():
    leaders = Leads.of_chunkers_at_each_budget(
        ["A", "B"], "recall", "tokens", {1: [HALF, HALF / 2], 2: [HALF, HALF]}, budgets_retrieving_everything=[2]
    )
    assert [*leaders.leads] == [1]
    assert leaders.words().startswith(
        "At 2 tokens everything was retrieved with every chunker: there is nothing to compare. The highest recall is with A"
    )
    assert (
        Leads.of_chunkers_at_each_budget(
            ["A", "B"], "recall", "tokens", {2: [HALF, HALF]}, budgets_retrieving_everything=[2]
        ).comparisons
        == 0
    )


@pytest.mark.full
def test_so_many_comparisons_that_resamples_are_short_take_more_of_them():
    # 13 chunkers at 7 budgets: 546 comparisons, which 10,000 resamples could never tell.
    values = [HALF - 0.02 * number for number in range(13)]
    leaders = leads({size: values for size in range(1000, 8000, 1000)}, [str(number) for number in range(13)])
    assert leaders.comparisons == 546
    assert len(leaders.budgets_with_significant_lead) == 7


def test_a_budget_is_compared_on_the_questions_that_all_have():
    # B is undefined where it would do badly: on the questions that both have, A is ahead; C has none at all and spoils none.
    value = np.linspace(0.2, 0.8, 60)
    picky = np.where(value > 0.6, value - 0.05, np.nan)
    leaders = leads({1000: [value, picky, np.full(60, np.nan)]})
    lead = leaders.leads[1000]
    assert picky[~np.isnan(picky)].mean() > value.mean()
    assert (lead.best, lead.rival, lead.significant, leaders.comparisons) == (0, 1, True, 1)
    assert lead.difference.count == np.count_nonzero(value > 0.6)
    assert lead.mean == pytest.approx(value[value > 0.6].mean())


def test_what_cannot_be_compared_is_said():
    nothing = np.full(60, np.nan)
    assert "nothing to compare" in leads({1000: [HALF]}, ("A",)).words()
    assert "nothing to compare" in leads({1000: [HALF, nothing]}, ("A", "B")).words()
    few = np.where(np.arange(60) < 3, HALF, np.nan)
    leaders = leads({1000: [HALF + 0.5, few]}, ("A", "B"))
    assert (leaders.comparisons, leaders.budgets_with_significant_lead) == (0, ())
    assert (
        "At 1,000 tokens, A and B cannot be compared. A significant difference takes at least 6 questions; there are 3."
    ) in leaders.words()
