"""The commands that need no labels: ``unlabelled`` measures chunkers, and ``agreement`` compares two embedders."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from chunkers import (
    CHUNKERS,
    DEFAULT_SPLITTER,
    Chunker,
    Document,
    EmbeddingCache,
    InputError,
    Tools,
    build_chunker,
    load_tokenizer,
)
from chunkers.commands.arguments import (
    SPLITTER_NAMES,
    Parser,
    add_chunker,
    add_chunkers,
    add_device,
    add_encoding,
    document_reader,
    end_progress,
    file_bytes,
    load_command_embedder,
    load_command_tools,
    named_files,
    parse_chunker_spec,
    preparation_callback,
    progress_callback,
)
from chunkers.contract import run
from evaluation.segmentation import (
    BASELINE_SETTINGS,
    DEFAULT_EDITS,
    MEASURES_EXPLAINED,
    SIZE_UNITS,
    BoundaryAgreement,
    EditStability,
    GapShift,
    LabelFreeMeasures,
    SizeBounds,
    check_edit_count,
    compare_boundaries,
    count_size_compliance,
    distance_shift,
    edit_stability,
    measure_without_labels,
    sentence_vectors,
)
from evaluation.tables.cells import OF_EDITS, edit_cells, unlabelled_cells

WIDTH = 15
"""Characters of a column of numbers."""


def add_unlabelled(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``unlabelled`` command to an argument parser."""
    command = commands.add_parser(
        "unlabelled",
        help="blocks left whole, sizes, cohesion, contrast and edit stability: what needs no labels",
        description="One table for each document, a row for each chunker. None of its numbers is a grade, and they are not "
        "summed into one: what is best depends on what the chunks are for.",
    )
    command.add_argument("files", nargs="+", metavar="FILE", help="a document, a folder of them, or - for standard input")
    add_chunkers(command)
    command.add_argument("--least", type=int, metavar="N", help="the smallest size that a chunk should have")
    command.add_argument("--most", type=int, metavar="N", help="the largest; without either, what each chunker is asked for")
    command.add_argument("--unit", choices=SIZE_UNITS, default="tokens", help="what both sizes count (default: tokens)")
    command.add_argument(
        "--edits",
        type=int,
        default=DEFAULT_EDITS,
        metavar="N",
        help="places for a new sentence; 0 for none (default: %(default)s)",
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of these places (default: 0)")
    command.add_argument("--sentences", default=DEFAULT_SPLITTER, metavar="NAME", help=f"one of {SPLITTER_NAMES}")
    command.add_argument("--embedder", default="all-MiniLM-L6-v2", metavar="NAME")
    command.add_argument("--tokenizer", default="all-MiniLM-L6-v2", metavar="NAME")
    command.add_argument("--json", action="store_true", help="print one JSON object per document and chunker")
    add_device(command)
    add_encoding(command)
    command.set_defaults(run=run_unlabelled)


def run_unlabelled(options: argparse.Namespace) -> None:
    """Measure every chunker on every document, without using known boundaries, and print the results."""
    if options.edits < 0:
        raise InputError(f"--edits must be 0 or more; got {options.edits}.")
    tools = load_command_tools(options.embedder, options.tokenizer, options.device)
    if not options.chunker:
        raise InputError("No chunker is named. Name one or several with --chunker.")
    chunkers = [(written, parse_chunker_spec(written).build(tools.embedder)) for written in options.chunker]
    chunkers += [(name, build_chunker("fixed_sentences", parameters)) for name, parameters in BASELINE_SETTINGS]
    bounds = (
        None if options.least is None and options.most is None else SizeBounds(options.least, options.most, options.unit)
    )
    read = document_reader(options.encoding)
    files = list(named_files(options.files))
    for number, (path, name) in enumerate(files):
        document = Document.from_text(read(file_bytes(path, name), name).text, options.sentences, name)
        if options.edits:
            check_edit_count(document, options.edits)
        rows = _measure_chunkers(document, chunkers, tools, bounds, options.edits, options.seed)
        if options.json:
            for label, measured, edits in rows:
                print(json.dumps(measures_as_json(name, label, measured, edits), ensure_ascii=False), flush=True)
        else:
            print("\n" * (number > 0) + measures_table(name, list(rows)), flush=True)
    if not options.json:
        print("\n" + "\n".join(f"{label:<13} {meaning}" for label, meaning in MEASURES_EXPLAINED.items()))


Row = tuple[str, LabelFreeMeasures, EditStability | None]


def _measure_chunkers(
    document: Document,
    chunkers: Sequence[tuple[str, Chunker]],
    tools: Tools,
    bounds: SizeBounds | None,
    edits: int,
    seed: int,
) -> Iterator[Row]:
    """Measure every chunker on a document; without edits if their number is 0."""
    vectors = sentence_vectors(document, tools)
    for label, chunker in chunkers:
        chunking = run(chunker, document, replace(tools))
        measured = measure_without_labels(chunking, vectors, count_size_compliance(chunking, chunker, tools, bounds))
        stability = None
        if edits:
            progress = progress_callback(f"{label}: ", "edits")
            stability = edit_stability(chunker, document, tools, edits, seed, progress)
            end_progress()
        yield label, measured, stability


def measures_table(name: str, rows: Sequence[Row]) -> str:
    """Format the results for a document as a text table, one line per chunker."""
    width = max(len(label) for label, *_ in rows)
    heads = [*MEASURES_EXPLAINED] if any(edits is not None for *_, edits in rows) else [*MEASURES_EXPLAINED][:-OF_EDITS]
    lines = [name, " " * width + "".join(f"{head:>{WIDTH}}" for head in heads)]
    for label, measured, edits in rows:
        cells = [*unlabelled_cells(measured), *edit_cells(edits)][: len(heads)]
        lines.append(f"{label:<{width}}" + "".join(f"{cell.text:>{WIDTH}}" for cell in cells))
    wordings = {measured.sizes.bounds.words(): None for _, measured, _ in rows if measured.sizes is not None}
    if len(wordings) == 1:
        lines.append(f"Size kept: {next(iter(wordings))}.")
    elif wordings:
        by_chunker = (
            f"{label}: {measured.sizes.bounds.words()}" for label, measured, _ in rows if measured.sizes is not None
        )
        lines.append(f"Size kept: {'; '.join(by_chunker)}.")
    if rows[0][1].blocks.kinds:
        lines += [f"Blocks whole: {label}: {measured.blocks.words()}." for label, measured, _ in rows]
    else:
        lines.append("Blocks whole: the text has none.")
    return "\n".join(lines)


def measures_as_json(name: str, label: str, measured: LabelFreeMeasures, edits: EditStability | None) -> dict[str, Any]:
    """Return a chunker's results on a document as JSON-compatible values, with shares from 0 to 1."""
    sizes, contrast = measured.sizes, measured.contrast
    return {
        "document": name,
        "chunker": label,
        "chunks": measured.chunks,
        "blocks": {kind: {"whole": share.count, "of": share.of} for kind, share in measured.blocks.kinds.items()},
        "blocks_whole": measured.blocks.all.share,
        "size": None
        if sizes is None
        else {
            "least": sizes.bounds.least,
            "most": sizes.bounds.most,
            "unit": sizes.bounds.unit,
            "within": sizes.share,
            "too_small": sizes.short,
            "too_large": sizes.long,
        },
        "inside": None if contrast is None else contrast.inside,
        "across": None if contrast is None else contrast.across,
        "contrast": None if contrast is None else contrast.difference,
        "context": measured.coherence,
        "edits": None
        if edits is None
        else {
            "mean": edits.mean,
            "worst": edits.worst.share,
            "one_chunk": edits.inevitable,
            "places": [{"after": edit.after, "changed": edit.changed, "chunks": edit.chunks} for edit in edits.edits],
        },
    }


# The command ``agreement``.


def add_agreement(commands: "argparse._SubParsersAction[Parser]") -> None:
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
        embedding_chunkers = ", ".join(name for name, candidate in CHUNKERS.items() if candidate.embeds)
        raise InputError(
            f"--chunker must be a chunker that uses embeddings, one of {embedding_chunkers}; got {chunker.name}."
        )
    tokenizer = load_tokenizer(options.tokenizer)
    cache = EmbeddingCache()
    read = document_reader(options.encoding)
    for path, name in named_files(options.files):
        document = Document.from_text(read(file_bytes(path, name), name).text, options.sentences, name)
        tools = [Tools(embedder, tokenizer, cache, preparing=preparation_callback(embedder)) for embedder in (full, other)]
        comparison = compare_boundaries(*(run(chunker, document, own) for own in tools))
        vectors = (
            Tools(embedder.for_document(document), tokenizer, cache).embed(document.sentence_texts)
            for embedder in (full, other)
        )
        shift = distance_shift(*vectors)
        if options.json:
            print(json.dumps(agreement_as_json(comparison, shift, full.name, other.name), ensure_ascii=False), flush=True)
        else:
            shift_words = (
                "" if shift is None else f"; distances moved by at most {shift.greatest:.2g}, {shift.mean:.2g} on average"
            )
            print(f"{name}: {comparison.words(full.name, other.name)}{shift_words}", flush=True)


def agreement_as_json(comparison: BoundaryAgreement, shift: GapShift | None, full: str, other: str) -> dict[str, Any]:
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
