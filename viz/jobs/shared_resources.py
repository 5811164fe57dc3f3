"""Resources shared by all sessions: caches of values derived from texts, split documents, stores on disk, memory.

They are not in Streamlit's caches, which any browser can clear for all sessions with one message.
"""

import ctypes
import gc
import threading
from collections import Counter, deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from chunkers import Document, Embedder, EmbeddingCache, Tools, Watcher, load_tokenizer
from chunkers.language_models import AnswerCache, Asking, Ledger
from chunkers.storage.private_files import user_cache_folder, user_data_folder
from chunkers.support import LRUDict, cache_results_in
from chunkers.text import TextParts, clear_misfit_caches, clear_outline_caches
from viz.jobs.storage.disk_text_store import DiskTextStore
from viz.jobs.storage.run_store import RunStore

# Caches of values derived from texts, each kept only while a session shows the text.

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")

MOST_CACHED_BYTES = 64 * 2**20
"""Size limit of each cache of data prepared for the browser; the least recently used entries are evicted first."""

_session_count_by_text: Counter[str] = Counter()
_identities_of_gone_texts: deque[str] = deque()
_lock = threading.Lock()
_forget_functions: list[Callable[[str], None]] = []


class ShownTextMarker:
    """A marker in a session's state; while it exists, the session shows the text ``identity``.

    Parameters
    ----------
    identity
        The identity of the text's document.
    """

    def __init__(self, identity: str) -> None:
        self._identity = identity
        with _lock:
            _session_count_by_text[identity] += 1

    def __del__(self) -> None:
        # Python may call this at any moment, in a thread that holds any lock, so it only appends to a queue.
        _identities_of_gone_texts.append(self._identity)


def drop_values_of_gone_texts() -> None:
    """Drop the cached values of texts that no session shows any more."""
    while True:
        try:
            gone_text_identity = _identities_of_gone_texts.popleft()
        except IndexError:
            return
        with _lock:
            _session_count_by_text[gone_text_identity] -= 1
            if _session_count_by_text[gone_text_identity] > 0:
                continue
            del _session_count_by_text[gone_text_identity]
        for forgetter in _forget_functions:
            forgetter(gone_text_identity)


def register_text_gone_callback(forget: Callable[[str], None]) -> None:
    """Register a function to call with the identity of each text that no session shows any more."""
    _forget_functions.append(forget)


def cached_while_shown(
    max_cache_size: float,
    make_cache_key: Callable[..., tuple[Hashable, ...]],
    getsizeof: Callable[[Any], float] | None = None,
) -> Callable[[Callable[Arguments, Made]], Callable[Arguments, Made]]:
    """Return a decorator that caches values derived from a text until no session shows the text.

    Parameters
    ----------
    max_cache_size
        The maximum number of entries, or maximum sum of ``getsizeof``; the least recently used are dropped first.
    make_cache_key
        Called with the function's arguments; returns the cache key, whose first element is the text's identity.
    """
    cached_values: LRUDict[tuple[Hashable, ...], Any] = LRUDict(max_cache_size, getsizeof)
    # Callers that need a value being computed wait for it.
    cache_condition_variable = threading.Condition()

    def forget_values_of_text(text_identity: str) -> None:
        with cache_condition_variable:
            for stale_key in [cached_key for cached_key in cached_values if cached_key[0] == text_identity]:
                del cached_values[stale_key]

    def decorate(make_value: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
        register_text_gone_callback(forget_values_of_text)
        return cache_results_in(cached_values, make_cache_key, cache_condition_variable)(make_value)

    return decorate


register_text_gone_callback(lambda _: clear_misfit_caches())
register_text_gone_callback(lambda _: clear_outline_caches())


@cache_results_in(LRUDict(2), lambda on_disk: on_disk)
def embedding_cache(on_disk: bool) -> EmbeddingCache:
    """Return the embedding cache shared by all pages and sessions, in memory unless ``on_disk``."""
    return EmbeddingCache(user_cache_folder() / "embeddings.sqlite" if on_disk else None)


def embedder_part_of_cache_key(embedder: Embedder | None) -> tuple[str, str] | None:
    """Return the part of a key that stands for an embedder: its name, and the identity of its vectors."""
    return None if embedder is None else (embedder.name, embedder.identity)


ALWAYS_CANCELLED_WATCHER = Watcher(cancelled=lambda: True)
"""Watcher of a run that raises Cancelled instead of embedding, sending requests or searching for long."""

ONLY_CACHED_EMBEDDINGS_WATCHER = Watcher(cached_only=True)
"""Watcher of a repeated run, whose embeddings are cached; it raises Cancelled instead of embedding."""


def build_tools(
    embedder: Embedder | None,
    tokenizer: str = "all-MiniLM-L6-v2",
    watcher: Watcher | None = None,
    *,
    fitted_on: Document | None = None,
    uses_disk_cache: bool = False,
    model_access: Asking | None = None,
    ledger: Ledger | None = None,
) -> Tools:
    """Return the tools for chunkers, with the embeddings cached for all sessions; in a job, use `BackgroundJob.tools`.

    An embedder that must be fitted on each document is fitted on ``fitted_on``.
    """
    return Tools(
        embedder if embedder is None or fitted_on is None else embedder.for_document(fitted_on),
        load_tokenizer(tokenizer),
        embedding_cache(uses_disk_cache),
        asking=model_access,
        ledger=ledger,
        watcher=watcher or Watcher(),
    )


@cache_results_in(LRUDict(1), lambda: None)
def disk_answer_cache() -> AnswerCache:
    """Return the cache on disk of the language models' answers, shared by all sessions."""
    return AnswerCache(user_cache_folder() / "answers.sqlite")


@cache_results_in(LRUDict(1), lambda: None)
def run_store() -> RunStore:
    """Return the store of runs on disk, shared by all sessions."""
    return RunStore(user_cache_folder() / "runs.sqlite")


@cache_results_in(LRUDict(1), lambda: None)
def disk_text_store() -> DiskTextStore:
    """Return the store of the texts that users keep on this machine, shared by all sessions."""
    return DiskTextStore(user_data_folder() / "notebooks.sqlite")


@cached_while_shown(6, lambda identity, name, text, splitter, parts: (identity, name))
def _cached_split_document(
    text_identity: str, document_name: str, text: str, splitter: str, text_parts: TextParts | None
) -> Document:
    with st.spinner("Splitting into sentences"):
        return Document.from_text(text, splitter, document_name, text_parts).split()


def split_document(text: str, splitter: str, document_name: str, text_parts: TextParts | None = None) -> Document:
    """Split a text into sentences, and return the document, which sessions that show the same text share.

    Raises
    ------
    InputError
        If the text contains a lone surrogate or the splitter does not exist.
    """
    drop_values_of_gone_texts()
    return _cached_split_document(
        Document.identity_of(text, splitter, text_parts), document_name, text, splitter, text_parts
    )


def collect_garbage() -> None:
    """Run a full garbage collection, and exempt the surviving objects from automatic collections until the next call.

    Traversing the objects of all modules and sessions stops every thread for a good part of a second. Python would do so at
    any time; `viz.server.server_tasks` does it at the start, and when sessions have ended and no page is being
    drawn.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def return_freed_memory() -> None:
    """Return freed memory, such as that of ended threads, to the system if the C library supports it."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
