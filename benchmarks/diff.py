"""Time and memory of comparing two corpus runs of growing size.

``python -m benchmarks.diff`` cuts JSON lines of 10, 50 and 100 MB, made from sentences of the bundled texts, twice with
``seamark corpus``: as they are, and with one more sentence in front of every tenth document. It then compares the two runs
with ``seamark diff`` and prints seconds and the peak of memory. The exit status is 1 where the comparison finds another
number of changed documents, or memory grows with the corpus by more than a quarter.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.corpus import MOST_GROWTH, Measured, cut, watched, write_corpus
from benchmarks.measure import table

EVERY = 10
"""One document of so many is edited."""


def edit(corpus: Path, edited: Path) -> int:
    """Write a corpus with a sentence in front of every tenth document; return the number of these documents."""
    count = 0
    with corpus.open(encoding="utf-8") as lines, edited.open("w", encoding="utf-8") as file:
        for number, line in enumerate(lines):
            row = json.loads(line)
            if number % EVERY == 0:
                row["text"] = f"This sentence is new. {row['text']}"
                count += 1
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return count


def compare(folder: Path, size: int) -> tuple[Measured, list[str], bool]:
    """Compare two runs of ``size`` megabytes; return the cost, a row of the table, and whether the counts are right."""
    corpus, edited = folder / f"{size}.jsonl", folder / f"{size} edited.jsonl"
    write_corpus(corpus, size * 1_000_000)
    changed = edit(corpus, edited)
    runs = [folder / f"run {path.stem}" for path in (corpus, edited)]
    for path, run in zip((corpus, edited), runs, strict=True):
        assert cut(path, run).status == 0, f"the run of {size} MB failed"
    with tempfile.TemporaryFile() as output:
        measured = watched([sys.executable, "-m", "seamark", "diff", *map(str, runs), "--json"], output=output)
        output.seek(0)
        told = json.loads(output.read())
    row = [
        f"{size:,} MB",
        f"{told['before']['chunks']:,}",
        f"{told['kept']:,}",
        f"{told['tokens_again']:,}",
        f"{measured.seconds:.1f}",
        f"{measured.largest:,.0f}",
    ]
    return measured, row, measured.status == 0 and told["changed_documents"] == changed and told["documents"] >= changed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the measurements; return 1 if a count is wrong or memory grows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diff", description=__doc__)
    parser.add_argument("--sizes", default="10,50,100", metavar="MB,MB", help="megabytes of the corpora")
    options = parser.parse_args(arguments)
    print(f"load {', '.join(f'{average:.1f}' for average in os.getloadavg())} at the beginning", flush=True)
    with tempfile.TemporaryDirectory() as name:
        measured = [compare(Path(name), int(size)) for size in options.sizes.split(",")]
    head = ["corpus", "chunks", "kept", "tokens again", "seconds", "peak, MB"]
    print(table(head, [row for _, row, _ in measured]))
    print(f"load {', '.join(f'{average:.1f}' for average in os.getloadavg())} at the end")
    peaks = [run.largest for run, _, _ in measured]
    return 0 if all(right for _, _, right in measured) and max(peaks) <= MOST_GROWTH * min(peaks) else 1


if __name__ == "__main__":
    sys.exit(main())
