"""Known boundaries marked by a user: as lines in the text, or in a separate file."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from chunkers.files.data_files import decode_file, parse_json_file
from chunkers.support import MAX_SENTENCES, InputError, short_repr
from chunkers.text import parse_in_reader_process

_DIGITS = 64
"""Characters of a SHA-256 as it is written."""

MARK = "---"
"""The content of a line that marks the end of a section."""


def section_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sections between lines of three dashes, leaving out blank sections."""
    edges = [0]
    offset = 0
    for line in text.splitlines(keepends=True):
        if line.strip() == MARK:
            edges += [offset, offset + len(line)]
        offset += len(line)
    edges.append(offset)
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if text[start:end].strip()]


def remove_mark_lines(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the text without its lines of three dashes, and the offsets at which the sections after them begin."""
    parts = [text[start:end] for start, end in section_spans(text)]
    starts = accumulate(map(len, parts), initial=0)
    known = tuple(start + len(part) - len(part.lstrip()) for start, part in zip(starts, parts, strict=False))
    return "".join(parts), known[1:]


def offsets_without_mark_lines(text: str, places: Iterable[int]) -> list[int]:
    """Convert offsets in a text to offsets in the same text without its lines of three dashes.

    An offset in a removed line moves to the start of the next section.
    """
    spans = section_spans(text)
    ends = [end for _, end in spans]
    lengths = [0, *accumulate(end - start for start, end in spans)]
    moved = []
    for place in places:
        number = bisect_right(ends, place)
        moved.append(lengths[number] + (max(0, place - spans[number][0]) if number < len(spans) else 0))
    return moved


def boundary_file_json(name: str, text: str, known: tuple[int, ...]) -> str:
    """Return known boundaries as JSON, with the document's name and the SHA-256 of its text."""
    return (
        json.dumps({"name": name, "sha256": text_sha256(text), "boundaries": list(known)}, ensure_ascii=False, indent=2)
        + "\n"
    )


def parse_boundary_file(data: bytes, _: str) -> Iterator[str | int]:
    """Yield the SHA-256 of the text and then the boundaries from a file of known boundaries.

    Run by `BoundaryFile.read` in a separate process.

    Raises
    ------
    InputError
        If it is not a boundary file.
    """
    file_kind = "known boundaries"
    given = parse_json_file(decode_file(data, file_kind), file_kind)
    if not isinstance(given, dict) or given.keys() != {"name", "sha256", "boundaries"}:
        raise InputError(
            f"{file_kind}: the file must have exactly the fields name, sha256 and boundaries; got {short_repr(given)}."
        )
    known = given["boundaries"]
    if not isinstance(known, list) or not all(type(place) is int for place in known):
        raise InputError(f"{file_kind} must be a list of whole numbers; got {short_repr(known)}.")
    if len(known) > MAX_SENTENCES:
        raise InputError(f"{file_kind}: a text may have at most {MAX_SENTENCES:,} boundaries; this file has {len(known):,}.")
    yield str(given["sha256"])[:_DIGITS]
    yield from known


@dataclass(frozen=True)
class BoundaryFile:
    """Contents of a file that `boundary_file_json` wrote: the SHA-256 of its text, and boundaries not checked yet."""

    sha256: str
    boundaries: tuple[int, ...]

    @classmethod
    def read(cls, data: bytes, cancelled: Callable[[], bool] = bool) -> "BoundaryFile":
        """Return the contents of a boundary file, which is parsed in a separate process.

        Raises
        ------
        InputError
            If it is not a boundary file.
        Cancelled
            If the user asked to stop, as ``cancelled`` reports.
        """
        sha256, *known = parse_in_reader_process(parse_boundary_file, data, "known boundaries", cancelled)
        return cls(sha256, tuple(known))

    def of(self, text: str) -> tuple[int, ...]:
        """Return the boundaries in the file, after checking that they belong to this text.

        Raises
        ------
        InputError
            If the boundaries belong to another text, or if a boundary is outside the text or out of order.
        """
        if self.sha256 != text_sha256(text):
            raise InputError(
                f"known boundaries: the file must belong to this text, with the SHA-256 {text_sha256(text)[:12]}…; it "
                f"belongs to a text with {self.sha256[:12]!r}…. Choose the file that was saved with this text."
            )
        known = self.boundaries
        if known != tuple(sorted(set(known))) or (known and not 0 < known[0] <= known[-1] < len(text)):
            raise InputError(
                f"known boundaries must be in ascending order, each once, from 1 to {len(text) - 1:,}; these are not."
            )
        return known


def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, which identifies the text in a boundary file."""
    return hashlib.sha256(text.encode()).hexdigest()
