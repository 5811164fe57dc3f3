"""The choices of Compare, which other pages and session files also read and set."""

from __future__ import annotations

from chunkers.text.tokenizers import at_hand
from sample_docs import sample_splitters
from viz.state.choices import OWN, SHARED, Choices, ColumnChoice, compare_first_screen
from viz.state.keys import session
from viz.state.session_file import SessionFile

COMPARE = "compare"
"""The page's key."""


def default_choices() -> Choices:
    """Return the default choices of Compare."""
    return compare_first_screen(*next(iter(sample_splitters().items())))


def compared() -> Choices:
    """Return the choices of Compare, or the defaults if the page has not been opened yet."""
    if COMPARE not in session.choices:
        session.choices[COMPARE], session.complaints[COMPARE] = default_choices(), []
    return session.choices[COMPARE]


def replace_selected(column: ColumnChoice) -> None:
    """Replace the column that is selected on Compare."""
    choices = compared()
    choices.columns[choices.selected] = column


def reopen(file: SessionFile, choices: Choices) -> None:
    """Set the choices of the page and of Compare to those of the file, except for the text itself."""
    first = file.columns[0].recipe
    choices.document, choices.sentences, choices.embedder = OWN, first.sentences, first.embedder
    if at_hand(first.tokenizer):
        choices.tokenizer = first.tokenizer
    compare = compared()
    for shared in SHARED:
        setattr(compare, shared, getattr(choices, shared))
    # All parameters, including those at their defaults, because defaults depend on the embedder.
    compare.columns = [ColumnChoice(column.recipe.chunker, dict(column.recipe.parameters)) for column in file.columns]
    compare.selected = file.selected
    session.reopened = file
