"""A background job that reads the user's files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

from chunkers.support import raise_if_cancelled
from chunkers.text import FileText, read_document_text
from viz.jobs.background_jobs import BackgroundJob

Converted = TypeVar("Converted")
FileConverter = Callable[[Iterator[tuple[str, bytes]], Callable[[bytes, str], FileText], Callable[[], bool]], Converted]
"""A function that converts files to the data a page needs. Its arguments are the files as an iterator, a function that reads
a document, and a function that returns whether the user has cancelled."""

PATIENCE_S = 1.0
"""Seconds to wait for a file before the page shows a progress bar; most files take less."""


@dataclass(eq=False)
class ReadingJob(BackgroundJob, Generic[Converted]):
    """A job that reads files and converts them to the data a page needs.

    Attributes
    ----------
    files
        Name and content of each file.
    convert_files
        The conversion of the files.
    encoding
        The encoding that the user chose; None to detect it.
    subject
        The purpose of the files, for the code that uses the result.
    result
        The result of ``convert_files``; None until it returns.
    """

    files: Sequence[tuple[str, bytes]]
    convert_files: FileConverter[Converted]
    encoding: str | None = None
    subject: object = None
    result: Converted | None = field(default=None, init=False)
    _current_file_number: int = field(default=0, init=False)

    def progress(self) -> tuple[float, str]:
        """Return the share of files read, with a label for the current file."""
        if not self._current_file_number:
            return 0.0, "Reading"
        file_count = len(self.files)
        # Without the file's name: Streamlit renders the label of a progress bar as Markdown.
        current_file_phrase = (
            f"Reading file {self._current_file_number:,} of {file_count:,}" if file_count > 1 else "Reading the file"
        )
        return (self._current_file_number - 1) / file_count, current_file_phrase

    @property
    def name(self) -> str:
        """The name of the first file to read."""
        return self.files[0][0]

    @property
    def ended(self) -> bool:
        """True if the job is over: the files were read, reading failed, or the user cancelled."""
        return self.cancelled() or (self._thread is not None and not self.running)

    def start_and_wait_briefly(self) -> Self:
        """Start the job if necessary and wait briefly, so that short files need no progress bar; return the job."""
        if self._thread is None:
            self.start(PATIENCE_S)
        return self

    def _do_work(self) -> None:
        self.result = self.convert_files(self._yield_files_noting_current(), self._read_file, self.cancelled)

    def _yield_files_noting_current(self) -> Iterator[tuple[str, bytes]]:
        for file_number, name_and_content in enumerate(self.files, start=1):
            raise_if_cancelled(self.cancelled)
            self._current_file_number = file_number
            yield name_and_content

    def _read_file(self, data: bytes, name: str) -> FileText:
        return read_document_text(data, name, self.encoding, self.cancelled)


def read_text_of_first_file(
    files: Iterator[tuple[str, bytes]], read_file: Callable[[bytes, str], FileText], _: Callable[[], bool]
) -> FileText:
    """Read a single document and return its text, for pages that read one file."""
    file_name, file_content = next(files)
    return read_file(file_content, file_name)


def converter_from_single_file_function(
    convert_file: Callable[[bytes, str, Callable[[], bool]], Converted],
) -> FileConverter[Converted]:
    """Return a converter for a single file, which passes its content and name to ``convert_file``.

    The third argument to ``convert_file`` is a function that returns whether the user has cancelled.
    """

    def pass_first_file_to_converter(
        files: Iterator[tuple[str, bytes]], _: Callable[[bytes, str], FileText], cancelled: Callable[[], bool]
    ) -> Converted:
        file_name, file_content = next(files)
        return convert_file(file_content, file_name, cancelled)

    return pass_first_file_to_converter
