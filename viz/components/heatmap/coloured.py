"""The chunks' colours in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Coloured:
    """The chunk number of each sentence, and the colour number of each chunk."""

    chunk_of: Sequence[int]
    grounds: Sequence[int]
