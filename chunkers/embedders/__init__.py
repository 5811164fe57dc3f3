"""Embedders by name. Creating one loads nothing; its first ``encode`` does."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from chunkers.embedders.base import Embedder
from chunkers.embedders.minilm import MiniLM
from chunkers.embedders.models import FolderModel, HubModel
from chunkers.embedders.own import OWN, Encoder, embedder_of
from chunkers.embedders.server import OpenAIServer
from chunkers.embedders.spacy_vectors import SpacyVectors
from chunkers.embedders.static import Static
from chunkers.embedders.tfidf import TfIdf
from chunkers.errors import InputError, shown

__all__ = ["EMBEDDERS", "OTHERS", "Embedder", "Encoder", "MiniLM", "OpenAIServer", "load_embedder"]

EMBEDDERS = {
    "all-MiniLM-L6-v2": "the bundled model: 384 dimensions, English, reads at most 256 word pieces",
    "static": "the bundled model distilled once into a table of word pieces, kept on this machine: far faster, less exact",
    "tfidf": "TF-IDF and singular values of the document's own sentences: any language, at once, no model",
}
"""Names of the embedders that are always there, with one line of help."""

OTHERS = {
    "ORGANISATION/MODEL": "a sentence-transformers model of the Hugging Face hub, downloaded once",
    "FOLDER": "a sentence-transformers model in a folder of this machine",
    "spacy:NAME": "the word vectors of an installed spaCy pipeline",
    "openai:NAME": "a model of a server that speaks OpenAI's protocol, the text sent to it",
}
"""Forms of the names of all others, with one line of help."""

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def load_embedder(name: str | Encoder = "all-MiniLM-L6-v2") -> Embedder:
    """Return the embedder called ``name``, not loaded yet; nothing is read, fetched or sent before its ``load``.

    Parameters
    ----------
    name
        A key of `EMBEDDERS`, or one of the forms in `OTHERS`; a folder takes precedence over a hub model of the same name.
        Or any object with a method ``encode``, see `Encoder`; an `Embedder` is returned as it is.

    Raises
    ------
    InputError
        If no embedder can have that name, or the object has no such method.
    """
    if not isinstance(name, str):
        return embedder_of(name)
    if name.startswith(OWN):
        raise InputError(
            f"embedder: {name} must be given as the object that it was: no embedder is loaded by a name with {OWN}."
        )
    # Not cached: the environment may name another server the next time.
    return OpenAIServer(name) if name.startswith("openai:") else _load_embedder(name)


@lru_cache(maxsize=4)
def _load_embedder(name: str) -> Embedder:
    if name == MiniLM.name:
        return MiniLM()
    if name == Static.name:
        full = _load_embedder(MiniLM.name)
        assert isinstance(full, MiniLM)
        return Static(full)
    if name == TfIdf.name:
        return TfIdf()
    if name.startswith("spacy:"):
        return SpacyVectors(name)
    if _is_folder(name):
        return FolderModel(name)
    if _HUB_NAME.fullmatch(name):
        return HubModel(name)
    raise InputError(f"embedder must be one of {', '.join(EMBEDDERS)}, or {', '.join(OTHERS)}; got {shown(name)}.")


def _is_folder(name: str) -> bool:
    try:
        return bool(name.strip()) and Path(name).expanduser().is_dir()
    except (OSError, RuntimeError, ValueError):
        # A name that is too long, begins with a user that does not exist, or has a null character.
        return False
