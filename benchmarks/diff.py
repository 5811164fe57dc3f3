"""Time and memory of comparing two corpus runs of growing size, and whether the counts are right.

``python -m benchmarks.diff`` cuts JSON lines of 10, 50 and 100 MB, made from sentences of the bundled texts, with ``seamark
corpus``: before and after a sentence is put in front of every tenth document, and by ``recursive`` at 1,000 and at 800
characters. It compares the two runs of each pair with ``seamark diff`` and prints seconds and the peak of memory. The exit
status is 1 where a count differs from that of the runs' chunks, held in memory, or memory grows with the corpus by more than
a quarter.
"""

import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.corpus import MOST_GROWTH, RECIPE, RunCost, run_corpus_command, run_measured, write_corpus
from benchmarks.harness import benchmark, comma_separated, load_averages, markdown_table, option

EVERY = 10
"""One document of so many is edited."""

BEFORE, AFTER = (
    RECIPE | {"chunker": "recursive", "parameters": {"size": size}, "tokenizer": "characters"} for size in (1000, 800)
)
"""The recipes whose settings differ."""


def write_edited_corpus(corpus: Path, edited: Path) -> None:
    """Write a corpus with a sentence in front of every tenth document."""
    with corpus.open(encoding="utf-8") as lines, edited.open("w", encoding="utf-8") as file:
        for number, line in enumerate(lines):
            row = json.loads(line)
            if number % EVERY == 0:
                row["text"] = f"This sentence is new. {row['text']}"
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def chunks_of(run: Path) -> Mapping[str, Counter[tuple[str, int]]]:
    """Return the texts of each document's chunks, with their tokens."""
    documents: defaultdict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
    for part in sorted(run.glob("part-*.parquet")):
        columns = pq.read_table(part, columns=["document_id", "text", "tokens"]).to_pydict()
        for name, text, tokens in zip(columns["document_id"], columns["text"], columns["tokens"], strict=True):
            documents[name][text, tokens] += 1
    return documents


def recount_changes(before: Path, after: Path) -> dict[str, int]:
    """Return the counts of a comparison of two runs, from their chunks."""
    old, new = chunks_of(before), chunks_of(after)
    counts: Counter[str] = Counter()
    for name in old.keys() | new.keys():
        gone, added = old[name] - new[name], new[name] - old[name]
        changed = min(gone.total(), added.total())
        counts["kept"] += (old[name] & new[name]).total()
        counts["changed"] += changed
        counts["new"] += added.total() - changed
        counts["gone"] += gone.total() - changed
        counts["tokens_again"] += sum(tokens * count for (_, tokens), count in added.items())
        counts["changed_documents"] += bool(gone or added)
    return dict(counts)


def compare_runs(name: str, change: str, runs: Sequence[Path]) -> tuple[RunCost, list[str], bool]:
    """Compare two runs; return the cost, a row of the table, and whether the counts are right."""
    with tempfile.TemporaryFile() as output:
        measured = run_measured([sys.executable, "-m", "seamark", "diff", *map(str, runs), "--json"], output=output)
        output.seek(0)
        report = json.loads(output.read())
    counts = ("kept", "changed", "new", "gone", "tokens_again")
    row = [name, change, f"{report['before']['chunks']:,}", *(f"{report[count]:,}" for count in counts)]
    expected = recount_changes(*runs)
    is_right = measured.status == 0 and {count: report[count] for count in expected} == expected
    return measured, [*row, f"{measured.seconds:.1f}", f"{measured.largest:,.0f}"], is_right


def measure_at_size(folder: Path, size: int) -> list[tuple[RunCost, list[str], bool]]:
    """Cut a corpus of ``size`` megabytes in both pairs of ways and compare each pair."""
    corpus, edited = folder / f"{size}.jsonl", folder / f"{size} edited.jsonl"
    write_corpus(corpus, size * 1_000_000)
    write_edited_corpus(corpus, edited)
    pairs: Mapping[str, Sequence[tuple[Path, Mapping[str, Any]]]] = {
        "a sentence more": [(corpus, RECIPE), (edited, RECIPE)],
        "1,000 to 800 characters": [(corpus, BEFORE), (corpus, AFTER)],
    }
    rows = []
    for change, sides in pairs.items():
        runs = [folder / f"run {size} {change} {side}" for side in ("before", "after")]
        for (path, recipe), run in zip(sides, runs, strict=True):
            assert run_corpus_command(path, run, recipe=recipe).status == 0, f"the run of {size} MB failed"
        rows.append(compare_runs(f"{size:,} MB", change, runs))
    return rows


@benchmark(
    option("--sizes", type=comma_separated, default="10,50,100", metavar="MB,MB", help="megabytes of the corpora"),
)
def main(sizes: list[int]) -> int:
    """Run the measurements; return 1 if a count is wrong or memory grows."""
    print(f"load {load_averages()} at the beginning", flush=True)
    measured = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            measured += measure_at_size(Path(name), size)
    head = ["corpus", "change", "chunks", "kept", "changed", "new", "gone", "tokens again", "seconds", "peak, MB"]
    print(markdown_table(head, [row for _, row, _ in measured]))
    print(f"load {load_averages()} at the end")
    for _, row, is_right in measured:
        if not is_right:
            print(f"{row[0]}, {row[1]}: the counts are not those of the chunks")
    peaks = [run.largest for run, _, _ in measured]
    return 0 if all(is_right for *_, is_right in measured) and max(peaks) <= MOST_GROWTH * min(peaks) else 1


if __name__ == "__main__":
    raise SystemExit(main())
