"""Retrieval runs that are kept on disk: found again after a restart of the server, and taken up where they ended."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace

from chunkers import Embedder, InputError
from chunkers.language_models.asking import Asking
from viz.components.job_progress import show_resume
from viz.components.notice import notice
from viz.jobs.background import registry
from viz.jobs.keeping.keeper import Keeper
from viz.jobs.kept_retrieval import KIND, KeptRetrieval
from viz.jobs.plan import Material, Plan
from viz.jobs.resources import run_store
from viz.jobs.retrieval import Retrieval
from viz.retrieval.sending import ask_to_run, if_allowed
from viz.shell.page import Page
from viz.state.chunk_files import lacks_file, with_file
from viz.state.keys import session
from viz.state.language_model import chosen_model, identity_of
from viz.theme.numbers import counted


def new_run(token: str, plan: Plan, embedder: Embedder, asking: Asking | None) -> Retrieval:
    """Return a run that has not been started; it is kept on disk if the session keeps its embeddings there."""
    kept = KeptRetrieval.of(Keeper(run_store(), token, KIND), plan) if session.on_disk else None
    return Retrieval(plan, embedder, session.on_disk, kept, asking=asking)


def find_kept(token: str) -> tuple[KeptRetrieval | None, str]:
    """Return the link's run as the disk keeps it; or None, and what is wrong with it there."""
    try:
        return KeptRetrieval.find(Keeper(run_store(), token, KIND)), ""
    except InputError as error:
        return None, str(error)


def reopened(kept: KeptRetrieval, material: Material | None) -> Retrieval | None:
    """Show the kept run's results from now on, in all sessions; None if the material is not the run's."""
    if material is None or kept.missing(material):
        return None
    run = Retrieval(_with_files(kept.with_material(material)), None, True, kept)
    registry().keep(run, kept.keeper.token, session.runs, begun=False)
    run.start()
    return run


def _with_files(plan: Plan) -> Plan:
    """Return a plan with the files of chunks that the session has: none is kept on disk."""
    return replace(plan, chunkers=tuple(with_file(one) for one in plan.chunkers))


def say_what_is_missing(kept: KeptRetrieval, material: Material | None) -> None:
    """Draw a notice of the files needed to show a kept run."""
    done = f"{kept.done:,} of {counted(len(kept.plan.chunkers), 'chunker')}"
    if kept.own:
        said = (
            f"This run has measured {done}. Its results are kept on disk, its texts are not: to see them, give "
            f"{kept.missing(material)} again, on the left, with the same names and content."
        )
    else:
        said = f"This run has measured {done}, on bundled documents that have changed since: it must be run again."
    notice(said, key="retrieval_missing")


def show_way_on(here: Page, run: Retrieval) -> None:
    """Draw the progress of an interrupted run, and the button that resumes it or the files it needs."""
    kept = run.kept
    if kept is None or not run.can_go_on:
        return
    if not run.cancelled and not run.error:
        done = f"{len(run.found):,} of {counted(len(run.plan.chunkers), 'chunker')}"
        notice(
            f"This run was interrupted; {done} had been measured and kept on disk. “Resume” measures the others.",
            key="retrieval_interrupted",
        )
    plan = _with_files(run.plan)
    left = _left(plan, run.found)
    said, asking = "", chosen_model() if left.asks else None
    if here.embedder is None:
        said = here.embedder_complaint
    elif here.embedder.name != run.plan.embedder:
        said = f"The run was begun with the embedder {run.plan.embedder}; to go on, choose it on the left."
    elif left.asks and identity_of(asking) != run.plan.language_model:
        name = run.plan.language_model.rpartition(" ")[0]
        said = f"The run was begun with the language model {name}; to go on, name it and its server beside the settings."
    without = [number for number, one in enumerate(plan.chunkers) if number not in run.found and lacks_file(one)]
    if without and not said:
        # Of several ways to embed, each has all the columns in turn.
        column = without[0] % (len(plan.chunkers) // max(1, len(set(plan.each)))) + 1
        said = f"The run was begun with a file of chunks, which is not kept; to go on, choose it in column {column}."

    def again() -> Retrieval:
        assert here.embedder is not None
        return Retrieval(plan, here.embedder, True, kept, asking=asking)

    def first(resume: Callable[[], None]) -> None:
        if_allowed(left, here.embedder, asking, kept.keeper.token, resume)

    show_resume(run, again, kept.keeper.token, here.choices.extra, said, "retrieval", first)
    ask_to_run(left, asking, kept.keeper.token)


def _left(plan: Plan, found: Container[int]) -> Plan:
    """Return the plan of the chunkers that are not done: what going on sends, and the user has to allow."""
    numbers = [number for number in range(len(plan.chunkers)) if number not in found]
    each = tuple(plan.each[number] for number in numbers) if plan.each else ()
    return replace(plan, chunkers=tuple(plan.chunkers[number] for number in numbers), each=each)
