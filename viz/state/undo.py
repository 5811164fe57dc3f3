"""Undo of the last change that removed, added or replaced columns."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from viz.state.choices import ColumnChoice
from viz.state.session_state import session


@dataclass(frozen=True)
class Undo:
    """The last change of a page's columns, with the data needed to undo it.

    Attributes
    ----------
    page
        The key of the page whose columns were changed.
    said
        The change in words, as in ``Column 2 removed``.
    before, selected
        The columns before the change, and the index of the selected one.
    after
        The columns after the change. Once the page's columns differ from these, the change can no longer be undone.
    """

    page: str
    said: str
    before: tuple[ColumnChoice, ...]
    selected: int
    after: tuple[ColumnChoice, ...]


@contextmanager
def undoable(page: str, words: str) -> Iterator[None]:
    """Record the page's columns before the ``with`` block, so that the changes made in the block can be undone.

    Parameters
    ----------
    page
        The page's key.
    words
        The change in words, as in ``Column 2 removed``.
    """
    choices = session.choices[page]
    before, selected = _copies(choices.columns), choices.selected
    yield
    after = _copies(choices.columns)
    # Streamlit may call a callback twice; the second time changes nothing, and must not hide the change.
    if after != before:
        session.undo = Undo(page, words, before, selected, after)


def last_change(page: str) -> Undo | None:
    """Return the last change to the page's columns, or None if no change can be undone.

    A change cannot be undone once something else has changed the columns.
    """
    undo = session.undo
    if undo is None or undo.page != page or page not in session.choices:
        return None
    return undo if _copies(session.choices[page].columns) == undo.after else None


def undo_last(page: str) -> None:
    """Undo the last change to the page's columns, if possible."""
    undo = last_change(page)
    session.undo = None
    if undo is not None:
        choices = session.choices[page]
        choices.columns, choices.selected = list(_copies(undo.before)), undo.selected


def _copies(columns: list[ColumnChoice] | tuple[ColumnChoice, ...]) -> tuple[ColumnChoice, ...]:
    return tuple(column.copy() for column in columns)
