"""The commands for documents with known boundaries: ``sweep`` tries settings on them, and ``stitch`` makes some."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chunkers import DEFAULT_SPLITTER, Document, InputError
from chunkers.commands.shared_command_parts import (
    POSITIONAL_WORDS_KEY,
    ChunkerSpec,
    Parser,
    SeveralValues,
    add_chunker_option,
    add_device_option,
    add_document_arguments,
    add_encoding_option,
    add_refused_old_options,
    add_setting_options,
    document_reader,
    end_progress_line,
    is_document_argument,
    load_shared_embedder_and_tokenizer,
    old_spelling_error,
    parse_all_chunker_specs,
    parse_parameter_value,
    print_json,
    print_to_stderr,
    progress_callback,
    yield_named_file_contents,
)
from chunkers.recipes import GIVEN_CHUNKS_CLASS_BY_NAME, MODEL_ASKING_CLASS_BY_NAME
from chunkers.support import pluralize
from chunkers.text import READABLE_ENDINGS
from evaluation.report.measure_table_cells import SETTING_HEAD, setting_row, terminal_table
from evaluation.segmentation import (
    BOUNDARY_FILE_ENDING,
    HIGHER_IS_BETTER,
    TRIVIAL_SETTINGS,
    MarkedDocument,
    SweepRow,
    SweptSetting,
    boundaries_and_text_hash_json,
    list_qu_et_al_settings,
    make_stitched_documents,
    read_marked_texts,
    read_passages,
    settings_grid,
    summarize_settings,
    sweep_rows_to_csv,
    sweep_settings,
)
from sample_docs import load_sample, sample_titles


def add_marked_document_options(parser: argparse.ArgumentParser, help_note: str = "") -> None:
    """Add the options that name documents with known boundaries, bundled or in files."""
    parser.add_argument(
        "--sample",
        nargs="+",
        action=SeveralValues,
        const=lambda word: word not in sample_titles() and is_document_argument(word),
        default=[],
        metavar="NAME",
        help=f"bundled documents{help_note}",
    )
    parser.add_argument(
        "--marked",
        nargs="+",
        action="extend",
        default=[],
        metavar="PATH",
        help="documents with known boundaries, or folders: with lines of three dashes, or boundary files beside them",
    )


def add_sweep_command(command_subparsers: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``sweep`` command to an argument parser."""
    sweep_parser = command_subparsers.add_parser("sweep", help="many settings on many documents with known boundaries")
    add_marked_document_options(sweep_parser, " (default: all with known boundaries, without --marked)")
    add_refused_old_options(sweep_parser, POSITIONAL_WORDS_KEY, "--file")
    add_chunker_option(
        sweep_parser, allows_chunk_file=False, help_ending="; all settings share its parameters, except those of --grid"
    )
    sweep_parser.add_argument(
        "--grid", action="append", default=[], metavar="KEY=VALUE,...", help="the values of a parameter to try"
    )
    sweep_parser.add_argument("--published", action="store_true", help="the grid of Qu et al., appendix B, for all chunkers")
    sweep_parser.add_argument("--measure", default="pk", help=f"sort settings by one of {', '.join(HIGHER_IS_BETTER)}")
    add_setting_options(
        sweep_parser, "sentences", default_help_template="the recipe's, or else each bundled document's, and {0} for files"
    )
    add_setting_options(sweep_parser, "embedder", "tokenizer")
    add_device_option(sweep_parser)
    sweep_parser.add_argument("--top", type=int, default=20, metavar="N", help="settings to print (default: 20)")
    output_options = sweep_parser.add_mutually_exclusive_group()
    output_options.add_argument("--csv", action="store_true", help="every setting on every document, as CSV")
    output_options.add_argument("--json", action="store_true", help="the same as JSON lines")
    add_encoding_option(sweep_parser)
    sweep_parser.set_defaults(run=run_sweep)


