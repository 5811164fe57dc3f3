"""The bundled model and the static one, beside plain ``SentenceTransformer.encode`` at its defaults, on all bundled texts.

Run as ``python -m benchmarks.embedding [--repeats N] [--only NAME]...``. Plain, ours, ours in bfloat16 and static have a
process each, which loads the model once, and take turns; ours are timed with sorting, batches and an empty cache, as a
chunker embeds, and static knows no word of a text; its table is distilled before, if it is not on this machine. The exit
status is 1 where an exact vector differs by 1e-6 or more, the exact model or static is slower on any text, or on the essay
less than 1.2 or 100 times as fast. What bfloat16 gains depends on the processor, so that nothing is required of it; how far
it and static move the distances of neighbouring sentences stands beside them.
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
from chunkers.embedders.static import Static
from chunkers.text.minilm import checked_model_folder
from evaluation.segmentation.agreement import distance_shift
from sample_docs import load_sample, sample_titles

TOLERANCE = 1e-6
REQUIRED, REQUIRED_STATIC = {"essay": 1.2}, {"essay": 100}
"""How many times as fast as plain ``encode`` ours and static must be; on the other texts at least as fast."""

SIDES = ("plain", "ours", "bfloat16", "static")

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


def _static() -> Encode:
    # Not cached: it remembers the words that it has met.
    embedder = Static()
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
        encoders = (_plain, partial(_ours, MiniLM.name), partial(_ours, BFLOAT16), _static)
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
            seconds = [statistics.median(of[side].seconds for of in turns) for side in range(len(sides))]
            vectors = [one.vectors for one in turns[0]]
            difference = float(np.abs(vectors[0] - vectors[1]).max())
            ratios = [statistics.median(of[0].seconds / of[side].seconds for of in turns) for side in (1, 2, 3)]
            if ratios[0] < REQUIRED.get(name, 1) or ratios[2] < REQUIRED_STATIC.get(name, 1) or difference >= TOLERANCE:
                missed.append(name)
            moved = [distance_shift(vectors[1], other) for other in vectors[2:]]
            tokens = sum(load_embedder().lengths(texts))
            counts = [f"{count:,}" for count in (len(texts), tokens)]
            times = [f"{one * 1000:,.0f}" for one in seconds[:-1]] + [f"{seconds[-1] * 1000:,.1f}"]
            faster = [f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}" for ratio in ratios]
            greatest = [f"{one.greatest:.1e}" if one else "" for one in moved]
            rows.append([name, *counts, *times, *faster, f"{difference:.1e}", *greatest])
        peaks = [one.peak_mb for one in turns[-1]]
        said = sides[2][0].submit(product).result()
    head = ["text", "distinct sentences", "word pieces", *(f"{side}, ms" for side in SIDES)]
    head += [f"{side}, times faster" for side in SIDES[1:]]
    head += ["greatest difference, ours", *(f"greatest move of a distance, {side}" for side in SIDES[2:])]
    print(table(head, rows))
    print(f"\nIn a process of its own, {said}.")
    print("Peak memory of the process: " + ", ".join(f"{side} {mb:,.0f} MB" for side, mb in zip(SIDES, peaks, strict=True)))
    if missed:
        print(f"Missed on: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
