"""The user's consent to a run that asks a language model about many documents: first the estimate, then the button."""

from __future__ import annotations

from collections.abc import Callable

from chunkers.language_models.asking import Asking
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice
from viz.components.sending import ask_to_send
from viz.jobs.estimating import Count, Estimating
from viz.state.keys import session


def first_estimate(subject: object, asking: Asking, count: Count, then: Callable[[], None]) -> None:
    """Estimate the requests of a run; `show_consent` asks about it, and ``then`` starts the run if the user agrees."""
    session.estimating = job = Estimating(subject, asking, count, then)
    job.start()


def show_consent(subject: object, asking: Asking | None, what: str, answer_tokens: int, key: str) -> None:
    """Draw the estimate of a run, with the button that starts it; nothing if no run was requested or it has changed.

    Parameters
    ----------
    subject
        What the page would run now, as `first_estimate` was given it.
    asking
        The session's language model.
    what
        What sends what, as `ask_to_send` takes it.
    answer_tokens
        Tokens of one answer, as they are guessed for the cost.
    key
        Names the notice and the button on the page.
    """
    job = session.estimating
    if job is None or job.subject != subject or job.asking is not asking or job.cancelled:
        return
    if job.running:
        show_job_progress(job, key=f"estimating_{key}")
    elif job.error:
        notice(job.error, "error", key=f"estimating_{key}_error")
    elif job.found is not None:

        def send() -> None:
            session.estimating = None
            job.then()

        ask_to_send(what, job.asking, job.found, answer_tokens, key=key, send=send)
