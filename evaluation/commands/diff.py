"""The command line's ``diff``: costs of replacing one way to cut documents by another, and the questions won and lost."""

import argparse
import math
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chunkers import CHUNKERS, Document, EmbeddingCache, InputError, ModelError, Recipe, load_tokenizer, run_chunker
from chunkers.commands.shared_command_parts import (
    ChunkerSpec,
    Parser,
    add_chunker_option,
    add_device_option,
    add_encoding_option,
    add_setting_options,
    end_progress_line,
    is_document_argument,
    is_folder,
    load_embedder_and_tokenizer_tools,
    open_language_model,
    parse_chunker_spec,
    print_json,
    print_to_stderr,
    printable_line,
    progress_callback,
    read_file_bytes,
    refuse_positional_chunkers,
    report_spending_at_end,
)
from chunkers.results import EmbeddedAs, embedded_text
from chunkers.support import pluralize, text_table
from chunkers.text import READABLE_ENDINGS, FileText
from evaluation.commands.corpus_documents_and_run_output import (
    TABLE_ENDINGS,
    CorpusRun,
    corpus_document_names,
    is_corpus_run,
    read_corpus_documents,
)
from evaluation.commands.retrieval import (
    MeasuredColumn,
    add_search_options,
    build_chunker_with_recipe,
    build_indexes,
    corpus_of_named_texts,
)
from evaluation.commands.retrieval_output import difference_as_json, read_budgets_from_options
from evaluation.questions import Excerpt, Question, TokenRuler, read_questions
from evaluation.report.measure_table_cells import (
    DOCUMENT_HEAD,
    document_change_row,
    index_change_cells,
    index_change_heads,
    mean_cell,
    terminal_table,
)
from evaluation.retrieval import mean_and_deviation
from evaluation.retrieval.index_changes import (
    ChunkComparison,
    IndexComparison,
    WonAndLost,
    embedding_dollars,
    estimate_embedded_tokens_of_indexing,
    format_dollars,
    question_recalls_by_retrieved_amount,
)

_DIFF_HELP_EPILOG = """\
A chunk is kept if the same document has exactly the same embedded text in A and in B, wherever the text stands. If a
document has a text several times, as many chunks are kept as there are on both sides. Of a document's other chunks, as many
as there are on both sides are changed; the rest are new, or gone. Changed and new chunks must be embedded again, and with
another embedding model all of them. Memory does not grow with the corpus.

--questions says which questions B wins and loses, by the recall of “seamark retrieval”; only documents with an answer
are searched. Runs are cut again for it, by their recipes. With --cache, a command that was stopped goes on where it was.

CORPUS may have JSON lines (.jsonl, .ndjson) and Parquet (.parquet), with a document's text in the column “text” and its
name, as questions give it, in “id”."""


