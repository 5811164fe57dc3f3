"""The bundled model and the static one compared with ``SentenceTransformer.encode``, on one thread and on two.

Run as ``python -m benchmarks.embedding [--repeats N] [--only NAME]... [--threads N]...``, on an otherwise idle machine.
A process for each side and number of threads loads the model once; they take turns. Ours are timed with sorting,
batches and an empty cache, as a chunker embeds, and static knows no word of a text; its table is distilled before, if it is
not on this machine. The exit status is 1 where a vector of ours differs from plain ones by 1e-6 or more.

OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE are not passed on: they hold NumPy to older kernels, and change nothing for torch.
"""

import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    peak_kib,
    print_progress,
)
from chunkers import Document, Tools, load_embedder, load_tokenizer
from chunkers.embedders.static_embedder import Static
from chunkers.support import VectorArray
from chunkers.text import checked_model_folder
from sample_docs import load_sample, sample_titles

MOST_VECTOR_DIFFERENCE = 1e-6

_OPENBLAS_KERNEL_VARIABLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_THREAD_COUNT_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Encode = Callable[[list[str]], VectorArray]


class EncodingCost(NamedTuple):
    """The measurements of one process: wall-clock and processor seconds, the vectors, and the peak memory in MB."""

    seconds: float
    processor: float
    vectors: VectorArray
    peak_mb: float


@cache
def _sentence_transformers_encoder() -> Encode:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(checked_model_folder()), device="cpu").encode  # type: ignore[no-any-return]


@cache
def _bundled_model_encoder() -> Encode:
    embedder = load_embedder(device="cpu")
    embedder.ensure_loaded()
    return lambda texts: Tools(embedder, load_tokenizer()).embed(texts)


def _static_encoder() -> Encode:
    # Not cached: it remembers the words that it has met.
    our_static_embedder = Static()
    our_static_embedder.ensure_loaded()
    return lambda texts: Tools(our_static_embedder, load_tokenizer()).embed(texts)


ENCODER_LOADER_BY_SIDE: dict[str, Callable[[], Encode]] = {
    "plain": _sentence_transformers_encoder,
    "ours": _bundled_model_encoder,
    "static": _static_encoder,
}


def measure_encoding(measured_side_name: str, texts: list[str]) -> EncodingCost:
    """Embed the texts once and time it; the model is loaded before."""
    encode = ENCODER_LOADER_BY_SIDE[measured_side_name]()
    began, cpu_time_before = time.perf_counter(), time.process_time()
    vectors = encode(texts)
    return EncodingCost(time.perf_counter() - began, time.process_time() - cpu_time_before, vectors, peak_kib() / 1000)


def blas_kernels() -> str:
    """Return the BLAS kernels that NumPy uses in this process, and their number of threads."""
    from threadpoolctl import threadpool_info

    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return ", ".join(
        f"{library['internal_api']} {library.get('architecture')}, threads: {library['num_threads']}"
        for library in libraries
    )


@command_line_decorator_for_main(
    build_function_adding_option("--repeats", dest="repeat_count", type=int, default=5),
    build_function_adding_option("--only", dest="sample_names", action="append", metavar="NAME", choices=[*sample_titles()]),
    build_function_adding_option("--threads", dest="thread_counts", action="append", type=int, metavar="N"),
)
def main(repeat_count: int, sample_names: list[str] | None, thread_counts: list[int] | None) -> int:
    """Print the table; return 1 if a vector differs from the plain model's."""
    for variable_name in _OPENBLAS_KERNEL_VARIABLES:
        os.environ.pop(variable_name, None)
    rows, missed_sample_names = [], []
    for thread_count in thread_counts or [1, 2]:
        os.environ.update(dict.fromkeys(_THREAD_COUNT_VARIABLES, str(thread_count)))
        with ExitStack() as stack:
            process_pool_by_side = {
                side: stack.enter_context(ProcessPoolExecutor(1, mp_context=get_context("spawn")))
                for side in ENCODER_LOADER_BY_SIDE
            }
            for sample_name in sample_names or ["essay", "report"]:
                sample = load_sample(sample_name)
                texts = list(dict.fromkeys(Document.from_text(sample.text, sample.sentences).sentence_texts))
                for compared_side_name, process_pool in process_pool_by_side.items():
                    process_pool.submit(measure_encoding, compared_side_name, texts[:1]).result()
                encoding_costs_by_repeat = [
                    {
                        side: process.submit(measure_encoding, side, texts).result()
                        for side, process in process_pool_by_side.items()
                    }
                    for _ in range(repeat_count)
                ]
                largest_difference = float(
                    np.abs(encoding_costs_by_repeat[0]["plain"].vectors - encoding_costs_by_repeat[0]["ours"].vectors).max()
                )
                if largest_difference >= MOST_VECTOR_DIFFERENCE:
                    missed_sample_names.append(sample_name)
                for compared_side_name in ENCODER_LOADER_BY_SIDE:
                    clock_seconds, processor_seconds = (
                        statistics.median(getattr(repeat[compared_side_name], kind) for repeat in encoding_costs_by_repeat)
                        for kind in ("seconds", "processor")
                    )
                    speed_ratios = [
                        statistics.median(
                            getattr(repeat["plain"], kind) / getattr(repeat[compared_side_name], kind)
                            for repeat in encoding_costs_by_repeat
                        )
                        for kind in ("seconds", "processor")
                    ]
                    time_cells = [
                        f"{1000 * clock_seconds:,.0f}",
                        f"{1000 * processor_seconds:,.0f}",
                        *(f"{ratio:.2f}" for ratio in speed_ratios),
                    ]
                    peak = f"{encoding_costs_by_repeat[-1][compared_side_name].peak_mb:,.0f}"
                    rows.append(
                        [
                            sample_name,
                            str(thread_count),
                            compared_side_name,
                            *time_cells,
                            f"{largest_difference:.1e}" if compared_side_name == "ours" else "",
                            peak,
                        ]
                    )
            print(process_pool_by_side["ours"].submit(blas_kernels).result())
    head = ["text", "threads", "side", "clock, ms", "processor, ms", "times faster, clock", "times faster, processor"]
    print(markdown_table([*head, "greatest difference", "peak memory, MB"], rows))
    if missed_sample_names:
        print_progress(f"Missed on: {', '.join(missed_sample_names)}")
    return 1 if missed_sample_names else 0


if __name__ == "__main__":
    raise SystemExit(main())
