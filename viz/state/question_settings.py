"""The settings of questions about a text, by their words in the link: the ranking method and the limit on retrieval."""

from collections.abc import Mapping

from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import SearchSettings, budget_for_text_length
from evaluation.search import SearchMethod
from viz.state.choices import Choices
from viz.state.session_state import session

ASK_METHOD_PARAMETER, ASK_LIMIT_PARAMETER = "ask", "ask_limit"
"""The link parameters for asking a question; the question itself is the user's text and never in a link."""

RANKING_METHOD_LABELS: Mapping[SearchMethod, str] = {
    "embedding": "by embedding",
    "bm25": "by words (BM25)",
    "hybrid": "by both (hybrid)",
}
"""The ranking methods, with their names on the page."""

RETRIEVAL_LIMITS: Mapping[str, tuple[str, Limit]] = {
    **{str(tokens): (f"{tokens:,} tokens", Limit(budget=tokens)) for tokens in (50, 100, 250, 500, 1000, 2000, 4000)},
    **{f"top{count}": ("best chunk" if count == 1 else f"top {count}", Limit(top=count)) for count in (1, 3, 5, 10)},
}
"""Limits on retrieval: the word in the link, the label on the page, and the limit."""

AUTO_LIMIT_OPTION = "fitting"
"""The word for the limit that suits the length of the text."""


def retrieval_limit_options(character_count: int) -> dict[str, tuple[str, Limit]]:
    """Return the retrieval limits that the user can choose from for a text of ``character_count`` characters."""
    auto_token_limit = budget_for_text_length(character_count)
    return {AUTO_LIMIT_OPTION: (f"auto: {auto_token_limit:,} tokens", Limit(budget=auto_token_limit)), **RETRIEVAL_LIMITS}


def ranking_method_of(choices: Choices) -> SearchMethod:
    """Return the ranking method chosen for questions."""
    return next(method for method in RANKING_METHOD_LABELS if method == choices.extra[ASK_METHOD_PARAMETER])


def retrieval_limit_of(choices: Choices, text_character_count: int) -> tuple[str, Limit]:
    """Return the label and value of the chosen retrieval limit for a text of ``text_character_count`` characters."""
    return retrieval_limit_options(text_character_count)[choices.extra[ASK_LIMIT_PARAMETER]]


def search_settings_of(choices: Choices, character_count: int) -> SearchSettings:
    """Return the search settings for questions about a text of ``character_count`` characters."""
    return SearchSettings(
        ranking_method_of(choices), retrieval_limit_of(choices, character_count)[1], session.embedded_as, session.reranker
    )
