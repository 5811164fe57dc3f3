"""The command line that measures: ``seamark`` with ``sweep``, ``stitch``, ``retrieval`` and so on."""

import argparse
from collections.abc import Sequence

from chunkers.commands.shared_command_parts import Parser, run_command
from evaluation.commands import (
    check,
    diff,
    questions,
    report_and_answers,
    retrieval,
    sweep_and_stitch,
    trace,
    unlabelled_and_agreement,
)


def _command_line_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="seamark",
        description="Measure chunkers against known boundaries, with questions, or without.",
    )
    subcommand_parsers = parser.add_subparsers(dest="command", required=True)
    for add_command in (
        sweep_and_stitch.add_sweep_command,
        sweep_and_stitch.add_stitch_command,
        retrieval.add_retrieval_command,
        questions.add_questions_command,
        report_and_answers.add_answers_command,
        unlabelled_and_agreement.add_agreement_command,
        unlabelled_and_agreement.add_unlabelled_command,
        check.add_check_command,
        diff.add_diff_command,
        report_and_answers.add_report_command,
        trace.add_trace_command,
    ):
        add_command(subcommand_parsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation command from the command line and return its exit status."""

    def parse_and_run_command() -> int:
        options = _command_line_parser().parse_args(arguments)
        # A command without a status of its own has done what it was asked for.
        return options.run(options) or 0

    return run_command(parse_and_run_command)
