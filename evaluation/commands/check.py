"""``check``: documents and a recipe against rules, for continuous integration."""

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from chunkers import Document, InputError
from chunkers.commands.shared_command_parts import (
    Parser,
    add_chunker_option,
    add_device_option,
    add_document_arguments,
    add_language_model_options,
    document_reader,
    is_folder,
    load_embedder_and_tokenizer_tools,
    named_files,
    open_language_model,
    parse_all_chunker_specs,
    print_to_stderr,
    printable_file_name,
    read_file_bytes,
    report_spending_at_end,
    write_output,
)
from chunkers.support import pluralize
from chunkers.text import READABLE_ENDINGS
from evaluation.checking.baseline_and_known_problems import (
    TOLERATED_SCORE_LOSS,
    Baseline,
    KnownProblems,
    ScoresByKind,
    documents_and_questions_hash,
    mean_boundary_scores,
    mean_retrieval_scores,
)
from evaluation.checking.problems import (
    BOUNDARIES_RULE,
    CHECK_RULE_BY_NAME,
    OFF_LEVEL,
    PROBLEM_LEVELS,
    RETRIEVAL_RULE,
    Check,
    CheckedDocument,
    Problem,
    parse_severity_levels,
)
from evaluation.checking.report import (
    CheckReport,
    build_check_report_dictionary,
    build_sarif_log_dictionary,
    check_report_as_junit,
    check_report_as_text,
)
from evaluation.commands.sweep_and_stitch import add_marked_document_options
from evaluation.questions import Corpus, Question, read_questions
from evaluation.segmentation import (
    BOUNDARY_FILE_ENDING,
    SIZE_UNITS,
    MarkedDocument,
    SizeBounds,
    message_with_file_name,
    read_marked_texts,
)
from sample_docs import load_sample


def _json_text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


REPORT_FORMATTERS: Mapping[str, Callable[[CheckReport], str]] = {
    "text": check_report_as_text,
    "json": lambda report: _json_text(build_check_report_dictionary(report)),
    "sarif": lambda report: _json_text(build_sarif_log_dictionary(report)),
    "junit": check_report_as_junit,
}
"""The forms of a report."""

_NO_SCORES_MESSAGE = "--write-baseline needs scores, of known boundaries (--marked, --sample) or of --questions."


def add_size_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the sizes that chunks should have; `size_bounds_of_options` returns them."""
    parser.add_argument("--least", type=int, metavar="N", help="the smallest size of a chunk")
    parser.add_argument("--most", type=int, metavar="N", help="the largest; without either, what the chunker is asked for")
    parser.add_argument("--unit", choices=SIZE_UNITS, default="tokens", help="what both count (default: %(default)s)")


def add_check_command(command_subparsers: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``check`` command to an argument parser."""
    rule_list_help_text = "\n".join(f"  {name:<18}{rule.level:<9}{rule.title}" for name, rule in CHECK_RULE_BY_NAME.items())
    check_parser = command_subparsers.add_parser(
        "check",
        help="documents and a recipe against rules, for continuous integration",
        description="Cut documents and say what breaks a rule. The exit status is 0 without an error, 1 with one, and 2 if "
        "something could not be checked.",
        epilog=f"rules, with their levels:\n{rule_list_help_text}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_document_arguments(check_parser, "*")
    add_marked_document_options(check_parser)
    add_chunker_option(check_parser)
    add_size_options(check_parser)
    check_parser.add_argument(
        "--level",
        action="append",
        default=[],
        metavar="RULE=LEVEL",
        help=f"how grave it is to break a rule: {', '.join((*PROBLEM_LEVELS, OFF_LEVEL))}",
    )
    check_parser.add_argument("--questions", metavar="FILE", help="questions on the documents, CSV or JSON lines")
    check_parser.add_argument("--baseline", metavar="FILE", help="the scores that must be reached")
    check_parser.add_argument("--write-baseline", metavar="FILE", help="write the scores reached now into a file")
    check_parser.add_argument(
        "--tolerance",
        type=float,
        default=TOLERATED_SCORE_LOSS,
        metavar="X",
        help="how much worse one may be (default: %(default)s)",
    )
    check_parser.add_argument("--known", metavar="FILE", help="problems that are known, of which nothing is said")
    check_parser.add_argument("--write-known", metavar="FILE", help="write the problems there are now into a file")
    check_parser.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="FORM[=FILE]",
        help=(
            f"{', '.join(REPORT_FORMATTERS)}, on standard output or into a file; may be given several times (default: text)"
        ),
    )
    add_language_model_options(
        check_parser, "for a recipe that asks one, or embeds chunks with a context sentence", " (default: the recipe's)"
    )
    add_device_option(check_parser)
    check_parser.set_defaults(run=run_check)


