"""Recall of late chunking and of context in front of chunks, less that of plain vectors, at equal budgets of tokens.

The chunks and questions are the same. The context is the heading path and, with a language model, its context sentences; a
corpus without headings has no row for the path. The model is the bundled one, which reads 256 word pieces at once. The
corpora are the bundled documents, Chroma's articles of Wikipedia with their headings, and Chroma's, all of a folder searched
together. The intervals are those of `evaluation.statistics`, corrected over the budgets of a row.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.chroma import (
    CHROMA_CORPUS_NAMES,
    FOLDER_AND_CACHE_OPTIONS,
    build_function_adding_corpus_option,
    format_difference,
    read_corpora,
)
from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    print_and_collect_rows,
    print_progress,
)
from benchmarks.heading_path import Material, bundled_documents_and_questions, wikipedia_documents_and_questions
from chunkers import Chunker, Tools, load_embedder, load_tokenizer, run_chunker
from chunkers.commands.shared_command_parts import (
    add_chunker_option,
    add_language_model_options,
    parse_chunker_spec,
)
from chunkers.language_models import AnswerCache, Asking, ChatServer, SpendingLimit
from chunkers.recipes import estimate_context_requests
from chunkers.results import EMBEDDED_AS_LABELS, EmbeddedAs
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.support import FloatArray
from evaluation.questions import TokenRuler
from evaluation.retrieval import Budgets, evaluate_at_budgets
from evaluation.search import Index, cut_and_index_corpus
from evaluation.statistics import corrected_differences_per_comparison

RETRIEVED_TOKEN_BUDGETS = Budgets((250, 500, 1000), "tokens")

CHUNKERS = (
    "recursive:size=100,unit=tokens",
    "recursive:size=250,unit=tokens",
    "fixed_sentences:size=4",
    "fixed_sentences:size=1",
)

BUNDLED_CORPUS_NAME, ARTICLES_CORPUS_NAME = "bundled", "articles"
"""The bundled documents, and Chroma's articles of Wikipedia with headings in Markdown."""

BUNDLED_AND_CHROMA_CORPUS_NAMES = (BUNDLED_CORPUS_NAME, ARTICLES_CORPUS_NAME, *CHROMA_CORPUS_NAMES)

HEAD = ["corpus", "chunker", "chunks", "embedded", "plain, s", "it, s"]
HEAD += [f"{size:,}, {what}" for size in RETRIEVED_TOKEN_BUDGETS.sizes for what in ("plain", "it", "difference")]


def chroma_documents_and_questions(folder: Path, names: Sequence[str]) -> Material:
    """Return the named corpora of Chroma as material, and print its size."""
    corpus, questions = read_corpora(folder, names)
    print(f"Chroma: {len(corpus.documents)} documents, {len(questions.usable)} questions.")
    return Material("Chroma", corpus, questions.usable)


def print_context_request_estimate(documents_and_questions: Material, chunker: Chunker, tools: Tools) -> None:
    """Print what the context sentences of a corpus take, without retries, before any is asked for."""
    estimates = [
        estimate_context_requests(run_chunker(chunker, document, tools), tools)
        for document in documents_and_questions.corpus.documents
    ]
    request_count, input_token_count, output_token_count = (sum(numbers) for numbers in zip(*estimates, strict=True))
    print_progress(
        f"{documents_and_questions.name}, {chunker.name}, {chunker.describe()}: some {request_count:,} requests of "
        f"{input_token_count:,} tokens, with "
        f"answers of {output_token_count:,}; a request that brings no usable answer is asked again."
    )


