"""The chunks' colours in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Coloured:
    """The number of each sentence's chunk, and the number of each chunk's colour."""

    chunk_of: Sequence[int]
    grounds: Sequence[int]
