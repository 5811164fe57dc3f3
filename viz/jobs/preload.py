"""Loading what the first page needs in a thread, before a browser asks for it."""

from __future__ import annotations

import importlib
import threading

from chunkers import InputError, load_embedder
from viz.jobs.resources import load_model

LONGEST_STEP_S = 30.0
"""Seconds that the end of the server waits for the step that is being done; it takes one or two."""


class Preload:
    """A daemon thread that imports modules, in order, and then loads the bundled model."""

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._load, daemon=True, name="preload")

    def start(self) -> None:
        """Begin to load."""
        self._thread.start()

    def stop(self) -> None:
        """End after the step that is being done, and wait for it: the interpreter must not end inside an import."""
        self._stopped.set()
        self.join(LONGEST_STEP_S)

    def join(self, seconds: float) -> None:
        """Wait until all is loaded, for at most ``seconds``."""
        self._thread.join(seconds)

    @property
    def running(self) -> bool:
        """Whether the thread is alive."""
        return self._thread.is_alive()

    def _load(self) -> None:
        # They come first: the page can show what needs no model while the model is loaded.
        for module in self._modules:
            if self._stopped.is_set():
                return
            importlib.import_module(module)
        if self._stopped.is_set():
            return
        embedder = load_embedder()
        try:
            load_model(embedder)
            # The first text through a network takes longer than all later ones.
            embedder.encode(["The first text."])
        except InputError:
            # A page that needs the model says what is wrong with it.
            pass