class _Source(NamedTuple):
    """A document that is to be checked, or the sentence on why it cannot be; and its known boundaries, where it has some."""

    file: str
    document: Document | str
    known: tuple[int, ...] = ()

    @property
    def marked_document(self) -> MarkedDocument | None:
        """The document with its known boundaries; None if it is unreadable or has none."""
        return MarkedDocument(self.document, self.known) if isinstance(self.document, Document) and self.known else None


def run_check(options: argparse.Namespace) -> int:
    """Check all documents, write the requested reports, and return the exit status."""
    report_formats_and_files = [_parse_report_option(text) for text in options.report] or [("text", "")]
    _check_options(options)
    for output_file_path in (options.write_baseline, options.write_known, *(file for _, file in report_formats_and_files)):
        _check_writable(output_file_path)
    (parsed_chunker_spec,) = parse_all_chunker_specs(options)
    chunker = parsed_chunker_spec.build()
    recipe = parsed_chunker_spec.recipe_of(chunker)
    stored_baseline = (
        Baseline.parse_baseline_file(read_file_bytes(options.baseline), options.baseline)
        if options.baseline is not None
        else None
    )
    known_problems = (
        KnownProblems.parse_known_problems(read_file_bytes(options.known), options.known)
        if options.known is not None
        else None
    )
    tools = load_embedder_and_tokenizer_tools(recipe.embedder, recipe.tokenizer, options.device)
    tools.asking = open_language_model(options, chunker, recipe.embedded_as, recipe)
    user_severity_level_by_rule, size_bounds = parse_severity_levels(options.level), size_bounds_of_options(options)
    sources_to_check = _read_sources(options, recipe.sentences)
    readable_documents = [source.document for source in sources_to_check if isinstance(source.document, Document)]
    chunker = chunker.for_documents([document.name for document in readable_documents])
    check_settings = Check(chunker, tools, user_severity_level_by_rule, size_bounds, recipe.embedded_as)
    corpus, questions = _build_corpus_and_read_questions(options.questions, readable_documents)
    texts_with_known_boundaries = [
        source.marked_document for source in sources_to_check if source.marked_document is not None
    ]
    content_hash = documents_and_questions_hash(texts_with_known_boundaries, readable_documents, questions)
    if stored_baseline is not None and stored_baseline.documents != content_hash:
        raise InputError(
            f"{options.baseline}: the baseline must be for the same documents, known boundaries and questions as this "
            "check; it is for others. Write a new one with --write-baseline."
        )
    with report_spending_at_end(tools.asking):
        checked_documents = [_find_problems_in_source(check_settings, source) for source in sources_to_check]
        mean_scores_by_kind = _measure_scores(sources_to_check, checked_documents, corpus, questions, check_settings)
    checked_documents = _apply_or_write_known_problems(checked_documents, known_problems, options)
    are_all_marked_documents_cut = all(
        outcome.chunking is not None
        for source, outcome in zip(sources_to_check, checked_documents, strict=True)
        if source.known
    )
    below_baseline_problems = (
        _build_problem_per_worse_score(
            stored_baseline, mean_scores_by_kind, check_settings, str(parsed_chunker_spec.file or options.baseline), options
        )
        if stored_baseline is not None and are_all_marked_documents_cut
        else []
    )
    active_level_by_rule = {name: level for name in CHECK_RULE_BY_NAME if (level := check_settings.level(name)) is not None}
    check_report = CheckReport(recipe, active_level_by_rule, checked_documents, mean_scores_by_kind, below_baseline_problems)
    for unchecked_sentence_or_remark in (
        *check_report.unchecked_document_sentences,
        *(remark for document in checked_documents for remark in document.remarks),
    ):
        print_to_stderr(unchecked_sentence_or_remark)
    if recipe.embedded_as == "context":
        _print_missing_model_context_counts(checked_documents)
    baseline_file_path = options.baseline or options.write_baseline
    if baseline_file_path and not are_all_marked_documents_cut:
        print_to_stderr(
            f"{baseline_file_path}: a baseline is of all documents with known boundaries; as not all of them were cut, "
            "none is "
            "compared or written."
        )
    elif options.write_baseline:
        _write_score_baseline(options.write_baseline, content_hash, mean_scores_by_kind)
    for report_format, output_file_path in report_formats_and_files:
        write_output(REPORT_FORMATTERS[report_format](check_report), output_file_path)
    return check_report.exit_status


