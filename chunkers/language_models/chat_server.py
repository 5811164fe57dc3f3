"""A language model on any OpenAI-compatible server, through the ``openai`` package, and the servers of this machine."""

import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import ProxyHandler, build_opener

from chunkers.language_models.asking_until_usable import repeated_ending
from chunkers.language_models.base import UNRESTRICTED_ANSWER_SHAPE, AnswerEnding, AnswerShape, LanguageModel, Message, Reply
from chunkers.network.connection import EVENT_STREAM_TYPE, OPENAI_ADDRESS, AnswerTooLarge, Attempts, Connection
from chunkers.support import ModelError, ModelName

if TYPE_CHECKING:
    import openai


REQUEST_TIMEOUT_SECONDS = 120
"""Seconds of silence that a request may take: a model on a server's processor thinks as long about a window of text."""

ANSWER_DEADLINE_SECONDS = 300
"""Seconds that an answer may take in all, retries and what the server asks to wait included."""

MAX_ANSWER_BYTES = 4_000_000
"""Maximum number of bytes of an answer: a thousand times what is asked for."""

MOST_STREAMED_TOKENS = 8_000
"""Maximum tokens of an answer that is requested piece by piece, as a piece may take 500 bytes of `MAX_ANSWER_BYTES`."""

LOCAL_TIMEOUT, LOCAL_DEADLINE = 900, 3_600
"""The same for a server of this machine: on a processor, several questions at a time, an answer may take many minutes."""

TEMPERATURE = 0
"""Sampling temperature; 0 makes answers as repeatable as the server allows."""

_JSON_STRING_PATTERN = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)

MAX_ANSWER_BRACKETS = 100_000
"""Maximum number of lists and objects in an answer, not counting its words. An empty one takes 50 times its characters in
memory, so they are counted before parsing.
"""

_MOST_REPORTED_TOKENS = 1_000_000_000
"""Maximum number of tokens that a server may report for a request; larger numbers count as not reported."""

_LONE_SURROGATE_PATTERN = re.compile("[\ud800-\udfff]")

_TOKEN_LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
"""Parameter names for the maximum tokens of an answer: the one that most servers know, then OpenAI's newer one."""


_INVALID_SETTING_STATUSES = (400, 422)
"""Statuses with which servers refuse a setting that they do not know."""


class SchemaRefused(ModelError):
    """Error raised when a server refuses a request with a JSON schema as invalid."""


