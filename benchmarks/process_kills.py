"""Kill an embedding, sweeps and a retrieval run repeatedly at random moments, and count the repeated work.

``python -m benchmarks.process_kills`` kills each with SIGKILL at ten moments. Every process goes on from what the one before
has kept on disk; the last one finishes. The exit status is 1 if anything is computed again that an earlier process showed as
finished, or if the results are not those of a run that was never killed.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from argparse import SUPPRESS
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table
from chunkers import Document, Embedder, build_chunker
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.support import VectorArray
from evaluation.retrieval import encode_evaluation_as_json_bytes
from evaluation.search import index as indexes
from evaluation.segmentation import MarkedDocument, MarkedText, SweptSetting, settings_grid
from evaluation.segmentation import settings_sweep as sweeps
from viz.jobs import BackgroundJob, ChunkingJob, ChunkingTask, retrieval, shared_resources
from viz.jobs.retrieval import Retrieval, StoredRetrieval
from viz.jobs.retrieval_plan import Plan, RunMaterial
from viz.jobs.storage.run_store import RunStore
from viz.jobs.storage.stored_run import Keeper
from viz.jobs.sweep import StoredSweep, Sweep

LINK_TOKEN = "the-token-of-the-link"
SECONDS_PER_COMPUTATION = 0.004
"""Minimum seconds per batch of embeddings and per part of a run, so that there is time to kill the process."""

PROCESS_LIMIT_S = 300.0


class WorkLog:
    """A log file whose lines are written before the call returns, whatever happens to the process."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def __call__(self, event: str, *items: str) -> None:
        """Write that ``items`` were computed or shown."""
        os.write(self._file, (json.dumps([event, *items]) + "\n").encode())


