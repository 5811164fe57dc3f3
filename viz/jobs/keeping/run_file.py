"""A run in a file of its own, such as the bundled runs that pages show before the user starts one."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from chunkers import InputError, __version__


class _Content(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    made: date
    seamark: str
    vectors: str
    plan: dict[str, Any]
    parts: tuple[dict[str, Any], ...]


class RunFile:
    """A store of a single run, with the interface of `RunStore`; held in memory until it is written to a file.

    Attributes
    ----------
    whole
        True if the run was read from a file, with all its parts.
    made
        The day of the measurement.
    seamark
        The version of Seamark that measured the run.
    """

    def __init__(self) -> None:
        self.whole = False
        self.made, self.seamark = datetime.now(tz=UTC).date(), __version__
        self._kind, self._vectors, self._plan = "", "", b""
        self._parts: dict[int, bytes] = {}

    @classmethod
    def read(cls, path: Path) -> RunFile:
        """Read a run from a file; raises InputError if the file does not hold one."""
        try:
            content = _Content.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InputError(f"{path.name}: the file must contain a run that Seamark wrote; it does not.") from error
        run = cls()
        run.whole, run.made, run.seamark = True, content.made, content.seamark
        run.begin(b"", content.kind, json.dumps(content.plan).encode())
        run.claim(b"", content.vectors)
        for number, part in enumerate(content.parts):
            run.add(b"", number, json.dumps(part).encode())
        return run

    def write(self, path: Path) -> None:
        """Write the run to a file."""
        content = _Content(
            kind=self._kind,
            made=self.made,
            seamark=self.seamark,
            vectors=self._vectors,
            plan=json.loads(self._plan),
            parts=tuple(json.loads(part) for _, part in sorted(self._parts.items())),
        )
        path.write_text(content.model_dump_json() + "\n", encoding="utf-8")

    def begin(self, _: bytes, kind: str, plan: bytes) -> None:
        """Set the kind and the plan of the run."""
        self._kind, self._plan = kind, plan

    def add(self, _: bytes, number: int, part: bytes) -> None:
        """Store a finished part of the run."""
        self._parts[number] = part

    def claim(self, _: bytes, vectors: str) -> bool:
        """Record the hash of the run's embedding model; return False if a different hash was recorded before."""
        self._vectors = self._vectors or vectors
        return self._vectors == vectors

    def plan(self, _: bytes, kind: str) -> bytes | None:
        """Return the run's plan, or None if the run is of another kind."""
        return self._plan if kind == self._kind else None

    def parts(self, _: bytes) -> dict[int, bytes]:
        """Return the run's finished parts by number."""
        return self._parts