def _apply_or_write_known_problems(
    checked_documents: list[CheckedDocument], known_problems: KnownProblems | None, options: argparse.Namespace
) -> list[CheckedDocument]:
    """Return the documents with their known problems marked, all there are now where these are written."""
    if options.write_known:
        known_problems = KnownProblems.from_checked_documents(checked_documents)
        write_output(known_problems.to_json(), options.write_known)
    elif known_problems is not None and (gone_problem_count := known_problems.count_problems_gone(checked_documents)):
        print_to_stderr(
            f"{options.known}: known problems that are there no more: {gone_problem_count:,}; --write-known writes the "
            "list anew."
        )
    return (
        checked_documents
        if known_problems is None
        else [known_problems.copy_with_known_problems_marked(document) for document in checked_documents]
    )


def _build_problem_per_worse_score(
    baseline: Baseline, scores: ScoresByKind, check_settings: Check, baseline_file_path: str, options: argparse.Namespace
) -> list[Problem]:
    """Return a problem for each score below the baseline."""
    return [
        Problem(kind, level, baseline_file_path, f"Of {kind}, {sentence}")
        for kind, sentence in baseline.worse_score_messages(scores, options.tolerance)
        if (level := check_settings.level(kind)) is not None
    ]


def _write_score_baseline(baseline_file_path: str, content_hash: str, scores: ScoresByKind) -> None:
    if not scores:
        raise InputError(_NO_SCORES_MESSAGE)
    write_output(Baseline(documents=content_hash, scores=scores).to_json_text(), baseline_file_path)


def _print_missing_model_context_counts(checked_documents: Sequence[CheckedDocument]) -> None:
    """Print the number of chunks of each document for which the model gave no usable context."""
    for document in checked_documents:
        chunks_of_document = () if document.chunking is None else document.chunking.chunks
        if chunks_without_context_count := sum(not chunk.situation for chunk in chunks_of_document):
            print_to_stderr(
                f"{document.file}: the model gave no usable context of {chunks_without_context_count:,} of "
                f"{pluralize(len(chunks_of_document), 'chunk')}."
            )


def _check_options(options: argparse.Namespace) -> None:
    if not options.tolerance >= 0:
        raise InputError(f"--tolerance must be 0 or more; got {options.tolerance:g}.")
    if options.baseline and options.write_baseline:
        raise InputError(
            "--baseline and --write-baseline must not be given together: one reads the scores, the other writes them. Leave "
            "one out."
        )
    if options.known and options.write_known:
        raise InputError(
            "--known and --write-known must not be given together: one reads the list, the other writes it. Leave one out."
        )
    if options.write_baseline and not (options.marked or options.sample or options.questions):
        raise InputError(_NO_SCORES_MESSAGE)


def _check_writable(file: str | None) -> None:
    """Raise InputError where a file cannot be written, as far as that can be known without writing it."""
    if not file:
        return
    file_or_parent_folder = file if os.access(file, os.F_OK) else Path(file).parent
    if is_folder(Path(file)) or not os.access(file_or_parent_folder, os.W_OK):
        raise InputError(
            f"{file}: the file must be writable and in an existing folder; it is not. Check its path and permissions."
        )


def _measure_scores(
    sources: Sequence[_Source],
    checked_documents: Sequence[CheckedDocument],
    corpus: Corpus | None,
    questions: Sequence[Question],
    check_settings: Check,
) -> ScoresByKind:
    """Return the scores of the checked documents."""
    mean_scores_by_kind = {}
    marked_texts_with_chunkings = [
        (source.marked_document, outcome.chunking)
        for source, outcome in zip(sources, checked_documents, strict=True)
        if source.marked_document is not None and outcome.chunking is not None
    ]
    if marked_texts_with_chunkings:
        mean_scores_by_kind[BOUNDARIES_RULE] = mean_boundary_scores(marked_texts_with_chunkings)
    if corpus is not None:
        mean_scores_by_kind[RETRIEVAL_RULE] = mean_retrieval_scores(corpus, questions, check_settings)
    return mean_scores_by_kind


