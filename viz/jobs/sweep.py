"""A sweep as a background job: its storage, and the runs of many settings on documents with known boundaries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, Field

from chunkers import Embedder, InputError, build_chunker
from chunkers.contract import Estimate
from chunkers.language_models import Asking, Ledger
from chunkers.support import raise_if_cancelled
from evaluation.segmentation import (
    HIGHER_IS_BETTER,
    MarkedDocument,
    MarkedText,
    Score,
    SweepRow,
    SweptSetting,
    sweep_settings,
)
from sample_docs import load_sample, sample_titles
from viz.jobs.background_jobs import BackgroundJob, StoredRunJob, estimate_llm_requests
from viz.jobs.storage.stored_run import Keeper, StoredPlan, StoredRun

# The stored sweep, which has no text: its plan, and a row for each finished run.


class StoredDocument(BaseModel, extra="forbid", frozen=True, strict=True):
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

    digest: str
    sample: str
    splitter: str
    held: bool


class StoredSetting(BaseModel, extra="forbid", frozen=True, strict=True):
    """The stored form of a setting: a chunker's name and its parameters."""

    chunker: str
    parameters: tuple[tuple[str, bool | int | float | str | None], ...]


class _Plan(StoredPlan):
    """The settings of a sweep; ``chunkers`` is a hash of all their parameters, including those at their defaults."""

    documents: tuple[StoredDocument, ...] = Field(min_length=1)
    grid: tuple[StoredSetting, ...] = Field(min_length=1)
    chunkers: str = ""

    @property
    def part_count(self) -> int:
        """The number of runs of the sweep: one for each document and setting."""
        return len(self.documents) * len(self.grid)

    @property
    def settings(self) -> list[SweptSetting]:
        """The chunker settings that the sweep tries."""
        return [SweptSetting(setting.chunker, setting.parameters) for setting in self.grid]

    def check_chunkers(self) -> None:
        """Raise InputError if a chunker cannot be constructed."""
        _encode_parameters_per_chunker(self.settings)


class StoredSweepRow(BaseModel, extra="forbid", frozen=True, strict=True):
    """The stored result of one setting on one document, both of which follow from the number of the row."""

    chunks: int = Field(ge=0)
    scores: dict[str, tuple[float | None, str]]

    @classmethod
    def of(cls, row: SweepRow) -> StoredSweepRow:
        """Return the stored form of a row of a sweep."""
        return cls(chunks=row.chunks, scores={name: (score.value, score.undefined) for name, score in row.scores.items()})

    def row(self, setting: SweptSetting, document: str) -> SweepRow:
        """Restore the row of a sweep for the given setting and document."""
        return SweepRow(setting, document, self.chunks, {name: Score(*score) for name, score in self.scores.items()})


