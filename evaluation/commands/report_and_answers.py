"""The commands that compare several chunkers on one document: ``report`` as HTML, and ``answers`` by a language model."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from chunkers import Chunker, Document, InputError, ModelError, Recipe, Tools, run_chunker
from chunkers.commands.shared_command_parts import (
    Parser,
    add_chunker_option,
    add_device_option,
    add_encoding_option,
    add_language_model_options,
    add_refused_old_options,
    add_setting_options,
    document_reader,
    load_shared_embedder_and_tokenizer,
    open_language_model,
    parse_all_chunker_specs,
    print_to_stderr,
    read_file_bytes,
    report_spending_at_end,
    shared_setting,
    warn_of_unusable_answers,
    write_output,
)
from chunkers.language_models import (
    LEAST_UNUSABLE_TO_STOP,
    USABILITY_CHECKED_ANSWER_COUNT,
    AnswerCache,
    Asking,
    ChatServer,
    as_language_model_access,
)
from chunkers.recipes import MODEL_ASKING_CLASS_BY_NAME
from chunkers.results import MOST_SIDE_BY_SIDE
from chunkers.support import FloatArray
from chunkers.text import FileText
from evaluation.answering import (
    TRIVIAL_BASELINE_TITLES,
    AnswerReport,
    AnswerResult,
    Services,
    answer_judge_and_store_all,
    answers_to_csv,
    answers_to_json_lines,
    chunking_and_answering_cost_table,
    gather_passages_for_each_question,
    gather_trivial_baseline_passages,
    questions_of_file,
    row_number_by_control_baseline,
)
from evaluation.questions import TokenRuler
from evaluation.report.html_page import ComparedColumns, html_report
from evaluation.retrieval.asked_question import budget_for_text_length
from evaluation.segmentation import BoundaryFile, sentence_vectors, separate_text_from_boundary_marks


class Columns(NamedTuple):
    """Chunkers to compare, with the sentence splitter and the tools that they share."""

    chunkers: list[Chunker]
    recipes: list[Recipe | None]
    sentences: str
    tools: Tools


def _add_comparison_options(command_parser: argparse.ArgumentParser) -> None:
    """Add the options that name the document, the chunkers to compare and their shared settings to an argument parser."""
    command_parser.add_argument("file", metavar="FILE", help="a document, or - for standard input")
    add_chunker_option(command_parser, several=True)
    add_setting_options(command_parser, "sentences", "embedder", "tokenizer")
    add_device_option(command_parser)
    add_encoding_option(command_parser)


def _chunkers_splitter_and_tools(options: argparse.Namespace) -> Columns:
    """Return the chunkers named by command-line options. Raise InputError for none, too many or conflicting recipes."""
    chunker_specs = parse_all_chunker_specs(options, most=MOST_SIDE_BY_SIDE)
    tools = load_shared_embedder_and_tokenizer(options, chunker_specs)
    return Columns(
        [spec.build(tools.embedder) for spec in chunker_specs],
        [spec.recipe for spec in chunker_specs],
        shared_setting(options, "sentences", chunker_specs),
        tools,
    )


def _read_document_name_and_text(options: argparse.Namespace) -> tuple[str, FileText]:
    """Return the name and the text of the document that command-line options name."""
    document_name = "standard input" if options.file == "-" else Path(options.file).name
    return document_name, document_reader(options.encoding)(read_file_bytes(options.file, document_name), document_name)


# The command ``report``.


def add_report_command(command_subparsers: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``report`` command to an argument parser."""
    report_parser = command_subparsers.add_parser(
        "report",
        help="a comparison as one file of HTML",
        description="Text, chunks, curves, measures and verdicts in one file, which opens offline and can be sent.",
    )
    _add_comparison_options(report_parser)
    add_language_model_options(
        report_parser,
        f"for {', '.join(MODEL_ASKING_CLASS_BY_NAME)}",
        " (default: the recipe's)",
        token_use_phrase="asking for a chunker",
    )
    report_parser.add_argument("--output", metavar="FILE", help="where the report is written (default: standard output)")
    add_refused_old_options(report_parser, "--into")
    report_parser.add_argument("--boundaries", metavar="FILE", help="the known boundaries, as the page exports them")
    report_parser.add_argument(
        "--dashes", action="store_true", help="lines of three dashes are known boundaries, and no text"
    )
    report_parser.set_defaults(run=run_report)


