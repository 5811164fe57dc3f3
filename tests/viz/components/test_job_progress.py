"""The progress of a job: the page runs again whenever the job has something to show."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.support import LIMIT


def a_page():
    import streamlit as st

    from viz.components.page_elements import show_job_progress_with_cancel
    from viz.jobs.background_jobs import BackgroundJob

    class Waiting(BackgroundJob):
        """Works until it is cancelled."""

        def progress(self):
            return 0.5, "half of it"

        def _do_work(self):
            self._cancel.wait()

    state = st.session_state
    state.runs = state.get("runs", 0) + 1
    if "job" not in state:
        state.job = Waiting()
        state.job.start()
    # What there is to show grows by one until there are three.
    show_job_progress_with_cancel(state.job, lambda: state.runs < 3)


@pytest.mark.page
def test_the_page_runs_again_for_what_is_new():
    app = AppTest.from_function(a_page, default_timeout=LIMIT)
    try:
        app.run()
        assert app.session_state["runs"] == 3
        assert [bar.proto.text for bar in app.get("progress")] == ["half of it"]
    finally:
        app.session_state["job"].cancel()
