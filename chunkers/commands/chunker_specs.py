"""Names of chunkers on the command line: one word, written the same way for every command."""

import argparse
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chunkers.commands.arguments import assignment, file_bytes, opened_recipe
from chunkers.contract.base import Chunker
from chunkers.embedders.base import Embedder
from chunkers.recipes.recipe import Recipe, build_chunker
from chunkers.recipes.registry import ADAPTERS, ASKING, CHUNKERS
from chunkers.support.errors import InputError
from chunkers.text.sentences import SPLITTERS

CHUNKS = "chunks:"
"""Prefix of a file of chunks in place of a chunker."""

FORMS = "its name, alone or with parameters (recursive:size=512,unit=tokens), or the file of a recipe"
"""Help text for a chunker that a command cuts with."""

FORMS_WITH_CHUNKS = f"{FORMS}, or chunks:FILE for chunks that something else made"
"""Help text for a chunker whose chunks may also be in a file."""

SPLITTER_NAMES = ", ".join([*SPLITTERS, "sentencex:CODE", "spacy:NAME"])
"""Help text for the name of a sentence splitter."""

_INSTEAD = {
    "--recipe": "--chunker {0}",
    "--set": "--chunker NAME:{0}",
    "--chunks": "--chunker chunks:{0}",
    "--spend-tokens": "--spend {0}",
}

_SPEC = re.compile(r"(?P<base>.+?)(?::(?P<parameters>\w+=.*))?", re.DOTALL)
_NAME = re.compile(r"\w+")
_TORN = re.compile(r"\w+:(.*)", re.DOTALL)
_NEXT = re.compile(r",(?=\w+=)")


@dataclass(frozen=True)
class ChunkerSpec:
    """A chunker as a command line names it.

    Attributes
    ----------
    written
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

    written: str
    name: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None
    recipe: Recipe | None = None

    @property
    def has_chunks(self) -> bool:
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
        from chunkers.found_again.located_chunks import read_chunks
        from chunkers.methods.your_chunks import ChunkFile, YourChunks

        chunks = read_chunks(file_bytes(str(self.file)), self.file.name)
        return YourChunks.of(ChunkFile(self.file.name, tuple(chunks)))

    def recipe_like(self, like: Recipe, chunker: Chunker) -> Recipe:
        """Return the recipe of the built ``chunker``; what the command line leaves open is as in ``like``."""
        if self.recipe is not None and not self.parameters:
            return self.recipe
        return (self.recipe or like).model_copy(update={"chunker": chunker.name, "parameters": chunker.model_dump()})


def chunker_spec(written: str, *, chunks: bool = False) -> ChunkerSpec:
    """Parse the name of a chunker on a command line; read the file of a recipe.

    Parameters
    ----------
    written
        ``NAME``, ``NAME:KEY=VALUE,...``, the file of a recipe, alone or with parameters in the same way, or ``chunks:FILE``.
    chunks
        True if a file of chunks may stand for a chunker.

    Raises
    ------
    InputError
        If the text has none of these forms, or the recipe cannot be read.
    """
    if written.startswith(CHUNKS):
        if not chunks:
            raise InputError(f"{written}: this command cuts documents itself. Name a chunker or the file of a recipe.")
        return ChunkerSpec(written, file=Path(written.removeprefix(CHUNKS)))
    if re.match(r"\w+=", written):
        raise InputError(f"Parameters stand behind the chunker's name, as in recursive:{written}; got {written!r} alone.")
    parts = _SPEC.fullmatch(written)
    if parts is None:
        raise InputError(f"A chunker must be {FORMS}; got {written!r}.")
    base, parameters = parts["base"], _parameters(parts["parameters"] or "", written)
    if parameters and _is_file(written):
        base, parameters = written, {}
    file = Path(base)
    if _NAME.fullmatch(base) and not _is_file(base):
        return ChunkerSpec(written, base, parameters)
    torn = _TORN.fullmatch(base)
    if torn and not _is_file(base):
        _parameters(torn[1], written)
    return ChunkerSpec(written, parameters=parameters, file=file, recipe=opened_recipe(base))


def written_parameters(parameters: Mapping[str, Any]) -> str:
    """Format parameters as `chunker_spec` reads them after a chunker's name, such as ``size=512,unit=tokens``."""
    return ",".join(f"{name}={_written(value)}" for name, value in parameters.items())


def _written(parameter: Any) -> str:
    plain = (
        isinstance(parameter, str) and not _NEXT.search(parameter) and _parameters(f"a={parameter}", "") == {"a": parameter}
    )
    if plain:
        return str(parameter)
    return "none" if parameter is None else json.dumps(parameter, ensure_ascii=False)


def _is_file(path: str) -> bool:
    # Not of Path, which raises an error for a text too long to be a path.
    return os.path.isfile(path)  # noqa: PTH113


def _parameters(text: str, written: str) -> dict[str, Any]:
    """Parse ``KEY=VALUE,...``; a comma inside a JSON value, or before anything but a key, belongs to the value."""
    parameters = {}
    while text:
        key, equals, rest = text.partition("=")
        try:
            _, end = json.JSONDecoder().raw_decode(rest)
        except (ValueError, RecursionError):
            end = -1
        if end < 0 or (rest[end:] and not _NEXT.match(rest, end)):
            following = _NEXT.search(rest)
            end = following.start() if following else len(rest)
        name, value = assignment(key + equals + rest[:end], f"{written}: a parameter")
        parameters[name] = value
        text = rest[end + 1 :]
    return parameters


def add_chunker(parser: argparse.ArgumentParser, *, chunks: bool = False, default: str | None = None) -> None:
    """Add the option that names one chunker; `chunker_spec` parses its value."""
    help_text = f"the chunker: {FORMS_WITH_CHUNKS if chunks else FORMS}"
    parser.add_argument(
        "--chunker", default=default, metavar="NAME", help=f"{help_text} (default: {default})" if default else help_text
    )
    add_replaced(parser, "--recipe", "--set")


def add_chunkers(parser: argparse.ArgumentParser, *, chunks: bool = False) -> None:
    """Add the option that names several chunkers."""
    parser.add_argument(
        "--chunker",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help=f"one or several chunkers, each by {FORMS_WITH_CHUNKS if chunks else FORMS}",
    )
    add_replaced(parser, "--recipe", "--set")


def add_replaced(parser: argparse.ArgumentParser, *options: str) -> None:
    """Add options of before; using one is an error that says what to write instead."""
    for option in options:
        parser.add_argument(option, nargs="*", action=_Replaced, help=argparse.SUPPRESS)


class _Replaced(argparse.Action):
    """An option of before: using it is an error that says what to write."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**(given | {"dest": argparse.SUPPRESS, "default": argparse.SUPPRESS}))

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Raise InputError with what to write in place of the option."""
        (option,) = self.option_strings
        first = str(values[0]) if values else "..."
        raise InputError(f"{option} is written in another way now: {_INSTEAD[option].format(first)}.")


def known_chunkers() -> str:
    """Return the names of all chunkers, for messages."""
    return ", ".join([*CHUNKERS, *ASKING, *ADAPTERS])