class ChatServer(LanguageModel):
    """A language model on an OpenAI-compatible server; every conversation is sent to the server.

    Parameters
    ----------
    name
        ``openai:`` and the model's name on the server, as a string or a `ModelName`.
    address
        Base address, up to and including ``/v1``; empty for OPENAI_BASE_URL or, if that is not set, OpenAI's own
        address.
    key
        API key; empty for OPENAI_API_KEY, which is used only if ``address`` is empty.

    Raises
    ------
    InputError
        If no model is named.
    """

    packages = ("openai",)
    settings = f"temperature {TEMPERATURE}"
    takes_shape = True

    def __init__(self, name: ModelName | str, address: str = "", key: str = "") -> None:
        self.name = str(name)
        self._model = ModelName.parse(self.name).name_at_required_provider(
            "openai", "The language model", "a model on the server"
        )
        self._connection = Connection(self.name, address, key)
        self.revision = self._connection.identity
        # Settings that the server has said it does not know.
        self._unknown_settings: frozenset[str] = frozenset()

    @property
    def host(self) -> str:
        """The server's host. Raises ModelError, without repeating the address, if the address is invalid."""
        return self._connection.host

    @property
    def destination(self) -> str:
        """Host that receives the conversation, and the proxy, if any. Raises ModelError if the address is invalid."""
        return self._connection.host_and_proxy_phrase

    def prepare_for_first_request(self) -> None:
        """Create the API client without sending a request.

        Raises
        ------
        ModelError
            If the address is invalid, or is OpenAI's own and there is no key.
        """
        self._connection.client(self._timeout_seconds)

    def price_of_tokens(self, tokens_in: int, tokens_out: int) -> Decimal | None:
        """Return the price of input and output tokens at this server in US dollars; None if the price is unknown.

        Prices are from the table that comes with ``genai-prices``, which is never updated over the network; it has none
        for a user's own server.
        """
        # Imported late: the table takes a while to load, and most never ask a model.
        from genai_prices import Usage, calc_price

        token_usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        try:
            return calc_price(token_usage, self._model, provider_api_url=self._connection.address).total_price
        except (LookupError, ValueError):
            return None

    def reply(  # type: ignore[override]  # who does not shape the answer need not say so
        self,
        messages: Sequence[Message],
        most_tokens: int,
        attempt_counter: Attempts,
        shape: AnswerShape = UNRESTRICTED_ANSWER_SHAPE,
    ) -> Reply:
        """Send the conversation and return the model's answer; see `LanguageModel.reply`.

        Raises
        ------
        SchemaRefused
            If the server refuses a request with a schema as invalid.
        ModelError
            If the server cannot be reached, refuses the request, takes too long, or returns anything but a text answer.
        Cancelled
            If the user stops meanwhile.
        """
        self.prepare_for_first_request()
        return self._connection.run_with_deadline(
            lambda: self._request_reply(messages, most_tokens, shape),
            self._deadline_seconds,
            MAX_ANSWER_BYTES,
            attempt_counter,
            lambda body: (
                self._parsed_answer_fits_in_memory(body)
                and is_stream_repeating(body, self._connection.client(self._timeout_seconds))
            ),
        )

    @property
    def _timeout_seconds(self) -> int:
        return LOCAL_TIMEOUT if self._connection.is_on_this_machine else REQUEST_TIMEOUT_SECONDS

    @property
    def _deadline_seconds(self) -> int:
        return LOCAL_DEADLINE if self._connection.is_on_this_machine else ANSWER_DEADLINE_SECONDS

    def _request_reply(self, messages: Sequence[Message], most_tokens: int, answer_shape: AnswerShape) -> Reply:
        import openai

        client, request_settings = (
            self._connection.client(self._timeout_seconds),
            self._accepted_request_settings(most_tokens, answer_shape),
        )
        # Not as the package's own setting, so that it asks again if the connection is lost in the middle.
        stream_settings = {name: request_settings.pop(name) for name in STREAM_SETTINGS if name in request_settings}
        try:
            raw_server_response = client.chat.completions.with_raw_response.create(
                model=self._model,
                messages=[{"role": role, "content": text} for role, text in messages],  # type: ignore[misc]
                **request_settings,
                **self._response_format(answer_shape),
                extra_body=stream_settings or None,
            )
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if stream_settings and b"stream" in error.response.content:
                self._unknown_settings |= {*STREAM_SETTINGS}
                return self._request_reply(messages, most_tokens, answer_shape)
            # A model that thinks first takes no temperature, and counts its tokens under another name.
            # Another thread may have been told so already.
            refused_setting_names = frozenset(name for name in request_settings if name == error.param)
            if refused_setting_names and not self._unknown_settings | refused_setting_names >= {*_TOKEN_LIMIT_NAMES}:
                self._unknown_settings |= refused_setting_names
                return self._request_reply(messages, most_tokens, answer_shape)
            raise self._model_error(error, answer_shape) from None
        except (openai.APIStatusError, openai.APIConnectionError) as error:
            raise self._model_error(error, answer_shape) from None
        except AnswerTooLarge:
            raise self._connection.unusable_answer_error(
                f"The answer must be uncompressed, with at most {MAX_ANSWER_BYTES // 1_000_000} MB; it is compressed or "
                "larger."
            ) from None
        if not raw_server_response.headers.get("content-type", "").startswith(EVENT_STREAM_TYPE):
            return self._reply_from_answer(self._parse_answer_or_stream(raw_server_response.content))
        server_reply = self._reply_from_answer(self._parse_answer_or_stream(raw_server_response.content, client))
        if server_reply.tokens_out is None and server_reply.ended == "whole":
            # It may count the tokens of answers that it sends in one piece.
            self._unknown_settings |= {*STREAM_SETTINGS}
        return server_reply

    @staticmethod
    def _parsed_answer_fits_in_memory(body: bytes) -> bool:
        """Return whether an answer fits into memory once it is parsed."""
        body_without_strings = _JSON_STRING_PATTERN.sub(b"", body)
        return body_without_strings.count(b"[") + body_without_strings.count(b"{") <= MAX_ANSWER_BRACKETS

    def _parse_answer_or_stream(self, body: bytes, stream_client: "openai.OpenAI | None" = None) -> Any:
        """Parse an answer, or the stream of events that a client has read, if it fits into memory."""
        import openai

        if not self._parsed_answer_fits_in_memory(body):
            raise self._connection.unusable_answer_error(
                f"The answer may contain at most {MAX_ANSWER_BRACKETS:,} lists and objects; it contains more."
            )
        try:
            return json.loads(body) if stream_client is None else rebuild_answer_object_from_stream(body, stream_client)
        except openai.APIError:
            raise self._connection.unusable_answer_error(
                "The answer must arrive to its end; the server reports an error in the middle."
            ) from None
        except (ValueError, RecursionError):
            raise self._connection.unusable_answer_error(
                "The answer must be valid JSON that is not nested too deeply; it cannot be parsed."
            ) from None

    def _model_error(self, client_error: Any, answer_shape: AnswerShape) -> ModelError:
        """Return the error to raise from None."""
        request_failure_error = self._connection.failed_request_error(client_error, self._timeout_seconds)
        is_request_invalid = getattr(client_error, "status_code", None) in _INVALID_SETTING_STATUSES
        return (
            SchemaRefused(str(request_failure_error))
            if answer_shape.schema and is_request_invalid
            else request_failure_error
        )

    def _response_format(self, answer_shape: AnswerShape) -> dict[str, Any]:
        """Return the setting that asks for a schema."""
        if not answer_shape.schema:
            return {}
        answer_json_schema = json.loads(answer_shape.schema)
        if answer_shape.dialect == "json_object":
            return {"response_format": {"type": "json_object", "schema": answer_json_schema}}
        if self._connection.address == OPENAI_ADDRESS:
            answer_json_schema = _schema_without_lengths(answer_json_schema)
        return {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": answer_json_schema},
            }
        }

    def _accepted_request_settings(self, most_tokens: int, answer_shape: AnswerShape) -> dict[str, Any]:
        """Return the settings that the server accepts, as far as known; the maximum of tokens has one of two names."""
        is_openai_address = self._connection.address == OPENAI_ADDRESS
        token_limit_setting_name = next(
            setting_name
            for setting_name in (_TOKEN_LIMIT_NAMES[::-1] if is_openai_address else _TOKEN_LIMIT_NAMES)
            if setting_name not in self._unknown_settings
        )
        request_settings: dict[str, Any] = {token_limit_setting_name: most_tokens, "temperature": TEMPERATURE}
        request_settings |= {"stop": [*answer_shape.stop]} if answer_shape.stop else {}
        # An answer with a schema comes to an end by itself, and OpenAI's own models do not repeat themselves.
        request_settings |= (
            STREAM_SETTINGS if not (answer_shape.schema or is_openai_address) and most_tokens <= MOST_STREAMED_TOKENS else {}
        )
        return {
            setting_name: value
            for setting_name, value in request_settings.items()
            if setting_name not in self._unknown_settings
        }

    def _reply_from_answer(self, answer: Any) -> Reply:
        """Convert an answer of the server to a reply."""
        answer_choices = json_field_or_none(answer, "choices")
        if not isinstance(answer_choices, list) or not answer_choices:
            raise self._connection.unusable_answer_error(
                "The answer must contain the list 'choices', with at least one choice; it contains none."
            )
        message = json_field_or_none(answer_choices[0], "message")
        answer_text, refusal_text = json_field_or_none(message, "content"), json_field_or_none(message, "refusal")
        reply_finish_reason = json_field_or_none(answer_choices[0], "finish_reason")
        answer_ending_kind: AnswerEnding = "whole"
        if reply_finish_reason == "content_filter" or (isinstance(refusal_text, str) and refusal_text):
            answer_ending_kind = "refused"
        elif reply_finish_reason in ("length", REPETITION_REASON):
            answer_ending_kind = "cut"
        if not isinstance(answer_text, str):
            if answer_text is not None or answer_ending_kind == "whole":
                raise self._connection.unusable_answer_error(
                    "The answer's message must have a string as its content; it has none."
                )
            answer_text = ""
        token_usage_fields = json_field_or_none(answer, "usage")
        input_token_count, output_token_count = (
            _token_count_if_plausible(json_field_or_none(token_usage_fields, name))
            for name in ("prompt_tokens", "completion_tokens")
        )
        # An escape of JSON may bring half of a character, which can be neither sent nor written.
        answer_text = _LONE_SURROGATE_PATTERN.sub("\N{REPLACEMENT CHARACTER}", answer_text)
        return Reply(self._connection.mask_key(answer_text), input_token_count, output_token_count, answer_ending_kind)


