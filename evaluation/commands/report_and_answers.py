"""The commands that compare several chunkers on one document: ``report`` as HTML, and ``answers`` by a language model."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from chunkers import (
    DEFAULT_SPLITTER,
    Chunker,
    Document,
    Embedder,
    EmbeddingCache,
    InputError,
    ModelError,
    Recipe,
    Tokenizer,
    Tools,
    load_tokenizer,
    run,
)
from chunkers.commands.arguments import (
    SPLITTER_NAMES,
    Parser,
    add_chunkers_option,
    add_device_option,
    add_encoding_option,
    add_replaced_options,
    add_spending_option,
    document_reader,
    file_bytes,
    load_command_embedder,
    parse_chunker_spec,
    parse_spending_limit,
    preparation_watcher,
    print_to_stderr,
    warn_of_unusable_answers,
    write_output,
)
from chunkers.language_models import FIRST_ANSWERS, NEARLY_ALL_UNUSABLE, AnswerCache, Asking, ChatServer, as_asking
from chunkers.results import MOST_SIDE_BY_SIDE
from chunkers.support import FloatArray
from evaluation.answering import (
    TRIVIAL_TITLES,
    AnswerReport,
    AnswerResult,
    GatheredPassages,
    Services,
    answer_all_questions,
    answers_to_csv,
    answers_to_json_lines,
    cost_table,
    gather_passages,
    gather_trivial_row_passages,
    questions_of_file,
    row_numbers_of_controls,
)
from evaluation.questions import TokenRuler
from evaluation.report.html_page import ComparedColumns, html_report
from evaluation.retrieval.asked_question import budget_for_text_length
from evaluation.segmentation import BoundaryFile, remove_mark_lines, sentence_vectors


class Columns(NamedTuple):
    """Chunkers to compare, with their shared sentence splitter, embedder and tokenizer."""

    chunkers: list[Chunker]
    sentences: str
    embedder: Embedder
    tokenizer: Tokenizer


def add_column_options(command: argparse.ArgumentParser) -> None:
    """Add the options that name the chunkers to compare and their shared settings to an argument parser."""
    add_chunkers_option(command)
    command.add_argument(
        "--sentences", metavar="NAME", help=f"one of {SPLITTER_NAMES} (default: the recipes', or {DEFAULT_SPLITTER})"
    )
    command.add_argument("--embedder", metavar="NAME", help="(default: the recipes', or all-MiniLM-L6-v2)")
    command.add_argument("--tokenizer", metavar="NAME", help="(default: the recipes', or all-MiniLM-L6-v2)")
    add_device_option(command)
    add_encoding_option(command)


def columns_of_options(options: argparse.Namespace) -> Columns:
    """Return the chunkers named by command-line options. Raise InputError for none, too many or conflicting recipes."""
    if not 1 <= len(options.chunker) <= MOST_SIDE_BY_SIDE:
        raise InputError(f"--chunker must name 1 to {MOST_SIDE_BY_SIDE} chunkers; got {len(options.chunker)}.")
    parsed_chunker_specs = [parse_chunker_spec(written) for written in options.chunker]
    recipes_of_specs = [spec.recipe for spec in parsed_chunker_specs if spec.recipe is not None]
    embedder = load_command_embedder(
        _shared_setting(options, recipes_of_specs, "embedder", "all-MiniLM-L6-v2"), options.device
    )
    tokenizer = load_tokenizer(_shared_setting(options, recipes_of_specs, "tokenizer", "all-MiniLM-L6-v2"))
    return Columns(
        [spec.build(embedder) for spec in parsed_chunker_specs],
        _shared_setting(options, recipes_of_specs, "sentences", DEFAULT_SPLITTER),
        embedder,
        tokenizer,
    )


def _shared_setting(options: argparse.Namespace, recipes: Sequence[Recipe], what: str, default: str) -> str:
    """Return a setting shared by all columns: the requested value, or the one that all recipes agree on."""
    requested_value: str | None = getattr(options, what)
    distinct_recipe_values = {getattr(recipe, what) for recipe in recipes}
    if requested_value is None and len(distinct_recipe_values) > 1:
        raise InputError(
            f"The recipes must agree on {what}; they name {', '.join(sorted(distinct_recipe_values))}. Choose one with "
            f"--{what}."
        )
    return requested_value or next(iter(distinct_recipe_values), default)


# The command ``report``.


def add_report_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``report`` command to an argument parser."""
    report_parser = commands.add_parser(
        "report",
        help="a comparison as one file of HTML",
        description="Text, chunks, curves, measures and verdicts in one file, which opens offline and can be sent.",
    )
    report_parser.add_argument("file", metavar="FILE", help="a document, or - for standard input")
    report_parser.add_argument("--output", metavar="FILE", help="where the report is written (default: standard output)")
    add_replaced_options(report_parser, "--into")
    report_parser.add_argument("--boundaries", metavar="FILE", help="the known boundaries, as the page exports them")
    report_parser.add_argument(
        "--dashes", action="store_true", help="lines of three dashes are known boundaries, and no text"
    )
    add_column_options(report_parser)
    report_parser.set_defaults(run=run_report)


