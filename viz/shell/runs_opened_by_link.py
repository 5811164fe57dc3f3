"""Runs that links name: started, found in memory or on disk, shown if interrupted, and resumed."""

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from chunkers import InputError
from chunkers.support import ModelName, pluralize
from viz.components.page_elements import show_job_progress_or_error, show_notice, show_remark
from viz.jobs import MOST_STORED_RUNS, StoredRunJob, new_run_token, run_registry, run_store
from viz.jobs.storage.stored_run import BundledRun, Keeper, StoredRun
from viz.shell.model_request_consent import ModelRequests, draw_consent_once_estimated, start_run_or_count_requests
from viz.shell.page import Page
from viz.state import language_model_name_and_revision, session

RUN_PARAMETER = "run"
"""The link parameter with a run's token."""

CANCEL_WAIT_S = 2.0
"""Seconds to wait for a cancelled run to end before it resumes."""

Job = TypeVar("Job", bound=StoredRunJob)


class LostRun(NamedTuple):
    """The reason why a link's run cannot be shown, the tone of its notice, and the run if only its texts are missing."""

    reason: str
    tone: str
    stored_run: StoredRun[Any] | None = None

    def show(self, key: str) -> None:
        """Draw the reason why a run cannot be shown, as a notice."""
        show_notice(self.reason, self.tone, key=f"{key}_{'lost' if self.stored_run is None else 'kept'}")


def find_run(run_token: str, job_type: type[Job], reopen: Callable[[Any], Job | str]) -> Job | LostRun | None:
    """Return the run of a link from memory or from disk, or the reason why it cannot be shown; None without a token.

    ``reopen`` makes a job of a run on disk to show its results, and all sessions with the link then share the job. If texts
    are missing, it returns a sentence on how to see the run; the sentence is empty while that is not known yet.
    """
    if not run_token:
        return None
    if registered_run := run_registry().find(run_token, job_type, session.runs):
        return registered_run
    stored_run_type = job_type.stored_run_type
    try:
        stored_run = stored_run_type.find(Keeper(run_store(), run_token, stored_run_type.kind))
        if stored_run is None:
            run_retention_phrase = f"the server keeps the last {MOST_STORED_RUNS} runs of a session, and those on disk"
            return LostRun(f"The link's run is no longer remembered: {run_retention_phrase}.", "info")
        reopened_run = reopen(stored_run)
    except InputError as error:
        return LostRun(str(error), "error")
    if isinstance(reopened_run, str):
        done_parts_phrase = _done_parts_phrase(stored_run.finished_part_count, stored_run.part_count, stored_run_type)
        stored_results_sentence = f"The results for {done_parts_phrase} of this run are kept on disk, but its texts are not."
        return LostRun(f"{stored_results_sentence} {reopened_run}", "info", stored_run) if reopened_run else None
    run_registry().keep(reopened_run, run_token, session.runs, was_begun_in_session=False)
    return reopened_run


def start_run_updating_link(
    link_parameters: MutableMapping[str, str],
    job_type: type[Job],
    make_run: Callable[[Keeper | None], Job],
    run_token: str = "",
) -> None:
    """Start a run and put its token into the link's parameters; cancel the run that the link named before.

    Parameters
    ----------
    make_run
        Returns the run, once the earlier one has ended. It is given the storage for a new run, or None if the session does
        not keep embeddings on disk.
    run_token
        The token of the run that this one continues; empty for a new token.
    """
    # Streamlit may interrupt the page at an access to the session, and then nothing must be half done.
    stores_run, session_runs = session.keeps_embeddings_on_disk, session.runs
    previously_linked_run = run_registry().find(link_parameters[RUN_PARAMETER], job_type)
    if previously_linked_run is not None and previously_linked_run.running:
        previously_linked_run.cancel()
        if run_token:
            previously_linked_run.join(CANCEL_WAIT_S)
    run_token = run_token or new_run_token()
    run = make_run(Keeper(run_store(), run_token, job_type.stored_run_type.kind) if stores_run else None)
    link_parameters[RUN_PARAMETER] = run_registry().keep(run, run_token, session_runs)
    run.start()


def show_run_state(
    run: StoredRunJob,
    results_phrase: str,
    changed_setting_names: Sequence[str],
    next_step_sentence: str,
    key: str,
    *,
    redraws_as_parts_finish: bool = True,
) -> None:
    """Draw a run's progress or error, and the settings that have changed since it began.

    Parameters
    ----------
    results_phrase
        The results and the verb of the sentence on changed settings, such as "answers were made".
    changed_setting_names
        Names of the settings that differ.
    next_step_sentence
        A sentence on how to get results with the chosen settings.
    key
        Beginning of the notices' keys.
    redraws_as_parts_finish
        True to draw the page again whenever another part of the run is done.
    """
    done_count = run.finished_part_count
    show_job_progress_or_error(run, key, lambda: redraws_as_parts_finish and run.finished_part_count > done_count)
    if changed_setting_names:
        show_notice(
            f"These {results_phrase} with other settings; changed since: {', '.join(changed_setting_names)}. "
            f"{next_step_sentence}",
            key=f"{key}_changed",
        )


