"""Threads for NumPy's matrix products: one thread per part of the work, with BLAS limited to one thread each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Part = TypeVar("Part")
Result = TypeVar("Result")

_LOCK = threading.Lock()
_USERS = 0
_LIMITS: Any = None


def blas_threads() -> int:
    """Return the number of threads that BLAS uses for a matrix product, at least 1, ignoring the limit set by `run_parts`.

    The number is 1 if threadpoolctl is not installed or does not know the BLAS library, such as Apple's; BLAS then
    divides its own work.
    """
    if find_spec("threadpoolctl") is None:
        return 1
    with _LOCK:
        if _LIMITS is not None:
            return max(_LIMITS.get_original_num_threads()["blas"] or 1, 1)
        return max((library["num_threads"] for library in _blas().info()), default=1)


def run_parts(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """Run ``work`` on each part, in as many threads as BLAS uses, and return the results in order.

    A single part is left to BLAS's own threads. These threads divide only matrix products, and wait for each other if
    another program is busy; with one thread per part, all other work is divided too.
    """
    threads = min(blas_threads(), len(parts))
    if threads < 2:
        return [work(part) for part in parts]
    with _one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, parts))


@cache
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread; the number is the process's, so that the last of several users sets it back."""
    global _USERS, _LIMITS
    with _LOCK:
        if not _USERS:
            _LIMITS = _blas().limit(limits=1)
        _USERS += 1
    try:
        yield
    finally:
        with _LOCK:
            _USERS -= 1
            if not _USERS:
                _LIMITS.restore_original_limits()
                _LIMITS = None
