"""The table of Chroma's technical report (2024) for all-MiniLM-L6-v2, top 5: published values and Seamark's measurements.

A second table has the same rows, and ours at their defaults and with chunks of at most 250 tokens, at equal budgets of
tokens: with five chunks a question, sizes are ranked. The last chunk of a budget is cut off where it is full. The first
table measures ranges in characters, as the report does, the second in tokens: white space that some chunkers leave between
their chunks is no miss there. A third table compares each chunker with a bound with itself without it, and with `recursive`.

The five corpora are searched together; chunks and questions are embedded as they are; the model reads 256 word pieces.
The report's code finds its chunks in the corpus by their text, here they are known by their offsets.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.harness import (
    AddOption,
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    point_tiktoken_at_llama_index_files,
    print_progress,
)
from chunkers import Document, Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.commands.shared_command_parts import parse_parameter_value
from chunkers.recipes import MAXIMUM_SIZE_PARAMETERS
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.support import FloatArray, format_number
from evaluation.questions import Corpus, Questions, TokenRuler, read_questions
from evaluation.retrieval import (
    RETRIEVAL_MEASURE_NAMES,
    BudgetResults,
    Budgets,
    Evaluation,
    Leads,
    evaluate_at_budgets,
    evaluate_retrieval,
    mean_and_deviation,
)
from evaluation.search import cut_and_index_corpus
from evaluation.statistics import (
    Difference,
    compute_confidence_interval_of_mean,
    corrected_differences_per_comparison,
    format_interval_ends,
)

CHROMA_CORPUS_NAMES = ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts")
TOP_K = 5
BUDGET_UNIT = "tokens"
"""The unit of the second table."""

RETRIEVED_TOKEN_BUDGETS = Budgets((1000, 2000, 4000), BUDGET_UNIT)
ALLOWED_RECALL_DIFFERENCE = 2.0
"""Percentage points by which a recall may differ from the report's."""


class ReportRow(NamedTuple):
    """A row of the report, or one of ours; ``recall`` and ``iou`` are the report's, in percentage points."""

    title: str
    chunker: str
    parameters: dict[str, Any]
    recall: float | None = None
    iou: float | None = None


def _recursive_parameters(size: int, overlap: int) -> dict[str, Any]:
    return {"size": size, "overlap": overlap, "unit": "tokens"}


PUBLISHED_REPORT_ROWS = (
    ReportRow("recursive 250/125", "recursive", _recursive_parameters(250, 125), 78.7, 4.9),
    ReportRow("tokens 250/125", "fixed_tokens", {"size": 250, "overlap": 125}, 82.4, 3.5),
    ReportRow("recursive 250/0", "recursive", _recursive_parameters(250, 0), 78.5, 5.4),
    ReportRow("tokens 250/0", "fixed_tokens", {"size": 250, "overlap": 0}, 77.1, 3.3),
    ReportRow("recursive 200/0", "recursive", _recursive_parameters(200, 0), 75.7, 6.5),
    ReportRow("tokens 200/0", "fixed_tokens", {"size": 200, "overlap": 0}, 76.6, 4.1),
    ReportRow("optimal 250", "optimal", {"max_size": 250}, 77.3, 6.0),
    ReportRow("optimal 200", "optimal", {"max_size": 200}, 75.2, 7.2),
)

BASELINE_ROW_TITLE = "recursive 250/0"
"""The row with the same maximum size that ignores meaning."""


def _define_row_at_defaults(name: str) -> ReportRow:
    return ReportRow(f"{name} (defaults)", name, {})


def _define_row_with_size_bound(name: str) -> ReportRow:
    return ReportRow(f"{name}, bound", name, MAXIMUM_SIZE_PARAMETERS[name])


OUR_ROWS = (
    _define_row_at_defaults("structure"),
    *(row for name in MAXIMUM_SIZE_PARAMETERS for row in (_define_row_at_defaults(name), _define_row_with_size_bound(name))),
)


def read_corpora(folder: Path, names: Sequence[str]) -> tuple[Corpus, Questions]:
    """Return the corpora with the given names as one corpus, and the questions about it."""
    documents = tuple(Document.from_text((folder / f"{name}.md").read_bytes().decode(), "spacy", name) for name in names)
    # As in the report.
    merged_corpora = Corpus(documents, exact_ends=True)
    return merged_corpora, read_questions((folder / "questions.csv").read_bytes(), "questions.csv", merged_corpora)


FOLDER_AND_CACHE_OPTIONS = (
    build_function_adding_option("folder", nargs="?", type=Path, default=Path("../shared/data/chroma")),
    build_function_adding_option(
        "--cache", dest="cache_path", type=Path, metavar="FILE", help="keep embeddings in this SQLite file"
    ),
)
"""The folder of Chroma's corpora, and the file that keeps embeddings."""


def build_function_adding_corpus_option(names: Sequence[str] = CHROMA_CORPUS_NAMES) -> AddOption:
    """Return the option that chooses corpora."""
    return build_function_adding_option(
        "--corpus", dest="corpus_names", action="append", choices=names, help="only this corpus and its questions"
    )


