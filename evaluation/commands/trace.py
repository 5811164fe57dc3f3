"""The command line's ``trace``: which stage of somebody's own retrieval lost the answer."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from chunkers import DEFAULT_SPLITTER, Document, InputError
from chunkers.commands.shared_command_parts import (
    ChunkerSpec,
    Parser,
    SeveralValues,
    add_chunker_option,
    add_device_option,
    add_encoding_option,
    add_refused_old_options,
    end_progress_line,
    load_embedder_and_tokenizer_tools,
    parse_all_chunker_specs,
    print_json,
    print_to_stderr,
    progress_callback,
    read_file_bytes,
    read_usable_texts,
)
from chunkers.contract import run_and_time_chunker
from chunkers.found_again import Place, read_given_chunks
from chunkers.support import pluralize
from evaluation.questions import Corpus, read_questions
from evaluation.traces.answer_loss_stages import MEANING_BY_STAGE, Diagnosis, SearchedChunks, TraceDiagnoser
from evaluation.traces.report import TraceReport, convert_report_to_json_dict, report_as_text
from evaluation.traces.trace_files import read_traces


def add_trace_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``trace`` command to an argument parser."""
    stage_help_text = "\n".join(f"  {name:<22}{meaning}" for name, meaning in MEANING_BY_STAGE.items())
    trace_parser = commands.add_parser(
        "trace",
        help="which stage of your own retrieval lost the answer, from its traces",
        description="Find every retrieved text of a trace in its document, and for each failed question the stage that lost "
        "the answer.",
        epilog=f"stages:\n{stage_help_text}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    trace_parser.add_argument(
        "file",
        metavar="FILE",
        help="traces: spans of OpenInference (Phoenix) or OpenTelemetry, a Langfuse export, a ragas data set, or JSON lines "
        "with a question and what was retrieved",
    )
    trace_parser.add_argument(
        "--documents",
        nargs="+",
        action=SeveralValues,
        const=lambda word: Path(word).suffix.lower() in {".json", ".jsonl", ".ndjson"},
        metavar="PATH",
        help="the documents that were searched, or folders of them; without them, --chunker chunks:FILE has the texts",
    )
    add_chunker_option(trace_parser)
    add_refused_old_options(trace_parser, "--chunks")
    trace_parser.add_argument(
        "--questions", metavar="FILE", help="questions with excerpts, for traces that do not say where the answer stands"
    )
    trace_parser.add_argument(
        "--json", action="store_true", help="print one JSON object with every question and every place"
    )
    add_device_option(trace_parser)
    add_encoding_option(trace_parser)
    trace_parser.set_defaults(run=run_trace)


def run_trace(options: argparse.Namespace) -> None:
    """Diagnose the questions of a file of traces, and print the report; after an interruption, of the questions so far."""
    parsed_trace_file = read_traces(read_file_bytes(options.file), Path(options.file).name)
    for trace_file_problem in parsed_trace_file.problems:
        print_to_stderr(trace_file_problem)
    parsed_chunker_spec = parse_all_chunker_specs(options)[0] if options.chunker else None
    documents, searched_chunks = _documents_and_chunks(options, parsed_chunker_spec)
    question_diagnoser = TraceDiagnoser(
        documents, parsed_trace_file.questions, searched_chunks, _excerpts_by_question(options.questions, documents)
    )
    diagnoses: list[Diagnosis] = []
    trace_problem_sentences = list(parsed_trace_file.problems)
    diagnosis_interruption = _add_diagnoses_until_interruption(
        question_diagnoser, len(parsed_trace_file.questions), diagnoses
    )
    end_progress_line()
    if diagnosis_interruption is not None:
        if not diagnoses:
            raise diagnosis_interruption
        trace_problem_sentences.append(
            f"Stopped: the report has {len(diagnoses):,} of {pluralize(len(parsed_trace_file.questions), 'question')}."
        )
        print_to_stderr(trace_problem_sentences[-1])
    if question_diagnoser.documents_and_chunks_remark:
        print_to_stderr(question_diagnoser.documents_and_chunks_remark)
    trace_diagnosis_report = TraceReport(
        documents, diagnoses, question_diagnoser.documents_and_chunks_remark, trace_problem_sentences
    )
    if options.json:
        print_json(convert_report_to_json_dict(trace_diagnosis_report))
    else:
        print(report_as_text(trace_diagnosis_report), end="", flush=True)
    if diagnosis_interruption is not None:
        raise diagnosis_interruption