class StoredSweep(StoredRun[_Plan]):
    """A stored sweep, with one part for each document and setting, in the order of the documents."""

    kind = title = "sweep"
    part = "run"
    plan_type = _Plan

    @classmethod
    def build_for_settings(
        cls,
        keeper: Keeper,
        documents: Sequence[tuple[MarkedText, str]],
        held_out_names: frozenset[str],
        settings: Sequence[SweptSetting],
        embedder: str,
        tokenizer: str,
        language_model: str = "",
    ) -> StoredSweep:
        """Return the storage for a sweep over ``documents``, each with its splitter's name, without writing anything yet."""
        documents_to_store = [
            StoredDocument(
                digest=document_digest(keeper, document),
                sample=document.name if document == _bundled_document(document.name) else "",
                splitter=splitter,
                held=document.name in held_out_names,
            )
            for document, splitter in documents
        ]
        sweep_plan = _Plan(
            documents=tuple(documents_to_store),
            grid=tuple(StoredSetting(chunker=setting.chunker, parameters=setting.parameters) for setting in settings),
            chunkers=keeper.hash_texts_with_token(*_encode_parameters_per_chunker(settings)),
            embedder=embedder,
            tokenizer=tokenizer,
            language_model=language_model,
        )
        return cls(keeper, sweep_plan)

    @property
    def document_names(self) -> list[str]:
        """The names of the documents; the user's own are numbered, since their names are not stored."""
        return [document.sample or f"own document {number}" for number, document in enumerate(self.plan.documents, start=1)]

    def add(self, row_number: int, row: SweepRow) -> None:
        """Store a row of the sweep with the run, and return only after the row is written."""
        self.keeper.add_part(row_number, StoredSweepRow.of(row).model_dump_json().encode())

    def rows(self) -> list[SweepRow]:
        """Return the stored rows of the sweep in order; raises InputError as `results` does."""
        planned_settings, document_names = self.plan.settings, self.document_names

        def decode_sweep_row(row_number: int, row_json: bytes) -> SweepRow:
            document_number, setting_number = divmod(row_number, len(planned_settings))
            parsed_sweep_row = StoredSweepRow.model_validate_json(row_json)
            if parsed_sweep_row.scores.keys() != HIGHER_IS_BETTER.keys():
                raise InputError("The stored rows have the measures of another version of Seamark. Run the sweep again.")
            return parsed_sweep_row.row(planned_settings[setting_number], document_names[document_number])

        return [*self.results(decode_sweep_row).values()]

    def find_sweep_documents(self, own_documents: Sequence[MarkedText]) -> list[MarkedText | None]:
        """Return the sweep's documents, bundled or among the user's ``own_documents``, with None for each missing one."""
        marked_document_by_digest = {document_digest(self.keeper, marked): marked for marked in own_documents}
        for stored_document in self.plan.documents:
            if bundled_document := _bundled_document(stored_document.sample):
                marked_document_by_digest.setdefault(document_digest(self.keeper, bundled_document), bundled_document)
        return [marked_document_by_digest.get(document.digest) for document in self.plan.documents]


def _bundled_document(name: str) -> MarkedText | None:
    """Return the bundled document of that name, or None if there is none."""
    if name not in sample_titles():
        return None
    bundled_sample = load_sample(name)
    return MarkedText(name, bundled_sample.text, bundled_sample.known or ())


def _encode_parameters_per_chunker(settings: Sequence[SweptSetting]) -> list[str]:
    """Return all parameters of the chunkers as JSON; raises InputError if a chunker cannot be constructed."""
    chunkers = [
        build_chunker(setting.chunker, dict(setting.parameters)) for setting in settings if not setting.is_trivial_baseline
    ]
    return [chunker.model_dump_json() for chunker in chunkers]


def document_digest(keeper: Keeper, marked_text: MarkedText) -> str:
    """Return the hash by which a stored run recognises a document."""
    return keeper.hash_texts_with_token(marked_text.name, marked_text.text, ",".join(map(str, marked_text.known)))


# The job.


