"""A recipe: everything that is needed, besides the text, to reproduce the same chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import metadata
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, Field, ValidationError

from chunkers.contract import Chunker, Tools, base
from chunkers.embedders import Embedder, Encoder, load_embedder
from chunkers.embedders.base import wrap_encoder_as_embedder
from chunkers.files.json_and_table_files import parse_recipe_json, read_recipe_entry
from chunkers.language_models import Asking, LanguageModel
from chunkers.recipes.chunker_registry import chunker_class
from chunkers.recipes.model_written_context import MISSING_MODEL_MESSAGE, add_context_sentences
from chunkers.results import Chunking, EmbeddedAs, check_embedded_as_option
from chunkers.storage.embedding_cache import SHARED_CACHE, EmbeddingCache
from chunkers.support import InputError, ModelError, ModelName, ParameterError, short_repr
from chunkers.text import (
    DEFAULT_SPLITTER,
    Document,
    GivenSentences,
    load_tokenizer,
    packages_of_splitter,
    run_parser_in_reader_process,
)

AnyLanguageModel: TypeAlias = str | LanguageModel | Asking
"""A name of the form ``openai:NAME``, a language model, or one with a limit of what may be spent."""

__version__ = "0.1.0"

LONGEST_NAME_IN_RECIPE = 1_000
"""Maximum number of characters of a name in a recipe; an embedder's or a splitter's may be a path."""


class Recipe(BaseModel, frozen=True, extra="forbid"):
    """A chunker with its parameters, and the splitter, embedder and tokenizer that it ran with.

    ``versions`` records the versions with which the recipe was made; running the recipe does not require the same
    versions. ``embedded_as`` states which text is embedded when chunks are searched; ``plain`` is the default and is
    left out of the JSON. ``language_model`` names the model that the chunker asks or that writes context sentences:
    ``openai:NAME``, on the server of whoever runs the recipe; it is empty and left out if no model is asked. A recipe
    never contains a key. A parameter that was added after the recipe was made has the value that the chunker used until
    then, which may differ from the default; see `settings`.
    """

    recipe: Literal[1] = 1
    chunker: str = Field(max_length=LONGEST_NAME_IN_RECIPE)
    parameters: dict[str, Any] = {}
    sentences: str = Field(DEFAULT_SPLITTER, max_length=LONGEST_NAME_IN_RECIPE)
    embedder: str = Field("all-MiniLM-L6-v2", max_length=LONGEST_NAME_IN_RECIPE)
    tokenizer: str = Field("all-MiniLM-L6-v2", max_length=LONGEST_NAME_IN_RECIPE)
    versions: dict[str, str] = {}
    embedded_as: EmbeddedAs = Field("plain", exclude_if=lambda embedded_as: embedded_as == "plain")
    language_model: str = Field("", max_length=LONGEST_NAME_IN_RECIPE, exclude_if=lambda model: not model)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Yield the fields for ``repr`` and for file names, which are the same as in the JSON."""
        omitted_defaults = (("embedded_as", "plain"), ("language_model", ""))
        return ((name, value) for name, value in super().__repr_args__() if (name, value) not in omitted_defaults)

    @classmethod
    def of(
        cls,
        chunker: Chunker,
        sentences: str,
        embedder: Encoder | None,
        tokenizer: str,
        embedded_as: EmbeddedAs = "plain",
        language_model: LanguageModel | None = None,
    ) -> Recipe:
        """Return the recipe for a chunker and the services it ran with, including their versions."""
        version_by_package_name = {"seamark": __version__}
        embedder = None if embedder is None else wrap_encoder_as_embedder(embedder)
        queried_language_model = language_model if chunker.asks or embedded_as == "context" else None
        for embedder_or_language_model in (embedder if chunker.embeds else None, queried_language_model):
            if embedder_or_language_model is not None:
                version_by_package_name |= (
                    {embedder_or_language_model.name: embedder_or_language_model.revision}
                    if embedder_or_language_model.revision
                    else {}
                )
                version_by_package_name |= _package_versions(*embedder_or_language_model.packages)
        version_by_package_name |= _package_versions(*packages_of_splitter(sentences))
        version_by_package_name |= chunker.versions()
        return cls(
            chunker=chunker.name,
            parameters=chunker.model_dump(),
            sentences=sentences,
            embedder=embedder.name if embedder is not None else cls.model_fields["embedder"].default,
            tokenizer=tokenizer,
            versions=version_by_package_name,
            embedded_as=embedded_as,
            language_model=queried_language_model.name if queried_language_model is not None else "",
        )

    @classmethod
    def from_json(cls, text: str) -> Recipe:
        """Parse a recipe from a JSON text, which is a recipe or command-line output that contains a recipe.

        Raises
        ------
        InputError
            If the text is not JSON or not a recipe; the message locates the fault.
        """
        if not isinstance(text, str):
            raise InputError(f"recipe: the JSON must be passed as a string; got {short_repr(text)}.")
        return cls.of_value(parse_recipe_json(text, "recipe"))

    @classmethod
    def in_file(cls, data: bytes, name: str = "recipe", cancelled: Callable[[], bool] = bool) -> Recipe:
        """Parse a recipe file, or a file of command-line output that contains a recipe, in a separate process.

        Raises
        ------
        InputError
            If the text is not JSON or not a recipe; the message locates the fault.
        Cancelled
            If ``cancelled``, which is called repeatedly, returns true.
        """
        (recipe_json_value,) = run_parser_in_reader_process(read_recipe_entry, data, name, cancelled)
        return cls.of_value(recipe_json_value)

    @classmethod
    def of_value(cls, value: Any) -> Recipe:
        """Convert a JSON value to a recipe. Raise InputError that locates the fault if the value is invalid."""
        try:
            validated_recipe = cls.model_validate(value)
        except ValidationError as error:
            pydantic_error_detail = error.errors(include_url=False)[0]
            field_path = ".".join(_format_json_key_for_message(key) for key in pydantic_error_detail["loc"]) or "the whole"
            raise InputError(f"recipe: {field_path} {broken_rule_phrase(pydantic_error_detail)}.") from error
        validated_recipe.build()
        return validated_recipe

    def to_json(self) -> str:
        """Return the recipe as indented JSON."""
        return self.model_dump_json(indent=2)

    def settings(self) -> dict[str, Any]:
        """Return all parameters, with values from `Chunker.older` for those added since the recipe was made.

        Raises
        ------
        ParameterError
            If there is no such chunker.
        """
        return {**chunker_class(self.chunker).older, **self.parameters}

    @property
    def is_older(self) -> bool:
        """True if the recipe lacks parameters that were added later. Raises ParameterError if there is no such chunker."""
        return not chunker_class(self.chunker).older.keys() <= self.parameters.keys()

    def changed_since(self, sentences: int | None = None) -> str:
        """Return a sentence on how cuts may have changed since the recipe was made; empty if none can have.

        Parameters
        ----------
        sentences
            Number of sentences of the text; None for texts of any length.

        Raises
        ------
        ParameterError
            If there is no such chunker, or a parameter breaks its rule.
        """
        return self.build().changed_since(sentences) if self.is_older else ""

    def build(self) -> Chunker:
        """Return the recipe's chunker. Raise ParameterError if a parameter breaks its rule."""
        return chunker_class(self.chunker).build(**self.settings())

    def embedder_for(self, chunker: Chunker, device: str = "auto") -> Embedder | None:
        """Return the recipe's embedder, which is loaded later.

        None if it was an object of the caller, which cannot be loaded by its name, and the chunker embeds nothing.
        """
        return (
            load_embedder(self.embedder, device)
            if chunker.embeds or ModelName.parse(self.embedder).provider != "own"
            else None
        )

    def run(
        self,
        text: str,
        name: str = "text",
        cache: EmbeddingCache | None = None,
        *,
        embedder: Encoder | None = None,
        sentences: GivenSentences | None = None,
        language_model: AnyLanguageModel | None = None,
    ) -> Chunking:
        """Cut ``text`` according to the recipe.

        Parameters
        ----------
        text, name
            The text, and its name for messages.
        cache
            Cache of embeddings, instead of `SHARED_CACHE`.
        embedder, sentences
            The caller's own embedder and sentences, which a recipe can only name.
        language_model
            The model to ask, if one is needed, instead of the recipe's model on the server from the environment.

        Raises
        ------
        InputError
            If something that the recipe names is not available, or the text is unusable.
        """
        chunker = self.build()
        used_embedder = self.embedder_for(chunker) if embedder is None else wrap_encoder_as_embedder(embedder)
        language_model_or_name = self.language_model or None if language_model is None else language_model
        model_access = build_model_access_if_needed(chunker, language_model_or_name, self.embedded_as)
        tools = Tools(used_embedder, load_tokenizer(self.tokenizer), _cache_or_shared(cache), asking=model_access)
        document = Document.from_text(text, self.sentences if sentences is None else sentences, name)
        chunking = run_chunker(chunker, document, tools, self.embedded_as)
        cuts_may_differ_note = self.changed_since(len(document.sentences))
        return replace(chunking, notes=(*chunking.notes, cuts_may_differ_note)) if cuts_may_differ_note else chunking


