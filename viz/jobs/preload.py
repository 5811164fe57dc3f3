"""Preparing the first page in a thread, while the server answers."""

from __future__ import annotations

import gc
import importlib
import threading

LONGEST_STEP_S = 30
"""Seconds that the end of the server waits for the step that is being done; it takes one or two."""

SHOWN_S = 4.0
"""Seconds after which a browser that was opened with the server has everything of the first page."""


class Preload:
    """A daemon thread that imports modules, in order, and then calls ``compute`` of the last one.

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
        """True if the thread is alive."""
        return self._thread.is_alive()

    def _load(self) -> None:
        gc.disable()
        try:
            last = None
            for module in self._modules:
                if self._stopped.is_set():
                    return
                last = importlib.import_module(module)
            if last is not None and not self._stopped.is_set():
                last.compute()
            if not self._stopped.wait(SHOWN_S):
                _collect_garbage()
        finally:
            gc.enable()


def _collect_garbage() -> None:
    from viz.jobs.resources import collect_garbage

    collect_garbage()
