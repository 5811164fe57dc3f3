"""Speed and memory of cutting growing corpora, and whether killed runs lose or duplicate chunks.

``python -m benchmarks.corpus`` makes JSON lines of 10, 50 and 100 MB from sentences of the bundled texts, drawn at random,
cuts each with ``seamark corpus``, and prints seconds, speed, and the peaks of memory, of all processes together and of the
largest. Then it cuts the largest again, kills it five times at random moments, and compares. With ``--ray`` it also cuts the
smallest on a Ray of this machine, as it is and while a worker is killed. The exit status is 1 where a result is not that of
the undisturbed run, or the memory of a process grows with the corpus by more than a quarter.
"""

import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import psutil

from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    load_averages,
    markdown_table,
    parse_comma_separated_numbers,
)
from chunkers import Document
from sample_docs import load_sample, sample_titles

RECIPE = {
    "chunker": "fixed_sentences",
    "parameters": {"size": 4},
    "sentences": "regex",
    "embedder": "tfidf",
    "tokenizer": "words",
}
"""A recipe that embeds nothing, so that only reading, cutting and writing are measured."""

MAX_DOCUMENT_BYTES = 200_000
"""Most bytes of a document; lengths vary from a hundredth of this."""

MAX_MEMORY_GROWTH_RATIO = 1.25


def generate_random_texts_until_size(total_byte_count: int, seed: int = 0) -> Iterator[str]:
    """Yield random texts of bundled sentences until they have at least ``total_byte_count`` bytes in total."""
    rng = random.Random(seed)
    sample_sentences = [
        text for name in sample_titles() for text in Document.from_text(load_sample(name).text, "regex").sentence_texts
    ]
    written_byte_count = 0
    while written_byte_count < total_byte_count:
        wanted_document_byte_count = min(
            rng.randint(MAX_DOCUMENT_BYTES // 100, MAX_DOCUMENT_BYTES), total_byte_count - written_byte_count
        )
        document_sentences: list[str] = []
        document_byte_count = 0
        while document_byte_count < wanted_document_byte_count:
            chosen_sentence = rng.choice(sample_sentences)
            document_sentences.append(
                f"{chosen_sentence}\n\n## Part {len(document_sentences)}\n\n"
                if rng.random() < 0.02
                else f"{chosen_sentence} "
            )
            document_byte_count += len(document_sentences[-1].encode())
        written_byte_count += document_byte_count
        yield "".join(document_sentences)


def write_corpus(corpus_path: Path, total_byte_count: int) -> int:
    """Write a corpus as JSON lines; return its number of documents."""
    written_document_count = 0
    with corpus_path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(generate_random_texts_until_size(total_byte_count)):
            file.write(json.dumps({"id": f"document {number}", "text": text}, ensure_ascii=False) + "\n")
            written_document_count += 1
    return written_document_count


class RunCost(NamedTuple):
    """The cost of one run: wall-clock and processor seconds, peak memory in MB, and the exit status."""

    seconds: float
    processor_seconds: float
    peak_total_mb: float
    """Peak memory of all processes together."""
    peak_process_mb: float
    """Peak memory of the largest single process."""
    status: int


def total_and_largest_process_mb(process: psutil.Process) -> tuple[float, float]:
    """Return the current memory of a process and its children in MB: the sum, and that of the largest."""
    sizes = []
    with suppress(psutil.Error):
        for process_in_tree in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                sizes.append(process_in_tree.memory_info().rss / 1e6)
    return sum(sizes), max(sizes, default=0.0)


def measure_corpus_command(
    corpus_path: Path,
    output_folder: Path,
    is_time_to_kill: Callable[[psutil.Process], bool] = lambda _: False,
    *options: str,
    recipe: Mapping[str, Any] = RECIPE,
) -> RunCost:
    """Cut a corpus with the command line; kill the command once ``is_time_to_kill`` returns True."""
    recipe_path = output_folder.with_suffix(".recipe.json")
    recipe_path.write_text(json.dumps(recipe))
    command = [sys.executable, "-m", "seamark", "corpus", str(corpus_path), "--chunker", str(recipe_path)]
    command += ["--output", str(output_folder), *options]
    return run_and_measure_command(command, is_time_to_kill)


def run_and_measure_command(
    command: Sequence[str],
    is_time_to_kill: Callable[[psutil.Process], bool] = lambda _: False,
    stdout_destination: IO[bytes] | int = subprocess.DEVNULL,
) -> RunCost:
    """Run a command and measure it; kill it once ``is_time_to_kill`` returns True."""
    began, cpu_seconds_before = time.perf_counter(), children_cpu_seconds()
    process = subprocess.Popen(command, start_new_session=True, stdout=stdout_destination, stderr=subprocess.DEVNULL)
    watched_process = psutil.Process(process.pid)
    peak_together_mb = peak_largest_mb = 0.0
    while process.poll() is None:
        current_together_mb, current_largest_process_mb = total_and_largest_process_mb(watched_process)
        peak_together_mb, peak_largest_mb = (
            max(peak_together_mb, current_together_mb),
            max(peak_largest_mb, current_largest_process_mb),
        )
        if is_time_to_kill(watched_process):
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.05)
    return RunCost(
        time.perf_counter() - began,
        children_cpu_seconds() - cpu_seconds_before,
        peak_together_mb,
        peak_largest_mb,
        process.returncode,
    )


