"""The Answers page: a language model answers questions from each chunker's chunks alone, and the answers are judged."""

import streamlit as st

from chunkers import Embedder
from chunkers.support.errors import shown
from evaluation.answering.answer import TRIVIAL_EXPLAINED, TRIVIAL_TITLES
from evaluation.answering.questions import Items
from evaluation.asking.ask import STATED_SEARCHED, fitting_budget, has_stated
from sample_docs import sample_splitters
from viz.answers.cards import show_question
from viz.answers.model_choice import JUDGING, NO_MODEL, model_controls
from viz.answers.questions import SOURCE_WORD, SOURCES, choose_questions
from viz.answers.results import MEASURE_WORD, show_costs_and_files, show_report
from viz.answers.runs import find_run, models_of, show_send_row
from viz.answers.session import session
from viz.components.job_progress import show_job_progress
from viz.components.notice import heading, notice, remark
from viz.controls.chunker import column_controls
from viz.controls.widgets import bound, select
from viz.jobs.answering.job import Answering, Gathering
from viz.jobs.answering.plan import AnswerPlan
from viz.shell.column_exchange import offer_columns_of_compare, show_place_on_compare
from viz.shell.linked_runs import RUN, say_interrupted
from viz.shell.page import Page, page
from viz.shell.results import ColumnResult, run_columns, show_misfits, show_progress
from viz.state.choices import Choices, ColumnChoice
from viz.state.models import MISSING as MISSING_MODEL
from viz.state.models import chosen_model
from viz.state.text import Text
from viz.theme.glossary import help_of

PAGE = "answers"

TRIVIAL = "beside"
"""The link parameter that lists the chosen trivial baselines."""

FITTING = "fitting"
BUDGETS = (100, 250, 500, 1000, 2000, 4000)
"""Token budgets that the user can choose for the chunks given to the model."""

WORDS = {
    "budget": FITTING,
    TRIVIAL: "",
    SOURCE_WORD: "retrieval",
    "judged": "yes",
    MEASURE_WORD: "aqs",
    "question": "1",
    RUN: "",
}
"""The default values of the link's own parameters."""

ALLOWED = {"budget": [FITTING, *map(str, BUDGETS)], SOURCE_WORD: [*SOURCES], "judged": [*JUDGING]}

BUDGET_HELP = "How many tokens of chunks the model is given with a question, the best chunks first; the last is cut off."

TRIVIAL_HELP = "What no chunker is needed for, and any should beat; each takes the requests of a chunker.  \n" + help_of(
    {TRIVIAL_TITLES[name]: explanation for name, explanation in TRIVIAL_EXPLAINED.items()}
)


def first_screen() -> Choices:
    """Return the default choices of the Answers page: a structural, a sentence-based and a semantic chunker."""
    columns = [
        ColumnChoice("recursive", {"size": 100, "unit": "tokens"}),
        ColumnChoice("fixed_sentences"),
        ColumnChoice("optimal", {"max_size": 200}),
    ]
    return Choices("article", sample_splitters()["article"], columns, extra=dict(WORDS))


def show() -> None:
    """Draw the Answers page."""
    with page(PAGE, first_screen()) as here:
        _check(here)
        text = here.text
        results = [] if text is None else run_columns(here, text, here.choices.columns)
        with here.controls:
            _controls(here, results)
        if text is None:
            return
        heading(text.source.name, key="answers_heading")
        remark(
            "A language model answers questions from each chunker's best chunks alone; the answers are measured and judged.",
            key="answers_about",
        )
        show_progress(results)
        show_misfits(here.choices, results)
        _draw(here, text, results)


def _check(here: Page) -> None:
    """Report invalid link parameters and replace them with the defaults."""
    here.check_words(ALLOWED)
    words = here.choices.extra
    if unknown := [name for name in words[TRIVIAL].split(",") if name and name not in TRIVIAL_TITLES]:
        here.complain(
            f"The link's {TRIVIAL} must be some of {', '.join(TRIVIAL_TITLES)}; got {shown(unknown[0])}. Using the default."
        )
        words[TRIVIAL] = WORDS[TRIVIAL]


def _controls(here: Page, results: list[ColumnResult]) -> None:
    choices, text = here.choices, here.text
    fitting = "" if text is None else f": {fitting_budget(len(text.document.text)):,} tokens"
    budgets = {FITTING: f"auto{fitting}", **{str(size): f"{size:,} tokens" for size in BUDGETS}}
    select("Budget", choices.extra, "budget", budgets, "answers/budget", help=BUDGET_HELP)
    choose_trivial_rows(choices)
    model_controls(choices)
    offer_columns_of_compare(PAGE, choices)
    chunker = results[choices.selected].chunker if results else None
    column_controls(choices, chunker, here.embedder, elsewhere=True, model=False)
    show_place_on_compare(PAGE, choices.columns[choices.selected], here.embedder, valid=not results or chunker is not None)


