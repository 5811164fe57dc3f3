"""The session's language model; its widgets are in `viz.controls.language_model`."""

from __future__ import annotations

from decimal import Decimal

from chunkers.language_models.asking import Asking
from chunkers.language_models.server import ChatServer
from chunkers.language_models.spending import Limit
from chunkers.support.errors import ModelError
from viz.jobs.resources import answers_on_disk
from viz.state.keys import session


def none_named(who_needs: str, where: str = "on the left") -> str:
    """Return the message that a language model is missing; ``where`` is the place on the page to name one.

    ``who_needs`` is the beginning of the message, such as “This chunker needs”.
    """
    return (
        f"{who_needs} a language model, and none is named yet. Name one {where}, under “Language model”: one that runs on "
        "this machine (llama.cpp, Ollama, vLLM) or a hosted one. Nothing is sent before you press “Send”."
    )


CHUNKER_NEEDS = "This chunker needs"

MISSING = none_named(CHUNKER_NEEDS)
"""Message of a column that needs a language model when none is named."""


def identity_of(asking: Asking | None) -> str:
    """Return a language model's identity, which is its name and revision; empty for None."""
    return "" if asking is None else f"{asking.model.name} {asking.model.revision}"


def _end_asking(message: str, unusable: int) -> None:
    """Stop a job many of whose first answers cannot be used, before more is spent; the next one continues."""
    raise ModelError(f"{message} The answers so far are kept; press “Send” to continue.")


def chosen_model() -> Asking | None:
    """Return access to the session's language model, or None if no model is named.

    Its answers are kept on disk where the user keeps embeddings there.
    """
    wanted = session.language_server
    if not wanted.model:
        return None
    kept = session.asking
    if kept is None or kept[0] != wanted:
        model = ChatServer(f"openai:{wanted.model}", wanted.address, wanted.key)
        money = Decimal(str(wanted.money)) if wanted.money else None
        kept = session.asking = wanted, Asking(model, session.answers, Limit(wanted.tokens, money), _end_asking)
    answers = answers_on_disk() if session.on_disk else session.answers
    if kept[1].memory != answers.identity:
        kept = session.asking = wanted, kept[1].with_answers(answers)
    return kept[1]
