"""The command ``report``: a comparison as one file of HTML."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from chunkers import Chunker, EmbeddingCache, InputError, Recipe, Tools, build_chunker, load_embedder, load_tokenizer, run
from chunkers.arguments import (
    Parser,
    add_device,
    add_encoding,
    assignment,
    document_reader,
    file_bytes,
    preparing_on_terminal,
)
from chunkers.comparison import MOST_SIDE_BY_SIDE
from chunkers.embedders import Embedder
from chunkers.text.document import Document
from chunkers.text.sentences import DEFAULT_SPLITTER, SPLITTERS
from evaluation.report.page import report
from evaluation.report.tables import Compared
from evaluation.segmentation.boundary_files import from_json, without_marks
from evaluation.segmentation.unlabelled import sentence_vectors


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command to a parser's."""
    command = commands.add_parser(
        "report",
        help="a comparison as one file of HTML",
        description="Text, chunks, curves, measures and verdicts in one file, which opens offline and can be sent.",
    )
    command.add_argument("file", metavar="FILE", help="a document, or - for standard input")
    command.add_argument(
        "--chunker",
        nargs="+",
        action="append",
        default=[],
        metavar="NAME",
        help="a chunker and its parameters, as “--chunker recursive size=512 unit=tokens”; may be given several times",
    )
    command.add_argument("--recipe", nargs="+", action="extend", default=[], metavar="FILE", help="recipes from the page")
    command.add_argument("--into", metavar="FILE", help="where the report is written (default: standard output)")
    command.add_argument("--boundaries", metavar="FILE", help="the known boundaries, as the page exports them")
    command.add_argument("--dashes", action="store_true", help="lines of three dashes are known boundaries, and no text")
    names = ", ".join([*SPLITTERS, "sentencex:CODE", "spacy:NAME"])
    command.add_argument(
        "--sentences", metavar="NAME", help=f"one of {names} (default: the recipes', or {DEFAULT_SPLITTER})"
    )
    command.add_argument("--embedder", metavar="NAME", help="(default: the recipes', or all-MiniLM-L6-v2)")
    command.add_argument("--tokenizer", metavar="NAME", help="(default: the recipes', or all-MiniLM-L6-v2)")
    add_device(command)
    add_encoding(command)
    command.set_defaults(run=run_report)


def run_report(options: argparse.Namespace) -> None:
    """Cut the document with every chunker and write the report."""
    recipes = [Recipe.from_json(file_bytes(one).decode("utf-8-sig", "replace")) for one in options.recipe]
    count = len(recipes) + len(options.chunker)
    if not 1 <= count <= MOST_SIDE_BY_SIDE:
        raise InputError(f"--chunker and --recipe must name 1 to {MOST_SIDE_BY_SIDE} columns; got {count}.")
    embedder = load_embedder(_shared(options, recipes, "embedder", "all-MiniLM-L6-v2"), options.device)
    tokenizer = load_tokenizer(_shared(options, recipes, "tokenizer", "all-MiniLM-L6-v2"))
    chunkers = [one.build() for one in recipes] + [_chunker(one, embedder) for one in options.chunker]
    name = "standard input" if options.file == "-" else Path(options.file).name
    found = document_reader(options.encoding)(file_bytes(options.file, name), name)
    text, parts, known = found.text, found.parts, None
    if options.dashes and options.boundaries:
        raise InputError("--dashes and --boundaries must not both be given: each names the known boundaries.")
    if options.dashes:
        (text, known), parts = without_marks(text), None
    elif options.boundaries:
        known = from_json(file_bytes(options.boundaries), text)
    document = Document.from_text(text, _shared(options, recipes, "sentences", DEFAULT_SPLITTER), name, parts)
    tools = Tools(embedder, tokenizer, EmbeddingCache(), preparing=preparing_on_terminal(embedder))
    columns = [(chunker, run(chunker, document, tools)) for chunker in chunkers]
    vectors = sentence_vectors(document, tools) if document.sentences else None
    _write(report(Compared(document, columns, known, embedder, tokenizer.name, vectors)), options.into)


def _shared(options: argparse.Namespace, recipes: Sequence[Recipe], what: str, default: str) -> str:
    """Return what all columns share: as asked, or as the recipes have it, who must agree."""
    asked: str | None = getattr(options, what)
    named = {getattr(one, what) for one in recipes}
    if asked is None and len(named) > 1:
        raise InputError(f"--{what} must be given where the recipes have several; they have {', '.join(sorted(named))}.")
    return asked or next(iter(named), default)


def _chunker(given: Sequence[str], embedder: Embedder) -> Chunker:
    name, *assigned = given
    return build_chunker(name, dict(map(assignment, assigned)), embedder)


def _write(page: str, into: str | None) -> None:
    if into is None:
        sys.stdout.write(page)
        return
    try:
        Path(into).write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{into}: the file must be writable; {error.strerror}.") from error
