"""A run of Retrieval that several tests look at."""

import pytest

from tests.support import LIMIT, ended
from tests.viz.retrieval.steps import button, opened, run_of, word
from viz.jobs import retrieval as retrieval_job
from viz.jobs.background_jobs import run_registry


@pytest.fixture(scope="module")
def patience():
    """Reports are waited for, however busy the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retrieval_job, "PATIENCE_S", LIMIT)
        yield


@pytest.fixture(scope="session")
def ended_run():
    """A run that has ended, and its token."""
    app = opened()
    button(app, "Run").click().run()
    return word(app, "run"), ended(run_of(app))


@pytest.fixture
def run(ended_run):
    """Return the token of a run that has ended, as another session left it, whatever else was run since."""
    token, ended_before = ended_run
    return run_registry().keep(ended_before, token)


@pytest.fixture
def measured(run):
    return opened(run=run)
