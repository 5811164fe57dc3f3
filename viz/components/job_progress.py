"""The progress bar of a background job, with its cancel button."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.jobs.background import Background


@st.fragment(run_every=0.25)
def show_job_progress(
    job: Background,
    news: Callable[[], bool] = bool,
    beside: Callable[[DeltaGenerator], None] = lambda _: None,
    key: str | None = None,
) -> None:
    """Draw a job's progress bar and cancel button; rerun the page when the job ends or ``news`` returns True.

    ``beside`` draws further buttons into the row; ``key`` distinguishes the cancel buttons of several jobs on a page.
    """
    if not job.running or job.cancelled or news():
        st.rerun()
    share, status = job.progress()
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(share, text=status)
    beside(row)
    row.button("Cancel", on_click=job.cancel, key=key and f"cancel/{key}", width="content")
