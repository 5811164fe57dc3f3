"""Runs stored under their links: a plan without any text and the finished parts, keyed by a hash of the token."""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel, Field, ValidationError

from chunkers import Embedder, InputError, __version__, load_embedder
from viz.jobs.storage.run_store import MemoryRunStore, RunStore

if TYPE_CHECKING:
    from viz.jobs.background_jobs import StoredRunJob

Result = TypeVar("Result")
Job = TypeVar("Job", bound="StoredRunJob")


@dataclass(frozen=True)
class Keeper:
    """Access to a single run in a store of runs.

    Attributes
    ----------
    token
        The token in the run's link. Only its hash is stored, as the key of the run.
    kind
        The kind of run.
    """

    store: RunStore
    token: str
    kind: str

    def begin(self, plan_json: bytes, embedder_hash: str = "") -> None:
        """Store the run with its plan as JSON; `RunStore.begin` explains ``embedder_hash``."""
        self.store.begin(self._key, self.kind, plan_json, embedder_hash)

    def add_part(self, part_number: int, part_json: bytes) -> None:
        """Store a finished part of the run, encoded as JSON, and return only after the part is written."""
        self.store.add_part(self._key, part_number, part_json)

    def stored_plan_json(self) -> bytes | None:
        """Return the run's plan as JSON, or None if the run is not stored; raises InputError as `RunStore.plan` does."""
        return self.store.plan(self._key, self.kind)

    def parts(self) -> dict[int, bytes]:
        """Return the run's finished parts as JSON, by number; raises InputError as `RunStore.parts` does."""
        return self.store.parts(self._key)

    def hash_texts_with_token(self, *parts: str | bytes) -> str:
        """Return a hash of texts, keyed with the token so that only holders of the link can check a guess."""
        keyed_hash = hashlib.blake2b(key=self._hash_run_token(b"seamark-content"), digest_size=16)
        for text_part in parts:
            encoded_text_part = text_part.encode("utf-8", "surrogatepass") if isinstance(text_part, str) else text_part
            keyed_hash.update(len(encoded_text_part).to_bytes(8, "big"))
            keyed_hash.update(encoded_text_part)
        return keyed_hash.hexdigest()

    def record_or_check_embedder(self, embedder: Embedder) -> None:
        """Record the run's embedding model, or check that it is still the model that was recorded before.

        Raises
        ------
        InputError
            If the run was begun with another model.
        """
        if not self.store.record_or_compare_embedder_hash(
            self._key, self.hash_texts_with_token(embedder.name, embedder.revision)
        ):
            raise InputError(
                f"{embedder.name}: a run must continue with the model that it began with; the model of this name has "
                "changed since. Start a new run."
            )

    @property
    def _key(self) -> bytes:
        return self._hash_run_token(b"seamark-run")

    def _hash_run_token(self, hash_purpose: bytes) -> bytes:
        return hashlib.blake2b(self.token.encode("utf-8", "surrogatepass"), digest_size=32, person=hash_purpose).digest()


class StoredPlan(BaseModel, extra="forbid", frozen=True, strict=True):
    """The stored settings of a run, with hashes in place of texts.

    ``embedder`` is the embedder's name, ``language_model`` the identity of the model that chunkers call; empty for none.
    """

    embedder: str
    tokenizer: str
    language_model: str = ""

    @property
    def part_count(self) -> int:
        """The number of parts of the run."""
        raise NotImplementedError

    def check_chunkers(self) -> None:
        """Raise InputError if a chunker of the run cannot be constructed."""


Plan = TypeVar("Plan", bound=StoredPlan)