def run_chunker(chunker: Chunker, document: Document, tools: Tools, embedded_as: EmbeddedAs = "plain") -> Chunking:
    """Run a chunker on a document; the result includes its recipe, timings and warnings about unsuitable text.

    If chunks are embedded with a context sentence, a language model is asked for it; raises ModelError without a model.
    """
    if embedded_as == "context" and tools.asking is None:
        raise ModelError(MISSING_MODEL_MESSAGE)
    chunking = base.run_and_time_chunker(chunker, document, tools)
    if embedded_as == "context":
        chunking = add_context_sentences(chunking, tools)
    queried_language_model = tools.asking.model if tools.asking is not None else None
    recipe_of_finished_run = Recipe.of(
        chunker, document.splitter, tools.embedder, tools.tokenizer.name, embedded_as, queried_language_model
    )
    return replace(chunking, made_by=recipe_of_finished_run)


def chunk(
    text: str,
    chunker: str | Chunker = "breakpoint",
    *,
    sentences: str | GivenSentences = DEFAULT_SPLITTER,
    embedder: str | Encoder = "all-MiniLM-L6-v2",
    tokenizer: str = "all-MiniLM-L6-v2",
    cache: EmbeddingCache | None = None,
    embedded_as: EmbeddedAs = "plain",
    language_model: AnyLanguageModel | None = None,
    **parameters: Any,
) -> Chunking:
    """Cut ``text`` into chunks with a chunker given by name or as an object.

    Calls share embeddings: the same embedder embeds each distinct text only once, as long as the bounded `SHARED_CACHE`
    holds the vector. ``SHARED_CACHE.clear()`` removes all vectors; ``cache=EmbeddingCache()`` shares none.

    Parameters
    ----------
    text
        The original text; the chunks' spans are offsets in it, in code points.
    chunker
        A key of `CHUNKERS` or `ADAPTERS`, or a `Chunker` with its parameters.
    sentences
        A key of `SPLITTER_DESCRIPTIONS`, or all sentences in order, as texts or as pairs of code points.
    embedder
        A name from `EMBEDDER_DESCRIPTIONS`, or any object whose ``encode`` takes a list of texts and returns a vector for
        each, as an array, a tensor or lists; see `Encoder`.
    tokenizer
        A key of `TOKENIZER_DESCRIPTIONS`.
    cache
        Cache of embeddings, instead of `SHARED_CACHE`.
    embedded_as
        Text to embed in exported files: the chunk alone, with its headings in front, or with a context sentence that the
        language model writes (`chunkers.recipes.model_written_context`).
    language_model
        The model that chunkers such as `llm` ask and that writes context sentences: ``openai:NAME``, on the server that
        OPENAI_BASE_URL and OPENAI_API_KEY name, to which the text is sent; a
        `chunkers.language_models.base.LanguageModel`; or a
        `chunkers.language_models.requests_within_spending_limit.Asking`, which has a spending limit.
    parameters
        The chunker's parameters; omitted parameters have their defaults.

    Raises
    ------
    InputError
        If an argument is wrong, or the text is not valid Unicode; the message says which and why. `ParameterError` and
        `ModelError` are subclasses.
    """
    loaded_embedder = load_embedder(embedder)
    tools = Tools(loaded_embedder, load_tokenizer(tokenizer), _cache_or_shared(cache))
    if not isinstance(chunker, Chunker):
        chunker = build_chunker(chunker, parameters, loaded_embedder)
    elif parameters:
        raise ParameterError(
            f"{chunker.name}: a chunker object already has its parameters; got {', '.join(parameters)} as well. To set "
            "parameters here, pass the chunker's name instead of the object."
        )
    tools = replace(
        tools, asking=build_model_access_if_needed(chunker, language_model, check_embedded_as_option(embedded_as))
    )
    return run_chunker(chunker, Document.from_text(text, sentences), tools, embedded_as)


