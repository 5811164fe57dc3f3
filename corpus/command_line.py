"""The command line of whole corpora: a recipe, inputs, and the folder for the chunks."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from joblib import cpu_count

from chunkers.commands.shared_command_parts import (
    Parser,
    add_chunker_option,
    add_device_option,
    add_encoding_option,
    add_language_model_options,
    add_refused_old_options,
    parse_all_chunker_specs,
    print_to_stderr,
    refuse_positional_chunkers,
    run_command,
    show_progress_line,
)
from chunkers.language_models import ChatServer, LanguageModel, SpendingLimit
from chunkers.support import InputError, pluralize
from chunkers.text import canonical_encoding
from corpus.inputs import TextColumns
from corpus.run import (
    ALL_PROBLEMS_FILE,
    NO_INPUT_MESSAGE,
    SHARD_MB,
    Progress,
    Run,
    ShardWritingEngine,
    ray_engine,
    write_in_processes,
)

MOST_WORKERS = 256
"""Maximum number of processes of a run on one machine."""

ASKING_SHARD_MB = 0.2
"""Megabytes of input of a shard where a language model is asked, unless another number is: that takes long enough."""

MAX_SHARD_MB = 4_000
MIN_SHARD_MB = 0.001
"""Minimum number of megabytes of input of a shard."""

SECONDS_BETWEEN_PROGRESS_LINES = 30
"""Seconds between two lines of progress where these go into a file."""


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="seamark corpus",
        description="Cut whole folders and data sets into chunks; the same command again goes on where it stopped.",
    )
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="INPUT",
        type=Path,
        help="a folder, with all below it that is neither hidden nor a symbolic link; a document; "
        "JSON lines (.jsonl, .ndjson) or Parquet (.parquet), with a document in each line or row",
    )
    add_chunker_option(parser, allows_chunk_file=False)
    parser.add_argument("--output", required=True, metavar="DIR", type=Path, help="the folder for the chunks")
    parser.add_argument("--text-column", default="text", metavar="NAME", help="the column of the texts (default: text)")
    parser.add_argument(
        "--id-column", metavar="NAME", help="the column of the documents' ids (default: id, or else their place in the file)"
    )
    parser.add_argument(
        "--workers", type=int, default=cpu_count(), metavar="N", help="processes (default: one for each core)"
    )
    parser.add_argument(
        "--shard-size",
        type=float,
        metavar="MB",
        help=f"megabytes of input of a shard (default: {SHARD_MB}, with a language model {ASKING_SHARD_MB})",
    )
    add_language_model_options(
        parser,
        "for a recipe that asks one",
        "; the run is then one process",
        default_limit_phrase="none; without a limit nothing is asked",
    )
    add_refused_old_options(parser, "--spend-tokens")
    parser.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="this machine's cores (default), or a Ray cluster"
    )
    parser.add_argument(
        "--ray-address", metavar="ADDRESS", help="that of the cluster (default: a Ray on this machine alone)"
    )
    add_device_option(parser)
    add_encoding_option(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``seamark corpus`` and return its exit status, 1 if some documents could not be cut."""
    return run_command(lambda: _run_corpus_command(_parser().parse_args(arguments)))


def _run_corpus_command(options: argparse.Namespace) -> int:
    if not 1 <= options.workers <= MOST_WORKERS:
        raise InputError(f"--workers must be from 1 to {MOST_WORKERS:,}; got {options.workers:,}.")
    language_model, spending_limit = _language_model_and_limit(options)
    if options.shard_size is None:
        options.shard_size = SHARD_MB if language_model is None else ASKING_SHARD_MB
    if not MIN_SHARD_MB <= options.shard_size <= MAX_SHARD_MB:
        raise InputError(f"--shard-size must be from {MIN_SHARD_MB} to {MAX_SHARD_MB:,}; got {options.shard_size:g}.")
    if options.encoding is not None:
        canonical_encoding(options.encoding)
    if not options.inputs:
        raise InputError(NO_INPUT_MESSAGE)
    chosen_run_engine = _parallel_engine_from_options(options)
    refuse_positional_chunkers(options, options.inputs, 1)
    (parsed_chunker_spec,) = parse_all_chunker_specs(
        options, "a corpus is cut by a recipe, anew in every process, and chunks made elsewhere have none"
    )
    corpus_chunking_run = Run(
        parsed_chunker_spec.recipe_of(parsed_chunker_spec.build()),
        tuple(options.inputs),
        options.output,
        columns=TextColumns(options.text_column, options.id_column),
        encoding=options.encoding,
        device=options.device,
        shard_bytes=round(options.shard_size * 1_000_000),
        language_model=language_model,
        limit=spending_limit,
    )
    progress_printer = _ProgressLine(corpus_chunking_run)
    try:
        final_progress = corpus_chunking_run.write_all_shards(chosen_run_engine, options.workers, progress_printer)
    except KeyboardInterrupt:
        progress_printer.end()
        print_to_stderr("The same command again goes on.")
        raise
    finally:
        progress_printer.end()
        if corpus_chunking_run.asking is not None:
            print_to_stderr(f"{corpus_chunking_run.asking.model.name}: {corpus_chunking_run.asking.summary}.")
    print_to_stderr(_closing_sentence(final_progress, options.output))
    return 1 if final_progress.tally.problems else 0


