"""The description of the last change to the columns, with an undo button."""

from __future__ import annotations

import streamlit as st

from viz.components.notice import remark
from viz.state.undo import last_change, undo_last


def offer_undo(page: str) -> None:
    """Draw a description of the last change to a page's columns, and an undo button, if the change can be undone."""
    undo = last_change(page)
    if undo is not None:
        row = st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"undo_row_{page}")
        with row:
            # The description may contain a file name.
            remark(undo.said, key=f"undo_said/{page}")
        row.button("Undo", key=f"undo/{page}", on_click=undo_last, args=(page,), type="tertiary", width="content")
