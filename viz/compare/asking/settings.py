"""Settings of a question on Compare, which are part of the link: the ranking method and the amount retrieved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunkers.support.errors import shown
from viz.compare.state.session import session
from viz.components.reader.payload import AskingData
from viz.shell.page import Page
from viz.state.asking import FITTING, LIMITS, RANKED_BY, limits
from viz.state.choices import Choices
from viz.state.compared import ASK_LIMIT, ASK_METHOD


def check(here: Page) -> None:
    """Report invalid link parameters for questions, and replace their values with the defaults."""
    for name, allowed in ((ASK_METHOD, [*RANKED_BY]), (ASK_LIMIT, [FITTING, *LIMITS])):
        word = here.choices.extra.get(name, "")
        if word not in allowed:
            here.choices.extra[name] = here.default.extra[name]
            here.complain(f"The link's {name} must be one of {', '.join(allowed)}; got {shown(word)}. Using the default.")


def take(choices: Choices, event: Mapping[str, Any]) -> None:
    """Apply the ranking method and the retrieval limit that the user chose for the question."""
    for name, allowed in ((ASK_METHOD, [*RANKED_BY]), (ASK_LIMIT, [FITTING, *LIMITS])):
        if event.get(name) in allowed:
            choices.extra[name] = str(event[name])


def asking_data(choices: Choices, characters: int) -> AskingData:
    """Return the payload of the question form, with retrieval limits for a text of ``characters`` characters."""
    return {
        "question": session.question,
        "methods": list(RANKED_BY.items()),
        "method": choices.extra[ASK_METHOD],
        "limits": [(word, name) for word, (name, _) in limits(characters).items()],
        "limit": choices.extra[ASK_LIMIT],
    }
