"""A resumable run over a corpus: planned, and spread over the cores of this machine or over a Ray cluster."""

import json
import logging
import os
import shutil
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock, Timeout

from chunkers.language_models import AnswerCache, Asking, LanguageModel, SpendingLimit
from chunkers.support import InputError, import_required
from corpus.batch_chunking import Chunks
from corpus.inputs import InputPiece, Inputs, Source, TextColumns, input_file_label
from corpus.shards import LOCK_FILE, PROBLEMS_FOLDER, Job, Manifest, Shard, Tally, atomic_write, group_into_shards
from integrations.recipe_cutter import RecipeOrSource

SHARD_MB = 8
"""Megabytes of input of a shard, unless another number is asked for: what a kill costs each worker at the most."""

ALL_PROBLEMS_FILE = "_problems.jsonl"
SUMMARY_FILE = "_summary.json"
ANSWER_CACHE_FILE_NAME = "_answers.sqlite"
"""The file with the answers of a language model, so that a run that goes on asks nothing twice."""

WORKER_IDLE_S = 60
"""Seconds after which a worker without work ends."""

RUN_CHECK_S = 1.0
"""Seconds between two looks of a worker whether its run still exists."""

WORKER_ENVIRONMENT = {
    # There is a worker on every core, and a model's vectors depend, in their last bits, on the number of threads: so the
    # chunks are the same whatever the number of workers.
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"),
    **{"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
}
"""Additions to the environment of workers."""

ShardWritingEngine = Callable[[Job, Iterator[Shard], int], Generator[Tally]]
"""Writes shards with a number of workers, and yields what became of each as soon as it is there."""


NO_INPUT_MESSAGE = "Name at least one INPUT: a folder, a document, or a file of JSON lines or Parquet."
"""Error message for a run without inputs."""


@dataclass(frozen=True)
class Progress:
    """Progress of a corpus run: finished and total shards, and document counts in total and since the last start."""

    done: int
    shards: int
    tally: Tally
    since_start: Tally


@dataclass
class Run:
    """Resumable run that cuts input files and writes the chunks to an output folder.

    Attributes
    ----------
    recipe
        The recipe, in any form that `corpus.Chunks` takes.
    inputs
        Files and folders.
    output
        The folder for the shards, which is created if it does not exist.
    columns
        Columns or keys of the documents in JSON lines and Parquet.
    encoding
        Encoding of text and HTML files, if it is known.
    device
        Device on which torch runs the model.
    shard_bytes
        Approximate number of bytes of input per shard.
    language_model
        Language model for the recipe. The shards are then written in this process, one after another, whatever the engine
        and the number of workers; its answers are stored in the folder, so that a resumed run asks nothing twice.
    limit
        Spending limit of this run, not counting cached answers; a million tokens by default.
    asking
        Access to the language model, once the run has begun.
    left_out
        Number of skipped files by kind.
    resumed
        True if the run continues an earlier run in the same folder.
    """

    recipe: RecipeOrSource
    inputs: tuple[Path, ...]
    output: Path
    columns: TextColumns = field(default_factory=TextColumns)
    encoding: str | None = None
    device: str = "auto"
    shard_bytes: int = SHARD_MB * 1_000_000
    language_model: LanguageModel | None = None
    limit: SpendingLimit | None = None
    asking: Asking | None = field(default=None, init=False)
    left_out: Counter[str] = field(default_factory=Counter, init=False)
    resumed: bool = field(default=False, init=False)

    def write_all_shards(
        self, engine: ShardWritingEngine, worker_count: int, report_progress: Callable[[Progress], None] = lambda _: None
    ) -> Progress:
        """Write the missing shards and a file that marks the output as complete; return the final progress.

        Raises
        ------
        InputError
            If an input or the recipe is unusable, if the folder belongs to another run or is not writable, or if a worker
            ended.
        KeyboardInterrupt
            If the user stopped the run; finished shards remain.
        """
        if not self.inputs:
            raise InputError(NO_INPUT_MESSAGE)
        batch_chunker = self._batch_chunker(None)
        with _lock_output_folder(self.output, self.inputs):
            output_manifest = Manifest(self.output, self.inputs, self._settings_of_chunks(batch_chunker))
            corpus_inputs = Inputs(self.inputs, self.columns, self.shard_bytes)
            self.resumed = output_manifest.write_or_check_manifest(
                group_into_shards(corpus_inputs.pieces(), self.shard_bytes)
            )
            self.left_out = corpus_inputs.left_out
            output_manifest.remove_unfinished_files()
            (self.output / SUMMARY_FILE).unlink(missing_ok=True)
            absolute_input_paths = [Path(os.path.abspath(root)) for root in self.inputs]  # noqa: PTH100 - a link stays a link
            input_document_source = Source(absolute_input_paths, self.inputs, self.columns, self.encoding)
            if batch_chunker.asks_language_model:
                engine = _build_single_process_engine(self._batch_chunker(AnswerCache(self.output / ANSWER_CACHE_FILE_NAME)))
            shard_writing_job = Job(
                input_document_source,
                Path(os.path.abspath(self.output)),  # noqa: PTH100
                batch_chunker.recipe,
                self.device,
                output_manifest.plan,
            )
            try:
                final_progress = self._write_missing_shards(
                    shard_writing_job, output_manifest, engine, worker_count, report_progress
                )
            finally:
                output_manifest.remove_unfinished_files()
                _write_all_problems_file(self.output, output_manifest)
            finished_run_summary = {
                **final_progress.tally._asdict(),
                "shards": final_progress.shards,
                "left_out": dict(self.left_out),
                **self._settings_of_chunks(batch_chunker),
            }
            with atomic_write(self.output / SUMMARY_FILE) as summary_file:
                summary_file.write(json.dumps(finished_run_summary, indent=2).encode() + b"\n")
            return final_progress

    def _batch_chunker(self, answer_cache: AnswerCache | None) -> Chunks:
        """Return the chunker of the run; its language model uses ``answer_cache``."""
        if self.language_model is not None:
            self.asking = Asking(self.language_model, answer_cache, self.limit)
        return Chunks(self.recipe, self.device, asking=self.asking)

    def _settings_of_chunks(self, batch_chunker: Chunks) -> dict[str, Any]:
        """Return everything that determines the chunks except the content of the inputs."""
        return {
            "recipe": batch_chunker.recipe.model_dump(),
            # Ids begin with the inputs' names where there are several, or are the name of the one file.
            "inputs": [input_file_label(self.inputs, InputPiece(number, "", "file")) for number in range(len(self.inputs))]
            if len(self.inputs) > 1 or not self.inputs[0].is_dir()
            else [],
            "text_column": self.columns.text,
            "id_column": self.columns.id,
            "encoding": self.encoding,
            "shard_bytes": self.shard_bytes,
        }

    def _write_missing_shards(
        self,
        corpus_chunking_job: Job,
        manifest: Manifest,
        engine: ShardWritingEngine,
        worker_count: int,
        report_progress: Callable[[Progress], None],
    ) -> Progress:
        finished_shard_numbers: set[int] = set()
        embedding_model_identity, finished_shards_tally, shard_count = "", Tally(), 0
        for shard in manifest.shards():
            shard_count += 1
            if tally_and_model := corpus_chunking_job.recorded_shard_tally_and_model(shard):
                finished_shard_numbers.add(shard.number)
                finished_shards_tally += tally_and_model[0]
                embedding_model_identity = embedding_model_identity or tally_and_model[1]
        corpus_chunking_job = replace(corpus_chunking_job, model=embedding_model_identity, run_process_id=os.getpid())
        latest_run_progress = Progress(len(finished_shard_numbers), shard_count, finished_shards_tally, Tally())
        report_progress(latest_run_progress)
        unfinished_shards = (shard for shard in manifest.shards() if shard.number not in finished_shard_numbers)
        if len(finished_shard_numbers) < shard_count:
            for shard_tally in engine(
                corpus_chunking_job, unfinished_shards, min(worker_count, shard_count - len(finished_shard_numbers))
            ):
                latest_run_progress = Progress(
                    latest_run_progress.done + 1,
                    shard_count,
                    latest_run_progress.tally + shard_tally,
                    latest_run_progress.since_start + shard_tally,
                )
                report_progress(latest_run_progress)
        return latest_run_progress


def _build_single_process_engine(batch_chunker: Chunks) -> ShardWritingEngine:
    """Return the engine that writes all shards here, one after another."""

    def write_in_this_process(job: Job, missing_shards: Iterator[Shard], worker_count: int) -> Generator[Tally]:
        for shard in missing_shards:
            yield job.write_shard(shard, batch_chunker)

    return write_in_this_process


def write_in_processes(job: Job, missing_shards: Iterator[Shard], worker_count: int) -> Generator[Tally]:
    """Write shards in worker processes on this machine, each with its own model and a single thread.

    The function is a `ShardWritingEngine`.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    # A worker that keeps much memory after a large document is replaced, which is no news to the user.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    shard_worker_pool = ProcessPoolExecutor(
        worker_count,
        timeout=WORKER_IDLE_S,
        initializer=_tie_worker_to_run_process,
        initargs=(os.getpid(),),
        env={**WORKER_ENVIRONMENT},
    )
    # Ctrl-C reaches the main thread; a shard sent by another is sent whole, and is then known to be on its way. That thread
    # runs before there is a shard, since nobody waits for one whose start was interrupted.
    shard_sending_thread = ThreadPoolExecutor(1)
    shard_sending_thread.submit(time.sleep, 0).result()
    pending_shard_futures: set[Future[Tally]] = set()

    def queue_shard_for_workers(shard: Shard) -> None:
        pending_shard_futures.add(shard_worker_pool.submit(job.write_shard, shard))

    def yield_tallies_of_finished_shards() -> Generator[Tally]:
        done_futures = wait(pending_shard_futures, return_when=FIRST_COMPLETED).done
        pending_shard_futures.difference_update(done_futures)
        yield from [future.result() for future in done_futures]

    try:
        for shard in missing_shards:
            shard_sending_thread.submit(queue_shard_for_workers, shard).result()
            # No more are sent than keep the workers busy: there may be a hundred thousand.
            while len(pending_shard_futures) >= 2 * worker_count:
                yield from yield_tallies_of_finished_shards()
        while pending_shard_futures:
            yield from yield_tallies_of_finished_shards()
    except BrokenProcessPool as error:
        raise InputError(
            "A worker process ended early, perhaps because memory ran out. Run the same command again to resume; "
            "fewer --workers leave each more memory."
        ) from error
    finally:
        shard_sending_thread.shutdown()
        # loky's thread fails if it is told to end while a shard is on its way to the workers.
        while any(not (future.running() or future.done()) for future in pending_shard_futures):
            time.sleep(0.01)
        shard_worker_pool.shutdown(wait=True, kill_workers=True)


def _tie_worker_to_run_process(run_process_id: int) -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the run itself, and end with it.

    Parameters
    ----------
    run_process_id
        Id of the run's process. A run that is killed can tell its workers nothing, and the next one would find them at
        work. Windows gives a process no new parent, so that there they end after `WORKER_IDLE_S`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def exit_when_run_ended() -> None:
        while os.getppid() == run_process_id:
            time.sleep(RUN_CHECK_S)
        os._exit(1)

    threading.Thread(target=exit_when_run_ended, daemon=True, name="end with the run").start()


@contextmanager
def _lock_output_folder(output_folder: Path, input_paths: tuple[Path, ...]) -> Iterator[None]:
    """Make the output folder, and let nobody else write into it meanwhile.

    Raises
    ------
    InputError
        If it lies within an input, cannot be written, or another run is writing into it.
    """
    real_output = Path(os.path.realpath(output_folder))
    for input_path in input_paths:
        if real_output.is_relative_to(os.path.realpath(input_path)):
            raise InputError(
                "--output must not lie within an input, because the next run would read the chunks as documents; it lies "
                f"within {input_path}. Name another folder."
            )
    try:
        output_folder.mkdir(parents=True, exist_ok=True)
        output_folder_lock = FileLock(output_folder / LOCK_FILE, timeout=0)
        output_folder_lock.acquire()
    except Timeout as error:
        raise InputError(
            f"--output may be written by only one run at a time; another run is writing to {output_folder}. Wait for it to "
            "end, or "
            "name another folder."
        ) from error
    except OSError as error:
        raise InputError(
            f"--output must be a writable folder; opening it failed: {error.strerror or error}. Check its path and "
            "permissions."
        ) from error
    try:
        yield
    finally:
        # Its file stays: another run may have opened it by now.
        output_folder_lock.release()


def _write_all_problems_file(output_folder: Path, manifest: Manifest) -> None:
    """Put the problems of all shards into one file, in the order of the shards; there is none without problems."""
    all_problems_path = output_folder / ALL_PROBLEMS_FILE
    if not any((output_folder / PROBLEMS_FOLDER).glob("part-*")):
        all_problems_path.unlink(missing_ok=True)
        return
    with atomic_write(all_problems_path) as all_problems_file:
        for shard in manifest.shards():
            with suppress(FileNotFoundError), (output_folder / shard.problem_file_path).open("rb") as shard_problems_file:
                shutil.copyfileobj(shard_problems_file, all_problems_file)


# The same on a Ray cluster: actors that hold the model write the shards, to storage that all of them see.

MOST_RAY_RUN_SHARDS = 2_000
"""Maximum number of shards that Ray is given at once, of which the names of the files are in memory; then it starts its
actors anew.
"""


class ShardActor:
    """Ray actor that writes shards and keeps the model loaded from one shard to the next.

    Parameters
    ----------
    job
        Settings shared by all shards.
    """

    def __init__(self, job: Job) -> None:
        self._job = job

    def __call__(self, shard_descriptions_table: pa.Table) -> pa.Table:
        """Write the shards whose JSON is in the column ``shard``; return the outcome of each as JSON."""
        shard_outcomes: list[dict[str, Any]] = []
        for shard_to_write_json in shard_descriptions_table.column("shard").to_pylist():
            try:
                shard_outcomes.append({"tally": [*self._job.write_shard(Shard.from_json(shard_to_write_json))]})
            except InputError as error:
                # Ray wraps an error in pages of its own; a sentence has to arrive as one.
                shard_outcomes.append({"error": str(error)})
        return pa.table({"told": [json.dumps(outcome) for outcome in shard_outcomes]})


def ray_engine(address: str | None = None) -> ShardWritingEngine:
    """Return an engine that writes shards on a Ray cluster.

    Parameters
    ----------
    address
        Address of the cluster, as for ``ray.init``; None for the cluster named by the environment, or for a new local
        cluster if the environment names none.

    Raises
    ------
    ModelError
        If Ray is not installed.
    """
    # Ray tells its makers how it is used unless this is set before it is imported.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import_required("ray.data", "--engine ray", "'ray[data]==2.60.0'")
    return partial(_write_on_ray, address)


def _write_on_ray(
    address: str | None, corpus_chunking_job: Job, missing_shards: Iterator[Shard], worker_count: int
) -> Generator[Tally]:
    import ray

    # No one process is every actor's parent; what Ray does not want any more it ends itself.
    corpus_chunking_job = replace(corpus_chunking_job, run_process_id=0)
    is_ray_started_here = not ray.is_initialized()
    if is_ray_started_here:
        ray_init_options: dict[str, Any] = {
            "runtime_env": {"env_vars": {**WORKER_ENVIRONMENT, "RAY_USAGE_STATS_ENABLED": "0"}}
        }
        if address is None and "RAY_ADDRESS" not in os.environ:
            ray_init_options |= {"num_cpus": worker_count, "include_dashboard": False}
        ray.init(address, logging_level="error", log_to_driver=False, **ray_init_options)
    try:
        for logger_name in ("ray.data", "ray"):
            logging.getLogger(logger_name).setLevel(logging.ERROR)
        ray_data_context = ray.data.DataContext.get_current()
        ray_data_context.enable_progress_bars = False
        while shards_to_write_as_json := [shard.to_json() for shard in islice(missing_shards, MOST_RAY_RUN_SHARDS)]:
            # A block to a shard, so that no more than one is done again where an actor is killed.
            ray_shard_dataset = ray.data.from_items(
                [{"shard": line} for line in shards_to_write_as_json], override_num_blocks=len(shards_to_write_as_json)
            )
            outcome_rows = ray_shard_dataset.map_batches(
                ShardActor,
                fn_constructor_args=(corpus_chunking_job,),
                batch_size=1,
                batch_format="pyarrow",
                num_cpus=1,
                compute=ray.data.ActorPoolStrategy(min_size=1, max_size=worker_count),
            )
            for outcome_row in outcome_rows.iter_rows():
                shard_outcome_record = json.loads(outcome_row["told"])
                if "error" in shard_outcome_record:
                    raise InputError(shard_outcome_record["error"])
                yield Tally(*shard_outcome_record["tally"])
    finally:
        if is_ray_started_here:
            ray.shutdown()
