"""Run blocks of generated cases, each in a process; a case that fails does not end its block."""

import signal
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests import ROOT
from tests.properties.cases import tables_at_hand
from tests.properties.properties import PROPERTIES, checked

BLOCK = 250
"""Cases that a process runs at once; each block has a seed of its own, made of the run's."""

MOST_SECONDS = 60
"""The longest that a case may take, by the clock of a machine that does nothing else: none takes more than two."""

MOST_MEMORY = 6_000_000_000
"""Bytes of address space of a process that runs cases, on Linux: what asks for more fails and does not fill the machine."""


WATCHED = hasattr(signal, "SIGALRM")
"""True if the system can interrupt a case that takes too long; Windows cannot."""


def bound_time(seconds):
    """Let `TimeoutError` be raised after so many seconds; 0 for never."""
    if WATCHED:
        signal.alarm(seconds)


class Block(NamedTuple):
    name: str
    number: int
    cases: int
    seed: int


class Failure(NamedTuple):
    """Failure of a generated case: the place in the code, the message and the case."""

    place: str
    said: str
    case: str


def blocks(cases, names, number):
    """Return the blocks that share the cases among the properties of these names."""
    whole = sum(PROPERTIES[name].share for name in names)
    made = []
    for name in names:
        left = round(cases * PROPERTIES[name].share / whole)
        made += [block_of(name, count // BLOCK, min(BLOCK, left - count), number) for count in range(0, left, BLOCK)]
    return made


def block_of(name, place, cases, number):
    """Return a block of the run whose seed is ``number``."""
    return Block(name, place, cases, number * 1000 + 100 * [*PROPERTIES].index(name) + place)


def run_block(block):
    """Run the cases of a block; return how many ran, and the failures."""
    ran, failures = 0, []

    def too_long(*_):
        raise TimeoutError(f"more than {MOST_SECONDS} seconds")

    @seed(block.seed)
    @settings(
        max_examples=block.cases,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(PROPERTIES[block.name].cases)
    def every(case):
        nonlocal ran
        ran += 1
        bound_time(MOST_SECONDS)
        try:
            checked(block.name, case)
        except Exception as error:  # whatever it is, the other cases run too
            failures.append(Failure(place_of(error), f"{type(error).__name__}: {shown(error, 300)}", shown(case, 3000)))
        finally:
            bound_time(0)

    if WATCHED:
        signal.signal(signal.SIGALRM, too_long)
    with tables_at_hand():
        every()
    return ran, failures


def place_of(error):
    """Return the last line of the project that the error went through, and that of the check that it came from."""
    frames = [
        f"{Path(frame.filename).relative_to(ROOT)}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith(str(ROOT)) and ".venv" not in frame.filename
    ]
    return " < ".join(reversed(frames[1:][-2:]))


def shown(value, most):
    """Return a value as text, shortened; Python prints no number of more than 4,300 digits."""
    try:
        text = value if isinstance(value, str) else str(value) if isinstance(value, Exception) else repr(value)
    except ValueError:
        text = "(a value that cannot be printed)"
    return text if len(text) <= most else text[:most] + "…"


def prepare():
    """Bound the memory of a process that runs cases, and let its libraries use one thread each."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
