"""Time and memory of comparing two corpus runs of growing size, and whether the counts are right.

``python -m benchmarks.diff_time_and_memory`` cuts JSON lines of 10, 50 and 100 MB, made from sentences of the bundled texts,
with ``seamark corpus``: before and after a sentence is put in front of every tenth document, and by ``recursive`` at 1,000
and at 800 characters. It compares the two runs of each pair with ``seamark diff`` and prints seconds and the peak of memory.
The exit status is 1 where a count differs from that of the runs' chunks, held in memory, or memory grows with the corpus by
more than a quarter.
"""

import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.corpus import (
    MAX_MEMORY_GROWTH_RATIO,
    RECIPE,
    RunCost,
    measure_corpus_command,
    run_and_measure_command,
    write_corpus,
)
from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    load_averages,
    markdown_table,
    parse_comma_separated_numbers,
)

DOCUMENTS_PER_EDIT = 10
"""One document of so many is edited."""

RECIPE_BEFORE, RECIPE_AFTER = (
    RECIPE | {"chunker": "recursive", "parameters": {"size": size}, "tokenizer": "characters"} for size in (1000, 800)
)
"""The recipes whose settings differ."""


def write_edited_corpus(original_corpus_path: Path, edited_corpus_path: Path) -> None:
    """Write a corpus with a sentence in front of every tenth document."""
    with (
        original_corpus_path.open(encoding="utf-8") as corpus_file,
        edited_corpus_path.open("w", encoding="utf-8") as edited_corpus_file,
    ):
        for number, line in enumerate(corpus_file):
            row = json.loads(line)
            if number % DOCUMENTS_PER_EDIT == 0:
                row["text"] = f"This sentence is new. {row['text']}"
            edited_corpus_file.write(json.dumps(row, ensure_ascii=False) + "\n")


def chunk_text_counts_by_document(run_folder: Path) -> Mapping[str, Counter[tuple[str, int]]]:
    """Count each document's chunks by their text and number of tokens."""
    counts_by_document: defaultdict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
    for shard_path in sorted(run_folder.glob("part-*.parquet")):
        column_values_by_name = pq.read_table(shard_path, columns=["document_id", "text", "tokens"]).to_pydict()
        for name, text, token_count in zip(
            column_values_by_name["document_id"], column_values_by_name["text"], column_values_by_name["tokens"], strict=True
        ):
            counts_by_document[name][text, token_count] += 1
    return counts_by_document


def recount_changes(earlier_run_folder: Path, after_folder: Path) -> dict[str, int]:
    """Return the counts of a comparison of two runs, from their chunks."""
    old_chunks_by_document, new_chunks_by_document = (
        chunk_text_counts_by_document(earlier_run_folder),
        chunk_text_counts_by_document(after_folder),
    )
    change_counts: Counter[str] = Counter()
    for document_name in old_chunks_by_document.keys() | new_chunks_by_document.keys():
        gone_chunks, added_chunks = (
            old_chunks_by_document[document_name] - new_chunks_by_document[document_name],
            new_chunks_by_document[document_name] - old_chunks_by_document[document_name],
        )
        changed_chunk_count = min(gone_chunks.total(), added_chunks.total())
        change_counts["kept"] += (old_chunks_by_document[document_name] & new_chunks_by_document[document_name]).total()
        change_counts["changed"] += changed_chunk_count
        change_counts["new"] += added_chunks.total() - changed_chunk_count
        change_counts["gone"] += gone_chunks.total() - changed_chunk_count
        change_counts["tokens_again"] += sum(tokens * count for (_, tokens), count in added_chunks.items())
        change_counts["changed_documents"] += bool(gone_chunks or added_chunks)
    return dict(change_counts)


def measure_diff_and_check_counts(
    corpus_name: str, change_title: str, before_and_after_run_folders: Sequence[Path]
) -> tuple[RunCost, list[str], bool]:
    """Compare two runs; return the cost, a row of the table, and whether the counts are right."""
    with tempfile.TemporaryFile() as command_output_file:
        run_cost = run_and_measure_command(
            [sys.executable, "-m", "seamark", "diff", "--chunker", *map(str, before_and_after_run_folders), "--json"],
            stdout_destination=command_output_file,
        )
        command_output_file.seek(0)
        report = json.loads(command_output_file.read())
    count_names = ("kept", "changed", "new", "gone", "tokens_again")
    row = [corpus_name, change_title, f"{report['before']['chunks']:,}", *(f"{report[count]:,}" for count in count_names)]
    expected_counts = recount_changes(*before_and_after_run_folders)
    is_right = run_cost.status == 0 and {count: report[count] for count in expected_counts} == expected_counts
    return run_cost, [*row, f"{run_cost.seconds:.1f}", f"{run_cost.peak_process_mb:,.0f}"], is_right


def cut_and_compare_runs(folder: Path, size: int) -> list[tuple[RunCost, list[str], bool]]:
    """Cut a corpus of ``size`` megabytes in both pairs of ways and compare each pair."""
    corpus_path, edited_corpus_path = folder / f"{size}.jsonl", folder / f"{size} edited.jsonl"
    write_corpus(corpus_path, size * 1_000_000)
    write_edited_corpus(corpus_path, edited_corpus_path)
    inputs_and_recipes_by_change: Mapping[str, Sequence[tuple[Path, Mapping[str, Any]]]] = {
        "a sentence more": [(corpus_path, RECIPE), (edited_corpus_path, RECIPE)],
        "1,000 to 800 characters": [(corpus_path, RECIPE_BEFORE), (corpus_path, RECIPE_AFTER)],
    }
    comparison_results = []
    for change_title, inputs_and_recipes in inputs_and_recipes_by_change.items():
        before_and_after_run_folders = [folder / f"run {size} {change_title} {side}" for side in ("before", "after")]
        for (corpus_path_of_run, recipe), run_folder in zip(inputs_and_recipes, before_and_after_run_folders, strict=True):
            assert measure_corpus_command(corpus_path_of_run, run_folder, recipe=recipe).status == 0, (
                f"the run of {size} MB failed"
            )
        comparison_results.append(measure_diff_and_check_counts(f"{size:,} MB", change_title, before_and_after_run_folders))
    return comparison_results


@command_line_decorator_for_main(
    build_function_adding_option(
        "--sizes", type=parse_comma_separated_numbers, default="10,50,100", metavar="MB,MB", help="megabytes of the corpora"
    ),
)
def main(sizes: list[int]) -> int:
    """Run the measurements; return 1 if a count is wrong or memory grows."""
    print(f"load {load_averages()} at the beginning", flush=True)
    comparison_results = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as temporary_folder:
            comparison_results += cut_and_compare_runs(Path(temporary_folder), size)
    head = ["corpus", "change", "chunks", "kept", "changed", "new", "gone", "tokens again", "seconds", "peak, MB"]
    print(markdown_table(head, [row for _, row, _ in comparison_results]))
    print(f"load {load_averages()} at the end")
    for _, row, is_right in comparison_results:
        if not is_right:
            print(f"{row[0]}, {row[1]}: the counts are not those of the chunks")
    peaks = [run.peak_process_mb for run, _, _ in comparison_results]
    return (
        0
        if all(is_right for *_, is_right in comparison_results) and max(peaks) <= MAX_MEMORY_GROWTH_RATIO * min(peaks)
        else 1
    )


if __name__ == "__main__":
    raise SystemExit(main())
