"""The session's embedder, with the consent it may need, and its language model; their widgets are in `viz.controls`."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from chunkers import EMBEDDER_DESCRIPTIONS, Embedder, InputError, ModelError, load_embedder
from chunkers.embedders import OpenAIServer
from chunkers.language_models import Asking, ChatServer, SpendingLimit
from chunkers.support import ModelName
from chunkers.text import SplitterName
from viz.jobs import disk_answer_cache
from viz.state.choices import Choices
from viz.state.session_state import session


def chosen_embedder(choices: Choices) -> tuple[Embedder | None, str]:
    """Return the chosen embedder, not yet loaded, or None with an error message."""
    if embedder_waits_for_consent(choices):
        return None, "Waiting for you to press “Use this embedder”, above."
    if splitter_waits_for_consent(choices):
        return None, "Waiting for you to press “Use this splitter”, above."
    try:
        embedder_loader = _server_embedder if ModelName.parse(choices.embedder).provider == "openai" else load_embedder
        return embedder_loader(choices.embedder), ""
    except InputError as error:
        return None, str(error)


def chunker_defaults_of_embedder(embedder: Embedder | None, chunker: str) -> Mapping[str, Any]:
    """Return the embedder's own defaults for the parameters of a chunker."""
    return embedder.defaults.get(chunker, {}) if embedder is not None else {}


def embedder_waits_for_consent(choices: Choices) -> bool:
    """Return whether the embedder still needs the user's consent to read, download or send something."""
    return choices.embedder not in EMBEDDER_DESCRIPTIONS and ("embedder", choices.embedder) not in session.given_consents


def embedder_server_host(choices: Choices) -> str:
    """Return the host (and proxy) to which the chosen embedder would send texts; empty if it sends none."""
    try:
        return _server_embedder(choices.embedder).destination
    except InputError:
        return ""


def splitter_waits_for_consent(choices: Choices) -> bool:
    """Return whether the splitter still needs the user's consent to run a package or read a folder."""
    splitter_kind, pipeline_name = SplitterName.parse(choices.sentences)
    return (
        splitter_kind == "spacy"
        and pipeline_name is not None
        and ("sentences", choices.sentences) not in session.given_consents
    )


def _server_embedder(name: str) -> Embedder:
    """Return the embedder of that name on the session's server, recreated only if either changes."""
    name_and_server = name, session.embedding_server
    cached_key_and_embedder = session.server_embedder
    if cached_key_and_embedder is None or cached_key_and_embedder[0] != name_and_server:
        cached_key_and_embedder = session.server_embedder = (
            name_and_server,
            OpenAIServer(name, session.embedding_server.address, session.embedding_server.key),
        )
    return cached_key_and_embedder[1]


# The language model.


def no_model_message(message_beginning: str, where: str = "") -> str:
    """Return the message that a language model is missing.

    Parameters
    ----------
    message_beginning
        The beginning of the message, such as “This chunker needs”.
    where
        The place on the page to name one; empty for the place of the settings.
    """
    return (
        f"{message_beginning} a language model, and none is named yet. Name one {where or session.settings_place}, "
        "under “Language model”: one that runs on this machine (llama.cpp, Ollama, vLLM) or a hosted one. Nothing is sent "
        "before you press “Send”."
    )


CHUNKER_NEEDS_PHRASE = "This chunker needs"


def missing_model_message() -> str:
    """Return the message of a column that needs a language model when none is named."""
    return no_model_message(CHUNKER_NEEDS_PHRASE)


def language_model_name_and_revision(model_access: Asking | None) -> str:
    """Return a language model's identity, which is its name and revision; empty for None."""
    return "" if model_access is None else model_access.model.identity


def _raise_after_unusable_answers(message: str, unusable_answer_count: int) -> None:
    """Stop a job many of whose first answers cannot be used, before more is spent; the next one continues."""
    raise ModelError(f"{message} The answers so far are kept; press “Send” to continue.")


def access_to_chosen_language_model() -> Asking | None:
    """Return access to the session's language model, or None if no model is named.

    Its answers are kept on disk where the user keeps embeddings there.
    """
    language_model_server = session.language_server
    if not language_model_server.model:
        return None
    cached_server_and_access = session.model_access
    if cached_server_and_access is None or cached_server_and_access[0] != language_model_server:
        cached_server_and_access = session.model_access = (
            language_model_server,
            Asking(
                ChatServer(
                    ModelName("openai", language_model_server.model),
                    language_model_server.address,
                    language_model_server.key,
                ),
                session.answers,
                SpendingLimit(
                    language_model_server.token_limit,
                    Decimal(str(language_model_server.dollar_limit)) if language_model_server.dollar_limit else None,
                ),
                _raise_after_unusable_answers,
            ),
        )
    answer_cache = disk_answer_cache() if session.keeps_embeddings_on_disk else session.answers
    if cached_server_and_access[1].id_of_answer_cache != answer_cache.identity:
        cached_server_and_access = session.model_access = (
            language_model_server,
            cached_server_and_access[1].with_answer_cache(answer_cache),
        )
    return cached_server_and_access[1]
