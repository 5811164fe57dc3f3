"""What the command lines have in common: errors in a sentence, files, and values."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from chunkers.errors import InputError
from chunkers.limits import MAX_BYTES
from chunkers.text.encodings import known_encoding
from chunkers.text.formats import too_large
from chunkers.text.reading import READABLE, FileText, read_document


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors like any other."""

    def error(self, message: str) -> NoReturn:
        """Raise `InputError` instead of leaving."""
        raise InputError(f"{message[0].upper()}{message[1:]}.")


def command_line(work: Callable[[], int]) -> int:
    """Do the work of a command line, and return its exit status.

    Whatever can be named ends in one sentence on standard error: input that cannot be used and an output that cannot be
    written with status 2, a user's interruption with 130, as shells have it. A reader that left, as ``head`` does, is told
    nothing, with status 1.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # JSON is UTF-8, whatever the terminal's encoding.
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        status = work()
        # What is still buffered meets a full disk here, and not after the last line of the program.
        sys.stdout.flush()
        return status
    except InputError as error:
        say(str(error))
        return 2
    except BrokenPipeError:
        _let_go_of_output()
        return 1
    except KeyboardInterrupt:
        say("Stopped by the user.")
        _let_go_of_output()
        return 130
    except OSError as error:
        if error.filename is not None:
            raise
        say(f"The output must be writable; {error.strerror}.")
        _let_go_of_output()
        return 2


def say(sentence: str) -> None:
    """Print a sentence on standard error, in one line, whatever is in the name of a file."""
    sys.stderr.write("".join(character if character.isprintable() else " " for character in sentence) + "\n")


def _let_go_of_output() -> None:
    """Let what is still buffered go nowhere: written at the exit, it would raise again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def file_bytes(file: str, name: str = "") -> bytes:
    """Return what is in a file, or on standard input for ``-``; ``name`` is what a sentence calls it.

    Raises
    ------
    InputError
        If it cannot be read, or is larger than any document may be: of that no more is read than it takes to know.
    """
    try:
        if file == "-":
            if sys.stdin is None:
                raise InputError("standard input: it must be open to be read; it is closed.")
            return _bounded(sys.stdin.buffer, "standard input")
        with Path(file).open("rb") as opened:
            return _bounded(opened, name or Path(file).name)
    except OSError as error:
        raise InputError(f"{file}: the file must be readable; {error.strerror}.") from error


def _bounded(opened: BinaryIO, name: str) -> bytes:
    data = opened.read(MAX_BYTES + 1)
    if len(data) <= MAX_BYTES:
        return data
    # A device or a pipe does not say how much is to come.
    size = os.fstat(opened.fileno()).st_size if opened.seekable() else 0
    raise too_large(name, size) if size > MAX_BYTES else too_large(name, len(data), "at least ")


def add_encoding(parser: argparse.ArgumentParser) -> None:
    """Let the user say what the documents are in."""
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="what text and HTML are read as, as cp1252 or shift_jis (default: what each file says, or its letters)",
    )


def document_reader(encoding: str | None) -> Callable[[bytes, str], FileText]:
    """Return what reads a document's bytes, given its name; a guessed encoding is told on standard error.

    Raises
    ------
    InputError
        If there is no such encoding.
    """
    if encoding is not None:
        known_encoding(encoding)

    def read(data: bytes, name: str) -> FileText:
        found = read_document(data, name, encoding)
        if doubts := found.doubts(name):
            say(f"{doubts} --encoding names another.")
        return found

    return read


def named_files(names: Sequence[str], endings: Sequence[str] = READABLE) -> Iterator[tuple[str, str]]:
    """Give path and name of every file; a folder stands for all files in it that end so, named by their path from there.

    Raises
    ------
    InputError
        If a folder has no such file.
    """
    for name in names:
        if not name:
            raise InputError("A file's name must have at least one character; got ''.")
        folder = Path(name)
        if name == "-":
            yield name, "standard input"
        elif not _is_folder(folder):
            yield name, _readable(folder.name)
        else:
            found = _files_in(folder, endings)
            if not found:
                raise InputError(f"{name}: a folder must have a file that ends in {', '.join(endings)}; this one has none.")
            yield from ((str(path), _readable(path.relative_to(folder).as_posix())) for path in found)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:
        raise InputError(f"{_readable(str(path))[:200]}: the file must be readable; {error.strerror}.") from error


def _files_in(folder: Path, endings: Sequence[str]) -> list[Path]:
    """Return the files below a folder, in order; a subfolder that may not be read is an error, not left out in silence."""

    def refuse(error: OSError) -> NoReturn:
        raise InputError(f"{error.filename}: the folder must be readable; {error.strerror}.") from error

    files = [Path(place) / name for place, _, names in os.walk(folder, onerror=refuse) for name in names]
    return sorted(path for path in files if path.suffix.lower() in endings and path.is_file())


def contents(
    names: Sequence[str], endings: Sequence[str] = READABLE, complain: Callable[[str], None] | None = None
) -> Iterator[tuple[str, bytes]]:
    """Give name and bytes of every file, as `named_files` names them.

    Raises
    ------
    InputError
        If one cannot be read, unless ``complain`` takes the sentence, and the others are given all the same.
    """
    for path, name in named_files(names, endings):
        try:
            data = file_bytes(path, name)
        except InputError as error:
            if complain is None:
                raise
            complain(str(error))
            continue
        yield name, data


def _readable(name: str) -> str:
    """Replace the bytes that are no text, which a file's name may hold."""
    return os.fsencode(name).decode("utf-8", "replace")


def value(text: str) -> Any:
    """Read a parameter's value: none, what JSON knows, or a word."""
    try:
        return None if text == "none" else json.loads(text)
    except (ValueError, RecursionError):
        return text
