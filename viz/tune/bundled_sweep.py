"""The sweep that comes with Seamark: its settings and what they reached on the bundled documents, without any text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from pydantic import Field

from chunkers import InputError, build_chunker
from evaluation.segmentation.sweep import MEASURES, Setting, SweepRow
from viz.jobs.keeping.bundled import Bundled, identity
from viz.jobs.kept_sweep import KeptRow, KeptSetting
from viz.jobs.sweep import Sweep
from viz.tune.documents import Chosen


class BundledSweep(Bundled):
    """A finished sweep, as it is in its file.

    The material are the documents with their known boundaries and splitters, which of them are held out, and all
    parameters of the chunkers.

    Attributes
    ----------
    grid
        The settings.
    rows
        What each of them reached on the first document, then on the next.
    """

    grid: tuple[KeptSetting, ...] = Field(min_length=1)
    embedder: str
    tokenizer: str
    rows: tuple[KeptRow, ...]

    @classmethod
    def of(cls, sweep: Sweep, embedder: str, documents: Chosen, made: date, seamark: str) -> BundledSweep:
        """Return a sweep over the documents of which all runs are done."""
        found = {(row.document, row.setting): row for row in sweep.rows}
        return cls(
            made=made,
            seamark=seamark,
            material=_identity(documents, sweep.settings),
            grid=tuple(KeptSetting(chunker=one.chunker, parameters=one.parameters) for one in sweep.settings),
            embedder=embedder,
            tokenizer=sweep.tokenizer,
            rows=tuple(KeptRow.of(found[name, setting]) for name in sweep.names for setting in sweep.settings),
        )

    def sweep(self, documents: Chosen) -> Sweep:
        """Return the sweep with its rows, only to be shown.

        Raises
        ------
        InputError
            If the documents, the model or the chunkers' parameters are not those that were measured, or a row is missing.
        """
        settings = [Setting(one.chunker, one.parameters) for one in self.grid]
        self.check(_identity(documents, settings), "The documents, the model or the parameters of the chunkers")
        names = [one.name for one in documents.all]
        if len(self.rows) != len(names) * len(settings) or any(row.scores.keys() != MEASURES.keys() for row in self.rows):
            raise InputError("The measures have changed since the run was measured.")
        held = frozenset(one.name for one in documents.held)
        return Sweep(names, tuple, settings, None, self.tokenizer, False, held, [*self._rows(names, settings)])

    def _rows(self, names: Sequence[str], settings: Sequence[Setting]) -> Iterator[SweepRow]:
        for number, row in enumerate(self.rows):
            place, setting = divmod(number, len(settings))
            yield row.row(settings[setting], names[place])


def _identity(documents: Chosen, settings: Sequence[Setting]) -> str:
    chunkers = [build_chunker(one.chunker, dict(one.parameters)) for one in settings if not one.trivial]
    held = {one.name for one in documents.held}
    texts = [
        part
        for one, splitter in documents.with_splitters
        for part in (one.name, one.text, ",".join(map(str, one.known)), splitter, "held" if one.name in held else "tuned")
    ]
    return identity([*texts, *(one.model_dump_json() for one in chunkers)])
