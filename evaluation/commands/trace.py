"""The command line's ``trace``: which stage of somebody's own retrieval lost the answer."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from chunkers import Document, InputError, Recipe
from chunkers.commands.arguments import (
    ChunkerSpec,
    Parser,
    add_chunker,
    add_device,
    add_encoding,
    add_replaced_options,
    document_reader,
    end_progress,
    file_bytes,
    load_command_tools,
    named_files,
    parse_chunker_spec,
    print_to_stderr,
    progress_callback,
)
from chunkers.contract import run
from chunkers.found_again import Place, read_chunks
from chunkers.support import pluralize
from evaluation.questions import Corpus, read_questions
from evaluation.traces.lost_stages import STAGES, Diagnosis, SearchedChunks, TraceDiagnoser
from evaluation.traces.report import TraceReport, report_as_json, report_as_text
from evaluation.traces.trace_files import read_traces


def add_trace(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``trace`` command to an argument parser."""
    stages = "\n".join(f"  {name:<22}{meaning}" for name, meaning in STAGES.items())
    command = commands.add_parser(
        "trace",
        help="which stage of your own retrieval lost the answer, from its traces",
        description="Find every retrieved text of a trace in its document, and for each failed question the stage that lost "
        "the answer.",
        epilog=f"stages:\n{stages}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "file",
        metavar="FILE",
        help="traces: spans of OpenInference (Phoenix) or OpenTelemetry, a Langfuse export, a ragas data set, or JSON lines "
        "with a question and what was retrieved",
    )
    command.add_argument(
        "--documents",
        nargs="+",
        metavar="PATH",
        help="the documents that were searched, or folders of them; without them, --chunker chunks:FILE has the texts",
    )
    add_chunker(command, chunks=True)
    add_replaced_options(command, "--chunks")
    command.add_argument(
        "--questions", metavar="FILE", help="questions with excerpts, for traces that do not say where the answer stands"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object with every question and every place")
    add_device(command)
    add_encoding(command)
    command.set_defaults(run=run_trace)


def run_trace(options: argparse.Namespace) -> None:
    """Diagnose the questions of a file of traces, and print the report; after an interruption, of the questions so far."""
    traces = read_traces(file_bytes(options.file), Path(options.file).name)
    for problem in traces.problems:
        print_to_stderr(problem)
    spec = None if options.chunker is None else parse_chunker_spec(options.chunker, chunks=True)
    documents, searched = _documents_and_chunks(options, spec)
    diagnoser = TraceDiagnoser(documents, traces.questions, searched, _excerpts_by_question(options.questions, documents))
    diagnoses: list[Diagnosis] = []
    problems = list(traces.problems)
    interruption = _diagnose(diagnoser, len(traces.questions), diagnoses)
    end_progress()
    if interruption is not None:
        if not diagnoses:
            raise interruption
        problems.append(f"Stopped: the report has {len(diagnoses):,} of {pluralize(len(traces.questions), 'question')}.")
        print_to_stderr(problems[-1])
    if diagnoser.remark:
        print_to_stderr(diagnoser.remark)
    report = TraceReport(documents, diagnoses, diagnoser.remark, problems)
    if options.json:
        print(json.dumps(report_as_json(report), ensure_ascii=False, allow_nan=False), flush=True)
    else:
        print(report_as_text(report), end="", flush=True)
    if interruption is not None:
        raise interruption


def _diagnose(tracing: TraceDiagnoser, count: int, diagnoses: list[Diagnosis]) -> KeyboardInterrupt | None:
    """Add the diagnoses to a list, with progress on the terminal; return an interruption.

    Questions that are located when the user interrupts are diagnosed; a second interruption ends that too.
    """
    stopping_interruption = None
    try:
        tracing.locate(progress_callback("Retrieved texts located: ", "questions"))
    except KeyboardInterrupt as interruption:
        stopping_interruption = interruption
    try:
        progress = progress_callback("Answers looked for: ", "questions")
        for diagnosis in tracing.diagnoses():
            diagnoses.append(diagnosis)
            progress(len(diagnoses), count)
    except KeyboardInterrupt as interruption:
        stopping_interruption = interruption
    return stopping_interruption


def _read_documents(options: argparse.Namespace, recipe: Recipe | None) -> list[Document]:
    """Read the documents; unreadable ones are reported and left out."""
    read = document_reader(options.encoding)
    splitter = recipe.sentences if recipe is not None else Recipe(chunker="recursive").sentences
    documents = []
    for path, name in named_files(options.documents):
        try:
            file_text = read(file_bytes(path, name), name)
            documents.append(Document.from_text(file_text.text, splitter, name, file_text.parts))
        except InputError as error:
            print_to_stderr(f"{error} The document is left out.")
    if not documents:
        raise InputError("--documents must name at least one readable document; none is.")
    return documents


def _documents_and_chunks(
    options: argparse.Namespace, spec: ChunkerSpec | None
) -> tuple[list[Document], SearchedChunks | None]:
    """Return the documents, and the chunks that were searched: from a file, or cut again."""
    if options.documents is None:
        if spec is None or spec.file is None or not spec.has_chunks:
            raise InputError(
                "A trace needs the documents that were searched (--documents PATH) or a file of their chunks (--chunker "
                "chunks:FILE); neither is given."
            )
        if options.questions is not None:
            raise InputError("--questions needs the documents in which its excerpts stand. Add --documents PATH.")
        chunks = read_chunks(file_bytes(str(spec.file)), spec.file.name)
        return SearchedChunks.without_documents(chunks, spec.file.name, Recipe(chunker="recursive").sentences)
    documents = _read_documents(options, None if spec is None else spec.recipe)
    if spec is None:
        return documents, None
    if spec.file is not None and spec.has_chunks:
        chunks = read_chunks(file_bytes(str(spec.file)), spec.file.name)
        return documents, SearchedChunks.from_file(documents, chunks, spec.file.name)
    return documents, _rechunk(options, spec, documents)


def _rechunk(options: argparse.Namespace, spec: ChunkerSpec, documents: Sequence[Document]) -> SearchedChunks:
    chunker = spec.build()
    recipe = spec.recipe_like(Recipe(chunker=chunker.name), chunker)
    if chunker.asks:
        raise InputError(
            f"{chunker.name} asks a language model, which may cut otherwise each time. Give its chunks, as chunks:FILE."
        )
    tools = load_command_tools(recipe.embedder, recipe.tokenizer, options.device)
    return SearchedChunks(tuple([run(chunker, document, tools) for document in documents]), chunker.name, has_reasons=True)


def _excerpts_by_question(file: str | None, documents: Sequence[Document]) -> dict[str, list[Place]]:
    """Return the places of the excerpts of a file of questions, by question."""
    if file is None:
        return {}
    questions = read_questions(file_bytes(file), Path(file).name, Corpus(tuple(documents)))
    for sentence in (*questions.problems, *questions.changes):
        print_to_stderr(sentence)
    return {
        question.text: [Place(*excerpt) for excerpt in question.excerpts]
        for question in questions.require_usable(Path(file).name)
    }
