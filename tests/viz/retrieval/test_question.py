"""The question and the pair of chunkers shown first if the chunkers disagree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluation.retrieval.computed_reports import differing_question_indexes
from viz.retrieval.question_details import questions_sorted_by_difference, replace_agreeing_chunker_pair

NAN = float("nan")
SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN])


@given(
    st.integers(1, 8).flatmap(
        lambda count: st.lists(st.lists(SHARES, min_size=count, max_size=count), min_size=2, max_size=5)
    )
)
def test_the_shown_pair_differs_wherever_any_two_do_and_the_greatest_dispute_comes_first(rows):
    values = dict(enumerate(np.array(rows)))
    questions = differing_question_indexes(values)
    order = questions_sorted_by_difference(values, questions)
    assert sorted(order) == questions.tolist()
    apart = [
        float(
            np.nanmax([some[question] for some in values.values()]) - np.nanmin([some[question] for some in values.values()])
        )
        for question in order
    ]
    assert apart == sorted(apart, reverse=True)
    for question in order:
        left, right = (values[int(word) - 1][question] for word in replace_agreeing_chunker_pair(values, question, "1", "2"))
        assert left != right
        assert not np.isnan(left)
        assert not np.isnan(right)


def test_the_users_own_pair_stays_if_it_differs():
    values = {0: np.array([0.0]), 1: np.array([0.5]), 2: np.array([1.0])}
    assert replace_agreeing_chunker_pair(values, 0, "2", "1") == ("2", "1")
    assert replace_agreeing_chunker_pair(values, 0, "2", "2") == ("2", "1")
    assert replace_agreeing_chunker_pair(values, 0, "3", "3") == ("3", "1")
