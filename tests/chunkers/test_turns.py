"""Turns: first come, first served, each key by itself."""

import threading
import time

import pytest

from chunkers import Cancelled
from chunkers.storage.fair_locks import FairLocks, next_arrival_number


def eventually(holds):
    """Wait until it holds."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Runner(threading.Thread):
    """Takes a turn, and holds it until it is let go."""

    def __init__(self, turns, key, order, cancelled=bool, came=None):
        super().__init__(daemon=True)
        self.turns, self.key, self.order, self.cancelled, self.came = turns, key, order, cancelled, came
        self.ahead, self.inside, self.let_go, self.stopped = [], threading.Event(), threading.Event(), False
        self.start()

    def run(self):
        try:
            with self.turns.acquire(self.key, self.cancelled, self.ahead.append, self.came):
                self.order.append(self)
                self.inside.set()
                assert self.let_go.wait(60)
        except Cancelled:
            self.stopped = True


def queued(turns, key, order, count):
    """Start runners that have come one after the other; the first is inside."""
    first = Runner(turns, key, order)
    assert first.inside.wait(60)
    runners = [first]
    for place in range(1, count):
        runners.append(Runner(turns, key, order))
        eventually(lambda place=place: runners[place].ahead == [place])
    return runners


def test_who_came_first_is_first_and_is_told_the_place():
    turns, order = FairLocks(), []
    runners = queued(turns, "a", order, 4)
    for place, runner in enumerate(runners):
        assert runner.inside.wait(60)
        # On a busy machine the last might otherwise look only after two have gone.
        eventually(lambda place=place: runners[3].ahead[-1] == 3 - place)
        runner.let_go.set()
        runner.join(60)
    assert order == runners
    assert runners[3].ahead == [3, 2, 1, 0]


def test_who_came_first_and_took_longer_to_the_queue_is_first_all_the_same():
    turns, order = FairLocks(), []
    came = [next_arrival_number() for _ in range(4)]
    (holder,) = queued(turns, "a", order, 1)
    late = [Runner(turns, "a", order, came=came[3])]
    eventually(lambda: late[0].ahead == [1])
    for number, ahead in ((1, [1]), (2, [2]), (0, [1])):
        late.append(Runner(turns, "a", order, came=came[number]))
        eventually(lambda ahead=ahead: late[-1].ahead == ahead)
    eventually(lambda: late[0].ahead[-1] == 4)
    for runner in (holder, late[3], late[1], late[2], late[0]):
        assert runner.inside.wait(60)
        runner.let_go.set()
        runner.join(60)
    assert order == [holder, late[3], late[1], late[2], late[0]]


def test_another_key_does_not_wait():
    turns, order = FairLocks(), []
    (holder,) = queued(turns, "a", order, 1)
    other = Runner(turns, "b", order)
    assert other.inside.wait(60)
    for runner in (holder, other):
        runner.let_go.set()
        runner.join(60)


def test_a_cancelled_run_frees_its_place():
    turns, order, cancel = FairLocks(), [], threading.Event()
    first = queued(turns, "a", order, 1)[0]
    second = Runner(turns, "a", order, cancel.is_set)
    eventually(lambda: second.ahead == [1])
    third = Runner(turns, "a", order)
    eventually(lambda: third.ahead == [2])
    cancel.set()
    second.join(60)
    assert second.stopped
    eventually(lambda: third.ahead[-1] == 1)
    first.let_go.set()
    assert third.inside.wait(60)
    third.let_go.set()
    third.join(60)
    assert order == [first, third]


def test_a_thread_that_holds_a_turn_may_take_it_again():
    turns = FairLocks()
    with turns.acquire("a"), turns.acquire("a"), turns.acquire("b"):
        pass
    assert turns._queues == {}


def test_an_error_inside_ends_the_turn():
    turns = FairLocks()
    with pytest.raises(ValueError, match="inside"), turns.acquire("a"):
        raise ValueError("inside")
    with turns.acquire("a"):
        pass
    assert turns._queues == {}


def test_a_run_that_was_cancelled_before_it_waits_goes_ahead_if_nobody_is_there():
    with FairLocks().acquire("a", lambda: True):
        pass
