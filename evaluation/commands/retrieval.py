"""The command line's ``retrieval``: recipes over a folder of documents and a file of questions."""

import argparse
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from chunkers import Chunker, Document, EmbeddingCache, InputError, Recipe, Tools, load_embedder, load_tokenizer
from chunkers.commands.shared_command_parts import (
    ChunkerSpec,
    Parser,
    SeveralValues,
    add_chunker_option,
    add_device_option,
    add_document_arguments,
    add_language_model_options,
    add_refused_old_options,
    add_setting_options,
    end_progress_line,
    is_document_argument,
    is_folder,
    load_embedder_and_tokenizer_tools,
    open_language_model,
    parse_all_chunker_specs,
    print_json,
    print_to_stderr,
    progress_callback,
    read_file_bytes,
    read_usable_texts,
    report_spending_at_end,
    write_output,
)
from chunkers.embedders.late_chunking import LATE_CHUNKING_NOTE
from chunkers.results import EMBEDDED_AS_LABELS, EmbeddedAs
from chunkers.support import pluralize
from chunkers.text import FileText
from evaluation.commands.retrieval_output import (
    MeasuredRecipe,
    add_budget_options,
    budget_results_as_json,
    budget_tables,
    leads_as_json,
    near_duplicate_costs_as_json,
    near_duplicate_recall_cost_text,
    one_question_results_as_json,
    read_budgets_from_options,
)
from evaluation.questions import (
    Corpus,
    Questions,
    TokenRuler,
    is_path_of_beir_file,
    questions_to_json_lines,
    read_beir,
    read_question_set_file,
    read_questions,
    ruler_for_unit,
)
from evaluation.report.measure_table_cells import mean_cell
from evaluation.retrieval import (
    RANGE_UNITS,
    RETRIEVAL_MEASURE_NAMES,
    RETRIEVED_TEXT_MEASURES,
    BudgetResults,
    Evaluation,
    evaluate_at_budgets,
    evaluate_retrieval,
    find_retrieved_duplicates,
    mean_and_deviation,
)
from evaluation.search import (
    RETURN_CHUNK_ITSELF,
    SEARCH_METHODS,
    Index,
    ReturnedText,
    ReturnedTextKind,
    SearchMethod,
    copy_index_with_returned_text,
    cut_and_index_corpus,
    sectionless_documents_note,
)
from evaluation.segmentation import Score

F1_ITEM_KINDS: tuple[Literal["documents", "evidence"], ...] = ("documents", "evidence")


def add_retrieval_command(command_subparsers: "argparse._SubParsersAction[Parser]") -> None:
    """Add the ``retrieval`` command to an argument parser."""
    retrieval_parser = command_subparsers.add_parser("retrieval", help="measure what recipes' chunks retrieve for questions")
    add_document_arguments(retrieval_parser, "*")
    retrieval_parser.add_argument(
        "--questions",
        type=Path,
        required=True,
        metavar="FILE",
        help="CSV, JSON lines or JSON, ragas' too; or, without FILE, a BEIR folder or ZIP file, or SQuAD's JSON",
    )
    retrieval_parser.add_argument("--split", metavar="NAME", help="which of a BEIR set's questions (default: test)")
    retrieval_parser.add_argument(
        "--labels", type=Path, metavar="FILE", help="write questions and excerpts, with context, to it"
    )
    add_chunker_option(retrieval_parser, several=True)
    add_refused_old_options(retrieval_parser, "--chunks", "--corpus")
    retrieval_parser.add_argument(
        "--return",
        dest="returned",
        action=SeveralValues,
        nargs="+",
        const=lambda word: word not in get_args(ReturnedTextKind) and is_document_argument(word),
        metavar="WHAT",
        help="what is returned for a chunk that is found, one or several to compare: chunk (default), window:N (with N "
        "neighbours on either side), section or section:LEVEL (between headings), page (or chapter), parent (of chunks in "
        "two levels, the children are searched and their parents returned, each once)",
    )
    add_setting_options(retrieval_parser, "tokenizer", default_help_template=None)
    add_search_options(retrieval_parser)
    retrieval_parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object per recipe, with every question, and with --budget one more of who is ahead",
    )
    add_device_option(retrieval_parser)
    retrieval_parser.set_defaults(run=run_retrieval)


