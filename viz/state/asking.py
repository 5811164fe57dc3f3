"""Settings of a question on Compare, by their words in the link: the ranking method and the limit on retrieval."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.asking.ask import Limit, fitting_budget
from evaluation.asking.effect import Search
from evaluation.search.ranking import Method
from viz.state.choices import Choices
from viz.state.compared import ASK_LIMIT, ASK_METHOD
from viz.state.keys import session

RANKED_BY: Mapping[Method, str] = {"embedding": "by embedding", "bm25": "by words (BM25)", "hybrid": "by both (hybrid)"}
"""The ranking methods, with their names on the page."""

LIMITS: Mapping[str, tuple[str, Limit]] = {
    **{str(tokens): (f"{tokens:,} tokens", Limit(tokens=tokens)) for tokens in (50, 100, 250, 500, 1000, 2000, 4000)},
    **{f"top{count}": ("best chunk" if count == 1 else f"top {count}", Limit(top=count)) for count in (1, 3, 5, 10)},
}
"""Limits on retrieval: the word in the link, the label on the page, and the limit."""

FITTING = "fitting"
"""The word for the limit that suits the length of the text."""


def limits(characters: int) -> dict[str, tuple[str, Limit]]:
    """Return the retrieval limits that the user can choose from for a text of ``characters`` characters."""
    tokens = fitting_budget(characters)
    return {FITTING: (f"auto: {tokens:,} tokens", Limit(tokens=tokens)), **LIMITS}


def method_of(choices: Choices) -> Method:
    """Return the ranking method chosen for questions."""
    return next(method for method in RANKED_BY if method == choices.extra[ASK_METHOD])


def limit_of(choices: Choices, characters: int) -> tuple[str, Limit]:
    """Return the label and value of the chosen retrieval limit for a text of ``characters`` characters."""
    return limits(characters)[choices.extra[ASK_LIMIT]]


def search_of(choices: Choices, characters: int) -> Search:
    """Return the search settings for questions about a text of ``characters`` characters."""
    return Search(method_of(choices), limit_of(choices, characters)[1], session.embedded_as, session.reranker)