def rows_comparing_ways_of_embedding(
    documents_and_questions: Material, tools: Tools, chunker_spec_texts: Sequence[str]
) -> Iterator[list[str]]:
    """Yield a row for each chunker and each way of embedding that changes the embedded texts."""
    ruler = TokenRuler(documents_and_questions.corpus.joined_document.text, tools.tokenizer)
    ways_of_embedding: list[EmbeddedAs] = ["late", "heading_path"]
    if tools.asking is not None:
        ways_of_embedding.append("context")

    def recalls_at_budgets(index: Index) -> FloatArray:
        at_budgets = evaluate_at_budgets(index, documents_and_questions.questions, tools, ruler, RETRIEVED_TOKEN_BUDGETS)
        return np.array(
            [
                at_budgets.question_values_at_budget("recall", size, RETRIEVED_TOKEN_BUDGETS.unit)
                for size in RETRIEVED_TOKEN_BUDGETS.sizes
            ]
        )

    for chunker_spec_text in chunker_spec_texts:
        built_chunker = parse_chunker_spec(chunker_spec_text).build(tools.embedder)
        plain_index = cut_and_index_corpus(documents_and_questions.corpus, built_chunker, tools)
        plain_recalls = recalls_at_budgets(plain_index)
        for way_of_embedding in ways_of_embedding:
            if way_of_embedding == "context":
                print_context_request_estimate(documents_and_questions, built_chunker, tools)
            retrieval_index = cut_and_index_corpus(documents_and_questions.corpus, built_chunker, tools, way_of_embedding)
            if way_of_embedding != "late" and retrieval_index.texts == plain_index.texts:
                continue
            recalls_with_changed_embedding, cells = recalls_at_budgets(retrieval_index), []
            for *recall_values_pair, difference in zip(
                plain_recalls,
                recalls_with_changed_embedding,
                corrected_differences_per_comparison(recalls_with_changed_embedding - plain_recalls),
                strict=True,
            ):
                cells += [f"{100 * np.nanmean(values):.1f}" for values in recall_values_pair]
                cells.append(format_difference(difference))
            embedding_seconds_cells = [f"{indexed.embed_s:.1f}" for indexed in (plain_index, retrieval_index)]
            label = EMBEDDED_AS_LABELS[way_of_embedding].removeprefix("With ").removeprefix("a ").lower()
            if retrieval_index.missing_context_count:
                label += f", of {len(retrieval_index.chunks) - retrieval_index.missing_context_count:,}"
            yield [
                documents_and_questions.name,
                f"{built_chunker.name}, {built_chunker.describe()}",
                f"{len(plain_index.chunks):,}",
                label,
                *embedding_seconds_cells,
                *cells,
            ]


@command_line_decorator_for_main(
    *FOLDER_AND_CACHE_OPTIONS,
    build_function_adding_corpus_option(BUNDLED_AND_CHROMA_CORPUS_NAMES),
    partial(add_chunker_option, several=True),
    partial(add_language_model_options, purpose="a row for its context sentences too"),
    build_function_adding_option(
        "--answers", dest="answer_cache_path", type=Path, metavar="FILE", help="keep the model's answers in this SQLite file"
    ),
)
def main(
    folder: Path,
    cache_path: Path | None,
    corpus_names: list[str] | None,
    chunker: list[str],
    language_model: str | None,
    answer_cache_path: Path | None,
    spend: SpendingLimit | None,
) -> None:
    """Print the table."""
    asking = None
    if language_model:
        asking = Asking(ChatServer(language_model), AnswerCache(answer_cache_path), limit=spend)
    tools = Tools(load_embedder(), load_tokenizer("all-MiniLM-L6-v2"), EmbeddingCache(cache_path), asking=asking)
    measured_corpus_names = corpus_names or BUNDLED_AND_CHROMA_CORPUS_NAMES
    documents_and_questions_by_corpus = (
        [bundled_documents_and_questions()] if BUNDLED_CORPUS_NAME in measured_corpus_names else []
    )
    if folder.is_dir():
        if ARTICLES_CORPUS_NAME in measured_corpus_names:
            documents_and_questions_by_corpus.append(wikipedia_documents_and_questions(folder))
        if chroma_names := [name for name in measured_corpus_names if name in CHROMA_CORPUS_NAMES]:
            documents_and_questions_by_corpus.append(chroma_documents_and_questions(folder, chroma_names))
    elif {*measured_corpus_names} != {BUNDLED_CORPUS_NAME}:
        print(f"{folder} is not there: its corpora are left out.")
    measured_rows = print_and_collect_rows(
        row
        for material in documents_and_questions_by_corpus
        for row in rows_comparing_ways_of_embedding(material, tools, chunker or CHUNKERS)
    )
    print("\nRecall in percent at budgets of tokens, plain and as named, and the difference in points:\n")
    print(markdown_table(HEAD, measured_rows))


if __name__ == "__main__":
    raise SystemExit(main())
