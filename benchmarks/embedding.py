"""The bundled model and the static one beside plain ``SentenceTransformer.encode`` at its defaults, on every bundled text.

Run as ``python -m benchmarks.embedding [--repeats N]``. Each has a process of its own, which loads its model once, and they
take turns; ours are timed with sorting, batches and an empty cache, as a chunker embeds. A static table that is not on this
machine is distilled before the clock starts. The exit status is 1 where a vector of the exact model differs by 1e-6 or more,
one of ours is slower on any text, or on the essay exact is less than 1.2 or static less than 100 times as fast.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
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
REQUIRED: dict[str, dict[str, float]] = {"exact": {"essay": 1.2}, "static": {"essay": 100}}
"""How many times as fast as plain ``encode`` each of ours must be on a text; on the others at least as fast."""

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


def _embedder(name: str) -> Encode:
    embedder = load_embedder(name)
    embedder.load()
    return lambda texts: Tools(embedder, load_tokenizer()).embed(texts)


@cache
def _exact() -> Encode:
    return _embedder("all-MiniLM-L6-v2")


@cache
def _static() -> Encode:
    return _embedder("static")


OURS = {"exact": _exact, "static": _static}


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
    sides = {"plain": _plain, **OURS}
    rows, missed, peaks = [], [], {}
    with ExitStack() as stack:
        processes = {side: stack.enter_context(ProcessPoolExecutor(1, mp_context=get_context("spawn"))) for side in sides}
        for name in sample_titles():
            sample = load_sample(name)
            document = Document.from_text(sample.text, sample.sentences)
            texts = list(dict.fromkeys(document.sentence_texts))
            for side, process in processes.items():
                process.submit(turn, sides[side], texts[:1]).result()
            turns: dict[str, list[Turn]] = {side: [] for side in sides}
            for _ in range(repeats):
                for side, process in processes.items():
                    turns[side].append(process.submit(turn, sides[side], texts).result())
            tokens = sum(load_embedder().lengths(texts))
            row = [name, f"{len(texts):,}", f"{tokens:,}", _median_ms(turns["plain"])]
            for side in OURS:
                pairs = zip(turns["plain"], turns[side], strict=True)
                ratio = statistics.median(plain.seconds / ours.seconds for plain, ours in pairs)
                if ratio < REQUIRED[side].get(name, 1):
                    missed.append(f"{name} ({side})")
                row += [_median_ms(turns[side]), f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"]
            difference = float(np.abs(turns["plain"][0].vectors - turns["exact"][0].vectors).max())
            if difference >= TOLERANCE:
                missed.append(f"{name} (vectors)")
            rows.append([*row, f"{difference:.1e}"])
            peaks = {side: turns[side][-1].peak_mb for side in sides}
    head = ["text", "distinct sentences", "word pieces", "plain, ms"]
    head += [said for side in OURS for said in (f"{side}, ms", "times faster")]
    print(table([*head, "greatest difference of exact"], rows))
    print("\nPeak memory of the process: " + ", ".join(f"{side} {peak:,.0f} MB" for side, peak in peaks.items()))
    if missed:
        print(f"Missed on: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


def _median_ms(turns: Sequence[Turn]) -> str:
    milliseconds = statistics.median(one.seconds for one in turns) * 1000
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:,.1f}"


if __name__ == "__main__":
    sys.exit(main())
