"""How long the eight rows of Chroma's table take to chunk, here and with the report's own chunkers.

Both embed with the same model: the report's code in batches of 32 sorted by length within the 500 texts that it hands over,
as sentence-transformers does by itself; ours from an empty cache, which its two `optimal` rows share. Embedding the finished
chunks is the same work for both and is not in these times. The report's chunkers are on no package index: this needs
chunking_evaluation from its repository.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from chunking_evaluation.chunking import ClusterSemanticChunker, FixedTokenChunker, RecursiveTokenChunker
from chunking_evaluation.utils import openai_token_count

from benchmarks.chroma import NAMES, REPORT, Row, load
from benchmarks.measure import Spread, table, timed
from benchmarks.references import CountingEncoder
from benchmarks.size import LONGEST, partition
from chunkers import Document, Embedder, Tools, build_chunker, load_embedder, load_tokenizer, run
from evaluation.retrieval.corpus import Corpus

REQUIRED = 0.5
"""The largest allowed ratio of our time for chunking all rows to that of the report's chunkers."""

DECISIONS = 50
"""How many times faster the decision of `optimal` must at least be."""


class Chunked(NamedTuple):
    """The seconds of one row over all corpora, and the texts of its chunks without white space."""

    seconds: float
    chunks: set[str]
    embedded: int


def reference(row: Row, encoder: CountingEncoder) -> Any:
    """Return the report's chunker of a row."""
    size = row.parameters.get("size", row.parameters.get("max_size"))
    if row.chunker == "optimal":
        return ClusterSemanticChunker(embedding_function=encoder.encode, max_chunk_size=size)
    if row.chunker == "fixed_tokens":
        return FixedTokenChunker(chunk_size=size, chunk_overlap=row.parameters["overlap"])
    return RecursiveTokenChunker(
        chunk_size=size, chunk_overlap=row.parameters["overlap"], length_function=openai_token_count
    )


def theirs(row: Row, corpus: Corpus, embedder: Embedder) -> Chunked:
    """Chunk every corpus with the report's code."""
    encoder = CountingEncoder(embedder)
    chunker = reference(row, encoder)
    began = time.perf_counter()
    pieces = [piece for document in corpus.documents for piece in chunker.split_text(document.text)]
    return Chunked(time.perf_counter() - began, {bare(piece) for piece in pieces}, encoder.embedded)


def ours(row: Row, corpus: Corpus, tools: Tools) -> Chunked:
    """Chunk every corpus; what an earlier row embedded is in the cache."""
    chunker = build_chunker(row.chunker, row.parameters)
    began = time.perf_counter()
    chunkings = [run(chunker, document, tools) for document in corpus.documents]
    seconds = time.perf_counter() - began
    chunks = {bare(chunk.text) for chunking in chunkings for chunk in chunking.chunks}
    return Chunked(seconds, chunks, sum(chunking.timing.embedded for chunking in chunkings if chunking.timing))


def bare(text: str) -> str:
    """Return the text without white space, which the report's code strips and joins."""
    return "".join(text.split())


def decision(document: Document, tools: Tools, repeats: int) -> tuple[list[str], float]:
    """Time the decision of `optimal` alone on the pieces of one corpus; the report's chunker gets its matrix ready-made."""
    chunker = ClusterSemanticChunker(embedding_function=tools.embed)
    vectors = np.ascontiguousarray(tools.embed(chunker.splitter.split_text(document.text)))
    matrix = vectors @ vectors.T
    pairs = []
    for _ in range(repeats):
        their, clusters = timed(lambda: chunker._optimal_segmentation(matrix, LONGEST))
        our, cuts = timed(lambda: partition(vectors))
        pairs.append((their, our, [int(first) for first, _ in clusters[1:]] == cuts))
    ratio = Spread.of(their / our for their, our, _ in pairs)
    times = [1000 * float(np.median([pair[place] for pair in pairs])) for place in (0, 1)]
    same = "yes" if all(equal for *_, equal in pairs) else "no"
    return [document.name, f"{len(vectors):,}", f"{times[1]:.2f}", f"{times[0]:,.0f}", ratio.times(), same], ratio.median


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables; the exit status is 1 where a required ratio is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chroma_chunking", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/data/chroma"))
    parser.add_argument("--corpus", action="append", choices=NAMES, help="only this corpus")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="how often each decision is timed (default: 5)")
    options = parser.parse_args(arguments)
    # LlamaIndex carries the table of cl100k, so that nothing is fetched.
    os.environ["TIKTOKEN_CACHE_DIR"] = str(resources.files("llama_index.core") / "_static" / "tiktoken_cache")
    corpus = load(options.folder, options.corpus or NAMES)
    embedder = load_embedder()
    embedder.load()
    tools = Tools(embedder, load_tokenizer("cl100k_base"))
    tools.count_tokens(["Load the table."])
    partition(np.eye(2, dtype=np.float32))
    rows = []
    sums = [0.0, 0.0]
    for row in REPORT:
        our, their = ours(row, corpus, tools), theirs(row, corpus, embedder)
        sums = [sums[0] + our.seconds, sums[1] + their.seconds]
        shared = len(our.chunks & their.chunks) / len(their.chunks)
        rows.append(
            [
                row.title,
                f"{our.seconds:.2f}",
                f"{their.seconds:.2f}",
                f"{our.seconds / their.seconds:.2f}",
                f"{our.embedded:,} / {their.embedded:,}",
                f"{100 * shared:.1f} %",
            ]
        )
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    rows.append(["all", f"{sums[0]:.1f}", f"{sums[1]:.1f}", f"{sums[0] / sums[1]:.2f}", "", ""])
    print(table(["chunker", "ours, s", "report's, s", "ours / report's", "texts embedded", "its chunks, ours too"], rows))
    decisions = [decision(document, tools, options.repeats) for document in corpus.documents]
    print()
    print(
        table(
            ["optimal", "pieces", "ours, ms", "report's, ms", "times faster", "same cuts"], [line for line, _ in decisions]
        )
    )
    return int(sums[0] > REQUIRED * sums[1] or min(ratio for _, ratio in decisions) < DECISIONS)


if __name__ == "__main__":
    sys.exit(main())
