"""The bundled model: ours beside plain ``SentenceTransformer.encode`` at its defaults, on every bundled text.

Run as ``python -m benchmarks.embedding [--repeats N]``. Each of the two has a process of its own, which loads the model
once, and they take turns; ours is timed with sorting, batches and an empty cache, as a chunker embeds. The exit status is 1
where a vector differs by 1e-6 or more, ours is slower on any text, or less than 1.2 times as fast on the essay.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from benchmarks.measure import table
from benchmarks.start import peak_mb
from chunkers import Document, Tools, load_embedder, load_tokenizer
from chunkers.arrays import VectorArray
from chunkers.text.minilm import checked_model_folder
from sample_docs import load_sample, sample_titles

TOLERANCE = 1e-6
REQUIRED = {"essay": 1.2}
"""How many times as fast as plain ``encode`` ours must be; on the other texts at least as fast."""

Encode = Callable[[list[str]], VectorArray]


class Turn(NamedTuple):
    """Seconds, vectors, and the most memory that the process has had so far, in MB."""

    seconds: float
    vectors: VectorArray
    peak_mb: float


@cache
def _plain() -> Encode:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(checked_model_folder()), device="cpu").encode  # type: ignore[no-any-return]


@cache
def _ours() -> Encode:
    embedder = load_embedder()
    embedder.load()
    return lambda texts: Tools(embedder, load_tokenizer()).embed(texts)


def turn(encoder: Callable[[], Encode], texts: list[str]) -> Turn:
    """Embed the texts once; the model is loaded before the clock starts."""
    encode = encoder()
    began = time.perf_counter()
    vectors = encode(texts)
    return Turn(time.perf_counter() - began, vectors, peak_mb())


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    rows, missed = [], []
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as one,
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other,
    ):
        sides = ((one, _plain), (other, _ours))
        for name in sample_titles():
            sample = load_sample(name)
            document = Document.from_text(sample.text, sample.sentences)
            texts = list(dict.fromkeys(document.sentence_texts))
            for process, encoder in sides:
                process.submit(turn, encoder, texts[:1]).result()
            turns = [[process.submit(turn, encoder, texts).result() for process, encoder in sides] for _ in range(repeats)]
            plain, ours = (statistics.median(pair[side].seconds for pair in turns) for side in (0, 1))
            difference = float(np.abs(turns[0][0].vectors - turns[0][1].vectors).max())
            ratio = statistics.median(pair[0].seconds / pair[1].seconds for pair in turns)
            if ratio < REQUIRED.get(name, 1) or difference >= TOLERANCE:
                missed.append(name)
            tokens = sum(load_embedder().lengths(texts))
            counts = [f"{count:,}" for count in (len(texts), tokens)]
            times = [f"{plain * 1000:,.0f}", f"{ours * 1000:,.0f}", f"{ratio:.2f}"]
            rows.append([name, *counts, *times, f"{difference:.1e}"])
        peaks = [turns[-1][side].peak_mb for side in (0, 1)]
    head = ["text", "distinct sentences", "word pieces", "plain, ms", "ours, ms", "times faster", "greatest difference"]
    print(table(head, rows))
    print(f"\nPeak memory of the process: plain {peaks[0]:,.0f} MB, ours {peaks[1]:,.0f} MB")
    if missed:
        print(f"Missed on: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
