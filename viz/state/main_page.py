"""The main page, whose columns session files restore and recipes extend."""

from collections.abc import Callable

from chunkers import InputError, Recipe
from chunkers.text import is_tokenizer_on_disk
from viz.state.choices import (
    CHOICES_SHARED_BY_PAGES,
    MOST_COLUMNS,
    OWN_DOCUMENT_KEY,
    Choices,
    ColumnChoice,
)
from viz.state.chunk_files import add_chunk_file_to_session
from viz.state.session_file import SessionFile
from viz.state.session_state import record_columns_for_undo, session

LABEL_BY_SHARED_SETTING = {"sentences": "splitter", "embedder": "embedder", "tokenizer": "tokenizer"}
"""The recipe settings that all columns share, with their names on the page."""


class MainPage:
    """The page with the session's columns, which stored texts and session files restore and recipes extend.

    The page declares itself when it is imported, which ``app.py`` does.

    Attributes
    ----------
    key, title
        The page's key and its title in the menu.
    default_choices
        Returns the choices that a link leaves out.
    """

    key: str
    title: str
    default_choices: Callable[[], Choices]

    def register_as_main_page(self, key: str, title: str, make_default_choices: Callable[[], Choices]) -> None:
        """Make a page the main page."""
        self.key, self.title, self.default_choices = key, title, make_default_choices

    @property
    def has_been_opened(self) -> bool:
        """True if the session has choices of the page; until then, opening the page reads them from its link."""
        return self.key in session.choices

    def current_choices(self) -> Choices:
        """Return the choices of the page, initialised with the defaults if the page has not been opened yet."""
        if not self.has_been_opened:
            session.choices[self.key], session.complaints[self.key] = self.default_choices(), []
        return session.choices[self.key]


main_page = MainPage()
"""The main page of the app."""


def restore_choices_from_session_file(file: SessionFile, choices: Choices) -> None:
    """Restore the choices of the page and of the main page from a session file, except for the text itself."""
    first_recipe = file.columns[0].recipe
    columns_whose_files_stay = main_page.current_choices().columns
    for column in file.columns:
        if column.file is not None:
            add_chunk_file_to_session(column.file.restored_chunk_file, columns_whose_files_stay)
            columns_whose_files_stay = [
                *columns_whose_files_stay,
                ColumnChoice(column.recipe.chunker, column.recipe.settings()),
            ]
    choices.document, choices.sentences, choices.embedder = OWN_DOCUMENT_KEY, first_recipe.sentences, first_recipe.embedder
    session.embedded_as = first_recipe.embedded_as
    if is_tokenizer_on_disk(first_recipe.tokenizer):
        choices.tokenizer = first_recipe.tokenizer
    main_choices = main_page.current_choices()
    for choice_shared_by_pages in CHOICES_SHARED_BY_PAGES:
        setattr(main_choices, choice_shared_by_pages, getattr(choices, choice_shared_by_pages))
    with record_columns_for_undo(main_page.key, "Columns replaced by those of the file"):
        # All parameters, including those at their defaults, because defaults depend on the embedder.
        main_choices.columns = [ColumnChoice(column.recipe.chunker, column.recipe.settings()) for column in file.columns]
        main_choices.selected = file.selected
    session.reopened_session_file = file


def add_column_of_recipe(recipe: Recipe, name: str, choices: Choices) -> None:
    """Add the chunker of a recipe to the main page as a column.

    All columns share the splitter, the embedder and the tokenizer, so these stay; the undo message names those in which the
    recipe differs.

    Raises
    ------
    InputError
        If the page has no room for another column; the message names the file.
    """
    main_choices = main_page.current_choices()
    if len(main_choices.columns) >= MOST_COLUMNS:
        raise InputError(f"{name}: {main_page.title} may have at most {MOST_COLUMNS} columns and is full; remove one first.")
    differing_setting_phrases = [
        f"the {word} {getattr(recipe, field)}, the page {getattr(choices, field)}"
        for field, word in LABEL_BY_SHARED_SETTING.items()
        if getattr(recipe, field) != getattr(choices, field)
    ]
    recipe_page_differences_phrase = (
        f"; the recipe names {'; '.join(differing_setting_phrases)}" if differing_setting_phrases else ""
    )
    if session.document is not None and (version_change_note := recipe.changed_since(len(session.document.sentences))):
        recipe_page_differences_phrase += f". {version_change_note.rstrip('.')}"
    column_phrase = f"column {len(main_choices.columns) + 1} of {main_page.title}"
    with record_columns_for_undo(main_page.key, f"{name} added as {column_phrase}{recipe_page_differences_phrase}"):
        main_choices.columns.append(ColumnChoice(recipe.chunker, recipe.settings()))
        main_choices.selected = len(main_choices.columns) - 1
    session.embedded_as = recipe.embedded_as
