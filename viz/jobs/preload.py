"""Loading what the first page needs in a thread, before a browser asks for it."""

from __future__ import annotations

import importlib
import threading

from chunkers import InputError, load_embedder
from viz.jobs.resources import load_model


def preload(*modules: str) -> threading.Thread:
    """Start a daemon thread that imports the modules, in order, and then loads the bundled model; return it."""
    thread = threading.Thread(target=_load, args=(modules,), daemon=True, name="preload")
    thread.start()
    return thread


def _load(modules: tuple[str, ...]) -> None:
    # They come first: the page can show what needs no model while the model is loaded.
    for module in modules:
        importlib.import_module(module)
    embedder = load_embedder()
    try:
        load_model(embedder)
        # The first text through a network takes longer than all later ones.
        embedder.encode(["The first text."])
    except InputError:
        # A page that needs the model says what is wrong with it.
        pass
