"""Check the properties on many generated cases: `python -m tests.properties --cases 20000`, which `make fuzz` runs."""

import argparse
import os
import secrets
import shlex
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from tests.properties.digests import differing, some_cases
from tests.properties.fuzz import Failure, block_of, blocks, prepare, run_block, shown
from tests.properties.properties import PROPERTIES


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.properties", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=None, help="of an earlier run, for the same cases (default: a new one)")
    parser.add_argument("--only", choices=PROPERTIES, help="one property")
    parser.add_argument("--block", type=int, help="the one block of this number, of --cases cases; needs --seed and --only")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="(default: one for each core, %(default)s)")
    given = parser.parse_args(arguments)
    number = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    if given.block is None:
        work = blocks(given.cases, [given.only] if given.only else [*PROPERTIES], number)
    elif given.seed is None or given.only is None:
        parser.error("--block needs --seed and --only")
    else:
        work = [block_of(given.only, given.block, given.cases, number)]
    print(f"{sum(block.cases for block in work):,} cases, seed {number}", flush=True)
    began = time.monotonic()
    ran, failed = Counter(), defaultdict(list)
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TOKENIZERS_PARALLELISM"), "1"))
    with ProcessPoolExecutor(given.processes, get_context("spawn"), prepare) as pool:
        running = {pool.submit(run_block, block): block for block in work}
        for ended in as_completed(running):
            block, (count, failures) = running[ended], ended.result()
            ran[block.name] += count
            failed[block.name] += failures
            if failures:
                print(f"{block.name}: {len(failures)} of {count} failed; again: {repeating(block, number)}", flush=True)
    if given.only is None:
        same = some_cases(max(1, given.cases // 80), number)
        ran["the same in two processes"] = len(same)
        failed["the same in two processes"] = [
            Failure("tests/properties/digests.py", "other results with other hash seeds or threads", shown(case, 3000))
            for case in differing(same)
        ]
    status = report(ran, failed)
    print(f"{time.monotonic() - began:.0f} s, seed {number}")
    if status and given.block is None:
        only = f" --only {shlex.quote(given.only)}" if given.only else ""
        print(f'all of it again: make fuzz FUZZ_ARGS="--cases {given.cases} --seed {number}{only}"')
    return status


def repeating(block, number):
    """Return the command that runs a block of the run with this seed again."""
    only = shlex.quote(block.name)
    return f'make fuzz FUZZ_ARGS="--seed {number} --only {only} --block {block.number} --cases {block.cases}"'


def report(ran, failed):
    """Print the smallest case of each kind of failure, and how many cases ran and failed; return the exit status."""
    for name, failures in failed.items():
        kinds = defaultdict(list)
        for failure in failures:
            kinds[failure.place].append(failure)
        for place, group in kinds.items():
            smallest = min(group, key=lambda failure: len(failure.case))
            print(f"\n{name}: {len(group):,} at {place}\n  {smallest.said}\n  {smallest.case}")
    rows = {name: (ran[name], len(failed[name])) for name in ran}
    rows["in all"] = (sum(ran.values()), sum(map(len, failed.values())))
    print()
    for name, (count, wrong) in rows.items():
        print(f"{name:26} {count:7,} cases, {wrong:5,} failed")
    return int(rows["in all"][1] > 0)


if __name__ == "__main__":
    sys.exit(main())
