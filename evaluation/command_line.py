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
        known_boundaries.add_sweep,
        known_boundaries.add_stitch,
        retrieval.add_retrieval,
        questions.add_questions,
        one_document.add_answers,
        without_labels.add_agreement,
        without_labels.add_unlabelled,
        check.add_check,
        diff.add_diff,
        one_document.add_report,
        trace.add_trace,
    ):
        add_command(subcommand_parsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation command from the command line and return its exit status."""

    def work() -> int:
        options = _parser().parse_args(arguments)
        # A command without a status of its own has done what it was asked for.
        return options.run(options) or 0

    return run_command(work)
