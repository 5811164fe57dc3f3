"""Runs that links name: started, found in memory or on disk, shown if interrupted, and resumed."""

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from chunkers import InputError
from chunkers.support import ModelName, pluralize
from viz.components.page_elements import notice, remark
from viz.jobs import MOST_KEPT, BackgroundJob, KeptJob, run_registry, run_store
from viz.jobs.keeping.kept_run import Keeper, KeptRun, RunFile
from viz.shell.model_requests import ModelRequests, run_or_estimate_requests, show_consent
from viz.shell.page import Page
from viz.state import model_identity, session

RUN_PARAMETER = "run"
"""The link parameter with a run's token."""

ENDING_S = 2.0
"""Seconds to wait for a cancelled run to end before it resumes."""

Job = TypeVar("Job", bound=KeptJob)
Kept = TypeVar("Kept", bound=KeptRun[Any])


class LostRun(NamedTuple):
    """The reason why a link's run cannot be shown, and the tone of its notice."""

    reason: str
    tone: str

    def show(self, key: str) -> None:
        """Draw the reason why a run cannot be shown, as a notice."""
        notice(self.reason, self.tone, key=f"{key}_lost")


def find_run(
    token: str, job_type: type[Job], kept_type: type[Kept], reopen: Callable[[Kept], Job | None]
) -> Job | Kept | LostRun | None:
    """Return the run of a link from memory or from disk, or the reason why there is none; None without a token.

    ``reopen`` makes a job of a run on disk to show its results, and all sessions with the link then share the job. If it
    returns None, since texts are missing, the run is returned as it is stored.
    """
    if not token:
        return None
    if registered_run := run_registry().find(token, job_type, session.runs):
        return registered_run
    try:
        kept_run = kept_type.find(Keeper(run_store(), token, kept_type.kind))
        if kept_run is None:
            run_retention_phrase = f"the server keeps the last {MOST_KEPT} runs of a session, and those on disk"
            return LostRun(f"The link's run is no longer remembered: {run_retention_phrase}.", "info")
        reopened_run = reopen(kept_run)
    except InputError as error:
        return LostRun(str(error), "error")
    if reopened_run is None:
        return kept_run
    run_registry().keep(reopened_run, token, session.runs, begun=False)
    return reopened_run


def new_run_storage(token: str, kind: type[Kept]) -> Keeper | None:
    """Return the storage for a new run, or None if the session does not keep embeddings on disk."""
    return Keeper(run_store(), token, kind.kind) if session.on_disk else None


def cancel_run_and_wait(run: BackgroundJob) -> None:
    """Cancel a run that another one continues, and wait until it has ended."""
    run.cancel()
    run.join(ENDING_S)


def begin_run(words: MutableMapping[str, str], run: BackgroundJob, token: str) -> None:
    """Start a run and put its token into the link's parameters; cancel the run that the link named before."""
    earlier_run = run_registry().find(words[RUN_PARAMETER], type(run))
    if earlier_run is not None and earlier_run.running:
        earlier_run.cancel()
    words[RUN_PARAMETER] = run_registry().keep(run, token, session.runs)
    run.start()


def say_texts_are_missing(kept: KeptRun[Any], way: str, key: str) -> None:
    """Draw a notice on how much of a run is stored, followed by ``way``, a sentence on how to see the run."""
    notice(
        f"The results for {_done_parts_phrase(kept, kept.done)} of this run are kept on disk, but its texts are not. {way}",
        key=f"{key}_kept",
    )


def say_changed_settings(results: str, changed: Sequence[str], way: str, key: str) -> None:
    """Draw a notice that the shown results have other settings than those chosen now.

    Parameters
    ----------
    results
        The results and the verb of the sentence, such as "answers were made".
    changed
        Names of the settings that differ; nothing is drawn without any.
    way
        A sentence on how to get results with the chosen settings.
    key
        Beginning of the notice's key.
    """
    if changed:
        notice(f"These {results} with other settings; changed since: {', '.join(changed)}. {way}", key=f"{key}_changed")


def say_run_was_interrupted(run: KeptJob, way: str, key: str) -> None:
    """Draw a notice on how much of an interrupted run is stored, followed by ``way``, a sentence on how to complete it.

    Nothing is drawn if the user cancelled the run or it failed.
    """
    stored_interrupted_run = run.kept
    if stored_interrupted_run is not None and run.can_go_on and not run.cancelled() and not run.error:
        done_parts_phrase = _done_parts_phrase(stored_interrupted_run, run.done)
        notice(
            f"This {stored_interrupted_run.title} was interrupted; the results for {done_parts_phrase} are kept on disk. "
            f"{way}",
            key=f"{key}_interrupted",
        )


def _done_parts_phrase(kept: KeptRun[Any], done: int) -> str:
    return f"{done:,} of {pluralize(kept.total, kept.part)}"


def offer_to_resume(
    current_page: Page,
    run: KeptJob,
    again: Callable[[], BackgroundJob],
    requests: ModelRequests | None,
    missing: str,
    key: str,
) -> None:
    """Draw the button that resumes an interrupted run, or a note on what the run still needs.

    Parameters
    ----------
    again
        Returns the job for the rest of the run, which replaces ``run`` under the same link.
    requests
        The requests that the rest would send; None if it calls no language model.
    missing
        A sentence that names missing documents or files; empty if nothing is missing.
    key
        Key of the button and the notices.
    """
    stored_interrupted_run = run.kept
    if stored_interrupted_run is None or not run.can_go_on:
        return
    say_run_was_interrupted(run, "“Resume” measures the others.", key)
    obstacle_sentence = missing or _other_model_in_words(current_page, stored_interrupted_run, requests)

    def resume() -> None:
        cancel_run_and_wait(run)
        begin_run(current_page.choices.extra, again(), stored_interrupted_run.keeper.token)

    resume_button_container = st.container(horizontal=True, vertical_alignment="center")
    resume_button_container.button(
        "Resume",
        on_click=lambda: run_or_estimate_requests(requests, resume),
        disabled=bool(obstacle_sentence),
        key=f"{key}_resume",
    )
    if obstacle_sentence:
        with resume_button_container:
            remark(obstacle_sentence, key=f"{key}_resume_waits")
    else:
        show_consent(requests, resume)


def _other_model_in_words(current_page: Page, kept: KeptRun[Any], requests: ModelRequests | None) -> str:
    """Return a sentence about a model that is missing or differs from the run's; empty if both match."""
    if current_page.embedder is None:
        return current_page.embedder_complaint
    sentence_beginning = f"The {kept.title} was begun with the"
    if current_page.embedder.name != kept.plan.embedder:
        return f"{sentence_beginning} embedder {kept.plan.embedder}; to go on, choose it on the left."
    if requests is not None and model_identity(requests.asking) != kept.plan.language_model:
        return (
            f"{sentence_beginning} language model {ModelName.without_revision(kept.plan.language_model)}; to go on, name it "
            "and its server beside the settings."
        )
    return ""


def say_origin_of_bundled_run(file: RunFile, on: str, way_on: str, key: str) -> None:
    """Draw a note on a bundled run's origin (version, date, data) and on how the user can start a run of their own."""
    date_in_words = f"{file.made.day} {file.made:%B %Y}"
    notice(
        f"This result comes with Seamark {file.seamark} and was measured on {date_in_words} with {on}. {way_on}",
        key=f"{key}_bundled",
    )


def say_no_bundled_run(why: str, key: str) -> None:
    """Draw the reason why there is no bundled run."""
    notice(f"There is no ready-made result: {why} Press “Run” to measure.", key=f"{key}_no_first_run")
