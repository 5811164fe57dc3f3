"""Preparation of the first page in a thread while the server starts."""

from __future__ import annotations

import gc
import importlib
import threading

LONGEST_STEP_S = 30
"""Seconds that the server's shutdown waits for the current step, which takes one or two."""

SHOWN_S = 4.0
"""Seconds after which a browser opened with the server has received all of the first page."""


class Preload:
    """A daemon thread that imports modules in order, then calls ``compute`` of the last module.

    The modules must not be imported before, since that would delay the server's first response. Python's garbage collection
    is paused meanwhile, because it would traverse the imported objects repeatedly and find nothing. It runs once after the
    first page is shown, which stops every thread for a quarter of a second.
    """

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._load, daemon=True, name="preload")

    def start(self) -> None:
        """Start importing the modules in the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after its current step and wait for it, since Python must not exit during an import."""
        self._stopped.set()
        self.join(LONGEST_STEP_S)

    def join(self, seconds: float) -> None:
        """Wait until all modules are loaded, for at most ``seconds``."""
        self._thread.join(seconds)

    @property
    def running(self) -> bool:
        """True while the thread is alive."""
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
