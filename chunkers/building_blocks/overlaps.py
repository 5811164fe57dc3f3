"""Checks that refuse settings before they produce too many chunks or too much repeated text."""

from __future__ import annotations

import math
from collections.abc import Collection

from chunkers.building_blocks.recursive_spans import Unit
from chunkers.support.errors import InputError
from chunkers.support.limits import MOST_CHUNK_CHARACTERS, MOST_CHUNKS


def check_overlap(size: int, overlap: int, given: Collection[str]) -> None:
    """Raise ValueError if a chunker's overlap is not smaller than its size.

    Parameters
    ----------
    given
        Names of the parameters that the caller set; the error message does not claim that a default was set.
    """
    if overlap >= size:
        default = "" if "overlap" in given else " (the default)"
        raise ValueError(f"overlap must be less than size ({size}); got {overlap}{default}. Lower overlap or raise size.")


def check_chunks(name: str, chunks: int, characters: int) -> None:
    """Raise InputError if a chunker would exceed the limit on chunks or on the chunks' total characters.

    Text that several chunks share counts in each of them.
    """
    if chunks > MOST_CHUNKS:
        raise InputError(
            f"{name}: a text may be cut into at most {MOST_CHUNKS:,} chunks; this text would give {chunks:,}. Choose larger "
            "chunks."
        )
    if characters > MOST_CHUNK_CHARACTERS:
        raise InputError(
            f"{name}: all chunks together may have at most {MOST_CHUNK_CHARACTERS:,} characters, overlaps included; "
            f"these {chunks:,} chunks have {characters:,}. Choose a smaller overlap."
        )


def check_size(name: str, text: str, size: int, unit: Unit) -> None:
    """Raise InputError if a maximum chunk size of ``size`` is certain to produce more chunks than allowed.

    White space needs no chunk of its own, and all but a few words have at least one token.
    """
    if len(text) <= MOST_CHUNKS * size:
        return
    words = text.split()
    least = math.ceil((sum(map(len, words)) if unit == "characters" else len(words)) / size)
    if least > MOST_CHUNKS:
        raise InputError(
            f"{name}: a text may be cut into at most {MOST_CHUNKS:,} chunks; size {size:,} gives at least {least:,}. "
            "Choose a larger size."
        )