def _schema_without_lengths(schema: Any) -> Any:
    """Return a schema without bounds of characters, which OpenAI's own server refuses."""
    if isinstance(schema, dict):
        return {
            name: _schema_without_lengths(part) for name, part in schema.items() if name not in ("minLength", "maxLength")
        }
    return [*map(_schema_without_lengths, schema)] if isinstance(schema, list) else schema


def _token_count_if_plausible(reported_value: object) -> int | None:
    """Return a number of tokens; None if no request can take that many."""
    return (
        reported_value
        if isinstance(reported_value, int)
        and not isinstance(reported_value, bool)
        and 0 <= reported_value <= _MOST_REPORTED_TOKENS
        else None
    )


# Answers that a server sends piece by piece, as server-sent events.

STREAM_SETTINGS = {"stream": True, "stream_options": {"include_usage": True}}
"""Settings that ask for an answer piece by piece, with the numbers of tokens in the last piece."""


REPETITION_REASON = "repetition"
"""Why an answer ended that stopped in the middle of a repetition, as no server says it."""


def json_field_or_none(value: object, name: str) -> Any:
    """Return a field of a JSON object; None for another value, or without the field."""
    return value.get(name) if isinstance(value, dict) else None


def rebuild_answer_object_from_stream(body: bytes, client: "openai.OpenAI") -> dict[str, Any]:
    """Return a stream of events, which may be unfinished, as the answer that a server sends in one piece.

    Raises
    ------
    openai.APIError
        If an event reports an error.
    ValueError, RecursionError
        If an event cannot be parsed.
    """
    import httpx2
    import openai

    whole_lines = body[: body.rfind(b"\n") + 1]
    whole_lines_response = httpx2.Response(200, content=whole_lines, request=httpx2.Request("POST", client.base_url))
    content_pieces: list[Any] = []
    last_refusal_text = token_usage_fields = stream_finish_reason = None
    last_event_choices: list[Any] = []
    for stream_event in openai.Stream(cast_to=object, response=whole_lines_response, client=client):
        token_usage_fields = json_field_or_none(stream_event, "usage") or token_usage_fields
        event_choices = json_field_or_none(stream_event, "choices")
        # The last event has the numbers of tokens, and no choice.
        if not isinstance(event_choices, list) or not event_choices:
            continue
        last_event_choices, message_delta = event_choices, json_field_or_none(event_choices[0], "delta")
        stream_finish_reason = json_field_or_none(last_event_choices[0], "finish_reason") or stream_finish_reason
        last_refusal_text = json_field_or_none(message_delta, "refusal") or last_refusal_text
        content_pieces += [] if json_field_or_none(message_delta, "content") is None else [message_delta["content"]]
    # An empty answer has no piece with content.
    joined_answer_text: Any = content_pieces or (None if stream_finish_reason is None or last_refusal_text else "")
    if content_pieces and all(isinstance(piece, str) for piece in content_pieces):
        joined_answer_text = "".join(content_pieces)
        if stream_finish_reason is None and repeated_ending(joined_answer_text, is_answer_unfinished=True):
            stream_finish_reason = REPETITION_REASON
    joined_message = {"content": joined_answer_text, "refusal": last_refusal_text}
    return {
        "choices": [{"message": joined_message, "finish_reason": stream_finish_reason}] if last_event_choices else [],
        "usage": token_usage_fields,
    }