def _draw(here: Page, text: Text, results: list[ColumnResult]) -> None:
    items = choose_questions(here.choices, text)
    _say_of_columns(results)
    plan = _plan(here, text, results, items)
    gathering = _gathered(plan, results, here.embedder) if plan is not None else None
    run = find_run(here.choices.extra[RUN], gathering, here.embedder)
    if not items.usable:
        notice(_no_questions(here.choices), key="answers_no_questions")
    if gathering is not None and here.embedder is not None:
        asking = chosen_model()
        if asking is None and (run is None or not run.whole):
            notice(NO_MODEL, key="answers_missing")
        elif asking is not None:
            show_send_row(here.choices, gathering, here.embedder, asking, run)
    if run is not None:
        _say_state(here, run, plan)
        if run.results:
            report = run.report()
            show_report(run, report, here.choices.extra)
            show_question(here.choices, run.plan, run.gathered, run)
            show_costs_and_files(run, report)
            return
    if plan is not None and gathering is not None:
        show_question(here.choices, plan, gathering.found, run if run is not None and run.plan == plan else None)


def _say_of_columns(results: list[ColumnResult]) -> None:
    for number, column in enumerate(results):
        if column.error and column.sending is None:
            waits = "info" if column.error == MISSING_MODEL else "error"
            notice(f"Column {number + 1}: {column.error}", waits, key=f"answers_column_{number}")
    if any(column.chunking is not None and has_stated(column.chunking) for column in results):
        remark(STATED_SEARCHED, key="answers_stated")


def _no_questions(choices: Choices) -> str:
    if choices.extra[SOURCE_WORD] == "retrieval":
        return (
            "Retrieval has no questions about this text. Give or generate some there, type some, take a file, or ask the "
            "text on Compare, mark the answer and keep the question."
        )
    return "There are no questions yet."


def _plan(here: Page, text: Text, results: list[ColumnResult], items: Items) -> AnswerPlan | None:
    """Return the plan of the run; None while something is missing."""
    if here.embedder is None:
        notice(here.embedder_complaint, key="answers_no_embedder")
        return None
    tasks = [column.task for column in results if column.task is not None and column.chunking is not None]
    if not items.usable or len(tasks) < len(results):
        return None
    budget = here.choices.extra["budget"]
    size = fitting_budget(len(text.document.text)) if budget == FITTING else int(budget)
    names = tuple(
        f"{number}. {type(column.chunker).title}" for number, column in enumerate(results, start=1) if column.chunker
    )
    trivial = trivial_rows(here.choices)
    names += tuple(TRIVIAL_TITLES[name] for name in trivial)
    embedder = here.embedder.name, here.embedder.identity
    tasks_of_model = tuple(task.of_model for task in tasks)
    return AnswerPlan(tasks_of_model, names, items.usable, size, *embedder, here.choices.tokenizer, trivial)


def _gathered(plan: AnswerPlan, results: list[ColumnResult], embedder: Embedder | None) -> Gathering | None:
    """Return the job that retrieves the plan's chunks, starting it if necessary, and draw its progress."""
    job = session.gathering
    if job is None or job.plan != plan or job.embedder is not embedder:
        assert embedder is not None
        chunkings = [column.chunking for column in results if column.chunking is not None]
        session.gathering = job = Gathering(plan, chunkings, embedder, session.on_disk)
        job.start(0.2)

    def again() -> None:
        session.gathering = None

    if job.running and not job.cancelled:
        with st.container(key="progress_gathering"):
            show_job_progress(job)
    elif job.error:
        notice(job.error, "error", key="answers_gathering_error")
        st.button("Try again", on_click=again, key="answers/gather_again")
    elif job.sizes is None:
        st.button("Retrieve chunks", on_click=again, key="answers/gather")
    return job


def _say_state(here: Page, run: Answering, plan: AnswerPlan | None) -> None:
    """Draw a run's progress, its error, and the settings that have changed since it began."""
    if run.running and not run.cancelled:
        seen = len(run.finished)
        show_job_progress(run, lambda: len(run.finished) > seen)
    changed, asking = run.plan.changed(plan) if plan is not None else [], chosen_model()
    if asking is not None:
        changed += run.models.changed(models_of(here.choices, asking))
    if changed:
        notice(
            f"These answers were made with other settings; changed since: {', '.join(changed)}. Press “Send” to ask again.",
            key="answers_changed",
        )
    if run.error:
        notice(run.error, "error", key="answers_error")
    if run.whole or (run.running and not run.cancelled):
        return
    if run.asking is None:
        say_interrupted(run, "“Send” asks for the others.", "answers")
    elif run.done < run.total:
        done = f"{run.done:,} of {run.total:,} answers"
        notice(
            f"Stopped after {done}. Press “Send” to get the others; answered questions are not asked again.",
            key="answers_stopped",
        )


# The choice of trivial baselines on the Answers page; none by default, since each costs tokens.


def trivial_rows(choices: Choices) -> tuple[str, ...]:
    """Return the names of the chosen trivial baselines, in display order."""
    chosen = choices.extra[TRIVIAL].split(",")
    return tuple(name for name in TRIVIAL_TITLES if name in chosen)


def choose_trivial_rows(choices: Choices) -> None:
    """Draw the control for choosing trivial baselines."""
    chosen = [*trivial_rows(choices)]

    def put(names: list[str]) -> None:
        choices.extra[TRIVIAL] = ",".join(name for name in TRIVIAL_TITLES if name in names)

    st.pills(
        "Trivial rows",
        [*TRIVIAL_TITLES],
        default=chosen,
        selection_mode="multi",
        format_func=TRIVIAL_TITLES.__getitem__,
        help=TRIVIAL_HELP,
        **bound(chosen, f"answers/{TRIVIAL}", put),
    )
