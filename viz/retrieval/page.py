"""The Retrieval page: the quality with which chunkers' chunks retrieve known excerpts for questions."""

from dataclasses import replace

import streamlit as st

from chunkers import ASKING, Chunker, InputError, build_chunker
from chunkers.embedders.late_chunking import LATE_SAID, why_not_late
from chunkers.recipes.registry import ELSEWHERE
from evaluation.asking.ask import STATED_SEARCHED
from evaluation.questions.reading import Questions, labels
from evaluation.search.ranking import checked_method
from evaluation.search.returned_text import Returned
from viz.components.download import download
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice, remark
from viz.controls.chunker import column_controls
from viz.controls.language_model import any_asks
from viz.jobs.background import new_token, registry
from viz.jobs.retrieval import KeptRetrieval, Reporting, Retrieval
from viz.jobs.retrieval_plan import Material, Plan
from viz.retrieval.failed.failed import show_failed
from viz.retrieval.first_run import first_run, first_screen
from viz.retrieval.generating.section import show_generating
from viz.retrieval.link_words import choose_comparison, choose_search, embedding_modes, replace_invalid_words, report_choice
from viz.retrieval.material import choose_material, documents_of
from viz.retrieval.own_traces import show_traces
from viz.retrieval.question import show_question
from viz.retrieval.results import show_more, show_report
from viz.retrieval.runs import (
    NO_MODEL_FOR_CONTEXTS,
    context_controls,
    new_run,
    offer_to_resume,
    reopened_run,
    requests_of,
    say_missing_files,
    writes_contexts,
)
from viz.shell.column_exchange import offer_columns_of_compare, show_place_on_compare
from viz.shell.linked_runs import Lost, ask_first, begin, find_kept, say_there_is_none, say_where_it_is_from, start_row
from viz.shell.page import Page, page
from viz.state.choices import Choices
from viz.state.chunk_files import chunker_elsewhere
from viz.state.models import MISSING, chosen_model, identity_of
from viz.state.questions_given import bundled, share
from viz.state.session_state import session
from viz.state.undo import undoable
from viz.theme.numbers import counted

PAGE = "retrieval"


def show() -> None:
    """Draw the Retrieval page."""
    with page(PAGE, first_screen(), about_a_text=False) as here:
        _draw(here)


