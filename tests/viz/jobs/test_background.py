"""Work in a thread: how it ends, and what is remembered of it."""

import gc
import re
import threading
from weakref import WeakSet

import pytest
from streamlit.runtime import caching

from chunkers import Cancelled, InputError
from tests import ROOT
from tests.support import LIMIT, ended
from viz.jobs.background_jobs import MOST_STORED_RUNS, BackgroundJob, Registry, SessionRuns, run_registry
from viz.jobs.shared_resources import embedding_cache, run_store


class Waiting(BackgroundJob):
    """Works until it is cancelled."""

    def progress(self):
        return 0.5, "waiting"

    def _do_work(self):
        self._cancel.wait(LIMIT)
        raise Cancelled


class Failing(Waiting):
    """Ends by what it is given."""

    def _do_work(self):
        raise self.reason


def test_it_works_until_it_is_cancelled():
    job = Waiting()
    assert not job.running
    job.start()
    assert job.running
    assert not job.cancelled()
    job.cancel()
    ended(job)
    assert (job.running, job.cancelled(), job.error) == (False, True, "")


def test_an_error_of_ours_is_a_sentence():
    job = Failing()
    job.reason = InputError("size must be at least 1; got 0.")
    job.start()
    ended(job)
    assert job.error == "size must be at least 1; got 0."


def test_a_fault_of_the_program_is_a_sentence_too_and_goes_to_the_terminal(monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", lambda told: seen.append(told.exc_type))
    job = Failing()
    job.reason = KeyError("a text of the user's")
    job.start()
    ended(job)
    assert job.error == "This stopped because of a bug in Seamark (KeyError); see the terminal for details."
    assert seen == [KeyError]


@pytest.fixture
def started():
    """Yield a function that starts runs, which are stopped when the test ends."""
    all_runs = WeakSet()

    def start(count):
        runs = [Waiting() for _ in range(count)]
        all_runs.update(runs)
        for run in runs:
            run.start()
        return runs

    yield start
    for run in list(all_runs):
        run.cancel()
        ended(run)


def test_of_fifty_sessions_none_stops_or_forgets_what_another_holds(started):
    kept, sessions = Registry(), [SessionRuns() for _ in range(50)]
    held = {kept.keep(run, session_runs=session): run for session, run in zip(sessions, started(50), strict=True)}
    for run in [*held.values()][25:]:
        run.cancel()
        ended(run)
    for run in started(2 * MOST_STORED_RUNS):
        kept.keep(run, session_runs=sessions[0])
    for token, run in [*held.items()][1:]:
        assert kept.find(token, Waiting) is run
    assert not any(run.cancelled() for run in [*held.values()][1:25])


def test_beyond_the_limit_a_sessions_own_oldest_makes_room_first_one_that_has_ended(started):
    kept, mine = Registry(), SessionRuns()
    runs = started(MOST_STORED_RUNS + 1)
    runs[3].cancel()
    ended(runs[3])
    tokens = [kept.keep(run, session_runs=mine) for run in runs[:-1]]
    kept.keep(runs[-1], session_runs=mine)
    assert not any(run.cancelled() for run in runs if run is not runs[3])
    (another,) = started(1)
    kept.keep(another, session_runs=mine)
    assert [run.cancelled() for run in runs] == [True, False, False, True, *[False] * (MOST_STORED_RUNS - 3)]
    assert all(kept.find(token, Waiting) is run for token, run in zip(tokens[4:], runs[4:-1], strict=True))


def test_a_run_that_was_only_opened_is_not_stopped(started):
    kept, other, mine = Registry(), SessionRuns(), SessionRuns()
    (run,) = started(1)
    token = kept.keep(run, session_runs=other)
    assert kept.find(token, Waiting, mine) is run
    for another in started(MOST_STORED_RUNS):
        kept.keep(another, session_runs=mine)
    assert not run.cancelled()
    assert kept.find(token, Waiting) is run


@pytest.mark.slow
def test_of_sessions_that_are_over_the_last_ended_runs_stay_and_running_ones_go_on(started):
    kept, sessions = Registry(), [SessionRuns() for _ in range(MOST_STORED_RUNS + 2)]
    runs = started(MOST_STORED_RUNS + 2)
    tokens = [kept.keep(run, session_runs=session) for session, run in zip(sessions, runs, strict=True)]
    while sessions:
        del sessions[0]
    for run in runs[1:]:
        run.cancel()
        ended(run)
    kept.forget_abandoned_runs()
    del run
    runs[1:] = []
    gc.collect()
    assert kept.find(tokens[0], Waiting) is runs[0]
    assert not runs[0].cancelled()
    assert kept.find(tokens[1], Waiting) is None
    assert all(kept.find(token, Waiting) for token in tokens[2:])


def test_no_message_of_a_browser_makes_the_server_forget():
    before = run_registry(), run_store(), embedding_cache(False)
    caching.cache_data.clear()
    caching.cache_resource.clear()
    assert (run_registry(), run_store(), embedding_cache(False)) == before
    for path in ROOT.glob("viz/**/*.py"):
        # What is in Streamlit's caches, any browser can have emptied for everybody.
        assert not re.search(r"st\.cache_|cache_resource|cache_data", path.read_text("utf-8")), path


def test_a_token_finds_only_what_it_stands_for():
    kept = Registry()
    run = Waiting()
    token = kept.keep(run)
    assert kept.find(token, Waiting) is run
    assert kept.find(token, Failing) is None
    assert kept.find(token[:-1], Waiting) is None
    assert len(token) >= 20


def test_it_says_what_it_is_for():
    with pytest.raises(TypeError, match="abstract"):
        BackgroundJob()