def compute_mean_and_deviation_percent(evaluation: Evaluation, measure: str) -> tuple[float, float]:
    """Return the mean and standard deviation of a measure in percentage points."""
    mean_deviation_pair = mean_and_deviation(evaluation.values(measure))
    assert mean_deviation_pair is not None
    return 100 * mean_deviation_pair[0], 100 * mean_deviation_pair[1]


def build_published_comparison_row(row: ReportRow, evaluation: Evaluation, ruler: TokenRuler) -> list[str]:
    """Return a row of the first table."""
    recall = compute_mean_and_deviation_percent(evaluation, "recall")[0]
    retrieval_index = evaluation.searched_index
    assert retrieval_index.chunk_s is not None
    assert retrieval_index.decide_s is not None
    spans = [span for chunk in retrieval_index.chunks for span in chunk]
    measure_cells = [
        f"{mean:.1f} ± {deviation:.1f}"
        for mean, deviation in (compute_mean_and_deviation_percent(evaluation, name) for name in RETRIEVAL_MEASURE_NAMES)
    ]
    return [
        row.title,
        "" if row.recall is None else f"{row.recall:.1f}",
        "" if row.recall is None else format_number(recall - row.recall, "+.1f"),
        "" if row.iou is None else f"{row.iou:.1f}",
        *measure_cells,
        f"{len(retrieval_index.chunks):,}",
        f"{ruler(spans) / len(retrieval_index.chunks):.0f}",
        f"{retrieval_index.decide_s:.1f}",
        f"{retrieval_index.chunk_s - retrieval_index.decide_s:.0f}",
        f"{retrieval_index.embed_s:.0f}",
    ]


HEAD = [
    "chunker",
    "recall, report",
    "difference",
    "IoU, report",
    "recall",
    "precision",
    "precision_Ω",
    "IoU",
    "chunks",
    "tokens a chunk",
    "deciding, s",
    "embedding to decide, s",
    "embedding the chunks, s",
]

BUDGET_MEASURE_TITLES = {"recall": "recall", "iou": "IoU"}
"""The measures of the second table, with their titles."""


def budget_table_head() -> list[str]:
    """Return the header of the second table."""
    columns = [f"k = {TOP_K}", *(f"{size:,}" for size in RETRIEVED_TOKEN_BUDGETS.sizes)]
    return [
        "chunker",
        "tokens a question at k = 5",
        *(f"{title}, {column}" for title in BUDGET_MEASURE_TITLES.values() for column in columns),
    ]


def row_across_token_budgets(
    row_definition: ReportRow, evaluation_at_top_k: Evaluation, at_budgets: BudgetResults, ruler: TokenRuler
) -> list[str]:
    """Return a row of the second table: means with their 95 % confidence intervals."""
    cells = [
        mean_with_interval(values)
        for measure in BUDGET_MEASURE_TITLES
        for values in (
            evaluation_at_top_k.values(measure, BUDGET_UNIT),
            *(at_budgets.question_values_at_budget(measure, size, BUDGET_UNIT) for size in RETRIEVED_TOKEN_BUDGETS.sizes),
        )
    ]
    return [row_definition.title, f"{evaluation_at_top_k.mean_retrieved_length(ruler):,.0f}", *cells]


def mean_with_interval(values: FloatArray) -> str:
    """Return the mean and its confidence interval in percentage points."""
    mean_deviation_pair, interval_ends = mean_and_deviation(values), compute_confidence_interval_of_mean(values)
    assert mean_deviation_pair is not None
    assert interval_ends is not None
    return f"{100 * mean_deviation_pair[0]:.1f} ({100 * interval_ends[0]:.1f} to {100 * interval_ends[1]:.1f})"


def format_difference(difference: Difference | None, *, is_bold: bool = False) -> str:
    """Return a difference in percentage points, with its interval; ``is_bold`` if it is significant."""
    if difference is None:
        return "too few questions"
    mark = "**" if is_bold and difference.significant else ""
    return f"{mark}{difference.points}{mark} ({' to '.join(format_interval_ends(difference.low, difference.high, 100, 1))})"


def bound_effect_rows(results_by_title: Mapping[str, BudgetResults]) -> list[list[str]]:
    """Return the rows of the third table: the effect of a size bound on recall, over all comparisons."""
    bounded_titles = [_define_row_with_size_bound(name).title for name in MAXIMUM_SIZE_PARAMETERS]
    compared_title_pairs = [
        (row, _define_row_at_defaults(name).title) for name, row in zip(MAXIMUM_SIZE_PARAMETERS, bounded_titles, strict=True)
    ]
    compared_title_pairs += [(row, BASELINE_ROW_TITLE) for row in bounded_titles]
    recalls_by_title = {
        title: [at_budgets.question_values_at_budget("recall", size, BUDGET_UNIT) for size in RETRIEVED_TOKEN_BUDGETS.sizes]
        for title, at_budgets in results_by_title.items()
    }
    differences = np.array(
        [
            bounded - other
            for pair in compared_title_pairs
            for bounded, other in zip(*(recalls_by_title[row] for row in pair), strict=True)
        ]
    )
    cells_of_all_rows = [
        format_difference(difference, is_bold=True) for difference in corrected_differences_per_comparison(differences)
    ]
    budget_count = len(RETRIEVED_TOKEN_BUDGETS.sizes)
    return [
        [*pair, *cells_of_all_rows[number * budget_count : (number + 1) * budget_count]]
        for number, pair in enumerate(compared_title_pairs)
    ]


