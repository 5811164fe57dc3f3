"""Retrieval runs: what they send to a language model, and how they are made, reopened from disk and resumed."""

from collections.abc import Callable, Container
from dataclasses import replace

import streamlit as st

from chunkers import Embedder
from chunkers.contract.base import Estimate
from chunkers.language_models.asking import Asking
from chunkers.language_models.prompts import AGAIN, CONTEXT_QUESTION, CONTEXT_SYSTEM
from chunkers.recipes.situating import LONGEST_SHOWN
from viz.jobs.retrieval import KeptRetrieval, Retrieval, estimate_of_plan
from viz.jobs.retrieval_plan import Material, Plan
from viz.shell.linked_runs import Requests, new_keeper, say_missing, show_kept, show_way_on
from viz.shell.page import Page
from viz.state.chunk_files import lacks_file, with_file
from viz.state.models import chosen_model, none_named
from viz.state.session_state import session
from viz.theme.numbers import counted

NO_MODEL_FOR_CONTEXTS = none_named("Context sentences need")
"""Message on the page if context sentences are chosen and no language model is named."""


def writes_contexts(embedded: str) -> bool:
    """Return whether the link's ``embedded`` parameter includes context sentences."""
    return "context" in embedded


def context_controls(embedded: str) -> str:
    """Draw the fields for the language model if context sentences are chosen; return a message if no model is named."""
    if not writes_contexts(embedded):
        return ""
    with st.expander("Context prompts"):
        st.caption(
            f"The model is asked once for every chunk. If a document has more than {LONGEST_SHOWN:,} characters, the model "
            "sees only an extract."
        )
        for prompt in (CONTEXT_SYSTEM, CONTEXT_QUESTION, AGAIN):
            st.code(prompt, language=None, wrap_lines=True)
    return NO_MODEL_FOR_CONTEXTS if chosen_model() is None else ""


def requests_of(plan: Plan | None, embedder: Embedder | None, asking: Asking | None, token: str = "") -> Requests | None:
    """Return a run's requests to a language model, or None if the run needs none; ``token`` names a run to resume."""
    if plan is None or not plan.asks:
        return None
    on_disk = session.on_disk

    def count(cancelled: Callable[[], bool]) -> Estimate:
        return estimate_of_plan(plan, embedder, on_disk, cancelled)

    contexts = "context" in (plan.embedded_as, *plan.each)
    what = f"This run sends {counted(len(plan.material.texts), 'document')}{', once for every chunk,' * contexts}"
    formed = any(chunker.asks for chunker in plan.chunkers)
    return Requests((plan, token), asking, count, what, f"run{token}", formed=formed)


def new_run(token: str, plan: Plan, embedder: Embedder, asking: Asking | None) -> Retrieval:
    """Return a run that is not started yet, with storage on disk if the session keeps embeddings there."""
    keeper = new_keeper(token, KeptRetrieval)
    kept = None if keeper is None else KeptRetrieval.of(keeper, plan)
    return Retrieval(plan, embedder, session.on_disk, kept, asking=asking)


def reopened_run(kept: KeptRetrieval, material: Material | None) -> Retrieval | None:
    """Load a stored run and register it for all sessions; return None if ``material`` differs from the run's material."""
    if material is None or kept.missing(material):
        return None
    run = Retrieval(_with_files(kept.with_material(material)), None, True, kept)
    show_kept(kept, run)
    run.start()
    return run


def say_missing_files(kept: KeptRetrieval, material: Material | None) -> None:
    """Draw a notice that names the files needed to show a stored run."""
    way = "Its bundled documents have changed since it was begun: it must be run again."
    if kept.plan.own:
        way = f"To see them, give {kept.missing(material)} again, on the left, with the same names and content."
    say_missing(kept, way, "retrieval")


def offer_to_resume(here: Page, run: Retrieval) -> None:
    """Draw the button that resumes an interrupted run, or a note on what is missing, if the run is stored on disk."""
    kept = run.kept
    if kept is None:
        return
    plan = _with_files(run.plan)
    left = _unfinished(plan, run.found)
    asking, missing = chosen_model() if left.asks else None, ""
    without = [number for number, chunker in enumerate(plan.chunkers) if number not in run.found and lacks_file(chunker)]
    if without:
        # With several ways of embedding, each way has all columns in turn.
        column = without[0] % (len(plan.chunkers) // max(1, len(set(plan.each)))) + 1
        missing = f"The run was begun with a file of chunks, which is not kept; to go on, choose it in column {column}."

    def again() -> Retrieval:
        assert here.embedder is not None
        return Retrieval(plan, here.embedder, True, kept, asking=asking)

    requests = requests_of(left, here.embedder, asking, kept.keeper.token)
    show_way_on(here, run, again, requests, missing, "retrieval")


def _with_files(plan: Plan) -> Plan:
    """Return a plan with the session's files of chunks, which are not stored on disk."""
    return replace(plan, chunkers=tuple(with_file(chunker) for chunker in plan.chunkers))


def _unfinished(plan: Plan, finished: Container[int]) -> Plan:
    """Return the plan of the unfinished chunkers, whose requests need the user's consent."""
    numbers = [number for number in range(len(plan.chunkers)) if number not in finished]
    each = tuple(plan.each[number] for number in numbers) if plan.each else ()
    return replace(plan, chunkers=tuple(plan.chunkers[number] for number in numbers), each=each)
