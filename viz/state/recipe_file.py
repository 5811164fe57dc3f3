"""Opening a recipe, or a file of chunks with its recipe, as a column of Compare."""

from __future__ import annotations

import json

from chunkers import InputError, Recipe
from chunkers.text.reading import decode
from viz.state.choices import MOST_COLUMNS, Choices, ColumnChoice
from viz.state.compared import COMPARE, compare_is_full, compared
from viz.state.keys import session
from viz.state.undo import undoable

SHARED_NAMES = {"sentences": "splitter", "embedder": "embedder", "tokenizer": "tokenizer"}
"""What a recipe has that all columns share, and what it is called on the page."""


def open_recipe(data: bytes, name: str, choices: Choices) -> bool:
    """Add a recipe's chunker and parameters to Compare as a column; return False if the file is no recipe.

    The splitter, the embedder and the tokenizer are those of all columns, so they stay; where the recipe's are others, the
    line with the undo says so.

    Raises
    ------
    InputError
        If the recipe is invalid, or if Compare has no room for another column; the message names the file.
    """
    text = decode(data, name).text
    if not _is_recipe(text):
        return False
    try:
        recipe = Recipe.from_json(text)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    if compare_is_full():
        raise InputError(
            f"{name}: Compare may have at most {MOST_COLUMNS} columns and has {MOST_COLUMNS}; remove one first."
        )
    there = compared()
    others = [
        f"the {word} {getattr(recipe, field)}, the page {getattr(choices, field)}"
        for field, word in SHARED_NAMES.items()
        if getattr(recipe, field) != getattr(choices, field)
    ]
    differs = f"; the recipe names {'; '.join(others)}" if others else ""
    with undoable(COMPARE, f"{name} added as column {len(there.columns) + 1} of Compare{differs}"):
        there.columns.append(ColumnChoice(recipe.chunker, dict(recipe.parameters)))
        there.selected = len(there.columns) - 1
    session.embedded_as = recipe.embedded_as
    return True


def _is_recipe(text: str) -> bool:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "recipe" in data and "seamark_session" not in data
