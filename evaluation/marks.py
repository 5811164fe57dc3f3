"""Known boundaries that somebody marked: as lines in the text, and as a file beside it."""

from __future__ import annotations

import hashlib
import json

from chunkers import InputError

MARK = "---"
"""What a line holds, alone, where a section ends."""


def without_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the text without its lines of three dashes, and the code points at which the parts after them begin."""
    parts: list[list[str]] = [[]]
    for line in text.splitlines(keepends=True):
        if line.strip() == MARK:
            parts.append([])
        else:
            parts[-1].append(line)
    joined = [part for lines in parts if (part := "".join(lines)).strip()]
    known = []
    at = 0
    for part in joined:
        known.append(at + len(part) - len(part.lstrip()))
        at += len(part)
    return "".join(joined), tuple(known[1:])


def to_json(name: str, text: str, known: tuple[int, ...]) -> str:
    """Return the known boundaries as a file: whose they are, the text's SHA-256, and their code points."""
    return (
        json.dumps({"name": name, "sha256": _digest(text), "boundaries": list(known)}, ensure_ascii=False, indent=2) + "\n"
    )


def from_json(data: bytes, text: str) -> tuple[int, ...]:
    """Return the boundaries of a file that `to_json` wrote for this text.

    Raises
    ------
    InputError
        If it is no such file, is of another text, or a boundary lies outside the text or out of order.
    """
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"known boundaries: the file must be JSON; reading it failed with a {type(error).__name__}."
        ) from error
    if not isinstance(given, dict) or given.keys() != {"name", "sha256", "boundaries"}:
        raise InputError("known boundaries: the file must have a name, a sha256 and boundaries, and nothing else.")
    if given["sha256"] != _digest(text):
        raise InputError(
            f"known boundaries: the file must be of this text, whose SHA-256 is {_digest(text)[:12]}…; "
            f"it is of {str(given['sha256'])[:12]!r}…."
        )
    known = given["boundaries"]
    if not isinstance(known, list) or not all(type(place) is int for place in known):
        raise InputError("known boundaries: they must be a list of whole numbers.")
    if known != sorted(set(known)) or (known and not 0 < known[0] <= known[-1] < len(text)):
        raise InputError(f"known boundaries: they must ascend, each once, from 1 to {len(text) - 1:,}; these do not.")
    return tuple(known)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
