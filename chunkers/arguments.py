"""What the command lines have in common: errors in a sentence, files, and values."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from chunkers.errors import InputError
from chunkers.text.reading import READABLE


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors like any other."""

    def error(self, message: str) -> NoReturn:
        """Raise `InputError` instead of leaving."""
        raise InputError(f"{message[0].upper()}{message[1:]}.")


def file_bytes(file: str) -> bytes:
    """Return what is in a file, or on standard input for ``-``; InputError where it cannot be read."""
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"{file}: the file must be readable; {error.strerror}.") from error


def named_files(names: Sequence[str], endings: Sequence[str] = READABLE) -> Iterator[tuple[str, str]]:
    """Give path and name of every file; a folder stands for all files in it that end so, named by their path from there.

    Raises
    ------
    InputError
        If a folder has no such file.
    """
    for name in names:
        folder = Path(name)
        if name == "-":
            yield name, "standard input"
        elif not folder.is_dir():
            yield name, _readable(folder.name)
        else:
            found = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in endings)
            if not found:
                raise InputError(f"{name}: a folder must have a file that ends in {', '.join(endings)}; this one has none.")
            yield from ((str(path), _readable(path.relative_to(folder).as_posix())) for path in found)


def contents(names: Sequence[str], endings: Sequence[str] = READABLE) -> Iterator[tuple[str, bytes]]:
    """Give name and bytes of every file, as `named_files` names them; InputError where one cannot be read."""
    for path, name in named_files(names, endings):
        yield name, file_bytes(path)


def _readable(name: str) -> str:
    """Replace the bytes that are no text, which a file's name may hold."""
    return os.fsencode(name).decode("utf-8", "replace")


def value(text: str) -> Any:
    """Read a parameter's value: none, what JSON knows, or a word."""
    try:
        return None if text == "none" else json.loads(text)
    except (ValueError, RecursionError):
        return text