def add_search_options(command_parser: argparse.ArgumentParser) -> None:
    """Add the options for what is embedded, how it is searched and how much is retrieved to an argument parser."""
    command_parser.add_argument("--top-k", type=int, default=5, metavar="K", help="chunks per question (default: 5)")
    command_parser.add_argument(
        "--search",
        choices=[*SEARCH_METHODS],
        default="embedding",
        help="how what is embedded of each chunk is compared with questions: by cosine, by words (bm25), or by both, fused "
        "(hybrid); default: %(default)s",
    )
    command_parser.add_argument(
        "--exact-ends",
        action="store_true",
        help="count white space and punctuation at the ends of an excerpt, as published tables do",
    )
    add_budget_options(command_parser)
    command_parser.add_argument(
        "--embedded-as",
        choices=[*EMBEDDED_AS_LABELS],
        help="what of each chunk is embedded (default: what its recipe says); late is late chunking",
    )
    add_language_model_options(
        command_parser,
        "for --embedded-as context and recipes that ask one",
        " (default: the recipe's)",
        token_use_phrase="asking for a recipe",
    )
    command_parser.add_argument("--cache", type=Path, metavar="FILE", help="cache embeddings in this SQLite file")


def run_retrieval(options: argparse.Namespace) -> None:
    """Measure retrieval with every recipe, and print the results of each recipe as soon as they are ready."""
    if options.top_k < 1:
        raise InputError(f"--top-k must be at least 1; got {options.top_k}.")
    retrieval_budgets = read_budgets_from_options(options)
    returned_text_modes = list(dict.fromkeys(ReturnedText.parse(word) for word in options.returned or ["chunk"]))
    chunkers_to_measure = _chunkers_to_measure(options)
    questions_file_name, questions_file_bytes, named_document_texts = _read_questions_file_and_documents(options)
    embedding_cache = EmbeddingCache(options.cache)
    tokenizer = load_tokenizer(options.tokenizer)
    # The places of excerpts and tokens do not depend on the sentences.
    corpus_of_all_documents = corpus_of_named_texts(named_document_texts, "lines", options.exact_ends)
    for chunker_to_measure in chunkers_to_measure:
        # Before anything is measured.
        chunker_to_measure.chunker.for_documents(
            [document.name for document in corpus_of_all_documents.documents if document.sentences]
        )
    questions_of_file = _parse_questions_and_print_problems(
        questions_file_name, questions_file_bytes, corpus_of_all_documents
    )
    for note_on_missing_sections in filter(
        None, (sectionless_documents_note(corpus_of_all_documents, return_mode) for return_mode in returned_text_modes)
    ):
        print_to_stderr(note_on_missing_sections)
    if options.labels is not None:
        write_output(
            questions_to_json_lines(questions_of_file.usable, corpus_of_all_documents).decode(), str(options.labels)
        )
    token_ruler = TokenRuler(corpus_of_all_documents.joined_document.text, tokenizer)
    measured_recipes: list[MeasuredRecipe] = []
    for recipe_name, embedded_as, search_index, tools, returned_text_mode in build_indexes(
        options, chunkers_to_measure, named_document_texts, embedding_cache, returned_text_modes
    ):
        top_k_evaluation = evaluate_retrieval(search_index, questions_of_file.usable, tools, token_ruler, options.top_k)
        budget_results = (
            None
            if retrieval_budgets is None
            else evaluate_at_budgets(search_index, questions_of_file.usable, tools, token_ruler, retrieval_budgets)
        )
        retrieved_near_duplicates = find_retrieved_duplicates(
            search_index,
            questions_of_file.usable,
            tools,
            token_ruler,
            options.top_k,
            [] if budget_results is None else [budget_results],
        )
        end_progress_line()
        row_title = _row_title(recipe_name, embedded_as, options.search, returned_text_mode)
        if budget_results is not None:
            measured_recipes.append(_recipe_with_measured_results(row_title, top_k_evaluation, token_ruler, budget_results))
        if options.json:
            recipe_result_json = evaluation_as_json(
                recipe_name, top_k_evaluation, token_ruler, questions_of_file, budget_results
            )
            recipe_result_json["near_duplicates"] = near_duplicate_costs_as_json(
                retrieved_near_duplicates, top_k_evaluation, token_ruler, budget_results
            )
            print_json(recipe_result_json | _unusual_settings_as_json(embedded_as, options.search, returned_text_mode))
        else:
            _print_evaluation(row_title, top_k_evaluation, token_ruler)
            near_duplicate_cost_text = near_duplicate_recall_cost_text(
                retrieved_near_duplicates, top_k_evaluation, token_ruler, budget_results
            )
            print(f"  {'near-duplicates':16} {near_duplicate_cost_text}", flush=True)
    if measured_recipes and options.json:
        print_json(leads_as_json(measured_recipes))
    elif measured_recipes:
        print("\n" + budget_tables(measured_recipes, options.top_k))


