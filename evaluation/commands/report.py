"""The command ``report``: a comparison as one file of HTML."""

import argparse
from pathlib import Path

from chunkers import EmbeddingCache, InputError, Tools, run
from chunkers.commands.arguments import (
    Parser,
    document_reader,
    file_bytes,
    preparation_callback,
    write_output,
)
from chunkers.text.document import Document
from evaluation.commands.columns import add_columns, read_columns
from evaluation.report.page import ComparedColumns, html_report
from evaluation.segmentation.boundary_files import BoundaryFile, remove_mark_lines
from evaluation.segmentation.label_free_measures import sentence_vectors


def add(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``report`` command to an argument parser."""
    command = commands.add_parser(
        "report",
        help="a comparison as one file of HTML",
        description="Text, chunks, curves, measures and verdicts in one file, which opens offline and can be sent.",
    )
    command.add_argument("file", metavar="FILE", help="a document, or - for standard input")
    command.add_argument("--into", metavar="FILE", help="where the report is written (default: standard output)")
    command.add_argument("--boundaries", metavar="FILE", help="the known boundaries, as the page exports them")
    command.add_argument("--dashes", action="store_true", help="lines of three dashes are known boundaries, and no text")
    add_columns(command)
    command.set_defaults(run=run_report)


def run_report(options: argparse.Namespace) -> None:
    """Cut the document with every chunker and write an HTML report on the results."""
    chunkers, sentences, embedder, tokenizer = read_columns(options)
    name = "standard input" if options.file == "-" else Path(options.file).name
    file_text = document_reader(options.encoding)(file_bytes(options.file, name), name)
    text, parts, known = file_text.text, file_text.parts, None
    if options.dashes and options.boundaries:
        raise InputError(
            "--dashes and --boundaries must not be given together: each defines the known boundaries. Leave one out."
        )
    if options.dashes:
        (text, known), parts = remove_mark_lines(text), None
    elif options.boundaries:
        known = BoundaryFile.read(file_bytes(options.boundaries)).of(text)
    document = Document.from_text(text, sentences, name, parts)
    tools = Tools(embedder, tokenizer, EmbeddingCache(), preparing=preparation_callback(embedder))
    columns = [(chunker, run(chunker, document, tools)) for chunker in chunkers]
    vectors = sentence_vectors(document, tools) if document.sentences else None
    write_output(html_report(ComparedColumns(document, columns, known, embedder, tokenizer.name, vectors)), options.into)
