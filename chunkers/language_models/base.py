"""Base class for language models, and the messages exchanged with them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from chunkers.network.connection import Attempts
from chunkers.support import ModelName

Role = Literal["system", "user", "assistant"]


class Message(NamedTuple):
    """A message in a conversation, with the role of its author."""

    role: Role
    text: str


AnswerEnding = Literal["whole", "cut", "refused"]

SchemaDialect = Literal["json_schema", "json_object"]
"""Type of ``response_format`` with which a server is sent a schema: OpenAI's, or that of llama-cpp-python."""


class AnswerShape(NamedTuple):
    """Constraints on the form of an answer that a server enforces while the model writes.

    Attributes
    ----------
    stop
        Words at which the answer ends.
    schema
        JSON schema of the answer, as text; empty for none.
    dialect
        How the schema is sent.
    """

    stop: tuple[str, ...] = ()
    schema: str = ""
    dialect: SchemaDialect = "json_schema"


UNRESTRICTED_ANSWER_SHAPE = AnswerShape()


class Reply(NamedTuple):
    """A language model's answer, with its token counts.

    Attributes
    ----------
    text
        The answer; empty if the model refused without explanation.
    tokens_in, tokens_out
        Numbers of tokens read and written, as counted by the server; None if the server does not report them.
    ended
        The outcome: complete, cut off for its length, or refused by the model or a filter.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    ended: AnswerEnding = "whole"


class LanguageModel(ABC):
    """Base class for language models, which answer conversations.

    Attributes
    ----------
    name, revision
        Together they identify the model; both are part of cache keys and of recipes.
    settings
        Settings of requests, such as the temperature, in words; also part of cache keys.
    packages
        The installed packages that the model needs; recipes record their versions.
    takes_shape
        True if `reply` takes a ``shape``.
    """

    name: str
    revision: str = ""
    settings: str = ""
    packages: tuple[str, ...] = ()
    takes_shape: bool = False

    @property
    def title(self) -> str:
        """The model's name on its server, without the provider."""
        return ModelName.parse(self.name).name

    @property
    def identity(self) -> str:
        """The model's name and revision."""
        return f"{self.name} {self.revision}"

    @property
    def host(self) -> str:
        """Host to which conversations are sent; empty for a model that runs in this process."""
        return ""

    @property
    def destination(self) -> str:
        """Host that receives the conversation, and the proxy, if any, as shown to the user before anything is sent."""
        return self.host

    def prepare_for_first_request(self) -> None:  # noqa: B027  # nothing needs to be loaded for some
        """Prepare for requests without sending anything. Raise ModelError if preparation fails."""

    @abstractmethod
    def reply(self, messages: Sequence[Message], most_tokens: int, attempt_counter: Attempts, **shape: AnswerShape) -> Reply:
        """Return the model's answer of at most ``most_tokens`` tokens, counting every request in ``attempt_counter``.

        ``shape`` is passed only to models with `takes_shape`.

        Raises
        ------
        ModelError
            If there is no answer.
        Cancelled
            If the user stops meanwhile (`chunkers.network.connection.abandon_requests_once_cancelled`).
        """

    def price_of_tokens(self, tokens_in: int, tokens_out: int) -> Decimal | None:
        """Return the price of the given input and output tokens in US dollars; None if the price is unknown."""
        return None