def _unusual_settings_as_json(
    embedded_as: EmbeddedAs, search_method: SearchMethod, returned_text_mode: ReturnedText
) -> dict[str, str]:
    """Return the settings that are not the usual ones, as JSON has them."""
    every_setting_with_usual_value = {
        "embedded_as": (embedded_as, "plain"),
        "search": (search_method, "embedding"),
        "returned": (str(returned_text_mode), "chunk"),
    }
    return {key: setting for key, (setting, usual) in every_setting_with_usual_value.items() if setting != usual}


class MeasuredColumn(NamedTuple):
    """Measured chunker with its full recipe, under a unique name."""

    name: str
    recipe: Recipe
    chunker: Chunker


def _chunkers_to_measure(options: argparse.Namespace) -> list[MeasuredColumn]:
    """Return a column for each chunker; one by its name, and a file of chunks, are embedded like the recipes.

    Raises
    ------
    InputError
        If no chunker is named, or one of them is not as it must be, or the recipes do not say how to embed the others.
    """
    parsed_chunker_specs = parse_all_chunker_specs(options, most=math.inf)
    recipes_of_specs = [spec.recipe for spec in parsed_chunker_specs if spec.recipe is not None]
    embedding_settings = sorted(
        {f"{recipe.embedder}, {options.embedded_as or recipe.embedded_as}" for recipe in recipes_of_specs}
    )
    if len(recipes_of_specs) < len(parsed_chunker_specs) and len(embedding_settings) > 1:
        raise InputError(
            "A chunker by its name, or a file of chunks, needs recipes that all embed in the same way; these embed "
            f"differently: {'; '.join(embedding_settings)}. Leave out those that differ."
        )
    recipe_for_specs_without_one = next(iter(recipes_of_specs), Recipe(chunker="recursive"))
    distinct_column_names = _distinct_names_of_chunker_files(
        [(_shown_chunker_name(spec), spec.file or Path(spec.written_form)) for spec in parsed_chunker_specs]
    )
    return [
        build_chunker_with_recipe(spec, recipe_for_specs_without_one, name)
        for spec, name in zip(parsed_chunker_specs, distinct_column_names, strict=True)
    ]


def build_chunker_with_recipe(
    chunker_spec: ChunkerSpec, fallback_settings_recipe: Recipe, column_name: str
) -> MeasuredColumn:
    """Return the column of a chunker; settings not given on the command line are taken from ``fallback_settings_recipe``."""
    # The embedder is asked for its defaults alone, and is not loaded for it.
    chunker = chunker_spec.build(load_embedder(fallback_settings_recipe.embedder))
    return MeasuredColumn(
        column_name, chunker_spec.recipe_of(chunker, fallback_settings_recipe.model_copy(update={"versions": {}})), chunker
    )


def _distinct_names_of_chunker_files(names_and_paths: Sequence[tuple[str, Path]]) -> list[str]:
    """Return the names of files; where another has the same, the shortest end of the path that is no other's."""
    # Not resolved: a link's own name is the one that was given.
    names_with_absolute_paths = [(name, Path(os.path.abspath(path))) for name, path in names_and_paths]  # noqa: PTH100
    distinct_absolute_paths = {path for _, path in names_with_absolute_paths}

    def shortest_distinct_path_end(name_to_make_distinct: str, path: Path) -> str:
        if all(other == path for same, other in names_with_absolute_paths if same == name_to_make_distinct):
            return name_to_make_distinct
        shown_path_part_count = next(
            count
            for count in range(1, len(path.parts) + 1)
            if all(other.parts[-count:] != path.parts[-count:] for other in distinct_absolute_paths - {path})
        )
        return Path(*path.parts[-shown_path_part_count:]).as_posix()

    return [shortest_distinct_path_end(name, path) for name, path in names_with_absolute_paths]


def _shown_chunker_name(chunker_spec: ChunkerSpec) -> str:
    if chunker_spec.file is None or (chunker_spec.recipe is not None and chunker_spec.parameters):
        return chunker_spec.written_form
    return chunker_spec.file.name if chunker_spec.is_file_given_as_chunker else chunker_spec.file.stem


