"""Compare's columns folded into one text whose gaps the user clicks, to set known boundaries or a column's cuts."""

from __future__ import annotations

import streamlit as st

from chunkers import InputError
from viz.components.gaps.gaps import Marking
from viz.components.mounting import take_event
from viz.components.reader.reader import take_clicks
from viz.state.choices import MOST_COLUMNS, OWN, Choices
from viz.state.keys import session
from viz.state.known_boundaries import set_clicked
from viz.state.own_cuts import cuts_of, place_for_cuts, set_cuts
from viz.state.text import Text


def take_marking(choices: Choices, text: Text, reader_key: str) -> str:
    """Apply the user's clicks on gaps, and fold or unfold the columns; return an error message, or an empty string."""
    changes, fold = take_clicks(reader_key, text.document), take_event(reader_key, "fold")
    if fold is not None:
        session.folded = (text.document.identity, str(fold["purpose"]))
    if not changes or offers(choices).get(changes[-1].purpose) != "":
        return ""
    if changes[-1].purpose == "cuts":
        try:
            set_cuts(choices, text.document, changes[-1].places or ())
        except InputError as error:
            return str(error)
    elif set_clicked(text.document, [change.places for change in changes]):
        # The row at the top, already drawn, passes the boundaries to the browser tab, which stores them.
        st.rerun()
    return ""


def marking_of(choices: Choices, text: Text) -> Marking | None:
    """Return the gaps that the user can click while the columns are folded; None if the columns are not folded."""
    identity, purpose = session.folded
    if identity != text.document.identity or offers(choices).get(purpose) != "":
        return None
    if purpose == "cuts":
        return Marking("cuts", True, cuts_of(choices, text.document))
    return Marking("marks", True, text.source.known or ())


def offers(choices: Choices) -> dict[str, str]:
    """Return each purpose for which the columns can fold into one text, with the reason if the purpose is unavailable.

    The known boundaries of a bundled text cannot be changed.
    """
    full = f"Compare already has {MOST_COLUMNS} columns, the maximum; remove one first." * (place_for_cuts(choices) is None)
    return {**({"marks": ""} if choices.document == OWN else {}), "cuts": full}
