"""Settings of a question on Compare, kept in the link: the ranking method, and the amount retrieved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunkers.support.errors import shown
from evaluation.asking.ask import Limit, fitting_budget
from evaluation.asking.effect import Search
from evaluation.search.ranking import Method
from viz.compare.session import session
from viz.components.reader.payload import AskingData
from viz.shell.page import Page
from viz.state.choices import Choices
from viz.state.compared import ASK_LIMIT, ASK_METHOD

RANKED_BY: Mapping[Method, str] = {"embedding": "by embedding", "bm25": "by words (BM25)", "hybrid": "by both (hybrid)"}
"""The ways to rank chunks, with their names on the page."""

LIMITS: Mapping[str, tuple[str, Limit]] = {
    **{str(tokens): (f"{tokens:,} tokens", Limit(tokens=tokens)) for tokens in (50, 100, 250, 500, 1000, 2000, 4000)},
    **{f"top{count}": ("best chunk" if count == 1 else f"top {count}", Limit(top=count)) for count in (1, 3, 5, 10)},
}
"""Limits on retrieval: the word in the link, the label on the page, and the limit."""

FITTING = "fitting"
"""The word for one of them that suits the text."""


def limits(characters: int) -> dict[str, tuple[str, Limit]]:
    """Return the limits to choose from for a text of so many characters, with the one that suits it."""
    tokens = fitting_budget(characters)
    return {FITTING: (f"auto: {tokens:,} tokens", Limit(tokens=tokens)), **LIMITS}


def check(here: Page) -> None:
    """Report invalid link parameters and replace them with the defaults."""
    for name, allowed in ((ASK_METHOD, [*RANKED_BY]), (ASK_LIMIT, [FITTING, *LIMITS])):
        word = here.choices.extra.get(name, "")
        if word not in allowed:
            here.choices.extra[name] = here.default.extra[name]
            here.complain(f"The link's {name} must be one of {', '.join(allowed)}; got {shown(word)}. Using the default.")


def take(choices: Choices, event: Mapping[str, Any]) -> None:
    """Apply the user's settings for the question."""
    for name, allowed in ((ASK_METHOD, [*RANKED_BY]), (ASK_LIMIT, [FITTING, *LIMITS])):
        if event.get(name) in allowed:
            choices.extra[name] = str(event[name])


def method_of(choices: Choices) -> Method:
    """Return the ranking method."""
    return next(method for method in RANKED_BY if method == choices.extra[ASK_METHOD])


def limit_of(choices: Choices, characters: int) -> tuple[str, Limit]:
    """Return the limit on retrieval for a text of so many characters, with its name."""
    return limits(characters)[choices.extra[ASK_LIMIT]]


def search_of(choices: Choices, characters: int) -> Search:
    """Return the settings of a search in a text of so many characters."""
    return Search(method_of(choices), limit_of(choices, characters)[1], session.embedded_as, session.reranker)


def asking_data(choices: Choices, characters: int) -> AskingData:
    """Return the reader's data for asking a text of so many characters."""
    return {
        "question": session.question,
        "methods": list(RANKED_BY.items()),
        "method": choices.extra[ASK_METHOD],
        "limits": [(word, name) for word, (name, _) in limits(characters).items()],
        "limit": choices.extra[ASK_LIMIT],
    }
