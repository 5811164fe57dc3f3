"""Chunking of documents for the pages, immediately if it is quick and otherwise as a background job, and its timing."""

import json
import time
from dataclasses import dataclass, field, replace

from chunkers import Cancelled, Chunker, Chunking, Document, Embedder, Gap, InputError, run_chunker
from chunkers.contract import Estimate, Tipping
from chunkers.language_models import Asking
from chunkers.support import VectorArray
from viz.jobs.background_jobs import BackgroundJob
from viz.jobs.formula_with_values import worked_formula
from viz.jobs.shared_resources import ALWAYS_CANCELLED_WATCHER, build_tools, cached_while_shown


@dataclass(frozen=True)
class ChunkingTask:
    """A chunker to run on a document; equal tasks have equal results.

    ``revision`` is the embedder's revision, empty if it is not known before loading. ``model`` is the identity of the
    language model. ``answer_cache_identity`` is the identity of the session's cache of its answers, which may differ between
    sessions. Both are empty for chunkers that call no language model.
    """

    document: str
    embedder: str
    revision: str
    tokenizer: str
    chunker: str
    model: str = ""
    answer_cache_identity: str = ""

    @classmethod
    def of(
        cls,
        document: Document,
        embedder: Embedder | None,
        tokenizer: str,
        chunker: Chunker,
        asking: Asking | None = None,
    ) -> "ChunkingTask":
        """Build the task from the document's identity and all parameters of the chunker."""
        return cls(
            document.identity,
            *(("", "") if embedder is None else (embedder.name, embedder.revision)),
            tokenizer,
            chunker.name + json.dumps(chunker.model_dump()),
            *((asking.model.identity, asking.id_of_answer_cache) if asking is not None and chunker.asks else ("", "")),
        )

    @property
    def without_embedder(self) -> "ChunkingTask":
        """The task without its embedder, which does not affect a chunker that calls a language model."""
        return replace(self, embedder="", revision="")

    @property
    def document_and_chunker_name(self) -> tuple[str, str]:
        """The document's identity and the chunker's name, without parameters."""
        return self.document, self.chunker.partition("{")[0]