def _add_diagnoses_until_interruption(
    question_diagnoser: TraceDiagnoser, question_count: int, diagnoses: list[Diagnosis]
) -> KeyboardInterrupt | None:
    """Add the diagnoses to a list, with progress on the terminal; return an interruption.

    Questions that are located when the user interrupts are diagnosed; a second interruption ends that too.
    """
    user_interruption = None
    try:
        question_diagnoser.locate_retrieved_texts(progress_callback("Retrieved texts located: ", "questions"))
    except KeyboardInterrupt as interruption:
        user_interruption = interruption
    try:
        diagnosing_progress_callback = progress_callback("Answers looked for: ", "questions")
        for diagnosis in question_diagnoser.question_diagnoses():
            diagnoses.append(diagnosis)
            diagnosing_progress_callback(len(diagnoses), question_count)
    except KeyboardInterrupt as interruption:
        user_interruption = interruption
    return user_interruption


def _documents_and_chunks(
    options: argparse.Namespace, parsed_chunker_spec: ChunkerSpec | None
) -> tuple[list[Document], SearchedChunks | None]:
    """Return the readable documents, and the chunks that were searched: from a file, or cut again."""
    if options.documents is None:
        if (
            parsed_chunker_spec is None
            or parsed_chunker_spec.file is None
            or not parsed_chunker_spec.is_file_given_as_chunker
        ):
            raise InputError(
                "A trace needs the documents that were searched (--documents PATH) or a file of their chunks (--chunker "
                "chunks:FILE); neither is given."
            )
        if options.questions is not None:
            raise InputError("--questions needs the documents in which its excerpts stand. Add --documents PATH.")
        chunks_of_file = read_given_chunks(read_file_bytes(str(parsed_chunker_spec.file)), parsed_chunker_spec.file.name)
        return SearchedChunks.rebuild_documents_from_chunks(chunks_of_file, parsed_chunker_spec.file.name, DEFAULT_SPLITTER)
    recipe = None if parsed_chunker_spec is None else parsed_chunker_spec.recipe
    searched_documents = [
        Document.from_text(file_text.text, recipe.sentences if recipe else DEFAULT_SPLITTER, name, file_text.parts)
        for name, file_text in read_usable_texts(options.documents, options.encoding).items()
    ]
    if parsed_chunker_spec is None:
        return searched_documents, None
    if parsed_chunker_spec.file is not None and parsed_chunker_spec.is_file_given_as_chunker:
        chunks_of_file = read_given_chunks(read_file_bytes(str(parsed_chunker_spec.file)), parsed_chunker_spec.file.name)
        return searched_documents, SearchedChunks.from_file(
            searched_documents, chunks_of_file, parsed_chunker_spec.file.name
        )
    return searched_documents, _cut_documents_again(options, parsed_chunker_spec, searched_documents)


def _cut_documents_again(
    options: argparse.Namespace, chunker_spec: ChunkerSpec, documents: Sequence[Document]
) -> SearchedChunks:
    chunker = chunker_spec.build()
    chunker_recipe = chunker_spec.recipe_of(chunker)
    if chunker.asks:
        raise InputError(
            f"{chunker.name} asks a language model, which may cut otherwise each time. Give its chunks, as chunks:FILE."
        )
    embedding_tools = load_embedder_and_tokenizer_tools(chunker_recipe.embedder, chunker_recipe.tokenizer, options.device)
    return SearchedChunks(
        tuple([run_and_time_chunker(chunker, document, embedding_tools) for document in documents]),
        chunker.name,
        has_reasons=True,
    )


def _excerpts_by_question(questions_file: str | None, documents: Sequence[Document]) -> dict[str, list[Place]]:
    """Return the places of the excerpts of a file of questions, by question."""
    if questions_file is None:
        return {}
    questions_of_file = read_questions(read_file_bytes(questions_file), Path(questions_file).name, Corpus(tuple(documents)))
    for problem_or_change_sentence in (*questions_of_file.problems, *questions_of_file.changes):
        print_to_stderr(problem_or_change_sentence)
    return {
        question.text: [Place(*excerpt) for excerpt in question.excerpts]
        for question in questions_of_file.get_usable_questions_or_raise(Path(questions_file).name)
    }
