"""How long the published grids take over the bundled documents with known boundaries, once their sentences are embedded."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from benchmarks.measure import table, timed
from chunkers import Document, Tools, load_embedder, load_tokenizer
from evaluation.segmentation.sweep import Marked, published, sweep
from sample_docs import load_sample, sample_titles

ALLOWED_S = 60
"""Seconds that all of it may take at most on two cores."""


def marked_samples() -> list[Marked]:
    """Return the bundled documents whose boundaries are known."""
    samples = [(name, load_sample(name)) for name in sample_titles()]
    return [
        Marked(Document.from_text(sample.text, sample.sentences, name), sample.known)
        for name, sample in samples
        if sample.known is not None
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the times; the exit status is 1 where they are too long."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grid", description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="default: one a core")
    workers = parser.parse_args(arguments).workers
    documents = marked_samples()
    embedder = load_embedder()
    embedder.load()
    tools = Tools(embedder, load_tokenizer())
    embedding_s, _ = timed(lambda: [tools.embed(marked.document.sentence_texts) for marked in documents])
    sentences = sum(len(marked.document.sentences) for marked in documents)
    print(f"{len(documents)} documents, {sentences:,} sentences, embedded in {embedding_s:.1f} s; {workers} workers.")
    settings = published()
    rows = []
    whole = 0.0
    for chunker in dict.fromkeys(setting.chunker for setting in settings):
        grid = [setting for setting in settings if setting.chunker == chunker]
        seconds, found = timed(lambda: list(sweep(documents, grid, tools, workers)))  # noqa: B023 - called at once
        whole += seconds
        rows.append([chunker, f"{len(grid)}", f"{len(found):,}", f"{seconds:.1f}"])
    rows.append(["all", f"{len(settings)}", f"{len(settings) * len(documents):,}", f"{whole:.1f}"])
    print(table(["chunker", "settings", "runs", "seconds"], rows))
    return int(whole > ALLOWED_S)


if __name__ == "__main__":
    sys.exit(main())
