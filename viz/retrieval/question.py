"""One question of a retrieval run: the chunks that two chunkers retrieve for it, side by side."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import streamlit as st

from chunkers.support.arrays import FloatArray, IntArray
from evaluation.retrieval.measures import MEASURES, excerpt_ranges
from evaluation.retrieval.report import Report
from viz.components.notice import notice
from viz.controls.widgets import bound, select
from viz.jobs.retrieval import Told
from viz.jobs.retrieval_plan import Plan
from viz.retrieval.failed.on_compare import show_way_to_compare
from viz.retrieval.figures import score_in_percent
from viz.retrieval.link_words import TITLES, choose_word, index_in_link
from viz.retrieval.passages import show_passages
from viz.state.choices import Choices


def show_question(told: Told, plan: Plan, choices: Choices) -> None:
    """Draw selectors for a question and two chunkers, the chunkers' chunks, and the button that opens Compare."""
    with st.container(key="retrieval_one"):
        st.header("Question details", anchor=False)
        _show(told, plan, choices)


def _show(told: Told, plan: Plan, choices: Choices) -> None:
    report, words, titles = told.report, choices.extra, plan.titles
    questions = next(iter(report.chunkers.values())).evaluation.search.questions
    numbers: Sequence[int] = range(len(questions))
    values = {number: distribution.values for number, distribution in report.distributions.items()}
    chosen_by_user = words
    words = words if words["question"] else words | _furthest_apart(values, report.disagreements)

    def keep() -> None:
        """Store the shown question and chunkers as the user's choice."""
        chosen_by_user.update({name: words[name] for name in ("question", "left", "right")})

    disagree = len(values) > 1 and _only_where_they_disagree(chosen_by_user, len(report.disagreements), len(questions))
    if disagree:
        numbers = by_dispute(values, report.disagreements)
    if not numbers:
        notice("The chunkers agree on every question.", key="retrieval_agree")
        return
    options = {str(number + 1): number for number in numbers}
    linked = str(index_in_link(words, "question", len(questions)) + 1)
    words["question"] = linked if linked in options else next(iter(options))
    shown = {word: f"{word}. {questions[number].text}" for word, number in options.items()}
    chosen = options[select("Question", words, "question", shown, "retrieval_question", keep)]
    if disagree:
        words["left"], words["right"] = differing_pair(values, chosen, words["left"], words["right"])
    view = choose_word("Shown", chosen_by_user, "view", hidden=True)
    sides = ("left", "right")[: len(report.chunkers)]
    corpus = next(iter(report.chunkers.values())).evaluation.index.corpus
    numbers = [index_in_link(words, side, len(titles)) for side in sides]
    # The excerpt with the largest missed part on the left, or the first excerpt if none was missed.
    missed = [failure.span for failure in told.failures.get(numbers[0], ()) if failure.question == chosen]
    for span in [*missed, *excerpt_ranges(corpus, questions[chosen])][:1]:
        show_way_to_compare(corpus, span, plan, numbers, choices)
    for column, side in zip(st.columns(len(sides), gap="large"), sides, strict=True):
        with column:
            _show_side(report, titles, words, side, chosen, keep, whole=view == "document")


def _furthest_apart(values: Mapping[int, FloatArray], questions: IntArray) -> dict[str, str]:
    """Return the question on which two chunkers differ most, and these two; the first question if all agree."""
    if len(values) < 2 or not len(questions):
        return {"question": "1"}
    (first, *_) = by_dispute(values, questions)
    known = {number: some[first] for number, some in values.items() if not np.isnan(some[first])}
    left, right = sorted((max(known, key=known.__getitem__), min(known, key=known.__getitem__)))
    return {"question": str(first + 1), "left": str(left + 1), "right": str(right + 1)}


def by_dispute(values: Mapping[int, FloatArray], questions: IntArray) -> list[int]:
    """Return the questions in descending order of the largest difference between two chunkers.

    Ties keep their order. ``values`` has an array of shape (all questions,) for each chunker, NaN where undefined.
    """
    table = np.array([*values.values()])[:, questions]
    apart = np.fmax.reduce(table) - np.fmin.reduce(table)
    return [int(number) for number in questions[np.argsort(-apart, kind="stable")]]


def differing_pair(values: Mapping[int, FloatArray], question: int, left: str, right: str) -> tuple[str, str]:
    """Return the two chunkers to show, numbered from 1; the chosen chunkers are replaced if they do not differ.

    The chosen pair is kept if its values on the question differ, or if fewer than two chunkers have a value. Otherwise the
    right chunker is replaced by the one furthest from the left; if the left has no value, the pair is the worst and the best
    chunker.
    """
    defined = {str(number + 1): float(some[question]) for number, some in values.items() if not np.isnan(some[question])}
    if len(defined) < 2 or (left in defined and right in defined and defined[left] != defined[right]):
        return left, right
    if left in defined:
        return left, max(defined, key=lambda word: abs(defined[word] - defined[left]))
    return min(defined, key=defined.__getitem__), max(defined, key=defined.__getitem__)


def _only_where_they_disagree(words: dict[str, str], count: int, of: int) -> bool:
    shown = words["disagree"] == "yes"

    def put(only: bool) -> None:
        words["disagree"] = "yes" if only else "no"

    label = f"Only where the chunkers disagree in {TITLES[words['measure']].lower()}: {count:,} of {of:,}"
    return st.toggle(label, shown, **bound(shown, "retrieval_disagree", put))


def _show_side(
    report: Report,
    titles: list[str],
    words: dict[str, str],
    side: str,
    question: int,
    keep: Callable[[], None],
    *,
    whole: bool,
) -> None:
    """Draw one of the two compared chunkers, with its scores and retrieved chunks."""
    options = {str(number + 1): titles[number] for number in report.chunkers}
    if words[side] not in options:
        words[side] = list(options)[0 if side == "left" else -1]
    number = int(select(side.capitalize(), words, side, options, f"retrieval_{side}", keep)) - 1
    evaluation = report.chunkers[number].evaluation
    answer = evaluation.answer(question)
    scores = getattr(answer, report.choice.unit)
    st.caption(" · ".join(f"{TITLES[name]} {score_in_percent(scores[name])}" for name in MEASURES))
    given = report.given(number, question)
    show_passages(evaluation, answer, given, whole=whole, key=f"retrieval_passages_{side}")