@dataclass(eq=False)
class ChunkingJob(BackgroundJob):
    """A job that runs chunkers on a document.

    If a chunker fails, so do those that need the same embedder or language model; the others continue. ``error_by_task`` has
    the error messages by task without embedder. ``successful_tasks`` are the tasks, also without embedder, that gave a
    result; ``results`` has those that are still shown. ``seconds_left`` estimates the time until the current chunker's texts
    are embedded; None until the speed is known.
    """

    source: Document
    embedder: Embedder | None
    tasks: list[tuple[ChunkingTask, Chunker]]
    on_disk: bool
    asking: Asking | None = None
    done: int = 0
    total: int = 0
    decided_share: float = 0.0
    jobs_ahead: int = 0
    seconds_left: float | None = None
    results: dict[ChunkingTask, Chunking] = field(default_factory=dict)
    error_by_task: dict[ChunkingTask, str] = field(default_factory=dict)
    successful_tasks: set[ChunkingTask] = field(default_factory=set, init=False)
    embed_ms: float = 0.0
    embedded: int = 0
    _calls_model: bool = False
    _first_batch_end: tuple[float, float] | None = None  # the moment of the first batch's end, and the share done by then

    def results_so_far(self) -> dict[ChunkingTask, Chunking]:
        """Return a copy of the results so far, by task."""
        # Copying a dictionary runs no Python code of its keys, so no other thread can change it meanwhile.
        return self.results.copy()

    def progress(self) -> tuple[float, str]:
        """Return the progress of the current chunker: first of its embedding, then of a long search."""
        if self._calls_model and self.asking is not None:
            return self.decided_share, f"Asking {self.asking.model.title}: {self.decided_share:.0%} of the text done"
        if self.decided_share:
            return self.decided_share, f"Deciding: {self.decided_share:.0%} done"
        if self.jobs_ahead:
            texts_ahead_phrase = "1 other text is" if self.jobs_ahead == 1 else f"{self.jobs_ahead:,} other texts are"
            return 0.0, f"Waiting: {texts_ahead_phrase} ahead"
        if self._status:
            return self._share, self._status
        embedder = self.embedder
        if not self.total:
            return 0.0, "Loading the embedding model" if embedder is None else embedder.loading_message()
        time_left_phrase = "" if self.seconds_left is None else f", {time_left_in_words(self.seconds_left)}"
        destination_phrase = f" by {embedder.destination}" if embedder is not None and embedder.destination else ""
        return self._share, f"Embedding{destination_phrase}: {self.done:,} of {self.total:,} texts{time_left_phrase}"

    def _note_embedded(self, done_count: int, total: int) -> None:
        self.done, self.total = done_count, total

    def _note_parts_done(self, done_count: int, total: int) -> None:
        self.decided_share = done_count / total

    def _note_share(self, share: float) -> None:
        self._share = share
        current_monotonic_time = time.monotonic()
        if self._first_batch_end is None:
            # The first batch may have waited for the processor to wake up.
            self._first_batch_end = current_monotonic_time, share
            return
        first_batch_end_time, share_done_after_first_batch = self._first_batch_end
        if share > share_done_after_first_batch:
            self.seconds_left = (
                (current_monotonic_time - first_batch_end_time) * (1 - share) / (share - share_done_after_first_batch)
            )

    def _note_queue_length(self, jobs_ahead_count: int) -> None:
        self.jobs_ahead = jobs_ahead_count

    def _do_work(self) -> None:
        error_by_model_needs: dict[tuple[bool, bool], InputError] = {}
        for task, chunker in self.tasks:
            model_needs = chunker.embeds, chunker.asks
            if model_needs not in error_by_model_needs:
                try:
                    self._run_chunker_and_store_result(task, chunker)
                    continue
                except InputError as error:
                    error_by_model_needs[model_needs] = error
            self.error_by_task[task.without_embedder] = str(error_by_model_needs[model_needs])
        if error_by_model_needs:
            raise next(iter(error_by_model_needs.values()))

    def _run_chunker_and_store_result(self, task: ChunkingTask, chunker: Chunker) -> None:
        self.done = self.total = 0
        self.decided_share = 0.0
        self._calls_model = chunker.asks
        self._first_batch_end = self.seconds_left = None
        if chunker.embeds and self.embedder is not None:
            self.load_embedding_model(self.embedder)
            # For some models the revision is known only after loading.
            task = replace(task, revision=self.embedder.revision)
        self._status, self._share = "", 0.0
        tools = self.tools(
            self.embedder,
            task.tokenizer,
            uses_disk_cache=self.on_disk,
            progress=self._note_embedded,
            share=self._note_share,
            waiting=self._note_queue_length,
            arrival=self.arrival,
            deciding=self._note_parts_done,
            asking=self.asking,
        )
        chunking = run_chunker(chunker, self.source, tools)
        self.results[task] = chunking
        self.successful_tasks.add(task.without_embedder)
        if chunking.timing:
            self.embed_ms += chunking.timing.embed_ms if chunking.timing.embedded else 0
            self.embedded += chunking.timing.embedded


def time_left_in_words(seconds_left: float) -> str:
    """Describe the remaining time, rounded as coarsely as its uncertainty requires."""
    if seconds_left < 10:
        return "some seconds left"
    return (
        f"about {round(seconds_left / 5) * 5} s left"
        if seconds_left < 100
        else f"about {round(seconds_left / 60)} minutes left"
    )


def chunk_if_quick(
    task: ChunkingTask,
    chunker: Chunker,
    document: Document,
    embedder: Embedder | None,
    uses_disk_cache: bool,
    language_model_access: Asking | None = None,
) -> Chunking | None:
    """Run a chunker now and return its result, or None if the run needs a background job.

    A job is needed if an embedding is missing or a search is long. Nothing is sent to the language model of
    ``language_model_access``; only its cached answers are used.
    """
    try:
        return run_chunker(
            chunker,
            document,
            build_tools(
                embedder,
                task.tokenizer,
                ALWAYS_CANCELLED_WATCHER,
                uses_disk_cache=uses_disk_cache,
                model_access=language_model_access,
            ),
        )
    except Cancelled:
        return None


