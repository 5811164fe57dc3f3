"""The command line that measures: ``seamark`` with ``sweep``, ``stitch``, ``retrieval`` and so on."""

import argparse
from collections.abc import Sequence

from chunkers.commands.arguments import Parser, run_command
from evaluation.commands import (
    agreement,
    answers,
    check,
    diff,
    questions,
    report,
    retrieval,
    stitch,
    sweep,
    trace,
    unlabelled,
)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="seamark",
        description="Measure chunkers against known boundaries, with questions, or without.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (sweep, stitch, retrieval, questions, answers, agreement, unlabelled, check, diff, report, trace):
        command.add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation command from the command line and return its exit status."""

    def work() -> int:
        options = _parser().parse_args(arguments)
        # A command without a status of its own has done what it was asked for.
        return options.run(options) or 0

    return run_command(work)