def children_cpu_seconds() -> float:
    """Return the processor seconds used by all ended child processes."""
    child_resource_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return child_resource_usage.ru_utime + child_resource_usage.ru_stime


def shards_hash(output: Path) -> str:
    """Return a hash of all shards."""
    hasher = hashlib.blake2b()
    for path in sorted(output.glob("part-*.parquet")):
        hasher.update(path.name.encode() + path.read_bytes())
    return hasher.hexdigest()


def read_summary_counts(output_folder: Path) -> dict[str, int]:
    """Return the counts in the summary of a completed run."""
    counts: dict[str, int] = json.loads((output_folder / "_summary.json").read_text())
    return counts


def measure_growth(folder: Path, corpus_sizes_mb: Sequence[int]) -> bool:
    """Cut corpora of ``corpus_sizes_mb`` megabytes, print time and memory, and return whether memory stays constant."""
    rows, peaks = [], []
    for size in corpus_sizes_mb:
        corpus_path, output_folder = folder / f"{size}.jsonl", folder / f"whole {size}"
        write_corpus(corpus_path, size * 1_000_000)
        run_cost = measure_corpus_command(corpus_path, output_folder)
        assert run_cost.status == 0, f"the run of {size} MB ended with {run_cost.status}"
        counts_in_summary = read_summary_counts(output_folder)
        peaks.append(run_cost.peak_process_mb)
        rows.append(
            [
                f"{size:,} MB",
                f"{counts_in_summary['documents']:,}",
                f"{counts_in_summary['chunks']:,}",
                f"{counts_in_summary['shards']:,}",
                f"{run_cost.seconds:.1f}",
                f"{size / run_cost.seconds:.2f}",
                f"{run_cost.processor_seconds:.1f}",
                f"{run_cost.peak_total_mb:,.0f}",
                f"{run_cost.peak_process_mb:,.0f}",
            ]
        )
    table_head = [
        "corpus",
        "documents",
        "chunks",
        "shards",
        "seconds",
        "MB/s",
        "processor, s",
        "peak, MB",
        "largest process, MB",
    ]
    print(markdown_table(table_head, rows), flush=True)
    return max(peaks) <= MAX_MEMORY_GROWTH_RATIO * min(peaks)


def measure_kills(folder: Path, megabytes: int, kill_count: int, seed: int) -> bool:
    """Kill a run repeatedly, resume it, and return whether its chunks equal those of the undisturbed run.

    The run is killed once a random number of shards exist, after a random pause shorter than writing a shard takes.
    """
    corpus_path, output_folder, undisturbed_run_folder = (
        folder / f"{megabytes}.jsonl",
        folder / "killed",
        folder / f"whole {megabytes}",
    )
    shard_count, undisturbed_run_seconds = (
        read_summary_counts(undisturbed_run_folder)["shards"],
        measure_corpus_command(corpus_path, folder / "timed").seconds,
    )
    rng = random.Random(seed)
    shard_counts_to_kill_at = sorted(rng.uniform(0, max(0, shard_count - 2)) for _ in range(kill_count))
    max_pause_before_kill = min(2, undisturbed_run_seconds / (2 * shard_count))
    done_kill_count, shard_counts_at_kills = 0, []
    for planned_kill_shard_count in shard_counts_to_kill_at:
        clock_readings_before_kill: list[float] = []
        # At a random moment while a shard is being written.
        pause = rng.uniform(0, max_pause_before_kill)

        def is_time_to_kill(
            _: psutil.Process,
            shard_count_to_kill_at: float = planned_kill_shard_count,
            clock_readings_since_target_reached: list[float] = clock_readings_before_kill,
            pause_before_kill_seconds: float = pause,
        ) -> bool:
            if len([*output_folder.glob("part-*")]) < int(shard_count_to_kill_at):
                return False
            clock_readings_since_target_reached.append(time.monotonic())
            return (
                clock_readings_since_target_reached[-1] - clock_readings_since_target_reached[0] > pause_before_kill_seconds
            )

        done_kill_count += measure_corpus_command(corpus_path, output_folder, is_time_to_kill).status == -signal.SIGKILL
        shard_counts_at_kills.append(len([*output_folder.glob("part-*")]))
    final_run_cost = measure_corpus_command(corpus_path, output_folder)
    is_same = final_run_cost.status == 0 and shards_hash(output_folder) == shards_hash(undisturbed_run_folder)
    print(
        f"\n{megabytes:,} MB, killed {done_kill_count} times, when {', '.join(map(str, shard_counts_at_kills))} of "
        f"{shard_count} shards were there: {read_summary_counts(output_folder)['chunks']:,} chunks in the end, "
        f"{'the same files' if is_same else 'OTHER FILES'}",
        flush=True,
    )
    return is_same and done_kill_count == kill_count


