"""Recall of late chunking less that of plain chunk vectors, with the same chunks and questions at equal budgets of tokens.

The model is the bundled one, which reads 256 word pieces at once. The corpora are the bundled documents and Chroma's, all
of a folder searched together. The intervals are those of `evaluation.statistics`, corrected over the budgets of a row.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.chroma import NAMES, posed
from benchmarks.heading_path import Material, bundled
from benchmarks.measure import table
from chunkers import Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.storage.cache import EmbeddingCache
from evaluation.questions.corpus import Ruler
from evaluation.retrieval.budget import Budgets, evaluate_at
from evaluation.search.index import build_index
from evaluation.statistics.paired import compare_all, ends_words

BUDGETS = Budgets((250, 500, 1000), "tokens")

CHUNKERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("recursive", {"size": 100, "unit": "tokens"}),
    ("recursive", {"size": 250, "unit": "tokens"}),
    ("fixed_sentences", {"size": 4}),
    ("fixed_sentences", {"size": 1}),
)

HEAD = ["corpus", "chunker", "chunks", "plain, s", "late, s"]
HEAD += [f"{size:,}, {what}" for size in BUDGETS.sizes for what in ("plain", "late", "difference")]


def chroma(folder: Path, names: Sequence[str]) -> Material:
    """Return the named corpora of Chroma as material, and print its size."""
    corpus, questions = posed(folder, names)
    print(f"Chroma: {len(corpus.documents)} documents, {len(questions)} questions.")
    return Material("Chroma", corpus, tuple(questions))


def rows(material: Material, tools: Tools, count: int) -> Iterator[list[str]]:
    """Yield a row of the table for each of the first ``count`` chunkers."""
    ruler = Ruler(material.corpus.whole.text, tools.tokenizer)
    for chunker, parameters in CHUNKERS[:count]:
        built = build_chunker(chunker, parameters, tools.embedder)
        plain = build_index(material.corpus, built, tools)
        late = build_index(material.corpus, built, tools, "late")
        values = []
        for index in (plain, late):
            found = evaluate_at(index, material.questions, tools, ruler, BUDGETS)
            values.append(np.array([found.values("recall", size, BUDGETS.unit) for size in BUDGETS.sizes]))
        cells = []
        for before, after, difference in zip(*values, compare_all(values[1] - values[0]), strict=True):
            cells += [f"{100 * np.nanmean(before):.1f}", f"{100 * np.nanmean(after):.1f}"]
            if difference is None:
                cells.append("too few questions")
            else:
                ends = " to ".join(ends_words(difference.low, difference.high, 100, 1))
                cells.append(f"{difference.points} ({ends})")
        times = [f"{index.embed_s:.1f}" for index in (plain, late)]
        yield [material.name, f"{chunker}, {built.describe()}", f"{len(plain.chunks):,}", *times, *cells]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.late_chunking", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/data/chroma"))
    parser.add_argument("--corpus", action="append", choices=NAMES, help="only this corpus of the folder")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep embeddings in this SQLite file")
    parser.add_argument("--chunkers", type=int, default=len(CHUNKERS), metavar="N", help="only the first N chunkers")
    options = parser.parse_args(arguments)
    tools = Tools(load_embedder(), load_tokenizer("all-MiniLM-L6-v2"), EmbeddingCache(options.cache))
    materials = [bundled()]
    if options.folder.is_dir():
        materials.append(chroma(options.folder, options.corpus or NAMES))
    else:
        print(f"{options.folder} is not there: its corpora are left out.")
    made = []
    for material in materials:
        for row in rows(material, tools, options.chunkers):
            made.append(row)
            print(" | ".join(row), file=sys.stderr, flush=True)
    print("\nRecall in percent at budgets of tokens, and the difference in points:\n")
    print(table(HEAD, made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
