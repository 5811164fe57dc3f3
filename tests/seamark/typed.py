"""What a user's strict type checker accepts and flags; `make types` reads it, and nothing executes it."""

from chunkers import Chunk, Recipe
from integrations.langchain import SeamarkTextSplitter
from seamark import (
    chunk,
    nothing_there,  # type: ignore[attr-defined] # noqa: F401 - strict mypy refuses an ignore that it does not need
)

result = chunk("One. Two.", "recursive", size=500)
recipe: Recipe = result.recipe
splitter = SeamarkTextSplitter(result.recipe)
again: Chunk = recipe.run("Three.")[0]
