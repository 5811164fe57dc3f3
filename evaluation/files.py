"""Files for the command line: those named, and those of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from chunkers import InputError
from chunkers.arguments import file_bytes


def files_in(paths: Iterable[Path], endings: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Give name and bytes of every file named, and of every file of a folder whose name ends in one of ``endings``.

    Raises
    ------
    InputError
        If a file or folder cannot be read.
    """
    for path in paths:
        for file in _files_of(path, endings) if path.is_dir() else [path]:
            yield file.name, file_bytes(str(file))


def _files_of(folder: Path, endings: Sequence[str]) -> list[Path]:
    try:
        found = sorted(file for file in folder.iterdir() if file.suffix.lower() in endings)
    except OSError as error:
        raise InputError(f"{folder}: the folder must be readable; {error.strerror}.") from error
    if not found:
        raise InputError(f"{folder}: the folder must hold a file that ends in {', '.join(endings)}; it holds none.")
    return found
