"""Time and memory of every chunker on growing texts, at its defaults and at its most expensive settings."""

import multiprocessing
import re
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    parse_comma_separated_numbers,
    peak_kib,
    print_progress,
)
from chunkers import Document, Embedder, InputError, Tools, build_chunker, load_tokenizer, run_chunker

SENTENCE_COUNTS = (1_000, 5_000, 20_000, 60_000)
"""Numbers of sentences of the texts."""

VECTOR_DIMENSION = 384
"""Dimension of the vectors."""

MOST_SECONDS, MOST_MEMORY = 20, 2_000_000_000
"""Upper limits for one chunker: seconds, and bytes of memory in addition to the vectors."""

MOST_RUN_SECONDS = 60
"""Seconds after which a run is aborted."""

JOIN_EVERYTHING_THRESHOLDS = {"initial_threshold": -1, "appending_threshold": -1, "merging_threshold": -1}


class Case(NamedTuple):
    """A chunker with its settings, and the number of sentences per subject in its text (0 for a single subject)."""

    chunker: str
    parameters: Mapping[str, Any] = {}
    sentences_per_subject: int = 20
    note: str = ""

    @property
    def title_with_settings(self) -> str:
        """The chunker, its settings and the note, for the table."""
        details = ", ".join(
            [*(f"{name} {value}" for name, value in self.parameters.items()), *([self.note] if self.note else [])]
        )
        return f"`{self.chunker}`" + (f", {details}" if details else "")


CASES = (
    Case("fixed_sentences"),
    Case("fixed_sentences", {"size": 9999, "overlap": 9998}),
    Case("fixed_words"),
    Case("fixed_characters"),
    Case("fixed_characters", {"size": 5000, "overlap": 4999}),
    Case("fixed_tokens"),
    Case("recursive"),
    Case("recursive", {"size": 1_000_000, "overlap": 999_999}),
    Case("structure"),
    Case("structure", {"max_size": 10}),
    Case("structure", {"inner": "change_point"}),
    Case("turns"),
    Case("code"),
    Case("breakpoint"),
    Case("target_size"),
    Case("double_pass"),
    Case("double_pass", {"vector": "re-embed"}),
    Case("double_pass", {"vector": "re-embed", **JOIN_EVERYTHING_THRESHOLDS, "appending_threshold": 1}, note="all merge"),
    Case("max_min"),
    Case("max_min", {"hard_threshold": -1, "relaxation": 0}, note="all join"),
    Case("optimal"),
    Case("optimal", {"piece_size": 1, "max_size": 2000}),
    Case("change_point"),
    Case("change_point", sentences_per_subject=0, note="one subject"),
    Case("change_point", {"penalty": 1.0}, sentences_per_subject=0, note="one subject"),
    Case("change_point", {"penalty": 100}),
    Case("change_point", {"chunks": 10}),
    Case("single_linkage"),
    Case("dbscan"),
    Case("kmeans"),
    Case("kmeans", {"clusters": 1000}),
)


class PreparedEmbedder(Embedder):
    """An embedder that returns a prepared vector for the first number in a text, so that only the decision is timed."""

    name = "made"
    revision = "1"
    batch = 4096

    def __init__(self, vectors: npt.NDArray[np.float32]) -> None:
        self._vectors = vectors

    def ensure_loaded(self) -> None:
        """Do nothing; there is no model."""

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return zeros, since no text is read."""
        return [0] * len(texts)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit vectors, shape (len(texts), 384)."""
        number_matches = (re.search(r"\d+", text) for text in texts)
        return self._vectors[[int(number[0]) if number else 0 for number in number_matches]]


