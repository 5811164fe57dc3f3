"""Storage of a sweep: its plan, and a row for each finished run."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from chunkers import InputError, build_chunker
from evaluation.segmentation.marked_texts import MarkedText
from evaluation.segmentation.measures import Score
from evaluation.segmentation.sweep import MEASURES, Setting, SweepRow
from sample_docs import load_sample, sample_titles
from viz.jobs.keeping.kept_run import Keeper, KeptPlan, KeptRun


class KeptDocument(BaseModel):
    """The stored form of a sweep's document, without its text.

    Attributes
    ----------
    digest
        A hash of the document's name, text and known boundaries.
    sample
        The id of the bundled document; empty for one of the user's own.
    splitter
        The name of its sentence splitter.
    held
        True if the document is held out of the ranking.
    """

    model_config = KeptPlan.model_config

    digest: str
    sample: str
    splitter: str
    held: bool


class KeptSetting(BaseModel):
    """The stored form of a setting: a chunker's name and its parameters."""

    model_config = KeptPlan.model_config

    chunker: str
    parameters: tuple[tuple[str, bool | int | float | str | None], ...]


class _Plan(KeptPlan):
    """The settings of a sweep; ``chunkers`` is a hash of all their parameters, including those at their defaults."""

    documents: tuple[KeptDocument, ...] = Field(min_length=1)
    grid: tuple[KeptSetting, ...] = Field(min_length=1)
    chunkers: str = ""

    @property
    def total(self) -> int:
        """The number of runs of the sweep: one for each document and setting."""
        return len(self.documents) * len(self.grid)

    @property
    def settings(self) -> list[Setting]:
        """The chunker settings that the sweep tries."""
        return [Setting(setting.chunker, setting.parameters) for setting in self.grid]

    def check(self) -> None:
        """Raise InputError if a chunker cannot be constructed."""
        _parameters(self.settings)


class KeptRow(BaseModel):
    """The stored result of one setting on one document, both of which follow from the number of the row."""

    model_config = KeptPlan.model_config

    chunks: int = Field(ge=0)
    scores: dict[str, tuple[float | None, str]]

    @classmethod
    def of(cls, row: SweepRow) -> KeptRow:
        """Return the stored form of a row of a sweep."""
        return cls(chunks=row.chunks, scores={name: (score.value, score.undefined) for name, score in row.scores.items()})

    def row(self, setting: Setting, document: str) -> SweepRow:
        """Restore the row of a sweep for the given setting and document."""
        return SweepRow(setting, document, self.chunks, {name: Score(*score) for name, score in self.scores.items()})


class KeptSweep(KeptRun[_Plan]):
    """A stored sweep, with one part for each document and setting, in the order of the documents."""

    kind = title = "sweep"
    part = "run"
    plan_type = _Plan

    @classmethod
    def of(
        cls,
        keeper: Keeper,
        documents: Sequence[tuple[MarkedText, str]],
        held: frozenset[str],
        settings: Sequence[Setting],
        embedder: str,
        tokenizer: str,
        language_model: str = "",
    ) -> KeptSweep:
        """Return the storage for a sweep over ``documents``, each with its splitter's name, without writing anything yet."""
        kept = [
            KeptDocument(
                digest=digest_of(keeper, document),
                sample=document.name if document == _bundled(document.name) else "",
                splitter=splitter,
                held=document.name in held,
            )
            for document, splitter in documents
        ]
        grid = [KeptSetting(chunker=setting.chunker, parameters=setting.parameters) for setting in settings]
        plan = _Plan(
            documents=tuple(kept),
            grid=tuple(grid),
            chunkers=keeper.digest(*_parameters(settings)),
            embedder=embedder,
            tokenizer=tokenizer,
            language_model=language_model,
        )
        return cls(keeper, plan)

    @property
    def names(self) -> list[str]:
        """The names of the documents; the user's own are numbered, since their names are not stored."""
        return [document.sample or f"own document {number}" for number, document in enumerate(self.plan.documents, start=1)]

    def add(self, number: int, row: SweepRow) -> None:
        """Store a row of the sweep with the run, and return only after the row is written."""
        self.keeper.add(number, KeptRow.of(row).model_dump_json().encode())

    def rows(self) -> list[SweepRow]:
        """Return the stored rows of the sweep in order; raises InputError as `results` does."""
        settings, names = self.plan.settings, self.names

        def decode(number: int, part: bytes) -> SweepRow:
            place, setting = divmod(number, len(settings))
            row = KeptRow.model_validate_json(part)
            if row.scores.keys() != MEASURES.keys():
                raise InputError("The stored rows have the measures of another version of Seamark. Run the sweep again.")
            return row.row(settings[setting], names[place])

        return [*self.results(decode).values()]

    def given_again(self, own: Sequence[MarkedText]) -> list[MarkedText | None]:
        """Return the sweep's documents, bundled or found among the user's ``own``, with None for each missing document."""
        by_digest = {digest_of(self.keeper, marked): marked for marked in own}
        for kept in self.plan.documents:
            if bundled := _bundled(kept.sample):
                by_digest.setdefault(digest_of(self.keeper, bundled), bundled)
        return [by_digest.get(document.digest) for document in self.plan.documents]


def _bundled(name: str) -> MarkedText | None:
    """Return the bundled document of that name, or None if there is none."""
    if name not in sample_titles():
        return None
    sample = load_sample(name)
    return MarkedText(name, sample.text, sample.known or ())


def _parameters(settings: Sequence[Setting]) -> list[str]:
    """Return all parameters of the chunkers as JSON; raises InputError if a chunker cannot be constructed."""
    chunkers = [build_chunker(setting.chunker, dict(setting.parameters)) for setting in settings if not setting.trivial]
    return [chunker.model_dump_json() for chunker in chunkers]


def digest_of(keeper: Keeper, marked: MarkedText) -> str:
    """Return the hash by which a stored run recognises a document."""
    return keeper.digest(marked.name, marked.text, ",".join(map(str, marked.known)))