def run_report(options: argparse.Namespace) -> None:
    """Cut the document with every chunker and write an HTML report on the results."""
    chunkers, sentence_splitter_name, embedder, tokenizer = columns_of_options(options)
    document_name = "standard input" if options.file == "-" else Path(options.file).name
    file_text = document_reader(options.encoding)(file_bytes(options.file, document_name), document_name)
    text, document_parts, known_boundaries = file_text.text, file_text.parts, None
    if options.dashes and options.boundaries:
        raise InputError(
            "--dashes and --boundaries must not be given together: each defines the known boundaries. Leave one out."
        )
    if options.dashes:
        (text, known_boundaries), document_parts = remove_mark_lines(text), None
    elif options.boundaries:
        known_boundaries = BoundaryFile.read(file_bytes(options.boundaries)).of(text)
    document = Document.from_text(text, sentence_splitter_name, document_name, document_parts)
    tools = Tools(embedder, tokenizer, EmbeddingCache(), watcher=preparation_watcher(embedder))
    chunkers_with_chunkings = [(chunker, run(chunker, document, tools)) for chunker in chunkers]
    document_sentence_vectors = sentence_vectors(document, tools) if document.sentences else None
    write_output(
        html_report(
            ComparedColumns(
                document, chunkers_with_chunkings, known_boundaries, embedder, tokenizer.name, document_sentence_vectors
            )
        ),
        options.output,
    )


# The command ``answers``.


def add_answers_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``answers`` command to an argument parser."""
    answers_parser = commands.add_parser(
        "answers",
        help="questions answered from each chunker's chunks by a language model, and judged",
        description="Every question is answered from each chunker's best chunks alone; the answers go to standard output as "
        "CSV, who is ahead and what it took to standard error.",
    )
    answers_parser.add_argument("file", metavar="FILE", help="a document, or - for standard input")
    answers_parser.add_argument(
        "--questions", required=True, metavar="FILE", help="CSV, JSON lines or JSON: question and answer"
    )
    answers_parser.add_argument(
        "--language-model",
        required=True,
        metavar="openai:NAME",
        help="a model of the server at OPENAI_BASE_URL, to which questions and chunks are sent",
    )
    answers_parser.add_argument(
        "--judge", metavar="openai:NAME", help="the model that judges (default: the one that answers)"
    )
    answers_parser.add_argument("--not-judged", action="store_true", help="cosines alone, which no model is asked for")
    answers_parser.add_argument(
        "--budget", type=int, metavar="TOKENS", help="of chunks a question is given (default: as fits)"
    )
    answers_parser.add_argument(
        "--trivial",
        choices=[*TRIVIAL_TITLES],
        action="append",
        default=[],
        help="a trivial row beside the chunkers; may be repeated",
    )
    answers_parser.add_argument(
        "--keep", metavar="FILE", help="keep the model's answers there; the same command asks none of them again"
    )
    answers_parser.add_argument(
        "--continue",
        dest="goes_on",
        action="store_true",
        help=f"continue asking although {NEARLY_ALL_UNUSABLE} of the first {FIRST_ANSWERS} answers could not be used",
    )
    add_spending_option(answers_parser, "asking and judging")
    answers_parser.add_argument("--json", action="store_true", help="JSON lines, with every prompt and every word")
    add_column_options(answers_parser)
    answers_parser.set_defaults(run=run_answers)


def run_answers(options: argparse.Namespace) -> None:
    """Have a model answer the questions from each chunker's chunks, and print the answers as CSV or JSON lines."""
    if options.not_judged and options.judge:
        raise InputError("--judge and --not-judged must not be given together; leave one out.")
    spending_limit = parse_spending_limit(options.spend)
    if options.budget is not None and options.budget < 1:
        raise InputError(f"--budget must be a whole number of tokens of at least 1; got {options.budget:,}.")
    chunkers_with_shared_settings = columns_of_options(options)
    language_model_access = as_asking(
        options.language_model, spending_limit, warn_of_unusable_answers if options.goes_on else _stop_if_answers_unusable
    )
    if options.keep:
        language_model_access = language_model_access.with_answers(AnswerCache(Path(options.keep)))
    try:
        _answer_questions(options, language_model_access, chunkers_with_shared_settings)
    finally:
        print_to_stderr(f"{language_model_access.model.name}: {language_model_access.summary}.")


