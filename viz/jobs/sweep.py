"""A background job that runs many settings on documents with known boundaries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from chunkers import Embedder, build_chunker
from chunkers.contract.base import Estimate
from chunkers.language_models.asking import Asking
from chunkers.language_models.spending import Ledger
from evaluation.segmentation.marked_texts import MarkedText
from evaluation.segmentation.sweep import Marked, Setting, SweepRow, sweep
from viz.jobs.estimating import estimate
from viz.jobs.kept_job import KeptJob
from viz.jobs.kept_sweep import KeptSweep
from viz.jobs.resources import load_model


@dataclass(eq=False)
class Sweep(KeptJob):
    """A job that runs chunker settings on documents with known boundaries; ``rows`` grows while it runs.

    ``split`` yields the documents called ``names`` one by one, because splitting long ones takes time. ``held`` names the
    documents that are held out of the ranking. Settings that are in ``rows`` when the job starts are not run again. With
    ``kept``, each row is stored on disk before it is added. Without an ``embedder``, the sweep only shows its rows.
    ``asking`` is the language model of settings that call one, and ``asked`` its tokens and cost; the caller must have the
    user's consent.
    """

    names: Sequence[str]
    split: Callable[[], Iterable[Marked]]
    settings: Sequence[Setting]
    embedder: Embedder | None
    tokenizer: str
    on_disk: bool
    held: frozenset[str] = frozenset()
    rows: list[SweepRow] = field(default_factory=list)
    kept: KeptSweep | None = None
    prepared: float | None = None
    asking: Asking | None = None
    asked: Ledger = field(default_factory=Ledger)

    @classmethod
    def from_disk(cls, kept: KeptSweep) -> Sweep:
        """Restore a stored sweep to show its rows; raises InputError if the rows cannot be read."""
        names = kept.names
        held = frozenset(name for name, document in zip(names, kept.plan.documents, strict=True) if document.held)
        return cls(names, tuple, kept.plan.settings, None, kept.plan.tokenizer, True, held, kept.rows(), kept)

    def resumed(self, documents: Sequence[MarkedText], embedder: Embedder, asking: Asking | None = None) -> Sweep:
        """Return a copy of a stored sweep that runs the remaining settings on ``documents``."""
        assert self.kept is not None
        planned = self.kept.plan.documents
        called = {before: document.name for before, document in zip(self.names, documents, strict=True)}

        def split() -> Iterator[Marked]:
            for document, plan in zip(documents, planned, strict=True):
                yield document.split(plan.splitter)

        rows = [replace(row, document=called[row.document]) for row in self.rows]
        held = frozenset(called[name] for name in self.held)
        names = list(called.values())
        return Sweep(names, split, self.settings, embedder, self.tokenizer, True, held, rows, self.kept, asking=asking)

    @property
    def total(self) -> int:
        """The total number of runs in the sweep."""
        return len(self.names) * len(self.settings)

    @property
    def done(self) -> int:
        """The number of finished runs of the sweep."""
        return len(self.rows)

    @property
    def named(self) -> bool:
        """True if the names of all documents are known; a stored sweep has only the names of bundled documents."""
        return (
            self.embedder is not None or self.kept is None or all(document.sample for document in self.kept.plan.documents)
        )

    def progress(self) -> tuple[float, str]:
        """Return the share of runs that are done, and a status text."""
        if self.prepared is not None and self.embedder is not None:
            return self.prepared, self.embedder.prepared_said(self.prepared)
        done = len(self.rows)
        status = f"{done:,} of {self.total:,} runs" if done else "Splitting and embedding the documents"
        if self.asking is not None:
            status = f"{done:,} of {self.total:,} runs, asking {self.asking.model.title}"
        return done / max(1, self.total), status

    def _run(self) -> None:
        assert self.embedder is not None
        if self.kept is not None:
            self.kept.begin()
        documents = []
        for document in self.split():
            if self.cancelled:
                return
            documents.append(document)
        load_model(self.embedder, self._prepares, self._cancel.is_set)
        self.prepared = None
        if self.kept is not None:
            self.kept.keeper.check_embedder(self.embedder)
        tools = self.tools(self.embedder, self.tokenizer, on_disk=self.on_disk, asking=self.asking, ledger=self.asked)
        numbers = {
            (name, setting): place * len(self.settings) + number
            for place, name in enumerate(self.names)
            for number, setting in enumerate(self.settings)
        }
        for row in sweep(documents, self.settings, tools, workers=os.cpu_count() or 1, done=tuple(self.rows)):
            if self.kept is not None:
                self.kept.add(numbers[row.document, row.setting], row)
            self.rows.append(row)

    def _prepares(self, share: float) -> None:
        self.prepared = share


def estimate_of_sweep(
    split: Callable[[], Iterable[Marked]], settings: Sequence[Setting], tokenizer: str, cancelled: Callable[[], bool]
) -> Estimate:
    """Estimate a sweep's requests to a language model, all settings together; raises as `estimate` does."""
    chunkers = [build_chunker(setting.chunker, dict(setting.parameters)) for setting in settings]
    return estimate((marked.document for marked in split()), chunkers, tokenizer, cancelled)
