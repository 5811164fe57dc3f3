"""Retrieval with and without the heading path in the embedded text: the same chunks, the same questions.

Two corpora have headings: the bundled documents, each under its title, and Chroma's articles of Wikipedia, whose headings
are written in WikiText, as `= = Gameplay = =`, and become those of Markdown. The intervals are those of
`evaluation.statistics`.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.chroma import FOLDER_AND_CACHE_OPTIONS, format_difference
from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    print_and_collect_rows,
)
from chunkers import Document, Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.results import EmbeddedAs
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.text import headings
from evaluation.questions import Corpus, Question, TokenRuler, read_questions
from evaluation.retrieval import Evaluation, evaluate_retrieval, mean_and_deviation
from evaluation.search import cut_and_index_corpus
from evaluation.statistics import paired_difference
from sample_docs import SAMPLES_FOLDER, sample_titles

TOP_K = 5
WAYS_OF_EMBEDDING: tuple[EmbeddedAs, ...] = ("plain", "heading_path")
MEASURES = ("recall", "precision", "iou")

CHUNKERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("recursive", {"size": 100, "unit": "tokens"}),
    ("recursive", {"size": 200, "unit": "tokens"}),
    ("fixed_sentences", {"size": 4}),
    ("breakpoint", {}),
    ("optimal", {"max_size": 200}),
    ("change_point", {}),
    ("structure", {"max_size": 200}),
)

HEAD = ["corpus", "chunker", "chunks"]
HEAD += [f"{measure}, {what}" for measure in MEASURES for what in ("plain", "path", "difference")]

_WIKI_HEADING = re.compile(r"^ *((?:= )+)(.+?)(?: =)+ *$", re.MULTILINE)


class Material(NamedTuple):
    """A corpus and its questions."""

    name: str
    corpus: Corpus
    questions: tuple[Question, ...]


def bundled_documents_and_questions() -> Material:
    """Return the bundled documents, each under its title as a heading; an essay's title is its file name."""
    title_by_sample = sample_titles()
    documents = []
    for path in sorted(SAMPLES_FOLDER.glob("*.txt")):
        title = title_by_sample.get(path.stem, path.stem.removeprefix("essay_").capitalize())
        documents.append(Document.from_text(f"# {title}\n\n{path.read_bytes().decode()}", "sentencex", path.name))
    return _join_documents_with_question_file("bundled", documents, SAMPLES_FOLDER / "questions.csv")


def wikipedia_documents_and_questions(folder: Path) -> Material:
    """Return Chroma's Wikipedia articles as Markdown."""
    text = (folder / "wikitexts.md").read_bytes().decode()
    markdown = _WIKI_HEADING.sub(lambda match: f"\n{'#' * match[1].count('=')} {match[2]}\n", text)
    return _join_documents_with_question_file(
        "wikitexts", [Document.from_text(markdown, "sentencex", "wikitexts.md")], folder / "questions.csv"
    )


def _join_documents_with_question_file(corpus_name: str, documents: Sequence[Document], questions_path: Path) -> Material:
    corpus = Corpus(tuple(documents), exact_ends=True)
    questions_from_file = read_questions(questions_path.read_bytes(), questions_path.name, corpus)
    heading_count = sum(len(headings(document.text)) for document in documents)
    question_usability_phrase = (
        f"{len(questions_from_file.usable)} questions, {len(questions_from_file.problems)} of others or unusable"
    )
    print(f"{corpus_name}: {len(documents)} documents, {heading_count} headings, {question_usability_phrase}.")
    return Material(corpus_name, corpus, tuple(questions_from_file.usable))


def comparison_rows(
    documents_and_questions: Material, tools: Tools, only_chunker_names: Collection[str]
) -> Iterator[list[str]]:
    """Yield a row of the table for each chunker, or only for the chunkers named in ``only_chunker_names``."""
    assert tools.tokenizer is not None
    token_ruler = TokenRuler(documents_and_questions.corpus.joined_document.text, tools.tokenizer)
    for chunker_name, parameters in CHUNKERS:
        if only_chunker_names and chunker_name not in only_chunker_names:
            continue
        built_chunker = build_chunker(chunker_name, parameters, tools.embedder)
        retrieval_indexes = (
            cut_and_index_corpus(documents_and_questions.corpus, built_chunker, tools, embedded_as)
            for embedded_as in WAYS_OF_EMBEDDING
        )
        plain_evaluation, heading_path_evaluation = (
            evaluate_retrieval(index, documents_and_questions.questions, tools, token_ruler, TOP_K)
            for index in retrieval_indexes
        )
        cells = [
            cell
            for measure in MEASURES
            for cell in _format_means_and_difference(plain_evaluation, heading_path_evaluation, measure)
        ]
        yield [
            documents_and_questions.name,
            f"{chunker_name}, {built_chunker.describe()}",
            f"{len(plain_evaluation.searched_index.chunks):,}",
            *cells,
        ]


def _format_means_and_difference(
    plain_evaluation: Evaluation, heading_path_evaluation: Evaluation, measure: str
) -> list[str]:
    """Return both means and the difference in points, with its interval."""
    mean_deviation_pairs = [
        mean_and_deviation(evaluation.values(measure)) for evaluation in (plain_evaluation, heading_path_evaluation)
    ]
    mean_cells = ["undefined" if mean is None else f"{100 * mean[0]:.1f}" for mean in mean_deviation_pairs]
    return [
        *mean_cells,
        format_difference(paired_difference(heading_path_evaluation.values(measure), plain_evaluation.values(measure))),
    ]


@command_line_decorator_for_main(
    *FOLDER_AND_CACHE_OPTIONS,
    build_function_adding_option(
        "--only",
        dest="only_chunker_names",
        action="append",
        default=[],
        metavar="CHUNKER",
        choices=list(dict(CHUNKERS)),
        help="a chunker, one or more",
    ),
)
def main(folder: Path, cache_path: Path | None, only_chunker_names: list[str]) -> None:
    """Print the table."""
    tools = Tools(load_embedder(), load_tokenizer("all-MiniLM-L6-v2"), EmbeddingCache(cache_path))
    documents_and_questions_by_corpus = [bundled_documents_and_questions()]
    if folder.is_dir():
        documents_and_questions_by_corpus.append(wikipedia_documents_and_questions(folder))
    else:
        print(f"{folder} is not there: its articles are left out.")
    print(
        markdown_table(
            HEAD,
            print_and_collect_rows(
                row
                for material in documents_and_questions_by_corpus
                for row in comparison_rows(material, tools, only_chunker_names)
            ),
        )
    )


if __name__ == "__main__":
    raise SystemExit(main())
