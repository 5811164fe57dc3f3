"""Which embedder the session uses; widgets ask for it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunkers import EMBEDDERS, Embedder, InputError, load_embedder
from chunkers.embedders import OpenAIServer
from viz.state.choices import Choices
from viz.state.keys import session


def chosen_embedder(choices: Choices) -> tuple[Embedder | None, str]:
    """Return the embedder, not loaded yet; or None and a sentence that says what it waits for or what is wrong."""
    if waits_for_consent(choices):
        return None, "Waits for “Use it”, above."
    try:
        on_server = choices.embedder.startswith("openai:")
        return _server_embedder(choices.embedder) if on_server else load_embedder(choices.embedder), ""
    except InputError as error:
        return None, str(error)


def defaults_of(embedder: Embedder | None, chunker: str) -> Mapping[str, Any]:
    """Return the parameters of a chunker that suit the embedder."""
    return embedder.defaults.get(chunker, {}) if embedder is not None else {}


def waits_for_consent(choices: Choices) -> bool:
    """Whether the embedder is one that reads, fetches or sends something and that the user has not allowed yet."""
    return choices.embedder not in EMBEDDERS and choices.embedder not in session.allowed


def _server_embedder(name: str) -> Embedder:
    """Return the session's own embedder of that name and server, the same one while neither changes."""
    wanted = name, session.server
    kept = session.server_embedder
    if kept is None or kept[0] != wanted:
        kept = wanted, OpenAIServer(name, session.server.address, session.server.key)
        session.server_embedder = kept
    return kept[1]
