"""What the command lines have in common: errors in a sentence, files, and values."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NoReturn

from chunkers.errors import InputError


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


def value(text: str) -> Any:
    """Read a parameter's value: none, what JSON knows, or a word."""
    try:
        return None if text == "none" else json.loads(text)
    except (ValueError, RecursionError):
        return text
