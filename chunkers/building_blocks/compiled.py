"""Functions compiled by numba: loops in which every step needs the one before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(signature: str, *, any_order: bool = False) -> Callable[[_Function], _Function]:
    """Compile for these types now, or load the cached result; ``any_order`` allows sums to be reordered.

    Where no folder can be written for the cache, as in a read-only installation, every process compiles anew.
    """

    def decorate(function: _Function) -> _Function:
        options: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "contract"} if any_order else False}
        try:
            made: _Function = njit(signature, cache=True, **options)(function)
        except (RuntimeError, OSError):
            # numba has no exception of its own for a cache that it cannot place; any other error is raised again here.
            made = njit(signature, **options)(function)
        return made

    return decorate
