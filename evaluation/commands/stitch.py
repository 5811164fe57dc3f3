"""The command line's ``stitch``: join short documents into long ones, each with a file of its known boundaries."""

import argparse
from pathlib import Path
from typing import Any

from chunkers import DEFAULT_SPLITTER, InputError
from chunkers.commands.arguments import add_encoding, document_reader, print_to_stderr, read_named_files
from chunkers.text.reading import READABLE
from evaluation.segmentation.boundary_files import boundary_file_json
from evaluation.segmentation.marked_texts import MARKS_ENDING, read_passages, stitch_documents


def add(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the ``stitch`` command to an argument parser."""
    command = commands.add_parser(
        "stitch",
        help="join short documents into long ones, whose seams are known boundaries",
        description="Each file counts as one subject, as does each part between lines of three dashes; no two passages of "
        "one subject are joined directly.",
    )
    command.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help=f"files, or folders with {', '.join(READABLE)} files"
    )
    command.add_argument("--into", type=Path, required=True, metavar="DIR", help="where the long documents are written")
    command.add_argument("--sentences", type=int, default=100, metavar="N", help="sentences per document (default: 100)")
    command.add_argument("--count", type=int, default=5, metavar="N", help="number of documents to write (default: 5)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the first document's order (default: 0)")
    command.add_argument(
        "--splitter", default=DEFAULT_SPLITTER, metavar="NAME", help="splits into sentences (default: %(default)s)"
    )
    add_encoding(command)
    command.set_defaults(run=run_stitch)


def run_stitch(options: argparse.Namespace) -> None:
    """Write the stitched documents and their boundaries, and report unusable input files on standard error."""
    passages, complaints = read_passages(
        read_named_files([str(path) for path in options.paths], complain=print_to_stderr), document_reader(options.encoding)
    )
    for complaint in complaints:
        print_to_stderr(complaint)
    stitched = stitch_documents(passages, options.sentences, options.count, options.seed, options.splitter)
    for document in stitched:
        file = options.into / f"{document.name.replace(' ', '-')}.txt"
        try:
            options.into.mkdir(parents=True, exist_ok=True)
            # Bytes, so that line ends stay as they are.
            file.write_bytes(document.text.encode())
            file.with_suffix(MARKS_ENDING).write_bytes(boundary_file_json(file.name, document.text, document.known).encode())
        except OSError as error:
            raise InputError(
                f"{options.into}: the folder cannot be written to: {error.strerror}. Check its path and permissions."
            ) from error
        sentences = len(document.split(options.splitter).document.sentences)
        boundaries = "boundary" if len(document.known) == 1 else "boundaries"
        print(f"{file}: {sentences:,} sentences, {len(document.known):,} known {boundaries}")
