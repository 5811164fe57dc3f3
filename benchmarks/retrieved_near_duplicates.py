"""Near-duplicate chunks of Chroma's corpora, and the places of a question's top 5 that they take.

A place is taken if its chunk is a near-duplicate of one ranked better. The last columns have the recall of the top 5 as it
is and with such chunks left out, so that the next ones move up. All corpora of the folder are searched together.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.chroma import (
    CHROMA_CORPUS_NAMES,
    FOLDER_AND_CACHE_OPTIONS,
    build_function_adding_corpus_option,
    format_difference,
    mean_with_interval,
    read_corpora,
)
from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    print_and_collect_rows,
)
from chunkers import Chunker, Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.storage.embedding_cache import EmbeddingCache
from evaluation.questions import Corpus, Question, TokenRuler
from evaluation.retrieval import evaluate_retrieval, find_retrieved_duplicates
from evaluation.search import NEAR_DUPLICATE_SIMILARITY, cut_and_index_corpus
from evaluation.statistics import compute_confidence_interval_of_mean

TOP_K = 5
CHUNKERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("recursive", {"size": 100, "unit": "tokens"}),
    ("recursive", {"size": 250, "unit": "tokens"}),
    ("fixed_sentences", {"size": 4}),
    ("fixed_sentences", {"size": 1}),
    ("recursive", {"size": 250, "unit": "tokens", "overlap": 125}),
)

HEAD = [
    "chunker",
    "chunks",
    "with a near-duplicate",
    "groups",
    "questions with a place taken, %",
    "places taken of 5",
    "recall, %",
    "without them, %",
    "difference, points",
]


def near_duplicate_row(
    chunker: Chunker, corpus: Corpus, questions: Sequence[Question], tools: Tools, min_similarity: float
) -> list[str]:
    """Return a row of the table."""
    retrieval_index, ruler = (
        cut_and_index_corpus(corpus, chunker, tools),
        TokenRuler(corpus.joined_document.text, tools.tokenizer),
    )
    evaluation_with_duplicates = evaluate_retrieval(retrieval_index, questions, tools, ruler, TOP_K)
    near_duplicates = find_retrieved_duplicates(
        retrieval_index, questions, tools, ruler, TOP_K, min_similarity=min_similarity
    )
    cost_of_repeats = near_duplicates.repeat_cost_in_top_k(evaluation_with_duplicates, "characters", ruler)
    interval_ends = compute_confidence_interval_of_mean(cost_of_repeats.taken / TOP_K)
    assert interval_ends is not None
    return [
        f"{chunker.name}, {chunker.describe()}",
        f"{len(retrieval_index.chunks):,}",
        f"{near_duplicates.near_duplicate_count:,}",
        f"{near_duplicates.group_count:,}",
        mean_with_interval((cost_of_repeats.taken > 0).astype(float)),
        f"{cost_of_repeats.taken.mean():.2f} ({TOP_K * interval_ends[0]:.2f} to {TOP_K * interval_ends[1]:.2f})",
        *(mean_with_interval(recall) for recall in (cost_of_repeats.recall, cost_of_repeats.recall_without_repeats)),
        format_difference(cost_of_repeats.difference),
    ]


@command_line_decorator_for_main(
    *FOLDER_AND_CACHE_OPTIONS,
    build_function_adding_corpus_option(),
    build_function_adding_option(
        "--embedder", dest="embedder_name", default="all-MiniLM-L6-v2", metavar="NAME", help="default: %(default)s"
    ),
    build_function_adding_option(
        "--chunkers", dest="chunker_count", type=int, default=len(CHUNKERS), metavar="N", help="only the first N chunkers"
    ),
    build_function_adding_option(
        "--alike",
        dest="min_similarity",
        type=float,
        default=NEAR_DUPLICATE_SIMILARITY,
        help="least Jaccard similarity (default: %(default)s)",
    ),
)
def main(
    folder: Path,
    cache_path: Path | None,
    corpus_names: list[str] | None,
    embedder_name: str,
    chunker_count: int,
    min_similarity: float,
) -> None:
    """Print the table."""
    searched_corpus, questions = read_corpora(folder, corpus_names or CHROMA_CORPUS_NAMES)
    tools = Tools(load_embedder(embedder_name), load_tokenizer("all-MiniLM-L6-v2"), EmbeddingCache(cache_path))
    print(
        f"{len(searched_corpus.documents)} corpora, {len(questions.usable)} questions, near-duplicates from "
        f"{min_similarity} on."
    )
    built_chunkers = [build_chunker(*chunker, tools.embedder) for chunker in CHUNKERS[:chunker_count]]
    rows = (
        near_duplicate_row(chunker, searched_corpus, questions.usable, tools, min_similarity) for chunker in built_chunkers
    )
    print(markdown_table(HEAD, print_and_collect_rows(rows)))


if __name__ == "__main__":
    raise SystemExit(main())