def run_report(options: argparse.Namespace) -> None:
    """Cut the document with every chunker and write an HTML report on the results."""
    chunkers, recipes, sentence_splitter_name, tools = _chunkers_splitter_and_tools(options)
    accesses = [
        open_language_model(options, chunker, "plain", recipe) for chunker, recipe in zip(chunkers, recipes, strict=True)
    ]
    document_name, file_text = _read_document_name_and_text(options)
    text, document_pages_or_chapters, known_boundaries = file_text.text, file_text.parts, None
    if options.dashes and options.boundaries:
        raise InputError(
            "--dashes and --boundaries must not be given together: each defines the known boundaries. Leave one out."
        )
    if options.dashes:
        (text, known_boundaries), document_pages_or_chapters = separate_text_from_boundary_marks(text), None
    elif options.boundaries:
        known_boundaries = BoundaryFile.read_hash_and_boundaries(
            read_file_bytes(options.boundaries)
        ).boundaries_checked_for_text(text)
    document = Document.from_text(text, sentence_splitter_name, document_name, document_pages_or_chapters)
    chunkers_with_chunkings = []
    for chunker, access in zip(chunkers, accesses, strict=True):
        with report_spending_at_end(access, f"{chunker.title}: "):
            chunkers_with_chunkings.append((chunker, run_chunker(chunker, document, replace(tools, asking=access))))
    document_sentence_vectors = sentence_vectors(document, tools) if document.sentences else None
    write_output(
        html_report(
            ComparedColumns(
                document,
                chunkers_with_chunkings,
                known_boundaries,
                tools.embedder,
                tools.tokenizer.name,
                document_sentence_vectors,
            )
        ),
        options.output,
    )


# The command ``answers``.


