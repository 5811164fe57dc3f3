"""Known boundaries marked by a user: as lines in the text, or in a separate file."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from chunkers.files.json_and_table_files import decode_file, parse_json_file_text
from chunkers.support import MAX_SENTENCES, InputError, short_repr
from chunkers.text import run_parser_in_reader_process

_SHA256_DIGIT_COUNT = 64
"""Characters of a SHA-256 as it is written."""

SECTION_MARK_LINE = "---"
"""The content of a line that marks the end of a section."""


def find_spans_between_mark_lines(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sections between lines of three dashes, leaving out blank sections."""
    edge_offsets = [0]
    line_start_offset = 0
    for line in text.splitlines(keepends=True):
        if line.strip() == SECTION_MARK_LINE:
            edge_offsets += [line_start_offset, line_start_offset + len(line)]
        line_start_offset += len(line)
    edge_offsets.append(line_start_offset)
    return [
        (start, end) for start, end in zip(edge_offsets[::2], edge_offsets[1::2], strict=True) if text[start:end].strip()
    ]


def separate_text_from_boundary_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the text without its lines of three dashes, and the offsets at which the sections after them begin."""
    section_texts = [text[start:end] for start, end in find_spans_between_mark_lines(text)]
    joined_section_starts = accumulate(map(len, section_texts), initial=0)
    section_start_boundaries = tuple(
        start + len(part) - len(part.lstrip()) for start, part in zip(joined_section_starts, section_texts, strict=False)
    )
    return "".join(section_texts), section_start_boundaries[1:]


def offsets_without_mark_lines(text: str, original_offsets: Iterable[int]) -> list[int]:
    """Convert offsets in a text to offsets in the same text without its lines of three dashes.

    An offset in a removed line moves to the start of the next section.
    """
    sections_of_text = find_spans_between_mark_lines(text)
    original_section_ends = [end for _, end in sections_of_text]
    cumulative_section_lengths = [0, *accumulate(end - start for start, end in sections_of_text)]
    converted_offsets = []
    for offset in original_offsets:
        section_index = bisect_right(original_section_ends, offset)
        converted_offsets.append(
            cumulative_section_lengths[section_index]
            + (max(0, offset - sections_of_text[section_index][0]) if section_index < len(sections_of_text) else 0)
        )
    return converted_offsets


def boundaries_and_text_hash_json(document_name: str, text: str, known_boundaries: tuple[int, ...]) -> str:
    """Return known boundaries as JSON, with the document's name and the SHA-256 of its text."""
    return (
        json.dumps(
            {"name": document_name, "sha256": text_sha256(text), "boundaries": list(known_boundaries)},
            ensure_ascii=False,
            indent=2,
        )
        + "\n"
    )


def parse_hash_and_boundaries(file_bytes: bytes, _: str) -> Iterator[str | int]:
    """Yield the SHA-256 of the text and then the boundaries from a file of known boundaries.

    Run by `BoundaryFile.read_hash_and_boundaries` in a separate process.

    Raises
    ------
    InputError
        If it is not a boundary file.
    """
    file_kind_phrase = "known boundaries"
    boundary_file_object = parse_json_file_text(decode_file(file_bytes, file_kind_phrase), file_kind_phrase)
    if not isinstance(boundary_file_object, dict) or boundary_file_object.keys() != {"name", "sha256", "boundaries"}:
        raise InputError(
            f"{file_kind_phrase}: the file must have exactly the fields name, sha256 and boundaries; got "
            f"{short_repr(boundary_file_object)}."
        )
    known_boundaries_in_file = boundary_file_object["boundaries"]
    if not isinstance(known_boundaries_in_file, list) or not all(type(place) is int for place in known_boundaries_in_file):
        raise InputError(f"{file_kind_phrase} must be a list of whole numbers; got {short_repr(known_boundaries_in_file)}.")
    if len(known_boundaries_in_file) > MAX_SENTENCES:
        raise InputError(
            f"{file_kind_phrase}: a text may have at most {MAX_SENTENCES:,} boundaries; this file has "
            f"{len(known_boundaries_in_file):,}."
        )
    yield str(boundary_file_object["sha256"])[:_SHA256_DIGIT_COUNT]
    yield from known_boundaries_in_file


@dataclass(frozen=True)
class BoundaryFile:
    """Contents of a file that `boundaries_and_text_hash_json` wrote: its text's SHA-256, and unchecked boundaries."""

    sha256: str
    boundaries: tuple[int, ...]

    @classmethod
    def read_hash_and_boundaries(cls, file_bytes: bytes, cancelled: Callable[[], bool] = bool) -> "BoundaryFile":
        """Return the contents of a boundary file, which is parsed in a separate process.

        Raises
        ------
        InputError
            If it is not a boundary file.
        Cancelled
            If the user asked to stop, as ``cancelled`` reports.
        """
        sha256, *unchecked_boundaries = run_parser_in_reader_process(
            parse_hash_and_boundaries, file_bytes, "known boundaries", cancelled
        )
        return cls(sha256, tuple(unchecked_boundaries))

    def boundaries_checked_for_text(self, document_text: str) -> tuple[int, ...]:
        """Return the boundaries in the file, after checking that they belong to this text.

        Raises
        ------
        InputError
            If the boundaries belong to another text, or if a boundary is outside the text or out of order.
        """
        if self.sha256 != text_sha256(document_text):
            raise InputError(
                "known boundaries: the file must belong to this text, with the SHA-256 "
                f"{text_sha256(document_text)[:12]}…; it "
                f"belongs to a text with {self.sha256[:12]!r}…. Choose the file that was saved with this text."
            )
        stored_boundaries = self.boundaries
        if stored_boundaries != tuple(sorted(set(stored_boundaries))) or (
            stored_boundaries and not 0 < stored_boundaries[0] <= stored_boundaries[-1] < len(document_text)
        ):
            raise InputError(
                f"known boundaries must be in ascending order, each once, from 1 to {len(document_text) - 1:,}; these are "
                "not."
            )
        return stored_boundaries


def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, which identifies the text in a boundary file."""
    return hashlib.sha256(text.encode()).hexdigest()