def is_stream_repeating(body: bytes, client: "openai.OpenAI") -> bool:
    """Return whether an unfinished stream of events has come to repeat itself."""
    import openai

    try:
        rebuilt_answer_choices = rebuild_answer_object_from_stream(body, client)["choices"]
    except (openai.APIError, ValueError, RecursionError):
        return False
    return any(choice["finish_reason"] == REPETITION_REASON for choice in rebuilt_answer_choices)


# Servers of language models on the usual ports of this machine.

USUAL_LOCAL_SERVER_PORTS = (8080, 11434, 8000, 1234)
"""Ports on which llama.cpp, Ollama, vLLM and LM Studio listen unless they are told otherwise."""

_LOCAL_SERVER_TIMEOUT_SECONDS = 2.0
_MOST_MODEL_LIST_BYTES = 1_000_000
_MAX_MODEL_NAME_CHARACTERS = 300


class LocalServer(NamedTuple):
    """A language-model server on this machine: its address up to and including ``/v1``, and its models' names."""

    address: str
    models: tuple[str, ...]


def find_local_servers(ports: Sequence[int] = USUAL_LOCAL_SERVER_PORTS) -> list[LocalServer]:
    """Return the servers of this machine that list models at ``/v1/models``, in the order of their ports."""
    with ThreadPoolExecutor(len(ports)) as thread_pool:
        return [server for server in thread_pool.map(_local_server_at_port, ports) if server is not None]


def _local_server_at_port(port: int) -> LocalServer | None:
    """Return the server at a port; None if none there lists a model."""
    local_server_address = f"http://127.0.0.1:{port}/v1"
    try:
        # Without the environment's proxy, to which this address is another machine.
        with build_opener(ProxyHandler({})).open(
            f"{local_server_address}/models", timeout=_LOCAL_SERVER_TIMEOUT_SECONDS
        ) as server_response:
            served_model_entries = json.loads(server_response.read(_MOST_MODEL_LIST_BYTES))["data"]
        listed_model_names = [str(model["id"]) for model in served_model_entries]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    printable_model_names = tuple(
        name
        for name in listed_model_names
        if name.strip() and name.isprintable() and len(name) <= _MAX_MODEL_NAME_CHARACTERS
    )
    return LocalServer(local_server_address, printable_model_names) if printable_model_names else None
