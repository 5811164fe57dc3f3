"""The command line that measures: ``seamark`` with ``sweep``, ``stitch``, ``retrieval`` and so on."""

import argparse
from collections.abc import Sequence

from chunkers.commands.arguments import Parser, run_command
from evaluation.commands import check, diff, known_boundaries, one_document, questions, retrieval, trace, without_labels


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="seamark",
        description="Measure chunkers against known boundaries, with questions, or without.",
    )
    subcommand_parsers = parser.add_subparsers(dest="command", required=True)
    for add_command in (
        known_boundaries.add_sweep_command,
        known_boundaries.add_stitch_command,
        retrieval.add_retrieval_command,
        questions.add_questions_command,
        one_document.add_answers_command,
        without_labels.add_agreement_command,
        without_labels.add_unlabelled_command,
        check.add_check_command,
        diff.add_diff_command,
        one_document.add_report_command,
        trace.add_trace_command,
    ):
        add_command(subcommand_parsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation command from the command line and return its exit status."""

    def parse_and_run_command() -> int:
        options = _parser().parse_args(arguments)
        # A command without a status of its own has done what it was asked for.
        return options.run(options) or 0

    return run_command(parse_and_run_command)
