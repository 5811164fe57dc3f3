"""Loading what the first page needs in a thread, while the server answers."""

from __future__ import annotations

import gc
import importlib
import threading
import time

from viz.jobs.drawing import LOOK_S, is_drawing

LONGEST_STEP_S = 30
"""Seconds that the end of the server waits for the step that is being done; it takes one or two."""

PATIENCE_S = 3.0
"""Seconds that the model waits for a browser to ask for a page: one that is opened with the server needs one or two."""

SHOWN_S = 2.0
"""Seconds after which the first page has everything that waited for the model."""


class Preload:
    """A daemon thread that imports modules, in order, waits for a browser, and then loads the bundled model.

    What it imports must not be imported before, or the server answers that much later. Meanwhile Python's own garbage
    collection rests: it would look at all that is imported again and again, and there is nothing to be found. It looks once
    when all has been shown, which stops every thread for a quarter of a second.
    """

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
        gc.disable()
        try:
            # They come first: the page can show what needs no model while the model is loaded.
            for module in self._modules:
                if self._stopped.is_set():
                    return
                importlib.import_module(module)
            self._wait_for_a_browser()
            if not self._stopped.is_set():
                _load_model()
            if not self._stopped.wait(SHOWN_S):
                _collect_garbage()
        finally:
            gc.enable()

    def _wait_for_a_browser(self) -> None:
        patient_until = time.monotonic() + PATIENCE_S
        while not (is_drawing() or time.monotonic() > patient_until):
            if self._stopped.wait(LOOK_S):
                return


def _collect_garbage() -> None:
    from viz.jobs.resources import collect_garbage

    collect_garbage()


def _load_model() -> None:
    from chunkers import InputError, load_embedder
    from viz.jobs.resources import load_model

    embedder = load_embedder()
    try:
        load_model(embedder)
        # The first text through a network takes longer than all later ones.
        embedder.encode(["The first text."])
    except InputError:
        # A page that needs the model says what is wrong with it.
        pass
