"""A sweep in a thread of its own, with progress, cancel, and what it has so far."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkers import Cancelled, Embedder, InputError, Tools, load_tokenizer
from evaluation.sweep import Marked, Row, Setting, sweep
from viz import work


@dataclass
class Sweep:
    """Settings on marked documents; ``rows`` grow while it runs, and stay when it is stopped."""

    documents: Sequence[Marked]
    settings: Sequence[Setting]
    embedder: Embedder
    tokenizer: str
    on_disk: bool
    rows: list[Row] = field(default_factory=list)
    error: str = ""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def total(self) -> int:
        """The number of runs in all."""
        return len(self.documents) * len(self.settings)

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """Whether the user asked it to stop."""
        return self._stop.is_set()

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._run, daemon=True, name="sweep")
        self._thread.start()

    def stop(self) -> None:
        """Stop before the next run, or the next batch of texts."""
        self._stop.set()

    def join(self, seconds: float) -> None:
        """Wait until it has ended."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        try:
            work.load(self.embedder)
            tools = Tools(
                self.embedder, load_tokenizer(self.tokenizer), work.cache(self.on_disk), cancelled=self._stop.is_set
            )
            for row in sweep(self.documents, self.settings, tools, workers=os.cpu_count() or 1):
                self.rows.append(row)
        except Cancelled:
            pass
        except InputError as error:
            self.error = str(error)