def _draw(here: Page) -> None:
    words = here.choices.extra
    invalid_words = replace_invalid_words(words)
    run = registry().find(words["run"], Retrieval, session.runs)
    kept = find_kept(words["run"], KeptRetrieval) if run is None else None
    own = isinstance(kept, KeptRetrieval) and kept.plan.own
    if isinstance(kept, KeptRetrieval) and not own:
        run = reopened_run(kept, bundled())
    take_columns(here, PAGE)
    chunkers, complaint = chunkers_of(here)
    with here.controls:
        material = choose_material(run.plan.material if run is not None else None, own=own)
        if material is not None and material.own:
            share(material)
        choose_search(words)
        offer_columns_of_compare(PAGE, here.choices)
        chosen = chunkers[here.choices.selected]
        # Context sentences and some chunkers need the form for the language model.
        named = writes_contexts(words["embedded"]) or any_asks(column.chunker for column in here.choices.columns)
        measured = () if material is None else tuple(name for name, _ in material.texts)
        column_controls(here.choices, chosen, here.embedder, elsewhere=True, measured=measured, model=named)
        missing = context_controls(words["embedded"])
        complaint = complaint or missing
        show_place_on_compare(PAGE, here.choices.columns[here.choices.selected], here.embedder, valid=chosen is not None)
    if isinstance(kept, KeptRetrieval) and own:
        run = reopened_run(kept, material)
    st.title("Retrieval", anchor=False)
    st.markdown(
        "Asks questions whose answers are known excerpts, and measures how much of the excerpts each chunker's best chunks "
        "contain."
    )
    for number, message in enumerate(invalid_words):
        notice(message, "error", key=f"retrieval_word_{number}")
    if complaint:
        notice(complaint, "info" if complaint in (MISSING, NO_MODEL_FOR_CONTEXTS) else "error", key="retrieval_complaint")
    built = [chunker for chunker in chunkers if chunker is not None]
    plan = None
    if here.embedder is not None and material is not None and not complaint:
        choices, (embedded_as, each) = here.choices, embedding_modes(words, len(built))
        settings = here.embedder.name, choices.sentences, choices.tokenizer, embedded_as
        measured_chunkers = tuple(built) * (len(each) // len(built) or 1)
        how = checked_method(words["search"])
        plan = Plan(material, measured_chunkers, *settings, Returned.parse(words["returned"]), each=each, searched_by=how)
        if plan.asks:
            plan = replace(plan, language_model=identity_of(chosen_model()))
        if plan.pools_late and (cannot := why_not_late(here.embedder)):
            notice(cannot, "error", key="retrieval_cannot_pool")
            plan = None
    _start_row(here, plan, material)
    show_generating(here, documents_of(material), form_elsewhere=named)
    show_traces(here, documents_of(material), chunkers)
    _show_results(here, run, kept, plan, material)


def take_columns(here: Page, page: str) -> None:
    """Adopt the columns that came with another page's questions, once; the user can undo the change."""
    given = session.retrieval_given
    if not session.retrieval_arrived or given is None or not given.columns or here.choices.columns == [*given.columns]:
        return
    with undoable(page, "Columns replaced by those of Compare"):
        here.choices.columns = [column.copy() for column in given.columns]
        here.choices.selected = min(here.choices.selected, len(given.columns) - 1)


def chunkers_of(here: Page) -> tuple[list[Chunker | None], str]:
    """Return each column's chunker (None if its parameters are invalid), and the first error message."""
    built: list[Chunker | None] = []
    complaint = ""
    for number, column in enumerate(here.choices.columns, start=1):
        chunker: Chunker | None = None
        problem = ""
        try:
            if column.chunker in ELSEWHERE:
                chunker, missing = chunker_elsewhere(column)
                problem = missing and f"Column {number}: {missing}"
            else:
                chunker = build_chunker(column.chunker, column.parameters, here.embedder)
                problem = MISSING if chunker.asks and chosen_model() is None else ""
        except InputError as error:
            problem = str(error)
        built.append(chunker)
        complaint = complaint or problem
    return built, complaint


def _show_results(
    here: Page,
    run: Retrieval | None,
    kept: KeptRetrieval | Lost | None,
    plan: Plan | None,
    material: Material | None,
) -> None:
    """Draw the run that the link names, from memory or disk; without a run, the bundled one."""
    if run is not None:
        offer_to_resume(here, run)
        other_documents = material is None or material.texts != run.plan.material.texts
        with st.expander("Previous documents' results") if other_documents and not run.running else st.container():
            _show_run(run, plan, here.choices)
    elif isinstance(kept, Lost):
        kept.show("retrieval")
    elif kept is not None:
        say_missing_files(kept, material)
    elif material is not None and not material.own:
        _show_first_run(plan, here.choices)
    else:
        notice("Nothing has been measured yet: choose chunkers on the left, then press “Run”.", key="retrieval_empty")


def _show_first_run(plan: Plan | None, choices: Choices) -> None:
    """Draw the bundled run, or the reason why it cannot be shown."""
    bundled_run = first_run()
    if isinstance(bundled_run, str):
        say_there_is_none(bundled_run, "retrieval")
        return
    run, file = bundled_run
    say_where_it_is_from(
        file,
        "the bundled documents; the times are those of the machine it ran on",
        "“Run” measures the chunkers on the left, on these documents or on your own.",
        "retrieval",
    )
    _show_run(run, plan, choices)


def _start_row(here: Page, plan: Plan | None, material: Material | None) -> None:
    """Draw the button that starts a run, with a summary of its material or the reason why it cannot start."""
    words = here.choices.extra
    asking = chosen_model() if plan is not None and plan.asks else None

    def run() -> None:
        before = registry().find(words["run"], Retrieval, session.runs)
        if before is not None and before.running:
            before.cancel()
        assert plan is not None
        assert here.embedder is not None
        token = new_token()
        begin(words, new_run(token, plan, here.embedder, asking), token)

    requests = requests_of(plan, here.embedder, asking)
    if session.retrieval_begins and plan is not None:
        session.retrieval_begins = False
        ask_first(requests, run)
        st.rerun()
    if here.embedder is None:
        sentence = here.embedder_complaint
    elif material is None:
        sentence = "Upload at least one document and a file of questions, or have questions generated."
    else:
        count = len(here.choices.columns)
        sentence = f"{counted(count, 'chunker')} on {counted(len(material.texts), 'document')}"
    start_row(requests, run, sentence, "retrieval_start", "retrieval_start_run", ready=plan is not None)


def _show_run(run: Retrieval, plan: Plan | None, choices: Choices) -> None:
    """Draw the progress of a run and its results so far."""
    words = choices.extra
    _say_state(run, plan)
    if run.asking is not None and not run.running:
        remark(f"{run.asking.model.title}: {run.asked.spent}.", key="retrieval_asked_model")
    for number, reason in run.left_out.items():
        notice(reason, key=f"retrieval_left_out_{number}")
    for number, evaluation in sorted(run.found.items()):
        if evaluation.index.caveat:
            notice(f"{run.plan.titles[number]}: {evaluation.index.caveat}", key=f"retrieval_caveat_{number}")
    if not run.found:
        return
    # The chunkers that a link refers to may be available only when the run has ended.
    ended = not run.running
    titles = {number: title for number, title in enumerate(run.plan.titles) if number in run.found or not ended}
    baseline = choose_comparison(words, run, titles)
    if not run.has_budgets:
        notice(
            "An earlier version of Seamark measured this run at the top k alone. Press “Run” to measure it at equal "
            "budgets too.",
            key="retrieval_no_budgets",
        )
    job = run.report(report_choice(words, baseline, run.rungs))
    told = job.wait()
    if told is None:
        if job.error:
            notice(job.error, "error", key="retrieval_report_error")
        else:
            _wait_for(job)
        return
    show_report(run, told.report, words)
    if ended:
        show_failed(told, run.plan, words)
        show_question(told, run.plan, choices)
    show_more(run, told.report, words)


@st.fragment(run_every=0.25)
def _wait_for(job: Reporting) -> None:
    """Draw a notice that the report is being made, and rerun the page when it is ready."""
    if not job.running:
        st.rerun()
    remark("Comparing the chunkers on all questions …", key="retrieval_comparing")


def _say_state(run: Retrieval, plan: Plan | None) -> None:
    """Draw a run's progress, its errors, and the settings that have changed since it began."""
    if run.running and not run.cancelled:
        shown = len(run.found)
        show_job_progress(run, lambda: len(run.found) > shown)
    changed = run.plan.changed(plan) if plan is not None else []
    if changed:
        notice(
            f"These results were measured with other settings; changed since: {', '.join(changed)}. Press “Run” to "
            "measure again.",
            key="retrieval_changed",
        )
    if run.error:
        notice(run.error, "error", key="retrieval_error")
    _say_how(run)
    for number, error in run.errors.items():
        notice(f"{run.plan.titles[number]}: {error}", "error", key=f"retrieval_error_{number}")
    if run.questions.problems:
        with st.expander(f"{counted(len(run.questions.problems), 'question problem')}"):
            st.dataframe({"problem": list(run.questions.problems)}, hide_index=True, width="stretch")
    states = run.questions.states()
    if {*states} - {"valid"} or run.questions.changes:
        with st.expander(f"Excerpts: {', '.join(f'{count:,} {state}' for state, count in states.items())}"):
            st.dataframe(_label_table(run.questions), hide_index=True, width="stretch")
    if run.plan.material.own and run.found:
        _offer_labels(run)
    count = len(run.plan.chunkers)
    if run.cancelled and len(run.found) < count:
        notice(f"Stopped: {len(run.found)} of {count} chunkers were measured.", key="retrieval_stopped")


def _say_how(run: Retrieval) -> None:
    """Draw notices on the searched and the returned text, unless both are the chunks' own, searched by embedding."""
    if any(isinstance(chunker, ASKING["propositions"]) for chunker in run.plan.chunkers):
        notice(STATED_SEARCHED, key="retrieval_stated")
    if run.plan.pools_late:
        notice(LATE_SAID, key="retrieval_late_said")
    if run.plan.search_said:
        notice(run.plan.search_said, key="retrieval_search_said")
    if run.plan.returned.said:
        sentence = f"A chunk that is found comes with {run.plan.returned.said}; all of that is measured. {run.lacking}"
        notice(sentence.strip(), key="retrieval_returned_said")


def _label_table(questions: Questions) -> dict[str, list[str]]:
    """Return the fate of each excerpt, and a sentence on each excerpt that changed."""
    labels = questions.labels
    return {
        "state": [label.state for label in labels],
        "question": [label.question for label in labels],
        "excerpt": [label.excerpt for label in labels],
        "document": [label.document for label in labels],
        "place": [", ".join(f"{start:,} to {end:,}" for start, end in label.spans) for label in labels],
        "remark": [label.remark for label in labels],
    }


def _offer_labels(run: Retrieval) -> None:
    """Draw the button that saves the questions in a format that survives edits of the documents."""
    corpus, questions = next(iter(run.found.values())).index.corpus, run.questions.usable
    download(
        st.container(),
        "Questions with places",
        lambda: labels(questions, corpus),
        "questions.jsonl",
        "application/jsonl",
        # Python caches the hashes of strings.
        hash((questions, run.plan.material.texts)),
        key="retrieval_labels",
        help="Every excerpt with its place and what stands around it: it is found again after an edit of its document.",
    )
