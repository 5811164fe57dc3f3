"""Chunks and the colours that they have in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Coloured:
    """The chunk of every sentence, and the number of the colour of every chunk."""

    chunk_of: Sequence[int]
    grounds: Sequence[int]