@dataclass(eq=False)
class Sweep(StoredRunJob):
    """A job that runs chunker settings on documents with known boundaries; ``rows`` grows while it runs.

    ``split`` yields the documents called ``names`` one by one, because splitting long ones takes time. ``held_out_names``
    names the documents that are held out of the ranking. Settings that are in ``rows`` when the job starts are not run
    again. With ``stored_run``, each row is stored on disk before it is added. Without an ``embedder``, the sweep only shows
    its rows. ``asking`` is the language model of settings that call one, and ``ledger`` its tokens and cost; the caller must
    have the user's consent.
    """

    stored_run_type = StoredSweep
    names: Sequence[str]
    split: Callable[[], Iterable[MarkedDocument]]
    settings: Sequence[SweptSetting]
    embedder: Embedder | None
    tokenizer: str
    on_disk: bool
    held_out_names: frozenset[str] = frozenset()
    rows: list[SweepRow] = field(default_factory=list)
    stored_run: StoredSweep | None = None
    asking: Asking | None = None
    ledger: Ledger = field(default_factory=Ledger)

    @classmethod
    def from_disk(cls, stored_sweep: StoredSweep) -> Sweep:
        """Restore a stored sweep to show its rows; raises InputError if the rows cannot be read."""
        document_names = stored_sweep.document_names
        held_out_names = frozenset(
            name for name, document in zip(document_names, stored_sweep.plan.documents, strict=True) if document.held
        )
        return cls(
            document_names,
            tuple,
            stored_sweep.plan.settings,
            None,
            stored_sweep.plan.tokenizer,
            True,
            held_out_names,
            stored_sweep.rows(),
            stored_sweep,
        )

    def resumed_copy(self, documents: Sequence[MarkedText], embedder: Embedder, model_access: Asking | None = None) -> Sweep:
        """Return a copy of a stored sweep that runs the remaining settings on ``documents``."""
        assert self.stored_run is not None
        planned_documents = self.stored_run.plan.documents
        name_by_stored_name = {before: document.name for before, document in zip(self.names, documents, strict=True)}

        def yield_sentence_split_documents() -> Iterator[MarkedDocument]:
            for document, document_plan in zip(documents, planned_documents, strict=True):
                yield document.split_to_marked_document(document_plan.splitter)

        return Sweep(
            list(name_by_stored_name.values()),
            yield_sentence_split_documents,
            self.settings,
            embedder,
            self.tokenizer,
            True,
            frozenset(name_by_stored_name[name] for name in self.held_out_names),
            [replace(row, document=name_by_stored_name[row.document]) for row in self.rows],
            self.stored_run,
            asking=model_access,
        )

    @property
    def part_count(self) -> int:
        """The total number of runs in the sweep."""
        return len(self.names) * len(self.settings)

    @property
    def finished_part_count(self) -> int:
        """The number of finished runs of the sweep."""
        return len(self.rows)

    @property
    def are_document_names_known(self) -> bool:
        """True if the names of all documents are known; a stored sweep has only the names of bundled documents."""
        return (
            self.embedder is not None
            or self.stored_run is None
            or all(document.sample for document in self.stored_run.plan.documents)
        )

    def progress(self) -> tuple[float, str]:
        """Return the share of runs that are done, and a status text."""
        if self._status:
            return self._share, self._status
        sweep_status = (
            f"{self.finished_part_count:,} of {self.part_count:,} runs"
            if self.rows
            else "Splitting and embedding the documents"
        )
        if self.asking is not None:
            sweep_status = f"{self.finished_part_count:,} of {self.part_count:,} runs, asking {self.asking.model.title}"
        return self.finished_part_count / max(1, self.part_count), sweep_status

    def _do_work(self) -> None:
        assert self.embedder is not None
        if self.stored_run is not None:
            self.stored_run.begin()
        sweep_documents = []
        for document in self.split():
            raise_if_cancelled(self.cancelled)
            sweep_documents.append(document)
        self.load_embedding_model(self.embedder)
        self._status = ""
        tools = self.tools(
            self.embedder, self.tokenizer, uses_disk_cache=self.on_disk, asking=self.asking, ledger=self.ledger
        )
        row_number_by_run = {
            (name, setting): place * len(self.settings) + number
            for place, name in enumerate(self.names)
            for number, setting in enumerate(self.settings)
        }
        for row in sweep_settings(
            sweep_documents, self.settings, tools, worker_count=os.cpu_count() or 1, finished_rows=tuple(self.rows)
        ):
            if self.stored_run is not None:
                self.stored_run.add(row_number_by_run[row.document, row.setting], row)
            self.rows.append(row)


def estimate_sweep_requests(
    iterate_split_documents: Callable[[], Iterable[MarkedDocument]],
    settings: Sequence[SweptSetting],
    tokenizer: str,
    job: BackgroundJob,
) -> Estimate:
    """Estimate a sweep's requests to a language model, all settings together; raises as `estimate_llm_requests` does."""
    return estimate_llm_requests(
        (marked.document for marked in iterate_split_documents()),
        [build_chunker(setting.chunker, dict(setting.parameters)) for setting in settings],
        tokenizer,
        job,
    )