def random_vectors_grouped_in_subjects(count: int, sentences_per_subject: int) -> npt.NDArray[np.float32]:
    """Return unit vectors of sentences with a mean cosine of 0.3 within a subject, shape (count, 384)."""
    random = np.random.default_rng(0)
    subject_count = count // sentences_per_subject + 1 if sentences_per_subject else 1
    # Embeddings vary in fewer directions than they have dimensions.
    noise = random.normal(size=(count, VECTOR_DIMENSION)) * np.exp(-np.arange(VECTOR_DIMENSION) / 100)
    centres = random.normal(size=(subject_count, VECTOR_DIMENSION))
    noise, centres = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (noise, centres))
    sentence_vectors = np.sqrt(0.3) * centres[np.arange(count) // (sentences_per_subject or count)] + np.sqrt(0.7) * noise
    return np.asarray(sentence_vectors / np.linalg.norm(sentence_vectors, axis=1, keepdims=True), dtype=np.float32)


def text_of_numbered_sentences(count: int) -> str:
    """Return a text of ``count`` sentences, one per line, with a blank line after every twentieth."""
    return "".join(
        f"Sentence {number} tells how high the tide stood and who wrote it down.\n" + "\n" * (number % 20 == 19)
        for number in range(count)
    )


def measure_case_and_send_result(case: Case, sentence_count: int, result_connection: Connection) -> None:
    """Send the wall-clock and processor seconds, the additional memory in bytes, and the error message if refused."""
    tools = Tools(
        PreparedEmbedder(random_vectors_grouped_in_subjects(sentence_count, case.sentences_per_subject)), load_tokenizer()
    )
    chunker = build_chunker(case.chunker, case.parameters)
    # Load and compile the dependencies, and embed.
    warm_up_chunker = build_chunker(case.chunker, {key: value for key, value in case.parameters.items() if key != "chunks"})
    run_chunker(warm_up_chunker, Document.from_text(text_of_numbered_sentences(30), "lines"), tools)
    document = Document.from_text(text_of_numbered_sentences(sentence_count), "lines")
    if chunker.embeds:
        tools.embed(document.sentence_texts)
    peak_memory_before = _reset_peak_memory()
    began, cpu_seconds = time.perf_counter(), time.process_time()
    try:
        run_chunker(chunker, document, tools)
        refusal = ""
    except InputError as error:
        refusal = str(error)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_seconds
    result_connection.send((seconds, cpu_seconds, 1024 * (peak_kib() - peak_memory_before), refusal))


def _reset_peak_memory() -> int:
    """Reset this process's peak memory; return its current memory in KiB. Linux only."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak_kib()


def measure_in_process(case: Case, sentence_count: int) -> tuple[float, float, float, str] | None:
    """Run `measure_case_and_send_result` in a process of its own; return None if it takes too long or too much memory."""
    spawn_context = multiprocessing.get_context("spawn")
    receiving_end, sending_end = spawn_context.Pipe(duplex=False)
    process = spawn_context.Process(target=measure_case_and_send_result, args=(case, sentence_count, sending_end))
    process.start()
    sending_end.close()
    try:
        # Allow time for loading and compiling.
        if receiving_end.poll(MOST_RUN_SECONDS * 2):
            measurements: tuple[float, float, float, str] = receiving_end.recv()
            return measurements
    except EOFError:
        pass
    finally:
        process.kill()
        process.join()
    return None


@command_line_decorator_for_main(
    build_function_adding_option(
        "--only", dest="only_title_part", default="", metavar="NAME", help="chunkers whose title has this in it"
    ),
    build_function_adding_option(
        "--sizes",
        type=parse_comma_separated_numbers,
        default=",".join(map(str, SENTENCE_COUNTS)),
        help="numbers of sentences, separated by commas",
    ),
)
def main(only_title_part: str, sizes: list[int]) -> int:
    """Print the table; return 1 if an accepted run takes more than 20 seconds or 2 GB."""
    rows, refusals, is_limit_exceeded = [], [], False
    for case in CASES:
        if only_title_part not in case.title_with_settings:
            continue
        row = [case.title_with_settings]
        for sentence_count in sizes:
            case_measurements = measure_in_process(case, sentence_count)
            if case_measurements is None:
                row.append("ended")
                is_limit_exceeded = True
            else:
                seconds, cpu_seconds, additional_memory_bytes, refusal = case_measurements
                # Wall-clock time includes other work on the machine; processor time includes all cores.
                is_limit_exceeded |= min(seconds, cpu_seconds) > MOST_SECONDS or additional_memory_bytes > MOST_MEMORY
                time_phrase = f"{seconds:.2f} s ({cpu_seconds:.2f})"
                row.append(
                    f"refused, {time_phrase}" if refusal else f"{time_phrase}, {additional_memory_bytes / 1e6:,.0f} MB"
                )
                if refusal:
                    refusals.append(f"- {case.title_with_settings}, {sentence_count:,} sentences: “{refusal}”")
            print_progress(case.title_with_settings, f"{sentence_count:,}", row[-1])
        rows.append(row)
    print(markdown_table(["chunker", *(f"{count:,}" for count in sizes)], rows))
    print("", *refusals, sep="\n")
    return int(is_limit_exceeded)


if __name__ == "__main__":
    raise SystemExit(main())
