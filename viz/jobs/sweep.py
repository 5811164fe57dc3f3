"""A sweep: many settings run on documents with known boundaries, in the background."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from chunkers import Embedder, Tools, load_tokenizer
from evaluation.segmentation.sweep import Marked, Setting, SweepRow, sweep
from viz.jobs.background import Background
from viz.jobs.resources import embedding_cache, load_model


@dataclass(eq=False)
class Sweep(Background):
    """Run settings on documents with known boundaries; ``rows`` grows while the job runs.

    ``split`` yields the documents called ``names`` one by one, because splitting long ones takes time. ``held`` names those
    that are held out of the ranking.
    """

    names: Sequence[str]
    split: Callable[[], Iterable[Marked]]
    settings: Sequence[Setting]
    embedder: Embedder
    tokenizer: str
    on_disk: bool
    held: frozenset[str] = frozenset()
    rows: list[SweepRow] = field(default_factory=list)
    prepared: float | None = None

    @property
    def total(self) -> int:
        """The total number of runs."""
        return len(self.names) * len(self.settings)

    def progress(self) -> tuple[float, str]:
        """Return the share of runs that are done; the first has to wait for the embeddings."""
        done, prepared = len(self.rows), self.prepared
        if prepared is not None:
            return prepared, self.embedder.prepared_said(prepared)
        status = f"{done:,} of {self.total:,} runs" if done else "Splitting and embedding the documents"
        return done / max(1, self.total), status

    def _run(self) -> None:
        documents = []
        for document in self.split():
            if self.cancelled:
                return
            documents.append(document)
        load_model(self.embedder, self._prepares, self._cancel.is_set)
        self.prepared = None
        tools = Tools(
            self.embedder, load_tokenizer(self.tokenizer), embedding_cache(self.on_disk), cancelled=self._cancel.is_set
        )
        for row in sweep(documents, self.settings, tools, workers=os.cpu_count() or 1):
            self.rows.append(row)

    def _prepares(self, share: float) -> None:
        self.prepared = share
