"""Shared parts of the command lines: errors in one sentence, reading files, and parsing values."""

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from chunkers.contract.tools import Tools
from chunkers.embedders import load_embedder
from chunkers.embedders.base import Embedder
from chunkers.embedders.device import DEVICES
from chunkers.recipes.recipe import Recipe
from chunkers.storage.cache import EmbeddingCache
from chunkers.support.errors import InputError, shown
from chunkers.support.limits import MAX_BYTES, MOST_SPENT_TOKENS
from chunkers.text.encodings import checked_encoding
from chunkers.text.reader_output import too_large
from chunkers.text.reading import READABLE, FileText, read_document
from chunkers.text.tokenizers import load_tokenizer

if TYPE_CHECKING:
    from chunkers.language_models.spending import Limit


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are raised as `InputError`."""

    def error(self, message: str) -> NoReturn:
        """Raise the parser's error message as `InputError` instead of exiting."""
        raise InputError(f"{message[0].upper()}{message[1:]}.")


def command_line(work: Callable[[], int]) -> int:
    """Run a command, print known errors on standard error, and return the exit status.

    A known error prints one sentence. Unusable input and output that cannot be written exit with status 2, an
    interruption by the user with 130, as in shells. If the reader of a pipe closes it, as ``head`` does, no message is
    printed and the status is 1.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # JSON is UTF-8, whatever the terminal's encoding.
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        status = work()
        # Flush here, so that a full disk is noticed now and not at the interpreter's exit.
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
    """Print a sentence on standard error as `one_line`."""
    sys.stderr.write(one_line(sentence) + "\n")


def one_line(text: str) -> str:
    """Return a text with line breaks and control characters replaced by spaces."""
    return "".join(character if character.isprintable() else " " for character in text)


def say_unusable(sentence: str, unusable: int) -> None:
    """Print a warning about a language model's unusable answers; the count ``unusable`` is ignored."""
    say(sentence)


def preparing_on_terminal(embedder: Embedder) -> Callable[[float], None]:
    """Return a callback that shows the progress of preparing an embedder on the terminal."""

    def show(share: float) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{embedder.preparation_progress(share)}\033[K" + "\n" * (share == 1))
            sys.stderr.flush()

    return show


class TerminalProgress:
    """Progress in a line of the terminal that changes, such as “A: 3 of 10 texts embedded”.

    Parameters
    ----------
    before
        The text in front of the counts, such as “A: ”.
    what
        The noun behind them, such as “texts embedded”.
    """

    def __init__(self, before: str, what: str) -> None:
        self._before, self._what = before, what

    def __call__(self, done: int, total: int) -> None:
        """Show the progress, if standard error is a terminal."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{self._before}{done:,} of {total:,} {self._what}\033[K")
            sys.stderr.flush()


def end_progress() -> None:
    """End the line of progress, if standard error is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write("\n")


def _let_go_of_output() -> None:
    """Discard what is still buffered: written at exit, it would raise again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def file_bytes(file: str, name: str = "") -> bytes:
    """Return the bytes of a file, or of standard input for ``-``; error messages call the file ``name``.

    Raises
    ------
    InputError
        If the file cannot be read or is larger than the limit for documents; reading stops as soon as the limit is
        exceeded.
    """
    try:
        if file == "-":
            if sys.stdin is None:
                raise InputError("standard input must be open; it is closed. Pipe a text into the command, or name a file.")
            return _bounded(sys.stdin.buffer, "standard input")
        with Path(file).open("rb") as opened:
            return _bounded(opened, name or Path(file).name)
    except OSError as error:
        raise InputError(f"{file}: the file cannot be read: {error.strerror}. Check its path and permissions.") from error


def _bounded(opened: BinaryIO, name: str) -> bytes:
    data = opened.read(MAX_BYTES + 1)
    if len(data) <= MAX_BYTES:
        return data
    # A device or a pipe does not tell its size beforehand.
    size = os.fstat(opened.fileno()).st_size if opened.seekable() else 0
    raise too_large(name, size) if size > MAX_BYTES else too_large(name, len(data), "at least ")


def write_output(text: str, file: str | None) -> None:
    """Write a command's output into a file, or on standard output. Raise InputError if the file cannot be written."""
    if not file:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(file).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{file}: the file cannot be written: {error.strerror}. Check its path and permissions.") from error


def add_encoding(parser: argparse.ArgumentParser) -> None:
    """Add the command-line option for the documents' encoding."""
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="the encoding of text and HTML, such as cp1252 (default: what each file declares, or what fits its letters)",
    )


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add the command-line option for the device on which a model runs."""
    parser.add_argument(
        "--device",
        default="auto",
        metavar="NAME",
        help=f"where torch runs the embedder: {', '.join(DEVICES)} (default: auto, which is {DEVICES['auto']})",
    )


def add_spend(parser: argparse.ArgumentParser, what: str = "asking it") -> None:
    """Add the command-line option that limits spending on a language model; `limit_of` parses the option's value."""
    most = f"the most tokens that {what} may take (default: {MOST_SPENT_TOKENS:,})"
    parser.add_argument("--spend", metavar="TOKENS", help=most)


