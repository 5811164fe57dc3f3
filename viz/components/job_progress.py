"""The progress bar of a background job, with its cancel button."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from viz.jobs.background import Background


@st.fragment(run_every=0.25)
def show_job_progress(job: Background, news: Callable[[], bool] = bool) -> None:
    """Draw the progress of a job and its cancel button; rerun the page when the job has ended, or has ``news`` to show."""
    if not job.running or job.cancelled or news():
        st.rerun()
    share, status = job.progress()
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(share, text=status)
    row.button("Cancel", on_click=job.cancel, width="content")
