"""The Answers page: a language model answers questions from each chunker's chunks alone, and the answers are judged."""

from __future__ import annotations

import streamlit as st

from chunkers import Embedder
from chunkers.errors import shown
from chunkers.language_models.asking import Asking
from evaluation.answering.answer import ANSWER_TOKENS
from evaluation.answering.questions import Items
from evaluation.asking.ask import STATED_SEARCHED, fitting_budget, has_stated
from sample_docs import sample_splitters
from viz.answers.model import JUDGED, MISSING, judge_of, model_controls, scores_bert
from viz.answers.one import show_question
from viz.answers.questions import SOURCES, WORD, choose_questions
from viz.answers.results import MEASURE, show_more, show_report
from viz.components.job_progress import show_job_progress
from viz.components.notice import heading, notice, remark
from viz.components.sending import ask_to_send
from viz.controls.chunker import column_controls
from viz.controls.link_widgets import select
from viz.jobs.answering.job import Answering, AnswerPlan, Gathering
from viz.shell.misfits import show_misfits
from viz.shell.page import Page, page
from viz.shell.progress import show_progress
from viz.shell.results import ColumnResult, run_columns
from viz.shell.thread import show_thread, use_compares
from viz.state.choices import Choices, ColumnChoice
from viz.state.keys import session
from viz.state.language_model import chosen_model
from viz.state.text import Text
from viz.theme.numbers import counted

PAGE = "answers"

FITTING = "fitting"
BUDGETS = (100, 250, 500, 1000, 2000, 4000)
"""Tokens of chunks that a question may be given."""

WORDS = {"budget": FITTING, WORD: "retrieval", "judged": "yes", MEASURE: "aqs", "question": "1"}
"""The default values of the link's own parameters."""

ALLOWED = {"budget": [FITTING, *map(str, BUDGETS)], WORD: [*SOURCES], "judged": [*JUDGED]}

BUDGET_HELP = "How many tokens of chunks the model is given with a question, the best chunks first; the last is cut off."


def first_screen() -> Choices:
    """Return the default choices: a chunker by structure, one by sentences, and one by meaning."""
    columns = [
        ColumnChoice("recursive", {"size": 100, "unit": "tokens"}),
        ColumnChoice("fixed_sentences"),
        ColumnChoice("optimal", {"max_size": 200}),
    ]
    return Choices("article", sample_splitters()["article"], columns, extra=dict(WORDS))


def show() -> None:
    """Draw the page."""
    with page(PAGE, first_screen()) as here:
        _check(here)
        text = here.text
        made = [] if text is None else run_columns(here, text, here.choices.columns)
        with here.controls:
            _controls(here, made)
        if text is None:
            return
        heading(text.source.name, key="answers_heading")
        remark(
            "A language model answers questions from each chunker's best chunks alone; the answers are measured and judged.",
            key="answers_about",
        )
        show_progress(made)
        show_misfits(here.choices, made)
        _draw(here, text, made)


def _check(here: Page) -> None:
    """Say which words of the link are none, and take the defaults instead."""
    words = here.choices.extra
    for name, allowed in ALLOWED.items():
        if words[name] not in allowed:
            here.complain(
                f"The link's {name} must be one of {', '.join(allowed)}; got {shown(words[name])}. Using the default."
            )
            words[name] = WORDS[name]


def _controls(here: Page, made: list[ColumnResult]) -> None:
    choices, text = here.choices, here.text
    fitting = "" if text is None else f": {fitting_budget(len(text.document.text)):,} tokens"
    budgets = {FITTING: f"auto{fitting}", **{str(size): f"{size:,} tokens" for size in BUDGETS}}
    select("Budget", choices.extra, "budget", budgets, "answers/budget", help=BUDGET_HELP)
    model_controls(choices)
    use_compares(PAGE, choices)
    chunker = made[choices.selected].chunker if made else None
    column_controls(choices, chunker, here.embedder)
    show_thread(PAGE, choices.columns[choices.selected], here.embedder, valid=not made or chunker is not None)


def _draw(here: Page, text: Text, made: list[ColumnResult]) -> None:
    items = choose_questions(here.choices, text)
    for number, one in enumerate(made):
        if one.error and one.sending is None:
            notice(f"Column {number + 1}: {one.error}", "error", key=f"answers_column_{number}")
    if any(one.chunking is not None and has_stated(one.chunking) for one in made):
        remark(STATED_SEARCHED, key="answers_stated")
    plan = _plan(here, text, made, items)
    gathering = _gathered(plan, made, here.embedder) if plan is not None else None
    run = session.answering
    if not items.usable:
        notice(_no_questions(here.choices), key="answers_no_questions")
    if plan is not None and gathering is not None and here.embedder is not None:
        _send_row(here, text, plan, gathering, here.embedder)
    if run is not None:
        _say_state(here, run, plan)
        if run.results:
            report = run.report()
            show_report(run, report, here.choices.extra)
            show_question(here.choices.extra, run.plan, run.gathered, run)
            show_more(run, report)
            return
    if plan is not None and gathering is not None:
        show_question(here.choices.extra, plan, gathering.found, None)