class SlowEmbedder(Embedder):
    """A slow embedder with vectors from hashes of texts; it logs each text."""

    revision = "1"
    batch = 8

    def __init__(self, log: WorkLog) -> None:
        self._log = log
        self.last: list[str] = []

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return unit vectors, shape (len(texts), 8)."""
        time.sleep(SECONDS_PER_COMPUTATION)
        seeds = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") for text in texts]
        vectors = np.array([np.random.default_rng(seed).normal(size=8) + 0.8 for seed in seeds])
        self.last = list(texts)
        self._log("embedded", *texts)
        normalised_vectors: VectorArray = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return normalised_vectors


class _LoggedRows(list[Any]):
    """The rows of a sweep, each logged as shown when it is added."""

    def __init__(self, rows: Sequence[Any], log: WorkLog) -> None:
        super().__init__(rows)
        self._log = log

    def append(self, row: Any) -> None:
        super().append(row)
        self._log("shown", f"{row.document}: {row.setting.words()}")


class _LoggedEvaluations(dict[int, Any]):
    """The evaluations of a retrieval run, each logged when it is added."""

    def __init__(self, log: WorkLog) -> None:
        super().__init__()
        self._log = log

    def __setitem__(self, chunker_number: int, evaluation: Any) -> None:
        super().__setitem__(chunker_number, evaluation)
        self._log("shown", f"chunker {chunker_number}")


def _text_of_numbered_lines(name: str, line_count: int) -> str:
    return "".join(f"Line {number} of {name} is about subject {number // 7}.\n" for number in range(line_count))


def _make_embedding_job(log: WorkLog, _folder: Path) -> tuple[BackgroundJob, Callable[[], str]]:
    """Return a job that embeds 600 texts, not started, and a function that returns its result."""
    document = Document.from_text(_text_of_numbered_lines("a text", 600), "lines")
    embedder = SlowEmbedder(log)
    chunker = build_chunker("breakpoint", {})
    task = ChunkingTask.of(document, embedder, "words", chunker)

    class Shown(ChunkingJob):
        def _note_embedded(self, done_count: int, total: int) -> None:
            super()._note_embedded(done_count, total)
            log("shown", *embedder.last)

    job = Shown(document, embedder, [(task, chunker)], on_disk=True)
    return job, lambda: repr([gap[:4] for gap in job.results[task].gaps])


def _make_sweep_job(log: WorkLog, folder: Path) -> tuple[BackgroundJob, Callable[[], str]]:
    """Return a sweep of 3 documents and 40 settings, in this process."""
    settings = [
        *settings_grid("breakpoint", amount=tuple(range(50, 90, 2))),
        *settings_grid("fixed_sentences", size=tuple(range(2, 22))),
    ]
    return _new_or_resumed_sweep(settings, log, folder)


def _make_parallel_sweep_job(log: WorkLog, folder: Path) -> tuple[BackgroundJob, Callable[[], str]]:
    """Return a sweep of 3 documents and 600 settings, which is spread over processes."""
    return _new_or_resumed_sweep(settings_grid("fixed_sentences", size=tuple(range(2, 302)), overlap=(0, 1)), log, folder)


def _new_or_resumed_sweep(
    swept_settings: Sequence[SweptSetting], log: WorkLog, folder: Path
) -> tuple[BackgroundJob, Callable[[], str]]:
    """Return a sweep, resumed from an earlier process if there was one."""
    documents = [
        MarkedText(f"text {n}", text := _text_of_numbered_lines(f"text {n}", 40), (text.index("Line 20"),)) for n in range(3)
    ]
    embedder = SlowEmbedder(log)
    run_storage = Keeper(RunStore(folder / "runs.sqlite"), LINK_TOKEN, "sweep")
    stored_sweep = StoredSweep.find(run_storage)
    if stored_sweep is not None:
        found_sweep_documents = [
            document for document in stored_sweep.find_sweep_documents(documents) if document is not None
        ]
        job = Sweep.from_disk(stored_sweep).resumed_copy(found_sweep_documents, embedder)
    else:
        new_stored_sweep = StoredSweep.build_for_settings(
            run_storage, [(document, "lines") for document in documents], frozenset(), swept_settings, embedder.name, "words"
        )

        def split_documents() -> Iterator[MarkedDocument]:
            for document in documents:
                yield document.split_to_marked_document("lines")

        job = Sweep(
            [document.name for document in documents],
            split_documents,
            swept_settings,
            embedder,
            "words",
            True,
            stored_run=new_stored_sweep,
        )
    job.rows = _LoggedRows(job.rows, log)
    return job, lambda: repr(sorted((row.document, row.setting.words(), row.chunks, str(row.scores)) for row in job.rows))


def _make_retrieval_job(log: WorkLog, folder: Path) -> tuple[BackgroundJob, Callable[[], str]]:
    """Return a retrieval run of 12 chunkers on 3 documents, one of an earlier process if there is one."""
    name_text_pairs = tuple((f"{n}.txt", _text_of_numbered_lines(f"text {n}", 60)) for n in range(3))
    questions_csv = b"question,excerpts\n" + b"".join(
        f"What is line {n} about?,Line {n} of text {n % 3} is about subject {n // 7}.\n".encode() for n in range(30)
    )
    documents_and_questions = RunMaterial(name_text_pairs, ("questions.csv", questions_csv), own=True)
    chunkers = tuple(build_chunker("fixed_sentences", {"size": size}) for size in range(2, 14))
    embedder = SlowEmbedder(log)
    run_storage = Keeper(RunStore(folder / "runs.sqlite"), LINK_TOKEN, "retrieval")
    stored_retrieval = StoredRetrieval.find(run_storage)
    if stored_retrieval is not None:
        plan = stored_retrieval.rebuild_plan(documents_and_questions)
    else:
        plan = Plan(documents_and_questions, chunkers, embedder.name, "lines", "words")
        stored_retrieval = StoredRetrieval.build_for_plan(run_storage, plan)
    job = Retrieval(plan, embedder, True, stored_retrieval)
    job.evaluation_by_chunker = _LoggedEvaluations(log)

    def retrieval_result_text() -> str:
        # Times and the origin of embeddings differ between runs.
        evaluation_by_chunker = {
            number: json.loads(encode_evaluation_as_json_bytes(evaluation))
            for number, evaluation in job.evaluation_by_chunker.items()
        }
        compared_fields = ("chunks", "ranked", "scores", "documents", "evidence")
        return repr(
            {number: [part[name] for name in compared_fields] for number, part in sorted(evaluation_by_chunker.items())}
        )

    return job, retrieval_result_text


JOB_BY_KIND = {
    "embedding": _make_embedding_job,
    "sweep": _make_sweep_job,
    "sweep in processes": _make_parallel_sweep_job,
    "retrieval run": _make_retrieval_job,
}


@contextmanager
def _patch_functions_to_log_work(kind: str, log: WorkLog, folder: Path) -> Iterator[None]:
    """Store everything in the folder, and log each computed run and index."""
    embedding_cache = EmbeddingCache(folder / "embeddings.sqlite")
    original_sweep_row, original_build_index = sweeps._sweep_row, indexes.cut_and_index_corpus

    def compute_and_log_sweep_row(marked_document: Any, setting: Any, *others: Any) -> Any:
        time.sleep(SECONDS_PER_COMPUTATION)
        sweep_row = original_sweep_row(marked_document, setting, *others)
        log("run", f"{marked_document.document.name}: {setting.words()}")
        return sweep_row

    def build_and_log_index(corpus: Any, chunker: Any, tools: Any, *others: Any) -> Any:
        built_index = original_build_index(corpus, chunker, tools, *others)
        log("run", f"chunker {chunker.size - 2}")
        return built_index

    with (
        mock.patch.object(sweeps, "_sweep_row", compute_and_log_sweep_row if kind == "sweep" else original_sweep_row),
        mock.patch.object(retrieval, "cut_and_index_corpus", build_and_log_index),
        mock.patch.object(shared_resources, "embedding_cache", return_value=embedding_cache),
    ):
        yield


def run_job(kind: str, folder: Path, log_path: Path) -> str:
    """Do a job, or the rest of it, and return its result."""
    work_log = WorkLog(log_path)
    with _patch_functions_to_log_work(kind, work_log, folder):
        background_job, get_job_result = JOB_BY_KIND[kind](work_log, folder)
        work_log("begun")
        background_job.start()
        background_job.join(PROCESS_LIMIT_S)
        assert not background_job.running
        assert not background_job.error, background_job.error
        return get_job_result()


@dataclass(frozen=True)
class KillOutcome:
    """The outcome of a job that was killed repeatedly.

    Attributes
    ----------
    kills
        The number of kills, which is smaller than requested if the job ended before.
    computed
        The number of texts embedded, settings run and indexes built, except in the processes of a sweep.
    shown
        The number of texts, runs and chunkers shown as finished.
    shown_again
        The number computed or shown again after a kill although they had been shown before it; must be 0.
    recomputed_counts
        The number computed again because the kill came before they were written, separately for texts and parts.
    is_result_equal
        True if the result equals that of a job that was not killed.
    """

    kills: int
    computed: int
    shown: int
    shown_again: int
    recomputed_counts: Counter[str]
    is_result_equal: bool

    @property
    def has_lost_work(self) -> bool:
        """True if a kill lost work. Each kill may repeat one batch of texts and one part of the run, but no more."""
        is_repetition_excessive = (
            self.recomputed_counts["embedded"] > self.kills * SlowEmbedder.batch
            or self.recomputed_counts["run"] > self.kills
        )
        return bool(self.shown_again) or is_repetition_excessive or not self.is_result_equal


def _count_lines(log_path: Path) -> int:
    """Return the number of lines, the first of which is that the job has begun."""
    return log_path.read_bytes().count(b"\n") if log_path.exists() else 0


def run_job_with_kills(kind: str, kill_moment_count: int, seed: int, folder: Path) -> KillOutcome:
    """Run a job in processes killed at random moments, and compare the result with that of an undisturbed job."""
    random_generator = random.Random(f"{kind} {seed}")
    (folder / "whole").mkdir()
    undisturbed_result = run_job(kind, folder / "whole", folder / "whole.log")
    # Not so near the end that the process may finish first.
    last_line_count_to_kill_at = 0.95 * _count_lines(folder / "whole.log")
    line_counts_to_kill_at = sorted(
        random_generator.uniform(0, last_line_count_to_kill_at) for _ in range(kill_moment_count)
    )
    (folder / "killed").mkdir()
    log_paths: list[Path] = []
    kill_count = 0
    for line_count_to_kill_at in [*line_counts_to_kill_at, None]:
        log_paths.append(folder / f"{len(log_paths)}.log")
        line_count_in_earlier_logs = sum(_count_lines(log) - 1 for log in log_paths[:-1])
        command = [
            sys.executable,
            "-m",
            "benchmarks.process_kills",
            "--work",
            kind,
            str(folder / "killed"),
            str(log_paths[-1]),
        ]
        # A file, not a pipe, since a sweep's processes outlive it by a minute and would keep the pipe open.
        with (folder / "result").open("wb") as result_file:
            process = subprocess.Popen(
                command, stdout=result_file, stderr=None if line_count_to_kill_at is None else subprocess.DEVNULL
            )
        if line_count_to_kill_at is not None:
            began = time.monotonic()
            while process.poll() is None and time.monotonic() - began < PROCESS_LIMIT_S:
                if (
                    line_count := _count_lines(log_paths[-1])
                ) and line_count_in_earlier_logs + line_count - 1 >= line_count_to_kill_at:
                    break
                time.sleep(0.001)
            time.sleep(random_generator.uniform(0, 2 * SECONDS_PER_COMPUTATION))
            process.send_signal(signal.SIGKILL)
        process.wait(PROCESS_LIMIT_S)
        kill_count += process.returncode == -signal.SIGKILL
    computation_counts: Counter[tuple[str, str]] = Counter()
    items_shown_in_earlier_logs: set[str] = set()
    shown_again_count = 0
    for log_path in log_paths:
        items_shown_in_log: set[str] = set()
        # The last line may be torn.
        for logged_event, *logged_items in map(json.loads, log_path.read_text().split("\n")[:-1]):
            shown_again_count += sum(item in items_shown_in_earlier_logs for item in logged_items)
            if logged_event == "shown":
                # In other processes, only this is logged.
                items_shown_in_log.update(logged_items)
            else:
                computation_counts.update((logged_event, item) for item in logged_items)
        items_shown_in_earlier_logs |= items_shown_in_log
    repeat_count_by_logged_event = Counter[str]()
    for (logged_event, _), times_computed in computation_counts.items():
        repeat_count_by_logged_event[logged_event] += times_computed - 1
    return KillOutcome(
        kill_count,
        computation_counts.total(),
        len(items_shown_in_earlier_logs),
        shown_again_count,
        repeat_count_by_logged_event,
        (folder / "result").read_text().strip() == _result_hash(undisturbed_result),
    )


def _result_hash(job_result_text: str) -> str:
    return hashlib.blake2b(job_result_text.encode(), digest_size=16).hexdigest()


@command_line_decorator_for_main(
    build_function_adding_option("--moments", dest="kill_count", type=int, default=10, help="how often each job is killed"),
    build_function_adding_option("--seed", type=int, default=0),
    build_function_adding_option("--work", dest="work_arguments", nargs=3, metavar=("KIND", "FOLDER", "LOG"), help=SUPPRESS),
)
def main(kill_count: int, seed: int, work_arguments: list[str] | None) -> int:
    """Print the number of kills and the repeated work of each job; the exit status is 1 if anything was lost."""
    if work_arguments:
        kind, folder, log_path = work_arguments
        print(_result_hash(run_job(kind, Path(folder), Path(log_path))))
        return 0
    rows, is_work_lost = [], False
    for kind in JOB_BY_KIND:
        with tempfile.TemporaryDirectory() as folder:
            outcome = run_job_with_kills(kind, kill_count, seed, Path(folder))
        is_work_lost |= outcome.has_lost_work
        kill_and_work_counts = [
            outcome.kills,
            outcome.computed,
            outcome.shown,
            outcome.shown_again,
            outcome.recomputed_counts["embedded"],
            outcome.recomputed_counts["run"],
        ]
        rows.append([kind, *(f"{count:,}" for count in kill_and_work_counts), "yes" if outcome.is_result_equal else "no"])
    head = [
        "job",
        "kills",
        "computed",
        "shown",
        "shown, again",
        "texts in progress, again",
        "parts in progress, again",
        "same",
    ]
    print(markdown_table(head, rows))
    return int(is_work_lost)


if __name__ == "__main__":
    raise SystemExit(main())
