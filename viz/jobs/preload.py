"""Preparation of the first page in a thread while the server starts."""

from __future__ import annotations

import gc
import importlib
import threading
from collections.abc import Iterator

LONGEST_STEP_S = 30
"""Seconds that the server's shutdown waits for the current step, which takes one or two."""

SHOWN_S = 4.0
"""Seconds after which a browser opened with the server has received all of the first page."""


class Preload:
    """A daemon thread that prepares the first page.

    It imports the module ``work`` and calls its ``start``, which may leave a job to another thread; meanwhile it imports the
    module ``page``, and at last it calls ``work.finish``. The modules must not be imported before, since that would delay
    the server's first response. Python's garbage collection is paused meanwhile, because it would traverse the imported
    objects repeatedly and find nothing. It runs once after the first page is shown, which stops every thread for a quarter
    of a second.
    """

    def __init__(self, work: str, page: str) -> None:
        self._work, self._page = work, page
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
            for _ in self._steps():
                if self._stopped.is_set():
                    return
            if not self._stopped.wait(SHOWN_S):
                _collect_garbage()
        finally:
            gc.enable()

    def _steps(self) -> Iterator[None]:
        work = importlib.import_module(self._work)
        yield
        work.start()
        yield
        importlib.import_module(self._page)
        yield
        work.finish()


def _collect_garbage() -> None:
    from viz.jobs.resources import collect_garbage

    collect_garbage()