@dataclass(frozen=True)
class StoredRun(Generic[Plan]):
    """A stored run, finished or not; each kind of run is a subclass.

    Attributes
    ----------
    kind
        The kind of run in the store.
    title, part
        The nouns for a run and for one of its parts, as shown to users.
    requires_every_part
        True if every part must be stored and decodable, as in a bundled run.
    """

    kind: ClassVar[str]
    title: ClassVar[str] = "run"
    part: ClassVar[str]
    plan_type: ClassVar[type[Any]]

    keeper: Keeper
    plan: Plan
    requires_every_part: bool = False

    @classmethod
    def find(cls, keeper: Keeper) -> Self | None:
        """Return the stored run, or None if no such run is stored.

        Raises
        ------
        InputError
            If it cannot be read, or one of its chunkers cannot be constructed.
        """
        plan_json = keeper.stored_plan_json()
        if plan_json is None:
            return None
        try:
            stored_run_plan = cls.plan_type.model_validate_json(plan_json)
        except ValidationError as error:
            raise InputError(
                f"The plan of a stored {cls.kind} must be in the format that Seamark writes; this one is not. Start a new "
                "run."
            ) from error
        stored_run_plan.check_chunkers()
        return cls(keeper, stored_run_plan)

    @property
    def part_count(self) -> int:
        """The number of parts of the run, finished or not."""
        return self.plan.part_count

    @property
    def finished_part_count(self) -> int:
        """The number of finished parts of the run; 0 if they cannot be read."""
        with suppress(InputError):
            return len(self.keeper.parts())
        return 0

    def begin(self) -> None:
        """Create the run in the store."""
        self.keeper.begin(self.plan.model_dump_json().encode())

    def results(self, decode: Callable[[int, bytes], Result]) -> dict[int, Result]:
        """Return the finished parts by number, decoded; parts that cannot be decoded count as unfinished.

        Raises
        ------
        InputError
            If the file cannot be read, or a bundled run is no longer complete.
        """
        result_by_part_number = {}
        for part_number, part_json in sorted(self.keeper.parts().items()):
            if 0 <= part_number < self.part_count:
                with suppress(InputError, ValidationError):
                    result_by_part_number[part_number] = decode(part_number, part_json)
        if self.requires_every_part and len(result_by_part_number) < self.part_count:
            raise InputError("The measures have changed since the run was measured.")
        return result_by_part_number


# The runs that come with Seamark, each in a file. Pages show them before the user starts a run.


BUNDLED_RUN_TOKEN = "bundled"
"""The token of the runs that come with Seamark."""


class RunFile(BaseModel, extra="forbid"):
    """The content of the file of a bundled run: the run, with the day and the version of Seamark that measured it.

    Attributes
    ----------
    vectors
        The hash of the run's embedding model.
    """

    kind: str
    made: date = Field(default_factory=lambda: datetime.now(tz=UTC).date())
    seamark: str = __version__
    vectors: str
    plan: dict[str, Any]
    parts: list[dict[str, Any]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a run from a file; raises InputError if the file does not hold one."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InputError(f"{path.name}: the file must contain a run that Seamark wrote; it does not.") from error

    def write(self, path: Path) -> None:
        """Write the run to a file."""
        path.write_text(self.model_dump_json() + "\n", encoding="utf-8")


@dataclass(frozen=True)
class BundledRun(Generic[Job]):
    """A run that comes with Seamark.

    Attributes
    ----------
    path
        The run's file.
    job_type
        The type of the run's job.
    default_stored_run
        Returns the storage of the run that is measured for the file.
    job_of_stored_run
        Returns the job of a stored run: with an embedder to measure it, or without to show its results. It raises InputError
        if the run's documents or settings have changed.
    """

    path: Path
    job_type: type[Job]
    default_stored_run: Callable[[Keeper], StoredRun[Any]]
    job_of_stored_run: Callable[[Any, Embedder | None], Job]

    @cached_property
    def loaded_run_and_file(self) -> tuple[Job, RunFile] | str:
        """The run and the content of its file, or an error message; the run never changes, so all sessions share it."""
        try:
            run_file = RunFile.read(self.path)
            keeper, stored_run_kind = (
                Keeper(MemoryRunStore(), BUNDLED_RUN_TOKEN, run_file.kind),
                self.job_type.stored_run_type.kind,
            )
            keeper.begin(json.dumps(run_file.plan).encode(), run_file.vectors)
            for part_number, part in enumerate(run_file.parts):
                keeper.add_part(part_number, json.dumps(part).encode())
            stored_run = self.job_type.stored_run_type.find(replace(keeper, kind=stored_run_kind))
            if stored_run is None:
                raise InputError(f"{self.path.name}: the file must contain a {stored_run_kind} run; it does not.")
            keeper.record_or_check_embedder(load_embedder(stored_run.plan.embedder, "cpu"))
            return self.job_of_stored_run(replace(stored_run, requires_every_part=True), None), run_file
        except InputError as error:
            return str(error)

    def measure_run_anew(self) -> RunFile:
        """Measure the run, and return its new file; raises InputError if it does not finish."""
        run = self.default_stored_run(Keeper(MemoryRunStore(), BUNDLED_RUN_TOKEN, self.job_type.stored_run_type.kind))
        embedder = load_embedder(run.plan.embedder, "cpu")
        job = self.job_of_stored_run(run, embedder)
        job.start(600)
        if job.error or job.running or run.finished_part_count < job.part_count:
            raise InputError(job.error or "The run must end with all its parts measured; it has not.")
        return RunFile(
            kind=run.kind,
            vectors=run.keeper.hash_texts_with_token(embedder.name, embedder.revision),
            plan=run.plan.model_dump(mode="json"),
            parts=[json.loads(part) for _, part in sorted(run.keeper.parts().items())],
        )
