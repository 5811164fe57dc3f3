"""Reading the user's files in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from chunkers import Cancelled
from chunkers.text.reading import FileText, read_document
from viz.jobs.background import Background

Made = TypeVar("Made")
Make = Callable[[Iterator[tuple[str, bytes]], Callable[[bytes, str], FileText]], Made]
"""Makes what a page needs of its files, which it is given one by one, with a function that reads one of them."""

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
    made
        What ``make`` returned; None until it has.
    """

    files: Sequence[tuple[str, bytes]]
    make: Make[Made]
    encoding: str | None = None
    made: Made | None = field(default=None, init=False)
    _begun: int = field(default=0, init=False)

    def progress(self) -> tuple[float, str]:
        """Return which file is being read."""
        if not self._begun:
            return 0.0, "Reading"
        total = len(self.files)
        # Without the file's name: Streamlit renders the label of a progress bar as Markdown.
        which = f"Reading file {self._begun:,} of {total:,}" if total > 1 else "Reading the file"
        return (self._begun - 1) / total, which

    def begin(self) -> None:
        """Start it if nobody has, and wait briefly, so that short files need no progress bar."""
        if self._thread is None:
            self.start()
            self.join(PATIENCE_S)

    def _run(self) -> None:
        self.made = self.make(self._one_by_one(), self._read)

    def _one_by_one(self) -> Iterator[tuple[str, bytes]]:
        for number, file in enumerate(self.files, start=1):
            if self.cancelled:
                raise Cancelled
            self._begun = number
            yield file

    def _read(self, data: bytes, name: str) -> FileText:
        return read_document(data, name, self.encoding, lambda: self.cancelled)


def only_text(files: Iterator[tuple[str, bytes]], read: Callable[[bytes, str], FileText]) -> FileText:
    """Read a single file."""
    name, data = next(files)
    return read(data, name)
