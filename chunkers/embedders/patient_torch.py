"""torch, imported so that its threads sleep while they wait for each other."""

from __future__ import annotations

import os

from chunkers.support.extras import need

_POLICY = "OMP_WAIT_POLICY"


def import_torch() -> None:
    """Import torch so that its OpenMP threads sleep while waiting, unless the environment sets a wait policy.

    By default OpenMP's threads spin while they wait. With processors of their own, spinning saves microseconds. If a
    browser or another program needs the same processors, spinning takes processor time from the very thread that is
    waited for, and the work takes several times as long.
    """
    need("models", "What runs on torch", "torch")
    # OpenMP reads the policy once, when torch loads it. Processes that this one starts need not inherit it.
    ours = _POLICY not in os.environ
    if ours:
        os.environ[_POLICY] = "passive"
    try:
        import torch  # noqa: F401
    finally:
        if ours:
            os.environ.pop(_POLICY, None)