def add_answers_command(command_subparsers: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``answers`` command to an argument parser."""
    answers_parser = command_subparsers.add_parser(
        "answers",
        help="questions answered from each chunker's chunks by a language model, and judged",
        description="Every question is answered from each chunker's best chunks alone; the answers go to standard output as "
        "CSV, who is ahead and what it took to standard error.",
    )
    _add_comparison_options(answers_parser)
    answers_parser.add_argument(
        "--questions", required=True, metavar="FILE", help="CSV, JSON lines or JSON: question and answer"
    )
    add_language_model_options(
        answers_parser, "answers the questions", is_required=True, token_use_phrase="asking and judging"
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
        choices=[*TRIVIAL_BASELINE_TITLES],
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
        help=(
            f"continue asking although {LEAST_UNUSABLE_TO_STOP} of the first {USABILITY_CHECKED_ANSWER_COUNT} answers "
            "could not be used"
        ),
    )
    answers_parser.add_argument("--json", action="store_true", help="JSON lines, with every prompt and every word")
    answers_parser.set_defaults(run=run_answers)


def run_answers(options: argparse.Namespace) -> None:
    """Have a model answer the questions from each chunker's chunks, and print the answers as CSV or JSON lines."""
    if options.not_judged and options.judge:
        raise InputError("--judge and --not-judged must not be given together; leave one out.")
    if options.budget is not None and options.budget < 1:
        raise InputError(f"--budget must be a whole number of tokens of at least 1; got {options.budget:,}.")
    chunkers_splitter_and_tools = _chunkers_splitter_and_tools(options)
    language_model_access = as_language_model_access(
        options.language_model, options.spend, warn_of_unusable_answers if options.goes_on else _stop_if_answers_unusable
    )
    if options.keep:
        language_model_access = language_model_access.with_answer_cache(AnswerCache(Path(options.keep)))
    with report_spending_at_end(language_model_access):
        _answer_questions_and_print_answers(options, language_model_access, chunkers_splitter_and_tools)


def _stop_if_answers_unusable(warning_sentence: str, unusable_answer_count: int) -> None:
    """Print a sentence on the first answers; raise ModelError if nearly all of them are unusable."""
    if unusable_answer_count >= LEAST_UNUSABLE_TO_STOP:
        raise ModelError(
            f"{warning_sentence} Add --continue to go on anyway, and --keep FILE so that no question is asked twice."
        )
    print_to_stderr(warning_sentence)


def _answer_questions_and_print_answers(
    options: argparse.Namespace, language_model_access: Asking, chunkers_splitter_and_tools: Columns
) -> None:
    chunkers, _, sentence_splitter_name, tools = chunkers_splitter_and_tools
    embedder, tokenizer, embedding_cache = tools.embedder, tools.tokenizer, tools.cache
    answer_judge = language_model_access.with_model(ChatServer(options.judge)) if options.judge else language_model_access
    file_questions = questions_of_file(read_file_bytes(options.questions), Path(options.questions).name)
    for question_problem_sentence in file_questions.problems:
        print_to_stderr(question_problem_sentence)
    if not file_questions.usable:
        raise InputError(
            f"{options.questions}: the file must contain at least one usable question; it contains none. Correct its rows."
        )
    document_name, file_text = _read_document_name_and_text(options)
    document = Document.from_text(file_text.text, sentence_splitter_name, document_name, file_text.parts)
    passage_token_budget = budget_for_text_length(len(document.text)) if options.budget is None else options.budget
    tools.asking = language_model_access
    tokenizer.ensure_loaded()
    document_token_ruler = TokenRuler(document.text, tokenizer)
    usable_questions = [item.question for item in file_questions.usable]
    passages_by_chunker_or_baseline = {
        chunker_number: gather_passages_for_each_question(
            run_chunker(chunker, document, tools),
            usable_questions,
            passage_token_budget,
            Tools(embedder, tokenizer, embedding_cache),
            document_token_ruler,
        )
        for chunker_number, chunker in enumerate(chunkers)
    }

    chunkers_median_chunk_count = round(median(own.chunks for own in passages_by_chunker_or_baseline.values()))
    trivial_baseline_names = [*dict.fromkeys(options.trivial)]
    for chunker_or_baseline_number, trivial_baseline_name in enumerate(trivial_baseline_names, start=len(chunkers)):
        passages_by_chunker_or_baseline[chunker_or_baseline_number] = gather_trivial_baseline_passages(
            trivial_baseline_name,
            document,
            file_questions.usable,
            passage_token_budget,
            chunkers_median_chunk_count,
            Tools(embedder, tokenizer, embedding_cache),
            document_token_ruler,
        )

    embedder_adapted_to_document = embedder and embedder.for_document(document)

    def cosines_of_text_with_others(text: str, others: Sequence[str]) -> FloatArray:
        compared_text_vectors = Tools(embedder_adapted_to_document, tokenizer, embedding_cache).embed([text, *others])
        return np.asarray(compared_text_vectors[1:] @ compared_text_vectors[0], dtype=float)

    answer_results: dict[tuple[int, int], AnswerResult] = {}
    row_titles = (
        *(chunker.title for chunker in chunkers),
        *(TRIVIAL_BASELINE_TITLES[name] for name in trivial_baseline_names),
    )
    numbered_row_titles = [f"{number}. {title}" for number, title in enumerate(row_titles, start=1)]
    try:
        answering_services = Services(
            language_model_access,
            None if options.not_judged else answer_judge,
            cosines_of_text_with_others,
            tokenizer.count,
        )
        answer_judge_and_store_all(
            file_questions.usable,
            passages_by_chunker_or_baseline,
            answering_services,
            answer_results.__setitem__,
            lambda _: None,
        )
    finally:
        # What was answered and paid for is printed, however it ends.
        sys.stdout.write((answers_to_json_lines if options.json else answers_to_csv)(numbered_row_titles, answer_results))
    answer_report = AnswerReport(
        numbered_row_titles,
        len(usable_questions),
        answer_results,
        row_number_by_control_baseline(trivial_baseline_names, len(chunkers)),
    )
    for measure in answer_report.measure_names_with_values:
        print_to_stderr(answer_report.verdict(measure))
    for measure_validity_sentence in answer_report.right_wrong_separation_sentences():
        print_to_stderr(measure_validity_sentence)
    for cost_row in chunking_and_answering_cost_table(
        answer_report, passages_by_chunker_or_baseline, language_model_access.model
    ):
        cost_phrases = [
            f"{name} {'unknown' if value is None else value}" for name, value in cost_row.items() if name != "chunker"
        ]
        print_to_stderr(f"{cost_row['chunker']}: {', '.join(cost_phrases)}")