def reversing_change_if_quick(
    task: ChunkingTask, chunker: Chunker, chunking: Chunking, gap: Gap, embedder: Embedder | None, uses_disk_cache: bool
) -> Tipping | None:
    """Return the smallest change that would reverse the verdict on a gap; None if no change is found quickly."""
    try:
        return _compute_cached_reversing_change(task, chunker, chunking, gap, embedder, uses_disk_cache)
    except Cancelled:
        return None


def worked_formula_if_embeddings_cached(
    task: ChunkingTask, chunker: Chunker, chunking: Chunking, gap: Gap, embedder: Embedder | None, on_disk: bool
) -> list[str]:
    """Return the formula behind the verdict on a gap with its values, as lines; empty if an embedding is not cached."""
    try:
        return worked_formula(
            chunker,
            chunking,
            gap,
            build_tools(
                embedder, task.tokenizer, ALWAYS_CANCELLED_WATCHER, fitted_on=chunking.document, uses_disk_cache=on_disk
            ),
        )
    except Cancelled:
        return []


@cached_while_shown(
    256, lambda task, chunker, chunking, gap, embedder, uses_disk_cache: (task.document, task, gap.index, gap.offset)
)
def _compute_cached_reversing_change(
    task: ChunkingTask, chunker: Chunker, chunking: Chunking, gap: Gap, embedder: Embedder | None, uses_disk_cache: bool
) -> Tipping | None:
    return chunker.tipping(
        chunking,
        gap,
        build_tools(
            embedder, task.tokenizer, ALWAYS_CANCELLED_WATCHER, fitted_on=chunking.document, uses_disk_cache=uses_disk_cache
        ),
    )


@cached_while_shown(32, lambda task, chunker, source: (task.document, task))
def estimate_chunker_requests(task: ChunkingTask, chunker: Chunker, document: Document) -> Estimate:
    """Estimate a chunker's requests to a language model without sending any.

    Raises
    ------
    InputError
        If the chunker cannot cut the text.
    """
    return chunker.estimate(document, build_tools(None, task.tokenizer))


def cached_sentence_vectors_or_raise(
    document: Document, embedder: Embedder, tokenizer: str, uses_disk_cache: bool
) -> VectorArray:
    """Return the cached vectors of the sentences, shape (n, dimension).

    Raises
    ------
    Cancelled
        If a sentence's embedding is not cached.
    """
    return build_tools(
        embedder, tokenizer, ALWAYS_CANCELLED_WATCHER, fitted_on=document, uses_disk_cache=uses_disk_cache
    ).embed(document.sentence_texts)


def cached_sentence_vectors_or_none(
    document: Document, embedder: Embedder | None, tokenizer: str, uses_disk_cache: bool
) -> VectorArray | None:
    """Return the cached vectors of the sentences, shape (n, dimension), or None if there are none; nothing is embedded."""
    if embedder is None or not document.sentences:
        return None
    try:
        return cached_sentence_vectors_or_raise(document, embedder, tokenizer, uses_disk_cache)
    except Cancelled:
        return None


# Timing of a chunker's decisions, repeated.


@dataclass(frozen=True)
class DecisionTimes:
    """Timings of the decision stage over several runs, in ms: lower quartile, median, upper quartile."""

    runs: int
    lower: float
    median: float
    upper: float


def measure_decision_times(
    task: ChunkingTask, chunker: Chunker, document: Document, embedder: Embedder | None, on_disk: bool, run_count: int = 11
) -> DecisionTimes | None:
    """Time a chunker's decision stage over several runs; None if a run needs a background job."""
    decision_stage_ms_per_run = []
    for _ in range(run_count):
        timed_chunking = chunk_if_quick(task, chunker, document, embedder, on_disk)
        if timed_chunking is None or timed_chunking.timing is None:
            return None
        decision_stage_ms_per_run.append(timed_chunking.timing.decide_ms + timed_chunking.timing.merge_ms)
    decision_stage_ms_per_run.sort()
    return DecisionTimes(
        run_count,
        decision_stage_ms_per_run[run_count // 4],
        decision_stage_ms_per_run[run_count // 2],
        decision_stage_ms_per_run[-1 - run_count // 4],
    )
