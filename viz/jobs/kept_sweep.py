"""Storage of a sweep: its plan, and a row for every finished run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkers import build_chunker
from evaluation.segmentation.marked_texts import MarkedText
from evaluation.segmentation.measures import Score
from evaluation.segmentation.sweep import MEASURES, Setting, SweepRow
from sample_docs import load_sample, sample_titles
from viz.jobs.keeping.keeper import Keeper

KIND = "sweep"

_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)


class KeptDocument(BaseModel):
    """A document of a sweep.

    Attributes
    ----------
    digest
        A hash of its name, its text and its known boundaries.
    sample
        The id of the bundled document that it is; empty for one of the user's own.
    splitter
        The name of its sentence splitter.
    held
        True if it is held out of the ranking.
    """

    model_config = _STRICT

    digest: str
    sample: str
    splitter: str
    held: bool


class KeptSetting(BaseModel):
    """A setting of a chunker."""

    model_config = _STRICT

    chunker: str
    parameters: tuple[tuple[str, bool | int | float | str | None], ...]


class SweepPlan(BaseModel):
    """The settings of a sweep.

    ``embedder`` is the embedder's name, ``language_model`` the identity of the model that is asked; empty where none is.
    """

    model_config = _STRICT

    documents: tuple[KeptDocument, ...] = Field(min_length=1)
    grid: tuple[KeptSetting, ...] = Field(min_length=1)
    embedder: str
    tokenizer: str
    language_model: str = ""

    @property
    def settings(self) -> list[Setting]:
        """The settings of the chunkers."""
        return [Setting(one.chunker, one.parameters) for one in self.grid]


class KeptRow(BaseModel):
    """The result of a run, without setting and document, which follow from its number."""

    model_config = _STRICT

    chunks: int = Field(ge=0)
    scores: dict[str, tuple[float | None, str]]

    @classmethod
    def of(cls, row: SweepRow) -> KeptRow:
        """Return the stored form of a row."""
        return cls(chunks=row.chunks, scores={name: (score.value, score.undefined) for name, score in row.scores.items()})

    def row(self, setting: Setting, document: str) -> SweepRow:
        """Return the row of a setting on a document."""
        return SweepRow(setting, document, self.chunks, {name: Score(*score) for name, score in self.scores.items()})


@dataclass(frozen=True)
class KeptSweep:
    """A sweep on disk."""

    keeper: Keeper
    plan: SweepPlan

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
        """Return the storage of a sweep over ``documents``, each with the name of its splitter; nothing is written yet."""
        kept = [
            KeptDocument(
                digest=digest_of(keeper, one),
                sample=one.name if one == _bundled(one.name) else "",
                splitter=splitter,
                held=one.name in held,
            )
            for one, splitter in documents
        ]
        grid = [KeptSetting(chunker=one.chunker, parameters=one.parameters) for one in settings]
        plan = SweepPlan(
            documents=tuple(kept), grid=tuple(grid), embedder=embedder, tokenizer=tokenizer, language_model=language_model
        )
        return cls(keeper, plan)

    @classmethod
    def find(cls, keeper: Keeper) -> KeptSweep | None:
        """Return the sweep, or None if there is none.

        Raises
        ------
        InputError
            If it cannot be read, or a chunker of it cannot be made.
        """
        plan = keeper.plan_as(SweepPlan)
        if plan is None:
            return None
        for setting in plan.settings:
            if not setting.trivial:
                build_chunker(setting.chunker, dict(setting.parameters))
        return cls(keeper, plan)

    @property
    def names(self) -> list[str]:
        """A name for each document: a number for the user's own, whose names are not kept."""
        return [one.sample or f"own document {number}" for number, one in enumerate(self.plan.documents, start=1)]

    def begin(self) -> None:
        """Keep the sweep from now on."""
        self.keeper.begin(self.plan.model_dump_json().encode())

    def add(self, number: int, row: SweepRow) -> None:
        """Keep a row: it is in the file when this returns."""
        self.keeper.add(number, KeptRow.of(row).model_dump_json().encode())

    def rows(self) -> list[SweepRow]:
        """Return the stored rows in order; unreadable rows count as not run. Raises InputError too."""
        settings, names = self.plan.settings, self.names
        found = []
        for number, part in sorted(self.keeper.parts().items()):
            place, setting = divmod(number, len(settings))
            try:
                row = KeptRow.model_validate_json(part)
            except ValidationError:
                continue
            if 0 <= place < len(names) and row.scores.keys() == MEASURES.keys():
                found.append(row.row(settings[setting], names[place]))
        return found

    def given_again(self, own: Sequence[MarkedText]) -> list[MarkedText | None]:
        """Return the documents: the bundled ones, and the user's ``own`` with equal hashes."""
        by_digest = {digest_of(self.keeper, one): one for one in own}
        for kept in self.plan.documents:
            if one := _bundled(kept.sample):
                by_digest.setdefault(digest_of(self.keeper, one), one)
        return [by_digest.get(one.digest) for one in self.plan.documents]


def _bundled(name: str) -> MarkedText | None:
    """Return the bundled document of that name, or None if there is none."""
    if name not in sample_titles():
        return None
    sample = load_sample(name)
    return MarkedText(name, sample.text, sample.known or ())


def digest_of(keeper: Keeper, one: MarkedText) -> str:
    """Return the hash by which a document is recognised."""
    return keeper.digest(one.name, one.text, ",".join(map(str, one.known)))
