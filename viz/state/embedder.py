"""The session's embedder and the consent it may need; its widgets are in `viz.controls.embedder`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunkers import EMBEDDERS, Embedder, InputError, load_embedder
from chunkers.embedders import OpenAIServer
from viz.state.choices import Choices
from viz.state.keys import session


def chosen_embedder(choices: Choices) -> tuple[Embedder | None, str]:
    """Return the chosen embedder, not yet loaded, or None with an error message."""
    if waits_for_consent(choices):
        return None, "Waiting for you to press “Use this embedder”, above."
    if splitter_waits_for_consent(choices):
        return None, "Waiting for you to press “Use this splitter”, above."
    try:
        on_server = choices.embedder.startswith("openai:")
        return _server_embedder(choices.embedder) if on_server else load_embedder(choices.embedder), ""
    except InputError as error:
        return None, str(error)


def defaults_of(embedder: Embedder | None, chunker: str) -> Mapping[str, Any]:
    """Return the embedder's own defaults for the parameters of a chunker."""
    return embedder.defaults.get(chunker, {}) if embedder is not None else {}


def waits_for_consent(choices: Choices) -> bool:
    """Return whether the embedder still needs the user's consent to read, download or send something."""
    return choices.embedder not in EMBEDDERS and choices.embedder not in session.allowed


def destination_of(choices: Choices) -> str:
    """Return the host (and proxy) to which the chosen embedder would send texts; empty if it sends none."""
    try:
        return _server_embedder(choices.embedder).destination if choices.embedder.startswith("openai:") else ""
    except InputError:
        return ""


def splitter_waits_for_consent(choices: Choices) -> bool:
    """Return whether the splitter still needs the user's consent to run a package or read a folder."""
    return choices.sentences.startswith("spacy:") and choices.sentences not in session.allowed_splitters


def _server_embedder(name: str) -> Embedder:
    """Return the embedder of that name on the session's server, recreated only if either changes."""
    wanted = name, session.server
    kept = session.server_embedder
    if kept is None or kept[0] != wanted:
        kept = wanted, OpenAIServer(name, session.server.address, session.server.key)
        session.server_embedder = kept
    return kept[1]