class RestOfRun(NamedTuple):
    """The rest of an unfinished run on disk.

    Attributes
    ----------
    resume_run
        Returns the job for the rest, which replaces the run under the same link.
    requests
        The requests that the rest would send; None if it calls no language model.
    missing
        A sentence that names missing documents or files; empty if nothing is missing.
    """

    resume_run: Callable[[], Any]
    requests: ModelRequests | None
    missing: str


def show_unfinished_run(
    current_page: Page, run: StoredRunJob, key: str, find_rest_of_run: Callable[[Any], RestOfRun] | None = None
) -> None:
    """Draw how much is done of a run that was interrupted or stopped, and the button that resumes it.

    Parameters
    ----------
    key
        Beginning of the keys of the notices and the button.
    find_rest_of_run
        Returns the rest of a stored run; None if the page's “Send” completes the run, since its consent is needed anyway.
    """
    if not run.stopped_early:
        return
    stored_run, done_parts_phrase = (
        run.stored_run,
        _done_parts_phrase(run.finished_part_count, run.part_count, run.stored_run_type),
    )
    resume_sentence = "“Resume” measures the others." if stored_run is not None else ""
    next_step_sentence = (
        "“Send” asks for the others; answered questions are not asked again."
        if find_rest_of_run is None
        else resume_sentence
    )
    if stored_run is not None and not run.cancelled() and not run.error:
        show_notice(
            f"This {stored_run.title} was interrupted; the results for {done_parts_phrase} are kept on disk. "
            f"{next_step_sentence}",
            key=f"{key}_interrupted",
        )
    elif run.cancelled():
        show_notice(
            f"Stopped after {done_parts_phrase}. The results so far are kept. {next_step_sentence}".rstrip(),
            key=f"{key}_stopped",
        )
    if find_rest_of_run is None or stored_run is None:
        return
    make_resumed_run, model_requests, missing_requirement_sentence = find_rest_of_run(stored_run)
    obstacle_sentence = missing_requirement_sentence or _other_model_in_words(current_page, stored_run, model_requests)

    def resume() -> None:
        start_run_updating_link(current_page.choices.extra, type(run), lambda _: make_resumed_run(), stored_run.keeper.token)

    resume_button_container = st.container(horizontal=True, vertical_alignment="center")
    resume_button_container.button(
        "Resume",
        on_click=lambda: start_run_or_count_requests(model_requests, resume),
        disabled=bool(obstacle_sentence),
        key=f"{key}_resume",
    )
    if obstacle_sentence:
        with resume_button_container:
            show_remark(obstacle_sentence, key=f"{key}_resume_waits")
    else:
        draw_consent_once_estimated(model_requests, resume)


def _done_parts_phrase(done_count: int, total: int, stored_run_class: type[StoredRun[Any]]) -> str:
    return f"{done_count:,} of {pluralize(total, stored_run_class.part)}"


def _other_model_in_words(current_page: Page, stored_run: StoredRun[Any], model_requests: ModelRequests | None) -> str:
    """Return a sentence about a model that is missing or differs from the run's; empty if both match."""
    if current_page.embedder is None:
        return current_page.embedder_complaint
    sentence_beginning = f"The {stored_run.title} was begun with the"
    if current_page.embedder.name != stored_run.plan.embedder:
        return f"{sentence_beginning} embedder {stored_run.plan.embedder}; to go on, choose it {session.settings_place}."
    if (
        model_requests is not None
        and language_model_name_and_revision(model_requests.asking) != stored_run.plan.language_model
    ):
        return (
            f"{sentence_beginning} language model {ModelName.without_revision(stored_run.plan.language_model)}; to go on, "
            "name it and its server beside the settings."
        )
    return ""


def load_bundled_run_drawing_origin(
    bundled_run: BundledRun[Job], describe_data: Callable[[Job], str], how_to_run_own_sentence: str, notice_key_prefix: str
) -> Job | None:
    """Return the bundled run; draw its origin (version, date, data), or the reason why there is none.

    ``describe_data`` describes the data, and ``how_to_run_own_sentence`` says how the user can start a run of their own.
    """
    run_and_file = bundled_run.loaded_run_and_file
    if isinstance(run_and_file, str):
        show_notice(
            f"There is no ready-made result: {run_and_file} Press “Run” to measure.", key=f"{notice_key_prefix}_no_first_run"
        )
        return None
    run, run_file = run_and_file
    date_in_words = f"{run_file.made.day} {run_file.made:%B %Y}"
    show_notice(
        f"This result comes with Seamark {run_file.seamark} and was measured on {date_in_words} with {describe_data(run)}. "
        f"{how_to_run_own_sentence}",
        key=f"{notice_key_prefix}_bundled",
    )
    return run
