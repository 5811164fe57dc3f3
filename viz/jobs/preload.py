"""Loading what the first page needs in a thread, before a browser asks for it."""

from __future__ import annotations

import importlib
import threading

from chunkers import InputError, load_embedder
from viz.jobs.resources import load_model


def preload(page: str) -> threading.Thread:
    """Start a daemon thread that imports the module ``page`` and loads the bundled model; return it."""
    thread = threading.Thread(target=_load, args=(page,), daemon=True, name="preload")
    thread.start()
    return thread


def _load(page: str) -> None:
    # The page comes first: it can show what needs no model while the model is loaded.
    importlib.import_module(page)
    embedder = load_embedder()
    try:
        load_model(embedder)
        # The first text through a network takes longer than all later ones.
        embedder.encode(["The first text."])
    except InputError:
        # A page that needs the model says what is wrong with it.
        pass
