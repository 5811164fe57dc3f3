"""The columns of Compare, which other pages and session files read and set."""

from __future__ import annotations

from chunkers.text.tokenizers import at_hand
from sample_docs import sample_splitters
from viz.state.choices import OWN, SHARED, Choices, ColumnChoice, compare_first_screen
from viz.state.keys import session
from viz.state.session_file import SessionFile

COMPARE = "compare"
"""The page's key."""


def default_choices() -> Choices:
    """Return what Compare shows where the link says nothing."""
    return compare_first_screen(*next(iter(sample_splitters().items())))


def compared() -> Choices:
    """Return the choices of Compare, which need not have been opened."""
    if COMPARE not in session.choices:
        session.choices[COMPARE], session.complaints[COMPARE] = default_choices(), []
    return session.choices[COMPARE]


def replace_selected(column: ColumnChoice) -> None:
    """Put a column in place of the one that is selected on Compare."""
    choices = compared()
    choices.columns[choices.selected] = column


def reopen(file: SessionFile, choices: Choices) -> None:
    """Let the choices of the page, and those of Compare, be the file's; the text is not among them."""
    first = file.columns[0].recipe
    choices.document, choices.sentences, choices.embedder = OWN, first.sentences, first.embedder
    if at_hand(first.tokenizer):
        choices.tokenizer = first.tokenizer
    there = compared()
    for shared in SHARED:
        setattr(there, shared, getattr(choices, shared))
    # All parameters, the default ones too: what is the default depends on the embedder.
    there.columns = [ColumnChoice(column.recipe.chunker, dict(column.recipe.parameters)) for column in file.columns]
    there.selected = file.selected
    session.reopened = file
