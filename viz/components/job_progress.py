"""The progress bar of a background job, with its cancel button."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.components.notice import remark
from viz.jobs.background import Background, registry
from viz.state.keys import session

ENDING_S = 2.0
"""Seconds to wait for the end of a run that was stopped, before it goes on."""


@st.fragment(run_every=0.25)
def show_job_progress(
    job: Background,
    news: Callable[[], bool] = bool,
    beside: Callable[[DeltaGenerator], None] = lambda _: None,
    key: str | None = None,
) -> None:
    """Draw the progress of a job and its cancel button; rerun the page when the job has ended, or has ``news`` to show.

    ``beside`` draws what else there is to press into the row; ``key`` tells the button from that of another job on the page.
    """
    if not job.running or job.cancelled or news():
        st.rerun()
    share, status = job.progress()
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(share, text=status)
    beside(row)
    row.button("Cancel", on_click=job.cancel, key=key, width="content")


def show_resume(
    stopped: Background,
    again: Callable[[], Background],
    token: str,
    words: MutableMapping[str, str],
    why_not: str,
    key: str,
    first: Callable[[Callable[[], None]], None] = lambda resume: resume(),
) -> None:
    """Draw the button that resumes a run, or why that cannot be done.

    ``again`` returns the run that goes on. It takes the place of the one that ``stopped`` under the same ``token``, which
    goes into the link's ``words``. ``first`` is given what resumes it, and calls that once nothing stands in its way.
    """

    def resume() -> None:
        stopped.cancel()
        stopped.join(ENDING_S)
        run = again()
        words["run"] = registry().keep(run, token, session.runs)
        run.start()

    row = st.container(horizontal=True, vertical_alignment="center")
    row.button("Resume", on_click=lambda: first(resume), disabled=bool(why_not), key=f"{key}_resume")
    if why_not:
        with row:
            remark(why_not, key=f"{key}_resume_waits")