def add_diff_command(command_subparsers: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``diff`` command to an argument parser."""
    command_parser = command_subparsers.add_parser(
        "diff",
        help="what a change of chunkers or settings costs: chunks and tokens to embed again, questions won and lost",
        description="Compare two ways to cut the same documents.",
        epilog=_DIFF_HELP_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command_parser.add_argument(
        "corpus", nargs="*", metavar="CORPUS", help="a folder of documents, or one file; runs need it only for --questions"
    )
    add_chunker_option(
        command_parser,
        several=True,
        help_ending="; here two, A and B that replaces it, which may also be folders of finished “seamark corpus” runs",
        is_document_word=lambda word: (
            is_document_argument(word, (*READABLE_ENDINGS, *TABLE_ENDINGS)) and not is_corpus_run(Path(word))
        ),
    )
    command_parser.add_argument(
        "--price", type=float, metavar="USD", help="dollars for embedding a million tokens; prints what embedding costs"
    )
    command_parser.add_argument(
        "--top", type=int, default=10, metavar="N", help="documents and questions to list (default: 10)"
    )
    command_parser.add_argument(
        "--questions", type=Path, metavar="FILE", help="questions on the documents, as for retrieval"
    )
    add_setting_options(
        command_parser,
        "sentences",
        "embedder",
        "tokenizer",
        default_help_template="for a chunker by its name, the other side's",
    )
    add_search_options(command_parser)
    command_parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_device_option(command_parser)
    add_encoding_option(command_parser)
    command_parser.set_defaults(run=run_diff)


@dataclass(frozen=True)
class _Side:
    """One of the two ways to cut.

    Attributes
    ----------
    column
        The chunker with its recipe.
    embedded_as
        What of each chunk is embedded: as the run or the command line has it, or else the recipe.
    run
        The run whose chunks are read instead of cutting; None for a chunker.
    """

    column: MeasuredColumn
    embedded_as: EmbeddedAs
    run: CorpusRun | None = None

    @property
    def run_embedding_model_identity(self) -> str:
        return "" if self.run is None else self.run.embedding_model_identity


def run_diff(options: argparse.Namespace) -> int:
    """Compare the two sides and print the result; return 1 if a document was left out, otherwise 0."""
    _check_options(options)
    compared_sides = _build_both_sides(options)
    if not options.corpus and (options.questions or any(side.run is None for side in compared_sides)):
        why_documents_are_needed = (
            "--questions needs the documents" if options.questions else "A chunker needs documents to cut"
        )
        raise InputError(f"{why_documents_are_needed}; CORPUS is missing. Name a folder of documents.")
    if any(side.embedded_as == "late" for side in compared_sides):
        print_to_stderr(
            "By late chunking a chunk's vector depends on the text around it: every chunk of B must be embedded again."
        )
    elif not _equal_texts_share_vector(*compared_sides):
        print_to_stderr("The embedding models differ, so that every chunk of B must be embedded again.")
    embedding_cache = EmbeddingCache(options.cache)
    comparison, left_out_document_count = _compare_sides(options, compared_sides, embedding_cache)
    if (
        comparison.total.chunk_count_before
        and comparison.total.chunk_count_after
        and comparison.only_before + comparison.only_after == comparison.documents
    ):
        print_to_stderr("No document is on both sides: documents are matched by their names, or by their ids.")
    comparison_json = _comparison_as_json(options, compared_sides, comparison)
    if not options.json:
        print(_comparison_as_text(options, compared_sides, comparison), flush=True)
    try:
        if options.questions:
            comparison_json["questions"] = _measure_and_print_question_changes(options, compared_sides, embedding_cache)
    finally:
        # What is compared is not lost if the user interrupts the questions, or none is usable.
        if options.json:
            print_json(comparison_json)
    return 1 if left_out_document_count else 0


def _measure_and_print_question_changes(
    options: argparse.Namespace, sides: Sequence[_Side], embedding_cache: EmbeddingCache
) -> dict[str, Any]:
    """Measure the questions won and lost, print them unless JSON is wanted, and return them as JSON has them."""
    try:
        measured_question_changes = QuestionChanges.measure_both_sides(
            options, [side.column for side in sides], embedding_cache
        )
    except KeyboardInterrupt:
        end_progress_line()
        resume_from_cache_phrase = (
            "" if options.cache is None else " What is embedded is in the cache, so that the same command goes on there."
        )
        print_to_stderr(f"The questions are not measured.{resume_from_cache_phrase}")
        raise
    if not options.json:
        print("\n" + measured_question_changes.as_text(options.top))
    return measured_question_changes.as_json()


def _check_options(options: argparse.Namespace) -> None:
    if options.price is not None and not (options.price >= 0 and math.isfinite(options.price)):
        raise InputError(f"--price must be a number of dollars of at least 0; got {options.price:g}.")
    refuse_positional_chunkers(options, options.corpus, 2)
    if len(options.chunker) == len(options.corpus) == 1 and is_corpus_run(Path(options.chunker[0])):
        # A folder behind a run is meant as the other run.
        _find_corpus_run_in_folder(str(options.corpus[0]))
    if len(options.chunker) != 2 or len(options.corpus) > 1:
        raise InputError(
            f"A diff is of two chunkers on one CORPUS; got {len(options.chunker)} and {len(options.corpus)}. Write seamark "
            "diff CORPUS --chunker A B."
        )
    for option_name in ("top", "top_k"):
        if getattr(options, option_name) < 1:
            raise InputError(f"--{option_name.replace('_', '-')} must be at least 1; got {getattr(options, option_name)}.")
    read_budgets_from_options(options)


def _build_both_sides(options: argparse.Namespace) -> tuple[_Side, _Side]:
    """Return the two sides; a chunker by its name, and a file of chunks, are embedded like the other side."""
    corpus_runs_or_chunker_specs = [
        _find_corpus_run_in_folder(written) or parse_chunker_spec(written) for written in options.chunker
    ]
    default_recipe = next(
        (source.recipe for source in corpus_runs_or_chunker_specs if source.recipe is not None), Recipe(chunker="recursive")
    )
    value_by_option = {
        name: value for name in ("sentences", "embedder", "tokenizer") if (value := getattr(options, name)) is not None
    }
    if value_by_option and all(source.recipe is not None for source in corpus_runs_or_chunker_specs):
        raise InputError(
            f"--{next(iter(value_by_option))} works only for a chunker by its name; both sides have a recipe, which names "
            "its own. Leave it out."
        )
    default_recipe = default_recipe.model_copy(update={"versions": {}, **value_by_option})
    side_before, side_after = (
        _build_side(source, default_recipe, options.embedded_as) for source in corpus_runs_or_chunker_specs
    )
    return side_before, side_after


def _find_corpus_run_in_folder(command_line_argument: str) -> CorpusRun | None:
    """Return the finished run in a folder; None if no folder is named, or one that has the name of a chunker."""
    possible_run_folder = Path(command_line_argument)
    if not is_folder(possible_run_folder) or (command_line_argument in CHUNKERS and not is_corpus_run(possible_run_folder)):
        return None
    if not is_corpus_run(possible_run_folder):
        raise InputError(
            f"{command_line_argument}: a folder must be the output of “seamark corpus”; it has no _manifest.jsonl."
        )
    return CorpusRun(possible_run_folder)


def _build_side(run_or_chunker_spec: CorpusRun | ChunkerSpec, base_recipe: Recipe, embedded_as: EmbeddedAs | None) -> _Side:
    if isinstance(run_or_chunker_spec, CorpusRun):
        return _Side(
            MeasuredColumn(str(run_or_chunker_spec.folder), run_or_chunker_spec.recipe, run_or_chunker_spec.recipe.build()),
            run_or_chunker_spec.recipe.embedded_as,
            run_or_chunker_spec,
        )
    built_chunker_and_recipe = build_chunker_with_recipe(run_or_chunker_spec, base_recipe, run_or_chunker_spec.written_form)
    return _Side(built_chunker_and_recipe, embedded_as or built_chunker_and_recipe.recipe.embedded_as)


def _embeds_with_same_model(side_before: _Side, side_after: _Side) -> bool:
    """Return whether both sides are embedded by the same model, in the same revision if runs say which."""
    same_revision = (
        not (side_before.run_embedding_model_identity and side_after.run_embedding_model_identity)
        or side_before.run_embedding_model_identity == side_after.run_embedding_model_identity
    )
    return same_revision and side_before.column.recipe.embedder == side_after.column.recipe.embedder


def _equal_texts_share_vector(side_before: _Side, side_after: _Side) -> bool:
    """Return whether chunks with the same text have the same vector on both sides."""
    return _embeds_with_same_model(side_before, side_after) and "late" not in (
        side_before.embedded_as,
        side_after.embedded_as,
    )


def _compare_sides(
    options: argparse.Namespace, sides: Sequence[_Side], embedding_cache: EmbeddingCache
) -> tuple[IndexComparison, int]:
    """Return the changes, and the number of documents that were left out."""
    left_out_document_count = 0
    try:
        with ChunkComparison(_equal_texts_share_vector(*sides)) as comparison:
            for is_side_after, side in enumerate(sides):
                if side.run is not None:
                    _add_run_chunks(side.run, comparison, bool(is_side_after))
            if any(side.run is None for side in sides):
                with ExitStack() as spending_report_stack:
                    left_out_document_count = _cut_and_add_documents(
                        options, sides, comparison, embedding_cache, spending_report_stack
                    )
            return comparison.index_comparison(options.top), left_out_document_count
    except sqlite3.OperationalError as error:
        raise InputError(
            f"The folder for temporary files must be writable and have room; comparing failed: {error}. Name another "
            "folder in the environment variable TMPDIR."
        ) from error


def _add_run_chunks(run: CorpusRun, comparison: ChunkComparison, is_after: bool) -> None:
    """Add the chunks of a corpus run to the comparison."""
    reading_progress_callback = progress_callback(f"Reading {run.folder}: ", "chunks")
    read_chunk_count = 0
    for document_id, texts_and_token_counts in run.embedded_texts_by_document():
        comparison.add_document_chunks_to_side(document_id, texts_and_token_counts, is_after)
        read_chunk_count += len(texts_and_token_counts)
        reading_progress_callback(read_chunk_count, run.chunk_count)
    end_progress_line()


def _cut_and_add_documents(
    options: argparse.Namespace,
    both_sides: Sequence[_Side],
    comparison: ChunkComparison,
    embedding_cache: EmbeddingCache,
    spending_report_stack: ExitStack,
) -> int:
    """Cut the documents for each side that is no run; return the number of documents that were left out.

    When the stack is closed, it reports what each side has spent on a language model.
    """
    names_of_corpus_documents = [*corpus_document_names(options.corpus[0])]
    cutting_functions_with_sides = [
        (
            _document_cutting_function(options, side, names_of_corpus_documents, embedding_cache, spending_report_stack),
            after,
        )
        for after, side in enumerate(both_sides)
        if side.run is None
    ]
    cutting_progress_callback = progress_callback("Cutting: ", "documents")
    left_out_document_count = 0
    for document_number, (document_name, file_text_or_error) in enumerate(
        read_corpus_documents(options.corpus[0], options.encoding), start=1
    ):
        try:
            if isinstance(file_text_or_error, InputError):
                raise file_text_or_error
            # Both before either is added: a document that one side cannot cut is left out on both.
            chunk_texts_with_side = [
                (chunk_texts(file_text_or_error, document_name), after)
                for chunk_texts, after in cutting_functions_with_sides
            ]
        except ModelError:
            raise
        except InputError as error:
            print_to_stderr(f"{error} The document is left out.")
            left_out_document_count += 1
            continue
        for texts_and_token_counts, is_side_after in chunk_texts_with_side:
            comparison.add_document_chunks_to_side(document_name, texts_and_token_counts, bool(is_side_after))
        cutting_progress_callback(document_number, len(names_of_corpus_documents))
    end_progress_line()
    return left_out_document_count


def _document_cutting_function(
    options: argparse.Namespace,
    side: _Side,
    document_names: Sequence[str],
    embedding_cache: EmbeddingCache,
    spending_report_stack: ExitStack,
) -> Callable[[FileText, str], list[tuple[str, int]]]:
    """Return a function that cuts one of the named documents and returns its chunks' embedded texts and tokens."""
    recipe, embedded_as = side.column.recipe, side.embedded_as
    tools = load_embedder_and_tokenizer_tools(recipe.embedder, recipe.tokenizer, options.device, embedding_cache)
    chunker = side.column.chunker.for_documents(document_names)
    tools.asking = open_language_model(options, chunker, embedded_as, recipe)
    spending_report_stack.enter_context(report_spending_at_end(tools.asking, f"{side.column.name}: "))

    def embedded_texts_with_token_counts(file_text: FileText, name: str) -> list[tuple[str, int]]:
        document = Document.from_text(file_text.text, recipe.sentences, name, file_text.parts)
        chunking = run_chunker(chunker, document, tools, embedded_as)
        embedded_chunk_texts = [embedded_text(document, chunk, embedded_as) for chunk in chunking.chunks]
        return [*zip(embedded_chunk_texts, map(int, tools.tokenizer.count(embedded_chunk_texts)), strict=True)]

    return embedded_texts_with_token_counts


def _comparison_as_json(options: argparse.Namespace, sides: Sequence[_Side], comparison: IndexComparison) -> dict[str, Any]:
    total_index_changes = comparison.total
    before_json, after_json = (
        {"name": side.column.name, "recipe": side.column.recipe.model_dump(), "chunks": count}
        for side, count in zip(
            sides, (total_index_changes.chunk_count_before, total_index_changes.chunk_count_after), strict=True
        )
    )
    reembedding_cost_dollars = embedding_dollars(total_index_changes.tokens_again, options.price)
    return {
        "before": before_json,
        "after": after_json,
        "same_model": _embeds_with_same_model(*sides),
        "documents": comparison.documents,
        "changed_documents": comparison.changed_documents,
        "only_before": comparison.only_before,
        "only_after": comparison.only_after,
        **total_index_changes._asdict(),
        **({} if reembedding_cost_dollars is None else {"dollars_again": reembedding_cost_dollars}),
        "most_changed": [{"document": name, **changes._asdict()} for name, changes in comparison.most_changed],
    }


def _comparison_as_text(options: argparse.Namespace, sides: Sequence[_Side], comparison: IndexComparison) -> str:
    side_rows = [
        [
            f"{letter}: {side.column.name}",
            *(
                cell.text
                for cell in index_change_cells(
                    comparison.total.chunk_count_before, side_comparison, comparison.documents, options.price
                )
            ),
        ]
        for letter, side, side_comparison in zip("AB", sides, (None, comparison), strict=True)
    ]
    comparison_text_lines = [
        text_table(
            "The chunks of A, and of B that replaces it:",
            [head.label.lower() for head in index_change_heads(comparison.documents, options.price)],
            side_rows,
        ),
        "",
        f"To embed again: {comparison.total.tokens_again:,} of {pluralize(comparison.total.tokens, 'token')}.",
        f"Documents that change: {comparison.changed_documents:,} of {comparison.documents:,}.",
    ]
    if comparison.most_changed:
        comparison_text_lines += [
            "",
            terminal_table(
                "The documents with the most to embed again:",
                DOCUMENT_HEAD,
                [document_change_row(printable_line(name), changes) for name, changes in comparison.most_changed],
            ),
        ]
    return "\n".join(comparison_text_lines)


# The second step of ``diff``: the questions that a change of chunkers wins and loses, on the documents with an answer.


@dataclass(frozen=True, eq=False)
class QuestionChanges:
    """Questions won and lost, with the number of documents that were searched."""

    questions: tuple[Question, ...]
    documents: int
    changes: WonAndLost

    @classmethod
    def measure_both_sides(
        cls, options: argparse.Namespace, chunkers_to_measure: Sequence[MeasuredColumn], embedding_cache: EmbeddingCache
    ) -> "QuestionChanges":
        """Measure the questions on both sides as ``seamark retrieval`` does, after an estimate of what is embedded.

        Raises
        ------
        InputError
            If no question is usable.
        """
        named_document_texts = []
        for document_name, document_text_or_error in read_corpus_documents(options.corpus[0], options.encoding):
            if isinstance(document_text_or_error, InputError):
                print_to_stderr(f"{document_text_or_error} The document is left out.")
            else:
                named_document_texts.append((document_name, document_text_or_error))
        questions_file_name = options.questions.name
        questions_of_file = read_questions(
            read_file_bytes(str(options.questions)),
            questions_file_name,
            corpus_of_named_texts(named_document_texts, "lines", options.exact_ends),
        )
        for problem_or_excerpt_change_sentence in (*questions_of_file.problems, *questions_of_file.changes):
            print_to_stderr(problem_or_excerpt_change_sentence)
        questions_of_file.get_usable_questions_or_raise(questions_file_name)
        answering_document_numbers = sorted(
            {excerpt.document for question in questions_of_file.usable for excerpt in question.excerpts}
        )
        if not answering_document_numbers:
            raise InputError(f"{questions_file_name}: at least one question must have an excerpt; none has.")
        new_by_old_document_number = {number: at for at, number in enumerate(answering_document_numbers)}
        questions_with_renumbered_documents = tuple(
            Question(
                question.text,
                tuple(Excerpt(new_by_old_document_number[number], span) for number, span in question.excerpts),
            )
            for question in questions_of_file.usable
        )
        named_texts_with_answers = [named_document_texts[number] for number in answering_document_numbers]
        print_to_stderr(
            f"{pluralize(len(questions_with_renumbered_documents), 'question')} on {len(answering_document_numbers):,} of "
            f"{pluralize(len(named_document_texts), 'document')}. "
            + _embedding_token_estimate_sentence(
                options, chunkers_to_measure, [file.text for _, file in named_texts_with_answers]
            )
        )
        retrieval_budgets = read_budgets_from_options(options)
        documents_token_ruler = TokenRuler(
            corpus_of_named_texts(named_texts_with_answers, "lines", options.exact_ends).joined_document.text,
            load_tokenizer(chunkers_to_measure[1].recipe.tokenizer),
        )
        recall_by_amount_per_side = []
        for _, _, searchable_chunks, tools, _ in build_indexes(
            options, chunkers_to_measure, named_texts_with_answers, embedding_cache
        ):
            recall_by_amount_per_side.append(
                question_recalls_by_retrieved_amount(
                    searchable_chunks,
                    questions_with_renumbered_documents,
                    tools,
                    documents_token_ruler,
                    options.top_k,
                    retrieval_budgets,
                )
            )
            end_progress_line()
        return cls(
            questions_with_renumbered_documents, len(answering_document_numbers), WonAndLost(*recall_by_amount_per_side)
        )

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON-compatible values."""
        return {
            "documents": self.documents,
            "questions": [question.text for question in self.questions],
            "at": [
                {
                    "amount": amount,
                    "recall": [
                        [None if np.isnan(recall) else recall for recall in side[amount].tolist()]
                        for side in (self.changes.before, self.changes.after)
                    ],
                    "won": self.changes.won_and_lost_question_numbers(amount)[0],
                    "lost": self.changes.won_and_lost_question_numbers(amount)[1],
                    "difference": difference_as_json(difference),
                }
                for amount, difference in self.changes.recall_difference_by_amount().items()
            ],
        }

    def as_text(self, max_questions: int) -> str:
        """Return the result in words, with at most ``max_questions`` of the questions won and lost."""
        won_and_lost_questions = self.changes
        result_lines = []
        for retrieved_amount, recall_difference in won_and_lost_questions.recall_difference_by_amount().items():
            won_question_numbers, lost_question_numbers = won_and_lost_questions.won_and_lost_question_numbers(
                retrieved_amount
            )
            mean_recalls_phrase = " to ".join(
                mean_cell(mean_and_deviation(side[retrieved_amount]), with_deviation=False).text
                for side in (won_and_lost_questions.before, won_and_lost_questions.after)
            )
            recall_difference_sentence = (
                "Too few questions for an interval."
                if recall_difference is None
                else recall_difference.words("B", "A", "recall")
            )
            result_lines.append(
                f"Recall at {retrieved_amount}: {mean_recalls_phrase}; "
                f"{pluralize(len(won_question_numbers), 'question')} won, {len(lost_question_numbers):,} lost. "
                f"{recall_difference_sentence}"
            )
        first_retrieved_amount = next(iter(won_and_lost_questions.before))
        for won_or_lost_word, changed_question_numbers in zip(
            ("won", "lost"), won_and_lost_questions.won_and_lost_question_numbers(first_retrieved_amount), strict=True
        ):
            result_lines += [
                f"  {won_or_lost_word} at {first_retrieved_amount}: {printable_line(self.questions[number].text)}"
                for number in changed_question_numbers[:max_questions]
            ]
            if len(changed_question_numbers) > max_questions:
                result_lines.append(f"  {won_or_lost_word}: and {len(changed_question_numbers) - max_questions:,} more")
        return "\n".join(result_lines)


def _embedding_token_estimate_sentence(
    options: argparse.Namespace, chunkers_to_measure: Sequence[MeasuredColumn], document_texts: Sequence[str]
) -> str:
    """Return a sentence on the tokens that both sides embed: of their chunks, and of texts that a chunker compares."""
    estimated_token_count = sum(
        estimate_embedded_tokens_of_indexing(
            int(sum(load_tokenizer(recipe.tokenizer).count(document_texts))),
            chunker,
            options.search,
            options.embedded_as or recipe.embedded_as,
        )
        for _, recipe, chunker in chunkers_to_measure
    )
    estimated_cost_dollars = embedding_dollars(estimated_token_count, options.price)
    cost_phrase = "" if estimated_cost_dollars is None else f", {format_dollars(estimated_cost_dollars)}"
    cache_deduction_phrase = "" if options.cache is None else ", less what the cache has"
    return f"About {estimated_token_count:,} tokens are embedded for both sides{cost_phrase}{cache_deduction_phrase}."
