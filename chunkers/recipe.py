"""A recipe: all that it takes, besides the text, to get the same chunks again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import metadata
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from chunkers.base import Chunker, run
from chunkers.cache import EmbeddingCache
from chunkers.embedders import Embedder, load_embedder
from chunkers.errors import InputError, shown
from chunkers.registry import chunker_class
from chunkers.result import Chunking
from chunkers.text.document import Document
from chunkers.text.sentences import DEFAULT_SPLITTER, packages_of
from chunkers.text.tokenizers import load_tokenizer
from chunkers.tools import Tools

__version__ = "0.1.0"


class Recipe(BaseModel):
    """A chunker with its parameters, and the splitter, embedder and tokenizer that it ran with.

    ``versions`` records what the recipe was made with; reading one does not require the same.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    recipe: Literal[1] = 1
    chunker: str
    parameters: dict[str, Any] = {}
    sentences: str = DEFAULT_SPLITTER
    embedder: str = "all-MiniLM-L6-v2"
    tokenizer: str = "all-MiniLM-L6-v2"
    versions: dict[str, str] = {}

    @classmethod
    def of(cls, chunker: Chunker, sentences: str, embedder: Embedder | None, tokenizer: str) -> Recipe:
        """Return the recipe of a chunker with what it runs with, versions included."""
        versions = {"seamark": __version__}
        if chunker.embeds and embedder is not None:
            versions |= {embedder.name: embedder.revision} if embedder.revision else {}
            versions |= _installed(*embedder.packages)
        versions |= _installed(*packages_of(sentences))
        versions |= chunker.versions()
        return cls(
            chunker=chunker.name,
            parameters=chunker.model_dump(),
            sentences=sentences,
            embedder=embedder.name if embedder is not None else cls.model_fields["embedder"].default,
            tokenizer=tokenizer,
            versions=versions,
        )

    @classmethod
    def from_json(cls, text: str) -> Recipe:
        """Read a recipe, or the recipe inside an output of the command line.

        Raises
        ------
        InputError
            If it is not JSON or not a recipe; the message names the place.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"recipe: the file must be JSON; {error}.") from error
        if isinstance(data, dict) and isinstance(data.get("recipe"), dict):
            data = data["recipe"]
        try:
            recipe = cls.model_validate(data)
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            place = ".".join(_shown_key(key) for key in detail["loc"]) or "the whole"
            raise InputError(f"recipe: {place} is not as it must be: {detail['msg']}.") from error
        recipe.build()
        return recipe

    def to_json(self) -> str:
        """Return the recipe as indented JSON."""
        return self.model_dump_json(indent=2)

    def build(self) -> Chunker:
        """Make the chunker; raises ParameterError if a parameter breaks its rule."""
        return chunker_class(self.chunker).build(**self.parameters)

    def run(self, text: str, name: str = "text", cache: EmbeddingCache | None = None) -> Chunking:
        """Chunk ``text`` according to the recipe."""
        tools = Tools(load_embedder(self.embedder), load_tokenizer(self.tokenizer), cache or EmbeddingCache())
        return run(self.build(), Document.from_text(text, self.sentences, name), tools)


def build_chunker(name: str, parameters: Mapping[str, Any], embedder: Embedder | None = None) -> Chunker:
    """Make a chunker; parameters left out have the embedder's defaults, or else the declared ones.

    Raises
    ------
    ParameterError
        If there is no such chunker or parameter, or a value breaks its rule.
    """
    defaults = embedder.defaults.get(name, {}) if embedder is not None else {}
    return chunker_class(name).build(**{**defaults, **parameters})


def _shown_key(key: int | str) -> str:
    """Return a key of JSON, which may be any text, for a message: a word as it stands, anything else quoted."""
    said = shown(key)
    return key if isinstance(key, str) and key.isidentifier() and said == repr(key) else said


def _installed(*packages: str) -> dict[str, str]:
    return {package: metadata.version(package) for package in packages}
