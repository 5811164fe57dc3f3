"""A run in a file of its own: the bundled runs, which pages open with, so that nobody waits for them."""

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
    """Store of one run, as `RunStore` is of many. It is kept in memory until it is written.

    Attributes
    ----------
    whole
        True if it was read from a file, with all its parts.
    made
        The day on which it was measured.
    seamark
        The version that measured it.
    """

    def __init__(self) -> None:
        self.whole = False
        self.made, self.seamark = datetime.now(tz=UTC).date(), __version__
        self._kind, self._vectors, self._plan = "", "", b""
        self._parts: dict[int, bytes] = {}

    @classmethod
    def read(cls, path: Path) -> RunFile:
        """Read a file; raises InputError if it holds no run."""
        try:
            content = _Content.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InputError(f"{path.name}: the file must hold a run that Seamark wrote; it does not.") from error
        run = cls()
        run.whole, run.made, run.seamark = True, content.made, content.seamark
        run.begin(b"", content.kind, json.dumps(content.plan).encode())
        run.claim(b"", content.vectors)
        for number, part in enumerate(content.parts):
            run.add(b"", number, json.dumps(part).encode())
        return run

    def write(self, path: Path) -> None:
        """Write the file."""
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
        """Keep the run from now on."""
        self._kind, self._plan = kind, plan

    def add(self, _: bytes, number: int, part: bytes) -> None:
        """Keep a finished part."""
        self._parts[number] = part

    def claim(self, _: bytes, vectors: str) -> bool:
        """Note the hash of the model that the run embeds with; return False if another one was noted before."""
        self._vectors = self._vectors or vectors
        return self._vectors == vectors

    def plan(self, _: bytes, kind: str) -> bytes | None:
        """Return the plan, or None if the run is of another kind."""
        return self._plan if kind == self._kind else None

    def parts(self, _: bytes) -> dict[int, bytes]:
        """Return the finished parts by number."""
        return self._parts
