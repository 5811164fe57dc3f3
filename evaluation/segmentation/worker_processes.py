"""Run chunkers in separate processes, one per core.

A worker loads no model. A run that asks for vectors which were not sent returns the texts, and is sent again with the
vectors once they have been embedded here.
"""

import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Generic, TypeVar

from chunkers import Document, Embedder, EmbeddingCache, InputError, Tools, load_tokenizer
from chunkers.support import VectorArray

RUNS_PER_BATCH = 25
"""Number of runs sent to a worker together: few enough for the first results to come soon."""

MOST_TIMES_BATCH_SENT = 3
"""Maximum number of times that a run is sent before it runs here: re-embedding asks for one text after another."""

WORKER_IDLE_SECONDS = 60
"""Seconds that a worker waits for more before it ends."""

WORKER_ENVIRONMENT = {
    # There is a worker on every core already.
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    # Every run needs matrices as large as the last one's: having glibc keep their memory saves a quarter of the time.
    "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(256 * 2**20),
}
"""Additions to the workers' environment."""

Result = TypeVar("Result")


class _VectorsMissing(BaseException):
    """A run asked for the vectors of texts that were not sent; no fault, which chunkers of other libraries would report."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self.texts = texts


class _EmbedderWithoutModel(Embedder):
    """Stand-in for the embedder whose vectors were sent; raises `_VectorsMissing` with the texts that lack them."""

    name = "sent"
    revision = "1"
    batch = sys.maxsize

    def ensure_loaded(self) -> None:
        """Do nothing, since the main process sends the vectors."""

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Raise `_VectorsMissing` for texts whose vectors the main process has not sent."""
        raise _VectorsMissing(texts)


@dataclass(frozen=True)
class _Batch(Generic[Result]):
    """Runs on one document, and the vectors of texts, shape (texts, dimension)."""

    document: int
    runs: Sequence[Callable[[Tools], Result]]
    tokenizer: str
    texts: Sequence[str] = ()
    vectors: VectorArray | None = None
    sent: int = 0

    def copy_for_runs_with_vectors(
        self, runs: Sequence[Callable[[Tools], Result]], texts: Sequence[str], tools: Tools
    ) -> "_Batch[Result]":
        """Return a copy of the batch with only the given runs, and with the vectors of further texts."""
        texts = list(dict.fromkeys([*self.texts, *texts]))
        return replace(self, runs=runs, texts=texts, vectors=tools.embed(texts), sent=self.sent + 1)


def _run_batch_listing_missing_texts(batch: _Batch[Result]) -> tuple[list[Result], list[int], list[str]]:
    """Run a batch in a worker; return the results, the places of the runs that need texts embedded, and those texts."""
    batch_embedding_cache = EmbeddingCache()
    if batch.vectors is not None:
        batch_embedding_cache.put_many(
            batch_embedding_cache.keys(_EmbedderWithoutModel.name, _EmbedderWithoutModel.revision, batch.texts),
            batch.vectors,
            0.0,
        )
    tools = Tools(_EmbedderWithoutModel(), load_tokenizer(batch.tokenizer), batch_embedding_cache)
    results, unfinished_run_indexes, texts_without_vectors = [], [], dict[str, None]()
    for run_index, run in enumerate(batch.runs):
        try:
            results.append(run(replace(tools)))
        except _VectorsMissing as more:
            unfinished_run_indexes.append(run_index)
            texts_without_vectors.update(dict.fromkeys(more.texts))
    return results, unfinished_run_indexes, list(texts_without_vectors)


def is_joblib_installed() -> bool:
    """Return whether joblib, which runs worker processes, is installed."""
    return find_spec("joblib") is not None


def process_executor(worker_count: int) -> Executor:
    """Return an executor of ``worker_count`` processes, reusing idle ones from the previous sweep."""
    from joblib.externals.loky import get_reusable_executor

    executor: Executor = get_reusable_executor(max_workers=worker_count, timeout=WORKER_IDLE_SECONDS, env=WORKER_ENVIRONMENT)
    return executor


def run_in_processes(
    runs_by_document: Sequence[tuple[Document, Sequence[Callable[[Tools], Result]]]], tools: Tools, worker_count: int
) -> Generator[Result]:
    """Execute all runs on all documents in worker processes, and yield each result as soon as it is ready.

    ``tools.cancelled`` stops the runs within a fraction of a second, without waiting for runs in progress.

    Raises
    ------
    InputError
        If a run raises InputError, or if a worker was killed from outside.
    """
    worker_process_executor = process_executor(worker_count)
    embedding_tools_by_document = [
        replace(tools, embedder=tools.embedder.for_document(document) if tools.embedder is not None else None)
        for document, _ in runs_by_document
    ]
    pending_batch_by_future: dict[Future[tuple[list[Result], list[int], list[str]]], _Batch[Result]] = {}

    def submit_and_record_batch(batch: _Batch[Result]) -> None:
        pending_batch_by_future[worker_process_executor.submit(_run_batch_listing_missing_texts, batch)] = batch

    try:
        for document_index, (_, runs_of_document) in enumerate(runs_by_document):
            for batch_first_run_index in range(0, len(runs_of_document), RUNS_PER_BATCH):
                submit_and_record_batch(
                    _Batch(
                        document_index,
                        runs_of_document[batch_first_run_index : batch_first_run_index + RUNS_PER_BATCH],
                        tools.tokenizer.name,
                    )
                )
        while pending_batch_by_future and not tools.cancelled():
            finished_batch_futures = wait(pending_batch_by_future, timeout=0.1, return_when=FIRST_COMPLETED).done
            if not finished_batch_futures:
                continue
            batch_future = finished_batch_futures.pop()
            batch = pending_batch_by_future.pop(batch_future)
            results, unfinished_run_indexes, texts_without_vectors = batch_future.result()
            yield from results
            runs_lacking_vectors = [batch.runs[place] for place in unfinished_run_indexes]
            if runs_lacking_vectors and batch.sent < MOST_TIMES_BATCH_SENT - 1:
                submit_and_record_batch(
                    batch.copy_for_runs_with_vectors(
                        runs_lacking_vectors, texts_without_vectors, embedding_tools_by_document[batch.document]
                    )
                )
            else:
                yield from (run(replace(embedding_tools_by_document[batch.document])) for run in runs_lacking_vectors)
    except BrokenProcessPool as error:
        raise InputError(
            "A process of the sweep ended early, perhaps because memory ran out. Run the sweep again with fewer settings or "
            "documents."
        ) from error
    finally:
        for batch_future in pending_batch_by_future:
            batch_future.cancel()
