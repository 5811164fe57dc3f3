"""The list of missed excerpts: the cuts inside each, the chunk with the largest part, and the chunkers that found it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypedDict

import streamlit as st

from evaluation.retrieval.given_chunks import Failure, Seam
from evaluation.retrieval.report import Report
from viz.components.mounting import Component, take_event
from viz.components.notice import notice
from viz.controls.widgets import select
from viz.jobs.retrieval import Told
from viz.jobs.retrieval_plan import Plan
from viz.theme.numbers import counted

KEY = "retrieval_failed_list"
BELOW = ".st-key-retrieval_one"
MOST_LISTED = 200
"""Most excerpts in the list; those with the largest missed parts come first."""
AROUND = 40
"""Characters shown on either side of a cut."""
SEAMS_SHOWN = 3
"""Most cuts shown per excerpt; further ones are counted."""


class SeamData(TypedDict):
    """A cut inside an excerpt: the text before and after it, and its reason."""

    before: str
    after: str
    reason: str


class RowData(TypedDict):
    """A row for a missed excerpt: the number of its question, from 0, and texts about what was missed and why."""

    question: int
    title: str
    missed: str
    seams: list[SeamData]
    more: str
    holder: str
    others: str
    here: bool


class FailedData(TypedDict):
    """Payload of the list: its rows, a sentence about the rows left out, and the selector of what a press scrolls to."""

    rows: list[RowData]
    more: str
    below: str


_failed = Component[FailedData](
    "seamark_failed",
    "retrieval/failed/failed.js",
    "retrieval/failed/failed.css",
    html='<div class="failed"></div>',
    colours="failed",
)


def failed_list(data: FailedData, key: str, chosen: Callable[[], None]) -> None:
    """Draw a list of failed questions; ``chosen`` is called after a press on a row."""
    _failed(key=key, data=data, on_chosen_change=chosen)


def show_failed(told: Told, plan: Plan, words: dict[str, str]) -> None:
    """Draw a chunker selector, and the list of the excerpts that the selected chunker missed."""
    report = told.report
    st.header("Missed excerpts", anchor=False)
    options = {str(number + 1): plan.titles[number] for number in report.chunkers}
    with st.container(width=420):
        number = int(select("Missed by", words, "failed", options, "retrieval_failed")) - 1
    lost = told.failures[number]
    questions = report.chunkers[number].evaluation.search.questions
    if report.chunkers[number].everything:
        notice(
            f"No question can fail: {plan.names[number]} retrieved everything {_at(report)}.",
            key="retrieval_nothing_failed",
        )
        return
    if not lost:
        asked = sum(bool(question.excerpts) for question in questions)
        notice(
            f"No question failed: {plan.names[number]} found every excerpt of {counted(asked, 'question')} whole "
            f"{_at(report)}.",
            key="retrieval_nothing_failed",
        )
        return
    failed = len({failure.question for failure in lost})
    st.caption(
        f"{plan.names[number]} did not find {counted(len(lost), 'excerpt')} whole {_at(report)}, in {failed:,} of "
        f"{counted(len(questions), 'question')}. The excerpts with the most missing text come first; press one to see its "
        "passage below."
    )
    rows = [_row(report, plan, failure, number, words) for failure in lost[:MOST_LISTED]]
    left = len(lost) - len(rows)
    more = f"{counted(left, 'more excerpt')} with less missed" if left else ""
    _failed(
        key=KEY, data={"rows": rows, "more": more, "below": BELOW}, on_chosen_change=partial(_choose, lost, number, words)
    )


def _choose(lost: Sequence[Failure], number: int, words: dict[str, str]) -> None:
    """Select a row's question for the view below, with the chunker that missed it next to one that did not."""
    chosen = take_event(KEY, "chosen")
    if chosen is None:
        return
    question = chosen["question"]
    failure = next((candidate for candidate in lost if candidate.question == question), None)
    if failure is None:
        return
    words["disagree"], words["question"], words["left"] = "no", str(question + 1), str(number + 1)
    others = failure.found_by(number) or tuple(
        sorted((other for other in failure.missed if other != number), key=lambda other: failure.missed[other])
    )
    if others:
        words["right"] = str(others[0] + 1)


def _at(report: Report) -> str:
    choice = report.choice
    return f"in {choice.budget:,} {choice.unit}" if choice.budget else f"in the top {choice.top_k}"


def _row(report: Report, plan: Plan, failure: Failure, number: int, words: dict[str, str]) -> RowData:
    evaluation = report.chunkers[number].evaluation
    question = evaluation.search.questions[failure.question].text
    missed = failure.missed[number]
    share = "All of the excerpt" if missed == failure.size else f"{missed:,} of {failure.size:,} characters"
    text = evaluation.index.corpus.whole.text
    left = len(failure.seams) - SEAMS_SHOWN
    return {
        "question": failure.question,
        "title": f"{failure.question + 1}. {question}",
        "missed": f"{share} missed",
        "seams": [seam_data(text, seam) for seam in failure.seams[:SEAMS_SHOWN]],
        "more": f"and {counted(left, 'more cut')}" if left > 0 else "",
        "holder": _holder_in_words(report, failure, number),
        "others": _finders_in_words(plan, failure, number),
        "here": words["question"] == str(failure.question + 1) and words["left"] == str(number + 1),
    }


def seam_data(text: str, seam: Seam) -> SeamData:
    """Return the payload of a cut, with the chunks' numbers if the chunker gives no reason."""
    why = seam.reason or f"between chunks {seam.before + 1:,} and {seam.after + 1:,}, at character {seam.place:,}"
    before, after = text[max(0, seam.place - AROUND) : seam.place], text[seam.place : seam.place + AROUND]
    return {"before": " ".join(before.split()), "after": " ".join(after.split()), "reason": why}


def _holder_in_words(report: Report, failure: Failure, number: int) -> str:
    """Describe the chunk that holds most of an excerpt, why it was not enough, and how much no chunk holds."""
    if failure.holder < 0:
        return "No chunk holds any of it."
    outside = f" {counted(failure.outside, 'character')} of it in no chunk." if failure.outside else ""
    return _why(report, failure, number) + outside


def _why(report: Report, failure: Failure, number: int) -> str:
    held = "all of it" if failure.held == failure.size else f"{failure.held:,} of {failure.size:,} characters"
    holder = "Chunk" if report.chunkers[number].evaluation.index.parents is None else "Child"
    if not failure.rank:
        return f"{holder} {failure.holder + 1:,} holds {held}; its rank is not known."
    opening = f"{holder} {failure.holder + 1:,} holds {held} and has rank {failure.rank:,}"
    given = report.given(number, failure.question)
    # A chunk without spans of its own returns only what a better one has returned.
    taken = sum(bool(chunk.given) or not chunk.spans for chunk in given.chunks) + given.more
    choice = report.choice
    if failure.rank > taken:
        if choice.budget:
            return f"{opening}: the {choice.budget:,} {choice.unit} are full after {counted(taken, 'chunk')}."
        return f"{opening}: only the top {choice.top_k} count."
    cut = next((chunk for chunk in given.chunks if chunk.rank == failure.rank and not chunk.whole), None)
    return f"{opening}, where the budget cuts it off." if cut is not None else f"{opening}: it was found, the rest was not."


def _finders_in_words(plan: Plan, failure: Failure, number: int) -> str:
    if len(failure.missed) < 2:
        return ""
    finders = failure.found_by(number)
    return (
        f"Found whole by {', '.join(plan.names[other] for other in finders)}."
        if finders
        else "No other chunker found it whole."
    )