def build_indexes(
    options: argparse.Namespace,
    chunkers_to_measure: Sequence[MeasuredColumn],
    named_document_texts: Sequence[tuple[str, FileText]],
    embedding_cache: EmbeddingCache,
    returned_text_modes: Sequence[ReturnedText] = (RETURN_CHUNK_ITSELF,),
) -> Iterator[tuple[str, EmbeddedAs, Index, Tools, ReturnedText]]:
    """Yield an index of every recipe's chunks for each choice in ``returned_text_modes``.

    With it come the recipe's name, what of its chunks is embedded, the tools that embed the questions, and the choice.
    """
    corpus_by_splitter: dict[str, Corpus] = {}
    for chunker_number, (chunker_name, recipe, chunker) in enumerate(chunkers_to_measure, start=1):
        sentence_splitter_name = recipe.sentences
        if sentence_splitter_name not in corpus_by_splitter:
            corpus_by_splitter[sentence_splitter_name] = corpus_of_named_texts(
                named_document_texts, sentence_splitter_name, options.exact_ends
            )
        tools = load_embedder_and_tokenizer_tools(recipe.embedder, recipe.tokenizer, options.device, embedding_cache)
        embedded_as = options.embedded_as or recipe.embedded_as
        tools.asking = open_language_model(options, chunker, embedded_as, recipe)
        if embedded_as == "late":
            print_to_stderr(f"{chunker_name}: {LATE_CHUNKING_NOTE}")
        embedding_progress_callback = progress_callback(
            f"{chunker_name}, {chunker_number} of {len(chunkers_to_measure)}: ", "texts embedded"
        )
        tools.watcher = replace(tools.watcher, progress=embedding_progress_callback)
        index_by_children_only_flag: dict[bool, Index] = {}
        for returned_text_mode in returned_text_modes:
            if returned_text_mode.searches_only_children not in index_by_children_only_flag:
                with report_spending_at_end(tools.asking, f"{chunker_name}: "):
                    recipe_search_index = cut_and_index_corpus(
                        corpus_by_splitter[sentence_splitter_name],
                        chunker,
                        tools,
                        embedded_as,
                        options.search,
                        returned_text_mode.searches_only_children,
                    )
                    if recipe_search_index.missing_context_count:
                        print_to_stderr(
                            f"{chunker_name}: the model gave no usable context of "
                            f"{recipe_search_index.missing_context_count:,} of "
                            f"{pluralize(len(recipe_search_index.chunks), 'chunk')}."
                        )
                    if recipe_search_index.caveat:
                        print_to_stderr(f"{chunker_name}: {recipe_search_index.caveat}")
                index_by_children_only_flag[returned_text_mode.searches_only_children] = recipe_search_index
            yield (
                chunker_name,
                embedded_as,
                copy_index_with_returned_text(
                    index_by_children_only_flag[returned_text_mode.searches_only_children], returned_text_mode
                ),
                tools,
                returned_text_mode,
            )


def _row_title(
    file_or_recipe_name: str, embedded_as: EmbeddedAs, search_method: SearchMethod, returned_text_mode: ReturnedText
) -> str:
    phrase_by_embedding_way = {
        "plain": "",
        "heading_path": "heading path",
        "context": "context sentences",
        "late": "late chunking",
    }
    title_additions = [*filter(None, [phrase_by_embedding_way[embedded_as], returned_text_mode.said])]
    name_with_additions = (
        f"{file_or_recipe_name} with {' and '.join(title_additions)}" if title_additions else file_or_recipe_name
    )
    return (
        name_with_additions
        + {"embedding": "", "bm25": ", by words (BM25)", "hybrid": ", by embedding and words (hybrid)"}[search_method]
    )


def _recipe_with_measured_results(
    row_title: str, evaluation: Evaluation, token_ruler: TokenRuler, budget_results: BudgetResults
) -> MeasuredRecipe:
    """Return a recipe's results at its top k and at every budget, without its chunks."""
    budget_unit = budget_results.budgets.unit
    return MeasuredRecipe(
        row_title,
        {measure: evaluation.values(measure, budget_unit) for measure in RETRIEVED_TEXT_MEASURES},
        evaluation.mean_retrieved_length(ruler_for_unit(budget_unit, token_ruler)),
        budget_results,
    )


