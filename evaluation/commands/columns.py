"""The chunkers of a command that compares several on one document, and their shared settings."""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from chunkers import Chunker, InputError, Recipe, Tokenizer, load_tokenizer
from chunkers.commands.arguments import (
    SPLITTER_NAMES,
    add_chunkers,
    add_device,
    add_encoding,
    load_command_embedder,
    parse_chunker_spec,
)
from chunkers.embedders import Embedder
from chunkers.results.comparison import MOST_SIDE_BY_SIDE
from chunkers.text.sentences import DEFAULT_SPLITTER


class Columns(NamedTuple):
    """Chunkers to compare, with their shared sentence splitter, embedder and tokenizer."""

    chunkers: list[Chunker]
    sentences: str
    embedder: Embedder
    tokenizer: Tokenizer


def add_columns(command: argparse.ArgumentParser) -> None:
    """Add the options that name the chunkers to compare and their shared settings to an argument parser."""
    add_chunkers(command)
    command.add_argument(
        "--sentences", metavar="NAME", help=f"one of {SPLITTER_NAMES} (default: the recipes', or {DEFAULT_SPLITTER})"
    )
    command.add_argument("--embedder", metavar="NAME", help="(default: the recipes', or all-MiniLM-L6-v2)")
    command.add_argument("--tokenizer", metavar="NAME", help="(default: the recipes', or all-MiniLM-L6-v2)")
    add_device(command)
    add_encoding(command)


def read_columns(options: argparse.Namespace) -> Columns:
    """Return the chunkers named by command-line options. Raise InputError for none, too many or conflicting recipes."""
    if not 1 <= len(options.chunker) <= MOST_SIDE_BY_SIDE:
        raise InputError(f"--chunker must name 1 to {MOST_SIDE_BY_SIDE} chunkers; got {len(options.chunker)}.")
    specs = [parse_chunker_spec(written) for written in options.chunker]
    recipes = [spec.recipe for spec in specs if spec.recipe is not None]
    embedder = load_command_embedder(_shared_setting(options, recipes, "embedder", "all-MiniLM-L6-v2"), options.device)
    tokenizer = load_tokenizer(_shared_setting(options, recipes, "tokenizer", "all-MiniLM-L6-v2"))
    chunkers = [spec.build(embedder) for spec in specs]
    return Columns(chunkers, _shared_setting(options, recipes, "sentences", DEFAULT_SPLITTER), embedder, tokenizer)


def _shared_setting(options: argparse.Namespace, recipes: Sequence[Recipe], what: str, default: str) -> str:
    """Return a setting shared by all columns: the requested value, or the one that all recipes agree on."""
    asked: str | None = getattr(options, what)
    values = {getattr(recipe, what) for recipe in recipes}
    if asked is None and len(values) > 1:
        raise InputError(
            f"The recipes must agree on {what}; they name {', '.join(sorted(values))}. Choose one with --{what}."
        )
    return asked or next(iter(values), default)
