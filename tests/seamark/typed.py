"""Statements that a strict type checker must accept or flag; `make types` reads it, and nothing executes it."""

import seamark
from chunkers import Chunk, Recipe
from integrations.langchain import SeamarkTextSplitter

result = seamark.chunk("One. Two.", "recursive", size=500)
recipe: Recipe = result.recipe
splitter = SeamarkTextSplitter(result.recipe)
again: Chunk = recipe.run("Three.")[0]
# Strict mypy refuses an ignore that it does not need: a name that does not exist is an error.
missing = seamark.nothing_there  # type: ignore[attr-defined]
