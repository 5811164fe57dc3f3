"""Shared parts of the command lines: errors in one sentence, files, progress, values, and chunkers by name."""

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

from chunkers.contract import Chunker, Tools, Watcher
from chunkers.embedders import EMBEDDER_DESCRIPTIONS, OTHER_NAME_FORMS, load_embedder
from chunkers.embedders.base import Embedder
from chunkers.embedders.sentence_models import DEVICE_DESCRIPTIONS
from chunkers.language_models import Asking, SpendingLimit, as_language_model_access
from chunkers.recipes import (
    ADAPTERS,
    CHUNKERS,
    GIVEN_CHUNKS_CLASS_BY_NAME,
    MODEL_ASKING_CLASS_BY_NAME,
    Recipe,
    build_chunker,
    known_chunkers_phrase,
    register_installed_chunkers,
)
from chunkers.results import EmbeddedAs
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.support import MAX_FILE_BYTES, MOST_SPENT_TOKENS, InputError, short_repr
from chunkers.text import (
    READABLE_ENDINGS,
    SPLITTER_DESCRIPTIONS,
    FileText,
    canonical_encoding,
    load_tokenizer,
    read_document_text,
    too_large_error,
)

FileContent = TypeVar("FileContent")


class SeveralValues(argparse.Action):
    """Option of one or several values, which may be repeated; its ``const`` is true of a word that ends the values."""

    def is_positional_word(self, word: str) -> bool:
        """Return whether a word behind the first value is no value, but a positional argument."""
        return self.nargs == 1 or bool(self.const(word))

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Add the values to earlier ones, or put them in place of the default."""
        earlier_values = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*([] if earlier_values is self.default else earlier_values), *(values or [])])


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are raised as `InputError`, and in which `SeveralValues` leave documents alone."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments after moving the words that end an option's values to the front, where argparse expects them."""
        words = list(sys.argv[1:] if args is None else args)
        words_before_dashes = words[: words.index("--")] if "--" in words else words
        positional_words: list[str] = []
        options_and_values: list[str] = []
        option = ""
        for word in words_before_dashes:
            action = self._option_string_actions.get(option)
            if word.startswith("-") and word != "-":
                option = word
            elif isinstance(action, SeveralValues) and options_and_values[-1] != option and action.is_positional_word(word):
                option = ""
            (options_and_values if option else positional_words).append(word)
        if [*positional_words, *options_and_values] != words_before_dashes:
            # Positional arguments stand together: in front, or behind the "--" with the others.
            words = (
                [*positional_words, *options_and_values]
                if words_before_dashes is words
                else [*options_and_values, "--", *positional_words, *words[len(words_before_dashes) + 1 :]]
            )
        return super().parse_known_args(words, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise the parser's error message as `InputError` instead of exiting."""
        raise InputError(f"{message[0].upper()}{message[1:]}.")


def run_command(command_function: Callable[[], int]) -> int:
    """Run a command, print known errors on standard error, and return the exit status.

    A known error prints one sentence. Unusable input and output that cannot be written exit with status 2, an
    interruption by the user with 130, as in shells. If the reader of a pipe closes it, as ``head`` does, no message is
    printed and the status is 1.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # JSON is UTF-8, whatever the terminal's encoding.
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        exit_status = command_function()
        # Flush here, so that a full disk is noticed now and not at the interpreter's exit.
        sys.stdout.flush()
        return exit_status
    except InputError as error:
        print_to_stderr(str(error))
        return 2
    except BrokenPipeError:
        _discard_buffered_output()
        return 1
    except KeyboardInterrupt:
        print_to_stderr("Stopped by the user.")
        _discard_buffered_output()
        return 130
    except OSError as error:
        if error.filename is not None:
            raise
        print_to_stderr(f"The output must be writable; {error.strerror}.")
        _discard_buffered_output()
        return 2


def print_to_stderr(sentence: str) -> None:
    """Print a sentence on standard error, as `printable_line` returns it."""
    sys.stderr.write(printable_line(sentence) + "\n")


def printable_line(text: str) -> str:
    """Return a text with line breaks and control characters replaced by spaces."""
    return "".join(character if character.isprintable() else " " for character in text)


def warn_of_unusable_answers(warning_sentence: str, unusable_answer_count: int) -> None:
    """Print a warning about a language model's unusable answers; ``unusable_answer_count`` is ignored."""
    print_to_stderr(warning_sentence)


def build_watcher_of_preparation(embedder: Embedder) -> Watcher:
    """Return a watcher that shows the progress of preparing an embedder on the terminal."""

    def show_preparation_progress(share: float) -> None:
        show_progress_line(embedder.format_preparation_progress(share), "\n" * (share == 1))

    return Watcher(preparing=show_preparation_progress)


def progress_callback(text_before_counts: str, noun_after_counts: str) -> Callable[[int, int], None]:
    """Return a callback that shows progress in a line of the terminal, such as “A: 3 of 10 texts embedded”.

    Parameters
    ----------
    text_before_counts
        The text in front of the counts, such as “A: ”.
    noun_after_counts
        The noun behind them, such as “texts embedded”.
    """

    def show_count_progress(done_count: int, total: int) -> None:
        show_progress_line(f"{text_before_counts}{done_count:,} of {total:,} {noun_after_counts}")

    return show_count_progress


def show_progress_line(line: str, line_ending: str = "") -> None:
    """Replace the terminal's line of progress, if standard error is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{line}\033[K{line_ending}")
        sys.stderr.flush()


def end_progress_line() -> None:
    """End the line of progress, if standard error is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write("\n")


def _discard_buffered_output() -> None:
    """Discard what is still buffered: written at exit, it would raise again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def read_file_bytes(file_path: str, name_in_errors: str = "") -> bytes:
    """Return the bytes of a file, or of standard input for ``-``; error messages call the file ``name_in_errors``.

    Raises
    ------
    InputError
        If the file cannot be read or is larger than the limit for documents; reading stops as soon as the limit is
        exceeded.
    """
    try:
        if file_path == "-":
            if sys.stdin is None:
                raise InputError("standard input must be open; it is closed. Pipe a text into the command, or name a file.")
            return _read_bytes_within_limit(sys.stdin.buffer, "standard input")
        with Path(file_path).open("rb") as opened_file:
            return _read_bytes_within_limit(opened_file, name_in_errors or Path(file_path).name)
    except OSError as error:
        raise InputError(
            f"{file_path}: the file cannot be read: {error.strerror}. Check its path and permissions."
        ) from error


def _read_bytes_within_limit(opened_file: BinaryIO, name_in_errors: str) -> bytes:
    content_bytes = opened_file.read(MAX_FILE_BYTES + 1)
    if len(content_bytes) <= MAX_FILE_BYTES:
        return content_bytes
    # A device or a pipe does not tell its size beforehand.
    file_size = os.fstat(opened_file.fileno()).st_size if opened_file.seekable() else 0
    raise (
        too_large_error(name_in_errors, file_size)
        if file_size > MAX_FILE_BYTES
        else too_large_error(name_in_errors, len(content_bytes), "at least ")
    )


def print_json(value: Any) -> None:
    """Print a value as a line of JSON."""
    write_output(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n", None)


def write_output(text: str, output_path: str | None) -> None:
    """Write a command's output into a file, or on standard output. Raise InputError if the file cannot be written."""
    if not output_path:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(output_path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(
            f"{output_path}: the file cannot be written: {error.strerror}. Check its path and permissions."
        ) from error


def add_encoding_option(parser: argparse.ArgumentParser) -> None:
    """Add the command-line option for the documents' encoding."""
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="the encoding of text and HTML, such as cp1252 (default: what each file declares, or what fits its letters)",
    )


def add_device_option(parser: argparse.ArgumentParser) -> None:
    """Add the command-line option for the device on which a model runs."""
    parser.add_argument(
        "--device",
        default="auto",
        metavar="NAME",
        help=(
            f"where torch runs the embedder: {', '.join(DEVICE_DESCRIPTIONS)} (default: auto, which is "
            f"{DEVICE_DESCRIPTIONS['auto']})"
        ),
    )


def add_language_model_options(
    parser: argparse.ArgumentParser,
    purpose: str,
    help_ending: str = "",
    *,
    is_required: bool = False,
    token_use_phrase: str = "asking it",
    default_limit_phrase: str = f"{MOST_SPENT_TOKENS:,}",
) -> None:
    """Add the command-line options that name a language model and limit what is spent on it.

    Parameters
    ----------
    parser
        The parser of the command.
    purpose, help_ending
        The beginning and the end of the help text: what the model is for, and for example which one is the default.
    is_required
        True if the command always asks a model.
    token_use_phrase, default_limit_phrase
        What takes the tokens, and the limit without the option, for the help text.
    """
    parser.add_argument(
        "--language-model",
        required=is_required,
        metavar="openai:NAME",
        help=f"{purpose}: a model of the server at OPENAI_BASE_URL, to which the texts are sent{help_ending}",
    )
    parser.add_argument(
        "--spend",
        action=_SpendingLimitOption,
        metavar="TOKENS",
        help=f"the most tokens that {token_use_phrase} may take (default: {default_limit_phrase})",
    )


class _SpendingLimitOption(argparse.Action):
    """Option whose value is a `SpendingLimit` in tokens."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Store the limit. Raise InputError if the value is not a whole number of tokens of at least 1."""
        limit_text = str(values)
        if not (limit_text.isascii() and limit_text.isdecimal() and len(limit_text) < 16 and int(limit_text)):
            raise InputError(f"--spend must be a whole number of tokens of at least 1; got {short_repr(limit_text)}.")
        setattr(namespace, self.dest, SpendingLimit(int(limit_text)))


def open_language_model(
    options: argparse.Namespace, chunker: Chunker, chunk_embedding_method: EmbeddedAs, recipe: Recipe | None
) -> "Asking | None":
    """Return access to the language model that the command line or the recipe names; None if none is needed.

    Raises
    ------
    InputError
        If neither names one, although it is needed.
    """
    if not chunker.asks and chunk_embedding_method != "context":
        return None
    language_model_name = options.language_model or (recipe and recipe.language_model)
    if not language_model_name:
        asker_phrase = chunker.name if chunker.asks else "A context sentence"
        raise InputError(f"{asker_phrase} needs a language model; name it with --language-model, as openai:NAME.")
    return as_language_model_access(language_model_name, options.spend, warn_of_unusable_answers)


@contextmanager
def report_spending_at_end(model_access: "Asking | None", line_beginning: str = "") -> Iterator[None]:
    """Print what was spent on a language model, if there is one, however the work ends: what was asked is paid for."""
    try:
        yield
    finally:
        if model_access is not None:
            print_to_stderr(f"{line_beginning}{model_access.model.name}: {model_access.summary}.")


def load_command_embedder(name: str, device: str = "auto") -> Embedder:
    """Load the embedder for a command, and print its remark, if it has one, on standard error.

    Raises
    ------
    InputError
        As `load_embedder` does.
    """
    embedder = load_embedder(name, device)
    if embedder.remark:
        print_to_stderr(embedder.remark)
    return embedder


def load_embedder_and_tokenizer_tools(
    embedder_name: str,
    tokenizer_name: str = "all-MiniLM-L6-v2",
    device: str = "auto",
    embedding_cache: EmbeddingCache | None = None,
) -> Tools:
    """Load an embedder and a tokenizer by their names, and return them as tools that show progress on the terminal.

    Raises
    ------
    InputError
        As `load_command_embedder` and `load_tokenizer` do.
    """
    loaded_embedder = load_command_embedder(embedder_name, device)
    return Tools(
        loaded_embedder,
        load_tokenizer(tokenizer_name),
        EmbeddingCache() if embedding_cache is None else embedding_cache,
        watcher=build_watcher_of_preparation(loaded_embedder),
    )


def load_recipe_file(path: str) -> Recipe:
    """Read a recipe file; warn on standard error if the chunker's cuts may have changed since the recipe was made.

    Raises
    ------
    InputError
        If the file cannot be read or is not a recipe.
    """
    recipe_from_file = Recipe.in_file(read_file_bytes(path), printable_file_name(path))
    if changed_cuts_note := recipe_from_file.changed_since():
        print_to_stderr(f"{printable_file_name(path)}: {changed_cuts_note}")
    return recipe_from_file


def add_document_arguments(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """Add the positions of a command line that name documents, for `read_names_and_texts`, and their encoding."""
    parser.add_argument("files", nargs=nargs, metavar="FILE", help="a document, a folder of them, or - for standard input")
    add_encoding_option(parser)


def is_document_argument(word: str, endings: Sequence[str] = READABLE_ENDINGS) -> bool:
    """Return whether a word names standard input, a folder or a file with one of ``endings``, which need not exist."""
    return ":" not in word and (word == "-" or Path(word).suffix.lower() in endings or is_folder(Path(word)))


def document_reader(encoding: str | None) -> Callable[[bytes, str], FileText]:
    """Return a function that reads a document from its bytes and name, and reports guessed encodings on standard error.

    Raises
    ------
    InputError
        If the encoding is unknown.
    """
    if encoding is not None:
        canonical_encoding(encoding)

    def read_text_from_bytes(document_bytes: bytes, name: str) -> FileText:
        file_text = read_document_text(document_bytes, name, encoding)
        if encoding_warning := file_text.guessed_encoding_warning(name):
            print_to_stderr(f"{encoding_warning} --encoding names another.")
        return file_text

    return read_text_from_bytes


def read_names_and_texts(
    input_paths: Sequence[str], encoding: str | None, complaint_callback: Callable[[str], None] | None = None
) -> Iterator[tuple[str, FileText]]:
    """Yield the name and text of each document in files and folders.

    Raises
    ------
    InputError
        If the encoding is unknown, or a document cannot be read; with ``complaint_callback``, the message on a document is
        passed to that function instead, and the next document follows.
    """
    return yield_named_file_contents(input_paths, document_reader(encoding), complain=complaint_callback)


def read_usable_texts(input_paths: Sequence[str], encoding: str | None) -> dict[str, FileText]:
    """Return the texts of the readable documents in files and folders, by name; report the others.

    Raises
    ------
    InputError
        If no document is readable, or the encoding is unknown.
    """

    def report_left_out(complaint: str) -> None:
        print_to_stderr(f"{complaint} The document is left out.")

    text_by_document_name: dict[str, FileText] = {}
    for name, file_text in read_names_and_texts(input_paths, encoding, report_left_out):
        if name in text_by_document_name:
            report_left_out(f"{name}: documents must have different names; an earlier document has this name.")
        text_by_document_name.setdefault(name, file_text)
    if not text_by_document_name:
        raise InputError("At least one document must be readable; none is. Name other documents.")
    return text_by_document_name


def named_files(command_line_paths: Sequence[str], endings: Sequence[str] = READABLE_ENDINGS) -> Iterator[tuple[str, str]]:
    """Yield the path and name of each listed file, and of each file with one of ``endings`` in a listed folder.

    The name of a file in a folder is relative to the folder.

    Raises
    ------
    InputError
        If a folder has no file with one of ``endings``.
    """
    for command_line_path in command_line_paths:
        if not command_line_path:
            raise InputError("A file name must not be empty; got ''. Name a file or a folder, or - for standard input.")
        named_path = Path(command_line_path)
        if command_line_path == "-":
            yield command_line_path, "standard input"
        elif not is_folder(named_path):
            yield command_line_path, printable_file_name(named_path.name)
        else:
            folder_files = _files_in(named_path, endings)
            if not folder_files:
                raise InputError(
                    f"{command_line_path}: a folder must contain at least one file ending in {', '.join(endings)}; this "
                    "folder contains none. Name another folder."
                )
            yield from ((str(path), printable_file_name(path.relative_to(named_path).as_posix())) for path in folder_files)


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder. Raise InputError if the path is invalid, for example too long."""
    try:
        return path.is_dir()
    except OSError as error:
        raise InputError(
            f"{printable_file_name(str(path))[:200]}: the file cannot be read: {error.strerror}. Check its path and "
            "permissions."
        ) from error


def _files_in(folder: Path, endings: Sequence[str]) -> list[Path]:
    """Return the files below a folder, in order; an unreadable subfolder is an error and not skipped silently."""

    def raise_unreadable_folder_error(error: OSError) -> NoReturn:
        raise InputError(
            f"{error.filename}: the folder cannot be read: {error.strerror}. Check its path and permissions."
        ) from error

    paths_below = [
        Path(place) / name for place, _, names in os.walk(folder, onerror=raise_unreadable_folder_error) for name in names
    ]
    return sorted(path for path in paths_below if path.suffix.lower() in endings and path.is_file())


def yield_named_file_contents(
    names: Sequence[str],
    content_from_bytes: Callable[[bytes, str], FileContent],
    endings: Sequence[str] = READABLE_ENDINGS,
    complain: Callable[[str], None] | None = None,
) -> Iterator[tuple[str, FileContent]]:
    """Yield each file's name, as in `named_files`, and the result of ``content_from_bytes`` for its bytes and name.

    Raises
    ------
    InputError
        If a file cannot be read; with ``complain``, the message is passed to that function instead, and the next file
        follows.
    """
    for path, name in named_files(names, endings):
        try:
            content = content_from_bytes(read_file_bytes(path, name), name)
        except InputError as error:
            if complain is None:
                raise
            complain(str(error))
            continue
        yield name, content


def printable_file_name(name: str) -> str:
    """Return a file name as printable text; undecodable bytes are escaped, so that different names stay different."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def parse_parameter_value(text: str) -> Any:
    """Parse a parameter value from the command line: ``none``, a JSON value or a plain word."""
    try:
        return None if text == "none" else json.loads(text)
    except (ValueError, RecursionError):
        return text


# A chunker on the command line: one word, written the same way for every command.

CHUNK_FILE_PREFIX = "chunks:"
"""Prefix of a file of chunks in place of a chunker."""

CHUNKER_HELP = "its name, alone or with parameters (recursive:size=512,unit=tokens), or the file of a recipe"
"""Help text for a chunker that a command cuts with."""

CHUNKER_OR_FILE_HELP = f"{CHUNKER_HELP}, or chunks:FILE for chunks that something else made"
"""Help text for a chunker whose chunks may also be in a file."""

SPLITTER_NAMES = ", ".join([*SPLITTER_DESCRIPTIONS, "sentencex:CODE", "spacy:NAME"])
"""Help text for the name of a sentence splitter."""

POSITIONAL_WORDS_KEY = "by position"
"""Key of `_REPLACEMENT_BY_OPTION` for words without an option."""

_REPLACEMENT_BY_OPTION = {
    "--recipe": "--chunker {0}",
    "--set": "--chunker NAME:{0}",
    "--chunks": "--chunker chunks:{0}",
    "--spend-tokens": "--spend {0}",
    "--splitter": "--sentences {0}",
    "--into": "--output {0}",
    "--corpus": "{0}, without an option",
    "--file": "--marked {0}",
    POSITIONAL_WORDS_KEY: "--sample {0}, or --marked PATH for files",
}
"""The present spelling for each spelling of before; ``{0}`` stands for its values."""

_CHUNKER_SPEC_PATTERN = re.compile(r"(?P<base>.+?)(?::(?P<parameters>\w+=.*))?", re.DOTALL)
_CHUNKER_NAME_PATTERN = re.compile(r"\w+")
_MALFORMED_SPEC_PATTERN = re.compile(r"\w+:(.*)", re.DOTALL)
_NEXT_PARAMETER_PATTERN = re.compile(r",(?=\w+=)")


@dataclass(frozen=True)
class ChunkerSpec:
    """A chunker as a command line names it.

    Attributes
    ----------
    written_form
        What the command line has.
    name
        The chunker's name; empty for a recipe or a file of chunks.
    parameters
        The parameters on the command line, which go before those of a recipe.
    file
        The recipe's file, or the file of chunks.
    recipe
        The recipe in the file, if it is one.
    """

    written_form: str
    name: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None
    recipe: Recipe | None = None

    @property
    def is_file_given_as_chunker(self) -> bool:
        """True if the command line names a file of chunks instead of a chunker."""
        return self.file is not None and self.recipe is None

    def build(self, embedder: Embedder | None = None) -> Chunker:
        """Return the chunker; defaults that a recipe does not set are those for ``embedder``.

        Raises
        ------
        InputError
            If there is no such chunker or file, or a parameter is unknown or out of range.
        """
        if self.recipe is not None:
            return build_chunker(self.recipe.chunker, {**self.recipe.settings(), **self.parameters})
        if self.file is None:
            return build_chunker(self.name, self.parameters, embedder)
        # Needed by few commands, and slow to import.
        from chunkers.found_again.inspection_of_given_chunks import read_given_chunks
        from chunkers.methods.your_chunks import ChunkFile, YourChunks

        chunks_from_file = read_given_chunks(read_file_bytes(str(self.file)), self.file.name)
        return YourChunks.from_file(ChunkFile(self.file.name, tuple(chunks_from_file)))

    def recipe_of(self, chunker: Chunker, fallback_recipe: Recipe | None = None) -> Recipe:
        """Return the recipe of the built ``chunker``; settings not on the command line come from ``fallback_recipe``."""
        if self.recipe is not None and not self.parameters:
            return self.recipe
        base_recipe = self.recipe or fallback_recipe or Recipe(chunker=chunker.name)
        return base_recipe.model_copy(update={"chunker": chunker.name, "parameters": chunker.model_dump()})


def parse_chunker_spec(written_spec: str, chunk_file_refusal_phrase: str = "") -> ChunkerSpec:
    """Parse the name of a chunker on a command line; read the file of a recipe.

    Parameters
    ----------
    written_spec
        ``NAME``, ``NAME:KEY=VALUE,...``, the file of a recipe, alone or with parameters in the same way, or ``chunks:FILE``.
    chunk_file_refusal_phrase
        The reason why a file of chunks may not stand for a chunker; empty if it may.

    Raises
    ------
    InputError
        If the text has none of these forms, or the recipe cannot be read.
    """
    if written_spec.startswith(CHUNK_FILE_PREFIX):
        if chunk_file_refusal_phrase:
            raise InputError(f"{written_spec}: {chunk_file_refusal_phrase}. Name a chunker or the file of a recipe.")
        return ChunkerSpec(written_spec, file=Path(written_spec.removeprefix(CHUNK_FILE_PREFIX)))
    if re.match(r"\w+=", written_spec):
        raise InputError(
            f"Parameters stand behind the chunker's name, as in recursive:{written_spec}; got {written_spec!r} alone."
        )
    spec_match = _CHUNKER_SPEC_PATTERN.fullmatch(written_spec)
    if spec_match is None:
        raise InputError(f"A chunker must be {CHUNKER_HELP}; got {written_spec!r}.")
    name_or_file, parameters = spec_match["base"], _parse_parameters(spec_match["parameters"] or "", written_spec)
    if parameters and _is_file(written_spec):
        name_or_file, parameters = written_spec, {}
    if _CHUNKER_NAME_PATTERN.fullmatch(name_or_file) and not _is_file(name_or_file):
        return ChunkerSpec(written_spec, name_or_file, parameters)
    if (malformed_spec_match := _MALFORMED_SPEC_PATTERN.fullmatch(name_or_file)) and not _is_file(name_or_file):
        _parse_parameters(malformed_spec_match[1], written_spec)
    return ChunkerSpec(written_spec, parameters=parameters, file=Path(name_or_file), recipe=load_recipe_file(name_or_file))


def format_parameters(parameters: Mapping[str, Any]) -> str:
    """Format parameters as `parse_chunker_spec` reads them after a chunker's name, such as ``size=512,unit=tokens``."""
    return ",".join(f"{name}={_format_parameter_value(value)}" for name, value in parameters.items())


def _format_parameter_value(parameter_value: Any) -> str:
    if (
        isinstance(parameter_value, str)
        and not _NEXT_PARAMETER_PATTERN.search(parameter_value)
        and _parse_parameters(f"a={parameter_value}", "") == {"a": parameter_value}
    ):
        return parameter_value
    return "none" if parameter_value is None else json.dumps(parameter_value, ensure_ascii=False)


def _is_file(path: str) -> bool:
    # Not of Path, which raises an error for a text too long to be a path.
    return os.path.isfile(path)  # noqa: PTH113


def _parse_parameters(parameters_text: str, written_spec: str) -> dict[str, Any]:
    """Parse ``KEY=VALUE,...``; a comma inside a JSON value, or before anything but a key, belongs to the value."""
    parameter_value_by_name = {}
    while parameters_text:
        key, equals_sign_or_empty, text_after_key = parameters_text.partition("=")
        try:
            _, value_end = json.JSONDecoder().raw_decode(text_after_key)
        except (ValueError, RecursionError):
            value_end = -1
        if value_end < 0 or (text_after_key[value_end:] and not _NEXT_PARAMETER_PATTERN.match(text_after_key, value_end)):
            next_parameter_match = _NEXT_PARAMETER_PATTERN.search(text_after_key)
            value_end = next_parameter_match.start() if next_parameter_match else len(text_after_key)
        if not equals_sign_or_empty or not key:
            malformed_parameter_text = key + equals_sign_or_empty + text_after_key[:value_end]
            raise InputError(f"{written_spec}: a parameter must have the form KEY=VALUE; got {malformed_parameter_text!r}.")
        parameter_value_by_name[key] = parse_parameter_value(text_after_key[:value_end])
        parameters_text = text_after_key[value_end + 1 :]
    return parameter_value_by_name


def add_chunker_option(
    parser: argparse.ArgumentParser,
    *,
    several: bool = False,
    default: str = "",
    allows_chunk_file: bool = True,
    help_ending: str = "",
    is_document_word: Callable[[str], bool] = is_document_argument,
) -> None:
    """Add the option that names one or several chunkers; `parse_all_chunker_specs` parses its value.

    A word behind a chunker is a document if it is no chunker's name and ``is_document_word`` is true of it.
    """
    spec_forms_help = CHUNKER_OR_FILE_HELP if allows_chunk_file else CHUNKER_HELP
    parser.add_argument(
        "--chunker",
        nargs="+" if several else 1,
        action=SeveralValues,
        const=lambda word: is_document_word(word) and not _names_chunker(word),
        default=[default] if default else [],
        metavar="NAME",
        help=f"{'one or several chunkers, each by' if several else 'the chunker:'} {spec_forms_help}{help_ending}"
        + f" (default: {default})" * bool(default),
    )
    add_refused_old_options(parser, "--recipe", "--set")


def _names_chunker(word: str) -> bool:
    """Return whether a word is a chunker's name, one of an installed package included; a path is not looked up."""
    if not word.isidentifier():
        return False
    register_installed_chunkers()
    return word in {**CHUNKERS, **MODEL_ASKING_CLASS_BY_NAME, **GIVEN_CHUNKS_CLASS_BY_NAME, **ADAPTERS}


def parse_all_chunker_specs(
    options: argparse.Namespace, chunk_file_refusal_phrase: str = "", most: float = 1
) -> list[ChunkerSpec]:
    """Return the chunkers that the command line names; ``chunk_file_refusal_phrase`` is as for `parse_chunker_spec`.

    Raises
    ------
    InputError
        If no chunker is named, or more than ``most`` are, and as `parse_chunker_spec` does.
    """
    if len(options.chunker) > most:
        raise InputError(
            f"--chunker must name {'one chunker' if most == 1 else f'1 to {most} chunkers'}; got {len(options.chunker)}."
        )
    if not options.chunker:
        raise InputError(
            f"No chunker is named. Name it with --chunker, one of {known_chunkers_phrase()}, or give the file of a recipe."
        )
    return [parse_chunker_spec(written, chunk_file_refusal_phrase) for written in options.chunker]


_HELP_BY_SETTING = {
    "sentences": f"the sentence splitter, one of {SPLITTER_NAMES}",
    "embedder": f"the embedding model, one of {', '.join([*EMBEDDER_DESCRIPTIONS, *OTHER_NAME_FORMS])}",
    "tokenizer": "what counts tokens",
}
"""Help texts of the settings that a recipe has besides its chunker."""


def add_setting_options(
    parser: argparse.ArgumentParser, *names: str, default_help_template: str | None = "the recipe's, or {0}"
) -> None:
    """Add the options for settings that a recipe has too; `shared_setting` returns the value of one.

    ``default_help_template`` is the help text on the default, where a recipe may give it; without it the default is that of
    `Recipe`.
    """
    for name in names:
        recipe_default = Recipe.model_fields[name].default
        parser.add_argument(
            f"--{name}",
            default=recipe_default if default_help_template is None else None,
            metavar="NAME",
            help=f"{_HELP_BY_SETTING[name]} (default: {(default_help_template or '{0}').format(recipe_default)})",
        )


def shared_setting(options: argparse.Namespace, setting_name: str, chunker_specs: Sequence[ChunkerSpec] = ()) -> str:
    """Return a setting for all chunkers of a command: the requested value, or the one that all recipes agree on.

    Raises
    ------
    InputError
        If the recipes disagree.
    """
    requested_value: str | None = getattr(options, setting_name)
    distinct_recipe_values = {getattr(spec.recipe, setting_name) for spec in chunker_specs if spec.recipe is not None}
    if requested_value is None and len(distinct_recipe_values) > 1:
        raise InputError(
            f"The recipes must agree on {setting_name}; they name {', '.join(sorted(distinct_recipe_values))}. Choose one "
            "with "
            f"--{setting_name}."
        )
    return requested_value or next(iter(distinct_recipe_values), Recipe.model_fields[setting_name].default)


def load_shared_embedder_and_tokenizer(options: argparse.Namespace, chunker_specs: Sequence[ChunkerSpec] = ()) -> Tools:
    """Load the embedder and the tokenizer for all chunkers of a command, as `shared_setting` returns their names.

    Raises
    ------
    InputError
        As `shared_setting` and `load_embedder_and_tokenizer_tools` do.
    """
    embedder_name, tokenizer_name = (shared_setting(options, name, chunker_specs) for name in ("embedder", "tokenizer"))
    return load_embedder_and_tokenizer_tools(embedder_name, tokenizer_name, options.device)


def add_refused_old_options(parser: argparse.ArgumentParser, *spellings: str) -> None:
    """Add options of earlier versions, and `POSITIONAL_WORDS_KEY`; using one is an error that says what to write instead."""
    for old_spelling in spellings:
        parser.add_argument(
            *([old_spelling] if old_spelling != POSITIONAL_WORDS_KEY else []),
            nargs="*",
            action=_ReplacedSpelling,
            const=_REPLACEMENT_BY_OPTION[old_spelling],
            help=argparse.SUPPRESS,
            dest=argparse.SUPPRESS,
            default=argparse.SUPPRESS,
        )


def old_spelling_error(old_spelling: str, new_spelling: str) -> InputError:
    """Return the error for a spelling of before."""
    return InputError(f"{old_spelling} is written in another way now: {new_spelling}.")


def refuse_positional_chunkers(
    options: argparse.Namespace, positional_arguments: Sequence[object], leading_chunker_count: int
) -> None:
    """Raise InputError if the first ``leading_chunker_count`` of several arguments are chunkers, as in earlier versions.

    A folder is no chunker.
    """
    if (
        len(positional_arguments) > 1
        and not options.chunker
        and not any(Path(str(word)).is_dir() for word in positional_arguments[:leading_chunker_count])
    ):
        chunkers_phrase = " ".join(map(str, positional_arguments[:leading_chunker_count]))
        raise old_spelling_error(chunkers_phrase, f"--chunker {chunkers_phrase}")


class _ReplacedSpelling(SeveralValues):
    """An option of before, or words without one: using it is an error that says what to write."""

    def is_positional_word(self, word: str) -> bool:
        """Return whether a word is a document; False for an option whose own values are documents."""
        return self.const != _REPLACEMENT_BY_OPTION["--file"] and is_document_argument(word)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Raise InputError with what to write in place of the option."""
        joined_option_values = ("," if "NAME:" in self.const else " ").join(map(str, values or ["…"]))
        raise old_spelling_error(option_string or joined_option_values, self.const.format(joined_option_values))
