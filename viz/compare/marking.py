"""The columns of Compare folded into one text, whose gaps the user clicks to mark known boundaries."""

from __future__ import annotations

import streamlit as st

from viz.components.gaps.gaps import Marking, clicked
from viz.components.reader.reader import take_event
from viz.state.choices import OWN, Choices
from viz.state.keys import session
from viz.state.marks import set_known, with_clicked
from viz.state.text import Text


def take_marking(choices: Choices, text: Text, reader_key: str) -> None:
    """Apply the reader's events: gaps that were set, columns that are to fold or to come back."""
    marks, fold = clicked(take_event(reader_key, "mark"), text.document), take_event(reader_key, "fold")
    if fold is not None:
        session.folded = (text.document.identity, str(fold["purpose"]))
    if marks is None or marks.purpose not in offers(choices):
        return
    known = with_clicked(text.document, text.source.known, marks.places)
    if known != text.source.known:
        set_known(known)
        # The row on top, which has been drawn, gives them to the tab to keep.
        st.rerun()


def marking_of(choices: Choices, text: Text) -> Marking | None:
    """Return the gaps to click in the text into which the columns are folded; None if they are not."""
    identity, purpose = session.folded
    if identity != text.document.identity or purpose != "marks" or purpose not in offers(choices):
        return None
    return Marking("marks", True, text.source.known or ())


def offers(choices: Choices) -> dict[str, str]:
    """Return the purposes for which the columns can fold, each with why that cannot be now; empty if it can."""
    return {"marks": ""} if choices.document == OWN else {}