def run_sweep(options: argparse.Namespace) -> None:
    """Run every chunker setting on every document and print the scores."""
    chunker_settings = list_qu_et_al_settings() if options.published else []
    chunker_specs = (
        parse_all_chunker_specs(options, "a sweep varies parameters, and chunks made elsewhere have none")
        if options.chunker
        else []
    )
    if chunker_specs:
        chunker_settings += _settings_of_grid(chunker_specs[0], options.grid)
    elif options.grid:
        raise InputError(
            "--grid works only with --chunker, which is missing. Name the chunker whose parameters --grid lists."
        )
    if not chunker_settings:
        raise InputError("Name the settings to sweep: --published, or --chunker with --grid.")
    summarize_settings([], options.measure)
    sentence_splitter_name = options.sentences or next(
        (spec.recipe.sentences for spec in chunker_specs if spec.recipe is not None), None
    )
    marked_sample_names = [] if options.marked else [name for name in sample_titles() if load_sample(name).known]
    marked_documents = [_load_marked_sample(name, sentence_splitter_name) for name in options.sample or marked_sample_names]
    marked_documents += _read_marked_files(options.marked, options.encoding, sentence_splitter_name or DEFAULT_SPLITTER)
    tools = load_shared_embedder_and_tokenizer(options, chunker_specs)
    chunker_settings = [*TRIVIAL_SETTINGS, *chunker_settings]
    sweep_rows = list(
        sweep_settings(
            marked_documents,
            chunker_settings,
            tools,
            worker_count=os.cpu_count() or 1,
            progress=progress_callback("", "runs"),
        )
    )
    end_progress_line()
    position_by_setting = {setting: place for place, setting in enumerate(chunker_settings)}
    sweep_rows.sort(key=lambda row: (position_by_setting[row.setting], row.document))
    if options.csv:
        print(sweep_rows_to_csv(sweep_rows), end="")
    elif options.json:
        for sweep_row in sweep_rows:
            print_json(_sweep_row_as_json(sweep_row))
    else:
        _print_best_settings(sweep_rows, options.measure, options.top)


def _settings_of_grid(chunker_spec: ChunkerSpec, grid_axis_texts: Sequence[str]) -> list[SweptSetting]:
    """Return the settings of a chunker; a recipe's parameters are the same in all of them unless the grid varies them."""
    chunker_name, parameters_from_recipe = (
        (chunker_spec.recipe.chunker, chunker_spec.recipe.settings()) if chunker_spec.recipe else (chunker_spec.name, {})
    )
    if chunker_name in {**MODEL_ASKING_CLASS_BY_NAME, **GIVEN_CHUNKS_CLASS_BY_NAME}:
        raise InputError(
            f"{chunker_name}: a sweep needs a chunker that cuts by its parameters alone; this one asks a language "
            "model, or its cuts were made elsewhere. Name another."
        )
    grid_values_by_parameter: dict[str, list[Any]] = {}
    for parameter_name, values_of_parameter in map(_parse_grid_axis, grid_axis_texts):
        if parameter_name in grid_values_by_parameter:
            raise InputError(f"--grid must name each parameter once, with all its values; {parameter_name} appears twice.")
        if parameter_name in chunker_spec.parameters:
            raise InputError(
                f"--grid must not vary what --chunker holds fixed; {parameter_name} is in both. Leave it out of one."
            )
        grid_values_by_parameter[parameter_name] = values_of_parameter
    fixed_parameters = {**parameters_from_recipe, **chunker_spec.parameters}
    return settings_grid(
        chunker_name, **{**{key: [value] for key, value in fixed_parameters.items()}, **grid_values_by_parameter}
    )


def _load_marked_sample(name: str, splitter: str | None) -> MarkedDocument:
    marked_sample = load_sample(name)
    if not marked_sample.known:
        raise InputError(
            f"{name}: the sweep needs documents with at least one known boundary; this one has none. Leave it out."
        )
    return MarkedDocument(
        Document.from_text(marked_sample.text, splitter or marked_sample.sentences, name), marked_sample.known
    )


def _read_marked_files(file_paths: Sequence[str], encoding: str | None, splitter: str) -> list[MarkedDocument]:
    marked_texts, unusable_file_complaints = read_marked_texts(
        yield_named_file_contents(file_paths, lambda data, _: data, (*READABLE_ENDINGS, BOUNDARY_FILE_ENDING)),
        document_reader(encoding),
    )
    if unusable_file_complaints:
        raise InputError(unusable_file_complaints[0])
    return [marked_text.split_to_marked_document(splitter) for marked_text in marked_texts]