def check_and_time_ray_runs(folder: Path, megabytes: int) -> bool:
    """Cut a corpus on Ray, undisturbed and while a worker is killed; return whether the chunks are the same."""
    corpus_path, reference_run_folder = folder / f"{megabytes}.jsonl", folder / f"whole {megabytes}"
    is_sound = True
    for name, kills_worker in (("undisturbed", False), ("a worker killed", True)):
        ray_output_folder = folder / f"ray {name}"
        killed_worker_ids: list[int] = []

        def kill_worker_once(
            run: psutil.Process,
            output: Path = ray_output_folder,
            is_kill_wanted: bool = kills_worker,
            killed_workers: list[int] = killed_worker_ids,
        ) -> bool:
            if is_kill_wanted and not killed_workers and [*output.glob("part-*")]:
                for candidate_worker_process in psutil.process_iter(["cmdline", "ppid"]):
                    if "MapWorker" in " ".join(candidate_worker_process.info["cmdline"] or ()) and _is_descendant(
                        candidate_worker_process, run
                    ):
                        killed_workers.append(candidate_worker_process.pid)
                        candidate_worker_process.kill()
                        break
            return False

        run_cost = measure_corpus_command(
            corpus_path, ray_output_folder, kill_worker_once, "--engine", "ray", "--shard-size", "1"
        )
        in_process_output = folder / "in process"
        if not in_process_output.exists():
            measure_corpus_command(corpus_path, in_process_output, lambda _: False, "--shard-size", "1")
        is_same = run_cost.status == 0 and shards_hash(ray_output_folder) == shards_hash(in_process_output)
        is_sound &= (
            is_same
            and read_summary_counts(ray_output_folder)["chunks"] == read_summary_counts(reference_run_folder)["chunks"]
            and len(killed_worker_ids) == kills_worker
        )
        print(
            f"{megabytes:,} MB on Ray, {name}: {run_cost.seconds:.0f} s, {'the same files' if is_same else 'OTHER FILES'}",
            flush=True,
        )
    return is_sound


def _is_descendant(process: psutil.Process, possible_ancestor_process: psutil.Process) -> bool:
    """Return whether a process belongs to a run."""
    with suppress(psutil.Error):
        return any(parent.pid == possible_ancestor_process.pid for parent in process.parents())
    return False


@command_line_decorator_for_main(
    build_function_adding_option(
        "--sizes", type=parse_comma_separated_numbers, default="10,50,100", metavar="MB,MB", help="megabytes of the corpora"
    ),
    build_function_adding_option(
        "--kills", dest="kill_count", type=int, default=5, metavar="N", help="how often the largest is killed"
    ),
    build_function_adding_option("--seed", dest="kill_time_seed", type=int, default=0),
    build_function_adding_option("--ray", dest="is_ray_measured", action="store_true", help="cut the smallest on Ray too"),
)
def main(sizes: list[int], kill_count: int, kill_time_seed: int, is_ray_measured: bool) -> int:
    """Run the measurements; return 1 if a run loses chunks or memory grows."""
    print(f"{os.cpu_count()} cores, load {load_averages()} at the beginning", flush=True)
    with tempfile.TemporaryDirectory() as temporary_folder_name:
        folder = Path(temporary_folder_name)
        is_sound = measure_growth(folder, sizes)
        if kill_count:
            is_sound &= measure_kills(folder, sizes[-1], kill_count, kill_time_seed)
        if is_ray_measured:
            is_sound &= check_and_time_ray_runs(folder, sizes[0])
    print(f"load {load_averages()} at the end", flush=True)
    return 0 if is_sound else 1


if __name__ == "__main__":
    raise SystemExit(main())