def limit_of(spend: str | None) -> "Limit | None":
    """Parse the value of a spending-limit option; return None if the option was not given.

    Raises
    ------
    InputError
        If the value is not a whole number of tokens of at least 1.
    """
    if spend is None:
        return None
    if not (spend.isascii() and spend.isdecimal() and len(spend) < 16 and int(spend)):
        raise InputError(f"--spend must be a whole number of tokens of at least 1; got {shown(spend)}.")
    from chunkers.language_models.spending import Limit

    return Limit(int(spend))


def opened_embedder(name: str, device: str = "auto") -> Embedder:
    """Load the embedder for a command, and print its remark, if it has one, on standard error.

    Raises
    ------
    InputError
        As `load_embedder` does.
    """
    embedder = load_embedder(name, device)
    if embedder.remark:
        say(embedder.remark)
    return embedder


def opened_tools(
    embedder: str, tokenizer: str = "all-MiniLM-L6-v2", device: str = "auto", cache: EmbeddingCache | None = None
) -> Tools:
    """Load an embedder and a tokenizer by their names, and return them as tools that show progress on the terminal.

    Raises
    ------
    InputError
        As `opened_embedder` and `load_tokenizer` do.
    """
    model = opened_embedder(embedder, device)
    vectors = EmbeddingCache() if cache is None else cache
    return Tools(model, load_tokenizer(tokenizer), vectors, preparing=preparing_on_terminal(model))


def opened_recipe(path: str) -> Recipe:
    """Read a recipe file; warn on standard error if the chunker's cuts may have changed since the recipe was made.

    Raises
    ------
    InputError
        If the file cannot be read or is not a recipe.
    """
    recipe = Recipe.in_file(file_bytes(path))
    if changed := recipe.changed_since():
        say(f"{readable(path)}: {changed}")
    return recipe


def document_reader(encoding: str | None) -> Callable[[bytes, str], FileText]:
    """Return a function that reads a document from its bytes and name, and reports guessed encodings on standard error.

    Raises
    ------
    InputError
        If the encoding is unknown.
    """
    if encoding is not None:
        checked_encoding(encoding)

    def read(data: bytes, name: str) -> FileText:
        file_text = read_document(data, name, encoding)
        if doubts := file_text.doubts(name):
            say(f"{doubts} --encoding names another.")
        return file_text

    return read


def named_files(names: Sequence[str], endings: Sequence[str] = READABLE) -> Iterator[tuple[str, str]]:
    """Yield the path and name of each listed file, and of each file with one of ``endings`` in a listed folder.

    The name of a file in a folder is relative to the folder.

    Raises
    ------
    InputError
        If a folder has no file with one of ``endings``.
    """
    for name in names:
        if not name:
            raise InputError("A file name must not be empty; got ''. Name a file or a folder, or - for standard input.")
        folder = Path(name)
        if name == "-":
            yield name, "standard input"
        elif not is_folder(folder):
            yield name, readable(folder.name)
        else:
            paths = _files_in(folder, endings)
            if not paths:
                raise InputError(
                    f"{name}: a folder must contain at least one file ending in {', '.join(endings)}; this folder contains "
                    "none. Name another folder."
                )
            yield from ((str(path), readable(path.relative_to(folder).as_posix())) for path in paths)


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder. Raise InputError if the path is invalid, for example too long."""
    try:
        return path.is_dir()
    except OSError as error:
        raise InputError(
            f"{readable(str(path))[:200]}: the file cannot be read: {error.strerror}. Check its path and permissions."
        ) from error


def _files_in(folder: Path, endings: Sequence[str]) -> list[Path]:
    """Return the files below a folder, in order; an unreadable subfolder is an error and not skipped silently."""

    def refuse(error: OSError) -> NoReturn:
        raise InputError(
            f"{error.filename}: the folder cannot be read: {error.strerror}. Check its path and permissions."
        ) from error

    files = [Path(place) / name for place, _, names in os.walk(folder, onerror=refuse) for name in names]
    return sorted(path for path in files if path.suffix.lower() in endings and path.is_file())


def contents(
    names: Sequence[str], endings: Sequence[str] = READABLE, complain: Callable[[str], None] | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and bytes of each file, with names as in `named_files`.

    Raises
    ------
    InputError
        If a file cannot be read; with ``complain``, the message is passed to that function instead, and the next file
        follows.
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


def readable(name: str) -> str:
    """Return a file name as printable text; undecodable bytes are escaped, so that different names stay different."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def value(text: str) -> Any:
    """Parse a parameter value from the command line: ``none``, a JSON value or a plain word."""
    try:
        return None if text == "none" else json.loads(text)
    except (ValueError, RecursionError):
        return text


def assignment(text: str, option: str) -> tuple[str, Any]:
    """Parse a ``KEY=VALUE`` argument into name and value. Raise InputError if the argument has another form."""
    key, equals, written = text.partition("=")
    if not equals or not key:
        raise InputError(f"{option} must have the form KEY=VALUE; got {text!r}.")
    return key, value(written)
