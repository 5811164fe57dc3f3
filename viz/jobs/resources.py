"""Resources shared by all sessions: the embedding cache, split documents, loaded models.

They are not in Streamlit's caches, which any browser can clear for all sessions with one message.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from contextlib import suppress

import streamlit as st

from chunkers import Document, Embedder
from chunkers.language_models.answers import AnswerCache
from chunkers.storage.cache import EmbeddingCache
from chunkers.support.folders import user_cache, user_data
from chunkers.support.recently_used import RecentlyUsed, kept_in
from chunkers.text.parts import Parts
from viz.jobs.keeping.notebook_store import NotebookStore
from viz.jobs.keeping.run_store import RunStore
from viz.jobs.texts import forget_gone, kept


@kept_in(RecentlyUsed(2), lambda on_disk: on_disk)
def embedding_cache(on_disk: bool) -> EmbeddingCache:
    """Return the embedding cache shared by all pages and sessions, in memory unless ``on_disk``."""
    return EmbeddingCache(user_cache() / "embeddings.sqlite" if on_disk else None)


@kept_in(RecentlyUsed(1), lambda: None)
def answers_on_disk() -> AnswerCache:
    """Return the cache on disk of the language models' answers, shared by all sessions."""
    return AnswerCache(user_cache() / "answers.sqlite")


@kept_in(RecentlyUsed(1), lambda: None)
def run_store() -> RunStore:
    """Return the store of runs on disk, shared by all sessions."""
    return RunStore(user_cache() / "runs.sqlite")


@kept_in(RecentlyUsed(1), lambda: None)
def notebook_store() -> NotebookStore:
    """Return the store of the texts that users keep on this machine, shared by all sessions."""
    return NotebookStore(user_data() / "notebooks.sqlite")


@kept(6, lambda identity, name, text, splitter, parts: (identity, name))
def _split(identity: str, name: str, text: str, splitter: str, parts: Parts | None) -> Document:
    with st.spinner("Splitting into sentences"):
        return Document.from_text(text, splitter, name, parts).split()


def split_document(text: str, splitter: str, name: str, parts: Parts | None = None) -> Document:
    """Split a text into sentences, and return the document, which sessions that show the same text share.

    Raises
    ------
    InputError
        If the text contains a lone surrogate or the splitter does not exist.
    """
    forget_gone()
    return _split(Document.identity_of(text, splitter, parts), name, text, splitter, parts)


def _untold(share: float) -> None:
    """Report nothing."""


def load_model(
    embedder: Embedder, preparing: Callable[[float], None] = _untold, cancelled: Callable[[], bool] = bool
) -> None:
    """Load the embedder's model, building the model first if necessary.

    Preparation calls ``preparing`` with the share that is done, and raises `Cancelled` once ``cancelled`` returns True.
    """
    embedder.prepare(preparing, cancelled)


def collect_garbage() -> None:
    """Run a full garbage collection, and exempt the surviving objects from automatic collections until the next call.

    Traversing the objects of all modules and sessions stops every thread for a good part of a second. Python would do so at
    any time; `viz.jobs.preload` does it once, and `viz.shell.housekeeping` when sessions have ended and no page is being
    drawn.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def give_back_memory() -> None:
    """Return freed memory, such as that of ended threads, to the system if the C library supports it."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
