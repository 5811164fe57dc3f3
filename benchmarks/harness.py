"""Timing, quartiles, memory and Markdown tables for all benchmarks."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    import psutil


class Spread(NamedTuple):
    """Median and quartiles of a measurement."""

    lower: float
    median: float
    upper: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """Return the quartiles of ``values``, linearly interpolated."""
        lower, median, upper = np.percentile(list(values), [25, 50, 75])
        return cls(float(lower), float(median), float(upper))

    def words(self) -> str:
        """Format the median and, in brackets, the quartiles, to the hundredth below 100."""
        decimals = 0 if self.median >= 100 else 2
        return f"{self.median:,.{decimals}f} ({self.lower:,.{decimals}f} to {self.upper:,.{decimals}f})"


Result = TypeVar("Result")


def timed(call: Callable[[], Result]) -> tuple[float, Result]:
    """Call a function, and return the seconds it took and its result."""
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def resident_mb(process: "psutil.Process") -> float:
    """Return a process's resident memory in MB."""
    return float(process.memory_info().rss) / 2**20


def peak_kib(pid: int | str = "self") -> int:
    """Return the peak resident memory of a process in KiB; Linux only."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    return int(status.partition("VmHWM:")[2].split()[0])


def rows_with_progress(rows: Iterable[list[str]]) -> list[list[str]]:
    """Return the rows of a table, each of which is printed on standard error as soon as it is measured."""
    measured = []
    for row in rows:
        print(" | ".join(row), file=sys.stderr, flush=True)
        measured.append(row)
    return measured


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an aligned Markdown table, with all columns except the first aligned right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    padded = [
        [cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))]
        for row in (head, rule, *rows)
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in padded)
