"""Boundaries that the user sets: the known boundaries of their own text, with undo, and a column of their own cuts."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from chunkers import Document
from chunkers.methods.your_cuts import YourCuts
from viz.state.choices import MOST_COLUMNS, Choices, ColumnChoice
from viz.state.compare_choices import COMPARE
from viz.state.own_text import is_edit, places_after_edit
from viz.state.session_state import session
from viz.state.undo import last_change, undoable

Known = tuple[int, ...] | None


def boundaries_after_click(document: Document, known: Known, places: Collection[int] | None) -> Known:
    """Return the known boundaries after the user's clicks on gaps between sentences.

    Parameters
    ----------
    known
        The boundaries before the clicks. Those inside sentences stay, since they cannot be clicked.
    places
        The sentence starts before which gaps are set, as offsets in code points; None to remove all boundaries.

    Returns
    -------
    tuple of int, or None
        Ascending offsets in code points; None if there are none.
    """
    if places is None:
        return None
    starts = frozenset(document.starts)
    inside = [place for place in known or () if place not in starts]
    return tuple(sorted({*places, *inside})) or None


def set_known_boundaries(known: Known) -> None:
    """Set the known boundaries of the user's own text; the user can undo the change."""
    assert session.own is not None
    session.marks_before.append(session.own.known)
    _store_known_boundaries(known)


def set_clicked_boundaries(document: Document, changes: Iterable[Collection[int] | None]) -> bool:
    """Set the known boundaries after each of the user's changes, see `boundaries_after_click`; return whether any changed them."""
    assert session.own is not None
    before = session.own.known
    for places in changes:
        known = boundaries_after_click(document, session.own.known, places)
        if known != session.own.known:
            set_known_boundaries(known)
    return session.own.known != before


def undo_known_boundaries() -> None:
    """Undo the last change of the known boundaries."""
    _store_known_boundaries(session.marks_before.pop())


def _store_known_boundaries(known: Known) -> None:
    assert session.own is not None
    session.own = replace(session.own, known=known)
    session.marks_complaint = ""


# The user's own cuts, a column of Compare.


def column_for_own_cuts(choices: Choices) -> int | None:
    """Return the index of the column of the user's cuts, or of the next free column; None if Compare is full."""
    count = len(choices.columns)
    number = next((index for index, column in enumerate(choices.columns) if column.chunker == YourCuts.name), count)
    return number if number < MOST_COLUMNS else None


def own_cuts_of(choices: Choices, document: Document) -> tuple[int, ...]:
    """Return the user's cuts of a text as offsets in code points, empty if there are none."""
    for column in choices.columns:
        if column.chunker == YourCuts.name:
            chunker = YourCuts.build(**column.parameters)
            return chunker.places if chunker.is_of(document.identity) else ()
    return ()


def set_own_cuts(choices: Choices, document: Document, places: Sequence[int]) -> None:
    """Show the user's cuts as a column of Compare; one undo reverts all of the user's clicks.

    Raises
    ------
    ParameterError
        If there are more than `chunkers.methods.your_cuts.MOST_CUTS`.
    """
    chunker = YourCuts.of(document.identity, places)
    number = column_for_own_cuts(choices)
    if number is None:
        return
    label = f"Column {number + 1} shows your cuts"
    last = last_change(COMPARE)
    with undoable(COMPARE, label):
        choices.columns[number : number + 1] = [ColumnChoice(YourCuts.name, {"cuts": chunker.cuts})]
        choices.selected = number
    if last is not None and last.said == label and session.undo is not None:
        session.undo = replace(session.undo, before=last.before, selected=last.selected)


def move_own_cuts(before: str, text: str) -> None:
    """Shift the user's cuts in all columns to match an edit of their text."""
    if before == text or not is_edit(before, text):
        return
    old, new = Document.identity_of(before, ""), Document.identity_of(text, "")
    for choices in session.choices.values():
        for column in choices.columns:
            if column.chunker == YourCuts.name:
                chunker = YourCuts.build(**column.parameters)
                if chunker.is_of(old):
                    column.parameters["cuts"] = YourCuts.of(new, places_after_edit(chunker.places, before, text)).cuts
