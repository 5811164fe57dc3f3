"""The user's consent to a run that calls a language model for many documents: the estimate, then the button."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chunkers.language_models.asking import Asking
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice
from viz.components.sending import SHORT_ANSWER, ask_to_send
from viz.jobs.estimating import Count, Estimating
from viz.state.keys import session


@dataclass(frozen=True)
class Requests:
    """The requests that a run would send to the session's language model.

    Attributes
    ----------
    subject
        The identity of the run, compared by value; the user's consent applies to it alone.
    asking
        The language model; None if none is named yet.
    count
        Estimates the requests.
    what
        The beginning of the sentence about the request, as in `ask_to_send`.
    key
        Key of the notice and the button.
    answer_tokens
        Assumed tokens of one answer; 0 if the estimate includes them.
    formed
        True if answers must follow a schema; False if all of them are free text.
    """

    subject: object
    asking: Asking | None
    count: Count
    what: str
    key: str
    answer_tokens: int = SHORT_ANSWER
    formed: bool = True


def ask_first(requests: Requests | None, run: Callable[[], None]) -> None:
    """Call ``run`` if nothing is sent to a language model; otherwise estimate the requests for `show_consent`."""
    if requests is None:
        run()
    elif requests.asking is not None:
        session.estimating = job = Estimating(requests.subject, requests.asking, requests.count, run)
        job.start()


def show_consent(requests: Requests | None) -> None:
    """Draw the estimated requests of a run and the button that starts it.

    Nothing is drawn if no estimate was requested, or if the run or the language model has changed since.
    """
    job = session.estimating
    if (
        requests is None
        or job is None
        or job.subject != requests.subject
        or job.asking is not requests.asking
        or job.cancelled
    ):
        return
    if job.running:
        show_job_progress(job, key=f"estimating_{requests.key}")
    elif job.error:
        notice(job.error, "error", key=f"estimating_{requests.key}_error")
    elif job.found is not None:

        def send() -> None:
            session.estimating = None
            job.then()

        formed = job.asking if requests.formed else None
        ask_to_send(requests.what, job.asking, job.found, requests.answer_tokens, key=requests.key, send=send, formed=formed)
