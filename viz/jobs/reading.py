"""Reading the user's files in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from chunkers import Cancelled
from chunkers.text.reading import FileText, read_document
from viz.jobs.background import Background

Made = TypeVar("Made")
Make = Callable[[Iterator[tuple[str, bytes]], Callable[[bytes, str], FileText], Callable[[], bool]], Made]
"""Makes what a page needs of its files. It gets the files one by one, a function that reads a document, and one that tells
whether the user has cancelled."""

PATIENCE_S = 1.0
"""Seconds that a page waits for a file before it shows a progress bar; most files take less."""


@dataclass(eq=False)
class ReadingJob(Background, Generic[Made]):
    """Read files and convert them to what a page needs.

    Attributes
    ----------
    files
        Name and content of each file.
    make
        What is made of them.
    encoding
        The encoding that the user chose; None to detect it.
    about
        What the files are for, for whoever takes what is made of them.
    made
        What ``make`` returned; None until it has.
    """

    files: Sequence[tuple[str, bytes]]
    make: Make[Made]
    encoding: str | None = None
    about: object = None
    made: Made | None = field(default=None, init=False)
    _begun: int = field(default=0, init=False)

    def progress(self) -> tuple[float, str]:
        """Return the share of files read, with a label for the current file."""
        if not self._begun:
            return 0.0, "Reading"
        total = len(self.files)
        # Without the file's name: Streamlit renders the label of a progress bar as Markdown.
        which = f"Reading file {self._begun:,} of {total:,}" if total > 1 else "Reading the file"
        return (self._begun - 1) / total, which

    @property
    def name(self) -> str:
        """The name of the file, or of the first."""
        return self.files[0][0]

    @property
    def ended(self) -> bool:
        """True if there is nothing more to wait for: the files were read, reading failed, or it was cancelled."""
        return self.cancelled or (self._thread is not None and not self.running)

    def begin(self) -> None:
        """Start it if nobody has, and wait briefly, so that short files need no progress bar."""
        if self._thread is None:
            self.start()
            self.join(PATIENCE_S)

    def _run(self) -> None:
        self.made = self.make(self._one_by_one(), self._read, self._cancel.is_set)

    def _one_by_one(self) -> Iterator[tuple[str, bytes]]:
        for number, file in enumerate(self.files, start=1):
            if self.cancelled:
                raise Cancelled
            self._begun = number
            yield file

    def _read(self, data: bytes, name: str) -> FileText:
        return read_document(data, name, self.encoding, self._cancel.is_set)


def only_text(files: Iterator[tuple[str, bytes]], read: Callable[[bytes, str], FileText], _: Callable[[], bool]) -> FileText:
    """Read a single document."""
    name, data = next(files)
    return read(data, name)


def only_file(read: Callable[[bytes, str, Callable[[], bool]], Made]) -> Make[Made]:
    """Return a maker for a single file; ``read`` is given its content, its name and a function that says whether to stop."""

    def make(files: Iterator[tuple[str, bytes]], _: Callable[[bytes, str], FileText], cancelled: Callable[[], bool]) -> Made:
        name, data = next(files)
        return read(data, name, cancelled)

    return make
