"""The commands that need no labels: ``unlabelled`` measures chunkers, and ``agreement`` compares two embedders."""

import argparse
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from typing import Any

from chunkers import (
    CHUNKERS,
    Chunker,
    Document,
    EmbeddingCache,
    InputError,
    Tools,
    build_chunker,
    load_tokenizer,
)
from chunkers.commands.shared_command_parts import (
    Parser,
    add_chunker_option,
    add_device_option,
    add_document_arguments,
    add_language_model_options,
    add_setting_options,
    build_watcher_of_preparation,
    end_progress_line,
    load_command_embedder,
    load_shared_embedder_and_tokenizer,
    open_language_model,
    parse_all_chunker_specs,
    print_json,
    progress_callback,
    read_names_and_texts,
    report_spending_at_end,
    shared_setting,
)
from chunkers.contract import run_and_time_chunker
from chunkers.language_models import Asking
from chunkers.recipes import MODEL_ASKING_CLASS_BY_NAME
from chunkers.support import text_table
from evaluation.commands.check import add_size_options, size_bounds_of_options
from evaluation.report.measure_table_cells import EDIT_CELL_COUNT, edit_stability_cells, label_free_measure_cells
from evaluation.segmentation import (
    BASELINE_SETTINGS,
    DEFAULT_EDIT_COUNT,
    EXPLANATION_BY_MEASURE,
    BoundaryAgreement,
    EditStability,
    GapShift,
    LabelFreeMeasures,
    SizeBounds,
    check_edit_count,
    compare_boundaries,
    count_size_compliance,
    measure_change_of_sentence_distances,
    measure_chunk_changes_by_edits,
    measure_without_labels,
    sentence_vectors,
)

MIN_COLUMN_WIDTH = 15
"""Minimum width, in characters, of a column of numbers."""


