"""The user's own cuts, which are a column of Compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chunkers import Document
from chunkers.methods.your_cuts import YourCuts
from viz.state.choices import MOST_COLUMNS, Choices, ColumnChoice
from viz.state.compared import COMPARE
from viz.state.keys import session
from viz.state.own_text import is_edit, moved_places
from viz.state.undo import last_change, undoable


def place_for_cuts(choices: Choices) -> int | None:
    """Return the index of the column of the user's cuts, or of the next free column; None if Compare is full."""
    count = len(choices.columns)
    number = next((index for index, column in enumerate(choices.columns) if column.chunker == YourCuts.name), count)
    return number if number < MOST_COLUMNS else None


def cuts_of(choices: Choices, document: Document) -> tuple[int, ...]:
    """Return the user's cuts of a text as offsets in code points, empty if there are none."""
    for column in choices.columns:
        if column.chunker == YourCuts.name:
            chunker = YourCuts.build(**column.parameters)
            return chunker.places if chunker.is_of(document.identity) else ()
    return ()


def set_cuts(choices: Choices, document: Document, places: Sequence[int]) -> None:
    """Show the user's cuts as a column of Compare; one undo reverts all of the user's clicks.

    Raises
    ------
    ParameterError
        If there are more than `chunkers.methods.your_cuts.MOST_CUTS`.
    """
    chunker = YourCuts.of(document.identity, places)
    number = place_for_cuts(choices)
    if number is None:
        return
    label = f"Column {number + 1} shows your cuts"
    last = last_change(COMPARE)
    with undoable(COMPARE, label):
        choices.columns[number : number + 1] = [ColumnChoice(YourCuts.name, {"cuts": chunker.cuts})]
        choices.selected = number
    if last is not None and last.said == label and session.undo is not None:
        session.undo = replace(session.undo, before=last.before, selected=last.selected)


def move_cuts(before: str, text: str) -> None:
    """Shift the user's cuts in all columns to match an edit of their text."""
    if before == text or not is_edit(before, text):
        return
    old, new = Document.identity_of(before, ""), Document.identity_of(text, "")
    for choices in session.choices.values():
        for column in choices.columns:
            if column.chunker == YourCuts.name:
                chunker = YourCuts.build(**column.parameters)
                if chunker.is_of(old):
                    column.parameters["cuts"] = YourCuts.of(new, moved_places(chunker.places, before, text)).cuts
