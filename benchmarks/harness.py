"""The command line, timing, quartiles, memory and Markdown tables of all benchmarks."""

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np

if TYPE_CHECKING:
    import psutil


AddOption = Callable[[argparse.ArgumentParser], object]


def build_function_adding_option(*names: str, **settings: Any) -> AddOption:
    """Return a function that adds an option or argument to a parser; the arguments are those of ``add_argument``."""
    return lambda parser: parser.add_argument(*names, **settings)


def command_line_decorator_for_main(*options: AddOption) -> Callable[[Callable[..., int | None]], Callable[..., int]]:
    """Return a decorator for the ``main`` of a module that is run with ``python -m``.

    The function receives the options of its command line as keyword arguments. The decorated one takes the words of a
    command line, those of this process by default, and returns the exit status. ``--help`` prints the module's docstring.
    """

    def turn_main_into_command(main: Callable[..., int | None]) -> Callable[..., int]:
        @wraps(main)
        def run_main_with_arguments(arguments: Sequence[str] | None = None) -> int:
            module_globals = main.__globals__
            benchmark_name = module_globals["__spec__"].name.removesuffix(".__main__")
            parser = argparse.ArgumentParser(prog=f"python -m {benchmark_name}", description=module_globals["__doc__"])
            for add_option in options:
                add_option(parser)
            return main(**vars(parser.parse_args(arguments))) or 0

        return run_main_with_arguments

    return turn_main_into_command


def positive_whole_number(text: str) -> int:
    """Return the whole number of an option that must be at least 1."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1; got {number}")
    return number


def parse_comma_separated_numbers(option_text: str) -> list[int]:
    """Return the numbers of an option whose value is like ``10,50``."""
    return [int(number) for number in option_text.split(",")]


class Quartiles(NamedTuple):
    """Median and quartiles of a measurement."""

    lower: float
    median: float
    upper: float

    @classmethod
    def from_values(cls, values: Iterable[float]) -> Self:
        """Return the quartiles of ``values``, linearly interpolated."""
        lower_quartile, median, upper_quartile = np.percentile(list(values), [25, 50, 75])
        return cls(float(lower_quartile), float(median), float(upper_quartile))

    def format_median_and_quartiles(self) -> str:
        """Format the median and, in brackets, the quartiles, to the hundredth below 100."""
        decimals = 0 if self.median >= 100 else 2
        return f"{self.median:,.{decimals}f} ({self.lower:,.{decimals}f} to {self.upper:,.{decimals}f})"


Result = TypeVar("Result")


def print_progress(*words: str) -> None:
    """Report progress on standard error, so that standard output is only the report."""
    print(*words, file=sys.stderr, flush=True)


def seconds_and_result_of_call(call: Callable[[], Result]) -> tuple[float, Result]:
    """Call a function, and return the seconds it took and its result."""
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def call_in_new_process(call: Callable[..., Result], *arguments: object) -> Result:
    """Call a function in a process of its own, so that its memory can be measured."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(call, arguments)


def resident_mb(process: "psutil.Process") -> float:
    """Return a process's resident memory in MB."""
    return float(process.memory_info().rss) / 2**20


def peak_kib(pid: int | str = "self") -> int:
    """Return the peak resident memory of a process in KiB; Linux only."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    return int(status.partition("VmHWM:")[2].split()[0])


def load_averages(count: int = 3) -> str:
    """Return the machine's load averages over one, five and fifteen minutes, or over the first of these."""
    return ", ".join(f"{average:.1f}" for average in os.getloadavg()[:count])


def point_tiktoken_at_llama_index_files() -> None:
    """Make tiktoken read the table of cl100k from LlamaIndex's files, so that nothing is downloaded."""
    os.environ["TIKTOKEN_CACHE_DIR"] = str(resources.files("llama_index.core") / "_static" / "tiktoken_cache")


def print_and_collect_rows(rows: Iterable[list[str]]) -> list[list[str]]:
    """Return the rows of a table, each of which is printed on standard error as soon as it is measured."""
    printed_rows = []
    for row in rows:
        print_progress(" | ".join(row))
        printed_rows.append(row)
    return printed_rows


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an aligned Markdown table, with all columns except the first aligned right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    separator_row = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    padded_rows = [
        [cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))]
        for row in (head, separator_row, *rows)
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in padded_rows)
