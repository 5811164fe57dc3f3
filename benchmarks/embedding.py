"""The bundled model: ours beside plain ``SentenceTransformer.encode`` at its defaults, on every bundled text.

Run as ``python -m benchmarks.embedding [--repeats N] [--only NAME]...``. Plain, ours, and ours in bfloat16 have a process
each, which loads the model once, and take turns; ours are timed with sorting, batches and an empty cache, as a chunker
embeds. The exit status is 1 where an exact vector differs by 1e-6 or more, the exact model is slower on any text, or less
than 1.2 times as fast on the essay. What bfloat16 gains depends on the processor, so that nothing is required of it; how far
it moves the distances of neighbouring sentences stands beside it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache, partial
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from benchmarks.measure import table
from benchmarks.start import peak_mb
from chunkers import Document, Tools, load_embedder, load_tokenizer
from chunkers.arrays import VectorArray
from chunkers.embedders import BFLOAT16, MiniLM
from chunkers.embedders.precision import measured
from chunkers.text.minilm import checked_model_folder
from evaluation.segmentation.agreement import distance_shift
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
def _ours(name: str) -> Encode:
    embedder = load_embedder(name, "cpu")
    embedder.load()
    return lambda texts: Tools(embedder, load_tokenizer()).embed(texts)


@cache
def product() -> str:
    """Return what a matrix product alone gains, as measured when bfloat16 is first used."""
    return measured("cpu").words()


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
    parser.add_argument("--only", action="append", metavar="NAME", choices=[*sample_titles()])
    options = parser.parse_args()
    repeats = options.repeats
    rows, missed = [], []
    with ExitStack() as stack:
        encoders = (_plain, partial(_ours, MiniLM.name), partial(_ours, BFLOAT16))
        sides = [
            (stack.enter_context(ProcessPoolExecutor(1, mp_context=get_context("spawn"))), encoder) for encoder in encoders
        ]
        for name in options.only or sample_titles():
            sample = load_sample(name)
            document = Document.from_text(sample.text, sample.sentences)
            texts = list(dict.fromkeys(document.sentence_texts))
            for process, encoder in sides:
                process.submit(turn, encoder, texts[:1]).result()
            turns = [[process.submit(turn, encoder, texts).result() for process, encoder in sides] for _ in range(repeats)]
            plain, ours, rounded = (statistics.median(of[side].seconds for of in turns) for side in range(3))
            vectors = [one.vectors for one in turns[0]]
            difference = float(np.abs(vectors[0] - vectors[1]).max())
            ratio, rounded_ratio = (statistics.median(of[0].seconds / of[side].seconds for of in turns) for side in (1, 2))
            if ratio < REQUIRED.get(name, 1) or difference >= TOLERANCE:
                missed.append(name)
            moved = distance_shift(vectors[1], vectors[2])
            tokens = sum(load_embedder().lengths(texts))
            counts = [f"{count:,}" for count in (len(texts), tokens)]
            times = [f"{seconds * 1000:,.0f}" for seconds in (plain, ours, rounded)]
            faster = [f"{ratio:.2f}", f"{rounded_ratio:.2f}"]
            rows.append([name, *counts, *times, *faster, f"{difference:.1e}", f"{moved.greatest:.1e}" if moved else ""])
        peaks = [one.peak_mb for one in turns[-1]]
        said = sides[2][0].submit(product).result()
    head = ["text", "distinct sentences", "word pieces", "plain, ms", "ours, ms", "bfloat16, ms", "ours, times faster"]
    head += ["bfloat16, times faster", "greatest difference, ours", "greatest move of a distance, bfloat16"]
    print(table(head, rows))
    print(f"\nIn a process of its own, {said}.")
    print(f"Peak memory of the process: plain {peaks[0]:,.0f} MB, ours {peaks[1]:,.0f} MB, bfloat16 {peaks[2]:,.0f} MB")
    if missed:
        print(f"Missed on: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
