"""Digests of results, in processes that differ in what must not count: the seed of hashes and the number of threads."""

import dataclasses
import hashlib
import json
import os
import subprocess
import sys

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests import ROOT
from tests.properties.cases import Case, cases, tables_at_hand
from tests.properties.properties import outcome

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")


def some_cases(count, number):
    """Return so many cases, the same for the same number."""
    drawn = []

    @seed(number)
    @settings(max_examples=count, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck))
    @given(cases(max_parts=8))
    def collect(case):
        drawn.append(case)

    collect()
    return drawn


def digests(of):
    """Return a digest of each case's result, or the name of its error, which is another property's concern."""
    fingerprints = []
    for case in of:
        try:
            fingerprints.append(hashlib.sha256(outcome(case.run()).encode()).hexdigest())
        except Exception as error:
            fingerprints.append(type(error).__name__)
    return fingerprints


def differing(of):
    """Return the cases whose results are not the same in two processes."""
    payload = json.dumps([dataclasses.asdict(case) for case in of])
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.properties.digests"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, **dict.fromkeys(THREADS, number), "PYTHONHASHSEED": number},
        )
        for number in ("1", "2")
    ]
    one, other = (json.loads(process.communicate(payload)[0]) for process in both)
    return [case for case, *seen in zip(of, one, other, strict=True) if seen[0] != seen[1]]


if __name__ == "__main__":
    with tables_at_hand():
        sys.stdout.write(json.dumps(digests([Case(**case) for case in json.load(sys.stdin)])))
