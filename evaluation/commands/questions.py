"""The command line's ``questions``: have a language model ask about documents, into a file that ``retrieval`` reads."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from chunkers import InputError, Tools
from chunkers.commands.shared_command_parts import (
    Parser,
    add_device_option,
    add_document_arguments,
    add_language_model_options,
    add_setting_options,
    end_progress_line,
    load_embedder_and_tokenizer_tools,
    print_to_stderr,
    progress_callback,
    read_usable_texts,
    warn_of_unusable_answers,
    write_output,
)
from chunkers.language_models import as_language_model_access
from chunkers.support import pluralize, short_repr
from evaluation.generating.generated_questions import (
    LEAST_EXCERPT_COSINE,
    MOST_QUESTION_COSINE,
    SourceTexts,
    compute_cosines_of_questions,
    decide_kept_questions,
    generated_questions_to_csv,
)
from evaluation.generating.question_generation import (
    DEFAULT_WINDOW_CHARACTERS,
    Dropped,
    Generated,
    GenerationSettings,
    WindowResult,
    estimate_generation_requests_and_tokens,
    generate_and_pass_on_questions,
)


def add_questions_command(command_subparsers: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``questions`` command to an argument parser."""
    questions_parser = command_subparsers.add_parser(
        "questions",
        help="have a language model ask questions about documents, with the excerpts that answer them",
        description="Windows of the documents are sent to the server at OPENAI_BASE_URL, a few at a time. Every excerpt "
        "stands in its document; left out are questions with excerpts that are not about them, and those like an earlier "
        "one. What was asked before an interruption or an error is written too.",
    )
    add_document_arguments(questions_parser)
    add_language_model_options(questions_parser, "asks the questions", is_required=True)
    questions_parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="the CSV file that is written")
    questions_parser.add_argument(
        "--count", type=int, default=20, metavar="N", help="questions to ask for (default: %(default)s)"
    )
    questions_parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="chooses the windows (default: %(default)s)"
    )
    questions_parser.add_argument(
        "--window",
        type=int,
        default=DEFAULT_WINDOW_CHARACTERS,
        metavar="N",
        help="characters that a question is about (default: %(default)s)",
    )
    questions_parser.add_argument(
        "--lowest",
        type=float,
        default=LEAST_EXCERPT_COSINE,
        metavar="COSINE",
        help="the least cosine of a question and each of its excerpts (default: %(default)s)",
    )
    questions_parser.add_argument(
        "--highest",
        type=float,
        default=MOST_QUESTION_COSINE,
        metavar="COSINE",
        help="the highest cosine of a question and an earlier one (default: %(default)s)",
    )
    add_setting_options(questions_parser, "embedder", default_help_template=None)
    add_device_option(questions_parser)
    questions_parser.set_defaults(run=run_questions)