def _no_questions(choices: Choices) -> str:
    if choices.extra[WORD] == "retrieval":
        return (
            "Retrieval has no questions about this text. Type some, take a file, or ask the text on Compare, mark the "
            "answer and keep the question."
        )
    return "There are no questions yet."


def _plan(here: Page, text: Text, made: list[ColumnResult], items: Items) -> AnswerPlan | None:
    """Return what is to be answered from what; None as long as something is missing."""
    if here.embedder is None:
        notice(here.embedder_complaint, key="answers_no_embedder")
        return None
    tasks = [one.task for one in made if one.task is not None and one.chunking is not None]
    if not items.usable or len(tasks) < len(made):
        return None
    budget = here.choices.extra["budget"]
    size = fitting_budget(len(text.document.text)) if budget == FITTING else int(budget)
    names = tuple(f"{number}. {type(one.chunker).title}" for number, one in enumerate(made, start=1) if one.chunker)
    embedder = f"{here.embedder.name} {here.embedder.identity}"
    return AnswerPlan(tuple(one.of_model for one in tasks), names, items.usable, size, embedder, here.choices.tokenizer)


def _gathered(plan: AnswerPlan, made: list[ColumnResult], embedder: Embedder | None) -> Gathering | None:
    """Return the job that gathers the chunks, started if there is none for the plan, and draw how far it is."""
    job = session.gathering
    if job is None or job.plan != plan or job.embedder is not embedder:
        assert embedder is not None
        chunkings = [one.chunking for one in made if one.chunking is not None]
        session.gathering = job = Gathering(plan, chunkings, embedder, session.on_disk)
        job.start()
        job.join(0.2)

    def again() -> None:
        session.gathering = None

    if job.running and not job.cancelled:
        show_job_progress(job)
    elif job.error:
        notice(job.error, "error", key="answers_gathering_error")
        st.button("Try again", on_click=again, key="answers/gather_again")
    elif job.estimates is None:
        st.button("Gather the chunks", on_click=again, key="answers/gather")
    return job


def _send_row(here: Page, text: Text, plan: AnswerPlan, gathering: Gathering, embedder: Embedder) -> None:
    """Say what would be sent, with the button that sends it; or what is missing."""
    asking = chosen_model()
    if asking is None:
        notice(MISSING, key="answers_missing")
        return
    run = session.answering
    found, judge = gathering.estimates, judge_of(here.choices, asking)
    if found is None or (run is not None and (run.running or _is_of(run, plan, asking, judge))):
        return

    def send() -> None:
        session.answering = job = Answering(
            plan, text.document, gathering.found.copy(), asking, judge, embedder, session.on_disk, scores_bert()
        )
        job.start()

    also = None if judge is None else (judge.model, found.judgements, ANSWER_TOKENS)
    count = counted(len(plan.items), "question")
    ask_to_send(
        f"“Answers” sends {count} with the chunks of {counted(len(plan.names), 'chunker')}",
        asking,
        found.answers,
        ANSWER_TOKENS,
        key="answers",
        send=send,
        also=also,
    )


def _is_of(run: Answering, plan: AnswerPlan, asking: Asking, judge: Asking | None) -> bool:
    """Return whether a run has all that would be asked."""
    whole = len(run.finished) == run.total and not run.error
    return whole and run.plan == plan and not _other_models(run, asking, judge) and (run.bert or not scores_bert())


def _other_models(run: Answering, asking: Asking, judge: Asking | None) -> list[str]:
    """Return which of the models are others than those of a run; answers that need not be judged may be."""
    differs = {
        "the language model": run.asking is not asking,
        "the judging model": judge is not None and (run.judge is None or run.judge.model.name != judge.model.name),
    }
    return [name for name, different in differs.items() if different]


def _say_state(here: Page, run: Answering, plan: AnswerPlan | None) -> None:
    """Draw the progress of a run, its error, and how the current choices differ from its own."""
    if run.running and not run.cancelled:
        seen = len(run.finished)
        show_job_progress(run, lambda: len(run.finished) > seen)
    changed, asking = run.plan.changed(plan) if plan is not None else [], chosen_model()
    if asking is not None:
        changed += _other_models(run, asking, judge_of(here.choices, asking))
    if changed:
        notice(
            f"Below are the answers as they were asked for; changed since: {', '.join(changed)}. “Send” asks anew.",
            key="answers_changed",
        )
    if run.error:
        notice(run.error, "error", key="answers_error")
    if not run.running and len(run.finished) < run.total:
        notice(
            f"Stopped: {len(run.finished):,} of {run.total:,} answers are done. What was answered is not asked again.",
            key="answers_stopped",
        )
