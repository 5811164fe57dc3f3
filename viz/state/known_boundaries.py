"""Known boundaries that the user sets in their own text, with undo."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from chunkers import Document
from viz.state.keys import session

Known = tuple[int, ...] | None


def with_clicked(document: Document, known: Known, places: Collection[int] | None) -> Known:
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


def set_known(known: Known) -> None:
    """Set the known boundaries of the user's own text; the user can undo the change."""
    assert session.own is not None
    session.marks_before.append(session.own.known)
    _put(known)


def set_clicked(document: Document, changes: Iterable[Collection[int] | None]) -> bool:
    """Set the known boundaries after each of the user's changes, see `with_clicked`; return whether any changed them."""
    assert session.own is not None
    before = session.own.known
    for places in changes:
        known = with_clicked(document, session.own.known, places)
        if known != session.own.known:
            set_known(known)
    return session.own.known != before


def undo_known() -> None:
    """Undo the last change of the known boundaries."""
    _put(session.marks_before.pop())


def _put(known: Known) -> None:
    assert session.own is not None
    session.own = replace(session.own, known=known)
    session.marks_complaint = ""
