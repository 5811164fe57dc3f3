"""Answers that a server sends piece by piece, as server-sent events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chunkers.language_models.conversation import repetition

if TYPE_CHECKING:
    import openai

STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
"""Settings that ask for an answer piece by piece, with the numbers of tokens in the last piece."""


REPEATING = "repetition"
"""Why an answer ended that stopped in the middle of a repetition, as no server says it."""


def field(value: object, name: str) -> Any:
    """Return a field of a JSON object; None for another value, or without the field."""
    return value.get(name) if isinstance(value, dict) else None


def joined(body: bytes, client: openai.OpenAI) -> dict[str, Any]:
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
    response = httpx2.Response(200, content=whole_lines, request=httpx2.Request("POST", client.base_url))
    pieces: list[Any] = []
    refusal = usage = finish = None
    choices: list[Any] = []
    for event in openai.Stream(cast_to=object, response=response, client=client):
        usage = field(event, "usage") or usage
        event_choices = field(event, "choices")
        # The last event has the numbers of tokens, and no choice.
        if not isinstance(event_choices, list) or not event_choices:
            continue
        choices, delta = event_choices, field(event_choices[0], "delta")
        finish = field(choices[0], "finish_reason") or finish
        refusal = field(delta, "refusal") or refusal
        pieces += [] if field(delta, "content") is None else [delta["content"]]
    # An empty answer has no piece with content.
    content: Any = pieces or (None if finish is None or refusal else "")
    if pieces and all(isinstance(piece, str) for piece in pieces):
        content = "".join(pieces)
        if finish is None and repetition(content, unfinished=True):
            finish = REPEATING
    message = {"content": content, "refusal": refusal}
    return {"choices": [{"message": message, "finish_reason": finish}] if choices else [], "usage": usage}


def is_repeating(body: bytes, client: openai.OpenAI) -> bool:
    """Return whether an unfinished stream of events has come to repeat itself."""
    import openai

    try:
        choices = joined(body, client)["choices"]
    except (openai.APIError, ValueError, RecursionError):
        return False
    return any(choice["finish_reason"] == REPEATING for choice in choices)
