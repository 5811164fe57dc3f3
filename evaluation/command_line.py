"""The command line that measures: ``seamark`` with ``sweep``, ``stitch``, ``retrieval`` and so on."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from chunkers.commands.arguments import Parser, add_device, add_encoding, command_line
from evaluation.commands import agreement as agreement_command
from evaluation.commands import answers as answers_command
from evaluation.commands import check as check_command
from evaluation.commands import diff as diff_command
from evaluation.commands import questions as questions_command
from evaluation.commands import report as report_command
from evaluation.commands import retrieval as retrieval_command
from evaluation.commands import stitch as stitch_command
from evaluation.commands import trace as trace_command
from evaluation.commands import unlabelled as unlabelled_command
from evaluation.commands.sweep import run_sweep
from evaluation.segmentation.sweep import MEASURES


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="seamark",
        description="Measure chunkers against known boundaries, with questions, or without.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("sweep", help="many settings on many documents with known boundaries")
    command.add_argument(
        "documents", nargs="*", metavar="NAME", help="bundled documents (default: all with known boundaries)"
    )
    command.add_argument(
        "--file",
        nargs="+",
        action="extend",
        type=Path,
        default=[],
        metavar="PATH",
        help="texts with lines of three dashes or with boundary files beside them, or folders of these",
    )
    command.add_argument("--chunker", metavar="NAME", help="the chunker whose grid is swept")
    command.add_argument(
        "--grid", action="append", default=[], metavar="KEY=VALUE,...", help="the values of a parameter to try"
    )
    command.add_argument("--published", action="store_true", help="the grid of Qu et al., appendix B, for all chunkers")
    command.add_argument("--measure", default="pk", help=f"sort settings by one of {', '.join(MEASURES)}")
    command.add_argument("--embedder", default="all-MiniLM-L6-v2", metavar="NAME")
    add_device(command)
    command.add_argument("--tokenizer", default="all-MiniLM-L6-v2", metavar="NAME")
    command.add_argument("--top", type=int, default=20, metavar="N", help="settings to print (default: 20)")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="every setting on every document, as CSV")
    form.add_argument("--json", action="store_true", help="the same as JSON lines")
    add_encoding(command)
    command.set_defaults(run=run_sweep)
    stitch_command.add(commands)
    retrieval_command.add(commands)
    questions_command.add(commands)
    answers_command.add(commands)
    agreement_command.add(commands)
    unlabelled_command.add(commands)
    check_command.add(commands)
    diff_command.add(commands)
    report_command.add(commands)
    trace_command.add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation command from the command line and return its exit status."""

    def work() -> int:
        options = _parser().parse_args(arguments)
        # A command without a status of its own has done what it was asked for.
        return options.run(options) or 0

    return command_line(work)