def _parse_grid_axis(text: str) -> tuple[str, list[Any]]:
    parameter_name, equals_sign, values_text = text.partition("=")
    if not equals_sign or not parameter_name or not values_text:
        raise InputError(f"--grid must have the form KEY=VALUE,...; got {text!r}.")
    return parameter_name, [parse_parameter_value(word) for word in values_text.split(",")]


def _sweep_row_as_json(row: SweepRow) -> dict[str, Any]:
    return {
        "document": row.document,
        "chunker": row.setting.chunker,
        "parameters": dict(row.setting.parameters),
        "chunks": row.chunks,
        **{name: score.value for name, score in row.scores.items()},
    }


def _print_best_settings(sweep_rows: Sequence[SweepRow], measure: str, max_shown_settings: int) -> None:
    setting_summaries = summarize_settings(sweep_rows, measure)
    if not setting_summaries:
        raise InputError(f"{measure} is undefined for every setting on these documents. Choose another measure.")
    shown_rows = [
        setting_row(summary, measure, f"{rank:4}  {summary.setting.words()}", {}, "%.4f")
        for rank, summary in enumerate(setting_summaries, start=1)
        if rank <= max_shown_settings or summary.setting.is_trivial_baseline
    ]
    print(terminal_table(f"Settings by {measure}, the best first:", SETTING_HEAD, shown_rows))
    if len(setting_summaries) > 1:
        print(
            f"The best is {abs(setting_summaries[0].mean - setting_summaries[1].mean):.4f} ahead of the next, "
            f"over {pluralize(setting_summaries[0].documents, 'document')}."
        )


# The command ``stitch``.


def add_stitch_command(command_subparsers: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``stitch`` command to an argument parser."""
    stitch_parser = command_subparsers.add_parser(
        "stitch",
        help="join short documents into long ones, whose seams are known boundaries",
        description="Each file counts as one subject, as does each part between lines of three dashes; no two passages of "
        "one subject are joined directly.",
    )
    add_document_arguments(stitch_parser)
    stitch_parser.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="where the long documents are written"
    )
    stitch_parser.add_argument(
        "--sentences-each", type=int, default=100, metavar="N", help="sentences per document (default: 100)"
    )
    stitch_parser.add_argument("--count", type=int, default=5, metavar="N", help="number of documents to write (default: 5)")
    stitch_parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the first document's order (default: 0)"
    )
    add_setting_options(stitch_parser, "sentences", default_help_template=None)
    add_refused_old_options(stitch_parser, "--splitter", "--into")
    stitch_parser.set_defaults(run=run_stitch)


def run_stitch(options: argparse.Namespace) -> None:
    """Write the stitched documents and their boundaries, and report unusable input files on standard error."""
    if options.sentences.isdecimal():
        raise old_spelling_error(f"--sentences {options.sentences}", f"--sentences-each {options.sentences}")
    passages, unusable_file_complaints = read_passages(
        yield_named_file_contents(options.files, lambda data, _: data, complain=print_to_stderr),
        document_reader(options.encoding),
    )
    for complaint in unusable_file_complaints:
        print_to_stderr(complaint)
    for document in make_stitched_documents(
        passages, options.sentences_each, options.count, options.seed, options.sentences
    ):
        stitched_document_path = options.output / f"{document.name.replace(' ', '-')}.txt"
        try:
            options.output.mkdir(parents=True, exist_ok=True)
            # Bytes, so that line ends stay as they are.
            stitched_document_path.write_bytes(document.text.encode())
            stitched_document_path.with_suffix(BOUNDARY_FILE_ENDING).write_bytes(
                boundaries_and_text_hash_json(stitched_document_path.name, document.text, document.known).encode()
            )
        except OSError as error:
            raise InputError(
                f"{options.output}: the folder cannot be written to: {error.strerror}. Check its path and permissions."
            ) from error
        sentence_count = len(document.split_to_marked_document(options.sentences).document.sentences)
        boundary_count_phrase = pluralize(len(document.known), "known boundary", "known boundaries")
        print(f"{stitched_document_path}: {pluralize(sentence_count, 'sentence')}, {boundary_count_phrase}")