def _stop_if_answers_unusable(message: str, unusable: int) -> None:
    """Print a sentence on the first answers; raise ModelError if nearly all of them are unusable."""
    if unusable >= NEARLY_ALL_UNUSABLE:
        raise ModelError(f"{message} Add --continue to go on anyway, and --keep FILE so that no question is asked twice.")
    print_to_stderr(message)


def _answer_questions(options: argparse.Namespace, asking: Asking, columns: Columns) -> None:
    chunkers, sentence_splitter_name, embedder, tokenizer = columns
    judge_model_access = None if options.not_judged else asking
    if options.judge:
        judge_model_access = asking.with_model(ChatServer(options.judge))
    file_questions = questions_of_file(file_bytes(options.questions), Path(options.questions).name)
    for problem in file_questions.problems:
        print_to_stderr(problem)
    if not file_questions.usable:
        raise InputError(
            f"{options.questions}: the file must contain at least one usable question; it contains none. Correct its rows."
        )
    document_name = "standard input" if options.file == "-" else Path(options.file).name
    file_text = document_reader(options.encoding)(file_bytes(options.file, document_name), document_name)
    document = Document.from_text(file_text.text, sentence_splitter_name, document_name, file_text.parts)
    passage_budget = budget_for_text_length(len(document.text)) if options.budget is None else options.budget
    embedding_cache = EmbeddingCache()
    tools = Tools(embedder, tokenizer, embedding_cache, watcher=preparation_watcher(embedder), asking=asking)
    tokenizer.load()
    document_token_ruler = TokenRuler(document.text, tokenizer)
    usable_questions = [item.question for item in file_questions.usable]
    passages_by_row_number: dict[int, GatheredPassages] = {}
    for row_number, chunker in enumerate(chunkers):
        passages_by_row_number[row_number] = gather_passages(
            run(chunker, document, tools),
            usable_questions,
            passage_budget,
            Tools(embedder, tokenizer, embedding_cache),
            document_token_ruler,
        )

    typical_chunk_count = round(median(own.chunks for own in passages_by_row_number.values()))
    trivial_row_names = [*dict.fromkeys(options.trivial)]
    for row_number, trivial_row_name in enumerate(trivial_row_names, start=len(chunkers)):
        passages_by_row_number[row_number] = gather_trivial_row_passages(
            trivial_row_name,
            document,
            file_questions.usable,
            passage_budget,
            typical_chunk_count,
            Tools(embedder, tokenizer, embedding_cache),
            document_token_ruler,
        )

    def cosines_with_others(text: str, others: Sequence[str]) -> FloatArray:
        compared_text_vectors = Tools(embedder.for_document(document), tokenizer, embedding_cache).embed([text, *others])
        return np.asarray(compared_text_vectors[1:] @ compared_text_vectors[0], dtype=float)

    answer_results: dict[tuple[int, int], AnswerResult] = {}
    chunker_and_trivial_titles = [chunker.title for chunker in chunkers] + [
        TRIVIAL_TITLES[name] for name in trivial_row_names
    ]
    numbered_row_titles = [f"{number}. {title}" for number, title in enumerate(chunker_and_trivial_titles, start=1)]
    try:
        answering_services = Services(asking, judge_model_access, cosines_with_others, tokenizer.count)
        answer_all_questions(
            file_questions.usable, passages_by_row_number, answering_services, answer_results.__setitem__, lambda _: None
        )
    finally:
        # What was answered and paid for is printed, however it ends.
        sys.stdout.write((answers_to_json_lines if options.json else answers_to_csv)(numbered_row_titles, answer_results))
    answer_report = AnswerReport(
        numbered_row_titles, len(usable_questions), answer_results, row_numbers_of_controls(trivial_row_names, len(chunkers))
    )
    for measure in answer_report.measured:
        print_to_stderr(answer_report.verdict(measure))
    for measure_validity_sentence in answer_report.measure_validity_sentences():
        print_to_stderr(measure_validity_sentence)
    for cost_row in cost_table(answer_report, passages_by_row_number, asking.model):
        cost_phrases = [
            f"{name} {'unknown' if value is None else value}" for name, value in cost_row.items() if name != "chunker"
        ]
        print_to_stderr(f"{cost_row['chunker']}: {', '.join(cost_phrases)}")
