"""Storage of a run on disk under its link, by hashes that reveal nothing without the link."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from chunkers import Embedder, InputError
from viz.jobs.keeping.run_store import RunStore

Plan = TypeVar("Plan", bound=BaseModel)


@dataclass(frozen=True)
class Keeper:
    """The place of one run in a store.

    Attributes
    ----------
    token
        The one in the run's link, which is not stored: a run is found by a hash of it.
    kind
        What sort of run it is.
    """

    store: RunStore
    token: str
    kind: str

    def begin(self, plan: bytes) -> None:
        """Keep the run from now on, with its plan as JSON."""
        self.store.begin(self._key, self.kind, plan)

    def add(self, number: int, part: bytes) -> None:
        """Keep a finished part as JSON: it is in the file when this returns."""
        self.store.add(self._key, number, part)

    def plan(self) -> bytes | None:
        """Return the plan as JSON, or None if the run is not kept; raises InputError as `RunStore.plan` does."""
        return self.store.plan(self._key, self.kind)

    def plan_as(self, model: type[Plan]) -> Plan | None:
        """Return the plan as ``model``, or None if the run is not kept; raises InputError if it cannot be read as one."""
        data = self.plan()
        if data is None:
            return None
        try:
            return model.model_validate_json(data)
        except ValidationError as error:
            raise InputError(f"The plan of the kept {self.kind} must be as it was written; it is not.") from error

    def parts(self) -> dict[int, bytes]:
        """Return the finished parts as JSON, by number; raises InputError as `RunStore.parts` does."""
        return self.store.parts(self._key)

    def digest(self, *parts: str | bytes) -> str:
        """Return a hash of texts. It is keyed with the token, so that without the link nobody can check a guess."""
        digest = hashlib.blake2b(key=self._hash(b"seamark-content"), digest_size=16)
        for part in parts:
            data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        return digest.hexdigest()

    def check_embedder(self, embedder: Embedder) -> None:
        """Note which model the run embeds with, once it is loaded.

        Raises
        ------
        InputError
            If the run was begun with another.
        """
        if not self.store.claim(self._key, self.digest(embedder.name, embedder.revision)):
            raise InputError(
                f"{embedder.name}: a run must go on with the model that it was begun with; the one of this name has changed."
            )

    @property
    def _key(self) -> bytes:
        return self._hash(b"seamark-run")

    def _hash(self, purpose: bytes) -> bytes:
        return hashlib.blake2b(self.token.encode("utf-8", "surrogatepass"), digest_size=32, person=purpose).digest()
