"""Resources shared by all sessions: the embedding cache, split documents, loaded models."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import cache

import platformdirs
import streamlit as st

from chunkers import Document, Embedder
from chunkers.cache import EmbeddingCache
from viz.jobs.run_store import RunStore


@st.cache_resource(show_spinner=False)
def embedding_cache(on_disk: bool) -> EmbeddingCache:
    """Return the embedding cache, shared by all pages and sessions; in memory unless ``on_disk``."""
    return EmbeddingCache(platformdirs.user_cache_path("seamark") / "embeddings.sqlite" if on_disk else None)


@st.cache_resource(show_spinner=False)
def run_store() -> RunStore:
    """Return the store of the runs that are kept on disk, shared by all sessions; it creates its file with the first run."""
    return RunStore(platformdirs.user_cache_path("seamark") / "runs.sqlite")


@st.cache_resource(max_entries=6, show_spinner="Splitting into sentences")
def _split(identity: str, name: str, _text: str, _splitter: str) -> Document:
    return Document.from_text(_text, _splitter, name)


def split_document(text: str, splitter: str, name: str) -> Document:
    """Return the text split into sentences; recent documents are cached and returned as the same object.

    Raises
    ------
    InputError
        If the text contains a lone surrogate or the splitter does not exist.
    """
    # Streamlit would hash the whole text on every run; this key is a short string.
    return _split(Document.identity_of(text, splitter), name, text, splitter)


def _untold(share: float) -> None:
    """Report nothing."""


def load_model(
    embedder: Embedder, preparing: Callable[[float], None] = _untold, cancelled: Callable[[], bool] = bool
) -> None:
    """Load the model; the first one's objects are exempted from garbage collection.

    A model that has to be made first calls ``preparing`` with the share that is done, and stops with `Cancelled` once
    ``cancelled`` is true.

    Traversing the objects that torch creates blocks all other threads and never frees anything. They are exempted once, at
    the start of the server where it can be: whatever is alive then is never collected, and later that would be texts.
    """
    embedder.prepare(preparing, cancelled)
    _freeze()


@cache
def _freeze() -> None:
    gc.collect()
    gc.freeze()