def build_model_access_if_needed(
    chunker: Chunker, language_model_or_name: AnyLanguageModel | None, embedded_as: EmbeddedAs = "plain"
) -> Asking | None:
    """Return access to the given language model; None if no model is given or needed.

    Raises
    ------
    InputError
        If ``language_model_or_name`` is not a language model.
    """
    if language_model_or_name is None or not (chunker.asks or embedded_as == "context"):
        return None
    from chunkers.language_models.requests_within_spending_limit import as_language_model_access

    return as_language_model_access(language_model_or_name)


def _cache_or_shared(cache: EmbeddingCache | None) -> EmbeddingCache:
    if not isinstance(cache, EmbeddingCache | None):
        raise InputError(f"cache must be an EmbeddingCache or None; got {short_repr(cache)}.")
    return SHARED_CACHE if cache is None else cache


def build_chunker(name: str, parameters: Mapping[str, Any], embedder: Encoder | None = None) -> Chunker:
    """Return the chunker called ``name``; omitted parameters get the embedder's defaults, or else the declared defaults.

    Raises
    ------
    ParameterError
        If there is no such chunker or parameter, or a value breaks its rule.
    """
    named_chunker_class = chunker_class(name)
    embedder_default_parameters = wrap_encoder_as_embedder(embedder).defaults.get(name, {}) if embedder is not None else {}
    return named_chunker_class.build(**{**embedder_default_parameters, **parameters})


def broken_rule_phrase(pydantic_error_detail: Mapping[str, Any]) -> str:
    """Turn a pydantic error detail into the end of a sentence that starts with the name of the invalid value."""
    if pydantic_error_detail["type"] == "literal_error":
        return (
            f"must be {pydantic_error_detail['ctx']['expected'].replace(' or ', ', ')}; got "
            f"{short_repr(pydantic_error_detail['input'])}"
        )
    return f"is invalid: {pydantic_error_detail['msg']}"


def _format_json_key_for_message(key: int | str) -> str:
    """Return a key of JSON, which may be any text, for a message: a word as it stands, anything else quoted."""
    quoted_json_key = short_repr(key)
    return key if isinstance(key, str) and key.isidentifier() and quoted_json_key == repr(key) else quoted_json_key


_look_up_package_version = lru_cache(maxsize=64)(metadata.version)


def _package_versions(*packages: str) -> dict[str, str]:
    return {package: _look_up_package_version(package) for package in packages}