def add_unlabelled_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``unlabelled`` command to an argument parser."""
    unlabelled_parser = commands.add_parser(
        "unlabelled",
        help="blocks left whole, sizes, cohesion, contrast and edit stability: what needs no labels",
        description="One table for each document, a row for each chunker. None of its numbers is a grade, and they are not "
        "summed into one: what is best depends on what the chunks are for.",
    )
    add_document_arguments(unlabelled_parser)
    add_chunker_option(unlabelled_parser, several=True, help_ending=", with --edits 0")
    add_size_options(unlabelled_parser)
    unlabelled_parser.add_argument(
        "--edits",
        type=int,
        default=DEFAULT_EDIT_COUNT,
        metavar="N",
        help="places for a new sentence; 0 for none (default: %(default)s)",
    )
    unlabelled_parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of these places (default: 0)")
    add_setting_options(unlabelled_parser, "sentences", "embedder", "tokenizer")
    add_language_model_options(
        unlabelled_parser,
        f"for {', '.join(MODEL_ASKING_CLASS_BY_NAME)}",
        " (default: the recipe's)",
        token_use_phrase="asking for a chunker",
    )
    unlabelled_parser.add_argument("--json", action="store_true", help="print one JSON object per document and chunker")
    add_device_option(unlabelled_parser)
    unlabelled_parser.set_defaults(run=run_unlabelled)


def run_unlabelled(options: argparse.Namespace) -> None:
    """Measure every chunker on every document, without using known boundaries, and print the results."""
    if options.edits < 0:
        raise InputError(f"--edits must be 0 or more; got {options.edits}.")
    chunker_specs = parse_all_chunker_specs(
        options, "nothing cuts an edited text anew, so that --edits must be 0" * (options.edits > 0), most=math.inf
    )
    tools = load_shared_embedder_and_tokenizer(options, chunker_specs)
    chunkers_to_measure = [
        (spec.written_form, chunker, open_language_model(options, chunker, "plain", spec.recipe))
        for spec in chunker_specs
        for chunker in [spec.build(tools.embedder)]
    ]
    chunkers_to_measure += [
        (name, build_chunker("fixed_sentences", parameters), None) for name, parameters in BASELINE_SETTINGS
    ]
    size_bounds = size_bounds_of_options(options)
    sentence_splitter_name = shared_setting(options, "sentences", chunker_specs)
    with ExitStack() as spending_report_stack:
        for chunker_label, _, model_access in chunkers_to_measure:
            spending_report_stack.enter_context(report_spending_at_end(model_access, f"{chunker_label}: "))
        for document_number, (document_name, file_text) in enumerate(read_names_and_texts(options.files, options.encoding)):
            document = Document.from_text(file_text.text, sentence_splitter_name, document_name)
            if options.edits:
                check_edit_count(document, options.edits)
            chunker_measure_rows = _measure_chunkers(
                document, chunkers_to_measure, tools, size_bounds, options.edits, options.seed
            )
            if options.json:
                for chunker_label, label_free_measures, stability_under_edits in chunker_measure_rows:
                    print_json(
                        label_free_measures_as_json(document_name, chunker_label, label_free_measures, stability_under_edits)
                    )
            else:
                print("\n" * (document_number > 0) + measures_table(document_name, list(chunker_measure_rows)), flush=True)
    if not options.json:
        print("\n" + "\n".join(f"{label:<13} {meaning}" for label, meaning in EXPLANATION_BY_MEASURE.items()))


MeasuresRow = tuple[str, LabelFreeMeasures, EditStability | None]


def _measure_chunkers(
    document: Document,
    chunkers: Sequence[tuple[str, Chunker, Asking | None]],
    tools: Tools,
    size_bounds: SizeBounds | None,
    edit_count: int,
    seed: int,
) -> Iterator[MeasuresRow]:
    """Measure every chunker, with its language model, on a document; without edits if their number is 0."""
    document_sentence_vectors = sentence_vectors(document, tools)
    for chunker_label, chunker, language_model_access in chunkers:
        chunker_edit_stability = None
        chunking = run_and_time_chunker(chunker, document, replace(tools, asking=language_model_access))
        if edit_count:
            edits_progress_callback = progress_callback(f"{chunker_label}: ", "edits")
            chunker_edit_stability = measure_chunk_changes_by_edits(
                chunker, document, replace(tools, asking=language_model_access), edit_count, seed, edits_progress_callback
            )
            end_progress_line()
        label_free_measures = measure_without_labels(
            chunking, document_sentence_vectors, count_size_compliance(chunking, chunker, tools, size_bounds)
        )
        yield chunker_label, label_free_measures, chunker_edit_stability


def measures_table(document_name: str, rows: Sequence[MeasuresRow]) -> str:
    """Format the results for a document as a text table, one line per chunker."""
    measure_names = (
        [*EXPLANATION_BY_MEASURE]
        if any(edits is not None for *_, edits in rows)
        else [*EXPLANATION_BY_MEASURE][:-EDIT_CELL_COUNT]
    )
    chunker_rows = [
        [
            label,
            *(
                cell.text
                for cell in [*label_free_measure_cells(measured), *edit_stability_cells(edits)][: len(measure_names)]
            ),
        ]
        for label, measured, edits in rows
    ]
    measures_table_lines = [text_table(document_name, measure_names, chunker_rows, MIN_COLUMN_WIDTH)]
    distinct_size_bounds_phrases = {
        measured.sizes.bounds.words(): None for _, measured, _ in rows if measured.sizes is not None
    }
    if len(distinct_size_bounds_phrases) == 1:
        measures_table_lines.append(f"Size kept: {next(iter(distinct_size_bounds_phrases))}.")
    elif distinct_size_bounds_phrases:
        chunker_bounds_phrases = (
            f"{label}: {measured.sizes.bounds.words()}" for label, measured, _ in rows if measured.sizes is not None
        )
        measures_table_lines.append(f"Size kept: {'; '.join(chunker_bounds_phrases)}.")
    if rows[0][1].blocks.kinds:
        measures_table_lines += [f"Blocks whole: {label}: {measured.blocks.words()}." for label, measured, _ in rows]
    else:
        measures_table_lines.append("Blocks whole: the text has none.")
    return "\n".join(measures_table_lines)


def label_free_measures_as_json(
    document_name: str, chunker_label: str, label_free_measures: LabelFreeMeasures, edit_stability: EditStability | None
) -> dict[str, Any]:
    """Return a chunker's results on a document as JSON-compatible values, with shares from 0 to 1."""
    size_compliance_counts, similarity_contrast = label_free_measures.sizes, label_free_measures.contrast
    return {
        "document": document_name,
        "chunker": chunker_label,
        "chunks": label_free_measures.chunks,
        "blocks": {
            kind: {"whole": share.count, "of": share.total} for kind, share in label_free_measures.blocks.kinds.items()
        },
        "blocks_whole": label_free_measures.blocks.whole_blocks_of_all_kinds.share,
        "size": None
        if size_compliance_counts is None
        else {
            "least": size_compliance_counts.bounds.least,
            "most": size_compliance_counts.bounds.most,
            "unit": size_compliance_counts.bounds.unit,
            "within": size_compliance_counts.share,
            "too_small": size_compliance_counts.short,
            "too_large": size_compliance_counts.long,
        },
        "inside": None if similarity_contrast is None else similarity_contrast.inside,
        "across": None if similarity_contrast is None else similarity_contrast.across,
        "contrast": None if similarity_contrast is None else similarity_contrast.difference,
        "context": label_free_measures.coherence,
        "edits": None
        if edit_stability is None
        else {
            "mean": edit_stability.mean_changed_chunk_share,
            "worst": edit_stability.edit_changing_most_chunks.changed_chunk_share,
            "one_chunk": edit_stability.inevitable,
            "places": [
                {"after": edit.preceding_sentence_number, "changed": edit.changed, "chunks": edit.chunks}
                for edit in edit_stability.edits
            ],
        },
    }


