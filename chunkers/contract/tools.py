"""Services for chunkers (embeddings, token counts), a record of their use, and callbacks for those who watch a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from chunkers.embedders import Embedder
from chunkers.embedders.base import check_vector_memory, checked_vectors, split_into_batches, wrap_encoder_as_embedder
from chunkers.network.connection import abandon_requests_once_cancelled
from chunkers.storage.embedding_cache import CachedVector, EmbeddingCache
from chunkers.support import IntArray, ModelError, VectorArray, raise_if_cancelled
from chunkers.text import Tokenizer

if TYPE_CHECKING:
    from chunkers.language_models import AnswerKind, Asking, Ledger, Message, Reply, Spending

JobResult = TypeVar("JobResult")

NO_LANGUAGE_MODEL = "This chunker needs a language model, named as openai:NAME, and none was given."
"""Error message for a missing language model."""


@dataclass
class Meter:
    """Counters of one run: seconds spent in each stage, and numbers of distinct texts.

    ``counted_text_keys`` holds the keys of the texts already counted.

    ``has_counted_tokens`` is true if tokens were counted. ``ledger`` sums the spending on a language model; None if no model
    was asked.
    """

    load_s: float = 0.0
    embed_s: float = 0.0
    merge_s: float = 0.0
    uncached_embedding_s: float = 0.0
    embedded: int = 0
    cached: int = 0
    has_counted_tokens: bool = False
    counted_text_keys: set[bytes] = field(default_factory=set)
    ledger: Ledger | None = None

    @property
    def spending(self) -> Spending | None:
        """Spending on a language model; None if no model was asked."""
        return None if self.ledger is None else self.ledger.spent


def _do_nothing(*numbers: float) -> None:
    pass


@dataclass(frozen=True)
class Watcher:
    """A caller's view of a run: callbacks for its progress, its cancellation, and its place among waiting runs.

    Attributes
    ----------
    cancelled
        Called before each batch, while a model is built or a server is waited for, and at intervals of a long search; true
        stops the run with `Cancelled`.
    cached_only
        True to stop the run with `Cancelled` at a text whose embedding is not in the cache.
    progress
        Called with (texts embedded, texts to embed) after each batch.
    share
        Called just before ``progress`` with the completed share of the work, from 0 to 1, measured by the texts' lengths
        for the model.
    preparing
        Called with the completed share, from 0 to 1, of building a model on its first use.
    deciding
        Called with (done, to do) at intervals during a long search.
    waiting
        Called with the number of runs ahead that embed with the same model, whenever that number changes; with 0 when
        none is left.
    arrival
        The run's number from `chunkers.storage.fair_locks.next_arrival_number`, which determines its position among waiting
        runs; None to take a new arrival number each time.
    """

    cancelled: Callable[[], bool] = bool
    cached_only: bool = False
    progress: Callable[[int, int], None] = _do_nothing
    share: Callable[[float], None] = _do_nothing
    preparing: Callable[[float], None] = _do_nothing
    deciding: Callable[[int, int], None] = _do_nothing
    waiting: Callable[[int], None] = _do_nothing
    arrival: int | None = None


@dataclass
class Tools:
    """Services that a chunker may use: embeddings, token counts, a language model, progress and cancellation.

    Attributes
    ----------
    embedder
        Embedder; None if only chunkers without embeddings will run. Any object with a method ``encode`` is accepted.
    tokenizer
        Tokenizer that counts tokens.
    cache
        Cache of embeddings between runs.
    asking
        Access to a language model; None if no chunker that asks one will run.
    ledger
        Sum of spending over several runs, in addition to the meter of each.
    watcher
        The caller's callbacks for progress and cancellation.
    """

    embedder: Embedder | None
    tokenizer: Tokenizer
    cache: EmbeddingCache = field(default_factory=EmbeddingCache)
    meter: Meter = field(default_factory=Meter)
    asking: Asking | None = None
    ledger: Ledger | None = None
    watcher: Watcher = field(default_factory=Watcher)

    def __post_init__(self) -> None:
        """Wrap the caller's object as an embedder; raises InputError if it has no method ``encode``."""
        if self.embedder is not None:
            self.embedder = wrap_encoder_as_embedder(self.embedder)

    @property
    def cancelled(self) -> Callable[[], bool]:
        """The caller's function that returns true to stop the run; see `Watcher`."""
        return self.watcher.cancelled

    def embed(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), dimension), embedding each distinct text only once.

        All vectors pass through this method, which checks the output of every embedder.

        Raises
        ------
        ModelError
            If there is no embedder, it cannot be loaded, or it does not return one unit vector per text.
        Cancelled
            If the user asked to stop; the completed batches are in the cache.
        """
        if self.embedder is None:
            raise ModelError(
                "This chunker needs an embedder; none was given. Pass the name of an embedder, or an embedder object."
            )
        start_time = time.perf_counter()
        load_seconds_before_embedding = self.meter.load_s
        try:
            if not self.embedder.revision and not self.cancelled():
                # Only loading tells which weights are behind a folder or a name on the hub.
                self._ensure_embedder_loaded(self.embedder)
            cache_keys = self.cache.keys(self.embedder.name, self.embedder.identity, texts)
            cached_vector_by_key = self.cache.get_many(cache_keys)
            uncached_text_by_key = {
                key: text for key, text in zip(cache_keys, texts, strict=True) if key not in cached_vector_by_key
            }
            self.meter.cached += len(cached_vector_by_key.keys() - self.meter.counted_text_keys)
            if uncached_text_by_key:
                self._embed_missing_texts(self.embedder, uncached_text_by_key, cached_vector_by_key, len(texts))
            self.meter.uncached_embedding_s += sum(
                entry.cost for key, entry in cached_vector_by_key.items() if key not in self.meter.counted_text_keys
            )
            self.meter.counted_text_keys.update(cached_vector_by_key)
            for cache_key in cache_keys:
                _check_same_dimensions(
                    self.embedder.name,
                    cached_vector_by_key[cache_key].vector,
                    cached_vector_by_key[cache_keys[0]].vector,
                )
            if cache_keys:
                check_vector_memory(self.embedder.name, len(cache_keys), len(cached_vector_by_key[cache_keys[0]].vector))
            return (
                np.stack([cached_vector_by_key[key].vector for key in cache_keys])
                if cache_keys
                else np.zeros((0, 1), np.float32)
            )
        finally:
            self.meter.embed_s += time.perf_counter() - start_time - (self.meter.load_s - load_seconds_before_embedding)

    def _embed_missing_texts(
        self,
        embedder: Embedder,
        missing_text_by_key: Mapping[bytes, str],
        cached_vector_by_key: dict[bytes, CachedVector],
        total_text_count: int,
    ) -> None:
        """Embed the missing texts in batches, and add their vectors to ``cached_vector_by_key``.

        ``total_text_count`` includes the texts that are cached already.
        """
        raise_if_cancelled(lambda: self.watcher.cached_only or self.cancelled())
        self._ensure_embedder_loaded(embedder)
        with self._acquire_embedding_turn(embedder), abandon_requests_once_cancelled(self.cancelled):
            # Another run may have computed them while this one waited for its turn.
            vectors_computed_meanwhile = self.cache.get_many(missing_text_by_key)
            self.meter.cached += len(vectors_computed_meanwhile)
            cached_vector_by_key.update(vectors_computed_meanwhile)
            text_lengths, keyed_texts_longest_first = self._texts_longest_first(
                {key: text for key, text in missing_text_by_key.items() if key not in vectors_computed_meanwhile}
            )
            total_text_length, length_embedded_so_far = sum(text_lengths), 0
            for batch_slice in split_into_batches(text_lengths, embedder.batch, embedder.batch_length):
                raise_if_cancelled(self.cancelled)
                batch_of_keyed_texts = keyed_texts_longest_first[batch_slice]
                batch_start_time = time.perf_counter()
                batch_texts = [text for _, text in batch_of_keyed_texts]
                batch_text_vectors = checked_vectors(embedder.name, embedder.encode(batch_texts), batch_texts)
                seconds_per_text = (time.perf_counter() - batch_start_time) / len(batch_of_keyed_texts)
                check_vector_memory(embedder.name, total_text_count, batch_text_vectors.shape[1])
                for first_cached_vector in islice(cached_vector_by_key.values(), 1):
                    _check_same_dimensions(embedder.name, batch_text_vectors[0], first_cached_vector.vector)
                cached_vector_by_key.update(
                    self.cache.put_many([key for key, _ in batch_of_keyed_texts], batch_text_vectors, seconds_per_text)
                )
                self.meter.embedded += len(batch_of_keyed_texts)
                length_embedded_so_far += sum(text_lengths[batch_slice])
                self.watcher.share(length_embedded_so_far / total_text_length if total_text_length else 1.0)
                self.watcher.progress(batch_slice.stop, len(keyed_texts_longest_first))

    def _acquire_embedding_turn(self, embedder: Embedder) -> AbstractContextManager[None]:
        """Let one run at a time embed with a model, so that no two runs compute the same vectors.

        A server has no turns: while it answers, or does not, others must not wait.
        """
        if embedder.remote:
            return nullcontext()
        return self.cache.turns.acquire(
            (embedder.name, embedder.identity), self.cancelled, self.watcher.waiting, self.watcher.arrival
        )

    def _texts_longest_first(self, missing_text_by_key: Mapping[bytes, str]) -> tuple[list[int], list[tuple[bytes, str]]]:
        """Return the length that the model reads of each text, and the texts, longest first: it saves padding."""
        if self.embedder is None or self.cancelled():
            return [1] * len(missing_text_by_key), list(missing_text_by_key.items())
        model_token_limit = self.embedder.max_tokens
        text_token_lengths = self.embedder.lengths(list(missing_text_by_key.values()))
        if model_token_limit is not None:
            text_token_lengths = [min(length, model_token_limit) for length in text_token_lengths]
        lengths_with_keyed_texts = sorted(
            zip(text_token_lengths, missing_text_by_key.items(), strict=True), key=lambda item: item[0], reverse=True
        )
        return [length for length, _ in lengths_with_keyed_texts], [item for _, item in lengths_with_keyed_texts]

    def ask(self, messages: Sequence[Message], kind: AnswerKind) -> Reply:
        """Ask the language model and return its answer, in the form that ``kind`` requires.

        Raises
        ------
        ModelError
            If there is no language model, the model does not answer, or the request would exceed the spending limit.
        Cancelled
            If the user asked to stop, and the answer is not in the cache.
        """
        model_access, spending_ledger = self._language_model_and_ledger()
        return model_access.ask(messages, self.cancelled, spending_ledger, kind)

    def report_usability(self, usable: bool) -> None:
        """Record whether the language model's last answer was usable; see `Asking.report_usability`."""
        self._language_model_and_ledger()[0].report_usability(usable)

    def together(self, works: Sequence[Callable[[Tools], JobResult]]) -> list[JobResult]:
        """Run jobs that ask a language model, several in parallel, and return their results in order.

        Parameters
        ----------
        works
            Jobs to run. Each receives a copy of these tools, which stops it when another job fails.

        Raises
        ------
        ModelError
            If there is no language model.
        Exception
            The error of the first job that fails.
        """
        # Before the threads, each of which would make a ledger of its own.
        self._language_model_and_ledger()
        from chunkers.language_models.requests_within_spending_limit import run_in_parallel

        def wrap_job_with_cancellation(job: Callable[[Tools], JobResult]) -> Callable[[Callable[[], bool]], JobResult]:
            return lambda cancelled: job(replace(self, watcher=replace(self.watcher, cancelled=cancelled)))

        return run_in_parallel([wrap_job_with_cancellation(work) for work in works], self.cancelled)

    def _language_model_and_ledger(self) -> tuple[Asking, Ledger]:
        """Return the language model and the ledger of this run; raises ModelError if there is no language model."""
        if self.asking is None:
            raise ModelError(NO_LANGUAGE_MODEL)
        if self.meter.ledger is None:
            from chunkers.language_models.spending import Ledger

            self.meter.ledger = Ledger(self.ledger)
        return self.asking, self.meter.ledger

    def decided(self, done: int, total: int) -> None:
        """Report the progress of a long search: ``done`` of ``total`` steps.

        Raises
        ------
        Cancelled
            If the user asked to stop.
        """
        raise_if_cancelled(self.cancelled)
        self.watcher.deciding(done, total)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        return self._counting_tokenizer().count(texts)

    def token_starts(self, text: str) -> IntArray:
        """Return the start offset of each token of ``text``, in code points, shape (tokens,)."""
        return self._counting_tokenizer().starts(text)

    def _counting_tokenizer(self) -> Tokenizer:
        """Return the tokenizer, loaded, and record that tokens are counted."""
        with self.measure_loading_time():
            self.tokenizer.ensure_loaded()
        self.meter.has_counted_tokens = True
        return self.tokenizer

    def _ensure_embedder_loaded(self, embedder: Embedder) -> None:
        """Load an embedder before its first use."""
        with self.measure_loading_time():
            embedder.ensure_model_built_and_loaded(self.watcher.preparing, self.cancelled)

    @contextmanager
    def measure_loading_time(self) -> Iterator[None]:
        """Return a context manager that counts the time spent inside it as loading time, not as the chunker's own time."""
        loading_start_time = time.perf_counter()
        try:
            yield
        finally:
            self.meter.load_s += time.perf_counter() - loading_start_time

    @contextmanager
    def measure_merging_time(self) -> Iterator[None]:
        """Return a context manager that counts the time spent inside it as pass two, except for time spent on embedding."""
        merging_start_time, earlier_embedding_seconds = time.perf_counter(), self.meter.embed_s + self.meter.load_s
        yield
        self.meter.merge_s += (
            time.perf_counter() - merging_start_time - (self.meter.embed_s + self.meter.load_s - earlier_embedding_seconds)
        )


def _check_same_dimensions(embedder_name: str, new_vector: VectorArray, cached_vector: VectorArray) -> None:
    """Raise ModelError if two vectors have other dimensions: the model behind a name may have been changed."""
    if new_vector.shape != cached_vector.shape:
        raise ModelError(
            f"{embedder_name}: all vectors of an embedder must have the same number of dimensions; a new vector has "
            f"{len(new_vector)}, and "
            f"the cached vectors have {len(cached_vector)}. The model behind the name has changed: rename the embedder, or "
            "clear "
            "the cache."
        )
