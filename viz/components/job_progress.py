"""How far a job is, drawn with its cancel button."""

from __future__ import annotations

import streamlit as st

from viz.jobs.background import Background


@st.fragment(run_every=1.0)
def show_job_progress(job: Background) -> None:
    """Show how far it is, with its cancel button; when it ends, draw the page again."""
    if not job.running or job.cancelled:
        st.rerun()
    share, said = job.progress()
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(share, text=said)
    row.button("Cancel", on_click=job.cancel, width="content")
