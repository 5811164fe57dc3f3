"""The choices of Compare and the settings of its question, which other pages and session files also read and change."""

from collections.abc import Collection, Mapping
from typing import Any

from chunkers import InputError, Recipe
from chunkers.text import is_tokenizer_on_disk
from evaluation.asking.question_retrieval import Limit, SearchSettings, fitting_budget
from evaluation.search import SearchMethod
from sample_docs import sample_splitters
from viz.state.choices import (
    MOST_COLUMNS,
    OWN_DOCUMENT,
    SHARED_CHOICES,
    Choices,
    ColumnChoice,
    compare_first_screen,
    effective_parameters,
)
from viz.state.chunk_files import hold_chunk_file
from viz.state.session_file import SessionFile
from viz.state.session_state import session, undoable

COMPARE_PAGE = "compare"
"""The page's key."""

ASK_METHOD, ASK_LIMIT = "ask", "ask_limit"
"""The link parameters for asking a question; the question itself is the user's text and never in a link."""

SHARED_NAMES = {"sentences": "splitter", "embedder": "embedder", "tokenizer": "tokenizer"}
"""The recipe settings that all columns share, with their names on the page."""


def default_choices() -> Choices:
    """Return the default choices of Compare."""
    default_compare_choices = compare_first_screen(*next(iter(sample_splitters().items())))
    default_compare_choices.extra = {ASK_METHOD: "embedding", ASK_LIMIT: "fitting"}
    return default_compare_choices


def ensure_compare_choices() -> Choices:
    """Return the choices of Compare, initialised with the defaults if the page has not been opened yet."""
    if COMPARE_PAGE not in session.choices:
        session.choices[COMPARE_PAGE], session.complaints[COMPARE_PAGE] = default_choices(), []
    return session.choices[COMPARE_PAGE]


def choices_of_compare() -> Choices:
    """Return Compare's choices, or the defaults, without marking the page as opened.

    A link to Compare is only read when the page is first opened.
    """
    return session.choices[COMPARE_PAGE] if COMPARE_PAGE in session.choices else default_choices()


def columns_of_compare() -> list[ColumnChoice]:
    """Return the columns of Compare, without marking the page as opened."""
    return choices_of_compare().columns


def column_of_kind(kinds: Collection[str]) -> tuple[int, ColumnChoice] | None:
    """Return the index and a copy of a Compare column with one of these chunkers, preferably the selected column."""
    current_compare_choices = ensure_compare_choices()
    indexes_to_try = [current_compare_choices.selected, *range(len(current_compare_choices.columns))]
    column_index = next((index for index in indexes_to_try if current_compare_choices.columns[index].chunker in kinds), None)
    return None if column_index is None else (column_index, current_compare_choices.columns[column_index].copy())


def index_on_compare(column: ColumnChoice, defaults: Mapping[str, Any]) -> int | None:
    """Return the index of the first column on Compare with the same values of all parameters, or None.

    ``defaults`` are the embedder's defaults for the column's chunker.
    """
    parameter_values = effective_parameters(column, defaults)
    for index, compare_column in enumerate(columns_of_compare()):
        if compare_column.chunker == column.chunker and effective_parameters(compare_column, defaults) == parameter_values:
            return index
    return None


def compare_is_full() -> bool:
    """Return whether Compare has the maximum number of columns."""
    return len(columns_of_compare()) >= MOST_COLUMNS


def add_to_compare(column: ColumnChoice) -> None:
    """Add a copy of a column to Compare and select it, unless Compare is full; the user can undo the change."""
    current_compare_choices = ensure_compare_choices()
    if compare_is_full():
        return
    with undoable(COMPARE_PAGE, f"Added as column {len(current_compare_choices.columns) + 1} of Compare"):
        current_compare_choices.columns.append(column.copy())
        current_compare_choices.selected = len(current_compare_choices.columns) - 1


