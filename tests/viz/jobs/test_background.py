"""Work in a thread: how it ends, and what is remembered of it."""

import threading

import pytest

from chunkers import Cancelled, InputError
from tests.support import LIMIT, ended
from viz.jobs.background import MOST_KEPT, Background, Registry


class Waiting(Background):
    """Works until it is cancelled."""

    def progress(self):
        return 0.5, "waiting"

    def _run(self):
        self._cancel.wait(LIMIT)
        raise Cancelled


class Failing(Waiting):
    """Ends by what it is given."""

    def _run(self):
        raise self.reason


def test_it_works_until_it_is_cancelled():
    job = Waiting()
    assert not job.running
    job.start()
    assert job.running
    assert not job.cancelled
    job.cancel()
    ended(job)
    assert (job.running, job.cancelled, job.error) == (False, True, "")


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


def test_the_oldest_is_stopped_and_forgotten():
    runs = [Waiting() for _ in range(MOST_KEPT + 1)]
    kept = Registry()
    tokens = [kept.keep(run) for run in runs]
    assert runs[0].cancelled
    assert kept.find(tokens[0], Waiting) is None
    assert [kept.find(token, Waiting) for token in tokens[1:]] == runs[1:]
    assert not any(run.cancelled for run in runs[1:])


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
        Background()