def _language_model_and_limit(options: argparse.Namespace) -> tuple[LanguageModel | None, SpendingLimit | None]:
    """Return the language model, if any, and its spending limit."""
    if options.language_model is None and options.spend is None:
        return None, None
    if options.language_model is None or options.spend is None:
        raise InputError("--language-model and --spend must be given together; only one was given. Give both, or neither.")
    if options.engine != "local":
        raise InputError(
            "--engine must be local when a language model is asked, because machines cannot share a spending limit; got "
            f"{options.engine}."
        )
    return ChatServer(options.language_model), options.spend


def _parallel_engine_from_options(options: argparse.Namespace) -> ShardWritingEngine:
    if options.engine == "ray":
        return ray_engine(options.ray_address)
    if options.ray_address is not None:
        raise InputError(
            "--ray-address needs --engine ray; the engine is local. Add --engine ray, or leave --ray-address out."
        )
    return write_in_processes


class _ProgressLine:
    """Says on standard error how far a run is: on a terminal in one line that changes, else in a line now and then."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._start_time = self._last_line_time = time.monotonic()
        self._document_of_line = False
        self._is_first_call = True

    def __call__(self, progress: Progress) -> None:
        current_monotonic_seconds = time.monotonic()
        if self._is_first_call:
            self._is_first_call = False
            if skipped_files_phrase := skipped_file_counts_phrase(self._run.left_out):
                print_to_stderr(f"Passed by: {skipped_files_phrase}.")
            if self._run.resumed:
                print_to_stderr(f"Going on where a run stopped: {progress.done:,} of {pluralize(progress.shards, 'shard')}.")
            self._start_time = current_monotonic_seconds
        elif sys.stderr.isatty():
            show_progress_line(self._progress_in_words(progress, current_monotonic_seconds))
            self._document_of_line = True
        elif current_monotonic_seconds - self._last_line_time >= SECONDS_BETWEEN_PROGRESS_LINES:
            print_to_stderr(self._progress_in_words(progress, current_monotonic_seconds))
            self._last_line_time = current_monotonic_seconds

    def _progress_in_words(self, progress: Progress, now: float) -> str:
        megacharacters_per_second = progress.since_start.characters / 1e6 / max(now - self._start_time, 1e-9)
        return (
            f"{progress.done:,} of {pluralize(progress.shards, 'shard')}, "
            f"{pluralize(progress.tally.documents, 'document')}, "
            f"{pluralize(progress.tally.chunks, 'chunk')}, {megacharacters_per_second:.1f} million characters a second"
        )

    def end(self) -> None:
        """End the progress line on the terminal with a line break."""
        if self._document_of_line:
            sys.stderr.write("\n")
            self._document_of_line = False


def _closing_sentence(final_progress: Progress, output: Path) -> str:
    """Return the sentence at the end."""
    whole_run_tally = final_progress.tally
    counts_summary_sentence = (
        f"{pluralize(whole_run_tally.documents, 'document')}, {pluralize(whole_run_tally.chunks, 'chunk')} in "
        f"{pluralize(final_progress.shards, 'shard')}."
    )
    problem_phrases_with_counts = [
        (f"{pluralize(whole_run_tally.problems, 'document')} could not be read or cut", whole_run_tally.problems),
        (f"the encoding of {pluralize(whole_run_tally.doubts, 'document')} was guessed", whole_run_tally.doubts),
    ]
    problem_phrases = [phrase for phrase, count in problem_phrases_with_counts if count]
    return (
        f"{counts_summary_sentence} {'; '.join(problem_phrases).capitalize()}: see {output / ALL_PROBLEMS_FILE}."
        if problem_phrases
        else counts_summary_sentence
    )


def skipped_file_counts_phrase(counts: dict[str, int]) -> str:
    """Format the counts of skipped files as a list, such as “2 symbolic links, 1 hidden file or folder”."""
    plural_by_skipped_file_kind = {
        "hidden file or folder": "hidden files or folders",
        "file of another kind": "files of another kind",
    }
    return ", ".join(
        pluralize(count, what, plural_by_skipped_file_kind.get(what, "")) for what, count in sorted(counts.items())
    )