@command_line_decorator_for_main(
    *FOLDER_AND_CACHE_OPTIONS,
    build_function_adding_corpus_option(),
    build_function_adding_option(
        "--try",
        action="append",
        default=[],
        nargs="+",
        dest="extra_chunker_specs",
        metavar="WORD",
        help="one more row: CHUNKER KEY=VALUE...",
    ),
)
def main(folder: Path, cache_path: Path | None, corpus_names: list[str] | None, extra_chunker_specs: list[list[str]]) -> int:
    """Print the tables; return 1 if a recall or the order of IoU differs from the report's."""
    point_tiktoken_at_llama_index_files()
    merged_corpora, questions = read_corpora(folder, corpus_names or CHROMA_CORPUS_NAMES)
    tools = Tools(load_embedder(), load_tokenizer("cl100k_base"), EmbeddingCache(cache_path))
    tools.count_tokens(["Load the table."])
    ruler = TokenRuler(merged_corpora.joined_document.text, tools.tokenizer)
    print(f"{len(merged_corpora.documents)} corpora, {len(questions.usable)} questions, {len(questions.problems)} problems.")
    rows, budget_rows = [], []
    budget_results_by_title: dict[str, BudgetResults] = {}
    is_recall_missed = False
    mean_iou_by_title: dict[str, float] = {}
    for row in [*PUBLISHED_REPORT_ROWS, *OUR_ROWS, *map(_parse_chunker_and_parameters, extra_chunker_specs)]:
        retrieval_index = cut_and_index_corpus(merged_corpora, build_chunker(row.chunker, row.parameters), tools)
        evaluation = evaluate_retrieval(retrieval_index, questions.usable, tools, ruler, TOP_K)
        budget_results_by_title[row.title] = evaluate_at_budgets(
            retrieval_index, questions.usable, tools, ruler, RETRIEVED_TOKEN_BUDGETS
        )
        rows.append(build_published_comparison_row(row, evaluation, ruler))
        budget_rows.append(row_across_token_budgets(row, evaluation, budget_results_by_title[row.title], ruler))
        print_progress(" | ".join([*rows[-1], *budget_rows[-1][1:]]))
        recall = compute_mean_and_deviation_percent(evaluation, "recall")[0]
        is_recall_missed |= (
            not corpus_names and row.recall is not None and abs(recall - row.recall) > ALLOWED_RECALL_DIFFERENCE
        )
        mean_iou_by_title[row.title] = compute_mean_and_deviation_percent(evaluation, "iou")[0]
    print(markdown_table(HEAD, rows))
    print(f"\nAt equal budgets of {BUDGET_UNIT}:\n")
    print(markdown_table(budget_table_head(), budget_rows))
    print("\nRecall with a bound, less that of the other row, in points; significant differences in bold:\n")
    print(
        markdown_table(
            ["chunker", "less that of", *(f"{size:,}" for size in RETRIEVED_TOKEN_BUDGETS.sizes)],
            bound_effect_rows(budget_results_by_title),
        )
    )
    for measure, measure_title in BUDGET_MEASURE_TITLES.items():
        values_by_budget_size = {
            size: [
                at_budgets.question_values_at_budget(measure, size, BUDGET_UNIT)
                for at_budgets in budget_results_by_title.values()
            ]
            for size in RETRIEVED_TOKEN_BUDGETS.sizes
        }
        print(
            "\n"
            + Leads.of_chunkers_at_each_budget(
                list(budget_results_by_title), measure_title, BUDGET_UNIT, values_by_budget_size
            ).words()
        )
    rows_sorted_by_published_iou = sorted(PUBLISHED_REPORT_ROWS, key=lambda row: row.iou or 0.0, reverse=True)
    is_same_order = rows_sorted_by_published_iou == sorted(
        PUBLISHED_REPORT_ROWS, key=lambda row: mean_iou_by_title[row.title], reverse=True
    )
    print("\nWith five chunks, the order of IoU is " + ("the report's." if is_same_order else "not the report's."))
    return int(is_recall_missed or (not corpus_names and not is_same_order))


def _parse_chunker_and_parameters(words: Sequence[str]) -> ReportRow:
    parameters = {key: parse_parameter_value(given) for key, _, given in (word.partition("=") for word in words[1:])}
    return ReportRow(" ".join(words), words[0], parameters)


if __name__ == "__main__":
    raise SystemExit(main())
