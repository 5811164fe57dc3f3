"""The line that describes the last change of the columns, with its undo."""

from __future__ import annotations

import streamlit as st

from viz.components.notice import remark
from viz.state.undo import last_change, undo_last


def offer_undo(page: str) -> None:
    """Draw the last change of a page's columns and the button that undoes it, if that is still possible."""
    undo = last_change(page)
    if undo is not None:
        row = st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"undo_row_{page}")
        with row:
            # It may name a file.
            remark(undo.said, key=f"undo_said/{page}")
        row.button("Undo", key=f"undo/{page}", on_click=undo_last, args=(page,), type="tertiary", width="content")