# The command ``agreement``.


def add_agreement_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``agreement`` command to an argument parser."""
    agreement_parser = commands.add_parser(
        "agreement", help="which boundaries another embedder moves, and how far distances move"
    )
    add_document_arguments(agreement_parser)
    agreement_parser.add_argument("--embedder", required=True, metavar="NAME", help="the embedder to compare")
    agreement_parser.add_argument(
        "--with", dest="full", metavar="NAME", help="what to compare it with (default: what it approximates)"
    )
    add_chunker_option(agreement_parser, default="breakpoint", allows_chunk_file=False)
    add_setting_options(agreement_parser, "sentences", "tokenizer")
    agreement_parser.add_argument("--json", action="store_true", help="print one JSON object per document")
    add_device_option(agreement_parser)
    agreement_parser.set_defaults(run=run_embedder_agreement)


def run_embedder_agreement(options: argparse.Namespace) -> None:
    """Compare two embedders on every document, with the same chunker and parameters, and print the results."""
    approximating_embedder = load_command_embedder(options.embedder, options.device)
    if not (options.full or approximating_embedder.approximates):
        raise InputError(f"{approximating_embedder.name} has no default embedder to compare it with. Name one with --with.")
    full_embedder = load_command_embedder(options.full or approximating_embedder.approximates, options.device)
    chunker_specs = parse_all_chunker_specs(options, "no embedder moves the boundaries of chunks made elsewhere")
    chunker = chunker_specs[0].build(full_embedder)
    if not chunker.embeds:
        embedding_chunkers_phrase = ", ".join(name for name, candidate in CHUNKERS.items() if candidate.embeds)
        raise InputError(
            f"--chunker must be a chunker that uses embeddings, one of {embedding_chunkers_phrase}; got {chunker.name}."
        )
    tokenizer = load_tokenizer(shared_setting(options, "tokenizer", chunker_specs))
    embedding_cache = EmbeddingCache()
    for document_name, file_text in read_names_and_texts(options.files, options.encoding):
        document = Document.from_text(file_text.text, shared_setting(options, "sentences", chunker_specs), document_name)
        tools_per_embedder = [
            Tools(embedder, tokenizer, embedding_cache, watcher=build_watcher_of_preparation(embedder))
            for embedder in (full_embedder, approximating_embedder)
        ]
        embedder_boundary_agreement = compare_boundaries(
            *(run_and_time_chunker(chunker, document, own) for own in tools_per_embedder)
        )
        sentence_vectors_per_embedder = (
            Tools(embedder.for_document(document), tokenizer, embedding_cache).embed(document.sentence_texts)
            for embedder in (full_embedder, approximating_embedder)
        )
        embedder_distance_shift = measure_change_of_sentence_distances(*sentence_vectors_per_embedder)
        if options.json:
            print_json(
                embedder_agreement_as_json(
                    embedder_boundary_agreement, embedder_distance_shift, full_embedder.name, approximating_embedder.name
                )
            )
        else:
            embedding_distance_shift_phrase = (
                ""
                if embedder_distance_shift is None
                else (
                    f"; distances moved by at most {embedder_distance_shift.greatest:.2g}, "
                    f"{embedder_distance_shift.mean:.2g} on "
                    "average"
                )
            )
            print(
                f"{document_name}: {embedder_boundary_agreement.words(full_embedder.name, approximating_embedder.name)}"
                f"{embedding_distance_shift_phrase}",
                flush=True,
            )


def embedder_agreement_as_json(
    embedder_boundary_agreement: BoundaryAgreement,
    embedder_distance_shift: GapShift | None,
    full_embedder_name: str,
    other_embedder_name: str,
) -> dict[str, Any]:
    """Return a comparison of two embedders as JSON-compatible values; boundaries are in code points."""
    return {
        "document": embedder_boundary_agreement.document.name,
        "full": full_embedder_name,
        "other": other_embedder_name,
        "both": embedder_boundary_agreement.both,
        "only_full": embedder_boundary_agreement.only_full,
        "only_other": embedder_boundary_agreement.only_other,
        "share": embedder_boundary_agreement.share,
        "distances": None if embedder_distance_shift is None else asdict(embedder_distance_shift),
        "scores": None if embedder_boundary_agreement.scores is None else asdict(embedder_boundary_agreement.scores),
    }
