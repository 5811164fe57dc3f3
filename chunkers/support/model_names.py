"""Names of embedders and language models, parsed from the form in which links, recipes and commands write them."""

from typing import Literal, NamedTuple, Self

from chunkers.support.errors import InputError

Provider = Literal["openai", "spacy", "own", ""]
"""Source of a model: an OpenAI-compatible server, an installed spaCy pipeline, or the caller's own object.

It is empty for a bundled model, a folder, or a model on the Hugging Face Hub.
"""


class ModelName(NamedTuple):
    """Name of a model, written as PROVIDER:NAME, or as NAME if the provider is empty.

    Attributes
    ----------
    provider
        Source of the model.
    name
        The model's name at its provider, such as the name that a server expects.
    """

    provider: Provider
    name: str

    @classmethod
    def parse(cls, written_name: str) -> Self:
        """Parse the written form; any string is a name, although there may be no such model."""
        provider, colon, name = written_name.partition(":")
        return (
            cls(provider, name)  # type: ignore[arg-type]  # it is one of them
            if colon and provider in ("openai", "spacy", "own")
            else cls("", written_name)
        )

    @classmethod
    def parse_entered_server_model(cls, entered_name: str) -> Self:
        """Return the name of a server's model as entered by the user, with or without the provider."""
        return cls("openai", entered_name.strip().removeprefix("openai:"))

    @classmethod
    def without_revision(cls, identity: str) -> Self:
        """Parse the name at the beginning of `chunkers.language_models.base.LanguageModel.identity`."""
        return cls.parse(identity.rpartition(" ")[0])

    def __str__(self) -> str:
        """Return the written form."""
        return f"{self.provider}:{self.name}" if self.provider else self.name

    def name_at_required_provider(self, provider: Provider, role: str, model_phrase: str) -> str:
        """Return the name at its provider, which must be the required one.

        Raises InputError, which names the ``role`` and the ``model_phrase``, if the provider is another or the name blank.
        """
        if self.provider != provider or not self.name.strip():
            raise InputError(f"{role} must be {provider}: followed by the name of {model_phrase}; got {str(self)!r}.")
        return self.name
