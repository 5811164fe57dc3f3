"""Shared base of the integrations: a recipe, in any form, that cuts one text after another."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkers import Chunking, EmbeddingCache, Encoder, InputError, Recipe
from chunkers.commands.shared_command_parts import read_file_bytes
from chunkers.recipes import AnyLanguageModel
from chunkers.support import failed_import_error, short_repr

RecipeOrSource = Recipe | Chunking | Mapping[str, Any] | str | Path
"""A recipe, a result, or the JSON of either, as values, as a text or as a file."""


def recipe_of(recipe_or_source: RecipeOrSource) -> Recipe:
    """Return the `Recipe` given by a result, by its JSON, by a mapping or by a file path.

    Parameters
    ----------
    recipe_or_source
        A `Recipe`, a result made by a recipe, a recipe's parsed JSON, or a text: JSON if the text begins with a brace,
        otherwise the path of a recipe file.

    Raises
    ------
    InputError
        If ``recipe_or_source`` has another type, if the file cannot be read, or if its content is not a recipe.
    """
    if isinstance(recipe_or_source, Chunking):
        recipe_or_source = recipe_or_source.recipe
    if isinstance(recipe_or_source, Recipe):
        recipe_or_source.build()
        return recipe_or_source
    if isinstance(recipe_or_source, Mapping):
        try:
            return Recipe.from_json(json.dumps({**recipe_or_source}))
        except (TypeError, RecursionError) as error:
            raise InputError(f"recipe: every value must be JSON serializable; {error}.") from error
    if isinstance(recipe_or_source, str) and recipe_or_source.lstrip().startswith("{"):
        return Recipe.from_json(recipe_or_source)
    if isinstance(recipe_or_source, str | Path):
        return Recipe.in_file(read_file_bytes(str(recipe_or_source)))
    raise InputError(f"recipe must be a Recipe, its JSON or the path of a recipe file; got {short_repr(recipe_or_source)}.")


@dataclass(frozen=True)
class Cutter:
    """Callable that cuts a text by a recipe, with the caller's own embedder, cache or language model if given.

    Attributes
    ----------
    recipe
        The recipe to apply.
    embedder
        The caller's own embedder; None for the embedder that the recipe names.
    cache
        Cache of embeddings, instead of `chunkers.SHARED_CACHE`.
    language_model
        The caller's own language model, possibly with a spending limit; None for the model that the recipe names.
    """

    recipe: Recipe
    embedder: Encoder | None = None
    cache: EmbeddingCache | None = None
    language_model: AnyLanguageModel | None = None

    @classmethod
    def of(
        cls,
        recipe: RecipeOrSource,
        embedder: Encoder | None = None,
        cache: EmbeddingCache | None = None,
        language_model: AnyLanguageModel | None = None,
    ) -> "Cutter":
        """Return a cutter for a recipe given by a result, its JSON, a mapping or a file path.

        Raises the same errors as `recipe_of`.
        """
        return cls(recipe_of(recipe), embedder, cache, language_model)

    def __call__(self, text: str, name: str = "text") -> Chunking:
        """Cut a text; raises InputError as `chunkers.Recipe.run` does."""
        return self.recipe.run(text, name, self.cache, embedder=self.embedder, language_model=self.language_model)


def missing_library_error(integration_name: str, module: str, requirement: str, error: ImportError) -> ImportError:
    """Return an ImportError that names the missing library of an integration and the command to install it."""
    return ImportError(str(failed_import_error(module, integration_name, requirement, error)))
