"""The properties on a few cases each; `make fuzz` checks many more."""

import dataclasses
import shlex
from concurrent.futures import Future

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties.__main__ import main, report
from tests.properties.cases import tables_at_hand
from tests.properties.digests import differing, digests, some_cases
from tests.properties.fuzz import BLOCK, Block, blocks, run_block
from tests.properties.properties import PROPERTIES, Property, checked

CASES = 600
"""Number of cases of all properties together in `make full`."""


@pytest.fixture(scope="module", autouse=True)
def tables():
    with tables_at_hand():
        yield


@pytest.fixture
def few(pytestconfig):
    """Return the number of cases of a property; of chunkings, which take the longest, a third in `make test`."""
    whole = sum(prop.share for prop in PROPERTIES.values())

    def count(name):
        part = 1 if pytestconfig.option.full or name != "chunkings" else 3
        return max(4, round(CASES * PROPERTIES[name].share / whole / part))

    return count


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PROPERTIES if "model" not in name])
def test_it_holds(name, few):
    holds(name, few(name))


@pytest.mark.model
@pytest.mark.parametrize("name", [name for name in PROPERTIES if "model" in name])
def test_it_holds_with_the_model(name, few):
    holds(name, few(name))


def holds(name, count):
    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(PROPERTIES[name].cases)
    def every(case):
        checked(name, case)

    every()


@pytest.mark.slow
@pytest.mark.full
def test_neither_hash_seeds_nor_threads_change_a_result():
    same = some_cases(15, 1)
    assert len(same) == 15
    assert differing(same) == []


def test_a_digest_is_of_the_result():
    case = dataclasses.replace(some_cases(1, 1)[0], text="One. Two.", sentences="regex")
    digest, same, other = digests([case, case, dataclasses.replace(case, text="One. Two")])
    assert digest == same != other


def test_the_cases_are_shared_out_to_the_last():
    work = blocks(20_000, [*PROPERTIES], 7)
    assert abs(sum(block.cases for block in work) - 20_000) < len(PROPERTIES)
    assert {block.name for block in work} == set(PROPERTIES)
    assert len({block.seed for block in work}) == len(work)
    assert max(block.cases for block in work) == BLOCK


@pytest.fixture
def refuses_seven(monkeypatch):
    def check(case):
        assert case != 7, "seven"
        assert case != 9, "nine"

    monkeypatch.setitem(PROPERTIES, "refuses seven", Property(st.integers(0, 9), check, 1))


def test_a_block_counts_its_failures_and_goes_on(refuses_seven, capsys):
    ran, failures = run_block(Block("refuses seven", 0, 50, 3))
    assert ran == 10
    assert [(failure.said.split()[1], failure.case) for failure in failures] in (
        [("seven", "7"), ("nine", "9")],
        [("nine", "9"), ("seven", "7")],
    )
    assert run_block(Block("refuses seven", 0, 50, 3)) == (ran, failures)
    assert report({"refuses seven": ran}, {"refuses seven": failures}) == 1
    printed = capsys.readouterr().out
    assert printed.count("AssertionError") == 2
    assert "in all                          10 cases,     2 failed" in printed
    assert report({"refuses seven": 8}, {"refuses seven": []}) == 0


class Here:
    """Runs what a pool of processes would run, in this one, which knows the tests' own property."""

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, work, *given):
        future = Future()
        future.set_result(work(*given))
        return future


def test_the_command_that_is_printed_repeats_the_failures_of_a_block(refuses_seven, monkeypatch, capsys):
    monkeypatch.setattr("tests.properties.__main__.ProcessPoolExecutor", Here)
    assert main(["--cases", "50", "--seed", "3", "--only", "refuses seven"]) == 1
    printed = capsys.readouterr().out
    (command,) = [line.partition("again: ")[2] for line in printed.splitlines() if line.startswith("refuses seven: 2 of")]
    made, target, arguments = shlex.split(command)
    assert (made, target, arguments.partition("=")[0]) == ("make", "fuzz", "FUZZ_ARGS")
    assert main(["--cases", "20000", *shlex.split(arguments.partition("=")[2])]) == 1
    again = capsys.readouterr().out
    assert [line for line in printed.splitlines() if "AssertionError" in line] == [
        line for line in again.splitlines() if "AssertionError" in line
    ]
    assert "10 cases,     2 failed" in again
