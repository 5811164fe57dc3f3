"""The command line's ``agreement``: the effect of another embedder on the boundaries of documents."""

import argparse
import json
from dataclasses import asdict
from typing import Any

from chunkers import (
    CHUNKERS,
    DEFAULT_SPLITTER,
    Document,
    InputError,
    Tools,
    load_tokenizer,
)
from chunkers.commands.arguments import (
    SPLITTER_NAMES,
    add_chunker,
    add_device,
    add_encoding,
    document_reader,
    file_bytes,
    load_command_embedder,
    named_files,
    parse_chunker_spec,
    preparation_callback,
)
from chunkers.contract import run
from chunkers.storage.cache import EmbeddingCache
from evaluation.segmentation.embedder_agreement import BoundaryAgreement, Shift, compare_boundaries, distance_shift


def add(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the ``agreement`` command to an argument parser."""
    command = commands.add_parser("agreement", help="which boundaries another embedder moves, and how far distances move")
    command.add_argument("files", nargs="+", metavar="FILE", help="a document, a folder of them, or - for standard input")
    command.add_argument("--embedder", required=True, metavar="NAME", help="the embedder to compare")
    command.add_argument(
        "--with", dest="full", metavar="NAME", help="what to compare it with (default: what it approximates)"
    )
    add_chunker(command, default="breakpoint")
    command.add_argument("--sentences", default=DEFAULT_SPLITTER, metavar="NAME", help=f"one of {SPLITTER_NAMES}")
    command.add_argument("--tokenizer", default="all-MiniLM-L6-v2", metavar="NAME")
    command.add_argument("--json", action="store_true", help="print one JSON object per document")
    add_device(command)
    add_encoding(command)
    command.set_defaults(run=run_agreement)


def run_agreement(options: argparse.Namespace) -> None:
    """Compare two embedders on every document, with the same chunker and parameters, and print the results."""
    other = load_command_embedder(options.embedder, options.device)
    if not (options.full or other.approximates):
        raise InputError(f"{other.name} has no default embedder to compare it with. Name one with --with.")
    full = load_command_embedder(options.full or other.approximates, options.device)
    chunker = parse_chunker_spec(options.chunker).build(full)
    if not chunker.embeds:
        others = ", ".join(name for name, candidate in CHUNKERS.items() if candidate.embeds)
        raise InputError(f"--chunker must be a chunker that uses embeddings, one of {others}; got {chunker.name}.")
    tokenizer = load_tokenizer(options.tokenizer)
    cache = EmbeddingCache()
    read = document_reader(options.encoding)
    for path, name in named_files(options.files):
        document = Document.from_text(read(file_bytes(path, name), name).text, options.sentences, name)
        tools = [Tools(embedder, tokenizer, cache, preparing=preparation_callback(embedder)) for embedder in (full, other)]
        comparison = compare_boundaries(*(run(chunker, document, own) for own in tools))
        fitted = (embedder.for_document(document) for embedder in (full, other))
        vectors = [Tools(embedder, tokenizer, cache).embed(document.sentence_texts) for embedder in fitted]
        shift = distance_shift(*vectors)
        if options.json:
            print(json.dumps(agreement_as_json(comparison, shift, full.name, other.name), ensure_ascii=False), flush=True)
        else:
            moved = (
                "" if shift is None else f"; distances moved by at most {shift.greatest:.2g}, {shift.mean:.2g} on average"
            )
            print(f"{name}: {comparison.words(full.name, other.name)}{moved}", flush=True)


def agreement_as_json(comparison: BoundaryAgreement, shift: Shift | None, full: str, other: str) -> dict[str, Any]:
    """Return a comparison of two embedders as JSON-compatible values; boundaries are in code points."""
    return {
        "document": comparison.document.name,
        "full": full,
        "other": other,
        "both": comparison.both,
        "only_full": comparison.only_full,
        "only_other": comparison.only_other,
        "share": comparison.share,
        "distances": None if shift is None else asdict(shift),
        "scores": None if comparison.scores is None else asdict(comparison.scores),
    }
