"""What the server keeps for all sessions: the embeddings' cache, split documents, loaded models."""

from __future__ import annotations

import gc

import platformdirs
import streamlit as st

from chunkers import Document, Embedder
from chunkers.cache import EmbeddingCache


@st.cache_resource(show_spinner=False)
def embedding_cache(on_disk: bool) -> EmbeddingCache:
    """Return the embeddings' cache, shared by all pages and sessions; on disk only where the user said so."""
    return EmbeddingCache(platformdirs.user_cache_path("seamark") / "embeddings.sqlite" if on_disk else None)


@st.cache_resource(max_entries=6, show_spinner="Splitting into sentences")
def _split(identity: str, name: str, _text: str, _splitter: str) -> Document:
    return Document.from_text(_text, _splitter, name)


def split_document(text: str, splitter: str, name: str) -> Document:
    """Return the document split into sentences, the same one as long as it is among the last.

    Raises
    ------
    InputError
        If the text holds a lone surrogate or the splitter does not exist.
    """
    # Streamlit would hash the whole text at every run; the document's identity is hashed once.
    return _split(Document.identity_of(text, splitter), name, text, splitter)


def load_model(embedder: Embedder) -> None:
    """Load the model, and take it out of the garbage collector's sight.

    Streamlit collects garbage after every run of a page. Walking all that torch leaves in memory takes longer than the
    run, holds up every other thread, and never finds anything.
    """
    embedder.load()
    gc.collect()
    gc.freeze()
