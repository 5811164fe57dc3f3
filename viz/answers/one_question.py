"""One question on the Answers page, with the button that has its answers judged again."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from chunkers import load_tokenizer
from chunkers.contract.base import Estimate
from chunkers.language_models.asking import Asking
from evaluation.answering.answer import ANSWER_TOKENS, Gathered
from evaluation.answering.estimate import Sizes
from evaluation.answering.judging import kinds_of
from viz.answers.cards import card, show_cards
from viz.answers.model import judge_of
from viz.answers.session import session
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice, remark
from viz.components.sending import ask_to_send
from viz.controls.link_widgets import select
from viz.jobs.answering.job import Answering, Judging
from viz.jobs.answering.plan import AnswerPlan
from viz.state.choices import Choices
from viz.state.language_model import chosen_model, identity_of
from viz.theme.numbers import counted


def show_question(choices: Choices, plan: AnswerPlan, gathered: Mapping[int, Gathered], run: Answering | None) -> None:
    """Draw a question selector, and each chunker's card for the selected question, with answers if there is a run."""
    st.header("Question details", anchor=False)
    options = {str(number): f"{number}. {item.question}" for number, item in enumerate(plan.items, start=1)}
    number = int(select("Question", choices.extra, "question", options, "answers/question")) - 1
    item, results = plan.items[number], {} if run is None else run.results.copy()
    running = run is not None and run.running
    cards = []
    for column, name in enumerate(plan.names):
        own = gathered.get(column)
        context = None if own is None else own.contexts[number]
        cards.append(card(name, context, results.get((column, number)), plan.budget, running=running))
    show_cards({"question": item.question, "reference": item.reference, "cards": cards})
    asking = chosen_model()
    if run is None or running or asking is None:
        return
    judge = judge_of(choices, asking)
    if judge is not None and identity_of(judge) == run.models.judge:
        _offer_again(run, judge, number)


def _offer_again(run: Answering, judge: Asking, question: int) -> None:
    """Draw the button that judges the answers to a question again, with the receiving server and the estimated cost."""
    job = session.judging
    answered = [outcome for place, outcome in run.results.copy().items() if place[1] == question and outcome.answer.text]
    if not answered:
        return
    if job is not None and job.run is run and job.running and not job.cancelled:
        seen = job.finished
        show_job_progress(job, lambda: job.finished > seen)
        return
    if job is not None and job.run is run and job.error:
        notice(job.error, "error", key="answers_judging_error")
    item = run.plan.items[question]
    sizes = Sizes.of([item], load_tokenizer(run.plan.tokenizer).count)
    judgements = [(outcome, kind) for outcome in answered for kind in kinds_of(item.reference, outcome.context)]
    tokens = sum(sizes.judgement(kind, 0, outcome.context) for outcome, kind in judgements)

    def again() -> None:
        session.judging = job = Judging(run, question, judge)
        job.start()

    ask_to_send(
        f"“Judge again” sends {counted(len(answered), 'answer')} and what they were given once more",
        judge,
        Estimate(len(judgements), tokens),
        ANSWER_TOKENS,
        key="judge_again",
        send=again,
        formed=judge,
        label="Judge again",
    )
    remark("What the judge said before stays to be read.", key="answers_judge_again_said")