def corpus_of_named_texts(
    named_document_texts: Sequence[tuple[str, FileText]], splitter: str, keeps_exact_excerpt_ends: bool
) -> Corpus:
    """Return the named texts as a corpus, split into sentences by ``splitter``."""
    return Corpus(
        tuple(Document.from_text(file.text, splitter, name, file.parts) for name, file in named_document_texts),
        keeps_exact_excerpt_ends,
    )


def _read_questions_file_and_documents(options: argparse.Namespace) -> tuple[str, bytes, list[tuple[str, FileText]]]:
    """Return name and content of the file of questions, and the documents, which some bring with them."""
    questions_path: Path = options.questions
    if is_folder(questions_path):
        bytes_by_beir_path = {
            part: read_file_bytes(str(path), f"{questions_path.name}/{part}")
            for path in sorted(questions_path.rglob("*"))
            if is_path_of_beir_file(part := path.relative_to(questions_path).as_posix()) and path.is_file()
        }
        question_set = read_beir(bytes_by_beir_path, questions_path.name, options.split)
    else:
        questions_file_bytes = read_file_bytes(str(questions_path))
        question_set_with_documents = read_question_set_file(questions_file_bytes, questions_path.name, options.split)
        if question_set_with_documents is None:
            if options.split is not None:
                raise InputError(f"--split works only with a BEIR set; {questions_path.name} is not one. Leave --split out.")
            if not options.files:
                raise InputError(
                    f"{questions_path.name} has no documents of its own. Name the documents, or the folder with them."
                )
            return questions_path.name, questions_file_bytes, [*read_usable_texts(options.files, options.encoding).items()]
        question_set = question_set_with_documents
    if options.files:
        raise InputError(
            f"{questions_path.name} has its own documents, so no others may be named; got {', '.join(options.files)}."
        )
    for question_set_note in question_set.notes:
        print_to_stderr(question_set_note)
    return *question_set.questions, [(name, FileText(text, "utf-8", "utf-8")) for name, text in question_set.texts]


def _parse_questions_and_print_problems(name: str, data: bytes, corpus: Corpus) -> Questions:
    questions_of_file = read_questions(data, name, corpus)
    for problem_or_change_sentence in (*questions_of_file.problems, *questions_of_file.changes):
        print_to_stderr(problem_or_change_sentence)
    excerpt_count_by_state = questions_of_file.excerpt_counts_by_state()
    if {*excerpt_count_by_state} - {"valid"}:
        print_to_stderr(
            f"{name}: of the excerpts, {', '.join(f'{count:,} {state}' for state, count in excerpt_count_by_state.items())}."
        )
    questions_of_file.get_usable_questions_or_raise(name)
    return questions_of_file


def _print_evaluation(row_title: str, evaluation: Evaluation, token_ruler: TokenRuler) -> None:
    evaluated_search_index = evaluation.searched_index
    chunking_time_phrase = (
        "made elsewhere" if evaluated_search_index.chunk_s is None else f"chunked in {evaluated_search_index.chunk_s:.2f} s"
    )
    print(
        f"{row_title}: {pluralize(len(evaluated_search_index.chunks), 'chunk')} of "
        f"{_mean_chunk_tokens(evaluation, token_ruler):.0f} tokens on average; {chunking_time_phrase}, "
        f"embedded in {evaluated_search_index.embed_s:.2f} s, "
        f"{pluralize(len(evaluation.scores_of_all_questions), 'question')} searched in "
        f"{1000 * evaluation.search.search_s:.1f} ms"
    )
    for measure in RETRIEVAL_MEASURE_NAMES:
        measure_value_phrases = [
            f"{mean_cell(mean_and_deviation(evaluation.values(measure, unit))).text} in {unit}" for unit in RANGE_UNITS
        ]
        print(f"  {measure:16} {', '.join(measure_value_phrases)}")
    for documents_or_evidence in F1_ITEM_KINDS:
        f1_by_k = {k: scores["f1"] for k, scores in evaluation.means_at_k(documents_or_evidence).items()}
        measure_value_phrases = [f"{'undefined' if f1.value is None else f1} at {k}" for k, f1 in f1_by_k.items()]
        print(f"  {documents_or_evidence + ' F1':16} {', '.join(measure_value_phrases)}", flush=True)


def _mean_chunk_tokens(evaluation: Evaluation, token_ruler: TokenRuler) -> float:
    indexed_chunks = evaluation.searched_index.chunks
    return token_ruler([span for chunk in indexed_chunks for span in chunk]) / max(1, len(indexed_chunks))


