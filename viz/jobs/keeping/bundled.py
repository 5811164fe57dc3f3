"""Base of the bundled runs: measured results that pages open with, so that nobody waits for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from chunkers import InputError, __version__
from chunkers.text.minilm import WEIGHTS_SHA256


class Bundled(BaseModel):
    """A finished run, as it is in its file.

    Attributes
    ----------
    made
        The day on which it was measured.
    seamark
        The version that measured it.
    material
        `identity` of what it was measured on.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    made: date
    seamark: str
    material: str

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file; raises InputError if it holds no run of this kind."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InputError(f"{path.name}: the file must hold a run that Seamark wrote; it does not.") from error

    def check(self, material: str, what: str) -> None:
        """Check that today's material is the one that was measured.

        Raises
        ------
        InputError
            If it is another; ``what`` says what may have changed.
        """
        if material != self.material:
            raise InputError(f"{what} have changed since the run was measured.")

    def write(self, path: Path) -> None:
        """Write the file."""
        path.write_text(self.model_dump_json() + "\n", encoding="utf-8")


def measured_now() -> tuple[date, str]:
    """Return the day and the version, for a run that has just been measured."""
    return datetime.now(tz=UTC).date(), __version__


def identity(parts: Iterable[str | bytes]) -> str:
    """Return a hash of the measured parts and of the weights of the bundled model."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (*parts, WEIGHTS_SHA256):
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