def run_questions(options: argparse.Namespace) -> None:
    """Generate, filter and write questions; after an error, write the questions finished so far."""
    question_generation_settings = GenerationSettings(options.count, options.seed, options.window)
    for option_name, cosine_limit in (("--lowest", options.lowest), ("--highest", options.highest)):
        if not -1 <= cosine_limit <= 1:
            raise InputError(f"{option_name} must be a cosine, from -1 to 1; got {cosine_limit:g}.")
    language_model_access = as_language_model_access(options.language_model, options.spend, warn_of_unusable_answers)
    tools = load_embedder_and_tokenizer_tools(options.embedder, device=options.device)
    _check_output_writable(options.output)
    text_by_name = read_usable_texts(options.files, options.encoding)
    readable_source_texts = SourceTexts(tuple(text_by_name), tuple(file_text.text for file_text in text_by_name.values()))
    generation_estimate = estimate_generation_requests_and_tokens(
        readable_source_texts.texts, question_generation_settings, tools.tokenizer
    )
    model_server_destination = language_model_access.model.destination or "this process"
    probe_request_count, probe_token_count = language_model_access.expected_probe_requests_and_tokens
    estimated_tokens_and_requests_phrase = (
        f"{pluralize(generation_estimate.tokens + probe_token_count, 'token')} in "
        f"{pluralize(generation_estimate.requests + probe_request_count, 'request')}"
    )
    print_to_stderr(
        f"Sending windows of the documents to {model_server_destination}: about {estimated_tokens_and_requests_phrase}."
    )
    window_outcomes: list[WindowResult] = []
    passages_progress_callback = progress_callback("", "passages done")

    def collect_outcome_and_show_progress(outcome: WindowResult) -> None:
        window_outcomes.append(outcome)
        passages_progress_callback(len(window_outcomes), question_generation_settings.count)

    stopping_error: BaseException | None = None
    try:
        generate_and_pass_on_questions(
            readable_source_texts.texts,
            question_generation_settings,
            language_model_access.ask,
            collect_outcome_and_show_progress,
            report_answer_usability=language_model_access.report_usability,
        )
    except (InputError, KeyboardInterrupt) as error:
        stopping_error = error
    end_progress_line()
    print_to_stderr(f"{language_model_access.model.name}: {language_model_access.summary}.")
    if window_outcomes or stopping_error is None:
        _filter_and_write_questions(window_outcomes, readable_source_texts, tools, options)
    if stopping_error is not None:
        raise stopping_error


def _filter_and_write_questions(
    window_outcomes: Sequence[WindowResult], source_texts: SourceTexts, tools: Tools, options: argparse.Namespace
) -> None:
    """Filter the questions and write the rest; raises InputError if none is left."""
    generated_questions = [outcome for outcome in window_outcomes if isinstance(outcome, Generated)]
    for window_outcome in window_outcomes:
        if isinstance(window_outcome, Dropped):
            window_start, window_end = window_outcome.window.span
            print_to_stderr(
                f"{source_texts.names[window_outcome.window.document]}, {window_start:,} to {window_end:,}: no question "
                "that can "
                "be used, as "
                f"{window_outcome.why} in the last answer."
            )
    if not generated_questions:
        raise InputError(
            f"{options.output}: the model generated no usable question from {pluralize(len(window_outcomes), 'passage')}, "
            "so no "
            "file is written. Choose another model or other documents."
        )
    filter_result = decide_kept_questions(
        compute_cosines_of_questions(generated_questions, source_texts.corpus(), tools),
        options.lowest,
        options.highest,
    )
    kept_questions = [question for question, keep in zip(generated_questions, filter_result.kept, strict=True) if keep]
    unrelated_question_count = int((filter_result.excerpts < options.lowest).sum())
    if not kept_questions:
        raise InputError(
            f"{options.output}: no question passes the filters: of {len(generated_questions):,}, --lowest "
            f"{options.lowest:g} removes "
            f"{unrelated_question_count:,} and --highest {options.highest:g} removes "
            f"{len(generated_questions) - unrelated_question_count:,}. "
            "Lower --lowest or raise --highest."
        )
    write_output(generated_questions_to_csv(kept_questions, source_texts), str(options.output))
    repaired_excerpt_count = sum(question.repaired for question in kept_questions)
    print(
        f"{options.output}: {pluralize(len(kept_questions), 'question')} of {len(window_outcomes):,}; left out are "
        f"{len(window_outcomes) - len(generated_questions):,} that cannot be used, {unrelated_question_count:,} with "
        "excerpts that "
        f"are not about them, {len(generated_questions) - unrelated_question_count - len(kept_questions):,} like an earlier "
        f"one. {pluralize(repaired_excerpt_count, 'excerpt')} quoted with small changes stand as in the document."
    )


def _check_output_writable(path: Path) -> None:
    """Raise InputError before anything is sent if the file cannot be written."""
    if path.is_dir() or not path.absolute().parent.is_dir() or not os.access(path.absolute().parent, os.W_OK):
        raise InputError(f"--output must be a file in a writable folder; got {short_repr(str(path))}.")
