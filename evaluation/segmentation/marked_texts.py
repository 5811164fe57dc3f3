"""Read texts with known boundaries from files, marked by lines of three dashes or by a separate boundary file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from chunkers import Document, InputError
from chunkers.text.reading import FileText, read_document
from evaluation.segmentation.boundary_files import Marks, digest, without_marks
from evaluation.segmentation.sweep import Marked

MARKS_ENDING = ".json"
"""The ending of boundary files' names."""


@dataclass(frozen=True)
class MarkedText:
    """Text with its known boundaries in code points, not yet split into sentences."""

    name: str
    text: str
    known: tuple[int, ...]

    @cached_property
    def sections(self) -> frozenset[str]:
        """Sections between the known boundaries, as trimmed texts."""
        edges = [0, *self.known, len(self.text)]
        return frozenset(self.text[start:end].strip() for start, end in pairwise(edges))

    def split(self, splitter: str) -> Marked:
        """Split the text into sentences, and return it as a document with its known boundaries."""
        return Marked(Document.from_text(self.text, splitter, self.name), self.known)


def marked_texts(
    files: Iterable[tuple[str, bytes]],
    read: Callable[[bytes, str], FileText] = read_document,
    cancelled: Callable[[], bool] = bool,
) -> tuple[list[MarkedText], list[str]]:
    """Read texts with known boundaries from files; also return a sentence on each unusable file.

    A boundary file, as written by `evaluation.segmentation.boundary_files.marks_to_json`, belongs to the text with the
    SHA-256 that it contains.

    Parameters
    ----------
    files
        Name and bytes of each file.
    read
        Reads a document, given its bytes and its name.
    cancelled
        Called repeatedly while a boundary file is read; True stops reading with `Cancelled`.
    """
    texts: dict[str, str] = {}
    marks: dict[str, tuple[str, Marks]] = {}
    complaints = []
    for name, data in files:
        try:
            if name.lower().endswith(MARKS_ENDING):
                file_marks = Marks.read(data, cancelled)
                marks[file_marks.sha256] = (name, file_marks)
            elif name in texts:
                complaints.append(f"{name}: a document's name must be its own; another file has it.")
            else:
                texts[name] = read(data, name).text
        except InputError as error:
            complaints.append(complaint_about(name, error))
    marked_texts = []
    for name, text in texts.items():
        try:
            marked_texts.append(_marked(name, text, marks))
        except InputError as error:
            complaints.append(complaint_about(name, error))
    given = {digest(candidate) for text in texts.values() for candidate in (text, without_marks(text)[0])}
    complaints += [
        f"{name}: known boundaries must be of a text that is given; none has this SHA-256."
        for sha256, (name, _) in marks.items()
        if sha256 not in given
    ]
    return marked_texts, complaints


def _marked(name: str, text: str, marks: dict[str, tuple[str, Marks]]) -> MarkedText:
    """Return a text with its boundaries; several documents may have the same text, and so the same boundaries."""
    bare, known = without_marks(text)
    for candidate in (text, bare):
        if entry := marks.get(digest(candidate)):
            text, bare, known = candidate, candidate, entry[1].of(candidate)
            break
    if not known:
        raise InputError(
            f"{name}: every document must have a known boundary; this one has none. Add a line of three dashes, or a file "
            "of boundaries of this text."
        )
    return MarkedText(name, bare, known)


def complaint_about(name: str, error: InputError) -> str:
    """Return an error's message, preceded by the file's name unless it already begins with it."""
    message = str(error)
    return message if message.startswith(name) else f"{name}: {message}"


def sharing(texts: Sequence[MarkedText], held: Sequence[MarkedText]) -> list[MarkedText]:
    """Return the texts that share a section with a held-out text and would leak it into tuning."""
    seen = frozenset[str]().union(*(text.sections for text in held))
    return [text for text in texts if not seen.isdisjoint(text.sections)]