def reopen_session(file: SessionFile, choices: Choices) -> None:
    """Restore the choices of the page and of Compare from a session file, except for the text itself."""
    first_recipe = file.columns[0].recipe
    compare_columns_with_reopened = ensure_compare_choices().columns
    for column in file.columns:
        if column.file is not None:
            hold_chunk_file(column.file.file, compare_columns_with_reopened)
            compare_columns_with_reopened = [
                *compare_columns_with_reopened,
                ColumnChoice(column.recipe.chunker, column.recipe.settings()),
            ]
    choices.document, choices.sentences, choices.embedder = OWN_DOCUMENT, first_recipe.sentences, first_recipe.embedder
    session.embedded_as = first_recipe.embedded_as
    if is_tokenizer_on_disk(first_recipe.tokenizer):
        choices.tokenizer = first_recipe.tokenizer
    compare_choices = ensure_compare_choices()
    for shared_choice in SHARED_CHOICES:
        setattr(compare_choices, shared_choice, getattr(choices, shared_choice))
    with undoable(COMPARE_PAGE, "Columns replaced by those of the file"):
        # All parameters, including those at their defaults, because defaults depend on the embedder.
        compare_choices.columns = [ColumnChoice(column.recipe.chunker, column.recipe.settings()) for column in file.columns]
        compare_choices.selected = file.selected
    session.reopened = file


def open_recipe(recipe: Recipe, name: str, choices: Choices) -> None:
    """Add the chunker of a recipe to Compare as a column.

    All columns share the splitter, the embedder and the tokenizer, so these stay; the undo message names those in which the
    recipe differs.

    Raises
    ------
    InputError
        If Compare has no room for another column; the message names the file.
    """
    if compare_is_full():
        raise InputError(f"{name}: Compare may have at most {MOST_COLUMNS} columns and is full; remove one first.")
    compare_choices = ensure_compare_choices()
    differing_setting_phrases = [
        f"the {word} {getattr(recipe, field)}, the page {getattr(choices, field)}"
        for field, word in SHARED_NAMES.items()
        if getattr(recipe, field) != getattr(choices, field)
    ]
    differs_phrase = f"; the recipe names {'; '.join(differing_setting_phrases)}" if differing_setting_phrases else ""
    if session.document is not None and (changed_note := recipe.changed_since(len(session.document.sentences))):
        differs_phrase += f". {changed_note.rstrip('.')}"
    with undoable(COMPARE_PAGE, f"{name} added as column {len(compare_choices.columns) + 1} of Compare{differs_phrase}"):
        compare_choices.columns.append(ColumnChoice(recipe.chunker, recipe.settings()))
        compare_choices.selected = len(compare_choices.columns) - 1
    session.embedded_as = recipe.embedded_as


# The settings of the question, by their words in the link: the ranking method and the limit on retrieval.


RANKED_BY: Mapping[SearchMethod, str] = {
    "embedding": "by embedding",
    "bm25": "by words (BM25)",
    "hybrid": "by both (hybrid)",
}
"""The ranking methods, with their names on the page."""

RETRIEVAL_LIMITS: Mapping[str, tuple[str, Limit]] = {
    **{str(tokens): (f"{tokens:,} tokens", Limit(tokens=tokens)) for tokens in (50, 100, 250, 500, 1000, 2000, 4000)},
    **{f"top{count}": ("best chunk" if count == 1 else f"top {count}", Limit(top=count)) for count in (1, 3, 5, 10)},
}
"""Limits on retrieval: the word in the link, the label on the page, and the limit."""

FITTING_LIMIT = "fitting"
"""The word for the limit that suits the length of the text."""


def retrieval_limits(characters: int) -> dict[str, tuple[str, Limit]]:
    """Return the retrieval limits that the user can choose from for a text of ``characters`` characters."""
    auto_token_limit = fitting_budget(characters)
    return {FITTING_LIMIT: (f"auto: {auto_token_limit:,} tokens", Limit(tokens=auto_token_limit)), **RETRIEVAL_LIMITS}


def ranking_method_of(choices: Choices) -> SearchMethod:
    """Return the ranking method chosen for questions."""
    return next(method for method in RANKED_BY if method == choices.extra[ASK_METHOD])


def retrieval_limit_of(choices: Choices, characters: int) -> tuple[str, Limit]:
    """Return the label and value of the chosen retrieval limit for a text of ``characters`` characters."""
    return retrieval_limits(characters)[choices.extra[ASK_LIMIT]]


def search_settings_of(choices: Choices, characters: int) -> SearchSettings:
    """Return the search settings for questions about a text of ``characters`` characters."""
    return SearchSettings(
        ranking_method_of(choices), retrieval_limit_of(choices, characters)[1], session.embedded_as, session.reranker
    )