def evaluation_as_json(
    row_title: str,
    evaluation: Evaluation,
    token_ruler: TokenRuler,
    questions: Questions,
    budget_results: BudgetResults | None = None,
) -> dict[str, Any]:
    """Return a recipe's retrieval results as JSON-compatible values."""
    evaluated_search_index = evaluation.searched_index
    return {
        "recipe": row_title,
        "top_k": evaluation.top_k,
        "chunks": len(evaluated_search_index.chunks),
        "tokens_a_chunk": _mean_chunk_tokens(evaluation, token_ruler),
        "chunk_s": evaluated_search_index.chunk_s,
        "embed_s": evaluated_search_index.embed_s,
        "query_s": evaluation.search.search_s,
        **{
            unit: {measure: _mean_and_deviation_as_json(evaluation, measure, unit) for measure in RETRIEVAL_MEASURE_NAMES}
            for unit in RANGE_UNITS
        },
        **{what: _scores_as_json(evaluation.means_at_k(what)) for what in F1_ITEM_KINDS},
        **({} if budget_results is None else {"budgets": budget_results_as_json(budget_results)}),
        "questions": [
            {
                "question": answer.question.text,
                "excerpts": [
                    {
                        "document": evaluated_search_index.corpus.names[excerpt.document],
                        "start": excerpt.span.start,
                        "end": excerpt.span.end,
                    }
                    for excerpt in answer.question.excerpts
                ],
                "retrieved": [
                    _chunk_as_json(evaluated_search_index.corpus, evaluated_search_index.chunks[number])
                    for number in answer.ranked[: evaluation.top_k]
                ],
                **_returned_spans_as_json(evaluation, answer.ranked[: evaluation.top_k]),
                **{unit: {key: score.value for key, score in getattr(answer, unit).items()} for unit in RANGE_UNITS},
                **{what: _scores_as_json(getattr(answer, what)) for what in F1_ITEM_KINDS},
                **({} if budget_results is None else {"budgets": one_question_results_as_json(budget_results, number)}),
            }
            for number, answer in enumerate(evaluation.scores_of_all_questions)
        ],
        "problems": list(questions.problems),
        "changes": list(questions.changes),
        "excerpts": [label._asdict() for label in questions.labels],
    }


def _returned_spans_as_json(evaluation: Evaluation, ranked_chunk_numbers: Sequence[int]) -> dict[str, Any]:
    """Return the new text that each chunk returns, or nothing if chunks return themselves."""
    if evaluation.searched_index.returns is None:
        return {}
    corpus = evaluation.searched_index.corpus
    return {
        "returned": [
            _chunk_as_json(corpus, spans) if spans else None
            for spans in evaluation.searched_index.returned_spans_without_repeats(ranked_chunk_numbers)
        ]
    }


def _mean_and_deviation_as_json(evaluation: Evaluation, measure: str, text_length_unit: str) -> dict[str, float] | None:
    mean_and_deviation_pair = mean_and_deviation(evaluation.values(measure, text_length_unit))
    return (
        None
        if mean_and_deviation_pair is None
        else {"mean": mean_and_deviation_pair[0], "standard_deviation": mean_and_deviation_pair[1]}
    )


def _scores_as_json(scores_by_k: dict[int, dict[str, Score]]) -> dict[str, dict[str, float | None]]:
    return {str(k): {name: score.value for name, score in some.items()} for k, some in scores_by_k.items()}


def _chunk_as_json(corpus: Corpus, chunk_spans_in_corpus: Sequence[tuple[int, int]]) -> dict[str, Any]:
    document_number = corpus.document_number_at(chunk_spans_in_corpus[0][0])
    document_offset_in_corpus = corpus.offsets[document_number]
    labelled_document_parts = corpus.documents[document_number].parts
    spans_in_document = [
        [start - document_offset_in_corpus, end - document_offset_in_corpus] for start, end in chunk_spans_in_corpus
    ]
    chunk_document_and_spans = {"document": corpus.names[document_number], "spans": spans_in_document}
    return (
        chunk_document_and_spans
        if labelled_document_parts is None
        else {
            **chunk_document_and_spans,
            f"{labelled_document_parts.kind}s": labelled_document_parts.labels_of_overlapped_parts(
                [(start, end) for start, end in spans_in_document]
            ),
        }
    )
