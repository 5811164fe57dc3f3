"""Which embedder the session uses; widgets ask for it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from chunkers import EMBEDDERS, Embedder, InputError, load_embedder
from chunkers.embedders import OpenAIServer
from viz.state.choices import Choices


@dataclass(frozen=True)
class EmbeddingServer:
    """Where the session's texts may be sent; the key is in the session's memory and nowhere else."""

    address: str = ""
    key: str = field(default="", repr=False)


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
    return choices.embedder not in EMBEDDERS and choices.embedder not in st.session_state.get("allowed", set())


def session_server() -> EmbeddingServer:
    """Return the server that the user typed; an empty one stands for the environment's."""
    server: EmbeddingServer = st.session_state.get("server", EmbeddingServer())
    return server


def _server_embedder(name: str) -> Embedder:
    """Return the session's own embedder of that name and server, the same one while neither changes."""
    wanted = name, session_server()
    kept = st.session_state.get("server_embedder")
    if kept is None or kept[0] != wanted:
        kept = wanted, OpenAIServer(name, wanted[1].address, wanted[1].key)
        st.session_state["server_embedder"] = kept
    embedder: Embedder = kept[1]
    return embedder