def _find_problems_in_source(check_settings: Check, source: _Source) -> CheckedDocument:
    if isinstance(source.document, str):
        return CheckedDocument(source.file, None, complaint=source.document)
    try:
        return check_settings.check_document(source.document, source.file)
    except InputError as error:
        return CheckedDocument(source.file, None, complaint=message_with_file_name(source.file, error))


def _parse_report_option(text: str) -> tuple[str, str]:
    report_format, equals_sign_or_empty, report_file_path = text.partition("=")
    if report_format not in REPORT_FORMATTERS or (equals_sign_or_empty and not report_file_path):
        raise InputError(
            f"--report must be FORMAT or FORMAT=FILE, where FORMAT is one of {', '.join(REPORT_FORMATTERS)}; got {text!r}."
        )
    return report_format, report_file_path


def size_bounds_of_options(options: argparse.Namespace) -> SizeBounds | None:
    """Return the sizes that chunks should have; None without the options. Raise InputError for impossible ones."""
    given_size_limits = [bound for bound in (options.least, options.most) if bound is not None]
    if not given_size_limits:
        return None
    size_bounds_from_options = SizeBounds(options.least, options.most, options.unit)
    if given_size_limits[0] < 0 or given_size_limits != sorted(given_size_limits):
        raise InputError(f"--least must be at least 0 and at most --most; got {size_bounds_from_options.words()}.")
    return size_bounds_from_options


def _read_sources(options: argparse.Namespace, splitter: str) -> list[_Source]:
    """Return everything that is to be checked; raises InputError if there is nothing."""
    sources: list[_Source] = []
    document_reading_function = document_reader(options.encoding)
    for path, document_name in named_files(options.files):
        try:
            file_text = document_reading_function(read_file_bytes(path, document_name), document_name)
            sources.append(
                _Source(
                    printable_file_name(path), Document.from_text(file_text.text, splitter, document_name, file_text.parts)
                )
            )
        except InputError as error:
            sources.append(_Source(printable_file_name(path), message_with_file_name(printable_file_name(path), error)))
    # By their paths, which reports name.
    path_by_name = {
        printable_file_name(path): path for path, _ in named_files(options.marked, (*READABLE_ENDINGS, BOUNDARY_FILE_ENDING))
    }
    marked_texts, unusable_file_complaints = read_marked_texts(
        ((name, read_file_bytes(path)) for name, path in path_by_name.items()), document_reading_function
    )
    sources += [
        _Source(next((path for path in path_by_name if complaint.startswith(path)), "--marked"), complaint)
        for complaint in unusable_file_complaints
    ]
    sources += [
        _Source(marked_text.name, marked_text.split_to_marked_document(splitter).document, marked_text.known)
        for marked_text in marked_texts
    ]
    for sample_document in map(load_sample, options.sample):
        sources.append(
            _Source(
                sample_document.id,
                Document.from_text(sample_document.text, splitter, sample_document.id),
                sample_document.known or (),
            )
        )
    if not sources:
        raise InputError("Name at least one document to check, with FILE, --marked or --sample; none was named.")
    return sources


def _build_corpus_and_read_questions(
    questions_file_path: str | None, readable_documents: Sequence[Document]
) -> tuple[Corpus | None, tuple[Question, ...]]:
    """Return the corpus and its questions; neither without a file."""
    if questions_file_path is None:
        return None, ()
    if not readable_documents:
        raise InputError(
            "--questions needs at least one readable document; none of the named documents is readable. Name other "
            "documents."
        )
    corpus = Corpus(tuple(readable_documents))
    questions_of_corpus = read_questions(read_file_bytes(questions_file_path), Path(questions_file_path).name, corpus)
    for question_problem_sentence in questions_of_corpus.problems:
        print_to_stderr(question_problem_sentence)
    questions_of_corpus.get_usable_questions_or_raise(Path(questions_file_path).name)
    return corpus, tuple(questions_of_corpus.usable)
